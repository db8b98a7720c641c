#pragma once

#include "core/base/jobcontrol.h"
#include "core/data/dataset.h"
#include "core/model/spec.h"
#include "core/task/examples.h"
#include "core/tokenize/tokenizer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

/// Pairs of a clean and a corrupt text as a model reads them, up to the place where it says an answer: the next token
/// of a language model, the masked one of a model that guesses those, the token of a translation in which the two
/// answers first differ, the label of a classifier.
struct PatchingPairs
{
    using Tokens = Examples::Tokens;

    struct Text
    {
        Tokens source{}; ///< what the encoder reads
        Tokens types{};
        Tokens prefix{};                    ///< what the decoder reads
        std::vector<std::string> pieces{};  ///< of the first stack, to show
        std::vector<std::string> written{}; ///< of the decoder of an encoder-decoder

        bool operator==(const Text &) const = default;
    };
    /// The texts of each pair; both have as many tokens, stack by stack.
    std::vector<Text> clean, corrupt;
    std::vector<std::int64_t> answers, wrongAnswers; ///< tokens or labels, which differ
    /// The position of the last stack whose output says it; nothing: what a classifier reads, a decoder's last.
    std::vector<std::int64_t> asked;
    bool labels = false;                                    ///< answers are labels
    std::vector<std::pair<std::string, std::string>> shown; ///< how answers and wrong answers are spelt

    std::int64_t size() const { return std::ssize(clean); }
    const Text &text(std::int64_t pair, bool isClean) const
    {
        return (isClean ? clean : corrupt)[static_cast<std::size_t>(pair)];
    }
    /// The position of the last stack whose output says the answer.
    std::int64_t askedPosition(std::int64_t pair) const
    {
        const std::int64_t read = std::ssize(text(pair, true).prefix);
        return !asked.empty() ? asked[static_cast<std::size_t>(pair)] : read > 0 ? read - 1 : 0;
    }
    /// Positions of the stack that an attention of this kind has queries in.
    std::int64_t positions(std::int64_t pair, HeadKind kind) const
    {
        const Text &one = text(pair, true);
        return std::ssize(kind == HeadKind::Encoder ? one.source : one.prefix);
    }
};

/// Whether the rows are such pairs, with both answers.
bool arePatchingPairs(const Dataset &dataset);

/// A text and an answer that goes on from it: joined by a blank unless one is there already, or a number goes on.
std::string continued(const std::string &text, const std::string &answer);

/// The question that such pairs put to a language model without patching: whether the answer is more likely after the
/// clean text than the wrong one. `mask`: the token that stands where the answer belongs, of a model that guesses
/// masked tokens.
Dataset asMinimalPairs(const Dataset &dataset, const std::optional<std::string> &mask);

/// Errors, each naming the row: no pairs, answers that do not differ or are no labels of the classifier, texts of
/// different lengths.
Result<PatchingPairs> patchingPairs(const TransformerSpec &spec, const Tokenizer *tokenizer, const Dataset &dataset,
                                    const JobControl &control);

/// The token that a tokenizer has for a masked one, and how it is spelt.
std::optional<std::int64_t> maskToken(const Tokenizer &tokenizer);

} // namespace headscope
