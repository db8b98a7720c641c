#include "app/cli/commands/commands.h"

#include "app/cli/help.h"
#include "app/cli/output.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// The command completion: a script by which bash or zsh completes commands, options and their values, made from the
/// same declarations as --help.
namespace headscope::cli {

namespace {

struct CompletedOption
{
    std::vector<std::string> names; ///< with their dashes
    std::string help;
    std::string type;                ///< as --help has it; empty: a flag
    std::vector<std::string> values; ///< those that there are, where they are few

    bool isFile() const { return type.find("FILE") != std::string::npos || type.find("TABLE") != std::string::npos; }
    bool isFolder() const { return type.starts_with("DIR"); }
};

struct CompletedCommand
{
    std::string name;
    std::string summary;
    std::vector<CompletedOption> options;
    bool takesFiles = false; ///< as arguments
};

/// "json|csv" as a list; a type in capitals stands for any text.
std::vector<std::string> valuesOf(std::string type)
{
    const bool areValues = type.find('|') != std::string::npos
                        && std::ranges::none_of(type, [](unsigned char c) { return c >= 'A' && c <= 'Z'; });
    if (!areValues)
        return {};
    if (type.ends_with(",..."))
        type.resize(type.size() - 4);
    return CLI::detail::split(type, '|');
}

CompletedOption completed(const CLI::Option &option)
{
    CompletedOption one;
    for (const std::string &name : option.get_snames())
        one.names.push_back("-" + name);
    for (const std::string &name : option.get_lnames())
        one.names.push_back("--" + name);
    one.help = option.get_description();
    if (option.get_type_size() != 0) {
        one.type = typeText(option.get_option_text().empty() ? option.get_type_name() : option.get_option_text());
        one.values = valuesOf(one.type);
    }
    return one;
}

CompletedCommand completed(const CLI::App &app)
{
    CompletedCommand command;
    command.name = app.get_name();
    command.summary = app.get_description();
    for (const CLI::Option *option : app.get_options()) {
        if (option->get_positional())
            command.takesFiles = true;
        else
            command.options.push_back(completed(*option));
    }
    return command;
}

std::vector<std::string> namesOf(const std::vector<CompletedOption> &options)
{
    std::vector<std::string> names;
    for (const CompletedOption &option : options)
        names.insert(names.end(), option.names.begin(), option.names.end());
    return names;
}

/// Cases of bash: which words may follow an option of a command.
std::string bashValues(const CompletedCommand &command)
{
    std::string cases;
    for (const CompletedOption &option : command.options) {
        if (option.type.empty())
            continue;
        std::vector<std::string> patterns;
        for (const std::string &name : option.names)
            patterns.push_back(fmt::format("\"{} {}\"", command.name, name));
        const std::string reply = !option.values.empty() ? fmt::format("words=\"{}\"", fmt::join(option.values, " "))
                                : option.isFolder()      ? "files=-d"
                                : option.isFile()        ? "files=-f"
                                                         : "files=none";
        cases += fmt::format("        {}) {} ;;\n", fmt::join(patterns, "|"), reply);
    }
    return cases;
}

constexpr std::string_view kBashFrame = R"(# bash completion of headscope-cli, made by: headscope-cli completion bash
_headscope_cli()
{{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= words= files= i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${{COMP_WORDS[i]}} in
            --progress) ((i++)) ;;
            -*) ;;
            *) command=${{COMP_WORDS[i]}}; break ;;
        esac
    done
    # --option=value: bash has made three words of it.
    if [[ $word == = ]]; then
        word=
    elif [[ $before == = ]]; then
        before=${{COMP_WORDS[COMP_CWORD-2]}}
    fi
    case "$command $before" in
{values}        *)
            case $command in
                "") words="{commands} {globals}" ;;
{options}            esac
            ;;
    esac
    [[ $files == none ]] && return
    [[ -n $files ]] && compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(
        [[ -z $words ]] || compgen -W "$words" -- "$word"
        [[ -z $files ]] || compgen "$files" -- "$word"
    )
}}
complete -F _headscope_cli headscope-cli
)";

