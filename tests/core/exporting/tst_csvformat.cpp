// FORMAT.md's section on tables: which columns each of them has, and what they say.
#include "core/exporting/csv.h"
#include "core/results/roles.h"
#include "tests/core/results/sampleresults.h"
#include "tests/support/fieldtable.h"

#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QStringList>
#include <QTest>

#include <string>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

/// What a line of each table is, by the kind of its result.
const QMap<QString, QString> kLines{
    {u"evaluate"_s, u"metric"_s},
    {u"ablate"_s, u"head"_s},
    {u"best-heads"_s, u"layer"_s},
    {u"importance"_s, u"head"_s},
    {u"prune"_s, u"point of every curve"_s},
    {u"confidence"_s, u"head"_s},
    {u"attention"_s, u"head, query and key"_s},
    {u"search"_s, u"budget and mask"_s},
    {u"compare"_s, u"head"_s},
    {u"roles"_s, u"head"_s},
    {u"relevance"_s, u"head"_s},
    {u"speed"_s, u"way of batching, batch size and contender"_s},
    {u"mcnemar"_s, u"head"_s},
    {u"similarity"_s, u"head"_s},
    {u"gradients"_s, u"head"_s},
    {u"coreference"_s, u"head"_s},
    {u"dynamics"_s, u"point of a curve, then head, then layer with a spread, checkpoint by checkpoint"_s},
    {u"probe"_s, u"way of guessing heads of words, then head"_s},
    {u"energy"_s, u"matrix of a layer, then matrix of a head"_s},
    {u"collaborate"_s, u"model"_s},
    {u"patch"_s, u"head, then head and position"_s},
    {u"shapley"_s, u"head"_s},
    {u"interactions"_s, u"pair of heads, then triple"_s},
    {u"find"_s, u"place, the largest weight first"_s},
    {u"needed"_s, u"head"_s},
    {u"gating"_s, u"head"_s},
    {u"takeover"_s, u"head"_s},
    {u"detect"_s, u"head and detector"_s},
    {u"weights"_s, u"head"_s},
    {u"tokens"_s, u"head, direction or token, end of it and token there"_s},
    {u"paths"_s, u"path"_s},
    {u"functions"_s, u"head and task, then layer, prompts and task, then masking"_s},
    {u"retrieval"_s, u"head, then share of right answers"_s},
};

