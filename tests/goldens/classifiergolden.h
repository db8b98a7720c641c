#pragma once

#include "core/model/transformer.h"
#include "tests/goldens/goldens.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace headscope::testing {

/// One row that make_classifier_goldens.py gave to Hugging Face, and what came out.
struct GoldenRow
{
    std::vector<std::int64_t> ids;
    std::vector<std::int64_t> types; ///< empty: none were given
    nlohmann::json label;            ///< a number, or the list of labels of a multi-label example
    torch::Tensor logits;            ///< [K], double like all of Hugging Face's numbers here
    double loss = 0;
    std::vector<std::int64_t>
        read; ///< what a decoder reads, up to the position that is classified; empty: there is none
    std::map<HeadKind, std::vector<std::vector<torch::Tensor>>> attention; ///< [layer][head] → [queries, keys]
    std::map<HeadKind, std::vector<torch::Tensor>> gateGradients;          ///< [layer] → [H]
};

/// Logits of all rows [B, K] without some heads.
struct GoldenMask
{
    HeadMask mask;
    torch::Tensor logits;
};

/// A model folder of tests/goldens/classifiers with its golden.json.
struct ClassifierGolden
{
    std::filesystem::path folder;
    nlohmann::json json;
    std::map<HeadKind, std::vector<std::vector<int>>> heads; ///< per layer, original numbers
    std::vector<GoldenRow> rows;
    std::vector<GoldenMask> masks;
    std::map<HeadKind, std::vector<torch::Tensor>> importance; ///< [layer] → [H]

    static ClassifierGolden read(const std::filesystem::path &folder);
    torch::Tensor logits() const; ///< [B, K]
    /// 1e-5, or what rounding in single precision does to Hugging Face's own gradients.
    double gradientTolerance() const { return std::max(1e-5, 4 * json.at("noise").at("gradients").get<double>()); }
    bool hasDecoder() const { return heads.contains(HeadKind::Decoder); }
};

/// Folders of tests/goldens/classifiers in the order of their names.
inline std::vector<std::filesystem::path> classifierFolders()
{
    return goldenFolders("classifiers");
}

/// Logits [B, K] of rows as one padded batch.
torch::Tensor classify(const Transformer &model, const std::vector<GoldenRow> &rows, const HeadGates &gates = {},
                       Recorder *recorder = nullptr);
/// Of an encoder.
torch::Tensor classify(const Transformer &model, const TokenBatch &batch, const HeadGates &gates = {},
                       Recorder *recorder = nullptr);

/// Hugging Face's loss of one row: cross entropy, squared error, or the mean over labels of the binary cross entropies.
torch::Tensor huggingFaceLoss(const torch::Tensor &logits, const nlohmann::json &label, ProblemType problem);

} // namespace headscope::testing
