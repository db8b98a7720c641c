#include "tests/support/tinyclassifier.h"

#include "core/base/random.h"
#include "core/formats/atomicfile.h"
#include "tests/support/tensorlist.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace headscope::testing {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kSpecial = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
const std::vector<std::string> kWords
    = {"a",    "man", "dog",   "the",  "red",  "runs",     "in",   "park", "two", "girls",
       "good", "bad", "never", "film", "dull", "charming", "with", "on",   ".",   ","};
const std::vector<std::string> kPieces = {"##s", "##ing", "##er", "##ly"};

void write(const fs::path &file, std::string_view bytes)
{
    (void)writeFileAtomically(file, bytes).valueOrThrow();
}

TensorList tensorsOf(const TinyClassifier &model)
{
    const auto vocabulary = static_cast<std::int64_t>(kSpecial.size() + kWords.size() + kPieces.size());
    // Sums over wide rows stay as large as over the 16 columns that the numbers below are meant for.
    const double scale = std::sqrt(16.0 / std::max(16, model.width));
    TensorList tensors(TensorRule::Random);
    tensors.add("bert.embeddings.word_embeddings.weight", {vocabulary, model.width}, 1);
    tensors.add("bert.embeddings.position_embeddings.weight", {model.positions, model.width}, 0.4);
    tensors.add("bert.embeddings.token_type_embeddings.weight", {2, model.width}, 0.4);
    tensors.addNorm("bert.embeddings.LayerNorm", model.width);
    for (int i = 0; i < model.layers; ++i) {
        const std::string layer = "bert.encoder.layer." + std::to_string(i) + '.';
        for (const char *part : {"query", "key"})
            tensors.addLinear(layer + "attention.self." + part, model.width, model.width, 0.9 * scale);
        tensors.addLinear(layer + "attention.self.value", model.width, model.width, 0.8 * scale);
        tensors.addLinear(layer + "attention.output.dense", model.width, model.width, 0.8 * scale);
        tensors.addNorm(layer + "attention.output.LayerNorm", model.width);
        tensors.addLinear(layer + "intermediate.dense", model.feedForward, model.width, 0.35 * scale);
        tensors.addLinear(layer + "output.dense", model.width, model.feedForward, 0.35 * scale);
        tensors.addNorm(layer + "output.LayerNorm", model.width);
    }
    tensors.addLinear("bert.pooler.dense", model.width, model.width, 0.5 * scale);
    tensors.addLinear("classifier", static_cast<std::int64_t>(model.labels.size()), model.width, 1 * scale);
    return tensors;
}

} // namespace

void writeTinyClassifier(const fs::path &folder, const TinyClassifier &model)
{
    fs::create_directories(folder);
    nlohmann::json names = nlohmann::json::object();
    for (std::size_t i = 0; i < model.labels.size(); ++i)
        names[std::to_string(i)] = model.labels[i];
    const nlohmann::json config{{"architectures", {"BertForSequenceClassification"}},
                                {"model_type", "bert"},
                                {"vocab_size", kSpecial.size() + kWords.size() + kPieces.size()},
                                {"hidden_size", model.width},
                                {"num_hidden_layers", model.layers},
                                {"num_attention_heads", model.heads},
                                {"intermediate_size", model.feedForward},
                                {"hidden_act", "gelu"},
                                {"max_position_embeddings", model.positions},
                                {"type_vocab_size", 2},
                                {"layer_norm_eps", 1e-12},
                                {"pad_token_id", 0},
                                {"problem_type", "single_label_classification"},
                                {"id2label", names}};
    std::string vocabulary;
    for (const auto *list : {&kSpecial, &kWords, &kPieces}) {
        for (const std::string &token : *list)
            vocabulary += token + '\n';
    }
    write(folder / "config.json", config.dump(1));
    write(folder / "vocab.txt", vocabulary);
    write(folder / "tokenizer_config.json", R"({"tokenizer_class": "BertTokenizer", "do_lower_case": true})");
    write(folder / "model.safetensors", tensorsOf(model).serialized());
}

void writeTinyTable(const fs::path &file, int rows, std::uint64_t seed, bool pairs)
{
    Random random(seed);
    const auto text = [&] {
        std::string words;
        for (std::uint32_t count = 1 + random.below(9); count > 0; --count)
            words += (words.empty() ? "" : " ") + kWords[random.below(static_cast<std::uint32_t>(kWords.size()))];
        return words;
    };
    std::string table = pairs ? "sentence1\tsentence2\tlabel\n" : "sentence\tlabel\n";
    for (int row = 0; row < rows; ++row) {
        table += text() + '\t';
        if (pairs)
            table += text() + '\t';
        table += std::to_string(random.below(2)) + '\n';
    }
    write(file, table);
}

} // namespace headscope::testing
