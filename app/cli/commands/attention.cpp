#include "app/cli/commands/commands.h"

#include "app/cli/clioptions.h"
#include "app/cli/output.h"
#include "core/base/phases.h"
#include "core/exporting/attentionfile.h"
#include "core/exporting/csv.h"
#include "core/results/fieldsjson.h"
#include "core/results/rollout.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headscope::cli {

namespace {

/// Weights that are printed: about 10 MB as JSON. More go into a file.
constexpr std::int64_t kMostPrinted = 1'000'000;

struct AttentionArguments
{
    CommonArguments common;
    std::vector<std::string> texts;
    std::vector<std::string> targets;
    std::vector<std::string> pairs;
    std::vector<std::int64_t> indices;
    bool useReference = false;
    bool rollout = false;
    std::string neurons; ///< of this head
    AttentionMeasure measure = AttentionMeasure::Weights;
    std::string mapsFile;
};

void check(const AttentionArguments &arguments)
{
    const bool fromData = arguments.texts.empty();
    if (fromData)
        checkData(arguments.common.data, arguments.useReference);
    else if (arguments.common.data != DataSource())
        throw Failure(usageError("Give either --text or a data set, not both."));
    for (const auto &[option, values] :
         {std::pair("--target", arguments.targets), std::pair("--pair", arguments.pairs)}) {
        if (!values.empty() && values.size() != arguments.texts.size())
            throw Failure(usageError(fmt::format("{} {} for {} --text: give one for each, or none.", values.size(),
                                                 option, arguments.texts.size())));
    }
    if (!fromData && (arguments.useReference || !arguments.indices.empty()))
        throw Failure(usageError("--index and --use-reference need a data set; they cannot be combined with "
                                 "--text."));
    const OutputArguments &output = arguments.common.output;
    if (arguments.rollout && (output.isCsv() || output.file.ends_with(".safetensors")))
        throw Failure(usageError("--rollout is written as JSON only: leave --format csv and --out FILE.safetensors "
                                 "out."));
    if (!arguments.neurons.empty() && (output.isCsv() || output.file.ends_with(".safetensors")))
        throw Failure(
            usageError("--neurons are written as JSON only: leave --format csv and --out FILE.safetensors out."));
    checkWritable(output, inputsOf(arguments.common));
    checkWritable({arguments.mapsFile, {}, false}, inputsOf(arguments.common));
}

/// A text, and beside it what the decoder says (empty: the model's own translation), or the second text of a pair
/// (which may be empty).
struct Sentence
{
    std::string text;
    std::optional<std::string> beside;
    SentenceTree tree{};
    std::int64_t index = -1; ///< row of the data set
};

/// --target is for translation models, --pair for classifiers, and so are the columns of the data.
Sentence sentenceOf(const DataRow &row, std::int64_t index, const ModelCard &model, bool useReference)
{
    if (model.task != "translation")
        return {row.source, row.isPair ? std::optional(row.pair) : std::nullopt, row.tree, index};
    return {row.source, useReference ? std::optional(row.reference) : std::nullopt, row.tree, index};
}

std::vector<Sentence> sentencesOf(const AttentionArguments &arguments, Session &session, Context &context)
{
    const ModelCard &model = session.card();
    const bool translates = model.task == "translation";
    if (!translates && (!arguments.targets.empty() || arguments.useReference))
        throw Failure(
            usageError("This model has no decoder, so there is no target text. A classifier's second text goes "
                       "in --pair."));
    if (model.task != "classification" && !arguments.pairs.empty())
        throw Failure(usageError("--pair is for classifiers; the target text of a translation model goes in "
                                 "--target."));
    std::vector<Sentence> sentences;
    const auto &beside = translates ? arguments.targets : arguments.pairs;
    for (std::size_t i = 0; i < arguments.texts.size(); ++i)
        sentences.push_back({arguments.texts[i], beside.empty() ? std::nullopt : std::optional(beside[i])});
    if (!sentences.empty())
        return sentences;

    const RunOptions &run = arguments.common.run;
    const DataCard card = context.load(session, withTaskPrefix(drawn(arguments.common.data, run), run, model));
    std::vector<std::int64_t> indices = arguments.indices;
    for (std::int64_t i = 0; arguments.indices.empty() && i < card.rows; ++i)
        indices.push_back(i);
    for (const std::int64_t index : indices) {
        if (index < 0 || index >= card.rows)
            throw Failure(usageError(fmt::format("--index {}: the data set has rows 0 to {}.", index, card.rows - 1)));
        sentences.push_back(sentenceOf(session.rows(Domain::In)->at(index), index, model, arguments.useReference));
    }
    return sentences;
}

/// Standard output is for a few sentences: a terminal, or a program that reads all of it, would choke on the maps of a
/// data set. Throws Failure.
void checkPrinted(const OutputArguments &output, const AttentionResult &result, std::int64_t &printed)
{
    for (const AttentionMap &map : result.maps)
        printed += std::ssize(map.weights);
    if (output.file.empty() && printed > kMostPrinted)
        throw Failure(usageError(
            fmt::format("These maps have more than {} weights, which is too much to print. Give --out FILE.json, or "
                        "FILE.safetensors, which is far smaller; or choose sentences by --index or --limit.",
                        kMostPrinted)));
}

/// The head that --neurons names.
std::optional<HeadRef> neuronHead(const AttentionArguments &arguments, const HeadLayout &layout)
{
    if (arguments.neurons.empty())
        return {};
    const HeadRef head = parseHeadRef(arguments.neurons).valueOrThrow();
    if (!layout.contains(head))
        throw Failure(usageError(fmt::format("--neurons {}: the model has no such head.", arguments.neurons)));
    return head;
}

/// Rollout of every kind of self-attention, through all of its layers: a row for every token.
Json rolloutJson(const AttentionResult &result, AttentionMeasure measure)
{
    Json rollouts = Json::object();
    for (const HeadKind kind : {HeadKind::Encoder, HeadKind::Decoder}) {
        int layers = 0;
        for (const AttentionMap &map : result.maps)
            layers = map.head.kind == kind ? std::max(layers, map.head.layer + 1) : layers;
        const std::vector<float> rollout = attentionRollout(result, kind, measure, layers);
        const std::size_t size = kind == HeadKind::Encoder ? result.sourceTokens.size() : result.targetTokens.size();
        if (rollout.empty())
            continue;
        Json rows = Json::array();
        for (auto row = rollout.begin(); row != rollout.end(); row += static_cast<std::ptrdiff_t>(size))
            rows.push_back(std::vector<float>(row, row + static_cast<std::ptrdiff_t>(size)));
        rollouts[std::string(headKindName(kind))] = std::move(rows);
    }
    return rollouts;
}

/// Maps by --measure: weights, or norms in their place.
std::vector<AttentionResult> measured(std::vector<AttentionResult> results, AttentionMeasure measure)
{
    for (AttentionResult &result : results) {
        for (AttentionMap &map : result.maps)
            map.weights = measuredWeights(map, measure);
    }
    return results;
}

/// Maps of sentences, and which rows of the data set these are; none of given texts.
struct Found
{
    std::vector<AttentionResult> results;
    std::vector<std::int64_t> rows;
    std::vector<NeuronResult> neurons; ///< of every sentence, if asked for
};

void writeMaps(const AttentionArguments &arguments, const Found &found)
{
    const OutputArguments &output = arguments.common.output;
    const AttentionMeasure measure = arguments.measure;
    const std::vector<AttentionResult> results = measured(found.results, measure);
    const std::map<std::string, std::string> common{{"measure", std::string(toText(measure))}};
    if (!arguments.mapsFile.empty())
        (void)writeAttentionFile(arguments.mapsFile, results, found.rows, common).valueOrThrow();
    if (output.file.ends_with(".safetensors")) {
        (void)writeAttentionFile(output.file, results, found.rows, common).valueOrThrow();
        return;
    }
    if (output.isCsv()) {
        if (results.size() != 1)
            throw Failure(usageError("--format csv holds the maps of one sentence; choose one with --index."));
        const AttentionResult &one = results.front();
        writeForms(output, {[&] { return toJson(one); }, [&] { return toCsv(one, measure); }, &one.manifest});
        return;
    }
    Json sentences = Json::array();
    for (std::size_t i = 0; i < results.size(); ++i) {
        sentences.push_back(toJson(results[i]));
        sentences.back()["measure"] = toText(measure);
        if (!found.rows.empty())
            sentences.back()["index"] = found.rows[i];
        if (arguments.rollout)
            sentences.back()["rollout"] = rolloutJson(found.results[i], measure);
        if (!found.neurons.empty())
            sentences.back()["neurons"] = fieldsJson(found.neurons[i]);
    }
    writeText(output, jsonText({{"sentences", std::move(sentences)}}, -1) + "\n");
}

void run(const AttentionArguments &arguments, Context &context)
{
    const CommonArguments &common = arguments.common;
    context.setQuiet(common.output.quiet);
    check(arguments);
    const auto session = context.open(common.model);
    const HeadMask mask = checkedMask(common.mask, session->card().layout);
    const auto head = neuronHead(arguments, session->card().layout);
    const auto sentences = sentencesOf(arguments, *session, context);
    checkDecoding(common.run, session->card());
    Found found;
    std::vector<AttentionResult> &results = found.results;
    const auto data = session->data(Domain::In);
    std::int64_t printed = 0;
    for (const Sentence &sentence : sentences) {
        auto result
            = session->attention(sentence.text, sentence.beside, mask, common.run, context.control(), sentence.tree);
        if (result.isCancelled()) {
            if (!results.empty())
                writeMaps(arguments, found);
            throw Cancelled();
        }
        results.push_back(std::move(result).valueOrThrow());
        checkPrinted(common.output, results.back(), printed);
        if (head)
            found.neurons.push_back(session->neurons(results.back(), *head, mask, context.control()).valueOrThrow());
        if (data) {
            found.rows.push_back(sentence.index);
            results.back().manifest.data = data->name;
            results.back().manifest.dataHash = data->hash;
        }
        if (results.back().cut && !data) // of rows it was said
            context.note(fmt::format("\"{}\" is longer than the model's maximum length: its end was cut off",
                                     sentence.text.substr(0, 40)));
        context.control().progress({kPhaseMaps, "sentences", static_cast<std::int64_t>(results.size()),
                                    static_cast<std::int64_t>(sentences.size())});
    }
    writeMaps(arguments, found);
}

} // namespace

void addAttentionCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<AttentionArguments>();
    constexpr const char *kGroup = "Analysis";
    CLI::App *command = app.add_subcommand("attention", "Write the attention maps of all heads for given sentences");
    addCommonOptions(*command, arguments->common);
    // Exactly one value each time: a sentence may begin with anything.
    command->add_option("--text", arguments->texts, "A source sentence or text; may be given several times")
        ->take_all()
        ->allow_extra_args(false)
        ->type_name("TEXT")
        ->group(kGroup);
    command
        ->add_option("--target", arguments->targets,
                     "Target text to force the decoder to; default: the "
                     "model's own output")
        ->take_all()
        ->allow_extra_args(false)
        ->type_name("TEXT")
        ->group(kGroup);
    command->add_option("--pair", arguments->pairs, "The second text of a pair, for classifiers")
        ->take_all()
        ->allow_extra_args(false)
        ->type_name("TEXT")
        ->group(kGroup);
    command->add_option("--index", arguments->indices, "Rows of the data set, from 0; default: all")
        ->delimiter(',')
        ->check(wholeNumber(0))
        ->type_name("I,J,...")
        ->group(kGroup);
    command
        ->add_flag("--use-reference", arguments->useReference,
                   "Force the decoder to the data set's "
                   "references")
        ->group(kGroup);
    CliOptions(*command, kGroup)
        .choice(
            "measure", arguments->measure,
            "Attention weights; norms of what is added for a key; or norm-shares, these by their sum over the keys");
    command->add_flag("--rollout", arguments->rollout, "Attention rollout through all layers too (JSON)")
        ->group(kGroup);
    command
        ->add_option(
            "--neurons", arguments->neurons,
            "Queries, keys, scores and biases of this head too (JSON): scale times query by key plus bias is the logit "
            "that weights are the softmax of (Vig 2019)")
        ->type_name("HEAD")
        ->group(kGroup);
    command
        ->add_option("--maps", arguments->mapsFile,
                     "Write the maps as safetensors too (--out FILE.safetensors: only "
                     "as safetensors)")
        ->type_name("FILE")
        ->group("Output");
    command->footer(fmt::format(
        "Without --out at most {} weights are printed, a few dozen sentences of a small model: the maps of a "
        "data set go into a file.",
        kMostPrinted));
    command->callback([&chosen, arguments] { chosen = [arguments](Context &context) { run(*arguments, context); }; });
}

} // namespace headscope::cli
