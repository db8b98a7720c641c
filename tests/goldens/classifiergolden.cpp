#include "tests/goldens/classifiergolden.h"

#include "core/formats/jsonfile.h"

#include <torch/torch.h>

namespace headscope::testing {
namespace {

std::vector<torch::Tensor> perLayer(const nlohmann::json &layers)
{
    std::vector<torch::Tensor> tensors;
    for (const nlohmann::json &layer : layers)
        tensors.push_back(numbers(layer));
    return tensors;
}

GoldenRow readRow(const nlohmann::json &json)
{
    GoldenRow row;
    json.at("input_ids").get_to(row.ids);
    if (json.contains("token_type_ids"))
        json.at("token_type_ids").get_to(row.types);
    row.label = json.at("label");
    row.logits = numbers(json.at("logits"));
    row.loss = json.at("loss").get<double>();
    row.gateGradients = perLayer(json.at("gate_gradients"));
    const auto length = std::ssize(row.ids);
    for (const nlohmann::json &layer : json.at("attention")) {
        auto &heads = row.attention.emplace_back();
        for (const nlohmann::json &head : layer)
            heads.push_back(numbers(head).view({length, length}));
    }
    return row;
}

} // namespace

ClassifierGolden ClassifierGolden::read(const std::filesystem::path &folder)
{
    ClassifierGolden golden;
    golden.folder = folder;
    golden.json = readJsonFile(folder / "golden.json").valueOrThrow();
    golden.json.at("heads").get_to(golden.heads);
    golden.importance = perLayer(golden.json.at("importance"));
    for (const nlohmann::json &row : golden.json.at("rows"))
        golden.rows.push_back(readRow(row));
    for (const nlohmann::json &json : golden.json.at("masks")) {
        GoldenMask mask;
        for (const nlohmann::json &head : json.at("heads"))
            mask.mask.set({HeadKind::Encoder, head.at(0).get<int>(), head.at(1).get<int>()}, true);
        mask.logits = torch::stack(perLayer(json.at("logits")));
        golden.masks.push_back(std::move(mask));
    }
    return golden;
}

torch::Tensor ClassifierGolden::logits() const
{
    std::vector<torch::Tensor> all;
    for (const GoldenRow &row : rows)
        all.push_back(row.logits);
    return torch::stack(all);
}

torch::Tensor classify(const Transformer &model, const TokenBatch &batch, const HeadGates &gates, Recorder *recorder)
{
    return model.classify(model.encode(batch, gates, recorder).hidden.select(1, 0));
}

torch::Tensor huggingFaceLoss(const torch::Tensor &logits, const nlohmann::json &label, ProblemType problem)
{
    namespace F = torch::nn::functional;
    switch (problem) {
    case ProblemType::Regression:
        return (logits - label.get<double>()).pow(2).sum();
    case ProblemType::SingleLabel:
        return F::cross_entropy(logits.view({1, -1}), torch::tensor({label.get<std::int64_t>()}, torch::kInt64));
    case ProblemType::MultiLabel: {
        auto wanted = torch::zeros_like(logits.detach());
        for (const nlohmann::json &one : label)
            wanted[one.get<std::int64_t>()] = 1;
        return F::binary_cross_entropy_with_logits(logits, wanted);
    }
    }
    return {};
}

} // namespace headscope::testing
