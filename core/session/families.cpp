#include "core/session/families.h"

#include "core/model/family.h"

#include <algorithm>

namespace headscope {

std::vector<FamilyCard> knownFamilies()
{
    std::vector<FamilyCard> cards;
    for (const Family &family : families())
        cards.push_back({std::string(family.modelType), std::string(family.models)});
    std::ranges::sort(cards, {}, &FamilyCard::modelType);
    return cards;
}

} // namespace headscope
