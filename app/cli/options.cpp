#include "app/cli/options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace headscope::cli {

void addModelOptions(CLI::App &command, ModelArguments &arguments)
{
    constexpr const char *kGroup = "Model";
    command.add_option("--model", arguments.folder, "Folder with config.json, weights and tokenizer files")
        ->required()
        ->type_name("DIR")
        ->group(kGroup);
    command.add_option("--device", arguments.options.device, "auto, cpu, cuda or cuda:N")
        ->capture_default_str()
        ->type_name("NAME")
        ->group(kGroup);
    command.add_option("--dtype", arguments.options.dtype, "What to compute in")
        ->check(CLI::IsMember({"f32", "bf16"}))
        ->capture_default_str()
        ->group(kGroup);
    command.add_option("--threads", arguments.options.threads, "Processor threads; 0 = one per core")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str()
        ->type_name("N")
        ->group(kGroup);
}

void addDataOptions(CLI::App &command, DataSource &data)
{
    constexpr const char *kGroup = "Data";
    command.add_option("--source", data.source, "Source sentences, one a line (.gz and .xz too)")
        ->type_name("FILE")
        ->group(kGroup);
    command.add_option("--reference", data.reference, "Their translations, line by line")
        ->type_name("FILE")
        ->group(kGroup);
    command.add_option("--data", data.table, "A table instead: .tsv, .csv or .jsonl")->type_name("FILE")->group(kGroup);
    command.add_option("--text-column", data.textColumn, "Column of the text")->type_name("NAME")->group(kGroup);
    command.add_option("--pair-column", data.pairColumn, "Column of the second text")
        ->type_name("NAME")
        ->group(kGroup);
    command.add_option("--label-column", data.labelColumn, "Column of the label or reference")
        ->type_name("NAME")
        ->group(kGroup);
    command.add_option("--conllu", data.conllu, "Sentences with dependency trees")->type_name("FILE")->group(kGroup);
    command.add_option("--limit", data.limit, "Only the first N examples; 0 = all")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str()
        ->type_name("N")
        ->group(kGroup);
}

void addRunOptions(CLI::App &command, RunOptions &run)
{
    constexpr const char *kGroup = "Computation";
    constexpr const char *kModels = "; default: the model's own setting";
    command.add_option("--beams", run.decoding.beams, std::string("Beams, 1 = greedy") + kModels)
        ->check(CLI::PositiveNumber)
        ->type_name("K")
        ->group(kGroup);
    command.add_option("--length-penalty", run.decoding.lengthPenalty, std::string("Of beam search") + kModels)
        ->type_name("X")
        ->group(kGroup);
    command.add_option("--max-length", run.decoding.maxLength, std::string("Most tokens of an output") + kModels)
        ->check(CLI::PositiveNumber)
        ->type_name("N")
        ->group(kGroup);
    command.add_option("--batch-tokens", run.batchTokens, "Source tokens in a batch, padding included")
        ->check(CLI::PositiveNumber)
        ->capture_default_str()
        ->type_name("N")
        ->group(kGroup);
    command.add_option("--seed", run.seed, "Of everything that is drawn at random")
        ->capture_default_str()
        ->type_name("S")
        ->group(kGroup);
    command.add_flag("--plain", run.plain, "Switch every fast path off")->group(kGroup);
}

void addMaskOption(CLI::App &command, std::string &mask)
{
    command.add_option("--mask", mask, "Heads that are off throughout: encoder.0.3,cross.2.1")
        ->type_name("HEADS")
        ->group("Computation");
}

void addOutputOptions(CLI::App &command, OutputArguments &output, bool withTable)
{
    constexpr const char *kGroup = "Output";
    command.add_option("--out", output.file, "Write the result here instead of standard output")
        ->type_name("FILE")
        ->group(kGroup);
    if (withTable)
        command.add_option("--format", output.format, "Form of the result")
            ->check(CLI::IsMember({"json", "csv"}))
            ->capture_default_str()
            ->group(kGroup);
    command.add_flag("--quiet", output.quiet, "No progress and no notes on standard error")->group(kGroup);
}

void addCommonOptions(CLI::App &command, CommonArguments &arguments)
{
    addModelOptions(command, arguments.model);
    addDataOptions(command, arguments.data);
    addRunOptions(command, arguments.run);
    addMaskOption(command, arguments.mask);
    addOutputOptions(command, arguments.output, true);
}

HeadMask checkedMask(const std::string &text, const HeadLayout &layout)
{
    HeadMask mask = parseHeadMask(text).valueOrThrow();
    for (const HeadRef &head : mask) {
        if (!layout.contains(head))
            throw Failure(usageError(fmt::format("--mask: the model has no head {}; `inspect` lists its heads.",
                                                 toText(head))));
    }
    return mask;
}

void checkData(const DataSource &data, bool needsReference)
{
    const int given = !data.source.empty() + !data.table.empty() + !data.conllu.empty();
    if (given != 1)
        throw Failure(usageError(given == 0 ? "No data: give --source FILE (and --reference FILE), --data FILE or "
                                              "--conllu FILE."
                                            : "Give only one of --source, --data and --conllu."));
    if (!data.reference.empty() && data.source.empty())
        throw Failure(usageError("--reference goes with --source; a table has its references in --label-column."));
    if (needsReference && !data.source.empty() && data.reference.empty())
        throw Failure(usageError("This command measures against references: give --reference FILE."));
}

} // namespace headscope::cli
