#pragma once

#include "core/analysis/relevancespec.h"
#include "core/analysis/rolesspec.h"
#include "core/analysis/similarityspec.h"
#include "core/analysis/specs.h"
#include "core/analysis/speedspec.h"
#include "core/base/ranges.h"

/// The options of every analysis, said once: the name that the command line, results and studies call an option by,
/// where its value is, what it may be and what it does. describe(visitor, spec) shows a visitor all of them. Visitors:
/// those of optionsjson.h (the key of a result, its manifest, study files) and the command line's
/// (app/cli/clioptions.h). All of them hold values to the ranges given here, other than those that stand for "not
/// given".
///
/// What a visitor has, for T a number, an enumeration (EnumNames) or an optional of them:
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
               "Of beam search; default: the model's own setting");
    visit.integer("max-length", run.decoding.maxLength, kLengthRange,
                  "Most tokens of an output, the start token counted; default: the model's own setting");
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

template<typename Visitor>
void describe(Visitor &visit, EvaluationSpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.mask("against", spec.against);
    visit.choice("by", spec.by, "What a mask is of: its heads, or the whole groups that share their key-value heads");
    visit.integer("resamples", spec.resamples, IntegerRange{0, kMostResamples},
                  "Of the bootstrap interval; 0 = no interval; default: as many as a sweep of the model has");
    visit.flag("rescale", spec.rescale, kRescaleHelp);
}

template<typename Visitor>
void describe(Visitor &visit, AblationSpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.choice("by", spec.by,
                 "What is removed at a time: a head, or all heads that share a key-value head (masked heads mask "
                 "their whole groups too)");
    visit.flag("all-but-one", spec.allButOne, "Keep each head in turn as the only one of its layer");
    visit.choice(
        "replace", spec.replacement,
        "Replacement of a removed head's context: nothing (zero), its mean, that of other examples (resample), "
        "the constant that makes the loss lowest (optimal: Li and Janson 2024); window: nothing is removed, but "
        "the head sees only the first keys and those near the query (cross-attention is left out)");
    visit.integer(
        "fit-examples", spec.fitExamples, IntegerRange{1, kMostRepeats},
        "For --replace optimal: examples that constants are fitted to, in the order of the seed; default: 64");
    visit.integer("fit-steps", spec.fitSteps, IntegerRange{1, kMostRepeats},
                  "For --replace optimal: steps of the descent, for each head; default: 20");
    visit.integer("sinks", spec.sinks, IntegerRange{0, kLengthRange.most},
                  "For --replace window: keys from the beginning that a head still sees; default: 4");
    visit.integer(
        "window", spec.window, IntegerRange{1, kLengthRange.most},
        "For --replace window: a head still sees the keys at a distance from the query below this (1: its own "
        "only; of a decoder the last so many, of an encoder on both sides); default: 64");
    visit.integer("draws", spec.draws, IntegerRange{1, 1000},
                  "For --replace resample: number of random examples whose contexts replace each example's; results "
                  "average over them");
    visit.real(
        "sample-ratio", spec.sampleRatio, Range{1e-6, 1},
        "Size of a resample by the size of the data set; compare-mt draws 0.5, which makes its tests conservative");
    visit.integer(
        "resamples", spec.resamples, IntegerRange{0, kMostResamples},
        "Of the paired bootstrap, and trials of approximate randomisation; 0 = no tests; default: as many as let a head "
        "be significant after Holm's correction over all heads of the model (80 a head, rounded up to thousands)");
    visit.real("precision", spec.precision, Range{0, kLargestReal},
               "Stop measuring a head once its delta is known to ± X (half of the 95 % interval, in units of the "
               "metric); 0: use every example for every head");
    visit.flag("rescale", spec.rescale, kRescaleHelp);
}

