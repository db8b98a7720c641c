#include "core/exporting/reportfindings.h"

#include "core/exporting/numbers.h"
#include "core/exporting/paperreport.h"
#include "core/exporting/rolereport.h"
#include "core/exporting/verdictrules.h"
#include "core/metrics/inference.h"
#include "core/metrics/pairedtests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

namespace headscope {

namespace {

constexpr double kQuiet = 0.05;    ///< of a measurement of speed: a disturbed one cannot show that nothing is gained
constexpr double kAgreement = 0.5; ///< r that "heads matter alike in other domains" asks for

constexpr double kMargin = 0.01; ///< of the full model's score: a loss that is small

constexpr const char *kRedundant = "Most heads are redundant: without any one of them the score falls by at most 1 %";
constexpr const char *kOneHead
    = "In most layers one head is enough: with the best alone the score falls by at most 1 %";
constexpr const char *kOneHeadInAll
    = "In all layers one head is enough: with the best alone the score falls by at most 1 %";
constexpr const char *kAgree = "The values of heads carry over to the other domain (r > 0.5)";
constexpr const char *kLossRule
    = "a loss is small if even the worse end of its 95 % interval is at most 1 % of the full model's score (\"not "
      "significant\" is not enough), real if it is significant and not small, else unknown. ";
constexpr const char *kOrder = "Pruning by importance costs less of the score than by single ablations, and than by "
                               "chance";
constexpr const char *kCross = "Attention from decoder to encoder (cross) depends on its heads most";
constexpr const char *kSpeed = "Without half of its heads the model is faster at large batches";

std::string share(std::int64_t part, std::int64_t whole)
{
    return fmt::format("{} of {} ({})", part, whole,
                       percentText(static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(whole, 1))));
}

/// The loss that the sweep could see: a smaller loss than this may be there for the least certain head.
double widestHalfWidth(const AblationResult &result)
{
    double widest = 0;
    for (const HeadAblation &head : result.heads)
        widest = std::max(widest, (head.interval.high - head.interval.low) / 2);
    return widest;
}

/// Without the head no output changed: its interval is by the rule of three.
bool isSilent(const HeadAblation &head)
{
    return head.changed == 0;
}

/// The verdict that follows.
std::string ruleOfThree(std::int64_t examples)
{
    return fmt::format("at most 3/{} = {} of outputs (95 %, rule of three), not that it changes none", examples,
                       percentText(mostUnseen(examples), 1));
}

/// The smallest p that a bootstrap of so many resamples gives.
double smallestP(std::int64_t resamples)
{
    return 2 / (static_cast<double>(resamples) + 1);
}

/// How many losses of score are small, and how many are real.
struct LossCount
{
    std::int64_t small = 0;
    std::int64_t real = 0;
    std::int64_t all = 0;
    std::int64_t silent = 0; ///< no output changed

