#include "core/base/hostname.h"

#include <cstddef>

namespace headscope {

namespace {

constexpr std::string_view kScheme = "ssh://";
constexpr std::size_t kLongestName = 255; ///< of a domain name (RFC 1035)

bool isNamePart(std::string_view part)
{
    constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:";
    return !part.empty() && part.size() <= kLongestName && part.front() != '-'
        && part.find_first_not_of(kAllowed) == std::string_view::npos;
}

} // namespace

bool isHostName(std::string_view text)
{
    if (text.starts_with(kScheme))
        text.remove_prefix(kScheme.size());
    const std::size_t at = text.find('@');
    return at == std::string_view::npos ? isNamePart(text)
                                        : isNamePart(text.substr(0, at)) && isNamePart(text.substr(at + 1));
}

} // namespace headscope
