#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headscope::pipeline {

/// nullopt when `text` is not base64 (RFC 4648, with its padding).
std::optional<std::string> fromBase64(std::string_view text);

} // namespace headscope::pipeline
