#include "app/cli/options.h"

#include "app/cli/clioptions.h"
#include "app/cli/forecast.h"
#include "core/base/ranges.h"
#include "core/data/readingoptions.h"
#include "core/formats/aliveheads.h"
#include "core/formats/utf8.h"
#include "core/session/requireheads.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <system_error>

namespace headscope::cli {

namespace {

/// Digits, with a sign in front or without.
bool isWhole(const std::string &text)
{
    const std::size_t first = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
    return text.size() > first && text.find_first_not_of("0123456789", first) == std::string::npos;
}

/// As a message says it: no hundreds of digits.
std::string shortened(const std::string &text)
{
    constexpr std::size_t kShown = 24;
    return text.size() <= kShown ? text : text.substr(0, kShown) + "...";
}

} // namespace

CLI::Validator wholeNumber(std::int64_t least, std::int64_t most)
{
    const IntegerRange range{least, most};
    const auto check = [=](const std::string &text) -> std::string {
        std::int64_t value = 0;
        const char *begin = text.data() + (text.starts_with('+') ? 1 : 0);
        const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
        if (isWhole(text) && error == std::errc::result_out_of_range)
            return fmt::format("{} is too {}: expected {}", shortened(text), text.starts_with('-') ? "small" : "large",
                               rangeText(range));
        if (error != std::errc() || end != text.data() + text.size() || !isWithin(value, range))
            return fmt::format("{} is not {}", shortened(text), rangeText(range));
        return {};
    };
    return CLI::Validator(check, "");
}

CLI::Validator realNumber(double least, double most)
{
    const Range range{least, most};
    const auto check = [=](const std::string &text) -> std::string {
        double value = std::numeric_limits<double>::quiet_NaN();
        const char *begin = text.data() + (text.starts_with('+') ? 1 : 0);
        const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || !isWithin(value, range))
            return fmt::format("{} is not {}", shortened(text), rangeText(range));
        return {};
    };
    return CLI::Validator(check, "");
}

void checkUtf8(const std::vector<std::string> &words)
{
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (const auto at = firstInvalidUtf8(words[i]))
            throw CLI::ValidationError(fmt::format("argument {}", i + 1),
                                       fmt::format("it is not UTF-8 (byte {} is 0x{:02X})", *at + 1,
                                                   static_cast<unsigned char>(words[i][*at])));
    }
}

void addModelOptions(CLI::App &command, ModelArguments &arguments)
{
    constexpr const char *kGroup = "Model";
    command
        .add_option("--model", arguments.folder,
                    "Folder with config.json, weights and tokenizer files, a file in GGUF, or the name of a model in "
                    "Hugging Face's cache (org/name)")
        ->required()
        ->type_name("DIR")
        ->group(kGroup);
    command.add_option("--device", arguments.options.device, "auto, cpu, cuda, cuda:N or cuda:all")
        ->capture_default_str()
        ->type_name("NAME")
        ->group(kGroup);
    command.add_option("--dtype", arguments.options.dtype, "Number type of the computation")
        ->check(CLI::IsMember({"f32", "bf16"}))
        ->capture_default_str()
        ->group(kGroup);
    command
        .add_option("--source-language", arguments.options.sourceLanguage,
                    "For a multilingual model: the language of the source texts, as the model's code (de_DE, "
                    "deu_Latn, de); default: from its folder. inspect lists the codes")
        ->type_name("CODE")
        ->group(kGroup);
    command
        .add_option("--target-language", arguments.options.targetLanguage,
                    "For a multilingual model: the target language")
        ->type_name("CODE")
        ->group(kGroup);
    CliOptions(command, kGroup)
        .integer("threads", arguments.options.threads, kThreadsRange, "Processor threads; 0 = one per core");
    command
        .add_option("--work-folder", arguments.workFolder,
                    "Where sweeps keep what is done, so that the same call goes on after a stop or a kill; default: "
                    "unfinished, in the user's folder for what can be made anew; none: nowhere")
        ->type_name("DIR")
        ->group(kGroup);
}

