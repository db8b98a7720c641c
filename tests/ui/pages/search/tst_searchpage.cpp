#include "core/exporting/csv.h"
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/support/tinymodel.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/pages/search/searchpage.h"
#include "ui/pages/search/searchsettings.h"
#include "ui/views/errorlabel.h"
#include "ui/views/linechart.h"
#include "ui/views/readonlygrid.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QStandardPaths>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {
/// A search as real ones are: rearranged a little better than searched, rescaled better still, until too much is gone.
std::shared_ptr<const SearchResult> madeUpSearch(bool out, std::int64_t examples = 1000)
{
    auto result = std::make_shared<SearchResult>();
    result->manifest = madeup::manifest("search", out);
    result->manifest.model = "marian-multi30k-en-fr";
    const double whole = out ? 39.84 : 56.92;
    result->baseline = {"BLEU", whole, Interval{whole - 0.7, whole + 0.7}, ""};
    const HeadLayout layout = madeup::layout();
    result->candidates = layout.size();
    result->searchData = out ? "test_2016_flickr" : "test_2017_mscoco";
    result->samples = 512;
    result->miniBatch = 32;
    result->examples = std::min(examples, result->manifest.totalExamples);
    result->manifest.partial = result->examples < result->manifest.totalExamples;
    std::vector<HeadRef> heads = layout.heads();
    for (const HeadRef &head : heads)
        result->fisher.push_back({head, std::pow(madeup::noise(head, 1), 4) / 1000, 0});
    std::ranges::sort(heads, {}, [](const HeadRef &head) { return madeup::noise(head, 1); });
    for (int step = 0; step <= 10; ++step) {
        SearchPoint point;
        point.pruned = layout.size() * step / 10;
        point.fraction = step / 10.0;
        point.attentionMacs = 1 - point.fraction;
        point.rescaledLayers = step == 0 ? 0 : 12 - step;
        point.attentionLayers = 12;
        const auto found = [&](double knee, int from) {
            const double drop = 1 / (1 + std::exp(-12 * (point.fraction - knee))) - 1 / (1 + std::exp(12 * knee));
            const double score = std::max(0.1, whole * (1 - drop));
            const auto begin = heads.begin() + std::min<std::ptrdiff_t>(from, std::ssize(heads) - point.pruned);
            FoundMask mask{HeadMask(std::vector<HeadRef>(begin, begin + point.pruned)),
                           {},
                           0.1 * step,
                           score,
                           score - whole,
                           Interval{std::max(0.0, score - 0.7), score + 0.7},
                           PairedTest{{score - whole - 0.2, score - whole + 0.2}, 0.5, 20}};
            return mask;
        };
        point.searched = found(0.5, 0);
        point.rearranged = found(0.56, 1);
        point.rescaled = found(0.64, 1);
        for (const HeadRef &head : layout.heads()) {
            if (step > 0 && !point.rescaled.mask.isMasked(head))
                point.rescaled.scales[head] = 1.1;
        }
        result->points.push_back(point);
    }
    return result;
}

QString textOf(const QWidget &widget)
{
    QString text;
    for (const QLabel *label : widget.findChildren<QLabel *>())
        text += label->text() + u'\n';
    return text;
}
} // namespace

class TestSearchPage final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void computesByTheButton();
    void appliesAndUndoes();
    void chartChoosesTheBudget();
    void settingsMakeTheSpec();
    void exportsAsTheCommandLineDoes();
    void reopenedStudyShowsIt();
    void cancelledIsNoError();
    void anotherMetricForgetsIt();
    void saysWhyItIsEmpty();
    void rescaledSaysThatFactorsStayBehind();
    void chosenBudgetStaysWhileResultsComeIn();
    void looks_data();
    void looks();

