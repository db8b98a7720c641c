#include "ui/models/gridcontent.h"

#include "core/metrics/pairedtests.h"
#include "core/results/compare.h"
#include "core/results/meaninterval.h"
#include "ui/models/numbertext.h"
#include "ui/models/roletext.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <set>

namespace headscope {

namespace {
struct GridContentWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::GridContent)
};

/// Rank 1 is the head with the largest weight.
template<typename Weight>
void rankBy(GridContent &content, Weight weight)
{
    if (!content.comparable)
        return;
    std::vector<HeadCell *> order;
    for (HeadCell &cell : content.cells) {
        if (cell.value)
            order.push_back(&cell);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](const HeadCell *a, const HeadCell *b) { return weight(*a) > weight(*b); });
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i]->rank = static_cast<int>(i) + 1;
}

HeadCell *cellOf(GridContent &content, const HeadRef &head)
{
    const auto index = content.layout.indexOf(head);
    return index < 0 ? nullptr : &content.cells[static_cast<std::size_t>(index)];
}

/// Where there is no interval, nothing was tested.
template<typename Entry>
void showTest(HeadCell &cell, const Entry &entry, const Significance &by)
{
    if (!std::isfinite(entry.interval.low) || !std::isfinite(entry.interval.high))
        return;
    cell.interval = entry.interval;
    cell.p = entry.p;
    cell.discoveryP = entry.discoveryP;
    cell.significant = by.holds(cell.p, cell.pAdjusted, cell.discoveryP);
}

/// Heads that were measured together have one value.
void showTogether(GridContent &content, const HeadCell &shown, const std::vector<HeadRef> &together)
{
    for (const HeadRef &head : together) {
        if (HeadCell *cell = cellOf(content, head)) {
            *cell = shown;
            cell->head = head;
        }
    }
}

} // namespace

const HeadCell *GridContent::cell(const HeadRef &head) const
{
    const auto index = layout.indexOf(byKeyGroup ? firstOfGroup(layout, head) : head);
    return index < 0 ? nullptr : &cells[static_cast<std::size_t>(index)];
}

std::vector<HeadRef> GridContent::headsOf(const HeadCell &cell)
{
    std::vector<HeadRef> heads{cell.head};
    heads.insert(heads.end(), cell.others.begin(), cell.others.end());
    return heads;
}

std::set<HeadRef> GridContent::whole(const std::vector<HeadRef> &heads) const
{
    std::set<HeadRef> all(heads.begin(), heads.end());
    for (const HeadRef &head : heads) {
        if (const HeadCell *shown = byKeyGroup ? cell(head) : nullptr) {
            const auto own = headsOf(*shown);
            all.insert(own.begin(), own.end());
        }
    }
    return all;
}

QString GridContent::nameOf(const HeadCell &cell)
{
    const QString first = QString::fromStdString(toText(cell.head));
    return cell.others.empty() ? first : QStringLiteral("%1–%2").arg(first).arg(cell.others.back().head);
}

QString GridContent::groupText(const HeadCell &cell) const
{
    const HeadLayout::Block *block = byKeyGroup ? layout.block(cell.head.kind) : nullptr;
    if (!block || cell.others.empty())
        return {};
    const std::vector<int> &firsts = block->layers[static_cast<std::size_t>(cell.head.layer)];
    const auto group = std::ranges::find(firsts, cell.head.head) - firsts.begin();
    return GridContentWords::tr("heads %1–%2 share key group %3")
        .arg(countText(cell.head.head), countText(cell.others.back().head), countText(group));
}

HeadRef firstOfGroup(const HeadLayout &firsts, HeadRef head)
{
    HeadRef first = head;
    while (first.head >= 0 && !firsts.contains(first))
        --first.head;
    return first.head >= 0 ? first : head;
}

void addGroups(GridContent &content, const HeadLayout &heads)
{
    content.byKeyGroup = true;
    for (const HeadRef &head : heads.heads()) {
        const HeadRef first = firstOfGroup(content.layout, head);
        const auto index = content.layout.indexOf(first);
        if (index >= 0 && first != head)
            content.cells[static_cast<std::size_t>(index)].others.push_back(head);
    }
}

