#include "tests/bench/randommodel.h"

#include "core/formats/atomicfile.h"
#include "core/formats/safetensors.h"
#include "core/model/family.h"
#include "core/model/weights.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <random>
#include <regex>
#include <set>
#include <string_view>

namespace headscope {
namespace {

enum class Purpose { Classify, Translate, Predict };

struct Shape
{
    std::string name;
    std::string type; ///< of config.json
    Purpose purpose = Purpose::Classify;
    int layers = 0; ///< of each stack
    int width = 0;
    int heads = 0;
    int feedForward = 0;
    int vocabulary = 0;
    int keyHeads = 0; ///< of a llama
};

const std::vector<Shape> &shapes()
{
    using enum Purpose;
    static const std::vector<Shape> all{{"bert-base", "bert", Classify, 12, 768, 12, 3072, 30522},
                                        {"bert-large", "bert", Classify, 24, 1024, 16, 4096, 30522},
                                        {"marian-big", "marian", Translate, 6, 1024, 16, 4096, 32000},
                                        {"gpt2", "gpt2", Predict, 12, 768, 12, 3072, 50257},
                                        {"pythia-1.4b", "gpt_neox", Predict, 24, 2048, 16, 8192, 50304},
                                        {"llama-8b-4-layers", "llama", Predict, 4, 4096, 32, 14336, 128256, 8},
                                        {"tiny-bert", "bert", Classify, 2, 32, 4, 64, 3000},
                                        {"small-bert", "bert", Classify, 8, 64, 8, 128, 3000},
                                        {"tiny-marian", "marian", Translate, 2, 32, 4, 64, 3000},
                                        {"tiny-gpt2", "gpt2", Predict, 2, 32, 4, 128, 3000},
                                        {"tiny-llama", "llama", Predict, 2, 32, 4, 64, 3000, 2}};
    return all;
}

constexpr int kFirstToken = 1000; ///< those before it may be special
constexpr int kEnd = 0;

nlohmann::json configOfGpt2(const Shape &shape)
{
    return {{"model_type", "gpt2"},
            {"architectures", {"GPT2LMHeadModel"}},
            {"vocab_size", shape.vocabulary},
            {"n_embd", shape.width},
            {"n_layer", shape.layers},
            {"n_head", shape.heads},
            {"n_inner", shape.feedForward},
            {"n_positions", 1024},
            {"bos_token_id", shape.vocabulary - 1},
            {"eos_token_id", shape.vocabulary - 1}};
}

nlohmann::json configOf(const Shape &shape)
{
    if (shape.type == "gpt2")
        return configOfGpt2(shape);
    nlohmann::json config{{"model_type", shape.type}, {"vocab_size", shape.vocabulary}};
    if (shape.purpose != Purpose::Translate)
        config.update({{"hidden_size", shape.width},
                       {"num_hidden_layers", shape.layers},
                       {"num_attention_heads", shape.heads},
                       {"intermediate_size", shape.feedForward},
                       {"max_position_embeddings", shape.purpose == Purpose::Classify ? 512 : 2048}});
    if (shape.type == "bert") {
        config.update({{"architectures", {"BertForSequenceClassification"}},
                       {"type_vocab_size", 2},
                       {"hidden_act", "gelu"},
                       {"num_labels", 2}});
    } else if (shape.type == "gpt_neox") {
        config.update({{"architectures", {"GPTNeoXForCausalLM"}},
                       {"hidden_act", "gelu"},
                       {"rotary_pct", 0.25},
                       {"rotary_emb_base", 10000},
                       {"layer_norm_eps", 1e-5},
                       {"tie_word_embeddings", false},
                       {"use_parallel_residual", true}});
    } else if (shape.type == "llama") {
        config.update({{"architectures", {"LlamaForCausalLM"}},
                       {"num_key_value_heads", shape.keyHeads},
                       {"hidden_act", "silu"},
                       {"rms_norm_eps", 1e-5},
                       {"rope_theta", 500000.0},
                       {"tie_word_embeddings", false}});
    } else {
        const int pad = shape.vocabulary - 1;
        config.update({{"architectures", {"MarianMTModel"}},
                       {"d_model", shape.width},
                       {"encoder_layers", shape.layers},
                       {"decoder_layers", shape.layers},
                       {"encoder_attention_heads", shape.heads},
                       {"decoder_attention_heads", shape.heads},
                       {"encoder_ffn_dim", shape.feedForward},
                       {"decoder_ffn_dim", shape.feedForward},
                       {"activation_function", "relu"},
                       {"max_position_embeddings", 512},
                       {"scale_embedding", true},
                       {"is_encoder_decoder", true},
                       {"bad_words_ids", {{pad}}},
                       {"decoder_start_token_id", pad},
                       {"eos_token_id", kEnd},
                       {"forced_eos_token_id", kEnd},
                       {"pad_token_id", pad},
                       {"num_beams", 1},
                       {"max_length", 32}});
    }
    return config;
}

/// Values for one tensor after the other; norms have weights near 1.
class RandomTensor
{
public:
    explicit RandomTensor(std::uint64_t seed) : m_random(static_cast<std::minstd_rand::result_type>(seed)) { }

