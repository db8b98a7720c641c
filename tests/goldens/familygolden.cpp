#include "tests/goldens/familygolden.h"

#include "core/formats/jsonfile.h"

#include <torch/types.h>

#include <algorithm>
#include <stdexcept>

namespace headscope::testing {
namespace {

FamilyRow readRow(const nlohmann::json &json)
{
    FamilyRow row;
    json.at("input_ids").get_to(row.ids);
    if (json.contains("token_type_ids"))
        json.at("token_type_ids").get_to(row.types);
    if (json.contains("decoder_input_ids"))
        json.at("decoder_input_ids").get_to(row.targets);
    std::vector<torch::Tensor> positions;
    for (const nlohmann::json &position : json.at("logits"))
        positions.push_back(numbers(position));
    row.logits = torch::stack(positions);
    const nlohmann::json attention = json.value("attention", nlohmann::json::object());
    for (const auto &[kind, layers] : attention.items()) {
        auto &ours = row.attention[parseHeadKind(kind).valueOrThrow()];
        for (const nlohmann::json &layer : layers) {
            auto &heads = ours.emplace_back();
            for (const nlohmann::json &head : layer)
                heads.push_back(numbers(head));
        }
    }
    return row;
}

FamilyMask readMask(const nlohmann::json &json)
{
    FamilyMask mask;
    for (const nlohmann::json &head : json.at("heads"))
        mask.mask.set(
            {parseHeadKind(head.at(0).get<std::string>()).valueOrThrow(), head.at(1).get<int>(), head.at(2).get<int>()},
            true);
    for (const nlohmann::json &row : json.at("logits"))
        mask.logits.push_back(numbers(row));
    return mask;
}

/// `score` is empty for greedy search.
std::vector<FamilyOutput> readOutputs(const nlohmann::json &list, const std::string &tokens, const std::string &score)
{
    std::vector<FamilyOutput> outputs;
    for (const nlohmann::json &json : list) {
        FamilyOutput &output = outputs.emplace_back();
        json.at(tokens).get_to(output.tokens);
        if (!score.empty())
            json.at(score).get_to(output.score);
    }
    return outputs;
}

} // namespace

FamilyGolden FamilyGolden::read(const std::filesystem::path &folder)
{
    FamilyGolden golden;
    golden.folder = folder;
    golden.json = readJsonFile(folder / "golden.json").valueOrThrow();
    golden.json.at("kind").get_to(golden.kind);
    for (const nlohmann::json &row : golden.json.at("rows"))
        golden.rows.push_back(readRow(row));
    for (const nlohmann::json &mask : golden.json.value("masks", nlohmann::json::array()))
        golden.masks.push_back(readMask(mask));
    if (const auto generation = golden.json.find("generation"); generation != golden.json.end()) {
        golden.greedy = readOutputs(generation->at("greedy"), "tokens", "");
        // Of translations Headscope keeps to 4.27, which counts the start token; a prompt is not counted.
        const bool prompts = golden.json.at("kind") == "language_model";
        golden.beams
            = readOutputs(generation->at("beam"), prompts ? "tokens" : "tokens_4_27", prompts ? "score" : "score_4_27");
    }
    return golden;
}

std::vector<std::int64_t> FamilyGolden::prompt(std::size_t row) const
{
    const nlohmann::json &generation = json.at("generation");
    if (generation.contains("prompts"))
        return generation.at("prompts").at(row).get<std::vector<std::int64_t>>();
    return {greedy[row].tokens.front()};
}

GenerationSettings FamilyGolden::settings(const TransformerSpec &spec, int beams) const
{
    GenerationSettings settings = spec.generation;
    settings.beams = beams;
    for (const auto &[key, value] : json.at("generation").at("call").items()) {
        if (key != "forced_bos_token_id")
            throw std::runtime_error(name() + ": the test does not know the argument " + key);
        settings.forcedFirst = value.get<std::int64_t>();
    }
    return settings;
}

double FamilyGolden::scaleOf(const FamilyRow &row)
{
    return std::max(1.0, row.logits.abs().max().item<double>());
}

std::optional<Memory> memoryOf(const Transformer &model, const std::vector<FamilyRow> &rows, const HeadGates &gates)
{
    if (!model.spec().encoder)
        return std::nullopt;
    return model.encode(batchOf(rows, model.spec().generation.padId), gates);
}

torch::Tensor outputsOf(const Transformer &model, const FamilyGolden &golden, const std::vector<FamilyRow> &rows,
                        const HeadGates &gates, Recorder *recorder)
{
    const std::int64_t pad = model.spec().generation.padId;
    const TokenBatch batch = batchOf(rows, pad);
    if (golden.kind == "language_model")
        return model.logits(model.decode(batch, nullptr, gates, recorder));
    const Memory memory = model.encode(batch, gates, recorder);
    if (golden.kind == "encoder")
        return memory.hidden;
    if (golden.kind == "masked_lm")
        return model.logits(memory.hidden);
    std::vector<std::vector<std::int64_t>> targets;
    for (const FamilyRow &row : rows)
        targets.push_back(row.targets);
    return model.logits(model.decode(TokenBatch::pad(targets, pad, torch::kCPU), &memory, gates, recorder));
}

} // namespace headscope::testing
