#pragma once

#include "core/formats/atomicfile.h"
#include "core/formats/safetensors.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace headscope::testing {

/// A BERT of one layer whose heads are built by hand ("one-hot world"): the embedding of token w at position
/// p is exactly e_w + e_{V+p}, so that queries and keys say what they are to say. Words are w5 … w239.
struct OneHotWorld
{
    static constexpr int kVocabulary = 240;
    static constexpr int kPositions = 16;
    static constexpr int kWidth = kVocabulary + kPositions;
    static constexpr int kHeads = 8;
    static constexpr int kHeadWidth = kWidth / kHeads;
    static constexpr double kSharpness = 40; ///< score of a key that is meant

    enum Head { Previous, Next, SubjectToVerb, Rarest, Uniform, SameToken, Separator, VerbToSubject };
    // Words by their part of speech
    static constexpr int kFirstSubject = 10, kFirstVerb = 20, kFirstOther = 30;

    static bool isSubject(int word) { return word >= kFirstSubject && word < kFirstVerb; }
    static bool isVerb(int word) { return word >= kFirstVerb && word < kFirstOther; }

    static void write(const std::filesystem::path &folder)
    {
        std::filesystem::create_directories(folder);
        const nlohmann::json config{{"architectures", {"BertForSequenceClassification"}},
                                    {"model_type", "bert"},
                                    {"vocab_size", kVocabulary},
                                    {"hidden_size", kWidth},
                                    {"num_hidden_layers", 1},
                                    {"num_attention_heads", kHeads},
                                    {"intermediate_size", 4},
                                    {"hidden_act", "gelu"},
                                    {"max_position_embeddings", kPositions},
                                    {"type_vocab_size", 2},
                                    {"layer_norm_eps", 1e-12},
                                    {"pad_token_id", 0},
                                    {"problem_type", "single_label_classification"},
                                    {"id2label", {{"0", "no"}, {"1", "yes"}}}};
        std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
        for (int word = 5; word < kVocabulary; ++word)
            vocabulary += "w" + std::to_string(word) + '\n';
        const auto put = [&](const char *file, const std::string &bytes) {
            (void)writeFileAtomically(folder / file, bytes).valueOrThrow();
        };
        put("config.json", config.dump());
        put("vocab.txt", vocabulary);
        put("tokenizer_config.json", R"({"tokenizer_class": "BertTokenizer", "do_lower_case": true})");
        put("model.safetensors", serialized(weights()));
    }

private:
    struct Values
    {
        std::vector<std::int64_t> shape;
        std::vector<float> values;

        float &at(int row, int column) { return values[static_cast<std::size_t>(row * shape[1] + column)]; }
    };
    using Weights = std::map<std::string, Values>;

    static Weights weights()
    {
        Weights all;
        const auto add = [&](const std::string &name, std::vector<std::int64_t> shape, float value = 0) -> Values & {
            std::int64_t count = 1;
            for (const std::int64_t size : shape)
                count *= size;
            return all[name] = {std::move(shape), std::vector<float>(static_cast<std::size_t>(count), value)};
        };
        const auto addLinear = [&](const std::string &name, int out, int in) {
            add(name + ".weight", {out, in});
            add(name + ".bias", {out});
        };
        const auto addNorm = [&](const std::string &name, float weight, float bias) {
            add(name + ".weight", {kWidth}, weight);
            add(name + ".bias", {kWidth}, bias);
        };
        Values &words = add("bert.embeddings.word_embeddings.weight", {kVocabulary, kWidth});
        for (int word = 0; word < kVocabulary; ++word)
            words.at(word, word) = 1;
        Values &positions = add("bert.embeddings.position_embeddings.weight", {kPositions, kWidth});
        for (int position = 0; position < kPositions; ++position)
            positions.at(position, kVocabulary + position) = 1;
        add("bert.embeddings.token_type_embeddings.weight", {2, kWidth});
        // Two ones among kWidth: mean m and standard deviation s; times s plus m gives the sum of one-hots back.
        const double mean = 2.0 / kWidth;
        addNorm("bert.embeddings.LayerNorm", static_cast<float>(std::sqrt(mean - mean * mean)),
                static_cast<float>(mean));
        const std::string layer = "bert.encoder.layer.0.";
        for (const char *part :
             {"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"})
            addLinear(layer + part, kWidth, kWidth);
        addNorm(layer + "attention.output.LayerNorm", 1, 0);
        addLinear(layer + "intermediate.dense", 4, kWidth);
        addLinear(layer + "output.dense", kWidth, 4);
        addNorm(layer + "output.LayerNorm", 1, 0);
        addLinear("bert.pooler.dense", kWidth, kWidth);
        addLinear("classifier", 2, kWidth);
        addHeads(all[layer + "attention.self.query.weight"], all[layer + "attention.self.query.bias"].values,
                 all[layer + "attention.self.key.weight"]);
        return all;
    }

    static void addHeads(Values &query, std::vector<float> &queryBias, Values &key)
    {
        // Scores are divided by the root of the head's width.
        const auto sharp = static_cast<float>(kSharpness * std::sqrt(kHeadWidth));
        const auto row = [](Head head, int i) { return head * kHeadWidth + i; };
        for (int p = 0; p < kPositions; ++p) {
            key.at(row(Previous, p), kVocabulary + p) = key.at(row(Next, p), kVocabulary + p) = 1;
            if (p > 0)
                query.at(row(Previous, p - 1), kVocabulary + p) = sharp;
            if (p + 1 < kPositions)
                query.at(row(Next, p + 1), kVocabulary + p) = sharp;
            // Not to itself
            key.at(row(SameToken, kPositions + p), kVocabulary + p) = 1;
            query.at(row(SameToken, kPositions + p), kVocabulary + p) = -20 * sharp;
        }
        for (int word = 0; word < kVocabulary; ++word) {
            if (isSubject(word))
                query.at(row(SubjectToVerb, 0), word) = key.at(row(VerbToSubject, 0), word) = sharp;
            if (isVerb(word))
                key.at(row(SubjectToVerb, 0), word) = query.at(row(VerbToSubject, 0), word) = 1;
            key.at(row(Rarest, 0), word) = word < 5 ? 0.0F : static_cast<float>(word);
            // Codes of ±1: equal words agree in all digits, others in fewer.
            for (int digit = 0; digit < kPositions; ++digit) {
                const float sign = (2654435761U * static_cast<unsigned>(word) >> (digit + 12) & 1U) != 0 ? 1.0F : -1.0F;
                key.at(row(SameToken, digit), word) = sign;
                query.at(row(SameToken, digit), word) = sign * sharp;
            }
        }
        queryBias[static_cast<std::size_t>(row(Rarest, 0))] = sharp;
        queryBias[static_cast<std::size_t>(row(Separator, 0))] = sharp;
        key.at(row(Separator, 0), 3) = 1; // [SEP]
    }

    static std::string serialized(const Weights &weights)
    {
        std::vector<TensorEntry> entries;
        std::vector<const Values *> values;
        for (const auto &[name, tensor] : weights) {
            TensorEntry entry;
            entry.name = name;
            entry.shape = tensor.shape;
            entries.push_back(entry);
            values.push_back(&tensor);
        }
        const SafetensorsLayout layout = layoutSafetensors(entries, {{"format", "pt"}});
        std::string bytes = layout.header;
        for (const std::size_t i : layout.order)
            bytes.append(reinterpret_cast<const char *>(values[i]->values.data()),
                         values[i]->values.size() * sizeof(float));
        return bytes;
    }
};

} // namespace headscope::testing