template<typename Visitor>
void describe(Visitor &visit, ImportanceSpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.choice("by", spec.by,
                 "What is estimated: each head, or all heads that share a key-value head as one (masked heads mask "
                 "their whole groups too)");
    visit.choice(
        "reduction", spec.reduction,
        "What the absolute value is taken of: every token, example or batch; fisher: the sum over batches of squares "
        "(Fisher information, of which `search` takes the mean over batches). "
        "Which examples are a batch only --seed and the size of batches decide");
    visit.choice(
        "normalize", spec.normalization,
        "layer: divide by the l2 norm of each layer; global: by that of all heads; bertology: by layer, then map all "
        "heads to 0-1, as Hugging Face's script does");
    visit.integer(
        "batch-examples", spec.batchExamples, IntegerRange{0},
        "For batch and fisher: examples in a batch; default: as many as fit into --batch-tokens with padding where that is "
        "given, else 32 as in Michel et al.'s and Kwon et al.'s scripts (Hugging Face's has 1: batch is then example)");
    visit.choice(
        "example-loss", spec.exampleLoss,
        "Whose gradient: the sum of an example's losses over its target tokens, or their mean; of labels the same");
}

template<typename Visitor>
void describe(Visitor &visit, PruningSpec &spec)
{
    visit.text(
        "order", spec.order, "NAME|FILE",
        "importance, ablation, shapley, relevance, gating (each as the command of that name has it), random, greedy (at every step the head whose removal leaves the best score, all others "
        "measured anew), or a file with the heads in the order of removal (or a JSON result of ablate, importance or shapley)");
    visit.choice("by", spec.by,
                 "What is removed at a time: heads, or groups of heads that share a key-value head; --step, "
                 "--greedy-step and --at-least count these");
    visit.integer("step", spec.step, IntegerRange{0},
                  "Heads removed between two points; 0 = a tenth of the "
                  "candidates");
    visit.choice("rounding", spec.rounding, "Of tenths of the candidates");
    visit.flag("reverse", spec.reverse, "Reverse the order: the heads that seem most needed are removed first");
    visit.integer("greedy-step", spec.greedyStep, IntegerRange{1},
                  "For --order greedy: heads to remove before all others are measured again");
    visit.flag(
        "each-kind", spec.eachKind,
        "A curve for each kind of attention (of --kinds) by itself, with percentages of that kind; JSON: \"curves\"");
    visit.flag("reestimate", spec.reestimate, "Estimate importance again before every step");
    visit.flag("rescale", spec.rescale, kRescaleHelp);
    visit.choices("kinds", spec.kinds, "Candidates (default: all)");
    visit.integer("at-least", spec.atLeastPerLayer, IntegerRange{0}, "Heads never removed in a layer");
    visit.integer("random-orders", spec.randomOrders, IntegerRange{1, kMostRepeats}, "For --order random");
    visit.choice("reduction", spec.reduction, "Of importance");
    visit.choice("normalize", spec.normalization, "Of importance, as in `importance`");
    visit.integer("batch-examples", spec.batchExamples, IntegerRange{0}, "Of importance, as in `importance`");
    visit.choice("example-loss", spec.exampleLoss, "Of importance, as in `importance`");
    visit.integer(
        "resamples", spec.resamples, IntegerRange{0, kMostResamples},
        "Of the bootstrap intervals and tests, and of the sweep of --order ablation; default: as many as `ablate` has");
}

template<typename Visitor>
void describe(Visitor &visit, SearchSpec &spec)
{
    visit.choices("kinds", spec.kinds, "Candidates (default: all)");
    visit.integer("step", spec.step, IntegerRange{0},
                  "Heads removed between two budgets; 0 = a tenth of the "
                  "candidates");
    visit.choice("rounding", spec.rounding, "Of tenths of the candidates");
    visit.integer("samples", spec.samples, IntegerRange{0}, "Examples for gradients and factors; 0 = all");
    visit.integer("mini-batch", spec.miniBatch, IntegerRange{1}, "Examples per gradient");
    visit.integer("resamples", spec.resamples, IntegerRange{0, kMostResamples},
                  "Of the bootstrap intervals and tests; default: as many as `ablate` has");
}

template<typename Visitor>
void describe(Visitor &visit, ConfidenceSpec &spec)
{
    visit.choice("by", spec.by,
                 "Whose queries the mean is over: those of a head, or of all heads that share a key-value head");
}

