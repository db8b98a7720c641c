// Written by HEADSCOPE_WRITE_WORDS=1 tst_windowlanguages from the core's table of analyses: translators are given these
// texts.
#include "ui/language/corewords.h"

#include <QCoreApplication>

namespace headscope {

namespace {
constexpr const char *kAnalysisWords[] = {
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Score the model on a data set"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Resamples"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Of the bootstrap interval; 0 = no interval"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Score the model without each of its heads in turn"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "All but one"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Keep each head in turn as the only one of its layer"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Replace"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Replacement of a removed head's context"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Draws"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "For --replace resample: number of random examples whose contexts replace each example's; results "
        "average over them"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Sample ratio"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "Size of a resample by the size of the data set; compare-mt draws 0.5, which makes its tests conservative"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "Of the paired bootstrap, and trials of approximate randomisation; 0 = no tests; default: as many as let a head be significant after Holm's correction over all heads of the model (80 a head, rounded up to thousands)"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Precision"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "Stop measuring a head once its delta is known to ± X (half of the 95 % interval, in units of the "
        "metric); 0: use every example for every head"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "For --replace mean and resample: the data set that contexts are taken from"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Estimate each head's importance from gradients"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Reduction"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "What the absolute value is taken of; batch and fisher depend on how --seed and --batch-tokens put examples together"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Normalize"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "layer: divide by the l2 norm of each layer; global: by that of all heads; bertology: by layer, then map all heads to 0-1, as Hugging Face's script does"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Measure the score while more and more heads are removed"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Order"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "importance, ablation, random, greedy (at every step the head whose removal leaves the best score, all others measured anew), or a file with the heads in the order of removal (or a JSON result of ablate or importance)"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Step"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Heads removed between two points; 0 = a tenth of the candidates"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Rounding"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Of tenths of the candidates"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Reverse"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Reverse the order: the heads that seem most needed are removed "
                                              "first"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Greedy step"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "For --order greedy: heads to remove before all others are "
                                              "measured again"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Each kind"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "A curve for each kind of attention (of --kinds) by itself, with percentages of that kind; JSON: \"curves\""),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Reestimate"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Estimate importance again before every step"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Kinds"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Candidates (default: all)"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "At least"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Heads never removed in a layer"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Random orders"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "For --order random"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Of importance"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Of importance, as in `importance`"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "Of the bootstrap intervals, default: 1000; and of the sweep of --order ablation, default: as in `ablate`"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "Choose the order on this data set, so that the curve is measured on data that did not "
                      "influence it"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "Find masks from gradients alone: Fisher search, rearrangement, rescaling (Kwon 2022)"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Heads removed between two budgets; 0 = a tenth of the candidates"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Samples"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Examples for gradients and factors; 0 = all"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Mini batch"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Examples per gradient"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Of the bootstrap intervals"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "Take gradients and factors from this data set, training data for instance"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Find out what heads attend to: offsets, syntax, rare words, patterns"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Measure"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "Attention weights; norms of what is added for a key, as they are (confidence; the rest takes their shares); or norm-shares, the norms by their sum over the keys"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Special tokens"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "Confidence: leave special tokens out as queries and keys, only as one of them, or count them"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Renormalize"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Confidence: what is left beside them sums to 1"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Own output"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Force the decoder to the model's own output, not to the "
                                              "references"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Corpus"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "Text whose tokens are counted to know rare ones: the training text; default: the order of the vocabulary"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Frequencies"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Words and how often they occur instead, one a line"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Alignments"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "Word alignments for the error rates of cross-attention: lines of 0-0 1?2 (source-target, ? possible)"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Sieve threshold"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "Syntactic, local, block and delimiter roles as Pande et al. (2021) test them: how many times as much attention as if all keys got the same a head must give, for p"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Evidence"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Sentences for and against every label"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "Trace the model's outputs back to its heads and its input: layer-wise relevance "
                      "propagation"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Rule"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "alpha-beta: Voita et al.'s code; epsilon: Ding et al.; attnlrp: Achtibat et al.; cp-lrp: Ali et al."),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "Force the decoder to the model's own greedy output, not to the references (always done "
                      "without references)"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Absolute"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Divide each head's relevance by the layer's absolute relevances"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Signed"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Divide by the sum instead, even for rules with negative "
                                              "relevances"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Attention constant"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "alpha-beta: no relevance flows through queries and keys"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Sentences"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Keep the relevances of every example, and every token's contribution"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Average each head's largest attention weight; `roles` has more options"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "Count the examples that each head decides: right only with it, right only without it"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Examples"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "Name the examples that are lost and gained without each head, by their rows"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "Compare what heads attend to: distances, map, clusters, and what they look at on the surface"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Distance"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "That map, clusters and spread are of: the root of the mean Jensen-Shannon divergence, which is a metric, or the divergence, as in Clark et al.'s code"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Linkage"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Of clusters: mean, largest or smallest distance of their members"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Average"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "Of surface statistics: over the tokens that have such a key, or as Clark et al.'s code does: over examples, by all tokens, punctuation being . and ,"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Smoothing"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "Mix rows with this much uniform attention before they are compared; Clark et al.: 0.001"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Of the bootstrap intervals of the spread; 0 = none"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "How much the loss follows attention to special tokens, punctuation, neighbours and all else"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "Train a small model that reads dependency trees off attention, and compare it with baselines"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Test share"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "Without --train-on: share of the sentences, drawn by the seed, that accuracies are of; the others are trained on"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Epochs"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Times that every training sentence is seen"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Learning rate"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Of Adam, a sentence a step"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Of the bootstrap intervals; 0 = none"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "The data set, with trees, that probes are trained on"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "How often heads attend from a mention to its antecedent, beside baselines that look at words"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Of the bootstrap intervals, over documents; 0 = none"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "How many dimensions query and key projections use; what of the scores is the same for every query"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Centred"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "Take the mean out of every dimension of a head first, as a principal component analysis does"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "Examples that content, context and key biases are looked at on; 0 = all"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "Share query and key projections between heads, and score the model with fewer dimensions"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Ranks"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "Columns of the shared query and key projections; default: 3/4, 1/2, 1/3 and 1/6 of those that all heads of an attention have together"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Attentions that share (default: all)"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Methods"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "cp: the sum of products that is nearest to all heads together; svd: the largest singular triplets of single heads, which share nothing (default: both)"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Prune"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "Remove this many heads as well, the least important of the full model first: before sharing, after it, and without sharing"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Iterations"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Most iterations of alternating least squares"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Tolerance"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Stop when an iteration reduces the relative error by less"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Ridge"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Regularisation of the normal equations: added to the diagonal, "
                                              "relative to its mean"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Restarts"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "Restarts from random factors, besides the start from single heads; the best fit counts"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Published scale"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "Divide scores as the published code does, by the root of the width by the number of heads; heads were trained with the root of their own width"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Mixing"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Keep the mixing matrices"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Examples that scores and attention are compared on; 0 = all"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Of the bootstrap intervals of scores; 0 = none"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Score this data set, too: out-of-domain data for instance"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "Follow heads over training: importance, ablation and pruning of every checkpoint"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Runs"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "The folder with the checkpoints: epoch-001, checkpoint-500, ..."),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Checkpoints"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Only those with these numbers; default: all"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Candidates of pruning (default: all)"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Curves only"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Skip ablation and confidence, which take longer than the rest together"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Roles"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Roles of heads at each checkpoint, as in `roles`"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Spread"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "How far the heads of a layer are apart at each checkpoint, as in `similarity`"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Keep"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "Folder in which the results of each checkpoint are kept, so that none is computed twice; default: "
        "headscope-results in the folder of --runs"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "Estimate importance, and with it the order of pruning, on this data set"),
};
} // namespace

std::span<const char *const> analysisWords()
{
    return kAnalysisWords;
}

} // namespace headscope
