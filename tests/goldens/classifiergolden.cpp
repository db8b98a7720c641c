#include "tests/goldens/classifiergolden.h"

#include "core/formats/jsonfile.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cstdlib>

namespace headscope::testing {
namespace {

torch::Tensor numbers(const nlohmann::json &values)
{
    return torch::tensor(values.get<std::vector<double>>(), torch::kFloat64);
}

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

std::vector<std::filesystem::path> classifierFolders()
{
    const char *source = std::getenv("HEADSCOPE_SOURCE_DIR");
    std::vector<std::filesystem::path> folders;
    const auto root = std::filesystem::path(source != nullptr ? source : ".") / "tests/goldens/classifiers";
    std::error_code missing;
    for (const auto &entry : std::filesystem::directory_iterator(root, missing)) {
        if (entry.is_directory())
            folders.push_back(entry.path());
    }
    std::ranges::sort(folders);
    return folders;
}

TokenBatch batchOf(const std::vector<GoldenRow> &rows, std::int64_t padId)
{
    std::vector<std::vector<std::int64_t>> ids, types;
    for (const GoldenRow &row : rows) {
        ids.push_back(row.ids);
        types.push_back(row.types.empty() ? std::vector<std::int64_t>(row.ids.size(), 0) : row.types);
    }
    TokenBatch batch = TokenBatch::pad(ids, padId, torch::kCPU);
    if (std::ranges::any_of(rows, [](const GoldenRow &row) { return !row.types.empty(); }))
        batch.typeIds = TokenBatch::pad(types, 0, torch::kCPU).ids;
    return batch;
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

bool LargestDifferences::within(double tolerance, const std::string &what, const std::string &where,
                                const torch::Tensor &ours, const torch::Tensor &theirs)
{
    if (ours.numel() != theirs.numel()) {
        m_failure = fmt::format("{}, {}: {} values, expected {}", where, what, ours.numel(), theirs.numel());
        return false;
    }
    if (ours.numel() == 0)
        return true;
    const auto difference = (ours.detach().reshape({-1}).to(torch::kFloat64) - theirs.reshape({-1})).abs();
    const double largest = difference.max().item<double>();
    auto &[known, place] = m_largest[what];
    if (!(largest <= known)) {
        known = largest;
        place = where;
    }
    if (largest <= tolerance)
        return true;
    m_failure = fmt::format("{}, {}: differs by {:.3g} from Hugging Face, allowed are {:.3g}", where, what, largest,
                            tolerance);
    return false;
}

std::string LargestDifferences::report() const
{
    std::string text;
    for (const auto &[what, largest] : m_largest)
        text += fmt::format("{}{}: {:.2g} ({})", text.empty() ? "" : "\n", what, largest.first, largest.second);
    return text;
}

} // namespace headscope::testing
