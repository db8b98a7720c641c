#pragma once

#include "core/base/jobcontrol.h"
#include "core/data/dataset.h"
#include "core/data/labels.h"
#include "core/model/transformer.h"
#include "core/tokenize/tokenizer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// A data set as a model reads it: token ids with special tokens, checked against the vocabulary, truncated to the
/// model's positions. Fields of a stack that the model lacks are empty.
struct Examples
{
    using Tokens = std::vector<std::int64_t>;

    std::vector<Tokens> sources;                        ///< what the encoder reads
    std::vector<Tokens> types;                          ///< their token types; no rows: the model has none
    std::vector<std::vector<std::uint8_t>> realSources; ///< 0 at special tokens; no rows: told by the ids
    std::vector<Tokens> prefixes;                       ///< the decoder's input when it is forced to `targets`
    std::vector<Tokens> targets;                        ///< empty rows when the data set has no references
    std::vector<Tokens> prompts;                        ///< what a model without encoder goes on with; no rows: none
    std::vector<std::int64_t> firstCounted;             ///< targets before it are context only; no rows: all count
    /// For minimal pairs: the sources, or prefixes and targets, of the sentence that should be less likely.
    std::vector<Tokens> otherSources, otherPrefixes, otherTargets;
    std::vector<std::int64_t> textRows; ///< Example::textRow; no rows: no text was cut or left out
    std::vector<std::int64_t> leftOut;  ///< Dataset::leftOut
    /// For questions: a context followed by one of its choices, of which `wanted` are the last tokens that the model
    /// says. The right choice is what prefixes and targets hold as well.
    struct Choice
    {
        Tokens read;
        Tokens wanted;
    };
    std::vector<std::vector<Choice>> choices;       ///< per example; no rows: there are no questions
    std::vector<std::vector<Choice>> unconditional; ///< the choices behind the model's first token alone
    std::vector<std::vector<std::string>> choiceTexts;
    std::vector<std::int64_t> answers; ///< which choice is right
    bool hasTargets = false;
    bool pairs = false; ///< some sources are of two texts
    std::vector<std::string> warnings;

    std::int64_t size() const { return std::ssize(sources.empty() ? targets : sources); }
    const Tokens &source(std::int64_t id) const { return sources[static_cast<std::size_t>(id)]; }
    const Tokens &target(std::int64_t id) const { return targets[static_cast<std::size_t>(id)]; }
    const Tokens &prefix(std::int64_t id) const { return prefixes[static_cast<std::size_t>(id)]; }
    /// The tokens that a causal model reads of the whole text, its last token too, which `prefix` lacks; the last
    /// `most` tokens of it.
    Tokens wholeText(std::int64_t id, std::int64_t most) const;
    /// Tokens of the stack that comes first: what batches and blocks are measured by.
    std::int64_t length(std::int64_t id) const { return std::ssize(sources.empty() ? prefix(id) : source(id)); }
    std::int64_t firstCountedOf(std::int64_t id) const
    {
        return firstCounted.empty() ? 0 : firstCounted[static_cast<std::size_t>(id)];
    }

    TokenBatch sourceBatch(const std::vector<std::int64_t> &ids, const Transformer &model) const;
    TokenBatch prefixBatch(const std::vector<std::int64_t> &ids, const Transformer &model) const;
    TokenBatch targetBatch(const std::vector<std::int64_t> &ids, const Transformer &model) const;
};

/// Sentence pairs, or sentences without references, for an encoder-decoder. `tokenizer` may be null when every example
/// brings its ids.
Result<Examples> translationExamples(const TransformerSpec &spec, const Tokenizer *tokenizer, const Dataset &dataset,
                                     const JobControl &control);
/// Texts and text pairs for an encoder, or for a classifier on a decoder, which reads them as classifierInput() says
/// (`targets` are the text up to there). `tokenizer` may be null when every example brings its ids.
Result<Examples> textExamples(const TransformerSpec &spec, const Tokenizer *tokenizer, const Dataset &dataset,
                              const JobControl &control);

/// Texts (inWindows) or minimal pairs for a decoder without encoder, as the tokenizer begins them, or with
/// WindowStart::Bos with the model's first token before them; nothing stands before the first token of all, which is
/// not counted. Errors: a text that has a single token, or does not fit into the
/// positions.
Result<Examples> languageExamples(const TransformerSpec &spec, const Tokenizer *tokenizer, const Dataset &dataset,
                                  const JobControl &control);

/// Start token, then all of `tokens` but the last.
std::vector<std::int64_t> decoderInput(const std::vector<std::int64_t> &tokens, const GenerationSettings &settings);
/// The tokens that the decoder of a classifier reads of a text, whose label its last position says: without encoder,
/// the text up to its last token that is no padding; with one, shifted by the start token, up to where its last end
/// token stands. Errors: a text without tokens, or without an end token where one is needed.
Result<std::vector<std::int64_t>> classifierInput(std::vector<std::int64_t> text, const TransformerSpec &spec);
/// The input of the decoder of an encoder-decoder when it is forced to `targets`.
TokenBatch decoderInputs(const std::vector<std::vector<std::int64_t>> &targets, const Transformer &model);

} // namespace headscope
