#include "core/results/compare.h"
#include "tests/core/results/sampleresults.h"

#include <QTest>

#include <cmath>

using namespace headscope;

namespace {

ConfidenceResult confidenceOf(std::initializer_list<double> values)
{
    ConfidenceResult result;
    result.manifest = samples::manifest("confidence");
    for (const double value : values)
        result.heads.push_back({{HeadKind::Encoder, 0, static_cast<int>(result.heads.size())}, value, 10});
    return result;
}

} // namespace

class TestCompare : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void differencesAreBMinusA();
    void headsOfOneSideAreLeftOut();
    void fewHeadsHaveNoCorrelation();
    void refusesWhatDoesNotCompare();
};

void TestCompare::differencesAreBMinusA()
{
    const auto result = compareResults(confidenceOf({1, 2, 3, 4}), confidenceOf({2, 4, 6, 9}));
    QCOMPARE(result.measure, std::string("confidence"));
    QCOMPARE(result.heads.size(), std::size_t{4});
    QCOMPARE(result.heads[3].a, 4.0);
    QCOMPARE(result.heads[3].b, 9.0);
    QCOMPARE(result.heads[3].difference, 5.0);
    QCOMPARE(result.spearman.value, 1.0);
    QVERIFY(result.pearson.value > 0.98 && result.pearson.value < 1);
    QVERIFY(result.pearson.p < 0.05);
}

void TestCompare::headsOfOneSideAreLeftOut()
{
    ConfidenceResult a = confidenceOf({1, 2, 3, 4});
    ConfidenceResult b = confidenceOf({1, 2, 3, 4});
    a.heads.erase(a.heads.begin());
    b.heads.pop_back();
    const auto result = compareResults(a, b);
    QCOMPARE(result.heads.size(), std::size_t{2});
    QCOMPARE(toText(result.heads[0].head), std::string("encoder.0.1"));
    QCOMPARE(result.heads[0].difference, 0.0);
}

void TestCompare::fewHeadsHaveNoCorrelation()
{
    const auto result = compareResults(confidenceOf({1, 2}), confidenceOf({2, 3}));
    QVERIFY(std::isnan(result.pearson.value) && std::isnan(result.spearman.value));
}

void TestCompare::refusesWhatDoesNotCompare()
{
    const auto says = [](const AnyResult &a, const AnyResult &b, const char *text) {
        const auto result = compareResults(a, b);
        return result.isError() && result.error().code == ErrorCode::BadInput
            && result.error().message.find(text) != std::string::npos;
    };
    QVERIFY(says(samples::ablation(), samples::importance(), "\"importance\""));
    QVERIFY(says(samples::evaluation(), samples::evaluation(), "no value per head"));
    AblationResult other = samples::ablation();
    other.allButOne = false;
    QVERIFY(says(samples::ablation(), other, "--all-but-one"));
    other = samples::ablation();
    other.manifest.weightsHash = "w2";
    QVERIFY(says(samples::ablation(), other, "different models"));
    ImportanceResult importance = samples::importance();
    importance.reduction = ImportanceReduction::Token;
    QVERIFY(says(samples::importance(), importance, "--reduction"));
    QVERIFY(says(confidenceOf({}), confidenceOf({1}), "no head in common"));
    QVERIFY(compareResults(AnyResult(samples::ablation()), AnyResult(samples::ablation())).isOk());
}

QTEST_APPLESS_MAIN(TestCompare)
#include "tst_compare.moc"
