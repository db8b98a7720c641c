// The page of weights with real events, on a model without data.
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/support/tinylanguagemodel.h"
#include "tests/support/tinymodel.h"
#include "ui/pages/weights/rankedtokensmodel.h"
#include "ui/pages/weights/weightspage.h"
#include "ui/views/headgridview.h"
#include "ui/views/linechart.h"
#include "ui/views/matrixchart.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QStandardPaths>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestWeightsPage final : public QObject
{
    Q_OBJECT

    static constexpr int kWait = 120000;
    QTemporaryDir m_folder;
    QString path(const QString &name) const { return m_folder.filePath(name); }

    struct Shown
    {
        StudyState state{};
        StudyController controller{state};
        WeightsPage page{state, controller};

        explicit Shown(const QString &folder)
        {
            page.resize(1200, 700);
            page.show();
            (void)QTest::qWaitForWindowExposed(&page);
            controller.openModel(folder);
        }
        bool hasWeights() const { return state.results(Domain::In).weights != nullptr; }
        bool isIdle() { return controller.queue().isIdle(); }
        void computePairs() { QTest::mouseClick(&page.computeButton(), Qt::LeftButton); }
    };

private Q_SLOTS:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        testing::writeTinyLanguageModel(path(u"model"_s).toStdString(), {.positions = 24, .headsAmplitude = 0.5});
        testing::writeTinyModel(path(u"translates"_s).toStdString());
    }
    void init() { failOnQtWarnings(); }
    void saysWhatIsMissing();
    void isFullWithoutData();
    void theSelectedHeadIsShown();
    void tokensAreLookedUp();
    void pairsAreALineAndACell();
    void anEncoderWritesNoTokens();
};

void TestWeightsPage::saysWhatIsMissing()
{
    StudyState state;
    StudyController controller(state);
    WeightsPage page(state, controller);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    QVERIFY(!page.computeButton().isEnabled());
    QVERIFY(!page.matrix().accessibleDescription().isEmpty());
    QVERIFY(page.eigenvalues().series().empty() && page.singularValues().series().empty());
    QVERIFY(page.exportItems().isEmpty());
    QVERIFY(page.missing(Domain::In, true).empty());
}

void TestWeightsPage::isFullWithoutData()
{
    Shown shown(path(u"model"_s));
    QTRY_VERIFY_WITH_TIMEOUT(shown.hasWeights() && shown.isIdle(), kWait);
    const GridContent &content = shown.page.grid().model().content();
    QCOMPARE(content.valueCount(), std::int64_t{8});
    for (int measure = 0; measure < shown.page.measureBox().count(); ++measure) {
        shown.page.measureBox().setCurrentIndex(measure);
        QCOMPARE(content.valueCount(), std::int64_t{8});
        QCOMPARE(content.measure, shown.page.measureBox().currentText());
    }
    QCOMPARE(shown.page.eigenvalues().series().lines.front().points.size(), std::size_t{4}); // Dh
    QCOMPARE(shown.page.singularValues().series().lines.size(), std::size_t{2});
    QVERIFY(shown.page.exportItems().size() >= 3);
    QVERIFY(shown.page.matrix().picture().series.empty()); // composition is asked for
    QCOMPARE(shown.page.missing(Domain::In, true).size(), std::size_t{2});
    QVERIFY(shown.page.missing(Domain::Out, true).empty());
}

void TestWeightsPage::theSelectedHeadIsShown()
{
    Shown shown(path(u"model"_s));
    QTRY_VERIFY_WITH_TIMEOUT(shown.hasWeights() && shown.isIdle(), kWait);
    const auto &heads = shown.state.results(Domain::In).weights->heads;
    for (const HeadRef head : {HeadRef{HeadKind::Decoder, 0, 1}, HeadRef{HeadKind::Decoder, 1, 3}}) {
        QTest::mouseClick(shown.page.grid().viewport(), Qt::LeftButton, {}, shown.page.grid().cellRect(head).center());
        QCOMPARE(shown.state.currentHead(), std::optional(head));
        const auto found = std::ranges::find(heads, head, &HeadWeightNumbers::head);
        for (const int circuit : {0, 1}) {
            shown.page.circuitBox().setCurrentIndex(circuit);
            const CircuitNumbers &numbers = circuit == 0 ? found->ov : found->qk;
            const auto &points = shown.page.eigenvalues().series().lines.front().points;
            double real = 0, sizes = 0;
            for (const LineSeries::Point &point : points) {
                real += point.x;
                sizes += std::hypot(point.x, point.y);
            }
            QVERIFY(std::abs(real / sizes - *numbers.eigenvalueScore) < 1e-6);
        }
    }
}

