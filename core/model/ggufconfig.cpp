#include "core/model/ggufconfig.h"

#include "core/formats/gguf.h"
#include "core/io/ggufnames.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

/// Reads a file's values under the prefix of its architecture; the first that is wrong is kept.
class Values
{
public:
    Values(const GgufFile &file, std::string path) : m_file(file), m_path(std::move(path))
    {
        const nlohmann::json &kind = file.value("general.architecture");
        m_prefix = (kind.is_string() ? kind.get<std::string>() : std::string()) + '.';
    }

    std::string architecture() const { return m_prefix.substr(0, m_prefix.size() - 1); }
    const nlohmann::json &get(const std::string &key) const { return m_file.value(m_prefix + key); }
    bool has(const std::string &key) const { return !get(key).is_null(); }

    std::int64_t count(const std::string &key)
    {
        const nlohmann::json &value = get(key);
        if (!value.is_number_integer() || value < 1 || value > (1 << 28)) {
            fail(key, value, "a positive whole number");
            return 1;
        }
        return value.get<std::int64_t>();
    }
    std::int64_t count(const std::string &key, std::int64_t usual) { return has(key) ? count(key) : usual; }

    double number(const std::string &key)
    {
        const nlohmann::json &value = get(key);
        if (!value.is_number() || !std::isfinite(value.get<double>())) {
            fail(key, value, "a number");
            return 1;
        }
        return shortest(value.get<double>());
    }
    double number(const std::string &key, double usual) { return has(key) ? number(key) : usual; }

    void fail(const std::string &key, const nlohmann::json &value, const std::string &expected)
    {
        if (!m_error)
            m_error = badInput(fmt::format(
                "{}: \"{}{}\" is {}; Headscope reads {}.", m_path, m_prefix, key,
                value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).substr(0, 60), expected));
    }
    const std::optional<Error> &error() const { return m_error; }

private:
    /// A number of 32 bits as its author wrote it: 1e-6, not 9.99999997e-07.
    static double shortest(double value) { return std::stod(fmt::format("{}", static_cast<float>(value))); }

    const GgufFile &m_file;
    std::string m_path;
    std::string m_prefix;
    std::optional<Error> m_error;
};

nlohmann::json stretched(Values &values, const Checkpoint &checkpoint)
{
    if (checkpoint.contains(
            kGgufRopeFactors)) { // what turns are divided by, which longrope has for short and long texts
        const auto factors = checkpoint.tensor(kGgufRopeFactors);
        if (!factors.isOk() || factors.value().scalar_type() != torch::kFloat32) {
            values.fail(kGgufRopeFactors, nlohmann::json(), "a tensor of F32");
            return {};
        }
        const auto *first = factors.value().data_ptr<float>();
        const std::vector<double> list(first, first + factors.value().numel());
        return {{"rope_type", "longrope"}, {"factor", 1.0},
                {"attention_factor", 1.0}, {"short_factor", list},
                {"long_factor", list},     {"original_max_position_embeddings", values.count("context_length")}};
    }
    const nlohmann::json type = values.get("rope.scaling.type");
    if (type.is_null() || type == "none")
        return {};
    nlohmann::json scaling{{"rope_type", type}, {"factor", values.number("rope.scaling.factor")}};
    if (type == "yarn")
        scaling["original_max_position_embeddings"]
            = values.count("rope.scaling.original_context_length", values.count("context_length"));
    else if (type != "linear")
        values.fail("rope.scaling.type", type, "none, linear and yarn");
    for (const char *key : {"rope.scaling.attn_factor", "rope.scaling.yarn_log_multiplier"}) {
        if (values.has(key))
            values.fail(key, values.get(key), "models without it");
    }
    return scaling;
}

/// The keys that only Gemma's families have. The scale of scores is not in the file: llama.cpp knows the largest models
/// by their number of layers.
void addGemma(nlohmann::json &config, Values &values)
{
    const bool isThird = values.architecture() == "gemma3";
    const bool isLargest = config["num_hidden_layers"] == (isThird ? 62 : 46);
    const auto heads = config["num_attention_heads"].get<std::int64_t>();
    config["query_pre_attn_scalar"]
        = isLargest ? config["hidden_size"].get<std::int64_t>() / heads : config["head_dim"].get<std::int64_t>();
    config["hidden_activation"] = "gelu_pytorch_tanh";
    config["sliding_window"] = values.count("attention.sliding_window");
    const auto cap
        = [&](const char *key) { return values.has(key) ? nlohmann::json(values.number(key)) : nlohmann::json(); };
    config["final_logit_softcapping"] = cap("final_logit_softcapping");
    config["attn_logit_softcapping"] = cap("attn_logit_softcapping");
    if (!isThird)
        return;
    config["rope_local_base_freq"] = values.number("rope.freq_base_swa", 10000);
    config["sliding_window_pattern"] = values.count("attention.sliding_window_pattern", 6);
}

void refuse(Values &values, const nlohmann::json &config)
{
    const auto only = [&](const char *key, const nlohmann::json &value) {
        if (values.has(key) && values.get(key) != value)
            values.fail(key, values.get(key), fmt::format("models where it is {}", value.dump()));
    };
    only("expert_count", 0);
    only("attention.value_length", config["head_dim"]);
    only("rope.dimension_count", config["head_dim"]);
    only("attention.causal", true);
    only("rope.scale_linear", 1.0);
}

} // namespace

Result<nlohmann::json> ggufConfig(const Checkpoint &checkpoint, const std::filesystem::path &path)
{
    constexpr const char *kTable = "model.embed_tokens.weight";
    const auto file = readGguf(path);
    if (!file.isOk())
        return file.error();
    if (!checkpoint.contains(kTable))
        return badInput(path.string() + " has no tensor \"token_embd.weight\". Is it a part of a model?");
    Values values(file.value(), path.string());
    const bool isGemma3 = values.architecture() == "gemma3";
    const std::int64_t width = values.count("embedding_length"), heads = values.count("attention.head_count");
    nlohmann::json config{{"model_type", isGemma3 ? "gemma3_text" : values.architecture()},
                          {"vocab_size", checkpoint.shape(kTable).front()},
                          {"hidden_size", width},
                          {"num_hidden_layers", values.count("block_count")},
                          {"intermediate_size", values.count("feed_forward_length")},
                          {"num_attention_heads", heads},
                          {"num_key_value_heads", values.count("attention.head_count_kv", heads)},
                          {"head_dim", values.count("attention.key_length", std::max<std::int64_t>(width / heads, 1))},
                          {"max_position_embeddings", values.count("context_length")},
                          {"rms_norm_eps", values.number("attention.layer_norm_rms_epsilon")},
                          {"rope_theta", values.number("rope.freq_base", 10000)},
                          {"attention_bias", checkpoint.contains("model.layers.0.self_attn.q_proj.bias")},
                          {"tie_word_embeddings", !checkpoint.contains("lm_head.weight")}};
    if (const nlohmann::json scaling = stretched(values, checkpoint); !scaling.is_null())
        config["rope_scaling"] = scaling;
    if (values.architecture().starts_with("gemma"))
        addGemma(config, values);
    refuse(values, config);
    for (const auto &[key, name] :
         {std::pair("bos_token_id", "bos"), {"eos_token_id", "eos"}, {"pad_token_id", "padding"}})
        config[key] = file.value().value(fmt::format("tokenizer.ggml.{}_token_id", name));
    if (values.error())
        return *values.error();
    return config;
}

} // namespace headscope
