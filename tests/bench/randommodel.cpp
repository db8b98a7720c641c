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
#include <string_view>

namespace headscope {
namespace {

struct Shape
{
    std::string name;
    bool translates = false;
    int layers = 0; ///< of each stack
    int width = 0;
    int heads = 0;
    int feedForward = 0;
    int vocabulary = 0;
};

const std::vector<Shape> &shapes()
{
    static const std::vector<Shape> all{{"bert-base", false, 12, 768, 12, 3072, 30522},
                                        {"bert-large", false, 24, 1024, 16, 4096, 30522},
                                        {"marian-big", true, 6, 1024, 16, 4096, 32000},
                                        {"tiny-bert", false, 2, 32, 4, 64, 3000},
                                        {"tiny-marian", true, 2, 32, 4, 64, 3000}};
    return all;
}

constexpr int kFirstToken = 1000; ///< those before it may be special
constexpr int kEnd = 0;

nlohmann::json configOf(const Shape &shape)
{
    if (!shape.translates)
        return {{"model_type", "bert"},
                {"architectures", {"BertForSequenceClassification"}},
                {"vocab_size", shape.vocabulary},
                {"hidden_size", shape.width},
                {"num_hidden_layers", shape.layers},
                {"num_attention_heads", shape.heads},
                {"intermediate_size", shape.feedForward},
                {"max_position_embeddings", 512},
                {"type_vocab_size", 2},
                {"hidden_act", "gelu"},
                {"num_labels", 2}};
    const int pad = shape.vocabulary - 1;
    return {{"model_type", "marian"},
            {"architectures", {"MarianMTModel"}},
            {"vocab_size", shape.vocabulary},
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
            {"max_length", 32}};
}

/// Values for one tensor after the other; norms have weights near 1.
class RandomTensor
{
public:
    std::string_view next(const TensorEntry &entry)
    {
        std::size_t count = 1;
        for (const std::int64_t size : entry.shape)
            count *= static_cast<std::size_t>(size);
        const bool isNorm = entry.name.ends_with("LayerNorm.weight") || entry.name.ends_with("layer_norm.weight");
        const float mean = isNorm ? 1.0F : 0.0F;
        std::uniform_real_distribution<float> uniform(mean - 0.035F, mean + 0.035F);
        m_values.resize(count);
        for (float &value : m_values)
            value = uniform(m_random);
        return {reinterpret_cast<const char *>(m_values.data()), count * sizeof(float)};
    }

private:
    std::minstd_rand m_random{1};
    std::vector<float> m_values;
};

void writeWeights(const std::filesystem::path &file, const nlohmann::json &config)
{
    const Family *family = findFamily(config, "config.json").valueOrThrow();
    const TransformerSpec spec = family->makeSpec(config, {}).valueOrThrow();
    std::vector<TensorEntry> entries;
    for (const auto &[slot, stored] : storedSlots(*family, spec)) {
        TensorEntry entry;
        entry.name = stored.name;
        entry.dtype = DType::F32;
        entry.shape = stored.storedShape;
        entries.push_back(std::move(entry));
    }
    const SafetensorsLayout layout = layoutSafetensors(entries, {{"format", "pt"}});
    RandomTensor values;
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
        if (shape.translates)
            ids.back() = kEnd;
        return ids;
    };
    std::ofstream lines(file);
    for (int row = 0; row < examples.count; ++row) {
        nlohmann::json line{{"input_ids", text()}};
        if (shape.translates)
            line["labels"] = text();
        else
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

void writeRandomModel(const std::filesystem::path &folder, const std::string &shape, const RandomExamples &examples)
{
    const auto found = std::ranges::find(shapes(), shape, &Shape::name);
    if (found == shapes().end())
        throw Failure(usageError("There is no shape named " + shape + "."));
    const nlohmann::json config = configOf(*found);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "config.json") << config.dump(2) << '\n';
    writeRows(folder / "rows.jsonl", *found, examples);
    writeWeights(folder / "model.safetensors", config);
}

} // namespace headscope
