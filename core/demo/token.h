#pragma once

#include <string>

namespace headscope {

/// A word of a sentence with its gold analysis (Universal Dependencies 2).
struct DemoToken
{
    std::string form;
    std::string lemma;
    std::string upos;
    std::string features; ///< "Gender=Fem|Number=Sing", empty when there are none
    std::string relation;
    int head = 0; ///< 1-based position of the head, 0 for the root
    bool spaceAfter = true;
};

} // namespace headscope