/// Columns that no field of the result's JSON is called by, or that say something else there. "kind:name" is of one
/// table only.
const QMap<QString, QString> kColumns{
    {u"head"_s, u"address of the head: `encoder.0.3`"_s},
    {u"energy:head"_s, u"address of the head: `encoder.0.3`; empty: all heads of the layer together"_s},
    {u"find:what"_s, u"what was looked for"_s},
    {u"kind"_s, u"kind of attention: `encoder`, `cross` or `decoder`"_s},
    {u"layer"_s, u"number of the layer, from 0"_s},
    {u"head_number"_s, u"number of the head in its layer, from 0"_s},
    {u"ov_norm"_s, u"Frobenius norm of OV, what the head writes for what it reads"_s},
    {u"ov_effective_rank"_s, u"its effective rank"_s},
    {u"ov_eigenvalue_score"_s, u"sum of its eigenvalues by that of their absolute values: near 1 the head copies"_s},
    {u"ov_vocabulary_score"_s, u"the same from tokens to tokens; empty: there are no tokens"_s},
    {u"ov_bias_norm"_s, u"norm of what it writes whatever it reads"_s},
    {u"qk_norm"_s, u"Frobenius norm of QK, the head's scores"_s},
    {u"qk_effective_rank"_s, u"its effective rank"_s},
    {u"qk_eigenvalue_score"_s, u"sum of its eigenvalues by that of their absolute values"_s},
    {u"qk_vocabulary_score"_s, u"the same from tokens to tokens; empty: there are no tokens"_s},
    {u"qk_bias_norm"_s, u"norm of its terms that do not depend on both tokens"_s},
    {u"largest_query_composition"_s, u"the most that its queries read of one earlier head; empty: there is none"_s},
    {u"largest_key_composition"_s, u"the most that its keys read of one earlier head"_s},
    {u"largest_value_composition"_s, u"the most that its values read of one earlier head"_s},
    {u"metric"_s, u"name of the metric"_s},
    {u"score"_s, u"value of the metric"_s},
    {u"delta"_s, u"score minus the score of the full model"_s},
    {u"delta_ci_low"_s, u"lower end of the paired 95 % interval of delta; empty: not tested"_s},
    {u"delta_ci_high"_s, u"upper end"_s},
    {u"ci_low"_s, u"lower end of the 95 % interval"_s},
    {u"ci_high"_s, u"upper end of the 95 % interval"_s},
    {u"examples"_s, u"number of examples"_s},
    {u"signature"_s, u"signature of the metric"_s},
    {u"p"_s, u"two-sided, paired bootstrap"_s},
    {u"mcnemar:p"_s, u"two-sided, McNemar's exact test"_s},
    {u"coreference:pronoun"_s, u"accuracy on mentions whose head is a pronoun"_s},
    {u"coreference:proper"_s, u"accuracy on mentions whose head is a proper noun"_s},
    {u"coreference:nominal"_s, u"accuracy on mentions whose head is another noun"_s},
    {u"similarity:delimiter_to_delimiter"_s, u"attention of special tokens to other special tokens"_s},
    {u"similarity:other_to_delimiter"_s, u"attention of all other tokens to special tokens"_s},
    {u"similarity:behaviour"_s, u"what the head attends to most"_s},
    {u"p_adjusted"_s, u"p after Holm's correction"_s},
    {u"p_mcnemar"_s, u"McNemar's exact test; empty where outputs are not right or wrong"_s},
    {u"p_bh"_s, u"p after Benjamini and Hochberg's correction"_s},
    {u"p_randomization"_s, u"approximate randomisation"_s},
    {u"p_t"_s, u"paired t-test"_s},
    {u"changed"_s, u"examples whose output changes"_s},
    {u"stderr"_s, u"standard error of the mean"_s},
    {u"tokens"_s, u"number of tokens that were averaged over"_s},
    {u"speed:tokens"_s, u"tokens per run"_s},
    {u"order"_s, u"order of removal"_s},
    {u"collaborate:order"_s, u"what was done first: removing heads or sharing"_s},
    {u"pruned"_s, u"number of removed heads"_s},
    {u"fraction"_s, u"removed heads divided by all candidates"_s},
    {u"mask"_s, u"the removed heads"_s},
    {u"kinds"_s, u"kinds of attention from which heads were removed"_s},
    {u"order_data"_s, u"data set that the order was chosen on"_s},
    {u"chosen_delta"_s, u"delta on the data set that the head was chosen on"_s},
    {u"heads_in_layer"_s, u"number of heads in the layer"_s},
    {u"way"_s, u"`search`, `rearranged` or `rescaled`"_s},
    {u"attention_macs"_s, u"remaining share of attention's multiply-adds"_s},
    {u"objective"_s, u"value that the search minimised"_s},
    {u"scales"_s, u"scale factors of the remaining heads, `encoder.0.1=1.25 …`"_s},
    {u"measure"_s, u"what of a head is compared"_s},
    {u"compare:metric"_s, u"name of the metric; empty where heads are not compared by one"_s},
    {u"a"_s, u"value in the first result"_s},
    {u"b"_s, u"value in the second result"_s},
    {u"difference"_s, u"second value minus first value"_s},
    {u"r"_s, u"Pearson's correlation, the same in every line"_s},
    {u"rho"_s, u"Spearman's correlation, the same in every line"_s},
    {u"tau"_s, u"Kendall's correlation, the same in every line"_s},
    {u"role"_s, u"first role of the head; empty: none"_s},
    {u"labels"_s, u"all roles of the head"_s},
    {u"ambiguous"_s, u"`yes` if several roles pass their thresholds"_s},
    {u"confidence"_s, u"mean of the largest weights"_s},
    {u"ROLE"_s, u"best claim of each role (positional, syntactic, …)"_s},
    {u"ROLE_score"_s, u"its score"_s},
    {u"ROLE_expected"_s, u"score expected by chance"_s},
    {u"ROLE_instances"_s, u"number of instances"_s},
    {u"alignment_error_when_predicted"_s, u"alignment error rate of the row that predicts a word"_s},
    {u"alignment_error_when_read"_s, u"alignment error rate of the row that has read it"_s},
    {u"SIEVE_sieve"_s, u"score of each test of roles (syntactic, local, block, delimiter)"_s},
    {u"SIEVE_sieve_p_adjusted"_s, u"its p after Holm's correction"_s},
    {u"relevance"_s, u"share of the layer's relevance"_s},
    {u"query"_s, u"position of the query"_s},
    {u"query_token"_s, u"its token"_s},
    {u"key"_s, u"position of the key"_s},
    {u"key_token"_s, u"its token"_s},
    {u"weight"_s, u"what `measure` says, of a query and a key"_s},
    {u"attention:measure"_s, u"`weights`, or `norm-shares` or `norms` where those were asked for"_s},
    {u"query_segment"_s, u"text of a pair that the query belongs to: 0 or 1; −1 for special tokens"_s},
    {u"key_segment"_s, u"text of a pair that the key belongs to"_s},
    {u"value_norm"_s, u"norm of the transformed value vector of the key; empty: not asked for"_s},
    {u"lengths"_s, u"how examples are put into batches"_s},
    {u"batch_size"_s, u"examples in a batch"_s},
    {u"contender"_s, u"`original`, `masked` or `removed` model"_s},
    {u"heads"_s, u"number of heads"_s},
    {u"parameters"_s, u"number of parameters"_s},
    {u"repeats"_s, u"number of measurements"_s},
    {u"examples_per_second_STATISTIC"_s, u"mean, sd, median, q1 and q3 of examples per second"_s},
    {u"tokens_per_second_STATISTIC"_s, u"the same of tokens per second"_s},
    {u"gain_STATISTIC"_s, u"the same of the gain in speed over the full model"_s},
    {u"peak_bytes"_s, u"largest memory beside the weights; empty: unknown"_s},
    {u"weight_bytes"_s, u"size of the weights"_s},
    {u"x"_s, u"place on the map"_s},
    {u"y"_s, u"place on the map"_s},
    {u"leaf"_s, u"place in the dendrogram"_s},
    {u"KEYS_attention"_s, u"attention to each class of keys"_s},
    {u"KEYS_gradient"_s, u"mean absolute derivative of the loss with respect to one such weight"_s},
    {u"KEYS_stderr"_s, u"its standard error"_s},
    {u"KEYS_product"_s, u"mean product of weight and gradient"_s},
    {u"checkpoint"_s, u"name of the checkpoint"_s},
    {u"number"_s, u"number of the checkpoint"_s},
    {u"what"_s, u"what the line is: `curve`, `head` or `spread`"_s},
    {u"relative"_s, u"score divided by the same checkpoint's full score"_s},
    {u"importance"_s, u"importance of the head"_s},
    {u"spread"_s, u"mean distance between the heads of the layer"_s},
    {u"matrix"_s, u"which matrix"_s},
    {u"dimensions"_s, u"its number of singular values"_s},
    {u"effective_rank"_s, u"effective rank"_s},
    {u"stable_rank"_s, u"stable rank"_s},
    {u"for_50"_s, u"dimensions for 50 % of the energy"_s},
    {u"for_90"_s, u"dimensions for 90 % of the energy"_s},
    {u"for_95"_s, u"dimensions for 95 % of the energy"_s},
    {u"for_99"_s, u"dimensions for 99 % of the energy"_s},
    {u"random_99"_s, u"dimensions for 99 % in a matrix of random numbers"_s},
    {u"content"_s, u"variance of the part of the scores that is the same for every query, by that of the scores"_s},
    {u"context"_s, u"variance of the rest, by that of the scores"_s},
    {u"width"_s, u"number of shared columns"_s},
    {u"method"_s, u"`cp`: shared; `svd`: every head by itself"_s},
    {u"score_parameters"_s, u"parameters of query and key projections"_s},
    {u"compression"_s, u"original parameters of query and key projections divided by theirs"_s},
    {u"break_even"_s, u"length above which scores take more multiply-adds than before"_s},
    {u"collaborate:seconds"_s, u"that all factorizations took"_s},
    {u"error"_s, u"relative error of the factorization"_s},
    {u"logit_error"_s, u"relative error of attention scores"_s},
    {u"divergence"_s, u"Jensen–Shannon divergence of attention from the original's"_s},
    {u"other_score"_s, u"score on the second data set"_s},
    {u"on_front"_s, u"`yes` if the model is on the Pareto front of score against parameters"_s},
    {u"other_on_front"_s, u"the same on the second data set"_s},
    {u"multiply_adds"_s, u"of the scores of a sequence of `length` tokens, all attentions together"_s},
    {u"length"_s, u"tokens that multiply-adds are of: the mean of what the model reads"_s},
    {u"prune:accuracy"_s, u"of labels: accuracy under the same mask"_s},
    {u"prune:f1"_s, u"likewise, F1"_s},
    {u"prune:macro_f1"_s, u"likewise, of labels several of which can be right: the mean of the labels' F1"_s},
    {u"prune:matthews"_s, u"likewise, Matthews' correlation"_s},
    {u"patch:position"_s, u"position of the query, counted as the result says; empty: all positions"_s},
    {u"patch:pairs"_s, u"pairs that have the position"_s},
    {u"patch:measure"_s, u"what is measured of the answer"_s},
    {u"patch:delta"_s, u"measure of the patched run minus that of the base run"_s},
    {u"patch:delta_low"_s, u"lower end of its 95 % interval"_s},
    {u"patch:delta_high"_s, u"upper end of its 95 % interval"_s},
    {u"patch:effect"_s, u"delta divided by the difference between donor and base"_s},
    {u"patch:attribution"_s, u"estimate of delta by gradients"_s},
    {u"patch:direct_clean"_s,
     u"what the head adds by itself to the logit difference of the clean run; empty: a cell, or along paths"_s},
    {u"patch:direct_corrupt"_s, u"the same in the corrupt run"_s},
    {u"paths:head"_s, u"address of the sender: the head whose changed output goes along the path"_s},
    {u"paths:kind"_s, u"its kind of attention"_s},
    {u"paths:to"_s, u"address of the receiver, or of all heads that share the key or value; empty: the output"_s},
    {u"paths:measure"_s, u"what is measured of the answer"_s},
    {u"paths:delta"_s, u"measure of the run with the change along the path minus that of the base run"_s},
    {u"paths:delta_low"_s, u"lower end of its 95 % interval"_s},
    {u"paths:delta_high"_s, u"upper end of its 95 % interval"_s},
    {u"paths:effect"_s, u"delta divided by the difference between donor and base"_s},
    {u"paths:attribution"_s, u"estimate of delta by gradients"_s},
    {u"paths:p"_s, u"two-sided, that delta is zero"_s},
    {u"tokens:circuit"_s, u"`ov`, what the head writes for what it reads, or `qk`, which keys its queries match"_s},
    {u"tokens:of"_s, u"`direction`: a singular direction of the circuit; `token`: a token that was asked for"_s},
    {u"tokens:number"_s, u"of the direction, from 1, the largest singular value first; or id of the token"_s},
    {u"tokens:singular_value"_s, u"of the direction; empty: a token"_s},
    {u"tokens:end"_s, u"what the line's token is to the head: `reads` or `writes`, `queries` or `keys`"_s},
    {u"tokens:side"_s, u"`highest` or `lowest` values of that end"_s},
    {u"tokens:place"_s, u"among them, from 1"_s},
    {u"tokens:id"_s, u"id of the line's token"_s},
    {u"tokens:text"_s, u"its text"_s},
    {u"tokens:value"_s, u"logit, score or product with the direction, less the mean over all tokens"_s},
    {u"functions:what"_s, u"what the line is: `head`, `layer` or `masking`"_s},
    {u"functions:task"_s, u"name of the task; empty: all tasks"_s},
    {u"functions:prompts"_s, u"which prompts: `zero-shot`, `shuffled` or `few-shot`, and without which heads"_s},
    {u"functions:effect"_s,
     u"change of the answer's probability by a head, or of accuracy by the vector or by masks"_s},
    {u"functions:accuracy"_s, u"share of prompts whose output's first token is the likeliest"_s},
    {u"functions:ci_low"_s, u"lower end of the 95 % interval of the effect; where there is none, of the accuracy"_s},
    {u"functions:p"_s, u"two-sided, that the effect is zero"_s},
    {u"functions:label"_s, u"`yes` if the head is a function head"_s},
    {u"retrieval:what"_s, u"what the line is: `head` or `answers`"_s},
    {u"retrieval:without"_s,
     u"which heads the answers are without; `top minus random`: the difference of both shares"_s},
    {u"retrieval:score"_s, u"retrieval score of the head; of answers the share of right ones"_s},
    {u"retrieval:ci_low"_s, u"lower end of its 95 % interval, bootstrap over needles"_s},
    {u"retrieval:p"_s,
     u"one-sided t-test over needles that the head's score is no more than the threshold; of `top minus random` "
     u"two-sided, that there is no difference"_s},
    {u"retrieval:label"_s, u"`yes` if the head is a retrieval head"_s},
    {u"shapley:shapley"_s, u"what the head adds to the score, mean over orders"_s},
    {u"shapley:p"_s, u"two-sided, bootstrap over examples and orders"_s},
    {u"interactions:other"_s, u"address of the other head"_s},
    {u"find:rank"_s, u"of the place, from 1"_s},
    {u"interactions:other_kind"_s, u"its kind of attention"_s},
    {u"interactions:other_layer"_s, u"number of its layer, from 0"_s},
    {u"interactions:other_head_number"_s, u"its number in the layer, from 0"_s},
    {u"interactions:third"_s, u"address of the third head, of triples; empty: a pair"_s},
    {u"interactions:interaction"_s, u"delta without both minus the deltas without each"_s},
    {u"interactions:delta"_s, u"score without both minus the score of the full model"_s},
    {u"index"_s, u"number of the example, from 0"_s},
    {u"outputs:score"_s, u"log-probability of the output"_s},
    {u"outputs:tokens"_s, u"token ids, separated by blanks"_s},
    {u"text"_s, u"the output"_s},
    {u"predicted"_s, u"predicted labels (numbers, separated by blanks)"_s},
    {u"label"_s, u"right labels"_s},
    {u"predicted_label"_s, u"names of the predicted labels"_s},
    {u"logit_N"_s, u"logit of label N"_s},
};