    void add(const MetricValue &whole, const HeadAblation &head, std::int64_t examples, bool isSignificant)
    {
        const Loss loss = lossOf(whole.better, head.interval, isSignificant, kMargin * std::abs(whole.value),
                                 mostUnseen(examples), whole.value);
        small += loss == Loss::Small;
        real += loss == Loss::Real;
        silent += isSilent(head);
        ++all;
    }
    std::string text() const
    {
        return fmt::format("small for {}, real for {}, unknown for {}", small, real, all - small - real);
    }
};

/// Sentences on the losses that a sweep of so many examples and resamples could not see.
std::string blindness(const AblationResult &ablation, const LossCount &losses)
{
    const auto heads = std::ssize(ablation.heads);
    std::string text;
    if (smallestP(ablation.resamples) * static_cast<double>(heads) >= kSignificanceLevel)
        text += fmt::format(" No head could pass Holm's correction: {} resamples are too few for {} heads.",
                            ablation.resamples, heads);
    const ScoreText score(ablation.baseline.name);
    if (const double widest = widestHalfWidth(ablation); widest > 0)
        text += fmt::format(" The 95 % intervals of {} examples are up to ±{} {} wide.", ablation.examples,
                            score.number(widest), score.unit());
    if (losses.silent > 0)
        text += fmt::format(" {} heads change none of the {} outputs, which says of each that it changes {}.",
                            share(losses.silent, heads), ablation.examples, ruleOfThree(ablation.examples));
    return text;
}

Finding redundancy(const ReportDomain &domain)
{
    Finding finding{kRedundant, domain.name, "michel-table-1",
                    std::string(kLossRule)
                        + "Holds if it is small for more than half of the heads, does not hold if it is real for half "
                          "or more (after Benjamini-Hochberg)."};
    const AblationResult &ablation = domain.ablation;
    const auto heads = std::ssize(ablation.heads);
    if (heads == 0 || ablation.resamples <= 0)
        return finding.untold("The ablation sweep has no significance tests (no resamples).");
    LossCount losses;
    std::int64_t holm = 0;
    std::int64_t better = 0;
    for (const HeadAblation &head : ablation.heads) {
        const bool worse = isWorse(ablation.baseline.better, head.delta);
        const bool isFound = head.discoveryP.value_or(head.pAdjusted) < kSignificanceLevel;
        losses.add(ablation.baseline, head, ablation.examples, worse && isFound);
        holm += worse && head.pAdjusted < kSignificanceLevel;
        better += !worse && isFound;
    }
    if (allowsVerdict(ablation.examples))
        finding.verdict = mostAreSmall(losses.small, losses.real, losses.all);
    finding.numbers
        = fmt::format("Among {} heads the loss is {}; {} are significant after Holm, too, and without {} the "
                      "score gets significantly better.",
                      heads, losses.text(), holm, better)
        + blindness(ablation, losses);
    return finding;
}

/// The loss of the layer that loses most with its best head alone.
std::string costliest(const BestHeadsResult &best)
{
    const auto gainOf = [&](const BestHead &layer) { return gain(best.baseline.better, layer.reported.delta); };
    const BestHead &worst = *std::ranges::min_element(best.layers, {}, gainOf);
    if (!(gainOf(worst) < 0))
        return "no layer loses anything.";
    const ScoreText text(best.baseline.name);
    return fmt::format("the most that one costs is {} {} ({} layer {}, with {} alone).",
                       text.difference(worst.reported.delta), text.unit(), headKindName(worst.kind), worst.layer,
                       toText(worst.head));
}

/// Tables 2 (most layers) and 3 (all of them).
Finding oneHead(const ReportContents &contents, const ReportDomain &domain, bool inAll)
{
    Finding finding{
        inAll ? kOneHeadInAll : kOneHead, domain.name, inAll ? "michel-table-3" : "michel-table-2",
        std::string(kLossRule)
            + (inAll ? "Holds if it is small for every layer, does not hold if it is real for one."
                     : "Holds if it is small for more than half of the layers, does not hold if it is real for "
                       "half or more.")
            + " Heads chosen on the reported set flatter: then it cannot hold."};
    if (!domain.bestHeads || domain.bestHeads->layers.empty() || domain.allButOne.resamples <= 0)
        return finding.untold("There is no sweep of single heads with significance tests.");
    const BestHeadsResult &best = *domain.bestHeads;
    LossCount losses;
    for (const BestHead &layer : best.layers)
        losses.add(best.baseline, layer.reported, domain.allButOne.examples,
                   isWorse(best.baseline.better, layer.reported.delta) && contents.significance.holds(layer.reported));
    finding.numbers = fmt::format("In {} attention layers the loss of the best head alone is {} (significant: {}); {}",
                                  losses.all, losses.text(), contents.significance.fileText(), costliest(best));
    if (losses.silent > 0)
        finding.numbers
            += fmt::format(" In {} of the layers it changes none of the {} outputs, which says that it "
                           "changes {}.",
                           losses.silent, domain.allButOne.examples, ruleOfThree(domain.allButOne.examples));
    if (best.chosenOnReported)
        finding.numbers += " The heads were chosen on the same set, so these scores are too optimistic; with a "
                           "second data set they would be chosen on it.";
    else
        finding.numbers += fmt::format(" Heads were chosen on {}.", best.chosenOn);
    const Verdict counted = inAll ? allAreSmall(losses.small, losses.real, losses.all)
                                  : mostAreSmall(losses.small, losses.real, losses.all);
    // Flattered heads that are not enough are not enough; flattered ones that are say nothing.
    finding.verdict = best.chosenOnReported && counted == Verdict::Holds ? Verdict::CannotBeTold : counted;
    return finding;
}

std::string correlationText(const char *name, const Correlation &correlation)
{
    const std::string p = pText(correlation.p);
    return fmt::format("{} = {} [{}, {}], p {}{}", name, fixedText(correlation.value, 2),
                       fixedText(correlation.interval.low, 2), fixedText(correlation.interval.high, 2),
                       p.starts_with('<') ? "" : "= ", p);
}

/// How many heads differ significantly between the sets, where that was tested.
std::string differingHeads(const CompareResult &compared, const SignificanceRule &rule)
{
    std::int64_t tested = 0;
    std::int64_t differ = 0;
    for (const HeadDifference &head : compared.heads) {
        tested += head.test.has_value();
        differ += head.test && rule.holds(head.test->p, head.test->pAdjusted, head.test->pDiscovery).value_or(false);
    }
    if (tested == 0)
        return {};
    return fmt::format(" {} heads matter significantly more on one set than on the other ({}).", share(differ, tested),
                       rule.fileText());
}

/// The sets on which no head's delta is significant by itself.
std::string silentDomains(const ReportContents &contents)
{
    const auto isSignificant = [&](const HeadAblation &head) { return contents.significance.holds(head); };
    std::string names;
    for (const ReportDomain &domain : contents.domains) {
        if (std::ranges::none_of(domain.ablation.heads, isSignificant))
            names += (names.empty() ? "" : " and on ") + domain.name;
    }
    return names;
}

Finding agreement(const ReportContents &contents)
{
    Finding finding{
        kAgree,
        {},
        "michel-figure-2",
        "holds if the 95 % interval of Pearson's r over heads lies above 0.5; does not hold if it lies below "
        "and some head's delta is significant on either set."};
    if (!contents.ablationAgreement)
        return finding.untold("There is only one data set.");
    const CompareResult &compared = *contents.ablationAgreement;
    finding.where = compared.a.name + " and " + compared.b.name;
    const Correlation &r = compared.pearson;
    if (std::isnan(r.value))
        return finding.untold("The correlation is not defined: on one of the sets no head makes a difference.");
    finding.numbers = fmt::format("Deltas of {} heads: {}; {}.", compared.heads.size(), correlationText("r", r),
                                  correlationText("ρ", compared.spearman));
    if (compared.pearsonBootstrap)
        finding.numbers
            += fmt::format(" Over resampled heads, r lies in [{}, {}].", fixedText(compared.pearsonBootstrap->low, 2),
                           fixedText(compared.pearsonBootstrap->high, 2));
    finding.numbers += differingHeads(compared, contents.significance);
    // Deltas that are noise correlate with nothing, whatever the heads do.
    const std::string silent = silentDomains(contents);
    if (!silent.empty() && !(r.value > kAgreement))
        finding.numbers += fmt::format(" No head's delta on {} is significant by itself, so a low correlation may be "
                                       "that of noise.",
                                       silent);
    finding.verdict = verdictAbove(r.interval, kAgreement);
    if (finding.verdict == Verdict::DoesNotHold && !silent.empty())
        finding.verdict = Verdict::CannotBeTold;
    return finding;
}

const PruningCurve *curveOf(const ReportDomain &domain, const char *order)
{
    for (const PruningResult &result : domain.pruning) {
        for (const PruningCurve &curve : result.curves) {
            if (curve.order == order)
                return &curve;
        }
    }
    return nullptr;
}

Finding order(const ReportDomain &domain)
{
    Finding finding{
        kOrder, domain.name, "michel-figure-3",
        "by the mean height of the curves: holds if importance is above both others by more than half of the "
        "mean width of its intervals, does not hold if below one of them by as much."};
    const PruningCurve *importance = curveOf(domain, "importance");
    const PruningCurve *ablation = curveOf(domain, "ablation");
    const PruningCurve *random = curveOf(domain, "random");
    if (!importance || !ablation || !random)
        return finding.untold("A curve by importance, one by ablation and random ones are needed.");
    const double height = curveHeight(*importance);
    const double byAblation = curveHeight(*ablation);
    const double byChance = curveHeight(*random);
    if (std::isnan(height + byAblation + byChance))
        return finding.untold("The curves have no heights to compare.");
    const double blur = curveBlur(*importance, *ablation);
    const double chanceBlur = curveBlur(*importance, *random);
    finding.numbers = fmt::format(
        "Mean score over all shares of removed heads, full model = 100 %: importance {}, ablation {}, "
        "random {} (mean of {} orders). ",
        percentText(height, 1), percentText(byAblation, 1), percentText(byChance, 1), random->randomOrders);
    finding.numbers += std::isnan(blur)
                         ? "The curves have no tests against the full model: compute them again."
                         : fmt::format("Differences from ablation below {}, from random orders below {} are within "
                                       "the paired intervals of the two curves (of random orders, their range).",
                                       percentText(blur, 1), percentText(chanceBlur, 1));
    if (importance->chosenOnEvaluated)
        finding.numbers += " Both orders were chosen on the evaluated set itself, so the curves are too "
                           "optimistic.";
    else if (!importance->orderData.empty())
        finding.numbers += fmt::format(" Orders were chosen on {}.", importance->orderData);
    const Better better = domain.pruning.front().better;
    const double lead = gain(better, height - byAblation);
    const double chanceLead = gain(better, height - byChance);
    finding.verdict = verdictOf(lead > blur && chanceLead > chanceBlur, lead < -blur || chanceLead < -chanceBlur);
    return finding;
}

/// The curves that remove heads of one kind only.
std::map<HeadKind, const PruningCurve *> curvesOfKinds(const ReportDomain &domain)
{
    std::map<HeadKind, const PruningCurve *> curves;
    if (domain.kinds) {
        for (const PruningCurve &curve : domain.kinds->curves) {
            if (curve.kinds.size() == 1)
                curves[curve.kinds.front()] = &curve;
        }
    }
    return curves;
}

std::optional<Finding> crossMostSensitive(const ReportDomain &domain, const HeadLayout &layout)
{
    if (!layout.block(HeadKind::Cross))
        return {};
    Finding finding{
        kCross, domain.name, "michel-figure-4",
        "by the mean height of the curves: holds if cross-attention's is below all others by more than half of "
        "the mean width of the widest intervals, does not hold if above one of them by as much."};
    auto curves = curvesOfKinds(domain);
    if (curves.size() < 2 || !curves.contains(HeadKind::Cross))
        return finding.untold("There are no curves kind by kind.");
    const double cross = curveHeight(*curves[HeadKind::Cross]);
    double blur = 0;      // the largest of all comparisons
    bool isFirst = true;  // its curve lies below each of the others by more than blur
    bool isLater = false; // it lies above one by more
    std::string heights;
    std::string ends;
    for (const auto &[kind, curve] : curves) {
        if (kind != HeadKind::Cross) {
            const double lead = gain(domain.kinds->better, curveHeight(*curve) - cross);
            const double own = curveBlur(*curves[HeadKind::Cross], *curve);
            isFirst = isFirst && lead > own;
            isLater = isLater || lead < -own;
            blur = std::isnan(own) ? own : std::max(own, blur);
        }
        heights += fmt::format("{}{} {}", heights.empty() ? "" : ", ", headKindName(kind),
                               percentText(curveHeight(*curve), 1));
        ends += fmt::format("{}{} {}", ends.empty() ? "" : ", ", headKindName(kind),
                            ScoreText(domain.kinds->metric).score(curve->points.back().score));
    }
    finding.numbers = fmt::format("Mean score while the heads of one kind are removed, full model = 100 %: {}. "
                                  "Without any head of the kind: {}. Differences below {} are within the paired "
                                  "intervals of the two curves.",
                                  heights, ends, percentText(blur, 1));
    finding.verdict = verdictOf(isFirst, isLater);
    return finding;
}

/// The rows of a measurement of speed that the claim is about.
struct ComparedSpeeds
{
    const SpeedRow *largest = nullptr; ///< batch, of the model without heads
    const SpeedRow *smallest = nullptr;
    const SpeedRow *masked
        = nullptr; ///< the apparent gain of a change that saves nothing: the noise of the measurement

