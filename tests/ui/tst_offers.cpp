// What is offered, where it is offered, and where it is said that it failed.
#include "core/analysis/analyses.h"
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "tests/support/tinymodel.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/pages/analyses/analysespage.h"
#include "ui/pages/analyses/analysisform.h"
#include "ui/pages/patching/patchingpage.h"
#include "ui/pages/pruning/pruningpage.h"
#include "ui/views/errorlabel.h"
#include "ui/views/inspector.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <iterator>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestOffers final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void maskMasksTheSelection();
    void patchingIsOfferedOnPairs();
    void failuresStandWhereTheyBelong();
    void analysesSayWhatTheyDo();
    void oneTimeOnAPage();

private:
    static constexpr int kWait = 120'000;

    QString path(const char *name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    void open(MainWindow &window, const DataSource &data);
    DataSource sentences() const;
    static bool isIdle(MainWindow &window) { return window.controller().queue().isIdle(); }
    static QString errorsOf(const QWidget &page)
    {
        QString text;
        for (const ErrorLabel *label : page.findChildren<ErrorLabel *>())
            text += label->errorText();
        return text;
    }

    QTemporaryDir m_folder;
};

void TestOffers::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    testing::writeTinyModel(path("model").toStdString());
    testing::writeTinyCorpus(path("in.en").toStdString(), path("in.fr").toStdString(), 40, 3);
    QFile source(path("in.en"));
    QVERIFY(source.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = source.readAll().split('\n');
    QFile table(path("pairs.tsv"));
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("clean\tcorrupt\tanswer\twrong_answer\n");
    for (int i = 0; i < 8; ++i)
        table.write(lines[i] + '\t' + lines[i] + "\tb\tc\n");
}

DataSource TestOffers::sentences() const
{
    DataSource data;
    data.source = path("in.en").toStdString();
    data.reference = path("in.fr").toStdString();
    return data;
}

void TestOffers::open(MainWindow &window, const DataSource &data)
{
    window.controller().setAutomatic(false);
    window.controller().setData(Domain::In, data);
    window.show();
    window.openPaths({path("model")});
    QTRY_VERIFY_WITH_TIMEOUT(window.state().rows(Domain::In) && isIdle(window), kWait);
}

/// Ten heads are selected: one was masked.
void TestOffers::maskMasksTheSelection()
{
    MadeUp study;
    Inspector inspector(study.state, study.controller);
    inspector.show();
    const std::vector<HeadRef> heads = study.state.layout().heads();
    const std::set<HeadRef> selected(heads.begin(), heads.begin() + 10);
    study.state.setSelection(selected, heads[3]);
    QPushButton *mask = nullptr;
    for (QPushButton *button : inspector.findChildren<QPushButton *>()) {
        if (button->text().contains(u"Mask"_s))
            mask = button;
    }
    QVERIFY(mask);
    QCOMPARE(mask->text(), u"Mask 10 heads"_s);
    mask->click();
    QCOMPARE(study.state.mask(), HeadMask(std::vector<HeadRef>(selected.begin(), selected.end())));
    QCOMPARE(mask->text(), u"Unmask 10 heads"_s);
    study.state.toggleMask(heads[5]); // nine of them are masked
    QCOMPARE(mask->text(), u"Mask 10 heads"_s);
    mask->click();
    QCOMPARE(study.state.mask().size(), 10);
    mask->click();
    QVERIFY(study.state.mask().empty());
    study.state.selectHead(heads[3]);
    QCOMPARE(mask->text(), u"Mask"_s);
    mask->click();
    QCOMPARE(study.state.mask(), HeadMask{heads[3]});
}

void TestOffers::patchingIsOfferedOnPairs()
{
    MainWindow window;
    open(window, sentences());
    window.showView(u"patching"_s);
    auto &page = window.page<PatchingPage>();
    QTRY_VERIFY(!page.computeButton().isEnabled());
    QVERIFY2(page.computeButton().toolTip().contains(u"wrong_answer"_s), qPrintable(page.computeButton().toolTip()));
    QVERIFY(page.missing(Domain::In, true).empty());
    auto &analyses = window.page<AnalysesPage>();
    window.showView(u"analyses"_s);
    analyses.analysisBox().setCurrentIndex(analyses.analysisBox().findData(u"patch"_s));
    QVERIFY(!analyses.computeButton().isEnabled());
    DataSource pairs;
    pairs.table = path("pairs.tsv").toStdString();
    window.controller().setData(Domain::In, pairs);
    QTRY_VERIFY_WITH_TIMEOUT(
        window.state().data(Domain::In) && window.state().data(Domain::In)->patchingPairs && isIdle(window), kWait);
    window.showView(u"patching"_s);
    QTRY_VERIFY(page.computeButton().isEnabled());
    QCOMPARE(page.missing(Domain::In, true).size(), std::size_t(1));
}

