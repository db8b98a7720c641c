#pragma once

#include "core/base/result.h"
#include "core/results/ablationresult.h"
#include "core/results/retrievalresult.h"

#include <string>

namespace headscope {

/// A sweep with windows over key groups as DuoAttention reads attention patterns (Xiao et al. 2025): a line for each
/// layer, a number from 0 to 1 for each of its key heads, tabs between them (full_attention_heads.tsv). 1 is the group
/// whose window costs most; 0 are those whose window costs nothing. Errors: any other result, heads that are no
/// decoder's own, layers of different numbers of groups.
Result<std::string> attentionPattern(const AblationResult &sweep);
/// The file config.json beside it: how many keys streaming heads see.
std::string attentionPatternConfig(const AblationResult &sweep);

/// Retrieval scores in the same form: of each key head the largest of the heads that read it. Errors: no head has a
/// score, layers of different numbers of key heads.
Result<std::string> attentionPattern(const RetrievalResult &retrieval);
/// Retrieval scores as Retrieval_Head (Wu et al. 2024) and HeadKV (Fu et al. 2025) read them: {"LAYER-HEAD": [SCORE],
/// …} in one line, layer by layer. Errors: no head has a score.
Result<std::string> retrievalScores(const RetrievalResult &retrieval);

} // namespace headscope
