#pragma once

#include "core/demo/sentence.h"

#include <string>

/// Features of Universal Dependencies that both languages share, in the order the format wants.
namespace headscope::demo {

inline std::string numberFeature(Number number)
{
    return number == Number::Plural ? "Number=Plur" : "Number=Sing";
}

inline std::string genderFeature(Gender gender)
{
    return gender == Gender::Feminine ? "Gender=Fem" : "Gender=Masc";
}

inline std::string genderNumber(const Agreement &agreement)
{
    return genderFeature(agreement.gender) + "|" + numberFeature(agreement.number);
}

/// Of a finite verb: "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin".
inline std::string finiteFeatures(const Agreement &subject, std::string_view tense)
{
    const Number number = subject.person == 2 ? Number::Plural : subject.number;
    return "Mood=Ind|" + numberFeature(number) + "|Person=" + std::to_string(subject.person)
         + "|Tense=" + std::string(tense) + "|VerbForm=Fin";
}

} // namespace headscope::demo
