#pragma once

#include <cstdint>
#include <filesystem>

namespace headscope::testing {

/// A GPT-2 or BERT folder of a few kilobytes that predicts text. Embeddings are large and output projections of
/// attention small, so that a head changes how likely tokens are far more often than which token is likeliest.
struct TinyLanguageModel
{
    bool causal = true; ///< GPT-2; else BERT that guesses masked tokens
    int layers = 2;
    int heads = 4;
    int width = 16;
    int positions = 12;            ///< of which a window has as many
    double headsAmplitude = 0.015; ///< of output projections of attention
};

/// Writes config.json, model.safetensors and tokenizer files for words of writeTinyTable() into `folder`.
void writeTinyLanguageModel(const std::filesystem::path &folder, const TinyLanguageModel &model = {});

/// Writes `texts` documents of one to 40 known words, blank lines between them: longer than a window, some of them.
void writeTinyText(const std::filesystem::path &file, int texts, std::uint64_t seed);

/// Writes a .jsonl of minimal pairs (sentence_good, sentence_bad, UID) of equal length that differ in one word.
void writeTinyPairs(const std::filesystem::path &file, int pairs, std::uint64_t seed);

} // namespace headscope::testing