std::string bashScript(const CompletedCommand &program, const std::vector<CompletedCommand> &commands)
{
    std::string values;
    std::string options;
    std::vector<std::string> names;
    for (const CompletedOption &option : program.options) {
        if (!option.values.empty())
            values += fmt::format("        \" {}\") words=\"{}\" ;;\n", option.names.back(),
                                  fmt::join(option.values, " "));
    }
    for (const CompletedCommand &command : commands) {
        names.push_back(command.name);
        values += bashValues(command);
        options += fmt::format("                {}) words=\"{}\"{} ;;\n", command.name,
                               fmt::join(namesOf(command.options), " "),
                               command.takesFiles ? "; [[ $word == -* ]] || files=-f" : "");
    }
    return fmt::format(kBashFrame, fmt::arg("values", values), fmt::arg("commands", fmt::join(names, " ")),
                       fmt::arg("globals", fmt::join(namesOf(program.options), " ")), fmt::arg("options", options));
}

/// In single quotes of a shell, and without what separates the parts of a specification of zsh.
std::string zshText(const std::string &text)
{
    std::string quoted;
    for (const char c : text) {
        if (c == '\'')
            quoted += "'\\''";
        else if (c == '[' || c == ']' || c == ':' || c == '\\')
            quoted += std::string("\\") + c;
        else
            quoted += c == '\n' ? ' ' : c;
    }
    return quoted;
}

std::string zshOptions(const CompletedCommand &command)
{
    std::string lines;
    for (const CompletedOption &option : command.options) {
        for (const std::string &name : option.names) {
            lines += fmt::format("                '{}[{}]", name, zshText(option.help));
            if (!option.values.empty())
                lines += fmt::format(":{}:({})", zshText(option.names.back()), fmt::join(option.values, " "));
            else if (!option.type.empty())
                lines += fmt::format(":{}:{}", zshText(option.type),
                                     option.isFolder() ? "_files -/"
                                     : option.isFile() ? "_files"
                                                       : " ");
            lines += "' \\\n";
        }
    }
    return lines;
}

std::string zshScript(const CompletedCommand &program, const std::vector<CompletedCommand> &commands)
{
    std::string script = "#compdef headscope-cli\n"
                         "# zsh completion of headscope-cli, made by: headscope-cli completion zsh\n"
                         "_headscope_cli()\n{\n    local -a commands\n    commands=(\n";
    for (const CompletedCommand &command : commands)
        script += fmt::format("        '{}:{}'\n", command.name, zshText(command.summary));
    script += "    )\n    local state line\n    _arguments -C \\\n" + zshOptions(program)
            + "                '1:command:->command' '*::argument:->argument'\n    case $state in\n"
              "        command) _describe command commands ;;\n        argument) case $line[1] in\n";
    for (const CompletedCommand &command : commands)
        script += fmt::format("            {}) _arguments \\\n{}                '*:file:{}' ;;\n", command.name,
                              zshOptions(command), command.takesFiles ? "_files" : " ");
    return script + "        esac ;;\n    esac\n}\n_headscope_cli \"$@\"\n";
}

void printScript(const CLI::App &app, const std::string &shell)
{
    std::vector<CompletedCommand> commands;
    for (const CLI::App *command : app.get_subcommands({}))
        commands.push_back(completed(*command));
    const CompletedCommand program = completed(app);
    writeText({}, shell == "bash" ? bashScript(program, commands) : zshScript(program, commands));
}

} // namespace

void addCompletionCommand(CLI::App &app, CommandFunction &chosen)
{
    auto shell = std::make_shared<std::string>();
    CLI::App *command = app.add_subcommand("completion", "Print a script by which bash or zsh completes commands");
    command->add_option("SHELL", *shell, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
    command->footer("bash: source <(headscope-cli completion bash), in ~/.bashrc. zsh: headscope-cli completion zsh >\n"
                    "FOLDER/_headscope-cli, where FOLDER is in $fpath. Packages have both.");
    command->callback([&chosen, &app, shell] { chosen = [&app, shell](Context &) { printScript(app, *shell); }; });
}

} // namespace headscope::cli
