#pragma once

#include "core/base/jobcontrol.h"
#include "core/tokenize/tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace headscope {

/// How rare the tokens of a text are: ranks, 0 the most frequent. Voita et al. (2019, section 5.3) rank by the training
/// text.
class Rarity
{
public:
    virtual ~Rarity() = default;
    /// Rank of every token; −1 for special tokens. Tokens with equal ranks count as one.
    virtual std::vector<std::int64_t> ranks(const Encoding &encoding, const std::string &text) const = 0;
    virtual std::string description() const = 0; ///< "tokens of train.en"
    virtual bool isApproximate() const { return false; }

    /// Tokens counted in a text file (.gz, .xz too), one sentence a line, as the model reads its sources.
    static Result<std::unique_ptr<Rarity>> fromCorpus(const std::filesystem::path &file, const Tokenizer &tokenizer,
                                                      bool translation, const JobControl &control);
    /// Lines "word count", the most frequent first or not. Tokens are as rare as their word; words of punctuation
    /// only are not rare, unknown ones the rarest.
    static Result<std::unique_ptr<Rarity>> fromWordCounts(const std::filesystem::path &file, const JobControl &control);
    /// By the order of the vocabulary, which often follows frequency. Special and unused entries ("[unused7]",
    /// "<extra_id_3>") have no place in it; where there are unused ones (BERT), single characters stand in the order of
    /// the alphabet and count as frequent. `tokenizer`: may be null, then all entries count.
    static std::unique_ptr<Rarity> fromVocabulary(const Tokenizer *tokenizer);
};

/// The rarest tokens of a sentence.
struct RarestTokens
{
    /// There are two different ones at least, and the rarest is not among the 500 most frequent (Voita et al.).
    bool eligible = false;
    std::vector<std::uint8_t> rarest;    ///< per token: of the lowest frequency
    std::vector<std::uint8_t> twoRarest; ///< or of the one after it
};
inline constexpr std::int64_t kFrequentTokens = 500;
/// `ranks` as Rarity gives them; `real`: the tokens that count.
RarestTokens rarestTokens(const std::vector<std::int64_t> &ranks, const std::vector<std::uint8_t> &real);

} // namespace headscope