private:
    static constexpr int kWait = 120'000;
    SearchPage &page() { return m_window->page<SearchPage>(); }
    StudyState &state() { return m_window->state(); }
    bool isIdle() { return m_window->controller().queue().isIdle(); }
    QPoint cell(int row, int column)
    {
        QTableView &table = page().table();
        const QModelIndex index = page().model().index(row, column);
        table.scrollTo(index);
        return table.visualRect(index).center();
    }

    QTemporaryDir m_dir;
    std::unique_ptr<MainWindow> m_window;
};

void TestSearchPage::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    const std::filesystem::path folder = m_dir.path().toStdString();
    testing::writeTinyModel(folder / "model");
    m_window = std::make_unique<MainWindow>();
    m_window->controller().setAutomatic(false);
    RunOptions run;
    run.decoding.beams = 1;
    m_window->controller().setRunOptions(run);
    for (const Domain domain : kBothDomains) {
        DataSource source;
        const std::string stem = (folder / (domain == Domain::In ? "in" : "out")).string();
        source.source = stem + ".en";
        source.reference = stem + ".fr";
        testing::writeTinyCorpus(source.source, source.reference, 12, domain == Domain::In ? 1 : 2);
        m_window->controller().setData(domain, source);
    }
    m_window->resize(1280, 800);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    m_window->openPaths({m_dir.filePath(u"model"_s)});
    QTRY_VERIFY_WITH_TIMEOUT(state().session() && state().data(Domain::In) && state().data(Domain::Out) && isIdle(),
                             kWait);
}

