#pragma once

#include "core/exporting/reportfindings.h"

#include <vector>

namespace headscope {

/// Verdicts on the claims of Clark et al. (2019), Figures 2, 3, 4 and 6: of a domain's similarity and gradients, each
/// kind of attention by itself. Their claims are of BERT's encoder; of a decoder's self-attention they are tested
/// alike, of cross-attention only what Figure 6 says. Without such results: none.
std::vector<Finding> clarkFindings(const ReportDomain &domain);

} // namespace headscope
