#pragma once

#include "core/base/result.h"
#include "core/results/ablationresult.h"

#include <string>

namespace headscope {

/// A sweep with windows over key groups as DuoAttention reads attention patterns (Xiao et al. 2025): a line for each
/// layer, a number from 0 to 1 for each of its key heads, tabs between them (full_attention_heads.tsv). 1 is the group
/// whose window costs most; 0 are those whose window costs nothing. Errors: any other result, heads that are no
/// decoder's own, layers of different numbers of groups.
Result<std::string> attentionPattern(const AblationResult &sweep);
/// The file config.json beside it: how many keys streaming heads see.
std::string attentionPatternConfig(const AblationResult &sweep);

} // namespace headscope
