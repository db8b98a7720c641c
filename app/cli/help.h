#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

/// The text of --help, and what is said of a word that is not understood.
namespace headscope::cli {

/// Gives the commands their groups in the overview and every page its example; to be called when all commands are
/// there.
void arrangeHelp(CLI::App &app);

/// The type of an option's value as --help calls it: "N", "DIR", "json|csv". `type`: CLI11's name of it.
std::string typeText(std::string type);

/// Throws CLI::ValidationError for a command or an option that there is not, with the nearest that there is; before
/// CLI11 reads the words, which would first complain of required options. `words`: without the program's name.
void checkNames(const CLI::App &app, const std::vector<std::string> &words);

} // namespace headscope::cli
