#include "app/cli/clioptions.h"
#include "app/cli/commands/commands.h"
#include "app/cli/output.h"
#include "core/base/enumnames.h"
#include "core/exporting/attentionpattern.h"
#include "core/results/anyresult.h"
#include "core/results/json.h"

#include <CLI/CLI.hpp>

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace headscope::cli {

namespace {

/// The program that a pattern is for.
enum class PatternForm {
    DuoAttention,
    RetrievalHead, ///< and HeadKV
};

} // namespace

} // namespace headscope::cli

namespace headscope {

template<>
struct EnumNames<cli::PatternForm>
{
    static constexpr std::array<std::string_view, 2> values{"duo-attention", "retrieval-head"};
    static constexpr const char *what = "form of patterns";
};

} // namespace headscope

namespace headscope::cli {

namespace {

struct PatternArguments
{
    std::string result;
    PatternForm form = PatternForm::DuoAttention;
    bool config = false;
    OutputArguments output;
};

void run(const PatternArguments &arguments, Context &context)
{
    context.setQuiet(arguments.output.quiet);
    checkWritable(arguments.output, {arguments.result});
    const AnyResult result = readResult(arguments.result).valueOrThrow();
    if (const auto retrieval = result.as<RetrievalResult>()) {
        if (arguments.config)
            throw Failure(usageError("--config: retrieval scores say nothing of how many keys streaming heads need."));
        const bool asScores = arguments.form == PatternForm::RetrievalHead;
        writeText(arguments.output,
                  (asScores ? retrievalScores(*retrieval) : attentionPattern(*retrieval)).valueOrThrow());
        return;
    }
    const auto sweep = result.as<AblationResult>();
    if (!sweep)
        throw Failure(badInput(arguments.result + " is no result of ablate or retrieval."));
    if (arguments.form == PatternForm::RetrievalHead)
        throw Failure(usageError("--as retrieval-head is for results of retrieval."));
    const std::string pattern = attentionPattern(*sweep).valueOrThrow();
    writeText(arguments.output, arguments.config ? attentionPatternConfig(*sweep) : pattern);
}

} // namespace

void addPatternCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<PatternArguments>();
    CLI::App *command = app.add_subcommand(
        "pattern", "Write what windows cost key groups, or retrieval scores, for programs that shorten caches");
    command
        ->add_option("RESULT", arguments->result,
                     "JSON result of ablate --replace window --by key-group, or of retrieval")
        ->required()
        ->type_name("FILE");
    CliOptions(*command, {})
        .choice("as", arguments->form,
                "Program that reads it: duo-attention, or of retrieval scores retrieval-head, whose "
                "files HeadKV reads as well");
    command->add_flag("--config", arguments->config,
                      "Write the pattern's config.json instead: how many keys streaming heads see");
    addOutputOptions(*command, arguments->output, false);
    command->footer(
        "DuoAttention's load_attn_pattern() reads a folder with both files, full_attention_heads.tsv and config.json: a\n"
        "line for each layer, a number from 0 to 1 for each key head; those with the largest keep all keys. 1 is the group\n"
        "whose window costs the score most, 0 are those whose window costs nothing; of retrieval the largest score of the\n"
        "heads that read the key head. --as retrieval-head writes {\"LAYER-HEAD\": [SCORE], ...}.");
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
