#include "core/exporting/csv.h"
#include "core/exporting/csvwriter.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace headscope {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

void addCircuit(CsvWriter &csv, const CircuitNumbers &circuit)
{
    csv << circuit.norm << circuit.effectiveRank << circuit.eigenvalueScore.value_or(kNoNumber)
        << circuit.vocabularyScore.value_or(kNoNumber) << circuit.biasNorm.value_or(kNoNumber);
}

/// The largest score of a head with those before it.
double largestOf(const std::vector<HeadComposition> &all, const HeadRef &head, CompositionInput input)
{
    const auto found = std::ranges::find(all, head, &HeadComposition::head);
    if (found == all.end() || found->scores(input).empty())
        return kNoNumber;
    return std::ranges::max(found->scores(input));
}

} // namespace

std::string toCsv(const WeightsResult &result)
{
    CsvWriter csv;
    csv.header({"head", "kind", "layer", "head_number", "ov_norm", "ov_effective_rank", "ov_eigenvalue_score",
                "ov_vocabulary_score", "ov_bias_norm", "qk_norm", "qk_effective_rank", "qk_eigenvalue_score",
                "qk_vocabulary_score", "qk_bias_norm", "largest_query_composition", "largest_key_composition",
                "largest_value_composition"});
    for (const HeadWeightNumbers &head : result.heads) {
        csv << toText(head.head) << headKindName(head.head.kind) << head.head.layer << head.head.head;
        addCircuit(csv, head.ov);
        addCircuit(csv, head.qk);
        for (const CompositionInput input : {CompositionInput::Query, CompositionInput::Key, CompositionInput::Value})
            csv << largestOf(result.composition, head.head, input);
        csv.endLine();
    }
    return csv.text();
}

std::string compositionCsv(const WeightsResult &result)
{
    CsvWriter csv;
    csv.header({"head", "kind", "layer", "head_number", "input", "sender", "composition", "projection_kernel"});
    for (const HeadComposition &receiver : result.composition) {
        for (const CompositionInput input : {CompositionInput::Query, CompositionInput::Key, CompositionInput::Value}) {
            const std::vector<double> &kernels = receiver.kernels(input);
            std::size_t place = 0;
            for (const HeadWeightNumbers &sender : result.heads) {
                if (!composes(receiver.head, input, sender.head))
                    continue;
                csv << toText(receiver.head) << headKindName(receiver.head.kind) << receiver.head.layer
                    << receiver.head.head << toText(input) << toText(sender.head) << receiver.scores(input)[place]
                    << (place < kernels.size() ? kernels[place] : kNoNumber);
                csv.endLine();
                ++place;
            }
        }
    }
    return csv.text();
}

} // namespace headscope