void TestWeightsPage::tokensAreLookedUp()
{
    Shown shown(path(u"model"_s));
    QTRY_VERIFY_WITH_TIMEOUT(shown.hasWeights() && shown.isIdle(), kWait);
    const HeadRef head{HeadKind::Decoder, 1, 2};
    shown.state.selectHead(head);
    QVERIFY(shown.state.results(Domain::In).headTokens.empty()); // nobody looks at them
    shown.page.tabs().setCurrentIndex(1);
    QTRY_VERIFY_WITH_TIMEOUT(shown.page.directions().rowCount() > 0, kWait);
    QCOMPARE(shown.page.directions().columnCount(), 4);
    QCOMPARE(shown.page.effects().rowCount(), 0); // no token was typed
    const auto all = shown.state.results(Domain::In).headTokens;
    QCOMPARE(all.size(), std::size_t{1});
    QVERIFY(all.front()->heads.size() == 1 && all.front()->heads.front().head == head);
    const std::string word = all.front()->heads.front().ov.front().from.highest.front().text;
    shown.page.tokenEdit().setFocus();
    QTest::keyClicks(&shown.page.tokenEdit(), QString::fromStdString(word));
    QTest::keyClick(&shown.page.tokenEdit(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(shown.page.effects().rowCount() > 0, kWait);
    const auto asked = shown.state.results(Domain::In).headTokens.back();
    QCOMPARE(asked->tokens.front().text, word);
    const QString first = shown.page.effects().index(0, 0).data().toString();
    QVERIFY2(first.contains(QString::fromStdString(asked->heads.front().writes.front().tokens.highest.front().text)),
             qPrintable(first));
    QVERIFY(shown.page.exportItems().size() >= 5);
    keepPicture(shown.page, u"weights-tokens"_s);
    // Another head is asked for by itself, and the first is there again at once.
    const QString before = first;
    shown.state.selectHead({HeadKind::Decoder, 0, 0});
    QTRY_VERIFY_WITH_TIMEOUT(shown.isIdle() && shown.page.effects().rowCount() > 0, kWait);
    shown.state.selectHead(head);
    QCOMPARE(shown.page.effects().index(0, 0).data().toString(), before);
}

void TestWeightsPage::pairsAreALineAndACell()
{
    Shown shown(path(u"model"_s));
    QTRY_VERIFY_WITH_TIMEOUT(shown.hasWeights() && shown.isIdle(), kWait);
    shown.page.tabs().setCurrentIndex(2);
    shown.computePairs();
    QTRY_VERIFY_WITH_TIMEOUT(!shown.page.matrix().picture().series.empty() && shown.isIdle(), kWait);
    const auto result = shown.state.results(Domain::In).weights;
    const MatrixSeries &series = shown.page.matrix().picture().series;
    QCOMPARE(series.leaves.size(), std::size_t{8});
    for (int chosen = 0; chosen < shown.page.pairsBox().count(); ++chosen) {
        shown.page.pairsBox().setCurrentIndex(chosen);
        const PairMeasure measure{static_cast<CompositionInput>(chosen % 3), chosen >= 3};
        for (std::size_t a = 0; a < 8; ++a) {
            for (std::size_t b = a + 1; b < 8; ++b) {
                const auto value = pairValue(*result, series.leaves[b], series.leaves[a], measure);
                QCOMPARE(!std::isnan(series.values.at(a, b)), value.has_value());
                QVERIFY(!value || *value == series.values.at(a, b));
            }
        }
        const double random = *randomPairValue(*result, measure);
        for (const HeadLink &link : shown.page.grid().model().content().links)
            QVERIFY(*pairValue(*result, link.other, link.head, measure) > random);
    }
    QVERIFY(!series.legend.isEmpty() && series.joins.empty());
    keepPicture(shown.page, u"weights-pairs"_s);
}

void TestWeightsPage::anEncoderWritesNoTokens()
{
    Shown shown(path(u"translates"_s));
    QTRY_VERIFY_WITH_TIMEOUT(shown.hasWeights() && shown.isIdle(), kWait);
    shown.state.selectHead({HeadKind::Encoder, 0, 0});
    shown.page.tabs().setCurrentIndex(1);
    QTRY_VERIFY_WITH_TIMEOUT(shown.page.directions().rowCount() > 0, kWait);
    const auto head = shown.state.results(Domain::In).headTokens.front()->heads.front();
    QVERIFY(!head.ov.front().from.highest.empty() && head.ov.front().to.highest.empty());
    shown.state.selectHead({HeadKind::Cross, 0, 0});
    QTRY_VERIFY_WITH_TIMEOUT(shown.state.results(Domain::In).headTokens.size() == 2, kWait);
    QVERIFY(!shown.state.results(Domain::In).headTokens.back()->heads.front().ov.front().to.highest.empty());
}

QTEST_MAIN(TestWeightsPage)
#include "tst_weightspage.moc"
