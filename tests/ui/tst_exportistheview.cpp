// What is exported is what the page shows: the same layout, and tables as the command line writes them.
#include "core/exporting/csv.h"
#include "core/formats/csv.h"
#include "core/results/compare.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/pages/domains/domainspage.h"
#include "ui/pages/heads/headspage.h"
#include "ui/pages/pageregistry.h"
#include "ui/views/foldingside.h"

#include <QImage>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <iterator>
#include <memory>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestExportIsTheView final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void tablesAreThoseOfTheCommands();
    void columnsHaveTheDocumentedNames();
    void gridHasTheLayoutOfThePage();
    void domainsHaveTheirScatter();

private:
    StudyState &state() { return m_window->state(); }
    QList<ExportItem> itemsOf(const QString &view);

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
};

void TestExportIsTheView::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    m_window = std::make_unique<MainWindow>();
    m_window->resize(1280, 800);
    m_window->show();
    m_window->openDemo();
    QTRY_VERIFY_WITH_TIMEOUT(state().session() && m_window->controller().queue().isIdle(), 60'000);
    state().selectHead(state().layout().heads().front());
}

QList<ExportItem> TestExportIsTheView::itemsOf(const QString &view)
{
    m_window->showView(view);
    QTest::qWait(60);
    for (int i = 0; i < 600 && !m_window->controller().queue().isIdle(); ++i)
        QTest::qWait(50);
    return m_window->currentPage()->exportItems();
}

void TestExportIsTheView::tablesAreThoseOfTheCommands()
{
    const auto &in = state().results(Domain::In);
    const auto &out = state().results(Domain::Out);
    state().setDomainView(DomainView::In);
    state().setMeasure(Measure::AblationDelta);
    QCOMPARE(itemsOf(u"heads"_s).front().csv(), toCsv(*in.ablation));
    state().setMeasure(Measure::Importance);
    QCOMPARE(itemsOf(u"heads"_s).front().csv(), toCsv(*in.importance));
    state().setMeasure(Measure::AblationDelta);
    const std::string difference = toCsv(compareResults(*in.ablation, *out.ablation));
    state().setDomainView(DomainView::Difference);
    QCOMPARE(itemsOf(u"heads"_s).front().csv(), difference);
    QCOMPARE(itemsOf(u"domains"_s).front().csv(), difference);
    state().setDomainView(DomainView::In);
    const std::string roles = itemsOf(u"roles"_s).front().csv();
    QCOMPARE(roles, toCsv(*in.roles, state().roleThresholds(), state().windowedSweep(Domain::In)));
    // Curves of both data sets in one table: those of the command, with the data set in front.
    const auto rows = parseCsv(itemsOf(u"pruning"_s).front().csv(), "window").valueOrThrow();
    std::size_t count = 1;
    for (const Domain domain : kBothDomains) {
        for (const auto &curve : state().results(domain).pruning)
            count += parseCsv(toCsv(*curve), "command").valueOrThrow().size() - 1;
    }
    QCOMPARE(rows.size(), count);
    const auto command = parseCsv(toCsv(*in.pruning.front()), "command").valueOrThrow();
    QCOMPARE(CsvRow(rows[0].begin() + 2, rows[0].begin() + 2 + std::ssize(command[0])), command[0]);
    QVERIFY(std::ranges::any_of(rows, [&](const CsvRow &row) {
        return row[0] == "in" && std::equal(command[3].begin(), command[3].end(), row.begin() + 2);
    }));
}

void TestExportIsTheView::columnsHaveTheDocumentedNames()
{
    for (const PageEntry &entry : pageRegistry()) {
        for (const ExportItem &item : itemsOf(entry.info.id)) {
            if (!item.csv)
                continue;
            const auto rows = parseCsv(item.csv(), "table").valueOrThrow();
            if (rows.empty())
                continue;
            const CsvRow &names = rows.front();
            const auto has = [&](const char *name) { return std::ranges::find(names, name) != names.end(); };
            const QString what = entry.info.id + u": "_s + item.name;
            QVERIFY2(!has("index") || !has("layer"), qPrintable(what)); // of a head: head_number
            if (names.front() == "head" && has("layer"))
                QVERIFY2(has("kind") && has("head_number"), qPrintable(what));
        }
    }
}

void TestExportIsTheView::gridHasTheLayoutOfThePage()
{
    const QList<ExportItem> items = itemsOf(u"heads"_s);
    const HeadGridView &grid = m_window->page<HeadsPage>().grid();
    QCOMPARE(items.front().size, QSizeF(grid.size()));
    const QImage picture = renderToImage(items.front(), {.dpi = 96, .withCaption = false}).valueOrThrow();
    const QPoint margin((picture.width() - grid.width()) / 2, (picture.height() - grid.height()) / 2);
    // Cells are where the page has them: they have their colours there.
    int alike = 0;
    for (const HeadCell &cell : grid.model().content().cells) {
        const QRect place = grid.cellRect(cell.head);
        const QColor exported = picture.pixelColor(place.topLeft() + margin + QPoint(4, 4));
        const QColor shown
            = grid.viewport()->grab(QRect(place.topLeft() + QPoint(4, 4), QSize(1, 1))).toImage().pixelColor(0, 0);
        alike += exported == shown;
    }
    QVERIFY2(alike > 0.8 * double(grid.model().content().cells.size()), qPrintable(QString::number(alike)));
}

void TestExportIsTheView::domainsHaveTheirScatter()
{
    state().setDomainView(DomainView::In);
    const QList<ExportItem> items = itemsOf(u"domains"_s);
    DomainsPage &page = m_window->page<DomainsPage>();
    QCOMPARE(items.front().size, QSizeF(page.size()));
    const auto ink = [](const ExportItem &item) { // in the part where the page has its scatter
        const QImage picture = renderToImage(item, {.dpi = 96, .withCaption = false}).valueOrThrow();
        int count = 0;
        for (int y = picture.height() * 3 / 4; y < picture.height(); ++y) {
            for (int x = 0; x < picture.width(); ++x)
                count += qGray(picture.pixel(x, y)) < 200;
        }
        return count;
    };
    const int with = ink(items.front());
    keepPicture(*m_window, u"TestExportIsTheView-domains"_s);
    QVERIFY2(with > 2000, qPrintable(QString::number(with)));
    page.findChild<FoldingSide *>(u"domainsScatter"_s)->setFolded(true);
    QTest::qWait(50);
    QVERIFY(page.exportItems().front().caption != items.front().caption); // which says what the scatter is
}

QTEST_MAIN(TestExportIsTheView)
#include "tst_exportistheview.moc"
