#include "core/io/adapter.h"

#include "core/formats/jsonfile.h"
#include "core/io/checkpoint.h"
#include "core/io/hubcache.h"
#include "core/io/unset.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr const char *kConfig = "adapter_config.json";

/// Keys that change no number of a model that is merged.
constexpr std::string_view kHarmless[] = {"auto_mapping",
                                          "base_model_name_or_path",
                                          "revision",
                                          "inference_mode",
                                          "task_type",
                                          "peft_version",
                                          "target_modules",
                                          "exclude_modules",
                                          "layers_to_transform",
                                          "layers_pattern",
                                          "lora_dropout",
                                          "loftq_config",
                                          "eva_config",
                                          "corda_config",
                                          "modules_to_save",
                                          "peft_type",
                                          "r",
                                          "lora_alpha",
                                          "use_rslora",
                                          "fan_in_fan_out",
                                          "init_lora_weights",
                                          "megatron_core",
                                          "rank_pattern",
                                          "qalora_group_size",
                                          "bias",
                                          "runtime_config",
                                          "ensure_weight_tying",
                                          "modules_pattern"};

Error refused(const fs::path &file, const std::string &key, const nlohmann::json &value, const std::string &known)
{
    return badInput(fmt::format("{}: \"{}\" is {}; Headscope merges {}. Merge the adapter with peft "
                                "(merge_and_unload()), save that, and open the result.",
                                file.string(), key, value.dump().substr(0, 60), known));
}

/// The factor of an adapter's matrices, but for their rank.
struct Settings
{
    double alpha = 8;
    std::int64_t rank = 8;
    bool anyRank = false; ///< "rank_pattern" gives some modules others
    bool byRoot = false;
    bool transposed = false;

    double scale(std::int64_t own) const
    {
        const auto rows = static_cast<double>(own);
        return alpha / (byRoot ? std::sqrt(rows) : rows);
    }
};

Result<Settings> readSettings(const fs::path &file, const nlohmann::json &config)
{
    if (!config.is_object())
        return badInput(file.string() + " is no JSON object.");
    const nlohmann::json kind = config.value("peft_type", nlohmann::json());
    if (kind != "LORA")
        return refused(file, "peft_type", kind, "adapters of low rank (LORA)");
    if (config.value("use_dora", nlohmann::json()) == true)
        return refused(file, "use_dora", true, "LoRA without magnitudes of its own (DoRA)");
    const nlohmann::json bias = config.value("bias", nlohmann::json("none"));
    if (bias != "none")
        return refused(file, "bias", bias, "adapters without biases (\"none\")");
    const nlohmann::json begun = config.value("init_lora_weights", nlohmann::json(true));
    if (!begun.is_boolean() && !begun.is_null() && begun != "gaussian" && begun != "eva" && begun != "orthogonal")
        return refused(file, "init_lora_weights", begun, "adapters that were begun without a change of their base");
    for (const auto &[key, value] : config.items()) {
        if (std::ranges::find(kHarmless, key) == std::end(kHarmless) && !isUnset(value))
            return refused(file, key, value, "adapters without it");
    }
    Settings settings;
    const auto rank = config.value("r", nlohmann::json(8));
    const auto alpha = config.value("lora_alpha", nlohmann::json(8));
    if (!rank.is_number_integer() || rank < 1 || rank > (1 << 16))
        return badInput(fmt::format("{}: \"r\" is {}, expected a whole number from 1.", file.string(), rank.dump()));
    if (!alpha.is_number() || !std::isfinite(alpha.get<double>()))
        return badInput(fmt::format("{}: \"lora_alpha\" is {}, expected a number.", file.string(), alpha.dump()));
    settings.rank = rank.get<std::int64_t>();
    settings.alpha = alpha.get<double>();
    settings.anyRank = !isUnset(config.value("rank_pattern", nlohmann::json()));
    settings.byRoot = config.value("use_rslora", nlohmann::json()) == true;
    settings.transposed = config.value("fan_in_fan_out", nlohmann::json()) == true;
    return settings;
}

/// The base's tensor that peft names, with the prefix of its model or without; empty: it has none.
std::string nameInBase(const std::string &name, const Checkpoint &base)
{
    if (base.contains(name))
        return name;
    const std::size_t dot = name.find('.');
    const std::string bare = dot == std::string::npos ? std::string() : name.substr(dot + 1);
    return base.contains(bare) ? bare : std::string();
}

torch::Tensor wide(const torch::Tensor &tensor)
{
    return tensor.scalar_type() == torch::kFloat64 ? tensor : tensor.to(torch::kFloat32);
}

class Merger
{
public:
    Merger(const fs::path &folder, const Checkpoint &base, const Checkpoint &adapter, const Settings &settings)
        : m_folder(folder), m_base(base), m_adapter(adapter), m_settings(settings)
    {
    }

    Result<Done> add(const std::string &name)
    {
        constexpr std::string_view kPrefix = "base_model.model.";
        if (!name.starts_with(kPrefix))
            return unknown(name);
        const std::string own = name.substr(kPrefix.size());
        for (const auto &[down, up, isEmbedding] : kPairs) {
            if (own.ends_with(up))
                return m_adapter.contains(name.substr(0, name.size() - up.size()) + std::string(down))
                         ? Result<Done>(Done{})
                         : unknown(name);
            if (own.ends_with(down))
                return addProduct(own.substr(0, own.size() - down.size()) + ".weight", name,
                                  name.substr(0, name.size() - down.size()) + std::string(up), isEmbedding);
        }
        const std::string target = nameInBase(own, m_base);
        if (target.empty() || own.find("lora_") != std::string::npos)
            return unknown(name);
        auto tensor = m_adapter.tensor(name);
        if (!tensor.isOk())
            return tensor.error();
        if (m_adapter.shape(name) != m_base.shape(target))
            return wrongShape(name, target);
        merged[target] = wide(tensor.value());
        return Done{};
    }

