#pragma once

#include <string_view>

namespace headscope {

/// Whether the text is the name of a machine as ssh takes it, and nothing else: [ssh://][USER@]NAME[:PORT] of letters,
/// digits, dots, dashes, underscores and colons, no part of which begins with a dash (ssh would read an option). A
/// shell, and the expansions of ssh's configuration, find nothing in it to act on.
bool isHostName(std::string_view text);

} // namespace headscope
