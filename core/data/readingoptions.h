#pragma once

#include "core/base/ranges.h"
#include "core/data/datasource.h"

/// The options that say where a data set comes from and how its files are read, said once for the command line, the
/// window's program, manifests and the commands that are copied: name, value, range and help. Visitors have the
/// functions of analysis/specoptions.h, and
///     without(name, bool, help)    a flag that switches off
///     file(name, path, help)       a file of the set (of describeSource() only)
namespace headscope {

template<typename Visitor>
void describeTableReading(Visitor &visit, DataSource &data)
{
    visit.text("text-column", data.textColumn, "NAME", "Column of the text; default: found by its usual names");
    visit.text("pair-column", data.pairColumn, "NAME", "Column of the second text; \"none\": there are no pairs");
    visit.text("label-column", data.labelColumn, "NAME",
               "Column of the label or reference; \"none\": there are no labels");
    visit.without("no-header", data.header, "The table has no header line; its columns are called 1, 2, ...");
    visit.flag("quoted", data.quoted, "A .tsv with quoted fields");
    visit.text("label-map", data.labelMap, "MAP",
               "Meaning of the data's labels to the model: 1=positive,non-entailment=neutral+contradiction");
    visit.text("worse-column", data.worseColumn, "NAME",
               "Minimal pairs: column of the sentence that should be less likely than the text column's; BLiMP's "
               "sentence_good and sentence_bad are found; \"none\": these are no minimal pairs");
    visit.text(
        "paradigm-column", data.paradigmColumn, "NAME",
        "Column of what a minimal pair tests, or of a question's subject, for scores by it; default: UID, subject; "
        "\"none\": there is none");
    visit.text("prompt", data.prompt, "TEXT",
               "Questions: what the model reads of a row, with columns in braces: \"Question: {question}\\nAnswer:\"; "
               "default: as lm-evaluation-harness asks those of ARC, HellaSwag, MMLU and BoolQ, else the context");
    visit.flag("cloze", data.cloze, "The last word of each text is asked for, as LAMBADA does");
    visit.integer("shots", data.shots, IntegerRange{0},
                  "Questions: the first N of --shots-file stand before every question with their answers");
}

template<typename Visitor>
void describeTextReading(Visitor &visit, DataSource &data)
{
    visit.choice("text-unit", data.textUnit,
                 "Unit that is one text: a line, a document (the lines between blank ones) or the file; texts longer "
                 "than the model's window are cut");
    visit.integer(
        "stride", data.stride, IntegerRange{0},
        "Tokens from one window to the next where a text is cut; what a window repeats is its context and not "
        "counted. 0: windows share no tokens");
    visit.choice("window-predictions", data.windowPredictions,
                 "Tokens that a model that reads W at once predicts in a window: all: W; hf: W - 1, as in Hugging "
                 "Face's guide to perplexity");
    visit.choice(
        "window-start", data.windowStart,
        "Token that a causal language model reads before every window of a text, and before both sentences of a "
        "minimal pair: none (only what its tokenizer begins texts with, so that later windows begin in the "
        "middle) or bos (the model's first token, else its end token; then the first word counts too)");
}

template<typename Visitor>
void describeMeasuring(Visitor &visit, DataSource &data)
{
    visit.text("bleu-tokenize", data.bleuTokenize, "NAME",
               "How BLEU cuts texts into words, as sacrebleu --tokenize: 13a, zh, char, none, or flores200:FILE (the "
               "SentencePiece model of FLORES-200); default: zh for Chinese, char for other languages without blanks "
               "between words, 13a otherwise");
}

template<typename Visitor>
void describeCounts(Visitor &visit, DataSource &data)
{
    visit.integer("document-words", data.documentWords, IntegerRange{0},
                  "For documents with coreference: words kept of each, from its beginning; 0 = all");
    visit.integer("limit", data.limit, IntegerRange{0}, "Only the first N examples; 0 = all");
    visit.integer("sample", data.sample, IntegerRange{1},
                  "N examples drawn at random by the seed instead, in the order of the file: of a set sorted by label "
                  "the first N say little");
}

/// How files are read: what one data set can have otherwise than another.
template<typename Visitor>
void describeReading(Visitor &visit, DataSource &data)
{
    describeTableReading(visit, data);
    describeTextReading(visit, data);
    describeMeasuring(visit, data);
    describeCounts(visit, data);
}

/// All of it, in the order in which commands have it. The seed of `sample` is an option of the analysis, and the name
/// of the set is made from its files.
template<typename Visitor>
void describeSource(Visitor &visit, DataSource &data)
{
    visit.file("source", data.source, "Source sentences, one a line (.gz and .xz too)");
    visit.file("reference", data.reference, "Their translations, line by line");
    visit.text("source-prefix", data.sourcePrefix, "TEXT",
               "Stands before every source text, as T5 wants it: \"translate English to German: \"");
    visit.file("data", data.table, "A table instead: .tsv (.txt), .csv or .jsonl");
    describeTableReading(visit, data);
    visit.file("shots-file", data.shotsFile, "A table of questions, laid out as --data, for --shots");
    visit.file("text-file", data.text, "Running text for a language model instead (.gz and .xz too)");
    describeTextReading(visit, data);
    describeMeasuring(visit, data);
    visit.file("conllu", data.conllu,
               "Sentences with dependency trees (CoNLL-U); beside --source or --data: the trees of their rows. Or "
               "documents with coreference (CoNLL-2012)");
    describeCounts(visit, data);
}

/// The option that says how a second data set is read where that is not as the first one: options of reading without
/// their dashes, all others being as usual.
inline constexpr const char *kSecondReading = "second-reading";
/// The word of that option which says that nothing is set.
inline constexpr const char *kUsualReading = "usual";

/// Options of reading that decide numbers although the hash of the data is that of the texts: keys of results have
/// them.
inline constexpr const char *kDecidingReading[]
    = {"label-map", "stride", "window-predictions", "window-start", "bleu-tokenize"};

} // namespace headscope