std::int64_t GridContent::significantCount() const
{
    return std::count_if(cells.begin(), cells.end(),
                         [](const HeadCell &cell) { return cell.significant.value_or(false); });
}

std::int64_t GridContent::valueCount() const
{
    return std::count_if(cells.begin(), cells.end(), [](const HeadCell &cell) { return cell.value.has_value(); });
}

namespace {
QString countOf(std::int64_t examples, std::int64_t total, bool partial)
{
    return partial && examples < total
             ? GridContentWords::tr("%1 of %2 examples").arg(countText(examples), countText(total))
             : GridContentWords::tr("%Ln examples", nullptr, static_cast<int>(examples));
}
} // namespace

QString GridContent::examplesText() const
{
    return basis.isEmpty() ? countOf(examples, totalExamples, partial) : basis;
}

QString GridContent::examplesText(const HeadCell &cell) const
{
    return basis.isEmpty() ? countOf(examplesOf(cell), totalExamples, partial) : basis;
}

QString GridContent::alikeText(const HeadCell &cell) const
{
    const std::int64_t count = examplesOf(cell);
    if (!diverging || count < 1 || !cell.interval || cell.interval->low != cell.interval->high)
        return {};
    return GridContentWords::tr("%1 examples alike: up to %2 % of others may differ (95 %)")
        .arg(countText(count), numberText(100 * mostUnseen(count), count < 300 ? 0 : 1));
}

bool GridContent::hasMcnemar() const
{
    return std::any_of(cells.begin(), cells.end(), [](const HeadCell &cell) { return cell.mcnemar.has_value(); });
}

bool GridContent::hasRoles() const
{
    return std::any_of(cells.begin(), cells.end(), [](const HeadCell &cell) { return !cell.roles.empty(); });
}

bool GridContent::isDimmed(const HeadCell &cell) const
{
    return onlyRole && hasRoles() && (cell.roles.empty() || cell.roles.front().role != *onlyRole);
}

QString GridContent::rolesText(const HeadCell &cell) const
{
    const QString text = headscope::rolesText(cell.roles);
    return text.isEmpty() || rolesFrom.isEmpty() ? text : GridContentWords::tr("%1, %2").arg(text, rolesFrom);
}

std::vector<double> GridContent::values() const
{
    std::vector<double> values;
    for (const HeadCell &cell : cells) {
        if (cell.value)
            values.push_back(*cell.value);
    }
    return values;
}

GridContent emptyContent(const HeadLayout &layout)
{
    GridContent content;
    content.layout = layout;
    for (const HeadRef &head : layout.heads()) {
        HeadCell cell;
        cell.head = head;
        content.cells.push_back(cell);
    }
    return content;
}

namespace {
/// Without values, but with the caption of the coming ones.
template<typename HeadsResult>
GridContent contentOf(const HeadLayout &layout, const HeadsResult &result)
{
    GridContent content = emptyContent(layout);
    content.dataName = QString::fromStdString(result.manifest.data);
    content.examples = result.examples;
    content.totalExamples = result.manifest.totalExamples;
    content.partial = result.manifest.partial || result.examples < result.manifest.totalExamples;
    content.manifests = {result.manifest};
    return content;
}
} // namespace

namespace {
/// While heads are missing, or rest on different examples, none of them is tested or ranked.
void waitForAll(GridContent &content)
{
    if (content.cells.empty())
        return;
    const auto [fewest, most] = std::ranges::minmax(content.cells, {}, &HeadCell::examples);
    std::int64_t least = 0;
    for (const HeadCell &cell : content.cells) {
        if (cell.value)
            least = least == 0 ? cell.examples : std::min(least, cell.examples);
    }
    content.examples = least;
    content.comparable = fewest.examples == most.examples;
    if (content.comparable)
        return;
    for (HeadCell &cell : content.cells) {
        cell.p.reset();
        cell.pAdjusted.reset();
        cell.discoveryP.reset();
        cell.mcnemar.reset();
        cell.significant.reset();
    }
}
} // namespace

