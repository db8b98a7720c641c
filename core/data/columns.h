#pragma once

#include "core/data/dataset.h"

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Turns --pair-column, --label-column, --worse-column or --paradigm-column off.
inline constexpr const char *kNoColumn = "none";

/// Which columns are text, second text and label, and of minimal pairs the worse sentence and the paradigm: those that
/// the user named, and otherwise those with the names that common data sets use (in any case of letters; a pair where
/// the usual partner of the text column is there too). `names` is left empty, and so is every column that was not
/// found. Throws Failure for a named column that is missing; The error calls the table `place` (a file, or a line of
/// one).
TableColumns chooseColumns(const DataSource &source, const std::vector<std::string> &names, const std::string &place);

/// A name as comparisons without regard to case want it: ASCII letters small.
std::string lowerName(std::string_view name);

/// Names for a message, one after the other; long ones (texts, where names were expected) and long lists are cut.
std::string listed(const std::vector<std::string> &names);

} // namespace headscope
