#pragma once

#include "core/metrics/metric.h"

#include <memory>
#include <string>
#include <vector>

namespace headscope {

/// Texts that a language model wrote behind prompts, against accepted answers, as lm-evaluation-harness 0.4.13 compares
/// them. White space around either does not count; an answer is right when one of the accepted ones fits:
///   exact_match             the text is it (exact_match behind the filter remove_whitespace)
///   exact_match_normalized  the same without regard to case and ASCII punctuation (ignore_case, ignore_punctuation)
///   contains                it is somewhere in the text, in any case (contains_score of its SQuAD completion)
/// All are the share of right answers. `setting`: what signatures say of how outputs are made; empty: nothing.
std::vector<std::unique_ptr<TextMetric>> answerMetrics(const std::string &setting = {});

} // namespace headscope
