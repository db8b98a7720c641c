#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Splits and quotes text as a shell does; no shell is run.
namespace headscope {

/// The words of `text`, with quotation marks and backslashes as in sh; $, ` and * stand for themselves. Throws Failure
/// where a quotation mark is not closed; the error names `option`.
std::vector<std::string> shellWords(std::string_view text, const char *option);

/// The word in single quotation marks: sh reads it as it is, whatever is in it.
std::string shellQuoted(std::string_view word);

} // namespace headscope
