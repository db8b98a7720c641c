#pragma once

#include "core/base/jobcontrol.h"
#include "core/data/dataset.h"
#include "core/model/spec.h"
#include "core/model/transformer.h"
#include "core/tokenize/tokenizer.h"

#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace headscope {

/// Sentence pairs as a translation model takes them: ids with end token, checked against the vocabulary, cut to the
/// model's positions.
struct TranslationExamples
{
    std::vector<std::vector<std::int64_t>> sources;
    std::vector<std::vector<std::int64_t>> targets; ///< empty rows when the data set has no references
    bool hasTargets = false;
    std::vector<std::string> warnings;

    std::int64_t size() const { return std::ssize(sources); }
    const std::vector<std::int64_t> &source(std::int64_t id) const { return sources[static_cast<std::size_t>(id)]; }
    const std::vector<std::int64_t> &target(std::int64_t id) const { return targets[static_cast<std::size_t>(id)]; }

    /// `tokenizer` may be null when every example brings its ids.
    static Result<TranslationExamples> make(const TransformerSpec &spec, const Tokenizer *tokenizer,
                                            const Dataset &dataset, const JobControl &control);

    TokenBatch sourceBatch(const std::vector<std::int64_t> &ids, const Transformer &model) const;
    TokenBatch targetBatch(const std::vector<std::int64_t> &ids, const Transformer &model) const;
    /// What the decoder reads when it is made to say the targets.
    TokenBatch decoderInputs(const std::vector<std::int64_t> &ids, const Transformer &model) const;
};

/// Start token, then all of `tokens` but the last.
std::vector<std::int64_t> decoderInput(const std::vector<std::int64_t> &tokens, const GenerationSettings &settings);

/// What the decoder reads when it is made to say `targets`.
TokenBatch decoderInputs(const std::vector<std::vector<std::int64_t>> &targets, const Transformer &model);

/// Decoder output under teacher forcing at the valid positions only: hidden [ΣT, D], the tokens wanted there [ΣT], and
/// the row of the batch each belongs to [ΣT].
struct ForcedOutput
{
    torch::Tensor hidden;
    torch::Tensor wanted;
    torch::Tensor rows;
};
/// Sees the hidden states between two layers, [B, T, D].
using LayerListener = std::function<void(const torch::Tensor &hidden)>;
ForcedOutput forcedOutput(const Transformer &model, const TranslationExamples &examples,
                          const std::vector<std::int64_t> &ids, const HeadGates &gates, Dropout *dropout = nullptr,
                          const LayerListener &onLayer = {});

} // namespace headscope
