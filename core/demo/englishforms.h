#pragma once

#include "core/demo/sentence.h"

#include <string>

/// English morphology.
namespace headscope::demo {

std::string englishPlural(std::string_view noun);
std::string englishThirdPerson(std::string_view verb);
std::string englishPast(std::string_view verb);
std::string englishGerund(std::string_view verb);
/// "a" or "an".
std::string_view englishArticle(std::string_view nextWord);
std::string_view englishBe(const Agreement &agreement, bool past);
std::string_view englishSubjectPronoun(const Agreement &agreement);
std::string_view englishObjectPronoun(const Agreement &agreement);
std::string_view englishPossessive(const Agreement &agreement);
/// In words. Precondition: 0 < number <= 100.
std::string englishNumber(int number);

} // namespace headscope::demo