    std::string_view next(const TensorEntry &entry)
    {
        std::size_t count = 1;
        for (const std::int64_t size : entry.shape)
            count *= static_cast<std::size_t>(size);
        static const std::regex norms("(norm|ln_1|ln_2|ln_f)\\.weight$", std::regex::icase);
        const bool isNorm = std::regex_search(entry.name, norms);
        const float mean = isNorm ? 1.0F : 0.0F;
        std::uniform_real_distribution<float> uniform(mean - 0.035F, mean + 0.035F);
        m_values.resize(count);
        for (float &value : m_values)
            value = uniform(m_random);
        return {reinterpret_cast<const char *>(m_values.data()), count * sizeof(float)};
    }

private:
    std::minstd_rand m_random;
    std::vector<float> m_values;
};

void writeWeights(const std::filesystem::path &file, const nlohmann::json &config, std::uint64_t seed)
{
    const Family *family = findFamily(config, "config.json").valueOrThrow();
    const TransformerSpec spec = family->makeSpec(config, {}).valueOrThrow();
    std::vector<TensorEntry> entries;
    std::set<std::string> known; // several weights may be parts of one tensor
    for (const auto &[slot, stored] : storedSlots(*family, spec)) {
        if (!known.insert(stored.name).second)
            continue;
        TensorEntry entry;
        entry.name = stored.name;
        entry.dtype = DType::F32;
        entry.shape = stored.storedShape;
        entries.push_back(std::move(entry));
    }
    const SafetensorsLayout layout = layoutSafetensors(entries, {{"format", "pt"}});
    RandomTensor values(seed);
    (void)writeFileAtomically(file, [&](const ByteSink &sink) {
        auto written = sink(layout.header);
        for (std::size_t i = 0; i < layout.order.size() && written.isOk(); ++i)
            written = sink(values.next(entries[layout.order[i]]));
        return written;
    }).valueOrThrow();
}

void writeRows(const std::filesystem::path &file, const Shape &shape, const RandomExamples &examples)
{
    std::minstd_rand random(2);
    std::uniform_int_distribution<int> token(kFirstToken, shape.vocabulary - 2);
    std::uniform_int_distribution<int> length(examples.shortest, examples.longest);
    const auto text = [&] {
        std::vector<int> ids(static_cast<std::size_t>(length(random)));
        for (int &id : ids)
            id = token(random);
        if (shape.purpose == Purpose::Translate)
            ids.back() = kEnd;
        return ids;
    };
    std::ofstream lines(file);
    for (int row = 0; row < examples.count; ++row) {
        nlohmann::json line{{"input_ids", text()}};
        if (shape.purpose == Purpose::Translate)
            line["labels"] = text();
        else if (shape.purpose == Purpose::Classify)
            line["label"] = row % 2;
        lines << line.dump() << '\n';
    }
}

} // namespace

const std::vector<std::string> &randomShapes()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const Shape &shape : shapes())
            all.push_back(shape.name);
        return all;
    }();
    return names;
}

void writeRandomModel(const std::filesystem::path &folder, const std::string &shape, const RandomExamples &examples,
                      std::uint64_t seed)
{
    const auto found = std::ranges::find(shapes(), shape, &Shape::name);
    if (found == shapes().end())
        throw Failure(usageError("There is no shape named " + shape + "."));
    const nlohmann::json config = configOf(*found);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "config.json") << config.dump(2) << '\n';
    writeRows(folder / "rows.jsonl", *found, examples);
    writeWeights(folder / "model.safetensors", config, seed);
}

} // namespace headscope
