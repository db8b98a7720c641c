#include "core/analysis/promptparts.h"

#include "core/base/replaceall.h"
#include "core/base/result.h"

#include <fmt/format.h>

#include <cstddef>

namespace headscope {

PromptParts promptParts(std::string_view text, std::string_view first, std::string_view second)
{
    std::string lines(text);
    replaceAll(lines, "\\n", "\n");
    const std::size_t one = lines.find(first);
    const std::size_t other = lines.find(second);
    if (one == std::string::npos || other == std::string::npos || other < one
        || lines.find(first, one + 1) != std::string::npos || lines.find(second, other + 1) != std::string::npos)
        throw Failure(usageError(fmt::format("--template needs {} and, behind it, {}, once each.", first, second)));
    return {lines.substr(0, one), lines.substr(one + first.size(), other - one - first.size()),
            lines.substr(other + second.size())};
}

} // namespace headscope
