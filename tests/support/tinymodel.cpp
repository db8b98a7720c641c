#include "tests/support/tinymodel.h"

#include "core/base/random.h"
#include "core/formats/atomicfile.h"
#include "tests/core/tokenize/spmmodel.h"
#include "tests/support/tensorlist.h"

#include <nlohmann/json.hpp>

namespace headscope::testing {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kWords
    = {"▁a", "▁man", "▁dog", "▁the", "▁red", "▁runs", "▁in",   "▁park", "▁two",   "▁girls",
       "▁s", "ing",  "er",   "s",    "▁.",   "▁ball", "▁with", "▁on",   "▁green", "▁grass"};

void write(const fs::path &file, std::string_view bytes)
{
    (void)writeFileAtomically(file, bytes).valueOrThrow();
}

void addAttention(TensorList &tensors, const std::string &name, std::int64_t width)
{
    for (const char *part : {"q_proj", "k_proj", "v_proj", "out_proj"})
        tensors.addLinear(name + '.' + part, width, width);
    tensors.addNorm(name + "_layer_norm", width);
}

TensorList tensorsOf(const TinyModel &model)
{
    TensorList tensors;
    tensors.add("model.shared.weight", {tinyVocabulary(), model.width});
    tensors.add("final_logits_bias", {1, tinyVocabulary()});
    for (const bool decoder : {false, true}) {
        const int layers = decoder ? model.decoderLayers : model.encoderLayers;
        for (int i = 0; i < layers; ++i) {
            const std::string layer
                = std::string("model.") + (decoder ? "decoder" : "encoder") + ".layers." + std::to_string(i);
            addAttention(tensors, layer + ".self_attn", model.width);
            if (decoder)
                addAttention(tensors, layer + ".encoder_attn", model.width);
            tensors.addLinear(layer + ".fc1", model.feedForward, model.width);
            tensors.addLinear(layer + ".fc2", model.width, model.feedForward);
            tensors.addNorm(layer + ".final_layer_norm", model.width);
        }
    }
    return tensors;
}

} // namespace

std::int64_t tinyVocabulary()
{
    return static_cast<std::int64_t>(kWords.size()) + 3;
}

void writeTinyModel(const fs::path &folder, const TinyModel &model)
{
    fs::create_directories(folder);
    const std::int64_t pad = tinyVocabulary() - 1;
    const nlohmann::json config{{"architectures", {"MarianMTModel"}},
                                {"model_type", "marian"},
                                {"vocab_size", tinyVocabulary()},
                                {"d_model", model.width},
                                {"encoder_layers", model.encoderLayers},
                                {"decoder_layers", model.decoderLayers},
                                {"encoder_attention_heads", model.heads},
                                {"decoder_attention_heads", model.heads},
                                {"encoder_ffn_dim", model.feedForward},
                                {"decoder_ffn_dim", model.feedForward},
                                {"activation_function", "swish"},
                                {"max_position_embeddings", model.positions},
                                {"scale_embedding", true},
                                {"is_encoder_decoder", true}};
    const nlohmann::json generation{
        {"bad_words_ids", {{pad}}}, {"decoder_start_token_id", pad}, {"eos_token_id", 0},       {"pad_token_id", pad},
        {"forced_eos_token_id", 0}, {"max_length", model.maxLength}, {"num_beams", model.beams}};
    nlohmann::json vocabulary{{"</s>", 0}, {"<unk>", 1}, {"<pad>", pad}};
    for (std::size_t i = 0; i < kWords.size(); ++i)
        vocabulary[kWords[i]] = i + 2;
    write(folder / "config.json", config.dump(1));
    write(folder / "generation_config.json", generation.dump(1));
    write(folder / "vocab.json", vocabulary.dump());
    write(folder / "tokenizer_config.json", R"({"tokenizer_class": "MarianTokenizer", "model_max_length": 64})");
    write(folder / "source.spm", serialize(smallModel(kWords)));
    write(folder / "target.spm", serialize(smallModel(kWords)));
    write(folder / "model.safetensors", tensorsOf(model).serialized());
}

void writeTinyCorpus(const fs::path &source, const fs::path &reference, int lines, std::uint64_t seed)
{
    Random random(seed);
    const auto sentence = [&] {
        std::string text;
        for (std::uint32_t words = 1 + random.below(9); words > 0; --words)
            text += kWords[random.below(static_cast<std::uint32_t>(kWords.size()))];
        std::string plain;
        for (std::size_t i = 0; i < text.size();) {
            const bool blank = text.compare(i, 3, "▁") == 0;
            plain += blank ? ' ' : text[i];
            i += blank ? 3 : 1;
        }
        return plain.substr(plain.starts_with(' ') ? 1 : 0);
    };
    std::string sources;
    std::string references;
    for (int i = 0; i < lines; ++i) {
        sources += sentence() + '\n';
        references += sentence() + '\n';
    }
    write(source, sources);
    write(reference, references);
}

} // namespace headscope::testing
