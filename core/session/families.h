#pragma once

#include <string>
#include <vector>

namespace headscope {

/// A kind of models that can be opened.
struct FamilyCard
{
    std::string modelType; ///< as config.json says it
    std::string models;    ///< which these are, and their limits
};

/// All of them, in the order of modelType.
std::vector<FamilyCard> knownFamilies();

} // namespace headscope
