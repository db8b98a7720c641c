#pragma once

#include "core/base/ranges.h"
#include "core/task/runoptions.h"

/// The options of every analysis, said once: the name that the command line, results and studies call an option by,
/// where its value is, what it may be and what it does. describe(visitor, spec) shows a visitor all of them. Visitors:
/// those of optionsjson.h (the key of a result, its manifest, study files) and the command line's
/// (app/cli/clioptions.h). All of them hold values to the ranges given here, other than those that stand for "not
/// given".
///
/// A visitor has, for T a number, an enumeration (EnumNames) or an optional of them:
///     mask(name, value)                      heads; the command line checks them against the model
///     flag(name, bool, help)
///     integer(name, T, {least, most}, help)  a whole number
///     real(name, T, {least, most}, help)
///     bytes(name, value, help)               "512MiB"
///     text(name, value, type, help)          `type`: what help calls the value
///     choice(name, value, help)              by name
///     integers(name, vector, {least}, help), choices(name, vector, help)
/// Not among them: a second data set, which decides results by its content, and what is only kept, not computed.
namespace headscope {

template<typename Visitor>
void describe(Visitor &visit, RunOptions &run)
{
    visit.integer("beams", run.decoding.beams, kBeamsRange, "Beams, 1 = greedy; default: the model's own setting");
    visit.real("length-penalty", run.decoding.lengthPenalty, Range{-kLargestReal, kLargestReal},
               "Length penalty of beam search; default: the model's own setting");
    visit.integer("max-length", run.decoding.maxLength, kLengthRange,
                  "Most tokens of an output, the start token counted; default: the model's own setting");
    visit.integer(
        "max-new-tokens", run.decoding.newTokens, IntegerRange{1, kLengthRange.most - 1},
        "Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with as many. Default: the model's own setting, else 20");
    visit.text(
        "stop", run.decoding.stop, "TEXT",
        "Text at which what follows a prompt ends, and which is no part of it; \\n is a new line, and the default. "
        "Several as a list: [\"\\n\", \".\"]; [] for none");
    visit.text("task", run.decoding.task, "NAME",
               "A task that config.json has settings for (\"task_specific_params\"): their beams, lengths and prefix; "
               "`inspect` lists them");
    visit.text("metric", run.metric, "NAME",
               "Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any "
               "case; MCC and chrF too); default: the task's first");
    visit.integer("batch-tokens", run.batchTokens, kBatchTokensRange,
                  "Source tokens in a batch, padding included; default: 1024, on a GPU 8192");
    visit.integer("seed", run.seed, IntegerRange{0}, "Seed of all random numbers");
    visit.choice(
        "products", run.products,
        "Matrix products of fast paths: byte (int8), half (bf16), split (bf16 in two parts), exact (f32), library "
        "(LibTorch's f32, padded batches). Decisions always equal those of f32: doubtful ones are computed again");
    visit.bytes("memory", run.memory,
                "Memory for the states that fast paths keep, in addition to the model; "
                "default: 2GiB");
    visit.flag("plain", run.plain, "Switch off every fast path");
}

inline constexpr const char *kRescaleHelp
    = "Multiply the heads that stay in a layer by its heads / those that stay, as an option of Michel et al.'s code does; "
      "without it they stay as they are, as in the paper";

} // namespace headscope