    explicit ComparedSpeeds(const SpeedResult &result)
    {
        for (const SpeedRow &row : result.rows) {
            if (row.contender == ModelVersion::Masked && (!masked || row.batchSize > masked->batchSize))
                masked = &row;
            if (row.contender != ModelVersion::Removed)
                continue;
            if (!largest || row.batchSize > largest->batchSize)
                largest = &row;
            if (!smallest || row.batchSize < smallest->batchSize)
                smallest = &row;
        }
    }
};

std::string gainText(const SpeedRow &row)
{
    return fmt::format("{} % (quartiles {} to {}) at batches of {}", fixedText(100 * row.gain.median, 1, true),
                       fixedText(100 * row.gain.lower, 1, true), fixedText(100 * row.gain.upper, 1, true),
                       row.batchSize);
}

Finding speed(const ReportContents &contents)
{
    Finding finding{
        kSpeed,
        {},
        "michel-table-4",
        "at the largest batch: holds if the lower quartile of the gain is above what masked heads, which save "
        "nothing, seem to gain or lose; does not hold if the upper quartile is below that, and that is below "
        "5 %."};
    if (!contents.speed)
        return finding.untold("Speed was not measured.");
    const SpeedResult &result = *contents.speed;
    finding.where = result.manifest.data;
    const auto [largest, smallest, masked] = ComparedSpeeds(result);
    if (!largest || std::isnan(largest->gain.median))
        return finding.untold("There is no measurement of the model without heads.");
    finding.numbers = fmt::format("Without {} of {} heads, examples per second change by {}{}; {}, {} repeats on {} "
                                  "threads.",
                                  result.heads - result.headsLeft, result.heads, gainText(*largest),
                                  smallest == largest ? "" : ", and by " + gainText(*smallest), result.manifest.device,
                                  largest->seconds.size(), result.threads);
    double noise = 0;
    if (masked && masked->batchSize == largest->batchSize && !std::isnan(masked->gain.upper)) {
        noise = std::max(std::abs(masked->gain.lower), std::abs(masked->gain.upper));
        finding.numbers += fmt::format(" Masked heads, which save nothing, seem to change it by up to {} % at "
                                       "batches of {}: the measurement noise of this machine.",
                                       fixedText(100 * noise, 1), masked->batchSize);
    }
    finding.verdict = verdictOf(largest->gain.lower > noise, largest->gain.upper < noise && noise < kQuiet);
    return finding;
}

} // namespace

