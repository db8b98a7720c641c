// Verdicts on the claims of Clark et al.: each with a case that bears the claim out, one that does not, and one of
// which nothing can be told; kinds of attention are not mixed.
#include "core/exporting/clarkfindings.h"
#include "core/exporting/paperreport.h"
#include "core/exporting/verdictrules.h"

#include <QTest>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace headscope;

namespace {

constexpr int kLayers = 12;
constexpr int kHeads = 4;

/// Twelve layers of four heads of each kind, as `change` has them.
ReportDomain domainOf(std::int64_t examples, const std::vector<HeadKind> &kinds,
                      const std::function<void(HeadSurface &)> &change)
{
    ReportDomain domain;
    domain.name = "dev";
    domain.similarity.emplace();
    domain.similarity->examples = examples;
    for (const HeadKind kind : kinds) {
        for (int layer = 0; layer < kLayers; ++layer) {
            for (int head = 0; head < kHeads; ++head) {
                HeadSurface surface;
                surface.head = {kind, layer, head};
                surface.entropy = 2 + 0.1 * head;
                surface.previous = surface.next = surface.delimiter = 0.1;
                change(surface);
                domain.similarity->heads.push_back(surface);
            }
        }
    }
    return domain;
}

const Finding *findingOf(const std::vector<Finding> &findings, std::string_view words, std::string_view kind)
{
    for (const Finding &finding : findings) {
        if (finding.claim.find(words) != std::string::npos && finding.claim.find(kind) != std::string::npos)
            return &finding;
    }
    return nullptr;
}

Verdict verdictOn(const ReportDomain &domain, std::string_view words, std::string_view kind = "encoder")
{
    const auto findings = clarkFindings(domain);
    const Finding *finding = findingOf(findings, words, kind);
    if (finding == nullptr)
        qFatal("there is no such finding");
    return finding->verdict;
}

/// A kind whose heads i and j are as far apart as `distance` says.
KindSimilarity kindOf(int layers, int heads, const std::function<double(HeadRef, HeadRef)> &distance)
{
    KindSimilarity kind;
    for (int layer = 0; layer < layers; ++layer) {
        for (int head = 0; head < heads; ++head)
            kind.heads.push_back({HeadKind::Encoder, layer, head});
    }
    kind.divergences = PairTable(kind.heads.size());
    for (std::size_t i = 0; i < kind.heads.size(); ++i) {
        for (std::size_t j = i + 1; j < kind.heads.size(); ++j)
            kind.divergences.at(i, j) = distance(kind.heads[i], kind.heads[j]);
    }
    return kind;
}

/// Of one kind: gradients by separators and by words, with their standard errors.
ReportDomain gradientsOf(double separator, double word, double error)
{
    ReportDomain domain;
    domain.gradients.emplace();
    for (int layer = 0; layer < kLayers; ++layer) {
        const double early = layer < kLayers / 2 ? 5 : 1; // only the later half counts
        domain.gradients->heads.push_back({{HeadKind::Encoder, layer, 0},
                                           {{KeyClass::First, 0.1, 9, error, 0},
                                            {KeyClass::Delimiter, 0.1, early * separator, error, 0},
                                            {KeyClass::Other, 0.1, word, error, 0}}});
    }
    return domain;
}

} // namespace

