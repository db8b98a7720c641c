#include "tests/goldens/goldens.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <cstdlib>

namespace headscope::testing {

std::vector<std::filesystem::path> goldenFolders(const std::string &collection)
{
    const char *source = std::getenv("HEADSCOPE_SOURCE_DIR");
    std::vector<std::filesystem::path> folders;
    const auto root = std::filesystem::path(source != nullptr ? source : ".") / "tests/goldens" / collection;
    std::error_code missing;
    for (const auto &entry : std::filesystem::directory_iterator(root, missing)) {
        if (entry.is_directory())
            folders.push_back(entry.path());
    }
    std::ranges::sort(folders);
    return folders;
}

std::filesystem::path copyOf(const std::string &name, const std::vector<std::filesystem::path> &folders,
                             const std::filesystem::path &target)
{
    for (const auto &folder : folders) {
        if (folder.filename() == name)
            std::filesystem::copy(folder, target);
    }
    return target;
}

void copyInto(const std::filesystem::path &from, const std::filesystem::path &to)
{
    namespace fs = std::filesystem;
    fs::create_directories(to);
    fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
}

LoadedModel loadGolden(const std::filesystem::path &folder)
{
    return loadModel(folder, torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
}

std::string refusal(const std::filesystem::path &folder)
{
    const auto model = loadModel(folder, torch::TensorOptions(torch::kFloat32), {});
    return model.isOk() ? "opened without complaint" : model.error().message;
}

torch::Tensor numbers(const nlohmann::json &values)
{
    return torch::tensor(values.get<std::vector<double>>(), torch::kFloat64);
}

torch::Tensor logitsOfText(const LoadedModel &loaded, const nlohmann::json &golden)
{
    const auto batch = TokenBatch::pad({golden.at("ids").get<std::vector<std::int64_t>>()}, 0, torch::kCPU);
    return loaded.transformer->logits(loaded.transformer->decode(batch, nullptr, {}))[0].to(torch::kFloat64);
}

torch::Tensor logitsIn(const nlohmann::json &golden)
{
    std::vector<torch::Tensor> rows;
    for (const nlohmann::json &row : golden.at("logits"))
        rows.push_back(numbers(row));
    return torch::stack(rows);
}

double relativeDistance(const torch::Tensor &a, const torch::Tensor &b)
{
    return ((a - b).abs().max() / b.abs().max().clamp_min(1)).item<double>();
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
