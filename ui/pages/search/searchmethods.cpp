#include "ui/pages/search/searchmethods.h"

#include "ui/models/numbertext.h"
#include "ui/models/removabletext.h"

#include <QCoreApplication>

#include <algorithm>

namespace headscope {

namespace {
struct SearchWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::SearchPage)
};
} // namespace

QString searchMethodName(SearchMethod method)
{
    switch (method) {
    case SearchMethod::Searched:
        return SearchWords::tr("Search");
    case SearchMethod::Rearranged:
        return SearchWords::tr("Rearranged");
    case SearchMethod::Rescaled:
        return SearchWords::tr("Rescaled");
    }
    return {};
}

QString searchMethodExplanation(SearchMethod method)
{
    switch (method) {
    case SearchMethod::Searched:
        return SearchWords::tr("Removes the heads with the least Fisher information, each judged by itself");
    case SearchMethod::Rearranged:
        return SearchWords::tr("Removes as many heads per layer, but those that matter least together");
    case SearchMethod::Rescaled:
        return SearchWords::tr(
            "Removes the rearranged heads and scales the others so that each layer keeps its output");
    }
    return {};
}

namespace {

FoundMask SearchPoint::*wayOf(SearchMethod method)
{
    return method == SearchMethod::Searched   ? &SearchPoint::searched
         : method == SearchMethod::Rearranged ? &SearchPoint::rearranged
                                              : &SearchPoint::rescaled;
}

} // namespace

const FoundMask &foundMask(const SearchPoint &point, SearchMethod method)
{
    return point.*wayOf(method);
}

RemovableHeads removableBy(const SearchResult &result, SearchMethod method, const SignificanceRule &rule)
{
    return removableHeads(lossesOf(result, wayOf(method)), rule);
}

QString removableSentence(const SearchResult &result, const SignificanceRule &rule)
{
    const QString of = countText(result.candidates);
    QStringList parts;
    for (const SearchMethod method : kSearchMethods) {
        const RemovableHeads answer = removableBy(result, method, rule);
        if (answer.why != NoAnswer::None) // that is the same of all methods
            return SearchWords::tr("Heads of %1 that can go: %2.").arg(of, noAnswerText(answer));
        parts << SearchWords::tr("%1: %2").arg(searchMethodName(method).toLower(), removableText(answer, rule));
    }
    return SearchWords::tr("Heads of %1 that can go: %2.").arg(of, parts.join(QStringLiteral("; ")));
}

LineSeries makeSearchSeries(const SearchResult &result)
{
    LineSeries series;
    if (result.points.empty())
        return series;
    const QString metric = QString::fromStdString(result.baseline.name);
    const ValueFormat format = metricFormat(metric);
    for (const SearchMethod method : kSearchMethods) {
        LineSeries::Line line{searchMethodName(method), static_cast<int>(method), {}};
        for (const SearchPoint &point : result.points) {
            const FoundMask &found = foundMask(point, method);
            line.points.push_back({static_cast<double>(point.pruned), found.score * format.factor,
                                   found.interval.low * format.factor, found.interval.high * format.factor});
        }
        series.lines.push_back(std::move(line));
    }
    series.reference = result.baseline.value * format.factor;
    series.referenceName = SearchWords::tr("full model, %1").arg(format.score(result.baseline.value));
    series.axes.xHigh = std::max(1.0, static_cast<double>(result.candidates));
    for (const auto &[value, text] : axisTicks(0, series.axes.xHigh, 9)) {
        if (value == static_cast<double>(static_cast<std::int64_t>(value))) // heads are whole
            series.axes.xTicks.emplace_back(value, text);
    }
    series.axes.xTitle = SearchWords::tr("heads removed, of %1 candidates").arg(countText(result.candidates));
    const QString unit = unitText(format.suffix.trimmed(), result.baseline.better);
    series.axes.yTitle = unit.isEmpty() ? metric : QString(metric + QStringLiteral(" (") + unit + u')');
    fitScores(series);
    return series;
}

GridContent fisherContent(const HeadLayout &layout, const SearchResult &result)
{
    ImportanceResult values;
    values.manifest = result.manifest;
    values.heads = result.fisher;
    double sum = 0;
    for (const HeadImportance &head : result.fisher)
        sum += head.importance;
    for (HeadImportance &head : values.heads)
        head.importance *= sum > 0 ? 100 / sum : 1;
    GridContent content = importanceContent(layout, values);
    content.measure = SearchWords::tr("Fisher information");
    content.symbol = SearchWords::tr("Fisher");
    content.format = {1, 1, {}, SearchWords::tr("% of all heads’ together")};
    content.dataName = QString::fromStdString(result.searchData);
    content.examples = content.totalExamples = result.samples;
    content.partial = false;
    return content;
}

} // namespace headscope
