#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/support/tinymodel.h"

#include "ui/pages/attention/attentionpage.h"
#include "ui/pages/heads/headspage.h"
#include "ui/pages/layers/layerspage.h"
#include "ui/pages/pruning/pruningpage.h"
#include "ui/pages/pruning/pruningsettings.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <algorithm>

using namespace headscope;
using namespace Qt::StringLiterals;

/// The pages with a real session on a tiny model with fixed random weights.
class TestPagesWithModel final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void attentionOpensOnTheFirstSentence();
    void typedSentenceIsShown();
    void maskAsksForNewAttention();
    void computeDrawsBothDomains();
    void everyKindHasItsCurve();
    void layersChooseOnTheOtherSet();
    void histogramCountsEveryHead();
    void savedModelHasItsFiles();

private:
    static constexpr int kWait = 60000;

    QTemporaryDir m_dir;
    StudyState m_state;
    StudyController m_controller{m_state};
};

void TestPagesWithModel::initTestCase()
{
    const std::filesystem::path folder = m_dir.path().toStdString();
    testing::writeTinyModel(folder / "model");
    for (const char *name : {"in", "out"})
        testing::writeTinyCorpus(folder / (std::string(name) + ".en"), folder / (std::string(name) + ".fr"), 12,
                                 name[0] == 'i' ? 1 : 2);
    m_controller.setAutomatic(false);
    m_controller.openModel(m_dir.filePath(u"model"_s));
    for (Domain domain : kBothDomains) {
        DataSource source;
        const std::string stem = (folder / (domain == Domain::In ? "in" : "out")).string();
        source.source = stem + ".en";
        source.reference = stem + ".fr";
        m_controller.setData(domain, source);
    }
    QTRY_VERIFY_WITH_TIMEOUT(m_state.session() && m_state.data(Domain::In) && m_state.data(Domain::Out), kWait);
}

void TestPagesWithModel::attentionOpensOnTheFirstSentence()
{
    AttentionPage page(m_state, m_controller);
    page.resize(900, 700);
    page.show();
    QTRY_VERIFY_WITH_TIMEOUT(!page.heatMap().picture().table.empty(), kWait);
    QCOMPARE(page.sentences().rowCount(), 12);
    QCOMPARE(m_state.sentenceIndex(), 0);
    QCOMPARE(QString::fromStdString(m_state.attention()->source),
             QString::fromStdString(m_state.session()->rows(Domain::In)->at(0).source));
    // Another sentence by keyboard.
    const auto before = m_state.attention();
    QTest::keyClick(&page.list(), Qt::Key_Down);
    QTRY_VERIFY_WITH_TIMEOUT(m_state.attention() != before, kWait);
    QCOMPARE(m_state.sentenceIndex(), 1);
    QVERIFY(page.textsHtml().contains(QString::fromStdString(m_state.session()->rows(Domain::In)->at(1).reference)));
    keepPicture(page, u"tiny-attention"_s);
}