void TestSearchPage::computesByTheButton()
{
    m_window->showView(u"search"_s);
    QVERIFY(page().isVisible());
    QVERIFY(page().exportItems().isEmpty());
    QVERIFY(page().chart().accessibleDescription().contains(u"Press Compute"));
    QTest::mouseClick(&page().computeButton(), Qt::LeftButton);
    QVERIFY(!isIdle());
    QTRY_VERIFY_WITH_TIMEOUT(state().results(Domain::Out).search && isIdle(), kWait);
    QVERIFY2(state().error(ErrorPlace::Analysis).isEmpty(), qPrintable(state().error(ErrorPlace::Analysis)));
    const SearchResult &in = *state().results(Domain::In).search;
    QCOMPARE(in.examples, 12);
    // By default gradients are those of the other data set.
    QVERIFY(!in.searchedOnEvaluated);
    QCOMPARE(in.searchData, state().data(Domain::Out)->name);
    QAbstractItemModelTester tester(&page().model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(page().model().rowCount(), static_cast<int>(in.points.size()));
    QCOMPARE(page().chart().series().lines.size(), kSearchMethods.size());
    QCOMPARE(*page().chart().series().reference, in.baseline.value);
    const QString first = page().model().index(0, SearchModel::FirstMethodColumn).data().toString();
    QVERIFY2(first.endsWith(u"(0.00)"), qPrintable(first)); // nothing is removed
    // The box says how the result that is shown was made.
    QVERIFY(page().settings().otherBox().isChecked());
    auto own = std::make_shared<SearchResult>(in);
    own->searchedOnEvaluated = true;
    own->manifest.spec = "{}";
    const auto made = state().results(Domain::In).search;
    state().addResult(Domain::In, std::shared_ptr<const SearchResult>(own));
    QVERIFY(!page().settings().otherBox().isChecked());
    state().addResult(Domain::In, made);
    QVERIFY(page().settings().otherBox().isChecked());
    // The other data set's scores by the box.
    auto *measured = page().findChild<QComboBox *>(QString(), Qt::FindChildrenRecursively);
    QVERIFY(measured && measured->isVisible());
    measured->setFocus();
    QTest::keyClick(measured, Qt::Key_Down);
    QCOMPARE(page().model().result(), state().results(Domain::Out).search);
    QTest::keyClick(measured, Qt::Key_Up);
    QCOMPARE(page().model().result(), state().results(Domain::In).search);
    keepPicture(*m_window, u"search-computed"_s);
}

void TestSearchPage::appliesAndUndoes()
{
    const SearchResult &result = *page().model().result();
    const int row = 2;
    const int steps = state().undoStack().index();
    // The column says whose mask of the budget is meant.
    QTest::mouseClick(page().table().viewport(), Qt::LeftButton, {}, cell(row, SearchModel::FirstMethodColumn));
    QCOMPARE(page().methodBox().currentIndex(), static_cast<int>(SearchMethod::Searched));
    const HeadMask &searched = result.points[row].searched.mask;
    QCOMPARE(page().findChild<ReadOnlyGrid *>()->picture().mask, searched);
    QVERIFY(state().mask().empty()); // looked at only
    QTest::mouseClick(&page().applyButton(), Qt::LeftButton);
    QCOMPARE(state().mask(), searched);
    QVERIFY(searched.size() > 0);
    QVERIFY(!page().applyButton().isEnabled()); // it is applied
    QCOMPARE(state().undoStack().index(), steps + 1);
    // The score under the mask is what the search has measured.
    QTRY_VERIFY_WITH_TIMEOUT(state().results(Domain::In).masked && state().results(Domain::In).masked->examples == 12,
                             kWait);
    QCOMPARE(state().results(Domain::In).masked->primary().value, result.points[row].searched.score);
    QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(state().mask().empty());
    QVERIFY(page().applyButton().isEnabled());
    // By keyboard: to another row, and Enter.
    page().table().setFocus();
    QTest::keyClick(&page().table(), Qt::Key_Down);
    QTest::keyClick(&page().table(), Qt::Key_Return);
    QCOMPARE(state().mask(), result.points[row + 1].searched.mask);
    QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(state().mask().empty());
    QTRY_VERIFY_WITH_TIMEOUT(isIdle(), kWait);
}

void TestSearchPage::chartChoosesTheBudget()
{
    const SearchPoint &point = page().model().result()->points[3];
    const LineSeries::Point &shown = page().chart().series().lines.front().points[3];
    page().chart().repaint();
    const QPointF at = page().chart().at(shown.x, shown.y);
    QVERIFY(page().chart().rect().contains(at.toPoint()));
    QTest::mouseClick(&page().chart(), Qt::LeftButton, {}, at.toPoint() + QPoint(2, 5));
    QCOMPARE(page().table().currentIndex().row(), 3);
    QCOMPARE(page().findChild<ReadOnlyGrid *>()->picture().mask.size(), point.pruned);
}

void TestSearchPage::settingsMakeTheSpec()
{
    SearchSettings &settings = page().settings();
    RunOptions run;
    run.metric = "chrF2";
    QVERIFY(settings.spec(run).kinds.empty() && settings.spec(run).searchOnOther);
    QCOMPARE(settings.spec(run).samples, SearchSpec().samples);
    QCOMPARE(settings.spec(run).run.metric, "chrF2");
    const auto boxes = settings.findChildren<QCheckBox *>();
    QTest::keyClick(boxes.first(), Qt::Key_Space);
    QVERIFY(settings.spec(run).kinds.size() == 2);
    QVERIFY(page().computeButton().isEnabled());
    QTest::keyClick(boxes[1], Qt::Key_Space);
    QTest::keyClick(boxes[2], Qt::Key_Space);
    QVERIFY(!page().computeButton().isEnabled());
    QVERIFY2(textOf(page()).contains(u"at least one kind"), qPrintable(textOf(page())));
    for (int i = 0; i < 3; ++i)
        QTest::keyClick(boxes[i], Qt::Key_Space);
    QVERIFY(settings.problem().isEmpty() && page().computeButton().isEnabled());
    QTest::keyClick(boxes.last(), Qt::Key_Space);
    QVERIFY(!settings.spec(run).searchOnOther);
    QTest::keyClick(boxes.last(), Qt::Key_Space);
}

void TestSearchPage::exportsAsTheCommandLineDoes()
{
    const QList<ExportItem> items = page().exportItems();
    QCOMPARE(items.size(), 2); // and the heads of the chosen budget
    QCOMPARE(items.front().csv(), toCsv(*page().model().result()));
    for (const ExportItem &item : items) {
        QVERIFY2(item.manifestJson.find("\"search\"") != std::string::npos, item.manifestJson.c_str());
        for (const ExportFormat format : {ExportFormat::Png, ExportFormat::Svg, ExportFormat::Csv}) {
            const QString file = m_dir.filePath(fileNameFor(item.name) + u'.' + suffixOf(format));
            ExportOptions options;
            options.format = format;
            QVERIFY(exportItem(item, file, options).isOk());
            QVERIFY(QFile(file).size() > 300);
            QVERIFY(QFile::exists(manifestPathFor(file)));
        }
    }
}

void TestSearchPage::reopenedStudyShowsIt()
{
    const QString file = m_dir.filePath(u"study.headscope"_s);
    m_window->saveStudyAs(file);
    QTRY_COMPARE_WITH_TIMEOUT(state().studyFile(), file, kWait);
    MainWindow other;
    other.controller().setAutomatic(false);
    other.show();
    other.openPaths({file}); // a copy, as this window has it open
    QTRY_VERIFY_WITH_TIMEOUT(other.state().session() && other.controller().queue().isIdle(), kWait);
    QCOMPARE(other.currentView(), u"search"_s);
    const auto &before = state().results(Domain::In).search;
    const auto &after = other.page<SearchPage>().model().result();
    QVERIFY(after && after->points.size() == before->points.size());
    for (std::size_t i = 0; i < before->points.size(); ++i) {
        QCOMPARE(after->points[i].rescaled.mask, before->points[i].rescaled.mask);
        QCOMPARE(after->points[i].rescaled.score, before->points[i].rescaled.score);
        QVERIFY(after->points[i].rescaled.scales == before->points[i].rescaled.scales);
    }
    QVERIFY(other.state().results(Domain::Out).search);
    for (const JobInfo &job : other.controller().queue().jobs())
        QVERIFY2(!job.spec.name.startsWith(u"Mask search"), qPrintable(job.spec.name));
}

void TestSearchPage::cancelledIsNoError()
{
    const auto before = state().results(Domain::In).search;
    JobQueue &queue = m_window->controller().queue();
    QTest::keyClick(page().settings().findChildren<QCheckBox *>().first(), Qt::Key_Space); // other heads: not known yet
    QTest::mouseClick(&page().computeButton(), Qt::LeftButton);
    QVERIFY(queue.current());
    queue.cancelAll();
    QTRY_VERIFY_WITH_TIMEOUT(isIdle(), kWait);
    QVERIFY2(state().error(ErrorPlace::Analysis).isEmpty(), qPrintable(state().error(ErrorPlace::Analysis)));
    QTest::keyClick(page().settings().findChildren<QCheckBox *>().first(), Qt::Key_Space);
    QVERIFY(page().computeButton().isEnabled() && before);
}

void TestSearchPage::anotherMetricForgetsIt()
{
    QVERIFY(page().model().rowCount() > 0);
    state().setMetric(u"chrF2"_s);
    QCOMPARE(page().model().rowCount(), 0);
    QVERIFY(!page().applyButton().isVisible());
    state().undoStack().undo(); // the finished ones are kept
    QVERIFY(page().model().rowCount() > 0);
}

void TestSearchPage::saysWhyItIsEmpty()
{
    StudyState nothing;
    StudyController none(nothing);
    SearchPage empty(nothing, none);
    empty.show();
    QVERIFY(empty.chart().accessibleDescription().contains(u"No model is open"));
    QVERIFY(!empty.computeButton().isEnabled());
    QVERIFY(empty.exportItems().isEmpty());
    // Texts without labels: nothing to take gradients of.
    QFile file(m_dir.filePath(u"plain.en"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("a man walks .\na man sits .\n");
    file.close();
    MainWindow window;
    window.controller().setAutomatic(false);
    DataSource source;
    source.source = file.fileName().toStdString();
    window.controller().setData(Domain::In, source);
    window.show();
    window.openPaths({m_dir.filePath(u"model"_s)});
    QTRY_VERIFY_WITH_TIMEOUT(
        window.state().session() && window.state().data(Domain::In) && window.controller().queue().isIdle(), kWait);
    window.showView(u"search"_s);
    SearchPage &page = window.page<SearchPage>();
    QVERIFY(!page.computeButton().isEnabled());
    QVERIFY2(page.chart().accessibleDescription().contains(u"references"),
             qPrintable(page.chart().accessibleDescription()));
    page.compute();
    QVERIFY(window.controller().queue().isIdle());
}

void TestSearchPage::rescaledSaysThatFactorsStayBehind()
{
    MadeUp study;
    study.state.addResult(Domain::In, madeUpSearch(false));
    SearchPage page(study.state, study.controller);
    page.show();
    // At first the largest budget within the margin, of the rearranged masks.
    const auto within = [&](SearchMethod method) {
        return removableBy(*page.model().result(), method, study.state.significance()).withinMargin.value_or(0);
    };
    const std::int64_t free = within(SearchMethod::Rearranged);
    QVERIFY(free > 0 && free < study.state.layout().size());
    QCOMPARE(page.table().currentIndex().row(), page.model().rowOf(free));
    QVERIFY(!textOf(page).contains(u"factors"));
    page.methodBox().setFocus();
    QTest::keyClick(&page.methodBox(), Qt::Key_Down);
    QVERIFY2(textOf(page).contains(u"factors"), qPrintable(textOf(page)));
    QVERIFY(within(SearchMethod::Rescaled) > free);
    // A larger margin lets more heads go, and the sentence says so.
    QVERIFY(textOf(page).contains(u"for less than 1 %"_s));
    Significance generous = study.state.significance();
    generous.margin = 0.1;
    study.state.setSignificance(generous);
    QVERIFY(within(SearchMethod::Rearranged) > free);
    QVERIFY2(textOf(page).contains(u"for less than 10 %"_s), qPrintable(textOf(page)));
}

void TestSearchPage::chosenBudgetStaysWhileResultsComeIn()
{
    MadeUp study;
    study.state.addResult(Domain::In, madeUpSearch(false, 100));
    SearchPage page(study.state, study.controller);
    page.resize(900, 700);
    page.show();
    QVERIFY2(textOf(page).contains(u"Stopped at 100 of 1,000"), qPrintable(textOf(page))); // no job is on it
    const QModelIndex eighth = page.model().index(8, SearchModel::LayersColumn);
    page.table().scrollTo(eighth);
    QTest::mouseClick(page.table().viewport(), Qt::LeftButton, {}, page.table().visualRect(eighth).center());
    QCOMPARE(page.methodBox().currentIndex(), static_cast<int>(SearchMethod::Rescaled));
    study.state.addResult(Domain::In, madeUpSearch(false));
    QCOMPARE(page.table().currentIndex().row(), 8);
    QVERIFY(!textOf(page).contains(u"Measuring"));
}

void TestSearchPage::looks_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestSearchPage::looks()
{
    QFETCH(bool, dark);
    const QString suffix = dark ? u"-dark"_s : u"-light"_s;
    const auto keep = [&](QWidget &page, const QString &name, const QSize &size) {
        if (dark) {
            page.setPalette(darkPalette());
            page.setAutoFillBackground(true);
        }
        page.resize(size);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        QCoreApplication::processEvents();
        keepPicture(page, name + suffix);
    };
    MadeUp study;
    SearchPage page(study.state, study.controller);
    keep(page, u"search-empty"_s, {764, 690});
    for (const Domain domain : kBothDomains)
        study.state.addResult(domain, madeUpSearch(domain == Domain::Out));
    keep(page, u"search"_s, {764, 690}); // beside both docks at 1280 x 800
    page.methodBox().setCurrentIndex(2);
    study.state.setError(ErrorPlace::Analysis, u"Mask search, out-of-domain: the GPU has no memory left (8 GiB)."_s);
    keep(page, u"search-wide"_s, {1300, 900});
}

QTEST_MAIN(TestSearchPage)
#include "tst_searchpage.moc"
