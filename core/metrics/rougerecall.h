#pragma once

#include <string_view>

namespace headscope {

/// ROUGE-1 recall (Lin 2004): the share of the words of `answer` that are in `text`, each as often as `text` has it.
/// Words are runs of letters and digits in any case, as rouge-score 0.1.2 cuts them, but without its stemmer, and
/// letters of any script. An answer without words has 0.
double rouge1Recall(std::string_view text, std::string_view answer);

} // namespace headscope