namespace {

constexpr const char *kDataGroup = "Data";

/// The visitor of readingoptions.h.
class ReadingOptions : public CliOptions
{
public:
    explicit ReadingOptions(CLI::App &command) : CliOptions(command, kDataGroup), m_command(command) { }

    void without(const char *name, bool &value, const char *help)
    {
        m_command.add_flag(std::string("!--") + name, value, help)->group(kDataGroup);
    }
    void file(const char *name, std::string &path, const char *help)
    {
        m_command.add_option(std::string("--") + name, path, help)->type_name("FILE")->group(kDataGroup);
    }

private:
    CLI::App &m_command;
};

} // namespace

void addDataOptions(CLI::App &command, DataSource &data)
{
    ReadingOptions visit(command);
    describeSource(visit, data);
}

namespace {

/// Metrics by their usual other names and in any case; what is not known is left to the model's own list.
std::string metricName(std::string given)
{
    static const std::map<std::string, std::string> kNames = {{"accuracy", "accuracy"},
                                                              {"acc", "accuracy"},
                                                              {"f1", "F1"},
                                                              {"mcc", "Matthews"},
                                                              {"matthews", "Matthews"},
                                                              {"loss", "loss"},
                                                              {"bleu", "BLEU"},
                                                              {"chrf", "chrF2"},
                                                              {"chrf2", "chrF2"},
                                                              {"ppl", "perplexity"},
                                                              {"perplexity", "perplexity"},
                                                              {"pearson", "Pearson"},
                                                              {"spearman", "Spearman"}};
    const auto found = kNames.find(CLI::detail::to_lower(given));
    return found == kNames.end() ? given : found->second;
}

} // namespace

void addRunOptions(CLI::App &command, RunOptions &run)
{
    addSpecOptions(command, run, "Computation");
    command.get_option("--metric")
        ->transform(CLI::Validator([](std::string &name) { return name = metricName(name), std::string(); }, ""));
}

void addSecondDataOption(CLI::App &command, const char *option, std::vector<std::string> &files, const char *help)
{
    command.add_option(std::string("--") + option, files, help)
        ->expected(1, 3)
        ->type_name("TABLE | SOURCE REFERENCE [TREES] | TREES")
        ->group(kDataGroup);
}

namespace {

/// The words as options, over a data set that is read as usual. Throws CLI::ParseError.
DataSource readingOf(const std::vector<std::string> &words)
{
    DataSource data;
    CLI::App reader;
    reader.set_help_flag();
    ReadingOptions visit(reader);
    describeReading(visit, data);
    std::vector<std::string> options;
    for (const std::string &word : words) {
        if (word != kUsualReading)
            options.push_back("--" + word);
    }
    reader.parse(std::vector<std::string>(options.rbegin(), options.rend())); // CLI11 takes the last first
    return data;
}

} // namespace

void addSecondReadingOption(CLI::App &command, std::vector<std::string> &words)
{
    const auto check = [](const std::string &word) -> std::string {
        try {
            (void)readingOf({word});
            return {};
        } catch (const CLI::ParseError &error) {
            return error.what();
        }
    };
    command
        .add_option(std::string("--") + kSecondReading, words,
                    "How the second data set is read where it is not like the first: options of reading without their "
                    "dashes (text-column=1 no-header limit=500), all others being as usual; or the word usual")
        ->check(CLI::Validator(check, ""))
        ->type_name("OPTION[=VALUE] ...")
        ->group(kDataGroup);
}

bool isReadingOption(const std::string &name)
{
    DataSource data;
    CLI::App reader;
    reader.set_help_flag();
    ReadingOptions visit(reader);
    describeReading(visit, data);
    return reader.get_option_no_throw("--" + name) != nullptr;
}

