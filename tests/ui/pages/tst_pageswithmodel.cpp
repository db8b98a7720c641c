#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/support/tinymodel.h"

#include "ui/pages/attention/attentionpage.h"
#include "ui/pages/heads/headspage.h"
#include "ui/pages/layers/layerspage.h"
#include "ui/pages/pruning/pruningpage.h"
#include "ui/pages/pruning/pruningsettings.h"
#include "ui/state/maskedscore.h"
#include "ui/views/linechart.h"
#include "ui/views/scorebar.h"

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
#include <QThread>
#include <QToolButton>

#include <algorithm>
#include <cmath>

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
    void bothCurvesLoseTheSameHeads();
    void measuredPointAnswersAtOnce();
    void dragOnTheLineIsOneStep();
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

/// By default the in-domain data decide, for both curves.
void TestPagesWithModel::bothCurvesLoseTheSameHeads()
{
    PruningPage page(m_state, m_controller);
    page.resize(900, 600);
    page.show();
    auto *from = page.settings().findChild<QComboBox *>(u"orderFrom"_s);
    QVERIFY(from && from->isVisible() && from->currentIndex() == 0);
    page.compute();
    const auto curvesOf = [&](Domain domain) {
        std::vector<PruningCurve> curves;
        for (const auto &result : m_state.results(domain).pruning) {
            if (!result->manifest.partial && result->curves.front().order == "importance")
                curves.push_back(result->curves.front());
        }
        return curves;
    };
    const auto count = [&](std::size_t wanted) {
        return m_controller.queue().isIdle() && curvesOf(Domain::In).size() == wanted
            && curvesOf(Domain::Out).size() == wanted;
    };
    QTRY_VERIFY_WITH_TIMEOUT(count(1), kWait);
    const PruningCurve in = curvesOf(Domain::In).front();
    const PruningCurve out = curvesOf(Domain::Out).front();
    QVERIFY(in.chosenOnEvaluated && !out.chosenOnEvaluated);
    for (std::size_t i = 0; i < in.points.size(); ++i)
        QCOMPARE(out.points[i].mask, in.points[i].mask);
    for (const CurveSeries &curve : page.chart().picture().series.curves)
        QVERIFY2(!curve.note.contains(u"order from"_s), qPrintable(curve.note));
    from->setCurrentIndex(2); // each its own
    Q_EMIT from->activated(2);
    page.compute();
    const auto outCurves = [&] { return m_controller.queue().isIdle() && curvesOf(Domain::Out).size() == 2; };
    QTRY_VERIFY_WITH_TIMEOUT(outCurves(), kWait);
    bool named = false;
    for (const CurveSeries &curve : page.chart().picture().series.curves)
        named = named || (curve.outOfDomain && curve.note.contains(u"order from out-of-domain"_s));
    QVERIFY(named);
    from->setCurrentIndex(0);
    Q_EMIT from->activated(0);
}

void TestPagesWithModel::measuredPointAnswersAtOnce()
{
    PruningPage page(m_state, m_controller);
    page.resize(900, 600);
    page.show();
    std::shared_ptr<const PruningResult> curve;
    for (const auto &result : m_state.results(Domain::In).pruning) {
        if (result->curves.front().order == "importance")
            curve = result;
    }
    QVERIFY(curve);
    const PruningPoint &point = curve->curves.front().points[2];
    // Nothing else can be computed meanwhile.
    const JobId endless = m_controller.queue().start<int>({u"Endless"_s, {}, JobLane::Interactive},
                                                          [](const JobControl &control) -> Result<int> {
                                                              while (!control.cancelled())
                                                                  QThread::msleep(2);
                                                              return Result<int>::cancelled();
                                                          },
                                                          this, {});
    page.slider().setValue(static_cast<int>(point.pruned));
    QCOMPARE(m_state.mask(), point.mask);
    QVERIFY(!m_state.results(Domain::In).masked);
    const auto score = maskedScore(m_state, Domain::In);
    QVERIFY(score && !score->partial && score->examples == 12);
    QCOMPARE(score->value, point.score);
    QCOMPARE(*score->delta, point.score - curve->curves.front().points.front().score);
    ScoreBar bar(m_state, m_controller);
    QVERIFY2(bar.scoreText(Domain::In).contains(u"n 12"_s), qPrintable(bar.scoreText(Domain::In)));
    QVERIFY(!page.chart().picture().live.empty());
    m_controller.queue().cancel(endless);
    // The model itself says the same.
    QTRY_VERIFY_WITH_TIMEOUT(m_controller.queue().isIdle() && m_state.results(Domain::In).masked, kWait);
    QCOMPARE(m_state.results(Domain::In).masked->primary().value, point.score);
    m_state.clearMask();
    QTRY_VERIFY_WITH_TIMEOUT(m_controller.queue().isIdle(), kWait);
}

