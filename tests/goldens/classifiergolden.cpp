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

/// A list of layers of an encoder, or an object with those of every kind of attention.
std::map<HeadKind, nlohmann::json> byKind(const nlohmann::json &json)
{
    if (!json.is_object())
        return {{HeadKind::Encoder, json}};
    std::map<HeadKind, nlohmann::json> kinds;
    for (const auto &[kind, layers] : json.items())
        kinds[parseHeadKind(kind).valueOrThrow()] = layers;
    return kinds;
}

std::map<HeadKind, std::vector<torch::Tensor>> perLayerOfKinds(const nlohmann::json &json)
{
    std::map<HeadKind, std::vector<torch::Tensor>> kinds;
    for (const auto &[kind, layers] : byKind(json))
        kinds[kind] = perLayer(layers);
    return kinds;
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
    if (json.contains("read"))
        json.at("read").get_to(row.read);
    row.gateGradients = perLayerOfKinds(json.at("gate_gradients"));
    const auto source = std::ssize(row.ids);
    const auto target = std::ssize(row.read);
    for (const auto &[kind, layers] : byKind(json.at("attention"))) {
        for (const nlohmann::json &layer : layers) {
            auto &heads = row.attention[kind].emplace_back();
            for (const nlohmann::json &head : layer)
                heads.push_back(numbers(head).view(
                    {kind == HeadKind::Encoder ? source : target, kind == HeadKind::Decoder ? target : source}));
        }
    }
    return row;
}

} // namespace

ClassifierGolden ClassifierGolden::read(const std::filesystem::path &folder)
{
    ClassifierGolden golden;
    golden.folder = folder;
    golden.json = readJsonFile(folder / "golden.json").valueOrThrow();
    if (golden.json.contains("stacks")) {
        for (const auto &[kind, stack] : byKind(golden.json.at("stacks")))
            stack.at("heads").get_to(golden.heads[kind]);
    } else {
        golden.json.at("heads").get_to(golden.heads[HeadKind::Encoder]);
    }
    golden.importance = perLayerOfKinds(golden.json.at("importance"));
    for (const nlohmann::json &row : golden.json.at("rows"))
        golden.rows.push_back(readRow(row));
    for (const nlohmann::json &json : golden.json.at("masks")) {
        GoldenMask mask;
        for (const nlohmann::json &head : json.at("heads"))
            mask.mask.set(head.size() == 3 ? HeadRef{parseHeadKind(head.at(0).get<std::string>()).valueOrThrow(),
                                                     head.at(1).get<int>(), head.at(2).get<int>()}
                                           : HeadRef{HeadKind::Encoder, head.at(0).get<int>(), head.at(1).get<int>()},
                          true);
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
    return model.classify(model.classifiedPosition(model.encode(batch, gates, recorder).hidden, batch.lengths));
}

torch::Tensor classify(const Transformer &model, const std::vector<GoldenRow> &rows, const HeadGates &gates,
                       Recorder *recorder)
{
    const TransformerSpec &spec = model.spec();
    const TokenBatch source = batchOf(rows, spec.generation.padId);
    if (!spec.decoder)
        return classify(model, source, gates, recorder);
    std::vector<std::vector<std::int64_t>> read;
    for (const GoldenRow &row : rows)
        read.push_back(row.read);
    const TokenBatch prefix = TokenBatch::pad(read, spec.generation.padId, model.device());
    const Memory memory = spec.encoder ? model.encode(source, gates, recorder) : Memory();
    return model.classify(model.classifiedPosition(
        model.decode(prefix, spec.encoder ? &memory : nullptr, gates, recorder), prefix.lengths));
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
