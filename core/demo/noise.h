#pragma once

#include "core/base/random.h"
#include "core/demo/token.h"

#include <string>
#include <vector>

namespace headscope::demo {

/// Typing errors: one or two words with a wrong letter, and perhaps a small first letter or no full stop.
/// Lemmas and the tree stay; a full stop that is left out takes its token with it. Something always changes.
void addTypingNoise(std::vector<DemoToken> &sentence, Random &random);

/// One typing error in a word of at least three ASCII letters; other words stay.
std::string mistyped(const std::string &word, Random &random);

} // namespace headscope::demo
