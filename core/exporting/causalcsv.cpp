#include "core/exporting/csv.h"
#include "core/exporting/csvwriter.h"

namespace headscope {
namespace {

void address(CsvWriter &csv, const HeadRef &head)
{
    csv << toText(head) << headKindName(head.kind) << head.layer << head.head;
}

void effect(CsvWriter &csv, const PatchEffect &patch)
{
    csv << patch.delta << patch.deltaInterval.low << patch.deltaInterval.high << patch.effect << patch.interval.low
        << patch.interval.high << patch.attribution;
}

} // namespace

std::string toCsv(const PatchResult &result)
{
    CsvWriter csv;
    csv.header({"head", "kind", "layer", "head_number", "position", "pairs", "measure", "delta", "delta_low",
                "delta_high", "effect", "ci_low", "ci_high", "attribution", "direct_clean", "direct_corrupt"});
    for (const HeadPatch &head : result.heads) {
        address(csv, head.head);
        csv << "" << result.examples << toText(result.measure);
        effect(csv, head.patch);
        csv << head.directClean << head.directCorrupt;
        csv.endLine();
    }
    for (const CellPatch &cell : result.cells) {
        address(csv, cell.head);
        csv << cell.position << cell.pairs << toText(result.measure);
        effect(csv, cell.patch);
        csv << ""
            << "";
        csv.endLine();
    }
    return csv.text();
}

std::string toCsv(const PathsResult &result)
{
    CsvWriter csv;
    csv.header({"head", "kind", "layer", "head_number", "to", "input", "exact", "measure", "delta", "delta_low",
                "delta_high", "effect", "ci_low", "ci_high", "attribution", "p", "p_bh"});
    for (const PathEffect &path : result.paths) {
        address(csv, path.head);
        std::string to;
        for (const HeadRef &head : path.together)
            to += (to.empty() ? "" : ",") + toText(head);
        csv << to << std::string(toText(path.input)) << (path.exact ? "yes" : "no") << toText(result.measure);
        effect(csv, path.effect);
        csv << path.p << path.discoveryP;
        csv.endLine();
    }
    return csv.text();
}

std::string toCsv(const InteractionsResult &result)
{
    CsvWriter csv;
    csv.header({"head", "kind", "layer", "head_number", "other", "other_kind", "other_layer", "other_head_number",
                "metric", "interaction", "delta", "ci_low", "ci_high", "p", "p_bh", "third"});
    const auto add = [&](const auto &one, const std::string &third) {
        address(csv, one.head);
        address(csv, one.other);
        csv << result.metric << one.interaction << one.together << one.interval.low << one.interval.high << one.p
            << one.discoveryP << third;
        csv.endLine();
    };
    for (const HeadInteraction &pair : result.pairs)
        add(pair, {});
    for (const TripleInteraction &triple : result.triples)
        add(triple, toText(triple.third));
    return csv.text();
}

} // namespace headscope