DataSource readBy(const std::vector<std::string> &words, const DataSource &like)
{
    if (words.empty())
        return like;
    try {
        DataSource data = readingOf(words);
        data.source = like.source;
        data.reference = like.reference;
        data.table = like.table;
        data.text = like.text;
        data.conllu = like.conllu;
        data.sourcePrefix = like.sourcePrefix;
        data.shotsFile = like.shotsFile;
        data.sampleSeed = like.sampleSeed;
        return data;
    } catch (const CLI::ParseError &error) {
        throw Failure(usageError(fmt::format("--{}: {}", kSecondReading, error.what())));
    }
}

DataSource secondData(const std::vector<std::string> &files, const DataSource &like, const char *option)
{
    const bool parallel = !like.source.empty();
    const bool running = !like.text.empty();
    if (!parallel && !running && like.table.empty()) { // sentences with trees by themselves
        if (files.size() != 1)
            throw Failure(
                usageError(fmt::format("{}: give one file of sentences with trees, as for --conllu.", option)));
        DataSource trees = like;
        trees.name.clear();
        trees.conllu = files.front();
        return trees;
    }
    const std::size_t needed = parallel ? 2 : 1;
    if (files.size() != needed && files.size() != needed + 1)
        throw Failure(usageError(fmt::format("{}: give {}.", option,
                                             parallel ? "a source and a reference file, as for --source and --reference"
                                             : running ? "one file of running text, as for --text-file"
                                                       : "one table, as for --data")
                                 + std::string(" Trees (CoNLL-U) may follow.")));
    DataSource data = like;
    data.name.clear();
    data.conllu = files.size() > needed ? files.back() : std::string();
    (parallel ? data.source : running ? data.text : data.table) = files.front();
    if (parallel)
        data.reference = files[1];
    return data;
}

void addMaskOption(CLI::App &command, std::string &mask)
{
    command
        .add_option("--mask", mask,
                    "Heads masked throughout: encoder.0.3,cross.2.1; or a file with matrices of 0 and 1 "
                    "(\"alive_heads\" of Voita et al.'s code)")
        ->type_name("HEADS|FILE")
        ->group("Computation");
}

void addDryRunOption(CLI::App &command, std::optional<double> &seconds)
{
    command
        .add_option(
            "--dry-run", seconds,
            fmt::format(
                "Compute no result: run each part of the work for SECONDS ({:.0f} without a number) and say how "
                "long all of it takes on this machine, and how much memory",
                kUsualMeasuring))
        ->expected(0, 1)
        ->default_str(fmt::format("{:.0f}", kUsualMeasuring))
        ->check(realNumber(0))
        ->type_name("[SECONDS]")
        ->group("Output");
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
    command.add_flag("--quiet", output.quiet, "Write no progress and no notes to standard error")->group(kGroup);
}

void addCommonOptions(CLI::App &command, CommonArguments &arguments, bool withMask, bool withData)
{
    addModelOptions(command, arguments.model);
    if (withData)
        addDataOptions(command, arguments.data);
    addRunOptions(command, arguments.run);
    if (withMask)
        addMaskOption(command, arguments.mask);
    addOutputOptions(command, arguments.output, true);
}

HeadMask checkedMask(const std::string &text, const HeadLayout &layout, const char *option)
{
    std::error_code none;
    if (std::filesystem::is_regular_file(text, none))
        return readAliveHeads(text, layout).valueOrThrow();
    HeadMask mask = parseHeadMask(text).valueOrThrow();
    requireKnownHeads(mask, layout, option);
    return mask;
}

DataSource withTaskPrefix(DataSource data, const RunOptions &run, const ModelCard &model)
{
    const auto task = model.tasks.find(run.decoding.task);
    if (task != model.tasks.end() && data.sourcePrefix.empty() && data.text.empty())
        data.sourcePrefix = task->second;
    return data;
}

DataSource drawn(DataSource data, const RunOptions &run)
{
    data.sampleSeed = run.seed;
    return data;
}

