#include "core/demo/sentence.h"

#include <algorithm>

namespace headscope::demo {

Agreement agreementOf(const NounPhrase &phrase)
{
    Agreement result = phrase.agreement;
    for (const NounPhrase &other : phrase.others) {
        result.number = Number::Plural;
        result.person = std::min(result.person, other.agreement.person);
        if (other.agreement.gender == Gender::Masculine)
            result.gender = Gender::Masculine;
    }
    return result;
}

} // namespace headscope::demo
