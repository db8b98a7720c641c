#include "app/cli/commands/commands.h"

#include "app/cli/environmentjson.h"
#include "app/cli/output.h"
#include "core/session/families.h"

#include <CLI/CLI.hpp>

namespace headscope::cli {

namespace {

struct InspectArguments
{
    ModelArguments model;
    bool families = false;
    OutputArguments output;
};

/// "heads" counts them per layer; a pruned model also says which ones are left.
Json attentionJson(const HeadLayout &layout)
{
    Json kinds = Json::array();
    for (const auto &block : layout.blocks()) {
        Json counts = Json::array();
        bool gaps = false;
        for (const auto &heads : block.layers) {
            counts.push_back(heads.size());
            gaps = gaps || (!heads.empty() && heads.back() + 1 != static_cast<int>(heads.size()));
        }
        Json kind = {{"kind", headKindName(block.kind)}, {"layers", block.layers.size()}, {"heads", counts}};
        if (gaps)
            kind["head_numbers"] = block.layers;
        kinds.push_back(std::move(kind));
    }
    return kinds;
}

/// As config.json spells it.
std::string problemName(ProblemType problem)
{
    switch (problem) {
    case ProblemType::SingleLabel:
        return "single_label_classification";
    case ProblemType::MultiLabel:
        return "multi_label_classification";
    case ProblemType::Regression:
        return "regression";
    }
    return {};
}

void writeFamilies(const OutputArguments &output)
{
    Json families = Json::array();
    for (const FamilyCard &card : knownFamilies())
        families.push_back({{"model_type", card.modelType}, {"models", card.models}});
    writeText(output, jsonText({{"result", "families"}, {"families", families}}) + "\n");
}

void run(const InspectArguments &arguments, Context &context)
{
    context.setQuiet(arguments.output.quiet);
    if (arguments.families)
        return writeFamilies(arguments.output);
    checkWritable(arguments.output, {arguments.model.folder});
    const auto session = context.open(arguments.model);
    const ModelCard &card = session->card();
    Json json = {{"result", "inspect"},
                 {"model", card.folder.string()},
                 {"family", card.family},
                 {"task", card.task},
                 {"parameters", card.parameters},
                 {"memory_bytes", card.memoryBytes},
                 {"width", card.width},
                 {"attention", attentionJson(card.layout)},
                 {"heads", card.layout.size()},
                 {"tokenizer", card.tokenizer},
                 {"generation", card.generation},
                 {"metric", card.primaryMetric},
                 {"device", card.device},
                 {"dtype", card.dtype},
                 {"weights_hash", card.weightsHash},
                 {"files", card.files},
                 {"warnings", card.warnings},
                 {"environment", environmentJson()}};
    if (!card.tasks.empty())
        json["tasks"] = card.tasks;
    if (!card.labels.empty()) {
        json["problem"] = problemName(card.problem);
        json["labels"] = card.labels;
    }
    if (!card.languages.empty()) {
        json["languages"] = card.languages;
        json["source_language"] = card.sourceLanguage;
        json["target_language"] = card.targetLanguage;
    }
    writeText(arguments.output, jsonText(json) + "\n");
}

} // namespace

void addInspectCommand(CLI::App &app, CommandFunction &chosen)
{
    auto arguments = std::make_shared<InspectArguments>();
    CLI::App *command = app.add_subcommand("inspect", "Describe the content of a model folder");
    addModelOptions(*command, arguments->model);
    command->get_option("--model")->required(false);
    command->add_flag("--families", arguments->families, "Instead of a model: say which can be opened")
        ->excludes("--model");
    addOutputOptions(*command, arguments->output, false);
    command->callback([&chosen, arguments] {
        if (arguments->model.folder.empty() && !arguments->families)
            throw CLI::RequiredError("--model");
        chosen = [arguments](Context &context) { run(*arguments, context); };
    });
}

} // namespace headscope::cli