GridContent ablationContent(const HeadLayout &layout, const AblationResult &result, const Significance &by)
{
    GridContent content = contentOf(layout, result);
    content.significance = by;
    const QString metric = QString::fromStdString(result.baseline.name);
    content.measure = GridContentWords::tr("Ablation Δ %1").arg(metric);
    content.symbol = GridContentWords::tr("Δ %1").arg(metric);
    content.diverging = true;
    content.better = result.baseline.better;
    content.format = metricFormat(metric);
    for (const HeadAblation &entry : result.heads) {
        HeadCell *cell = cellOf(content, entry.head);
        if (!cell)
            continue;
        cell->value = entry.delta;
        if (std::isfinite(entry.interval.low) && std::isfinite(entry.interval.high)) // one example has none
            cell->interval = entry.interval;
        cell->examples = entry.examples > 0 ? entry.examples : result.examples;
        cell->mcnemar = entry.mcnemar;
        if (!std::isnan(entry.p)) { // without resamples there is none
            cell->p = entry.p;
            cell->pAdjusted = entry.pAdjusted;
            cell->discoveryP = entry.discoveryP;
            cell->significant = by.holds(cell->p, cell->pAdjusted, cell->discoveryP);
        }
        showTogether(content, *cell, entry.together);
    }
    content.partial |= content.valueCount() < layout.size();
    if (result.manifest.partial)
        waitForAll(content);
    // Without needed heads the score is worse; where all heads but one were removed, the best one left ranks first.
    rankBy(content, [&](const HeadCell &cell) {
        const double change = gain(result.baseline.better, *cell.value);
        return result.allButOne ? change : -change;
    });
    return content;
}

GridContent importanceContent(const HeadLayout &layout, const ImportanceResult &result)
{
    GridContent content = contentOf(layout, result);
    content.measure = GridContentWords::tr("Importance");
    content.symbol = GridContentWords::tr("I_h");
    const QString unit
        = result.normalization == ImportanceNormalization::Layer  ? GridContentWords::tr("normalised by layer")
        : result.normalization == ImportanceNormalization::Global ? GridContentWords::tr("normalised over all heads")
        : result.normalization == ImportanceNormalization::Bertology
            ? GridContentWords::tr("normalised by layer, then to 0–1")
            : QString();
    content.format = {1, 3, {}, unit};
    for (const HeadImportance &entry : result.heads) {
        HeadCell *cell = cellOf(content, entry.head);
        if (!cell)
            continue;
        cell->value = entry.importance;
        cell->examples = result.examples;
        cell->interval = meanInterval(entry.importance, entry.standardError,
                                      result.batches > 0 ? result.batches : result.examples);
        showTogether(content, *cell, entry.together);
    }
    rankBy(content, [](const HeadCell &cell) { return *cell.value; });
    return content;
}

GridContent confidenceContent(const HeadLayout &layout, const ConfidenceResult &result)
{
    GridContent content = contentOf(layout, result);
    content.measure = GridContentWords::tr("Confidence");
    content.symbol = GridContentWords::tr("Confidence");
    content.format = {1, 3, {}, GridContentWords::tr("mean of the largest weight")};
    for (const HeadConfidence &entry : result.heads) {
        HeadCell *cell = cellOf(content, entry.head);
        if (!cell)
            continue;
        cell->value = entry.confidence;
        cell->examples = result.examples;
    }
    rankBy(content, [](const HeadCell &cell) { return *cell.value; });
    return content;
}

