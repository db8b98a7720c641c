#pragma once

#include "core/demo/fragment.h"
#include "core/demo/sentence.h"

#include <vector>

namespace headscope::demo {

/// A whole sentence with its full stop or, after a blank, its question mark.
std::vector<DemoToken> frenchSentence(const Clause &clause);

/// Before neighbouring words are joined; `negated`: "de" for "un", "du", "des".
Fragment frenchNounPhrase(const NounPhrase &phrase, bool negated = false);
Fragment frenchSubject(const NounPhrase &phrase);
Fragment frenchClause(const Clause &clause);

/// "le", "lui", "me" …; `dative`: for "à".
Fragment frenchClitic(const NounPhrase &pronoun, bool dative);
Fragment frenchPlace(const Place &place);

} // namespace headscope::demo
