#pragma once

#include "core/base/coreference.h"
#include "core/base/enumnames.h"
#include "core/base/jobcontrol.h"
#include "core/base/sentencetree.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// The unit that is one text in a file of running text.
enum class TextUnit {
    Line,     ///< a line; empty ones are none
    Document, ///< the lines between two blank lines
    File,     ///< all of it
};
template<>
struct EnumNames<TextUnit>
{
    static constexpr std::array<std::string_view, 3> values{"line", "document", "file"};
    static constexpr const char *what = "unit of text";
};

/// How many tokens a model that reads W at once predicts in each window on a long text.
enum class WindowPredictions {
    All, ///< W: the window has W + 1 tokens, the last of which is only said
    Hf,  ///< W − 1, as in Hugging Face's guide to perplexity: the window has W tokens, of which W − 1 are read
};
template<>
struct EnumNames<WindowPredictions>
{
    static constexpr std::array<std::string_view, 2> values{"all", "hf"};
    static constexpr const char *what = "predictions of a window";
};

/// The token that a causal language model reads before the first token of a window, or of a sentence of a minimal pair.
enum class WindowStart {
    None, ///< what the tokenizer begins texts with; windows after the first of a text begin in its middle
    Bos,  ///< the model's own first token, or else its end token: every token of the text can be predicted
};
template<>
struct EnumNames<WindowStart>
{
    static constexpr std::array<std::string_view, 2> values{"none", "bos"};
    static constexpr const char *what = "start of windows";
};

inline constexpr std::int64_t kDefaultDocumentWords = 128;

/// Where a data set comes from: parallel text files, one table, or running text.
struct DataSource
{
    std::string source;    ///< source lines (.gz, .xz too)
    std::string reference; ///< reference lines; may be empty for predict and attention
    std::string table;     ///< .tsv .csv .jsonl (.txt: as .tsv) instead of the two above
    std::string textColumn;
    std::string pairColumn;
    std::string labelColumn;
    /// The table's first line names its columns. Without such a line they are called "1", "2", … .
    bool header = true;
    bool quoted = false; ///< .tsv: fields in quotation marks, as spreadsheets write them; .csv always has them
    /// The meaning of the data's labels to the model where that is not the same word or number:
    /// "non-entailment=neutral+contradiction,1=positive"; several labels joined by + count as one.
    std::string labelMap;
    /// Sentences with dependency trees (CoNLL-U): the source texts themselves, with or without `reference`; beside
    /// `source` or `table`, trees of their rows. Or documents with mentions (CoNLL-2012): by themselves only.
    std::string conllu;
    /// Words that are kept of each of these documents, from its beginning; 0 = all. Clark et al. (2019) keep 128
    /// tokens.
    std::int64_t documentWords = kDefaultDocumentWords;
    std::int64_t limit = 0; ///< 0 = all
    /// Instead of the first `limit`: this many examples drawn at random by the seed, in the order of the file. 0 = all.
    std::int64_t sample = 0;
    std::uint64_t sampleSeed = 12345;
    std::string name; ///< empty: made from the file name
    /// How BLEU cuts texts into words, as sacreBLEU calls it: 13a, zh, char, none, or flores200:FILE (a SentencePiece
    /// model); empty: as sacreBLEU chooses for the target language.
    std::string bleuTokenize{};
    /// Running text for language models (.gz, .xz too) instead of all of the above.
    std::string text{};
    TextUnit textUnit = TextUnit::Line;
    /// Tokens from the start of a window on a text to that of the next; those that both have are context in the second.
    /// 0: as many as a window has, so that none are shared.
    std::int64_t stride = 0;
    WindowPredictions windowPredictions = WindowPredictions::All;
    /// For a table of minimal pairs: the sentence that should be less likely than the one in the text column, and what
    /// the pair tests.
    std::string worseColumn{};
    std::string paradigmColumn{};
    WindowStart windowStart = WindowStart::None;
    /// Stands before every source text, as T5 wants it: "translate English to German: ".
    std::string sourcePrefix{};
    /// Of a table of questions: how a row becomes what the model reads, "Question: {question}\nAnswer:" with names of
    /// columns in braces; empty: as the usual layouts have it.
    std::string prompt{};
    bool cloze = false; ///< the last word of each text is asked for
    /// Questions of this table that stand before every question with their answers, the first `shots`.
    std::string shotsFile{};
    std::int64_t shots = 0;

    bool operator==(const DataSource &) const = default;
};

/// The paths of the files that a data set is read from; those that it does not have are empty.
auto filesOf(auto &source)
{
    return std::array{&source.source, &source.reference, &source.table,
                      &source.conllu, &source.text,      &source.shotsFile};
}

struct DataRow
{
    std::string source;
    std::string reference; ///< translation or label
    std::string pair{};    ///< second text of a text pair
    SentenceTree tree{};   ///< of the source
    bool isPair = false;   ///< there is a second text, which may be empty
};

/// How often a label occurs.
struct LabelCount
{
    std::string label;
    std::int64_t rows = 0;

    bool operator==(const LabelCount &) const = default;
};

/// A look at a data set before any model runs: shown in the data dialog.
struct DataPreview
{
    std::int64_t rows = 0;
    std::vector<DataRow> first;       ///< at most ten
    std::vector<std::string> columns; ///< of a table
    std::string textColumn;           ///< which of them are used, whether chosen or found by their usual names
    std::string pairColumn;
    std::string labelColumn;
    std::string worseColumn{}; ///< not empty: the rows are minimal pairs: DataRow::pair is the worse sentence,
                               ///< DataRow::reference the paradigm
    std::string paradigmColumn{};
    bool questions = false; ///< DataRow::source is the prompt, DataRow::pair the choices, DataRow::reference the answer
    std::vector<LabelCount> labels; ///< most frequent first; empty when there are more than fifty
    double meanWords = 0;
    std::vector<std::string> warnings;
};

/// Looks at data files without a model. A table whose text column is not known gives its columns, no rows and a
/// warning.
Result<DataPreview> previewData(const DataSource &source, const JobControl &control);

} // namespace headscope