template<typename Visitor>
void describe(Visitor &visit, RolesSpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.choice(
        "measure", spec.measure,
        "Attention weights; norms of what is added for a key, as they are (confidence; the rest takes their shares); or "
        "norm-shares, the norms by their sum over the keys");
    visit.choice("special-tokens", spec.specialTokens,
                 "Confidence: leave special tokens out as queries and keys, only as one of them, or count them");
    visit.flag("renormalize", spec.renormalize, "Confidence: what is left beside them sums to 1");
    visit.flag("own-output", spec.ownOutput, "Force the decoder to the model's own output, not to the references");
    visit.text(
        "corpus", spec.corpus, "FILE",
        "Text whose tokens are counted to know rare ones: the training text; default: the order of the vocabulary");
    visit.text("frequencies", spec.frequencies, "FILE", "Words and how often they occur instead, one a line");
    visit.text("alignments", spec.alignments, "FILE",
               "Word alignments for the error rates of cross-attention: lines of 0-0 1?2 (source-target, ? possible)");
    visit.real(
        "sieve-threshold", spec.sieveThreshold, Range{0, kLargestReal},
        "Syntactic, local, block and delimiter roles as Pande et al. (2021) test them: how many times as much attention as if "
        "all keys got the same a head must give, for p");
    visit.integer("sinks", spec.sinks, IntegerRange{0, kLengthRange.most},
                  "Keys from the beginning that a sink head looks at; default: 4");
    visit.integer("window", spec.window, IntegerRange{1, kLengthRange.most},
                  "Other keys at this distance from the query or more are distant, as `ablate --replace window` hides "
                  "them; default: 64");
    visit.integer("evidence", spec.evidence, IntegerRange{0, 1000}, "Sentences for and against every label");
}

template<typename Visitor>
void describe(Visitor &visit, RelevanceSpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.choice("rule", spec.rule,
                 "alpha-beta: Voita et al.'s code; epsilon: Ding et al.; attnlrp: Achtibat et al.; cp-lrp: Ali et al.");
    visit.flag("own-output", spec.ownOutput,
               "Force the decoder to the model's own greedy output, not to the references (always done without "
               "references)");
    visit.flag("absolute", spec.absolute, "Divide each head's relevance by the layer's absolute relevances");
    visit.flag("signed", spec.signedShares, "Divide by the sum instead, even for rules with negative relevances");
    visit.flag("attention-constant", spec.attentionConstant,
               "alpha-beta: no relevance flows through queries and "
               "keys");
    visit.flag("sentences", spec.sentences, "Keep the relevances of every example, and every token's contribution");
    visit.integer("example", spec.example, IntegerRange{0},
                  "This example alone (counted from 0): what each of its tokens contributes to each output, as spelt. "
                  "--format csv: a line per step and token");
}

template<typename Visitor>
void describe(Visitor &visit, SimilaritySpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.choice(
        "distance", spec.distance,
        "That map, clusters and spread are of: the root of the mean Jensen-Shannon divergence, which is a metric, or "
        "the divergence, as in Clark et al.'s code");
    visit.choice("linkage", spec.linkage, "Of clusters: mean, largest or smallest distance of their members");
    visit.choice(
        "average", spec.average,
        "Of surface statistics: over the tokens that have such a key, or as Clark et al.'s code does: over examples, by "
        "all tokens, punctuation being . and ,");
    visit.real("smoothing", spec.smoothing, Range{0, 0.5},
               "Mix rows with this much uniform attention before they are compared; Clark et al.: 0.001");
    visit.flag("own-output", spec.ownOutput,
               "Force the decoder to the model's own greedy output, not to the references (always done without "
               "references)");
    visit.integer("resamples", spec.resamples, IntegerRange{0, kMostResamples},
                  "Of the bootstrap intervals of the spread; 0 = none");
}

template<typename Visitor>
void describe(Visitor &visit, SpeedSpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.real("fraction", spec.fraction, Range{0, 1},
               "Without --mask: share of heads removed, the least important first");
    visit.integers("batch-sizes", spec.batchSizes, IntegerRange{1}, "Examples in a batch");
    visit.choices(
        "lengths", spec.lengths,
        "How batches are made: of similar length (bucketed), in the data's order (as-is), all padded to the longest "
        "(fixed)");
    visit.integer("examples", spec.examples, IntegerRange{0}, "Measured in each repeat, drawn by the seed; 0 = all");
    visit.integer("repeats", spec.repeats, IntegerRange{1, kMostRepeats}, "Of every measurement");
    visit.integer("warm-up", spec.warmUp, IntegerRange{0, kMostRepeats},
                  "Unmeasured batches of each model before every "
                  "measurement");
}

} // namespace headscope
