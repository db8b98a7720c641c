#pragma once

#include "core/model/transformer.h"
#include "tests/goldens/goldens.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headscope::testing {

/// One row that make_family_goldens.py gave to Hugging Face, and what came out.
struct FamilyRow
{
    std::vector<std::int64_t> ids;
    std::vector<std::int64_t> types;   ///< empty: none were given
    std::vector<std::int64_t> targets; ///< what the decoder reads, in a model with encoder and decoder
    torch::Tensor logits;              ///< [T, V] (of an encoder by itself: hidden states [T, D]), double
    std::map<HeadKind, std::vector<std::vector<torch::Tensor>>> attention; ///< [layer][head] → [T · S]
};

/// Logits [V] of every row's last position without some heads.
struct FamilyMask
{
    HeadMask mask;
    std::vector<torch::Tensor> logits;
};

/// What generate() found for one row or prompt.
struct FamilyOutput
{
    std::vector<std::int64_t> tokens; ///< start token or prompt first
    double score = 0;                 ///< of the best beam
};

/// A model folder of tests/goldens/families with its golden.json.
struct FamilyGolden
{
    std::filesystem::path folder;
    nlohmann::json json;
    std::string kind; ///< "translation", "language_model", "masked_lm", "encoder"
    std::vector<FamilyRow> rows;
    std::vector<FamilyMask> masks;
    std::vector<FamilyOutput> greedy;
    std::vector<FamilyOutput> beams; ///< by the rule of transformers 4.27, which BeamSentence follows

    static FamilyGolden read(const std::filesystem::path &folder);
    std::string name() const { return folder.filename(); }
    bool generates() const { return kind == "translation" || kind == "language_model"; }
    /// What a row's generation begins with: the prompt, or the start token.
    std::vector<std::int64_t> prompt(std::size_t row) const;
    /// The folder's settings with what the golden's call to generate() said beside them.
    GenerationSettings settings(const TransformerSpec &spec, int beams) const;
    /// Largest number among a row's logits, at least 1: what differences are relative to.
    static double scaleOf(const FamilyRow &row);
};

/// Folders of tests/goldens/families in the order of their names.
inline std::vector<std::filesystem::path> familyFolders()
{
    return goldenFolders("families");
}

/// Outputs of some rows, padded to one batch, as the golden has them: [B, T, V].
torch::Tensor outputsOf(const Transformer &model, const FamilyGolden &golden, const std::vector<FamilyRow> &rows,
                        const HeadGates &gates = {}, Recorder *recorder = nullptr);

/// Source rows as the encoder's output; nothing in a model without encoder.
std::optional<Memory> memoryOf(const Transformer &model, const std::vector<FamilyRow> &rows,
                               const HeadGates &gates = {});

} // namespace headscope::testing
