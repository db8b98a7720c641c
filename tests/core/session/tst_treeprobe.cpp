// The probe that reads trees off attention: it learns a structure that was planted, and nothing where there is none.
#include "core/analysis/treeprobe.h"
#include "core/base/random.h"

#include <QTest>

#include <torch/types.h>

#include <cmath>
#include <vector>

using namespace headscope;

namespace {

constexpr std::int64_t kWords = 8;
constexpr std::int64_t kFeatures = 6;
constexpr std::int64_t kWidth = 4;

enum class Planted { Nothing, InOneFeature, InTwoByWord };

/// A random tree, features of noise, and what is planted: in feature 2, or in feature 2 for words of one class and in
/// feature 4, for words of the other.
ProbeSentence sentence(Random &random, Planted planted)
{
    ProbeSentence made{torch::zeros({kFeatures, kWords, kWords}),
                       torch::zeros({2, kWords}),
                       torch::zeros({kWords, kWidth}),
                       {},
                       torch::ones({kWords}, torch::kBool)};
    auto features = made.features.accessor<float, 3>();
    auto words = made.words.accessor<float, 2>();
    auto roots = made.rootFeatures.accessor<float, 2>();
    std::vector<std::int64_t> heads;
    const auto root = static_cast<std::int64_t>(random.below(kWords));
    for (std::int64_t j = 0; j < kWords; ++j) {
        std::int64_t head = root;
        while (j != root && (head == j || random.below(2) == 0))
            head = static_cast<std::int64_t>(random.below(kWords));
        const auto category = static_cast<std::int64_t>(random.below(2));
        words[j][category] = 1;
        heads.push_back(j == root ? kWords : head);
        for (std::int64_t k = 0; k < kFeatures; ++k) {
            for (std::int64_t i = 0; i < kWords; ++i)
                features[k][i][j] = static_cast<float>(0.3 * random.uniform());
        }
        if (planted == Planted::Nothing)
            continue;
        if (j == root) {
            roots[0][j] = 1;
            continue;
        }
        features[2][head][j] += planted == Planted::InOneFeature || category == 0 ? 0.6F : 0.0F;
        if (planted == Planted::InTwoByWord) { // the other feature says something wrong
            features[4][category == 1 ? head : (head + 1) % kWords][j] += 0.6F;
            features[2][(head + 2) % kWords][j] += category == 1 ? 0.6F : 0.0F;
        }
    }
    made.heads = torch::tensor(heads, torch::kInt64);
    return made;
}

double accuracy(const TreeProbe &probe, Planted planted)
{
    Random random(99);
    double hits = 0;
    constexpr int kSentences = 200;
    for (int i = 0; i < kSentences; ++i) {
        const ProbeSentence one = sentence(random, planted);
        hits += probe.guess(one).eq(one.heads).sum().item<double>();
    }
    return hits / (kSentences * kWords);
}

TreeProbe trained(Planted planted, std::int64_t wordWidth, int sentences = 600)
{
    TreeProbe probe(kFeatures, 2, wordWidth, 0.05);
    Random random(5);
    for (int i = 0; i < sentences; ++i)
        (void)probe.learn(sentence(random, planted));
    return probe;
}

} // namespace

class TestTreeProbe : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void plantedStructureIsLearnt()
    {
        const TreeProbe probe = trained(Planted::InOneFeature, 0);
        QVERIFY2(accuracy(probe, Planted::InOneFeature) > 0.97,
                 qPrintable(QString::number(accuracy(probe, Planted::InOneFeature))));
        QCOMPARE(probe.weights().argmax().item<std::int64_t>(), 2);
        QVERIFY(probe.rootWeights()[0].item<double>() > 1);
        QCOMPARE(probe.weightCount(), kFeatures + 2);
    }

    void noiseTeachesNothing()
    {
        const double found = accuracy(trained(Planted::Nothing, kWidth), Planted::Nothing);
        QVERIFY2(found < 0.3, qPrintable(QString::number(found))); // of 8 choices; the root is likelier than others
    }

    void wordsSayWhichFeatureCounts()
    {
        const double without = accuracy(trained(Planted::InTwoByWord, 0), Planted::InTwoByWord);
        const double with = accuracy(trained(Planted::InTwoByWord, kWidth), Planted::InTwoByWord);
        QVERIFY2(with > 0.95, qPrintable(QString::number(with)));
        QVERIFY2(with > without + 0.1, qPrintable(QString::number(without)));
    }

    // With a weight for one feature alone, the guess is its largest entry beside the word itself.
    void oneFeatureIsItsLargestEntry()
    {
        TreeProbe probe(1, 1, 0, 0.05);
        ProbeSentence one{torch::tensor({0.9F, 0.1F, 0.2F, 0.3F, 0.8F, 0.7F, 0.1F, 0.4F, 0.9F}).view({1, 3, 3}),
                          torch::full({1, 3}, -1.0F),
                          {},
                          torch::tensor({1, 2, 1}, torch::kInt64),
                          torch::ones({3}, torch::kBool)};
        for (int i = 0; i < 50; ++i)
            (void)probe.learn(one);
        QVERIFY(probe.weights()[0].item<double>() > 0);
        QVERIFY(torch::equal(probe.guess(one), torch::tensor({1, 2, 1}, torch::kInt64)));
    }

    // The loss of weights of zero is ln of the number of choices, and heads that are not known do not count.
    void lossBeginsAtChance()
    {
        Random random(3);
        ProbeSentence one = sentence(random, Planted::Nothing);
        TreeProbe probe(kFeatures, 2, 0, 0.05);
        QVERIFY(std::abs(TreeProbe(kFeatures, 2, 0, 0.05).learn(one) - std::log(static_cast<double>(kWords))) < 1e-5);
        one.heads[0] = -1;
        QVERIFY(std::abs(probe.learn(one) - std::log(static_cast<double>(kWords))) < 1e-5);
    }
};

QTEST_APPLESS_MAIN(TestTreeProbe)
#include "tst_treeprobe.moc"
