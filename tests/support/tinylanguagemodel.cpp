#include "tests/support/tinylanguagemodel.h"

#include "core/base/random.h"
#include "core/formats/atomicfile.h"
#include "tests/support/tensorlist.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace headscope::testing {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kSpecial = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
const std::vector<std::string> kWords
    = {"a",    "man", "dog",   "the",  "red",  "runs",     "in",   "park", "two", "girls",
       "good", "bad", "never", "film", "dull", "charming", "with", "on",   ".",   ","};

void write(const fs::path &file, std::string_view bytes)
{
    (void)writeFileAtomically(file, bytes).valueOrThrow();
}

std::int64_t vocabularySize()
{
    return static_cast<std::int64_t>(kSpecial.size() + kWords.size());
}

/// GPT-2's Conv1D keeps its weights as [in, out].
TensorList gpt2Tensors(const TinyLanguageModel &model)
{
    TensorList tensors(TensorRule::Random);
    const std::int64_t width = model.width;
    const auto addConv1d = [&](const std::string &name, std::int64_t in, std::int64_t out, double amplitude) {
        tensors.add(name + ".weight", {in, out}, amplitude);
        tensors.add(name + ".bias", {out});
    };
    tensors.add("transformer.wte.weight", {vocabularySize(), width}, 0.7);
    tensors.add("transformer.wpe.weight", {model.positions, width}, 0.3);
    for (int i = 0; i < model.layers; ++i) {
        const std::string layer = "transformer.h." + std::to_string(i) + '.';
        tensors.addNorm(layer + "ln_1", width);
        addConv1d(layer + "attn.c_attn", width, 3 * width, 0.8);
        addConv1d(layer + "attn.c_proj", width, width, model.headsAmplitude);
        tensors.addNorm(layer + "ln_2", width);
        addConv1d(layer + "mlp.c_fc", width, 2 * width, 0.3);
        addConv1d(layer + "mlp.c_proj", 2 * width, width, 0.2);
    }
    tensors.addNorm("transformer.ln_f", width);
    return tensors;
}

TensorList bertTensors(const TinyLanguageModel &model)
{
    TensorList tensors(TensorRule::Random);
    const std::int64_t width = model.width;
    tensors.add("bert.embeddings.word_embeddings.weight", {vocabularySize(), width}, 0.7);
    tensors.add("bert.embeddings.position_embeddings.weight", {model.positions, width}, 0.3);
    tensors.add("bert.embeddings.token_type_embeddings.weight", {2, width}, 0.3);
    tensors.addNorm("bert.embeddings.LayerNorm", width);
    for (int i = 0; i < model.layers; ++i) {
        const std::string layer = "bert.encoder.layer." + std::to_string(i) + '.';
        for (const char *part : {"query", "key", "value"})
            tensors.addLinear(layer + "attention.self." + part, width, width, 0.8);
        tensors.addLinear(layer + "attention.output.dense", width, width, model.headsAmplitude);
        tensors.addNorm(layer + "attention.output.LayerNorm", width);
        tensors.addLinear(layer + "intermediate.dense", 2 * width, width, 0.3);
        tensors.addLinear(layer + "output.dense", width, 2 * width, 0.2);
        tensors.addNorm(layer + "output.LayerNorm", width);
    }
    tensors.addLinear("cls.predictions.transform.dense", width, width, 0.6);
    tensors.addNorm("cls.predictions.transform.LayerNorm", width);
    tensors.add("cls.predictions.bias", {vocabularySize()});
    return tensors;
}

} // namespace

void writeTinyLanguageModel(const fs::path &folder, const TinyLanguageModel &model)
{
    fs::create_directories(folder);
    nlohmann::json vocabulary = nlohmann::json::object();
    std::string lines;
    for (const auto *list : {&kSpecial, &kWords}) {
        for (const std::string &token : *list) {
            vocabulary[token] = vocabulary.size();
            lines += token + '\n';
        }
    }
    if (model.causal) {
        const nlohmann::json config{{"architectures", {"GPT2LMHeadModel"}},
                                    {"model_type", "gpt2"},
                                    {"vocab_size", vocabularySize()},
                                    {"n_embd", model.width},
                                    {"n_layer", model.layers},
                                    {"n_head", model.heads},
                                    {"n_inner", 2 * model.width},
                                    {"n_positions", model.positions},
                                    {"activation_function", "gelu_new"},
                                    {"layer_norm_epsilon", 1e-5},
                                    {"bos_token_id", 2},
                                    {"eos_token_id", 3}};
        nlohmann::json tokenizer;
        tokenizer["version"] = "1.0";
        tokenizer["added_tokens"] = nlohmann::json::array();
        tokenizer["pre_tokenizer"] = {{"type", "WhitespaceSplit"}};
        tokenizer["model"] = {{"type", "WordLevel"}, {"vocab", vocabulary}, {"unk_token", "[UNK]"}};
        write(folder / "config.json", config.dump(1));
        write(folder / "tokenizer.json", tokenizer.dump(1));
        write(folder / "tokenizer_config.json", R"({"tokenizer_class": "PreTrainedTokenizerFast"})");
        write(folder / "model.safetensors", gpt2Tensors(model).serialized());
        return;
    }
    const nlohmann::json config{{"architectures", {"BertForMaskedLM"}},
                                {"model_type", "bert"},
                                {"vocab_size", vocabularySize()},
                                {"hidden_size", model.width},
                                {"num_hidden_layers", model.layers},
                                {"num_attention_heads", model.heads},
                                {"intermediate_size", 2 * model.width},
                                {"hidden_act", "gelu"},
                                {"max_position_embeddings", model.positions},
                                {"type_vocab_size", 2},
                                {"layer_norm_eps", 1e-12},
                                {"pad_token_id", 0}};
    write(folder / "config.json", config.dump(1));
    write(folder / "vocab.txt", lines);
    write(folder / "tokenizer_config.json", R"({"tokenizer_class": "BertTokenizer", "do_lower_case": true})");
    write(folder / "model.safetensors", bertTensors(model).serialized());
}

void writeTinyText(const fs::path &file, int texts, std::uint64_t seed)
{
    Random random(seed);
    std::string all;
    for (int text = 0; text < texts; ++text) {
        for (std::uint32_t count = 1 + random.below(40); count > 0; --count)
            all += kWords[random.below(static_cast<std::uint32_t>(kWords.size()))] + (count > 1 ? " " : "\n\n");
    }
    write(file, all);
}

void writeTinyPairs(const fs::path &file, int pairs, std::uint64_t seed)
{
    Random random(seed);
    const auto word = [&] { return random.below(static_cast<std::uint32_t>(kWords.size())); };
    std::string all;
    for (int pair = 0; pair < pairs; ++pair) {
        std::vector<std::uint32_t> good(3 + random.below(6));
        for (std::uint32_t &one : good)
            one = word();
        std::vector<std::uint32_t> bad = good;
        std::uint32_t &changed = bad[1 + random.below(static_cast<std::uint32_t>(bad.size() - 1))];
        changed = (changed + 1) % static_cast<std::uint32_t>(kWords.size());
        const auto textOf = [](const std::vector<std::uint32_t> &words) {
            std::string text;
            for (const std::uint32_t one : words)
                text += (text.empty() ? "" : " ") + kWords[one];
            return text;
        };
        const nlohmann::json line{
            {"sentence_good", textOf(good)}, {"sentence_bad", textOf(bad)}, {"UID", pair % 2 == 0 ? "even" : "odd"}};
        all += line.dump() + '\n';
    }
    write(file, all);
}

} // namespace headscope::testing
