#pragma once

#include "core/demo/sentence.h"

#include <string>

/// French morphology: the forms of single words. How neighbours change each other is in frenchjunctions.h.
namespace headscope::demo {

std::string frenchPlural(std::string_view noun);
/// From the masculine singular.
std::string frenchAdjective(std::string_view adjective, const Agreement &agreement);
std::string frenchPresent(std::string_view infinitive, const Agreement &subject);
std::string frenchImperfect(std::string_view infinitive, const Agreement &subject);
std::string frenchFuture(std::string_view infinitive, const Agreement &subject);
/// Agrees as an adjective does.
std::string frenchParticiple(std::string_view infinitive, const Agreement &agreement);
/// "est arrivé" against "a mangé".
bool takesEtre(std::string_view infinitive);
/// In words. Precondition: 0 < number <= 100.
std::string frenchNumber(int number);

} // namespace headscope::demo
