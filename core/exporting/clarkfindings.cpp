#include "core/exporting/clarkfindings.h"

#include "core/base/random.h"
#include "core/exporting/numbers.h"
#include "core/exporting/verdictrules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace headscope {
namespace {

constexpr double kMoreThanHalf = 0.5;  ///< of a head's attention
constexpr double kNegligible = 0.1;    ///< of the other layers' entropy: less is no "more broadly"
constexpr double kHalfAsMuch = 0.5;    ///< of the gradient by a word
constexpr double kLittleNearer = 0.25; ///< of the way from chance to "always": less is no neighbourhood
constexpr int kPermutations = 2000;
constexpr std::uint64_t kPermutationSeed = 2019;
constexpr std::array kSelfKinds{HeadKind::Encoder, HeadKind::Decoder};

std::string intervalText(const Interval &interval, int decimals)
{
    return fmt::format("[{}, {}]", fixedText(interval.low, decimals), fixedText(interval.high, decimals));
}

std::string shareText(double share, const Interval &interval)
{
    return fmt::format("{} [{}, {}]", percentText(share, 1), percentText(interval.low, 1),
                       percentText(interval.high, 1));
}

std::string inKind(HeadKind kind)
{
    return fmt::format("In {} self-attention ", headKindName(kind));
}

std::vector<const HeadSurface *> headsOfKind(const SimilarityResult &similarity, HeadKind kind)
{
    std::vector<const HeadSurface *> heads;
    for (const HeadSurface &head : similarity.heads) {
        if (head.head.kind == kind)
            heads.push_back(&head);
    }
    return heads;
}

int layersOf(const std::vector<const HeadSurface *> &heads)
{
    int layers = 0;
    for (const HeadSurface *head : heads)
        layers = std::max(layers, head->head.layer + 1);
    return layers;
}

/// Figure 2, above.
Finding neighbours(const ReportDomain &domain, HeadKind kind, const std::vector<const HeadSurface *> &heads)
{
    Finding finding{
        inKind(kind) + "some heads give more than half of their attention to the previous or next token", domain.name,
        "clark-figure-2",
        "holds if the 95 % interval of some head's share lies above a half; does not hold if that of every "
        "head lies below. Intervals are those of a mean over the examples of numbers from 0 to 1 (Wilson)."};
    std::int64_t above = 0;
    bool allBelow = true;
    const HeadSurface *most = nullptr;
    const auto largest
        = [](const HeadSurface &head) { return std::max(head.previous.value_or(0), head.next.value_or(0)); };
    for (const HeadSurface *head : heads) {
        const Verdict verdict = verdictAbove(shareInterval(largest(*head), domain.similarity->examples), kMoreThanHalf);
        above += verdict == Verdict::Holds;
        allBelow = allBelow && verdict == Verdict::DoesNotHold;
        if (!most || largest(*head) > largest(*most))
            most = head;
    }
    finding.verdict = verdictOf(above > 0, allBelow);
    const Interval interval = shareInterval(largest(*most), domain.similarity->examples);
    finding.numbers = fmt::format("{} of {} heads do; the most has {}: {} of {} examples.", above, heads.size(),
                                  toText(most->head), shareText(largest(*most), interval), domain.similarity->examples);
    return finding;
}

/// Figure 2, middle: [SEP] is a special token other than the one that starts the text.
Finding separators(const ReportDomain &domain, HeadKind kind, const std::vector<const HeadSurface *> &heads)
{
    Finding finding{inKind(kind) + "more than half of the attention of the middle layers goes to separators ([SEP])",
                    domain.name, "clark-figure-2",
                    "middle layers: those from 5/12 to 10/12 of the depth (6 to 10 of BERT's 12). Holds if the 95 % "
                    "interval of their heads' mean lies above a half, does not hold if below; the text's first token "
                    "and punctuation do not count."};
    const int layers = layersOf(heads);
    double sum = 0;
    std::int64_t count = 0;
    for (const HeadSurface *head : heads) {
        const bool isMiddle = 12 * head->head.layer >= 5 * layers && 12 * head->head.layer < 10 * layers;
        if (isMiddle && head->delimiter) {
            sum += *head->delimiter;
            ++count;
        }
    }
    if (count == 0)
        return finding.untold("The texts have no separators there, or the model has too few layers.");
    const double mean = sum / static_cast<double>(count);
    const Interval interval = shareInterval(mean, domain.similarity->examples);
    finding.verdict = verdictAbove(interval, kMoreThanHalf);
    finding.numbers = fmt::format("Mean of {} heads of the middle of {} layers: {} of {} examples.", count, layers,
                                  shareText(mean, interval), domain.similarity->examples);
    return finding;
}

/// Figure 4.
Finding broadHeads(const ReportDomain &domain, HeadKind kind, const std::vector<const HeadSurface *> &heads)
{
    Finding finding{
        inKind(kind) + "heads of the first two layers attend more broadly than those of the others", domain.name,
        "clark-figure-4",
        "by the mean entropy over heads: holds if the 95 % interval of the difference (Welch) lies above 0; "
        "does not hold if it lies below a tenth of the others' mean."};
    std::vector<double> low;
    std::vector<double> high;
    for (const HeadSurface *head : heads)
        (head->head.layer < 2 ? low : high).push_back(head->entropy);
    const Interval difference = meanDifference(low, high);
    if (std::isnan(difference.low))
        return finding.untold("The model has no more than two layers, or too few heads.");
    double others = 0;
    for (const double entropy : high)
        others += entropy / static_cast<double>(high.size());
    const double middle = (difference.low + difference.high) / 2;
    finding.verdict = verdictOf(difference.low > 0, difference.high < kNegligible * others);
    finding.numbers = fmt::format("Mean entropy {} nats of {} heads against {} of {}: {} {}.",
                                  fixedText(others + middle, 2), low.size(), fixedText(others, 2), high.size(),
                                  fixedText(middle, 2, true), intervalText(difference, 2));
    return finding;
}

/// The head that attends most like each of a kind's.
std::vector<std::size_t> nearestHeads(const KindSimilarity &kind)
{
    const std::size_t heads = kind.heads.size();
    std::vector<std::size_t> nearest;
    for (std::size_t i = 0; i < heads; ++i) {
        std::size_t best = i == 0 ? 1 : 0;
        for (std::size_t j = 0; j < heads; ++j) {
            if (j != i && kind.divergences.at(i, j) < kind.divergences.at(i, best))
                best = j;
        }
        nearest.push_back(best);
    }
    return nearest;
}

/// How many heads have their nearest one in their layer.
std::int64_t nearestInLayer(const std::vector<std::size_t> &nearest, const std::vector<int> &layers)
{
    std::int64_t same = 0;
    for (std::size_t i = 0; i < nearest.size(); ++i)
        same += layers[nearest[i]] == layers[i];
    return same;
}

/// Figure 6.
std::optional<Finding> layerNeighbours(const ReportDomain &domain, const KindSimilarity &kind)
{
    std::vector<int> layers;
    for (const HeadRef &head : kind.heads)
        layers.push_back(head.layer);
    const std::size_t heads = layers.size();
    if (heads < 3 || std::ranges::count(layers, layers.front()) == std::ssize(layers))
        return {};
    Finding finding{fmt::format("Heads of {} attention attend like others of their layer", headKindName(kind.kind)),
                    domain.name, "clark-figure-6",
                    fmt::format("by how often the nearest head is of the same layer, as a share of the way from chance "
                                "to always; its 95 % interval is that of {} permutations of the layers. Holds if the "
                                "interval lies above 0, does not hold if it lies below a quarter.",
                                kPermutations)};
    const std::vector<std::size_t> nearest = nearestHeads(kind);
    const auto same = static_cast<double>(nearestInLayer(nearest, layers));
    double sum = 0;
    double squares = 0;
    Random random(kPermutationSeed);
    for (int i = 0; i < kPermutations; ++i) {
        shuffle(layers, random);
        const auto found = static_cast<double>(nearestInLayer(nearest, layers));
        sum += found;
        squares += found * found;
    }
    const double chance = sum / kPermutations;
    const double deviation = std::sqrt(std::max(0.0, squares / kPermutations - chance * chance));
    const auto all = static_cast<double>(heads);
    const double excess = (same - chance) / (all - chance);
    const double half = 1.96 * deviation / (all - chance);
    finding.verdict = verdictOf(excess - half > 0, excess + half < kLittleNearer);
    finding.numbers = fmt::format("It is for {} of {} heads ({}; by chance {}): {} of the way {}.", same, heads,
                                  percentText(same / all), percentText(chance / all), fixedText(excess, 2),
                                  intervalText({excess - half, excess + half}, 2));
    return finding;
}

/// The mean over heads of a layer's gradients, and how well it is known: standard errors of heads on the same examples
/// are taken to go together.
struct MeanGradient
{
    double sum = 0;
    double errors = 0;
    std::int64_t heads = 0;