void TestPagesWithModel::typedSentenceIsShown()
{
    AttentionPage page(m_state, m_controller);
    page.resize(900, 700);
    page.show();
    const QString sentence = QString::fromStdString(m_state.session()->rows(Domain::Out)->at(3).source);
    page.typedEdit().setText(sentence);
    QTest::keyClick(&page.typedEdit(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(m_state.attention() && QString::fromStdString(m_state.attention()->source) == sentence,
                             kWait);
    QVERIFY(page.textsHtml().contains(sentence.toHtmlEscaped()));
}

void TestPagesWithModel::maskAsksForNewAttention()
{
    AttentionPage page(m_state, m_controller);
    page.resize(900, 700);
    page.show();
    QTRY_VERIFY_WITH_TIMEOUT(m_state.attention() && m_controller.queue().isIdle(), kWait);
    const auto before = m_state.attention();
    const HeadRef head{HeadKind::Encoder, 0, 1};
    m_state.selectHead(head);
    m_state.toggleMask(head);
    QVERIFY(page.heatMap().picture().masked);
    QTRY_VERIFY_WITH_TIMEOUT(m_state.attention() != before, kWait);
    // A masked head keeps its map.
    QVERIFY(!page.heatMap().picture().table.empty());
    m_state.clearMask();
}

void TestPagesWithModel::computeDrawsBothDomains()
{
    PruningPage page(m_state, m_controller);
    page.resize(900, 600);
    page.show();
    page.settings().setOrder(u"random"_s);
    page.compute();
    const auto finished = [&] {
        return m_controller.queue().isIdle() && m_state.results(Domain::In).pruning.size() == 1
            && m_state.results(Domain::Out).pruning.size() == 1;
    };
    QTRY_VERIFY_WITH_TIMEOUT(finished(), kWait);
    const PruningSeries &series = page.chart().picture().series;
    QCOMPARE(series.curves.size(), 2U);
    QCOMPARE(series.candidates, 24); // 3 kinds of 2 layers of 4 heads
    QCOMPARE(series.curves[0].points.front().removed, 0.0);
    QCOMPARE(series.curves[0].points.back().removed, 24.0);
    QCOMPARE(page.exportItems().size(), 1);
    keepPicture(page, u"tiny-pruning"_s);
}

// Michel et al.'s Figure 4.
void TestPagesWithModel::everyKindHasItsCurve()
{
    PruningPage page(m_state, m_controller);
    page.resize(900, 600);
    page.show();
    for (QCheckBox *box : page.settings().findChildren<QCheckBox *>()) {
        if (box->text() == u"Each kind by itself"_s)
            box->setChecked(true);
    }
    QVERIFY(page.settings().choice().eachKind);
    QVERIFY(page.chart().picture().series.empty()); // curves over all kinds are another question
    page.compute();
    QTRY_VERIFY_WITH_TIMEOUT(m_controller.queue().isIdle() && page.chart().picture().series.curves.size() == 6, kWait);
    std::map<HeadKind, int> curves;
    for (const CurveSeries &curve : page.chart().picture().series.curves) {
        QVERIFY(curve.kind);
        ++curves[*curve.kind];
        QCOMPARE(curve.points.back().removed, 8.0); // of 2 layers of 4 heads
        QVERIFY(curveName(curve).contains(*curve.kind == HeadKind::Cross ? u"cross"_s : u"coder"_s));
    }
    QCOMPARE(curves.size(), 3U);
    QCOMPARE(page.chart().picture().series.candidates, 8);
    QVERIFY(!page.slider().isEnabled()); // no single order to go along
    keepPicture(page, u"tiny-kinds"_s);
}

void TestPagesWithModel::layersChooseOnTheOtherSet()
{
    LayersPage page(m_state, m_controller);
    const QAbstractItemModelTester tester(&page.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    page.resize(900, 500);
    page.show();
    QCOMPARE(page.model().rowCount(), 0);
    QVERIFY(page.exportItems().isEmpty());
    page.compute();
    QTRY_VERIFY_WITH_TIMEOUT(m_controller.queue().isIdle() && page.model().rowCount() == 6, kWait);
    const auto chosen = [&](Domain choose) {
        const BestHeadsResult &shown = *page.model().result();
        for (std::size_t l = 0; l < shown.layers.size(); ++l) {
            const BestHead &layer = shown.layers[l];
            double best = -1e9;
            for (const HeadAblation &head : m_state.results(choose).allButOne->heads) {
                if (head.head.kind == layer.kind && head.head.layer == layer.layer)
                    best = std::max(best, head.delta);
            }
            if (layer.chosenDelta != best)
                return false;
            const int column = BestHeadsModel::FirstHeadColumn + layer.head.head;
            const QModelIndex cell = page.model().index(static_cast<int>(l), column);
            if (!cell.data(BestHeadsModel::kIsBestRole).toBool() || page.model().headAt(cell) != layer.head)
                return false;
        }
        return !shown.chosenOnReported;
    };
    QVERIFY(chosen(Domain::Out));
    QComboBox *domain = page.findChild<QComboBox *>();
    domain->setCurrentIndex(1);
    Q_EMIT domain->activated(1);
    QVERIFY(chosen(Domain::In));
    QCOMPARE(page.exportItems().size(), 1);
    QCOMPARE(std::ranges::count(page.exportItems().front().csv(), '\n'), 7);
    // Single heads are another result, and stay what they were.
    QVERIFY(!m_state.results(Domain::In).ablation);
    keepPicture(page, u"tiny-layers"_s);
}

// Michel et al.'s Figure 1.
void TestPagesWithModel::histogramCountsEveryHead()
{
    HeadsPage page(m_state, m_controller);
    page.resize(800, 500);
    page.show();
    auto *button = page.findChild<QToolButton *>(u"asHistogram"_s);
    QVERIFY(!button->isEnabled()); // there is nothing to show yet
    m_controller.start(Domain::In, AblationSpec{});
    QTRY_VERIFY_WITH_TIMEOUT(m_controller.queue().isIdle() && page.histogram().series().heads == 24, kWait);
    QCOMPARE(page.exportItems().size(), 2);
    button->click();
    QVERIFY(page.histogram().isVisible());
    std::int64_t heads = 0;
    for (const HistogramSeries::Bin &bin : page.histogram().series().bins)
        heads += bin.heads;
    QCOMPARE(heads, 24);
    QVERIFY(page.exportItems().front().name.contains(u"istogram"_s));
    keepPicture(page, u"tiny-histogram"_s);
    page.findChild<QToolButton *>(u"asTable"_s)->click();
    QVERIFY(!page.histogram().isVisible());
    QVERIFY(!button->isChecked());
}

void TestPagesWithModel::savedModelHasItsFiles()
{
    PruningPage page(m_state, m_controller);
    page.resize(900, 600);
    page.show();
    m_state.setMask({{HeadKind::Cross, 1, 2}}, u"test"_s);
    const QString folder = m_dir.filePath(u"pruned"_s);
    m_controller.exportPruned(ExportForm::Full, {}, folder);
    QTRY_VERIFY_WITH_TIMEOUT(m_controller.queue().isIdle() && QFile::exists(folder + u"/heads.json"_s), kWait);
    QVERIFY(QFile::exists(folder + u"/config.json"_s) && QFile::exists(folder + u"/model.safetensors"_s));
    QVERIFY(m_state.error(ErrorPlace::Analysis).isEmpty());
    const auto labels = page.findChildren<QLabel *>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel *label) { return label->text().startsWith(u"Written to"); }));
    m_state.clearMask();
}

QTEST_MAIN(TestPagesWithModel)
#include "tst_pageswithmodel.moc"
