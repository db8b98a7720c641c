#pragma once

#include "core/demo/fragment.h"
#include "core/demo/sentence.h"

#include <vector>

namespace headscope::demo {

/// A whole sentence with its full stop or question mark.
std::vector<DemoToken> englishSentence(const Clause &clause);

/// As an object or after a preposition; `negated`: "any" for "some".
Fragment englishNounPhrase(const NounPhrase &phrase, bool negated = false);
Fragment englishSubject(const NounPhrase &phrase);
Fragment englishClause(const Clause &clause);

} // namespace headscope::demo