    std::map<std::string, torch::Tensor> merged;

private:
    struct Pair
    {
        std::string_view down, up;
        bool isEmbedding;
    };
    static constexpr Pair kPairs[] = {{".lora_A.weight", ".lora_B.weight", false},
                                      {".lora_A.default.weight", ".lora_B.default.weight", false},
                                      {".lora_embedding_A", ".lora_embedding_B", true}};

    Error unknown(const std::string &name) const
    {
        return badInput(
            fmt::format("{}: the adapter's tensor {} belongs to nothing in the base model. Is it an adapter of "
                        "another model?",
                        m_folder.string(), name));
    }
    Error wrongShape(const std::string &name, const std::string &target) const
    {
        return badInput(
            fmt::format("{}: the adapter's tensor {} does not go with the base's {} (shapes, or \"r\" in {}).",
                        m_folder.string(), name, target, kConfig));
    }

    /// A [r, in] and B [out, r]; of embeddings A [r, rows] and B [width, r].
    Result<Done> addProduct(const std::string &own, const std::string &down, const std::string &up, bool isEmbedding)
    {
        const std::string target = nameInBase(own, m_base);
        if (target.empty() || !m_adapter.contains(up))
            return unknown(down);
        const auto a = m_adapter.tensor(down), b = m_adapter.tensor(up), weight = m_base.tensor(target);
        for (const auto *tensor : {&a, &b, &weight}) {
            if (!tensor->isOk())
                return tensor->error();
        }
        const bool transposed = isEmbedding || m_settings.transposed;
        if (a.value().dim() != 2 || b.value().dim() != 2 || weight.value().dim() != 2)
            return wrongShape(down, target);
        const std::int64_t rank = a.value().size(0);
        const std::int64_t rows = weight.value().size(transposed ? 1 : 0);
        const std::int64_t columns = weight.value().size(transposed ? 0 : 1);
        if (rank < 1 || b.value().size(1) != rank || b.value().size(0) != rows || a.value().size(1) != columns
            || (!m_settings.anyRank && rank != m_settings.rank))
            return wrongShape(down, target);
        auto product = torch::matmul(wide(b.value()), wide(a.value())) * m_settings.scale(rank);
        const auto before = merged.contains(target) ? merged.at(target) : wide(weight.value());
        merged[target] = (before + (transposed ? product.t() : product)).contiguous();
        return Done{};
    }

    const fs::path &m_folder;
    const Checkpoint &m_base;
    const Checkpoint &m_adapter;
    const Settings &m_settings;
};

} // namespace

bool hasAdapter(const fs::path &folder)
{
    std::error_code error;
    return fs::exists(folder / kConfig, error);
}

std::vector<fs::path> filesOfAdapter(const fs::path &folder)
{
    std::vector<fs::path> files;
    for (const char *name : {kConfig, "adapter_model.safetensors", "adapter_model.bin"}) {
        std::error_code error;
        if (files.size() < 2 && fs::exists(folder / name, error))
            files.push_back(folder / name);
    }
    return files;
}

Result<fs::path> folderOfModel(const fs::path &folder)
{
    std::error_code error;
    if (!hasAdapter(folder) || fs::exists(folder / "config.json", error))
        return folder;
    const auto config = readJsonFile(folder / kConfig);
    if (!config.isOk())
        return config.error();
    const nlohmann::json base = config.value().is_object()
                                  ? config.value().value("base_model_name_or_path", nlohmann::json())
                                  : nlohmann::json();
    if (!base.is_string() || base.get<std::string>().empty())
        return badInput(
            (folder / kConfig).string()
            + " does not name its base model (\"base_model_name_or_path\"). Put the adapter's files into the "
              "folder of that.");
    const fs::path named = base.get<std::string>();
    const bool isBeside = named.is_relative() && fs::exists(folder / named / "config.json", error);
    auto found = isBeside ? Result<fs::path>(folder / named) : modelFolder(named);
    if (!found.isOk())
        return badInput(folder.string() + " holds an adapter of the model " + named.string() + ". "
                        + found.error().message);
    if (!fs::exists(found.value() / "config.json", error))
        return badInput(folder.string() + " holds an adapter of " + found.value().string()
                        + ", which has no config.json.");
    return found;
}

Result<fs::path> folderOfTokenizer(const fs::path &folder)
{
    std::error_code error;
    const bool isOwn
        = fs::exists(folder / "tokenizer.json", error) || fs::exists(folder / "tokenizer_config.json", error);
    return isOwn ? Result<fs::path>(folder) : folderOfModel(folder);
}

Result<std::map<std::string, torch::Tensor>> mergedTensors(const fs::path &folder, const Checkpoint &base)
{
    const auto config = readJsonFile(folder / kConfig);
    if (!config.isOk())
        return config.error();
    const auto settings = readSettings(folder / kConfig, config.value());
    if (!settings.isOk())
        return settings.error();
    const std::vector<fs::path> files = filesOfAdapter(folder);
    if (files.size() < 2)
        return badInput(folder.string()
                        + " has adapter_config.json, but neither adapter_model.safetensors nor "
                          "adapter_model.bin.");
    const auto adapter = Checkpoint::openFile(files.back());
    if (!adapter.isOk())
        return adapter.error();
    Merger merger(folder, base, adapter.value(), settings.value());
    for (const std::string &name : adapter.value().names()) {
        const auto added = merger.add(name);
        if (!added.isOk())
            return added.error();
    }
    return std::move(merger.merged);
}

} // namespace headscope
