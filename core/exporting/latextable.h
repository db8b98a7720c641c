#pragma once

#include "core/results/ablationresult.h"
#include "core/results/significancerule.h"

#include <string>

namespace headscope {

/// Text that LaTeX prints as it is.
std::string latexEscaped(std::string_view text);

/// Ablation deltas, in points of 100, as a tabular per attention kind, layers down and heads across (counted from 0,
/// as everywhere here), with '*' where the head is significant by `rule`, which a comment says. Needs the package
/// booktabs.
std::string toLatex(const AblationResult &result, const SignificanceRule &rule = {});

} // namespace headscope