GridContent surfaceContent(const HeadLayout &layout, const SimilarityResult &result, const QString &name, bool isShare,
                           const std::function<std::optional<double>(const HeadSurface &)> &value)
{
    GridContent content = contentOf(layout, result);
    content.measure = name;
    content.symbol = name;
    content.format
        = isShare ? ValueFormat{100, 1, QStringLiteral(" %"), GridContentWords::tr("per cent of a token’s attention")}
                  : ValueFormat{1, 2, {}, GridContentWords::tr("nats, mean over tokens")};
    for (const HeadSurface &entry : result.heads) {
        HeadCell *cell = cellOf(content, entry.head);
        const std::optional<double> measured = value(entry);
        if (!cell || !measured)
            continue;
        cell->value = *measured;
        cell->examples = result.examples;
    }
    rankBy(content, [](const HeadCell &cell) { return *cell.value; });
    return content;
}

GridContent detectorContent(const HeadLayout &layout, const DetectResult &result, const QString &name,
                            HeadDetector detector)
{
    GridContent content = contentOf(layout, result);
    content.measure = name;
    content.symbol = name;
    content.format = {100, 1, QStringLiteral(" %"),
                      detector == HeadDetector::Copying ? GridContentWords::tr("per cent of queries")
                                                        : GridContentWords::tr("per cent of a token’s attention")};
    for (const HeadDetection &entry : result.heads) {
        HeadCell *cell = cellOf(content, entry.head);
        const DetectorScore *score = scoreOf(entry, detector);
        if (!cell || !score)
            continue;
        cell->value = score->score;
        if (!std::isnan(score->interval.low))
            cell->interval = score->interval;
        cell->p = score->p;
        cell->pAdjusted = score->pAdjusted;
        cell->examples = result.examples;
    }
    rankBy(content, [](const HeadCell &cell) { return *cell.value; });
    return content;
}

GridContent functionsContent(const HeadLayout &layout, const FunctionsResult &result, const Significance &by)
{
    GridContent content = contentOf(layout, result);
    content.significance = by;
    content.measure = GridContentWords::tr("Effect on tasks in prompts");
    content.symbol = GridContentWords::tr("effect");
    content.diverging = true;
    content.format = {1, 3, {}, GridContentWords::tr("change of the answer’s probability")};
    for (const HeadFunction &entry : result.heads) {
        HeadCell *cell = cellOf(content, entry.head);
        if (!cell)
            continue;
        cell->value = entry.effect;
        showTest(*cell, entry, by);
        cell->examples = result.examples;
    }
    rankBy(content, [](const HeadCell &cell) { return *cell.value; });
    return content;
}

GridContent retrievalContent(const HeadLayout &layout, const RetrievalResult &result)
{
    GridContent content = contentOf(layout, result);
    content.measure = content.symbol = GridContentWords::tr("Retrieval score");
    content.format = {100, 1, QStringLiteral(" %"), GridContentWords::tr("per cent of an answer’s tokens")};
    for (const HeadRetrieval &entry : result.heads) {
        HeadCell *cell = cellOf(content, entry.head);
        if (!cell || !entry.score)
            continue;
        cell->value = entry.score;
        if (!std::isnan(entry.interval.low))
            cell->interval = entry.interval;
        cell->p = entry.p;
        cell->pAdjusted = entry.pAdjusted;
        cell->examples = result.examples;
    }
    rankBy(content, [](const HeadCell &cell) { return *cell.value; });
    return content;
}

GridContent questionContent(const HeadLayout &layout, const RetrievalResult &result)
{
    GridContent content = contentOf(layout, result);
    content.measure = content.symbol = GridContentWords::tr("QR score");
    content.diverging = true;
    content.format = {100, 1, QStringLiteral(" %"), GridContentWords::tr("per cent of a token’s attention")};
    std::set<std::int64_t> needles;
    for (const RetrievalRun &run : result.runs)
        needles.insert(run.needle);
    for (const HeadRetrieval &entry : result.heads) {
        HeadCell *cell = cellOf(content, entry.head);
        if (!cell)
            continue;
        cell->value = entry.question;
        if (!std::isnan(entry.questionInterval.low))
            cell->interval = entry.questionInterval;
        cell->examples = std::ssize(needles);
    }
    rankBy(content, [](const HeadCell &cell) { return *cell.value; });
    return content;
}