Finding Finding::untold(std::string missing) const
{
    return {claim, where, item, rule, Verdict::CannotBeTold, std::move(missing)};
}

const char *toText(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Holds:
        return "holds";
    case Verdict::DoesNotHold:
        return "does not hold";
    case Verdict::CannotBeTold:
        break;
    }
    return "cannot be told";
}

Json toJson(const std::vector<Finding> &findings)
{
    Json json = Json::array();
    for (const Finding &finding : findings)
        json.push_back({{"claim", finding.claim},
                        {"data", finding.where},
                        {"verdict", toText(finding.verdict)},
                        {"numbers", finding.numbers},
                        {"item", finding.item},
                        {"rule", finding.rule}});
    return json;
}

double curveHeight(const PruningCurve &curve)
{
    const auto &points = curve.points;
    if (points.size() < 2 || points.front().score == 0 || points.back().fraction == points.front().fraction)
        return std::numeric_limits<double>::quiet_NaN();
    double area = 0;
    for (std::size_t i = 1; i < points.size(); ++i)
        area += (points[i].score + points[i - 1].score) / 2 * (points[i].fraction - points[i - 1].fraction);
    return area / (points.back().fraction - points.front().fraction) / points.front().score;
}

double curveBlur(const PruningCurve &a, const PruningCurve &b)
{
    const auto meanHalfWidth = [](const PruningCurve &curve) {
        if (curve.points.empty() || curve.points.front().score == 0)
            return std::numeric_limits<double>::quiet_NaN();
        double sum = 0;
        for (const PruningPoint &point : curve.points) {
            const Interval unknown{0, std::numeric_limits<double>::quiet_NaN()};
            const Interval &of = curve.randomOrders > 0 ? point.interval
                               : point.paired           ? point.paired->interval
                                                        : unknown;
            sum += (of.high - of.low) / 2;
        }
        return sum / static_cast<double>(curve.points.size()) / std::abs(curve.points.front().score);
    };
    return std::hypot(meanHalfWidth(a), meanHalfWidth(b));
}

std::vector<Finding> findingsOf(const ReportContents &contents)
{
    std::vector<Finding> findings;
    for (const ReportDomain &domain : contents.domains)
        findings.push_back(redundancy(domain));
    for (const ReportDomain &domain : contents.domains) {
        findings.push_back(oneHead(contents, domain, false));
        findings.push_back(oneHead(contents, domain, true));
    }
    findings.push_back(agreement(contents));
    for (const ReportDomain &domain : contents.domains)
        findings.push_back(order(domain));
    for (const ReportDomain &domain : contents.domains) {
        if (auto finding = crossMostSensitive(domain, contents.layout))
            findings.push_back(std::move(*finding));
    }
    findings.push_back(speed(contents));
    for (const ReportDomain &domain : contents.domains)
        std::ranges::move(roleFindings(domain), std::back_inserter(findings));
    if (contents.dynamics)
        findings.push_back(trainingFinding(*contents.dynamics));
    for (const ReportDomain &domain : contents.domains)
        std::ranges::move(paperFindings(domain), std::back_inserter(findings));
    if (contents.energy)
        findings.push_back(energyFinding(*contents.energy));
    return findings;
}

} // namespace headscope