void TestOffers::failuresStandWhereTheyBelong()
{
    MainWindow window;
    open(window, sentences());
    window.controller().start(Domain::In, PatchSpec{.run = window.controller().runOptions()}); // there are no pairs
    QTRY_VERIFY_WITH_TIMEOUT(!window.state().error(ErrorPlace::Analysis).isEmpty() && isIdle(window), kWait);
    const QString error = window.state().error(ErrorPlace::Analysis);
    window.showView(u"patching"_s);
    QTRY_COMPARE(errorsOf(window.page<PatchingPage>()), error);
    window.showView(u"pruning"_s);
    QTRY_VERIFY(window.page<PruningPage>().isVisible());
    QCOMPARE(errorsOf(window.page<PruningPage>()), QString());
    window.showView(u"analyses"_s);
    auto &analyses = window.page<AnalysesPage>();
    analyses.analysisBox().setCurrentIndex(analyses.analysisBox().findData(u"patch"_s));
    QTRY_COMPARE(errorsOf(analyses), error);
    analyses.analysisBox().setCurrentIndex(analyses.analysisBox().findData(u"ablate"_s));
    QTRY_COMPARE(errorsOf(analyses), QString());
}

void TestOffers::analysesSayWhatTheyDo()
{
    MainWindow window;
    open(window, sentences());
    window.showView(u"analyses"_s);
    const auto &page = window.page<AnalysesPage>();
    QStringList titles;
    for (const AnalysisForm *form : page.forms()) {
        const QComboBox &box = const_cast<AnalysesPage &>(page).analysisBox();
        const int index = box.findData(QString::fromUtf8(form->info().name));
        QVERIFY2(index >= 0, form->info().name);
        const QString text = box.itemText(index);
        const QString title = text.section(u": "_s, 0, 0);
        QVERIFY2(text.section(u": "_s, 1).startsWith(QString::fromUtf8(form->info().summary)), qPrintable(text));
        QVERIFY2(title != QString::fromUtf8(form->info().name) && title[0].isUpper(), qPrintable(text));
        titles << title;
    }
    QCOMPARE(titles.removeDuplicates(), 0);
    QVERIFY(titles.contains(u"McNemar's test"_s));
}

/// Neither of the window's button nor of the page's, but of one of them.
void TestOffers::oneTimeOnAPage()
{
    MainWindow window;
    window.controller().setPatience(1e-6);
    open(window, sentences());
    const RunOptions run = window.controller().runOptions();
    window.controller().times().measurePace({{Domain::In, PruningSpec{.run = run}},
                                             {Domain::In, AblationSpec{.run = run}},
                                             {Domain::In, SearchSpec{.run = run}}}); // as the window does by itself
    QVERIFY(window.controller().times().isMeasuringPace());
    QTRY_VERIFY_WITH_TIMEOUT(!window.controller().times().isMeasuringPace() && isIdle(window), kWait);
    QVERIFY(window.controller().times().secondsOf({{Domain::In, PruningSpec{.run = run}}}).value_or(0) > 0);
    // Nobody has asked for these, so nobody sees them.
    QVERIFY(window.state().results(Domain::In).pruning.empty() && !window.state().results(Domain::In).ablation);
    window.controller().start(Domain::In, EvaluationSpec{.run = run});
    QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::In).baseline && isIdle(window), kWait);
    auto *here = window.findChild<QToolButton *>(u"computePage"_s);
    for (const char *id : {"pruning", "search", "layers", "heads"}) {
        window.showView(QString::fromLatin1(id));
        const auto timesOn = [&] {
            int times = here->text().contains(u"(about"_s) ? 1 : 0;
            for (const QPushButton *button : window.page(QString::fromLatin1(id))->findChildren<QPushButton *>())
                times += button->text().contains(u"(about"_s) ? 1 : 0;
            return times;
        };
        QTRY_VERIFY2(timesOn() == 1, qPrintable(QString::fromLatin1(id) + u": "_s + here->text()));
        QTest::qWait(50);
        QCOMPARE(timesOn(), 1);
    }
}

QTEST_MAIN(TestOffers)
#include "tst_offers.moc"
