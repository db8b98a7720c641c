#include "core/base/ranges.h"

#include "core/base/result.h"

#include <array>
#include <cstdio>

namespace headscope {

namespace {

std::string shortest(double value)
{
    std::array<char, 32> text{};
    (void)std::snprintf(text.data(), text.size(), "%g", value);
    return text.data();
}

std::string ends(const std::string &least, const std::string &most, bool isOpen)
{
    return isOpen ? least + " or more" : "from " + least + " to " + most;
}

} // namespace

std::string rangeText(const IntegerRange &range)
{
    return "a whole number "
         + ends(std::to_string(range.least), std::to_string(range.most),
                range.most == std::numeric_limits<std::int64_t>::max());
}

std::string rangeText(const Range &range)
{
    if (range.least == -kLargestReal)
        return "a number that can be computed with";
    return "a number " + ends(shortest(range.least), shortest(range.most), range.most == kLargestReal);
}

void requirePath(const std::filesystem::path &path)
{
    const std::string &text = path.native();
    if (const auto end = text.find('\0'); end != std::string::npos)
        throw Failure(usageError("\"" + text.substr(0, end) + "\\0...\" is no path: there is a NUL byte in it."));
}

} // namespace headscope