void TestPagesWithModel::dragOnTheLineIsOneStep()
{
    PruningPage page(m_state, m_controller);
    page.resize(900, 600);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    m_state.undoStack().clear();
    QWidget *viewport = page.chart().viewport();
    const auto [left, right] = page.chart().axisEnds();
    const auto at = [&, left = left, right = right](double share) {
        return QPoint(static_cast<int>(left + share * (right - left)), viewport->height() / 2);
    };
    QTest::mousePress(viewport, Qt::LeftButton, {}, at(0.1));
    for (const double share : {0.3, 0.5, 0.7}) {
        QTest::mouseMove(viewport, at(share));
        QTest::qWait(700); // longer than what ends a drag of the keyboard
    }
    QTest::mouseRelease(viewport, Qt::LeftButton, {}, at(0.7));
    QVERIFY(m_state.mask().size() > 10);
    QCOMPARE(m_state.undoStack().count(), 1);
    m_state.undoStack().undo();
    QVERIFY(m_state.mask().empty());
    m_state.undoStack().clear();
    // The groove: the handle comes there, and follows.
    QSlider &slider = page.slider();
    const auto on = [&](double share) { return QPoint(static_cast<int>(share * slider.width()), slider.height() / 2); };
    QTest::mousePress(&slider, Qt::LeftButton, {}, on(0.5));
    QVERIFY(slider.isSliderDown());
    QVERIFY(std::abs(slider.value() - slider.maximum() / 2) <= 1);
    QTest::mouseMove(&slider, on(0.8));
    QTest::mouseRelease(&slider, Qt::LeftButton, {}, on(0.8));
    QVERIFY(slider.value() > slider.maximum() * 0.7);
    QCOMPARE(m_state.undoStack().count(), 1);
    m_state.clearMask();
    QTRY_VERIFY_WITH_TIMEOUT(m_controller.queue().isIdle(), kWait);
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
            const QModelIndex cell = page.model().index(page.model().rowOf(l), column);
            if (!cell.data(BestHeadsModel::kIsBestRole).toBool() || page.model().headAt(cell) != layer.head)
                return false;
        }
        return !shown.chosenOnReported;
    };
    QVERIFY(chosen(Domain::Out));
    // Layers go upward within a kind of attention, as in the grid.
    const auto layerAt = [&](int row) {
        return page.model().headAt(page.model().index(row, BestHeadsModel::FirstHeadColumn)).value();
    };
    for (int row = 1; row < page.model().rowCount(); ++row) {
        if (layerAt(row - 1).kind == layerAt(row).kind)
            QVERIFY(layerAt(row - 1).layer > layerAt(row).layer);
    }
    QComboBox *domain = page.findChild<QComboBox *>();
    domain->setCurrentIndex(1);
    Q_EMIT domain->activated(1);
    QVERIFY(chosen(Domain::In));
    QCOMPARE(page.exportItems().size(), 2); // table and chart
    QCOMPARE(std::ranges::count(page.exportItems().front().csv(), '\n'), 7);
    QCOMPARE(page.chart().series().lines.size(), 3U); // a line for each kind of attention
    for (const LineSeries::Line &line : page.chart().series().lines)
        QCOMPARE(line.points.size(), 2U); // and a point for each layer
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
    m_state.setDomainView(DomainView::In); // a page before may have chosen the other set
    auto *button = page.findChild<QToolButton *>(u"asHistogram"_s);
    QVERIFY(!button->isEnabled()); // there is nothing to show yet
    m_controller.start(Domain::In, AblationSpec{});
    QTRY_VERIFY_WITH_TIMEOUT(m_controller.queue().isIdle() && page.histogram().series().heads == 24, kWait);
    QTRY_COMPARE(page.exportItems().size(), 2);
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
    m_controller.exports().exportPruned(ExportForm::Full, {}, folder);
    QTRY_VERIFY_WITH_TIMEOUT(m_controller.queue().isIdle() && QFile::exists(folder + u"/heads.json"_s), kWait);
    QVERIFY(QFile::exists(folder + u"/config.json"_s) && QFile::exists(folder + u"/model.safetensors"_s));
    QVERIFY(m_state.error(ErrorPlace::Analysis).isEmpty());
    const auto labels = page.findChildren<QLabel *>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel *label) { return label->text().startsWith(u"Written to"); }));
    m_state.clearMask();
}

QTEST_MAIN(TestPagesWithModel)
#include "tst_pageswithmodel.moc"
