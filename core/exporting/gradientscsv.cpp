#include "core/exporting/csv.h"
#include "core/exporting/csvwriter.h"
#include "core/results/fieldsjson.h"

namespace headscope {

std::string toCsv(const AttentionGradientsResult &result)
{
    Json heads = Json::array();
    for (const HeadKeyGradients &found : result.heads) {
        Json head{{"head", toText(found.head)}};
        for (const KeyGradient &of : found.keys) {
            const std::string keys(toText(of.keys));
            head[keys + "_attention"] = of.attention;
            head[keys + "_gradient"] = of.gradient;
            head[keys + "_stderr"] = of.standardError;
            head[keys + "_product"] = of.product;
        }
        heads.push_back(std::move(head));
    }
    return headsCsv({{"heads", std::move(heads)}});
}

std::string layerGradientsCsv(const AttentionGradientsResult &result)
{
    CsvWriter csv;
    csv << "kind"
        << "keys"
        << "layer"
        << "attention"
        << "gradient"
        << "product";
    csv.endLine();
    for (const LayerKeyGradient &layer : layerMeans(result)) {
        csv << headKindName(layer.kind) << toText(layer.mean.keys) << layer.layer << layer.mean.attention
            << layer.mean.gradient << layer.mean.product;
        csv.endLine();
    }
    return csv.text();
}

} // namespace headscope
