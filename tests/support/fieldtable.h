#pragma once

#include <string>

namespace headscope {

/// A Markdown table for every kind of result: its fields, what they are and when they are there, as resultfields.h says
/// it. FORMAT.md has them, which a test compares.
std::string fieldTables();

} // namespace headscope
