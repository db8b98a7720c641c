#pragma once

#include "core/results/ablationresult.h"
#include "core/results/attentionresult.h"
#include "core/results/compareresult.h"
#include "core/results/confidenceresult.h"
#include "core/results/evaluationresult.h"
#include "core/results/importanceresult.h"
#include "core/results/json.h"
#include "core/results/modelstable.h"
#include "core/results/pruningresult.h"
#include "core/results/roles.h"

#include <string>
#include <vector>

/// Results as comma-separated tables. The first line names the columns, the same whatever was measured; their units are
/// in FORMAT.md, and `metric` says what a score is. Heads are given by address and by its three parts, all zero-based.
namespace headscope {

/// The table of a result's JSON with "heads": one line per head, a column for every field that is a number or a text.
std::string headsCsv(const Json &result);

std::string toCsv(const EvaluationResult &result); ///< one line per metric
std::string toCsv(const AblationResult &result);   ///< one line per head, as the next two
std::string toCsv(const ImportanceResult &result);
std::string toCsv(const ConfidenceResult &result);
std::string toCsv(const PruningResult &result);   ///< one line per point of every curve
std::string toCsv(const CompareResult &result);   ///< one line per head
std::string toCsv(const BestHeadsResult &result); ///< one line per layer
std::string toCsv(const SearchResult &result);    ///< one line per budget and way of choosing
/// One line per head.
std::string toCsv(const RolesResult &result, const RoleThresholds &thresholds = {}, const WindowedSweep &windowed = {});
/// One line per head; of a single example (`relevance --example`) one per step and token.
std::string toCsv(const RelevanceResult &result);
std::string toCsv(
    const SimilarityResult &result); ///< one line per head, with its places on the map and in the dendrogram
/// The distances of every two heads of a kind, as a square in the order of the dendrogram.
std::string distancesCsv(const KindSimilarity &kind, HeadDistance distance);
std::string spreadCsv(const SimilarityResult &result); ///< one line per layer
/// One line per head, with columns for every class of keys that there is.
std::string toCsv(const AttentionGradientsResult &result);
std::string layerGradientsCsv(const AttentionGradientsResult &result); ///< one line per kind, class of keys and layer
std::string toCsv(
    const DynamicsResult &result); ///< lines of pruning curves, then lines of heads, checkpoint by checkpoint
std::string toCsv(const DetectResult &result);           ///< one line per head and detector
std::string toCsv(const EnergyResult &result);           ///< one line per matrix of a layer or a head
std::string toCsv(const FindResult &result);             ///< one line per place, the largest weight first
std::string toCsv(const FunctionsResult &result);        ///< lines of heads, then of layers, then of masking
std::string toCsv(const RetrievalResult &result);        ///< lines of heads, then of answers
std::string toCsv(const CollaborateResult &result);      ///< one line per model
std::string toCsv(const ProbeResult &result);            ///< one line per way of guessing, then one per head
std::string toCsv(const PatchResult &result);            ///< one line per head, then one per head and position
std::string toCsv(const PathsResult &result);            ///< one line per path
std::string toCsv(const InteractionsResult &result);     ///< one line per pair of heads, then per triple
std::string toCsv(const WeightsResult &result);          ///< one line per head
std::string compositionCsv(const WeightsResult &result); ///< one line per sender, receiver and input of it
std::string toCsv(const HeadTokensResult &result);       ///< one line per head, direction or token, end and token there
std::string toCsv(const SpeedResult &result);            ///< one line per way of batching, batch size and contender
/// One line per head, query and key. `measure`: by what the maps are.
std::string toCsv(const AttentionResult &result, AttentionMeasure measure = AttentionMeasure::Weights);
/// One line per model and data set, without what a plan had planned.
std::string toCsv(const std::vector<ModelsRow> &rows);
std::string toCsv(const AnyResult &result);
/// The table of a result that has none of its own.
template<ResultStruct T>
std::string toCsv(const T &result)
{
    return headsCsv(toJson(result));
}
/// The outputs of an evaluation. Translation: index, score, ids separated by blanks, text. Classification: index,
/// predicted and right labels (numbers, separated by blanks), the predicted labels' names (predicted_label), and a
/// column per logit. `index` is the row of the text in the files: a text that was cut into windows has a line for each,
/// and one in which nothing can be predicted a line without score.
std::string outputsCsv(const EvaluationResult &result);
/// The same as one line of JSON for each: `window` counts the lines of a text that was cut, `score` is null where
/// nothing can be predicted.
std::string outputsJsonLines(const EvaluationResult &result);

} // namespace headscope
