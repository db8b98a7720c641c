#pragma once

#include "core/data/datasource.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// One row of a data set. Text or ids may be empty, never both on the source side of a whole data set.
struct Example
{
    std::string source;
    std::string reference;              ///< reference translation, or the label's text (several joined by commas)
    std::string pair;                   ///< second text of a text pair
    std::vector<std::int64_t> inputIds; ///< given instead of text, as the model takes them
    std::vector<std::int64_t> labels;
    std::vector<std::int64_t> tokenTypeIds;
    SentenceTree tree{};            ///< of the source; empty: none
    Coreference coreference{};      ///< of the source; empty: none
    std::string worse{};            ///< of a minimal pair: the sentence that should be less likely than the source
    std::string paradigm{};         ///< and what the pair tests
    std::int64_t contextTokens = 0; ///< of inputIds: this many at the beginning are context, and not counted
    bool emptyPair = false;         ///< there is a second text, and it is empty
    std::int64_t textRow = -1;      ///< row of its text before texts were cut or left out; -1: none was
    /// For a pair for patching: the text that `source` was changed to, and what should be less likely after `source`
    /// than `reference`.
    std::string corrupt{};
    std::string wrongAnswer{};
    /// For a question: texts of which each may follow `source` after a blank, and the place of the right one. One text
    /// alone is the word that a cloze asks for.
    std::vector<std::string> choices{};
    std::int64_t answer = -1;
    /// For a prompt: the texts of which one should follow it, `reference` is the first.
    std::vector<std::string> accepted{};

    /// The second text, which may be empty; nothing for a text by itself.
    std::optional<std::string_view> secondText() const
    {
        return pair.empty() && !emptyPair ? std::nullopt : std::optional<std::string_view>(pair);
    }

    bool operator==(const Example &) const = default;
};

/// The columns of a table, or the keys of its JSON objects, and which of them are used.
struct TableColumns
{
    std::vector<std::string> names;
    std::string text;
    std::string pair;
    std::string label;
    std::string worse{}; ///< not empty: the rows are minimal pairs, the text is the better sentence
    std::string paradigm{};
    std::string corrupt{}; ///< not empty: the rows are pairs for patching, the text is the clean one
    std::string wrongAnswer{};
    bool questions = false;     ///< the rows are questions with choices, or cloze texts
    bool answersAreIds = false; ///< answers of pairs for patching are ids of tokens (EAP-IG's correct_idx)

    bool operator==(const TableColumns &) const = default;
};

struct Dataset
{
    std::string name;
    std::string hash; ///< of the examples: the same texts packed or in another file have the same hash
    DataSource origin;
    TableColumns columns;
    std::vector<Example> examples;       ///< at most origin.limit, when that is given
    std::vector<std::int64_t> leftOut{}; ///< rows of texts in which nothing can be predicted
    std::vector<std::string> warnings;
    double meanWords = 0;    ///< white-space separated, source side
    std::string treesHash{}; ///< empty: no trees
    /// Hashes of parallel lines: of either side by itself; empty for other data.
    std::string sourceHash{};
    std::string referenceHash{};

    bool operator==(const Dataset &) const = default;
};

/// Reads parallel lines, a table (.tsv, .csv, .jsonl), running text or the sentences of a CoNLL-U file, packed by gzip
/// or xz or not; or one of the first two with the trees of a CoNLL-U file. Errors, each naming the file: missing,
/// empty, not UTF-8, unequal numbers of lines, no such column, damaged row.
Result<Dataset> readDataset(const DataSource &source, const JobControl &control = {});

} // namespace headscope