/// Columns of which there is one for each of several names are described once.
QString patternOf(const QString &column)
{
    for (const Role role : kAllRoles) {
        QString name = QString::fromUtf8(roleName(role).data(), static_cast<qsizetype>(roleName(role).size()));
        name.replace(u' ', u'_');
        if (column == name || column.startsWith(name + u"_score"_s) || column == name + u"_expected"_s
            || column == name + u"_instances"_s)
            return u"ROLE"_s + column.mid(name.size());
    }
    static const QRegularExpression sieve(u"^(.+)_sieve(_p_adjusted)?$"_s);
    if (const auto found = sieve.match(column); found.hasMatch())
        return u"SIEVE_sieve"_s + found.captured(2);
    static const QRegularExpression keys(u"^.+_(attention|gradient|stderr|product)$"_s);
    if (const auto found = keys.match(column); found.hasMatch())
        return u"KEYS_"_s + found.captured(1);
    static const QRegularExpression statistic(
        u"^(examples_per_second|tokens_per_second|gain)_(mean|sd|median|q1|q3)$"_s);
    if (const auto found = statistic.match(column); found.hasMatch())
        return found.captured(1) + u"_STATISTIC"_s;
    static const QRegularExpression logit(u"^logit_\\d+$"_s);
    if (logit.match(column).hasMatch())
        return u"logit_N"_s;
    return column;
}

