#pragma once

#include "app/cli/commands/commands.h"
#include "app/cli/progressline.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace headscope::cli {

/// All commands with their options.
class CommandLine
{
public:
    CommandLine();
    CommandLine(const CommandLine &) = delete;
    CommandLine &operator=(const CommandLine &) = delete;

    /// The command that the words (without the program's name) ask for, ready to run; once. Throws CLI::ParseError.
    CommandFunction parsed(const std::vector<std::string> &words);
    /// The options of a command; nullptr: there is none of this name.
    const CLI::App *command(const std::string &name) const;
    /// As --progress says, once the words are parsed.
    ProgressForm progressForm() const { return m_progress == "json" ? ProgressForm::Json : ProgressForm::Text; }
    /// Prints what parsed() threw: help, version or an error. Returns CLI11's exit code.
    int exit(const CLI::Error &error) const { return m_app.exit(error); }

private:
    CLI::App m_app;
    CommandFunction m_chosen;
    std::string m_progress = "text";
};

} // namespace headscope::cli
