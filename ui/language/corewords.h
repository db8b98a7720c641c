#pragma once

#include "core/base/phase.h"

#include <QString>

#include <span>
#include <string_view>

namespace headscope {

/// Translates fixed texts of the core (descriptions of analyses and options, units, names of roles and orders) into the
/// window's language, with numbers in its locale. English where there is no translation: messages of errors, and
/// whatever names a file.
QString fromCore(std::string_view text);

/// What a job is doing, in the window's language.
QString phaseText(const PhaseNow &phase);

/// An option's name as a title: "sample-ratio" → "Sample ratio", in the window's language.
QString optionTitle(std::string_view name);

/// The words that translators are given: %1, %2, … stand for numbers. A test compares them with what the core has.
std::span<const char *const> coreWords();
/// Those among them that describe analyses, and the words of all phases; written by tst_windowlanguages.
std::span<const char *const> analysisWords();

} // namespace headscope