void checkDecoding(const RunOptions &run, const ModelCard &model)
{
    const Decoding &decoding = run.decoding;
    if (model.task == "language-modelling")
        return;
    if (model.task == "translation" && !decoding.stop.empty())
        throw Failure(usageError("--stop ends what follows a prompt; this model translates: leave it out."));
    if (model.task != "translation"
        && (decoding.beams || decoding.lengthPenalty || decoding.maxLength || decoding.newTokens
            || !decoding.stop.empty() || !decoding.task.empty()))
        throw Failure(usageError(
            "--beams, --length-penalty, --max-length, --max-new-tokens, --stop and --task are for models that generate text; "
            "this one does "
            + model.task + ": leave them out."));
}

void checkOwnOutput(bool ownOutput, const ModelCard &model)
{
    if (ownOutput && model.task != "translation")
        throw Failure(usageError("--own-output forces a decoder to its own output; this model does " + model.task
                                 + ": leave it out."));
}

namespace {

void checkText(const DataSource &data)
{
    if (!data.text.empty()
        && !(data.source.empty() && data.reference.empty() && data.table.empty() && data.conllu.empty()))
        throw Failure(usageError("--text-file is a complete data set: leave out --source, --reference, --data "
                                 "and --conllu."));
    if (data.text.empty() && (data.textUnit != TextUnit::Line || data.stride > 0))
        throw Failure(usageError("--text-unit and --stride say how running text is cut: give --text-file FILE."));
    if (data.text.empty() && data.windowPredictions != WindowPredictions::All)
        throw Failure(usageError("--window-predictions says how running text is cut: give --text-file FILE."));
    if (data.conllu.empty() && data.documentWords != kDefaultDocumentWords)
        throw Failure(usageError("--document-words says how documents with coreference are cut: give --conllu FILE."));
}

} // namespace

void checkData(const DataSource &data, bool measures)
{
    checkText(data);
    if (data.limit > 0 && data.sample > 0)
        throw Failure(usageError("--limit takes the first examples, --sample draws them: give one."));
    if (data.source.empty() && data.table.empty() && data.conllu.empty() && data.text.empty())
        throw Failure(usageError("No data: give --data FILE (a table), --source FILE (and --reference FILE), "
                                 "--text-file FILE or --conllu FILE."));
    if (!data.source.empty() && !data.table.empty())
        throw Failure(usageError("Give only one of --source and --data."));
    if (!data.reference.empty() && data.source.empty() && data.conllu.empty())
        throw Failure(usageError("--reference needs --source or --conllu; a table has its references or labels "
                                 "in --label-column."));
    if (!data.reference.empty() && !data.table.empty())
        throw Failure(usageError("--reference does not go with --data: a table has its references or labels in "
                                 "--label-column."));
    const bool tableOptions = !data.textColumn.empty() || !data.pairColumn.empty() || !data.labelColumn.empty()
                           || !data.worseColumn.empty() || !data.paradigmColumn.empty() || !data.header || data.quoted
                           || !data.prompt.empty() || data.cloze || data.shots > 0 || !data.shotsFile.empty();
    if (data.table.empty() && tableOptions)
        throw Failure(usageError("--text-column, --pair-column, --label-column, --worse-column, --paradigm-column, "
                                 "--prompt, --cloze, --shots, --shots-file, --no-header and --quoted say how to read a "
                                 "table: give --data FILE."));
    if (data.shots > 0 && data.shotsFile.empty())
        throw Failure(usageError("--shots N says how many questions of --shots-file FILE stand before every question: "
                                 "give the file."));
    if (measures && data.table.empty() && data.reference.empty() && data.text.empty())
        throw Failure(usageError("This command needs references: give --reference FILE, or a table with labels "
                                 "(--data FILE). Language models are measured by running text (--text-file FILE) or "
                                 "minimal pairs (--data FILE)."));
}

} // namespace headscope::cli