class TestClarkFindings final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void neighboursNeedTheirInterval()
    {
        const auto at = [](double share, std::int64_t examples) {
            return verdictOn(domainOf(examples, {HeadKind::Encoder},
                                      [&](HeadSurface &head) {
                                          if (head.head.layer == 3 && head.head.head == 1)
                                              head.next = share;
                                      }),
                             "previous or next");
        };
        QCOMPARE(at(0.6, 500), Verdict::Holds);
        QCOMPARE(at(0.6, 30), Verdict::CannotBeTold); // 30 examples do not make it hold
        QCOMPARE(at(0.4, 500), Verdict::DoesNotHold);
        QCOMPARE(at(0.4, 30), Verdict::CannotBeTold);
    }

    void separatorsAreNeitherFirstTokensNorPunctuation()
    {
        const auto at = [](double share, std::int64_t examples) {
            return verdictOn(domainOf(examples, {HeadKind::Encoder},
                                      [&](HeadSurface &head) {
                                          const bool middle = head.head.layer >= 5 && head.head.layer < 10;
                                          head.delimiter = middle ? share : 0.01;
                                          head.first = head.punctuation = 0.3;
                                      }),
                             "separators");
        };
        QCOMPARE(at(0.7, 500), Verdict::Holds);
        QCOMPARE(at(0.3, 500), Verdict::DoesNotHold); // with first token and punctuation it would be 0.9
        QCOMPARE(at(0.52, 500), Verdict::CannotBeTold);
        const auto none = domainOf(500, {HeadKind::Encoder}, [](HeadSurface &head) { head.delimiter.reset(); });
        QCOMPARE(verdictOn(none, "separators"), Verdict::CannotBeTold);
    }

    void kindsOfAttentionAreNotMixed()
    {
        // Encoder: low layers as broad as the others. Cross-attention and the decoder's two layers: far narrower.
        const auto mixed
            = domainOf(500, {HeadKind::Encoder, HeadKind::Cross, HeadKind::Decoder}, [](HeadSurface &head) {
                  if (head.head.kind != HeadKind::Encoder)
                      head.entropy = head.head.layer < 2 ? 3 + 0.1 * head.head.head : 1;
              });
        QCOMPARE(verdictOn(mixed, "more broadly", "encoder"), Verdict::DoesNotHold);
        QCOMPARE(verdictOn(mixed, "more broadly", "decoder"), Verdict::Holds);
        QVERIFY(findingOf(clarkFindings(mixed), "more broadly", "cross") == nullptr);
    }

    void broadHeadsNeedMoreThanScatter()
    {
        const auto at = [](double more, double scatter) {
            return verdictOn(domainOf(500, {HeadKind::Encoder},
                                      [&](HeadSurface &head) {
                                          head.entropy = 2 + (head.head.layer < 2 ? more : 0)
                                                       + scatter * (head.head.head % 2 == 0 ? 1 : -1);
                                      }),
                             "more broadly");
        };
        QCOMPARE(at(1, 0.2), Verdict::Holds);
        QCOMPARE(at(0, 0.05), Verdict::DoesNotHold);
        QCOMPARE(at(0, 1), Verdict::CannotBeTold);
        QCOMPARE(at(0.3, 1), Verdict::CannotBeTold);
    }

    void gradientsNeedTheirInterval()
    {
        QCOMPARE(verdictOn(gradientsOf(0.2, 1, 0.01), "later half"), Verdict::Holds);
        QCOMPARE(verdictOn(gradientsOf(0.9, 1, 0.01), "later half"), Verdict::DoesNotHold);
        QCOMPARE(verdictOn(gradientsOf(0.4, 1, 0.2), "later half"), Verdict::CannotBeTold);
        ReportDomain none = gradientsOf(0.2, 1, 0.01);
        for (HeadKeyGradients &head : none.gradients->heads)
            head.keys.erase(head.keys.begin() + 1);
        QCOMPARE(verdictOn(none, "later half"), Verdict::CannotBeTold);
    }

    /// Also where a layer has so many of the heads that twice chance could not be.
    void neighboursOfALayerAreComparedWithChance()
    {
        const auto verdict = [](int layers, int heads, const std::function<double(HeadRef, HeadRef)> &distance) {
            SimilarityResult similarity;
            similarity.kinds = {kindOf(layers, heads, distance)};
            ReportDomain domain;
            domain.similarity = std::move(similarity);
            return verdictOn(domain, "of their layer");
        };
        const auto near = [](HeadRef a, HeadRef b) { return a.layer == b.layer ? 0.1 : 0.5; };
        QCOMPARE(verdict(12, 12, near), Verdict::Holds);
        QCOMPARE(verdict(2, 8, near), Verdict::Holds); // chance: 7 of 15
        const auto far = [](HeadRef a, HeadRef b) { return a.layer == b.layer ? 0.5 : 0.1; };
        QCOMPARE(verdict(12, 12, far), Verdict::DoesNotHold);
        // Nearness by something that has no part in layers, of few heads
        const auto other = [](HeadRef a, HeadRef b) {
            return std::abs(std::sin(7.1 * a.layer + 3.3 * a.head) - std::sin(7.1 * b.layer + 3.3 * b.head));
        };
        QCOMPARE(verdict(2, 3, other), Verdict::CannotBeTold);
    }

    void energyIsAThird()
    {
        EnergyResult energy;
        HeadEnergy head;
        EnergyCurve curve;
        curve.matrix = EnergyMatrix::Product;
        curve.energy = {0.5, 0.6, 0.7, 0.8, 0.9, 0.92, 0.94, 0.96, 0.98, 1};
        curve.for99 = 10;
        head.curves = {curve};
        energy.heads = {head};
        const auto at = [&](double share90, double share95) {
            energy.share90 = share90;
            energy.share95 = share95;
            return energyFinding(energy).verdict;
        };
        QCOMPARE(at(0.2, 0.3), Verdict::Holds);
        QCOMPARE(at(0.45, 0.5), Verdict::DoesNotHold); // half is not a third
        QCOMPARE(at(0.3, 0.4), Verdict::CannotBeTold);
        energy.heads.front().curves.front().for99 = 4;
        QCOMPARE(at(0.2, 0.3), Verdict::DoesNotHold); // a head by itself is of low rank
    }

    void rulesArePrinted()
    {
        const auto all = domainOf(500, {HeadKind::Encoder}, [](HeadSurface &) {});
        for (const Finding &finding : clarkFindings(all))
            QVERIFY2(!finding.rule.empty() && !finding.numbers.empty(), finding.claim.c_str());
    }

    void intervalsAreThoseOfTextbooks()
    {
        // Wilson: 15 of 50; Brown, Cai and DasGupta 2001.
        const Interval share = shareInterval(0.3, 50);
        QVERIFY(std::abs(share.low - 0.1910) < 5e-4 && std::abs(share.high - 0.4375) < 5e-4);
        QCOMPARE(shareInterval(0.3, 0), (Interval{0, 1}));
        // Welch: means 2 and 5, variances of the mean 1/3 each, 4 degrees of freedom, t = 2.776.
        const Interval difference = meanDifference({1, 2, 3}, {4, 5, 6});
        QVERIFY(std::abs(difference.high - (-3 + 2.776 * std::sqrt(2.0 / 3))) < 0.01);
        QVERIFY(std::isnan(meanDifference({1}, {2, 3}).low));
        QCOMPARE(lossOf(Better::Lower, {0.2, 0.4}, true, 0.1, 0, 5), Loss::Real);
        QCOMPARE(lossOf(Better::Higher, {0.2, 0.4}, true, 0.1, 0, 5), Loss::Small);
        QCOMPARE(lossOf(Better::Higher, {0, 0}, false, 0.1, 0.5, 5), Loss::Unknown);
    }
};

QTEST_APPLESS_MAIN(TestClarkFindings)
#include "tst_clarkfindings.moc"
