#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope::testing {

/// A BERT folder of a few kilobytes with fixed pseudo-random weights, large enough that attention is peaked and heads
/// make a difference: every code path of the real thing, no meaning.
struct TinyClassifier
{
    int layers = 2;
    int heads = 4;
    int width = 16;
    int feedForward = 24;
    int positions = 48;
    std::vector<std::string> labels = {"negative", "positive"};
};

/// Writes config.json, model.safetensors, vocab.txt and tokenizer_config.json into `folder`.
void writeTinyClassifier(const std::filesystem::path &folder, const TinyClassifier &model = {});

/// Writes a .tsv with `rows` made-up texts (or pairs of texts) of known words and the labels 0 and 1 in turn at random:
/// columns sentence, label; or sentence1, sentence2, label.
void writeTinyTable(const std::filesystem::path &file, int rows, std::uint64_t seed, bool pairs = false);

} // namespace headscope::testing
