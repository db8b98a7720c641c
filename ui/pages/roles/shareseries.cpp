#include "ui/pages/roles/shareseries.h"

#include "ui/exporting/csvtext.h"
#include "ui/models/numbertext.h"
#include "ui/models/roletext.h"

#include <QCoreApplication>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace headscope {

namespace {

struct ShareSeriesWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::Shares)
};

QString offsetLabel(int offset)
{
    return offset == 0 ? QStringLiteral("0") : signedText(offset, 0);
}

} // namespace

ShareSeries makeOffsetShares(const HeadRoleScores &head, const RoleThresholds &thresholds)
{
    ShareSeries series;
    if (head.offsets.queries == 0)
        return series;
    series.title = head.head.kind == HeadKind::Cross
                     ? ShareSeriesWords::tr("Largest weight, positions from the diagonal")
                     : ShareSeriesWords::tr("Largest weight, positions from the query");
    series.expectedName = ShareSeriesWords::tr("by chance");
    for (int offset = -kLargestOffset; offset <= kLargestOffset; ++offset) {
        const Share &share = head.offsets.at(offset);
        const bool enough = share.instances >= thresholds.instances;
        series.bars.push_back({offsetLabel(offset), share.value(), share.expected, share.hits, share.instances,
                               head.head.kind != HeadKind::Cross && enough && share.value() >= thresholds.positional,
                               enough,
                               offset == 0 ? "0" : (offset < 0 ? "−" : "+") + std::to_string(std::abs(offset))});
    }
    series.bars.push_back({ShareSeriesWords::tr("far"),
                           Share{head.offsets.farther, head.offsets.queries, 0}.value(),
                           {},
                           head.offsets.farther,
                           head.offsets.queries,
                           false,
                           true,
                           "far"});
    return series;
}

ShareSeries makeRelationShares(const RolesResult &result, const HeadRoleScores &head, const RoleThresholds &thresholds,
                               std::size_t most)
{
    ShareSeries series;
    series.upright = false;
    series.title = ShareSeriesWords::tr("Largest weight on the partner");
    series.expectedName = ShareSeriesWords::tr("best fixed offset");
    struct Entry
    {
        std::size_t relation = 0;
        double margin = 0;
    };
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < head.relationHits.size() && i < result.relations.size(); ++i) {
        const RelationDirection &relation = result.relations[i];
        if (relation.instances > 0)
            entries.push_back({i, accuracyOf(result, head, i) - relation.baseline});
    }
    const auto enough
        = [&](const Entry &entry) { return result.relations[entry.relation].instances >= thresholds.instances; };
    // Entries that cannot become a label come last, whatever their score.
    std::ranges::stable_sort(entries, [&](const Entry &a, const Entry &b) {
        return std::pair(enough(a), a.margin) > std::pair(enough(b), b.margin);
    });
    entries.resize(std::min(entries.size(), most));
    for (const Entry &entry : entries) {
        const RelationDirection &relation = result.relations[entry.relation];
        const std::int64_t hits = head.relationHits[entry.relation];
        const QString name = QString::fromStdString(relation.relation);
        const bool up = relation.direction == ArcDirection::DependentToHead;
        const bool wanted = thresholds.wants(relation.relation);
        series.bars.push_back(
            {up ? ShareSeriesWords::tr("%1 → its head").arg(name) : ShareSeriesWords::tr("head → its %1").arg(name),
             accuracyOf(result, head, entry.relation), relation.baseline, hits, relation.instances,
             wanted && enough(entry) && entry.margin >= thresholds.syntacticMargin, enough(entry),
             up ? relation.relation + " → its head" : "head → its " + relation.relation});
    }
    return series;
}

QString shareBarText(const ShareSeries &series, const ShareSeries::Bar &bar)
{
    QString text = ShareSeriesWords::tr("%1: %2, %3 of %4")
                       .arg(bar.label, shareText(bar.share), countText(bar.hits), countText(bar.instances));
    if (bar.expected)
        text += ShareSeriesWords::tr("; %1 %2").arg(series.expectedName, shareText(*bar.expected));
    if (!bar.enough)
        text += ShareSeriesWords::tr("; too few to tell");
    return text;
}

std::string shareCsv(const ShareSeries &series)
{
    CsvText csv("what,share,expected,hits,instances,label");
    for (const ShareSeries::Bar &bar : series.bars) {
        csv << bar.what << bar.share << bar.expected.value_or(std::numeric_limits<double>::quiet_NaN()) << bar.hits
            << bar.instances << (bar.strong ? 1 : 0);
        csv.endLine();
    }
    return csv.text();
}

} // namespace headscope