/// What FORMAT.md's table of a result says of the items of its lists: heads[].NAME.
QString fieldHelp(const QString &kind, const QString &name)
{
    static const QString tables = QString::fromStdString(fieldTables());
    const qsizetype from = tables.indexOf(u"### `\"result\": \"%1\"`"_s.arg(kind));
    const QString table = from < 0 ? QString() : tables.mid(from, tables.indexOf(u"\n### "_s, from + 4) - from);
    for (const QString &path : {u"heads\\[\\]\\."_s, u"[a-z]+\\[\\]\\."_s, u"[a-z_.\\[\\]]*\\."_s}) {
        const QRegularExpression row(
            u"\\| `%1%2`[^|]*\\|[^|]*\\| ([^|\\n]+) \\|"_s.arg(path, QRegularExpression::escape(name)));
        if (const QString help = row.match(table).captured(1).trimmed(); !help.isEmpty())
            return help;
    }
    return {};
}

/// The table of columns of a CSV text; `missing` gets those that nothing is said of.
QString columnTable(const QString &kind, const std::string &csv, QStringList &missing)
{
    static const QMap<QString, QString> units{
        {u"evaluate:score"_s, u"BLEU and chrF points; loss and perplexity as they are; others 0-1"_s},
        {u"outputs:score"_s, u"log-probability"_s},
        {u"dynamics:fraction"_s, u"0-1"_s},
        {u"score"_s, u"the metric's"_s},
        {u"delta"_s, u"the metric's"_s},
        {u"delta_ci_low"_s, u"the metric's"_s},
        {u"delta_ci_high"_s, u"the metric's"_s},
        {u"chosen_delta"_s, u"the metric's"_s},
        {u"ablate:ci_low"_s, u"the metric's"_s},
        {u"ablate:ci_high"_s, u"the metric's"_s},
        {u"best-heads:ci_low"_s, u"the metric's"_s},
        {u"best-heads:ci_high"_s, u"the metric's"_s},
        {u"prune:ci_low"_s, u"the metric's"_s},
        {u"prune:ci_high"_s, u"the metric's"_s},
        {u"search:ci_low"_s, u"the metric's"_s},
        {u"search:ci_high"_s, u"the metric's"_s},
        {u"collaborate:ci_low"_s, u"the metric's"_s},
        {u"collaborate:ci_high"_s, u"the metric's"_s},
        {u"patch:delta"_s, u"the measure's"_s},
        {u"patch:delta_low"_s, u"the measure's"_s},
        {u"patch:delta_high"_s, u"the measure's"_s},
        {u"patch:attribution"_s, u"the measure's"_s},
        {u"patch:effect"_s, u"1 = all of it"_s},
        {u"patch:direct_clean"_s, u"the logits'"_s},
        {u"patch:direct_corrupt"_s, u"the logits'"_s},
        {u"paths:delta"_s, u"the measure's"_s},
        {u"paths:delta_low"_s, u"the measure's"_s},
        {u"paths:delta_high"_s, u"the measure's"_s},
        {u"paths:attribution"_s, u"the measure's"_s},
        {u"paths:effect"_s, u"1 = all of it"_s},
        {u"shapley:shapley"_s, u"the metric's"_s},
        {u"shapley:ci_low"_s, u"the metric's"_s},
        {u"shapley:ci_high"_s, u"the metric's"_s},
        {u"interactions:interaction"_s, u"the metric's"_s},
        {u"interactions:ci_low"_s, u"the metric's"_s},
        {u"interactions:ci_high"_s, u"the metric's"_s},
        {u"compare:ci_low"_s, u"b - a"_s},
        {u"compare:ci_high"_s, u"b - a"_s},
        {u"difference"_s, u"b - a"_s},
        {u"r"_s, u"all heads"_s},
        {u"rho"_s, u"all heads"_s},
        {u"tau"_s, u"all heads"_s},
        {u"changed"_s, u"examples"_s},
        {u"pruned"_s, u"heads"_s},
        {u"fraction"_s, u"0-1"_s},
        {u"attention_macs"_s, u"0-1"_s},
        {u"confidence"_s, u"0-1"_s},
        {u"ROLE_score"_s, u"0-1"_s},
        {u"ROLE_expected"_s, u"0-1"_s},
        {u"alignment_error_when_predicted"_s, u"0-1"_s},
        {u"alignment_error_when_read"_s, u"0-1"_s},
        {u"relevance"_s, u"share of the layer"_s},
        {u"weight"_s, u"0-1; of `norms` as they are"_s},
        {u"peak_bytes"_s, u"bytes beside weights"_s},
        {u"weight_bytes"_s, u"bytes"_s},
        {u"gain_STATISTIC"_s, u"1 = twice as fast"_s},
        {u"break_even"_s, u"tokens"_s},
        {u"divergence"_s, u"nats"_s},
    };
    static const QRegularExpression stable(u"^[a-z][a-z0-9_]*$"_s);
    QString text = u"| column | unit | what it says |\n|---|---|---|\n"_s;
    const QString header = QString::fromStdString(csv).section(u'\n', 0, 0);
    static const QRegularExpression field(u"(\"[^\"]*\"|[^,\"]+)"_s);
    QStringList seen;
    for (auto at = field.globalMatch(header); at.hasNext();) {
        const QString name = at.next().captured().remove(u'"');
        if (!stable.match(name).hasMatch())
            missing << kind + u": "_s + name + u" (names are of small letters, digits and _)"_s;
        const QString column = patternOf(name);
        if (seen.contains(column))
            continue;
        seen << column;
        const QString unit = units.value(kind + u':' + column, units.value(column));
        QString help = kColumns.value(kind + u':' + column, kColumns.value(column));
        if (help.isEmpty())
            help = fieldHelp(kind, column);
        if (help.isEmpty())
            missing << kind + u": "_s + column;
        text += u"| `%1` | %2 | %3 |\n"_s.arg(column, unit, help);
    }
    return text;
}

