#pragma once

#include "core/base/ranges.h"
#include "core/data/datasource.h"

/// The options that say how the files of a data set are read, said once for the command line and the window's program:
/// name, value, range and help. Visitors have the functions of analysis/specoptions.h, and
///     without(name, bool, help)    a flag that switches off
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
               "What labels of the data mean to the model: 1=positive,non-entailment=neutral+contradiction");
    visit.text("worse-column", data.worseColumn, "NAME",
               "Minimal pairs: column of the sentence that should be less likely than the text column's; BLiMP's "
               "sentence_good and sentence_bad are found; \"none\": these are no minimal pairs");
    visit.text("paradigm-column", data.paradigmColumn, "NAME",
               "Column of what a minimal pair tests, for scores by paradigm; default: UID; \"none\": there is none");
}

template<typename Visitor>
void describeTextReading(Visitor &visit, DataSource &data)
{
    visit.choice("text-unit", data.textUnit,
                 "What one text of it is: a line, a document (the lines between blank ones) or the file; texts longer "
                 "than the model's window are cut");
    visit.integer(
        "stride", data.stride, IntegerRange{0},
        "Tokens from one window to the next where a text is cut; what a window repeats is its context and not "
        "counted. 0: windows share no tokens");
    visit.choice("window-predictions", data.windowPredictions,
                 "Tokens that a model that reads W at once predicts in a window: all: W; hf: W - 1, as in Hugging "
                 "Face's guide to perplexity");
    visit.choice("window-start", data.windowStart,
                 "What a causal language model reads before every window of a text, and before both sentences of a "
                 "minimal pair: none (only what its tokenizer begins texts with, so that later windows begin in the "
                 "middle) or bos (the model's first token, else its end token; then the first word counts too)");
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

/// All of them.
template<typename Visitor>
void describeReading(Visitor &visit, DataSource &data)
{
    describeTableReading(visit, data);
    describeTextReading(visit, data);
    describeCounts(visit, data);
}

} // namespace headscope