GridContent weightsContent(const HeadLayout &layout, const WeightsResult &result, const QString &name, bool diverging,
                           const std::function<std::optional<double>(const HeadWeightNumbers &)> &value)
{
    GridContent content = contentOf(layout, result);
    content.measure = name;
    content.symbol = name;
    content.format = {1, diverging ? 2 : 3, {}, {}};
    content.diverging = diverging;
    for (const HeadWeightNumbers &entry : result.heads) {
        HeadCell *cell = cellOf(content, entry.head);
        if (cell)
            cell->value = value(entry);
    }
    rankBy(content, [](const HeadCell &cell) { return *cell.value; });
    return content;
}

GridContent relevanceContent(const HeadLayout &layout, const RelevanceResult &result)
{
    GridContent content = contentOf(layout, result);
    content.measure = GridContentWords::tr("Relevance");
    content.symbol = GridContentWords::tr("Relevance");
    const QString unit = result.absolute ? GridContentWords::tr("share of its layer’s absolute relevance, %1")
                                         : GridContentWords::tr("share of its layer’s relevance, %1");
    content.format = {1, 3, {}, unit.arg(relevanceRuleName(result.rule))};
    // Shares of signed relevances can be negative.
    content.diverging = std::any_of(result.heads.begin(), result.heads.end(),
                                    [](const HeadRelevance &entry) { return entry.relevance < 0; });
    for (const HeadRelevance &entry : result.heads) {
        HeadCell *cell = cellOf(content, entry.head);
        if (!cell)
            continue;
        cell->value = entry.relevance;
        cell->examples = result.examples;
        cell->interval = meanInterval(entry.relevance, entry.standardError, result.examples);
    }
    rankBy(content, [](const HeadCell &cell) { return *cell.value; });
    return content;
}

GridContent shapleyContent(const HeadLayout &layout, const ShapleyResult &result, const Significance &by)
{
    GridContent content = contentOf(layout, result);
    content.significance = by;
    const QString metric = QString::fromStdString(result.metric);
    content.measure = GridContentWords::tr("Shapley value %1").arg(metric);
    content.symbol = GridContentWords::tr("Shapley value");
    content.diverging = true;
    content.better = result.better;
    content.format = metricFormat(metric);
    content.sum = GridContentWords::tr("Sum of all values %1 = %2 with all heads − %3 with none")
                      .arg(content.format.difference(result.sum), content.format.score(result.all),
                           content.format.score(result.none));
    for (const HeadShapley &entry : result.heads) {
        HeadCell *cell = cellOf(content, entry.head);
        if (!cell)
            continue;
        cell->value = entry.value;
        showTest(*cell, entry, by);
        cell->examples = result.examples;
        showTogether(content, *cell, entry.together);
    }
    rankBy(content, [&](const HeadCell &cell) { return gain(result.better, *cell.value); });
    return content;
}

GridContent patchingContent(const HeadLayout &layout, const PatchResult &result)
{
    GridContent content = contentOf(layout, result);
    content.measure = GridContentWords::tr("Effect of patching");
    content.symbol = GridContentWords::tr("effect");
    content.diverging = true;
    for (const HeadPatch &entry : result.heads) {
        HeadCell *cell = cellOf(content, entry.head);
        if (!cell || std::isnan(entry.patch.effect))
            continue;
        cell->value = entry.patch.effect;
        if (!std::isnan(entry.patch.interval.low))
            cell->interval = entry.patch.interval;
        cell->examples = result.examples;
        showTogether(content, *cell, entry.together);
    }
    return content;
}

GridContent gatingContent(const HeadLayout &layout, const GatingResult &result)
{
    GridContent content = contentOf(layout, result);
    content.measure = GridContentWords::tr("Gates: helps − interferes");
    content.symbol = GridContentWords::tr("gates");
    content.diverging = true;
    content.format.decimals = 2;
    const auto seeds = std::ssize(result.seeds);
    for (const HeadGating &entry : result.heads) {
        HeadCell *cell = cellOf(content, entry.head);
        if (!cell)
            continue;
        cell->value = entry.net();
        cell->examples = result.examples;
        if (seeds > 1)
            cell->interval = meanInterval(*cell->value, entry.deviation / std::sqrt(static_cast<double>(seeds)), seeds);
    }
    rankBy(content, [](const HeadCell &cell) { return *cell.value; });
    return content;
}

