#include "core/exporting/csv.h"
#include "core/exporting/csvwriter.h"
#include "core/results/fieldsjson.h"

#include <algorithm>

namespace headscope {

std::string toCsv(const SimilarityResult &result)
{
    Json heads = Json::array();
    for (const HeadSurface &surface : result.heads) {
        Json head = fieldsJson(surface);
        for (const KindSimilarity &kind : result.kinds) {
            const auto place = std::ranges::find(kind.heads, surface.head) - kind.heads.begin();
            if (place == std::ssize(kind.heads))
                continue;
            head["x"] = kind.x[static_cast<std::size_t>(place)];
            head["y"] = kind.y[static_cast<std::size_t>(place)];
            head["leaf"] = std::ranges::find(kind.order, place) - kind.order.begin();
        }
        heads.push_back(std::move(head));
    }
    return headsCsv({{"heads", std::move(heads)}});
}

std::string distancesCsv(const KindSimilarity &kind, HeadDistance distance)
{
    const PairTable distances = distancesOf(kind, distance);
    CsvWriter csv;
    csv << "head";
    for (const std::int64_t place : kind.order)
        csv << toText(kind.heads[static_cast<std::size_t>(place)]);
    csv.endLine();
    for (const std::int64_t row : kind.order) {
        csv << toText(kind.heads[static_cast<std::size_t>(row)]);
        for (const std::int64_t column : kind.order)
            csv << distances.at(static_cast<std::size_t>(row), static_cast<std::size_t>(column));
        csv.endLine();
    }
    return csv.text();
}

std::string spreadCsv(const SimilarityResult &result)
{
    CsvWriter csv;
    csv << "kind"
        << "layer"
        << "heads"
        << "spread"
        << "ci_low"
        << "ci_high";
    csv.endLine();
    for (const LayerSpread &layer : result.layers) {
        csv << headKindName(layer.kind) << layer.layer << layer.heads << layer.spread << layer.interval.low
            << layer.interval.high;
        csv.endLine();
    }
    return csv.text();
}

} // namespace headscope
