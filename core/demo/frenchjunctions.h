#pragma once

#include "core/demo/token.h"

#include <string_view>
#include <vector>

/// How neighbouring French words change each other.
namespace headscope::demo {

/// "l'arbre", "qu'elle", "cet arbre", "mon amie", "un vieil homme", "s'il"; then "du", "au", "des", "aux".
/// A contraction is one token in the place of the preposition; the article goes.
void joinFrenchWords(std::vector<DemoToken> &tokens);

/// Whether "le" becomes "l'" before the word: a vowel or a silent h.
bool startsWithVowelSound(std::string_view word);

} // namespace headscope::demo
