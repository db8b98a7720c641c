#pragma once

#include "core/results/removableheads.h"

#include <string>
#include <string_view>

namespace headscope {

/// "up to 9 heads cost less than 1 % of the score (0.52 BLEU points; 95 % confidence); first significant loss at 19
/// heads". `share`: of the full model's score, the margin (SignificanceRule::margin).
std::string removableText(const RemovableHeads &answer, std::string_view metric, double share);

} // namespace headscope
