// What projections span and what scores are made of, on a model of fixed weights and on heads that were built for it.
#include "core/analysis/energyspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/exporting/csv.h"
#include "core/results/energyresult.h"
#include "core/session/session.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>

using namespace headscope;
using namespace headscope::testing;

class TestEnergy : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::shared_ptr<Session> m_session;
    EnergyResult m_result;

    static const EnergyCurve &curve(const std::vector<EnergyCurve> &curves, EnergyMatrix matrix)
    {
        return *std::ranges::find(curves, matrix, &EnergyCurve::matrix);
    }

private Q_SLOTS:
    void initTestCase()
    {
        const std::filesystem::path root = m_folder.path().toStdString();
        writeTinyModel(root / "model");
        writeTinyCorpus(root / "src", root / "ref", 20, 5);
        DataSource source;
        source.source = (root / "src").string();
        source.reference = (root / "ref").string();
        m_session = Session::open(root / "model", {}, {}).valueOrThrow();
        (void)m_session->setData(Domain::In, source, {}).valueOrThrow();
        m_result = m_session->run(Domain::In, EnergySpec{}, {}).valueOrThrow();
    }

    void everyAttentionAndHeadIsThere()
    {
        QCOMPARE(m_result.layers.size(), 6U);
        QCOMPARE(m_result.heads.size(), 24U);
        QCOMPARE(m_result.examples, 20);
        for (const LayerEnergy &layer : m_result.layers) {
            QCOMPARE(layer.dimensions, 16);
            QCOMPARE(layer.curves.size(), 6U);
            QCOMPARE(layer.random.size(), 6U);
            for (const EnergyCurve &one : layer.curves) {
                QVERIFY(std::ranges::is_sorted(one.energy));
                QCOMPARE(one.energy.back(), 1.0);
                QVERIFY(one.for50 <= one.for90 && one.for90 <= one.for95 && one.for95 <= one.for99);
                QVERIFY(one.stableRank
                        <= one.effectiveRank + 1e-9); // exp of an entropy of order 1 against one of order ∞
                QVERIFY(one.for90 == 1 || one.energy[static_cast<std::size_t>(one.for90) - 2] < 0.9);
            }
            QCOMPARE(curve(layer.curves, EnergyMatrix::HeadUnfolding).energy.size(), 4U);
        }
        for (const HeadEnergy &head : m_result.heads)
            QCOMPARE(curve(head.curves, EnergyMatrix::Product).energy.size(), 4U);
        double mean = 0;
        for (const LayerEnergy &layer : m_result.layers)
            mean += static_cast<double>(curve(layer.curves, EnergyMatrix::Product).for95) / 16 / 6;
        QVERIFY(std::abs(m_result.share95 - mean) < 1e-12);
    }

    // Content and context vary apart or together: the scores' deviation lies between the difference and the sum of
    // theirs.
    void sharesFitTogether()
    {
        double content = 0;
        for (const HeadEnergy &head : m_result.heads) {
            QVERIFY(head.content && head.context);
            const double a = std::sqrt(*head.content), b = std::sqrt(*head.context);
            QVERIFY(std::abs(a - b) <= 1 + 1e-6 && a + b >= 1 - 1e-6);
            content += *head.content;
        }
        QVERIFY(content > 0);
    }

    void keyBiasesChangeNothing()
    {
        QVERIFY(m_result.keyBiasChange);
        QVERIFY(*m_result.keyBiasChange < 1e-12);
        QCOMPARE(m_result.parts.size(), 4U);
        const auto part = [&](const char *name) { return *std::ranges::find(m_result.parts, name, &ScorePart::part); };
        QCOMPARE(part("no key bias").delta, 0.0);
        const double score = m_session->run(Domain::In, EvaluationSpec{}, {}).valueOrThrow().primary().value;
        QCOMPARE(part("whole").score, score);
        QVERIFY(part("content only").score != score);
        QCOMPARE(part("content only").delta, part("content only").score - score);
    }

    void centredIsAnotherResult()
    {
        const EnergyResult centred = m_session->run(Domain::In, EnergySpec{.centred = true}, {}).valueOrThrow();
        QVERIFY(centred.centred);
        QVERIFY(centred.layers.front().curves.front().energy != m_result.layers.front().curves.front().energy);
        QCOMPARE(centred.heads.front().content, m_result.heads.front().content);
    }

    void tableHasALinePerMatrix()
    {
        const QString table = QString::fromStdString(toCsv(m_result));
        QCOMPARE(table.count(QLatin1Char('\n')), 1 + 6 * 6 + 24 * 3);
        QVERIFY(table.startsWith(QStringLiteral("head,kind,layer,head_number,matrix,dimensions,")));
    }

    void classifiersHaveThemToo()
    {
        const std::filesystem::path root = m_folder.path().toStdString();
        writeTinyClassifier(root / "classifier", {.layers = 2, .heads = 4, .width = 16, .labels = {"a", "b", "c"}});
        writeTinyTable(root / "table.tsv", 30, 3);
        DataSource source;
        source.table = (root / "table.tsv").string();
        const auto session = Session::open(root / "classifier", {}, {}).valueOrThrow();
        (void)session->setData(Domain::In, source, {}).valueOrThrow();
        const EnergyResult result = session->run(Domain::In, EnergySpec{.sentences = 7}, {}).valueOrThrow();
        QCOMPARE(result.layers.size(), 2U);
        QCOMPARE(result.examples, 7);
        QCOMPARE(result.metric, std::string("accuracy"));
        QVERIFY(result.heads.front().context);
    }
};

QTEST_GUILESS_MAIN(TestEnergy)
#include "tst_energy.moc"
