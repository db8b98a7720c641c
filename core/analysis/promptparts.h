#pragma once

#include <string>
#include <string_view>

namespace headscope {

/// The texts around two names in a template for prompts.
struct PromptParts
{
    std::string before, between, after;
};

/// "\n" (two characters) is a new line. Throws Failure (usage), which names --template, where the names are not there
/// once, in this order.
PromptParts promptParts(std::string_view text, std::string_view first, std::string_view second);

} // namespace headscope
