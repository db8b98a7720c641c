#pragma once

#include <cstdint>
#include <filesystem>

namespace headscope::testing {

/// A Marian folder of a few kilobytes with fixed pseudo-random weights: every code path of the real thing, no meaning.
struct TinyModel
{
    int encoderLayers = 2;
    int decoderLayers = 2;
    int heads = 4;
    int width = 16;
    int feedForward = 24;
    int positions = 64;
    int maxLength = 14;
    int beams = 1;
};

/// Writes config.json, generation_config.json, model.safetensors, vocab.json, source.spm, target.spm into `folder`.
void writeTinyModel(const std::filesystem::path &folder, const TinyModel &model = {});

/// Size of the joint vocabulary: </s> is 0, <unk> 1, <pad> the last.
std::int64_t tinyVocabulary();

/// Writes `lines` pairs of made-up sentences of one to nine known words.
void writeTinyCorpus(const std::filesystem::path &source, const std::filesystem::path &reference, int lines,
                     std::uint64_t seed);

} // namespace headscope::testing