GridContent takeoverContent(const HeadLayout &layout, const TakeoverResult &result, const Significance &by)
{
    GridContent content = contentOf(layout, result);
    content.significance = by;
    content.measure = GridContentWords::tr("Change without %1").arg(QString::fromStdString(toText(result.head)));
    content.symbol = GridContentWords::tr("change");
    content.diverging = true;
    content.format.decimals = 3;
    for (const HeadTakeover &entry : result.heads) {
        HeadCell *cell = cellOf(content, entry.head);
        if (!cell)
            continue;
        cell->value = entry.change;
        showTest(*cell, entry, by);
        cell->examples = result.examples;
    }
    rankBy(content, [](const HeadCell &cell) { return *cell.value; });
    return content;
}

void addRoles(GridContent &content, const std::vector<HeadRoles> &roles)
{
    for (const HeadRoles &head : roles) {
        if (HeadCell *cell = cellOf(content, head.head))
            cell->roles = head.supported();
    }
}

namespace {
/// Of complete results only.
void showDifferenceTest(HeadCell &cell, const GridContent &content, const std::vector<HeadDifference> &tested)
{
    const auto found = std::ranges::find(tested, cell.head, &HeadDifference::head);
    if (content.isUnfinished() || found == tested.end() || !found->test)
        return;
    cell.interval = found->test->interval;
    cell.p = found->test->p;
    cell.pAdjusted = found->test->pAdjusted;
    cell.discoveryP = found->test->pDiscovery;
    cell.significant = content.significance.holds(cell.p, cell.pAdjusted, cell.discoveryP);
}
} // namespace

GridContent differenceContent(const GridContent &a, const GridContent &b, const std::vector<HeadDifference> &tested)
{
    GridContent content = emptyContent(a.layout);
    content.measure = GridContentWords::tr("Difference of %1").arg(a.measure);
    content.symbol = GridContentWords::tr("difference of %1").arg(a.symbol);
    content.format = a.format;
    content.better = a.better;
    content.dataName = GridContentWords::tr("%1 minus %2").arg(b.dataName, a.dataName);
    content.diverging = true;
    content.examples = std::min(a.examples, b.examples);
    content.totalExamples = std::min(a.totalExamples, b.totalExamples);
    content.partial = a.partial || b.partial;
    content.comparable = a.comparable && b.comparable;
    content.significance = a.significance;
    if (a.isUnfinished() || b.isUnfinished())
        content.basis = GridContentWords::tr("%1 against %2").arg(b.examplesText(), a.examplesText());
    content.byKeyGroup = a.byKeyGroup;
    content.manifests = a.manifests;
    content.manifests.insert(content.manifests.end(), b.manifests.begin(), b.manifests.end());
    if (!a.results.empty() && !b.results.empty())
        content.results = {a.results.front(), b.results.front()};
    for (HeadCell &cell : content.cells) {
        const HeadCell *left = a.cell(cell.head);
        const HeadCell *right = b.cell(cell.head);
        if (left)
            cell.others = left->others;
        if (!left || !right || !left->value || !right->value)
            continue;
        cell.value = *right->value - *left->value;
        cell.examples = std::min(left->examples, right->examples);
        if (left->p || right->p || !content.comparable) {
            showDifferenceTest(cell, content, tested);
        } else if (left->interval && right->interval) {
            cell.interval = differenceInterval(*left->value, *left->interval, *right->value, *right->interval);
            cell.significant = cell.interval->low > 0 || cell.interval->high < 0;
        }
    }
    rankBy(content, [](const HeadCell &cell) { return std::abs(*cell.value); });
    return content;
}

} // namespace headscope