QString columnTables(QStringList &missing)
{
    QString text;
    QStringList seen;
    for (const AnyResult &result : samples::all()) {
        const QString kind = QString::fromStdString(std::string(kindOf(result)));
        if (seen.contains(kind))
            continue;
        seen << kind;
        std::string csv;
        try {
            csv = toCsv(result);
        } catch (const nlohmann::json::exception &) { // no list of heads: it has no table
            continue;
        }
        if (!kLines.contains(kind))
            missing << kind + u": what a line is"_s;
        text += u"### `%1`: one line per %2\n\n"_s.arg(kind, kLines.value(kind)) + columnTable(kind, csv, missing)
              + u'\n';
    }
    text += u"### `predict`, translations: one line per example\n\n"_s
          + columnTable(u"outputs"_s, outputsCsv(samples::evaluation()), missing) + u'\n';
    text += u"### `predict`, classes: one line per example\n\n"_s
          + columnTable(u"classes"_s, outputsCsv(samples::classification()), missing) + u'\n';
    return text;
}

} // namespace

class TestCsvFormat : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void formatPageHasTheColumns();
};

// HEADSCOPE_WRITE_FORMAT=1 writes the tables anew.
void TestCsvFormat::formatPageHasTheColumns()
{
    QStringList missing;
    const QByteArray tables = columnTables(missing).toUtf8();
    QVERIFY2(missing.isEmpty(), qPrintable(u"say in this test what these columns are: "_s + missing.join(u", "_s)));
    QFile page(qEnvironmentVariable("HEADSCOPE_SOURCE_DIR") + u"/core/results/FORMAT.md"_s);
    QVERIFY(page.open(QIODevice::ReadOnly));
    QByteArray text = page.readAll();
    page.close();
    const QByteArray begin = "<!-- columns -->\n\n";
    const QByteArray end = "<!-- end of columns -->";
    const auto from = text.indexOf(begin) + begin.size();
    const auto to = text.indexOf(end);
    QVERIFY(from > begin.size() && to >= from);
    if (qEnvironmentVariableIsSet("HEADSCOPE_WRITE_FORMAT")) {
        text.replace(from, to - from, tables);
        QVERIFY(page.open(QIODevice::WriteOnly) && page.write(text) == text.size());
    }
    QVERIFY2(text.mid(from, text.indexOf(end) - from) == tables,
             "run this test with HEADSCOPE_WRITE_FORMAT=1 and look at the page");
}

QTEST_APPLESS_MAIN(TestCsvFormat)
#include "tst_csvformat.moc"
