#pragma once

#include <QString>

#include <span>
#include <string_view>

namespace headscope {

/// Translates fixed texts of the core (descriptions of analyses and options, phases of progress, units, names of roles
/// and orders) into the window's language, with numbers in its locale. English where there is no translation: messages
/// of errors, and whatever names a file.
QString fromCore(std::string_view text);

/// An option's name as a title: "sample-ratio" → "Sample ratio", in the window's language.
QString optionTitle(std::string_view name);

/// The words that translators are given: %1, %2, … stand for numbers. A test compares them with what the core has.
std::span<const char *const> coreWords();
/// Of these those that describe analyses; written by tst_windowlanguages.
std::span<const char *const> analysisWords();

} // namespace headscope