    void add(const KeyGradient &of)
    {
        sum += of.gradient;
        errors += of.standardError;
        ++heads;
    }
    double value() const { return sum / static_cast<double>(heads); }
    double relativeError() const { return sum > 0 ? errors / sum : std::numeric_limits<double>::quiet_NaN(); }
};

/// Figure 3.
std::optional<Finding> gradientOfSeparators(const ReportDomain &domain, HeadKind kind)
{
    Finding finding{inKind(kind)
                        + "the loss of the later half of the layers follows a weight on a separator ([SEP]) less than "
                          "half as much as one on a word",
                    domain.name, "clark-figure-3",
                    "by the ratio of the mean absolute gradients there: holds if its 95 % interval lies below a half, "
                    "does not hold if above. The text's first token does not count."};
    int last = -1;
    for (const HeadKeyGradients &head : domain.gradients->heads)
        last = head.head.kind == kind ? std::max(last, head.head.layer) : last;
    if (last < 0)
        return {};
    MeanGradient separator;
    MeanGradient word;
    for (const HeadKeyGradients &head : domain.gradients->heads) {
        if (head.head.kind != kind || 2 * head.head.layer <= last)
            continue;
        for (const KeyGradient &of : head.keys) {
            if (of.keys == KeyClass::Delimiter)
                separator.add(of);
            else if (of.keys == KeyClass::Other)
                word.add(of);
        }
    }
    if (separator.heads == 0 || word.heads == 0 || word.sum == 0)
        return finding.untold("There are too few layers, or the texts have no separators.");
    const double ratio = separator.value() / word.value();
    const double error = std::hypot(separator.relativeError(), word.relativeError()); // of its logarithm
    const Interval interval{ratio * std::exp(-1.96 * error), ratio * std::exp(1.96 * error)};
    finding.verdict = verdictOf(separator.sum == 0 || interval.high < kHalfAsMuch, kHalfAsMuch < interval.low);
    finding.numbers = fmt::format("The gradient by separators is {} times that by words there {}, of {} examples.",
                                  fixedText(ratio, 2), intervalText(interval, 2), domain.gradients->examples);
    return finding;
}

} // namespace

std::vector<Finding> clarkFindings(const ReportDomain &domain)
{
    std::vector<Finding> findings;
    for (const HeadKind kind : kSelfKinds) {
        const auto heads
            = domain.similarity ? headsOfKind(*domain.similarity, kind) : std::vector<const HeadSurface *>();
        if (!heads.empty()) {
            findings.push_back(neighbours(domain, kind, heads));
            findings.push_back(separators(domain, kind, heads));
            findings.push_back(broadHeads(domain, kind, heads));
        }
        if (domain.gradients) {
            if (auto finding = gradientOfSeparators(domain, kind))
                findings.push_back(std::move(*finding));
        }
    }
    if (domain.similarity) {
        for (const KindSimilarity &kind : domain.similarity->kinds) {
            if (auto finding = layerNeighbours(domain, kind))
                findings.push_back(std::move(*finding));
        }
    }
    return findings;
}

} // namespace headscope
