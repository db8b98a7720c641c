#pragma once

#include "core/base/headref.h"
#include "core/base/interval.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Which heads copy a fact from a long text into the answer (Wu et al. 2024), and which look at it from the question
/// (Zhang et al. 2025).
namespace headscope {

/// Mean retrieval score from which on Wu et al. (2024) call a head a retrieval head.
inline constexpr double kRetrievalScore = 0.1;

/// The run in which a head copies most: evidence of a label.
struct RetrievalEvidence
{
    std::int64_t run = 0; ///< of RetrievalResult::runs
    double score = 0;     ///< of the head in this run
    std::string copied;   ///< the tokens that it copies, as text
};

struct HeadRetrieval
{
    HeadRef head;
    int keyHead = 0; ///< place of the key head that it reads: heads of a layer with the same one share keys
    std::optional<double> score{}; ///< share of the answer's tokens that the head copies, mean over counted runs; none:
                                   ///< no run counts
    Interval interval{};           ///< 95 %, bootstrap over needles
    double p = 1;                  ///< one-sided t-test over needles: no more than RetrievalResult::threshold
    double pAdjusted = 1;          ///< Holm, over all heads
    bool isRetrievalHead = false;  ///< the label: the adjusted p is 5 % at most
    bool isTop = false;            ///< one of the heads that are masked together
    std::optional<double> steps{}; ///< steps in which it copies ÷ the answer's tokens, as the paper's program counts
    double question = 0;         ///< QR score: attention of the question's tokens to the needle, less a null question's
    Interval questionInterval{}; ///< 95 %, bootstrap over needles
    std::optional<RetrievalEvidence> evidence{}; ///< of a head with the label
};

struct RetrievalNeedle
{
    std::string needle;
    std::string question;
    std::string answer;
    bool isPart = false; ///< the answer stands in the needle: its tokens alone are counted; else those of the needle
};

/// One needle at one place of a text.
struct RetrievalRun
{
    std::int64_t needle = 0; ///< of RetrievalResult::needles
    std::int64_t length = 0; ///< tokens that the prompt may have
    std::int64_t tokens = 0; ///< that it has
    double depth = 0;        ///< where the needle should stand: 0 at the beginning, 1 at the end
    std::string said;        ///< what the model says behind the question
    double recall = 0;       ///< ROUGE-1: share of the answer's words that it says
    bool isRight = false;    ///< the recall is more than one half
};

/// Share of runs whose answer is right.
struct AnswerShare
{
    double share = 0;
    Interval interval{}; ///< 95 %, bootstrap over needles
};

/// One share less another one of the same runs.
struct AnswerDifference
{
    double difference = 0;
    Interval interval{}; ///< 95 %, paired bootstrap over needles
    double p = 1;        ///< two-sided, that there is none
};

/// Right answers without the top heads, and without as many others.
struct RetrievalMasking
{
    std::int64_t heads = 0; ///< that are masked together
    AnswerShare top{};      ///< without the top heads
    AnswerShare random{};   ///< without random other heads of the same layers, mean over `sets`
    std::int64_t sets = 0;
    AnswerDifference difference{}; ///< top minus random
};

struct RetrievalResult
{
    static constexpr const char *kKind = "retrieval";
    Manifest manifest;
    double threshold = 0;      ///< mean score that a label needs more of
    bool countsWrong = false;  ///< scores are means over all runs, not only over those with a right answer
    std::int64_t examples = 0; ///< needles of the counted runs, which scores are tested over
    std::int64_t counted = 0;  ///< runs that scores are means over
    std::int64_t right = 0;    ///< runs whose answer is right
    AnswerShare answers{};
    std::vector<RetrievalNeedle> needles{};
    std::vector<RetrievalRun> runs{};
    std::vector<HeadRetrieval> heads{};
    std::optional<RetrievalMasking> masking{}; ///< none: not computed yet, or no head has a score
};

/// Throws Failure: runs of needles that are not there, evidence of runs that are not, key heads beyond their heads.
void checkRetrieval(const RetrievalResult &result);

void describe(auto &visit, Of<RetrievalEvidence> auto &evidence)
{
    visit.field("run", evidence.run, "its place among `runs`, from 0");
    visit.field("score", evidence.score, "of the head in this run");
    visit.field("copied", evidence.copied, "the tokens that the head copies there, as text");
}

void describe(auto &visit, Of<HeadRetrieval> auto &head)
{
    visit.field("head", head.head, "address");
    visit.field("key_head", head.keyHead, "place of the key head that it reads: heads with the same one share keys");
    visit.rare("score", head.score,
               "retrieval score: share of the answer's tokens in the text that the model says while the head's largest "
               "weight is on them, mean over counted runs; missing: no run counts");
    visit.merge(head.interval);
    visit.field("p", head.p, "one-sided t-test over needles: no more than `threshold`");
    visit.field("p_adjusted", head.pAdjusted, "Holm, over all heads");
    visit.field("retrieval_head", head.isRetrievalHead, "`p_adjusted` is 0.05 at most");
    visit.field("top", head.isTop, "one of the heads that are masked together");
    visit.rare("steps", head.steps,
               "steps in which the head copies ÷ the answer's tokens, as the paper's program counts: a token counts as "
               "often as it is said");
    visit.field(
        "question_score", head.question,
        "QR score: attention of the question's tokens to the needle (sum over keys, mean over tokens), less that "
        "of the question \"N/A\", mean over all runs");
    visit.field("question_low", head.questionInterval.low, "lower end of its 95 % interval, bootstrap over needles");
    visit.field("question_high", head.questionInterval.high, "upper end");
    visit.rare("evidence", head.evidence, "of a retrieval head: the run in which it copies most");
}

void describe(auto &visit, Of<RetrievalNeedle> auto &needle)
{
    visit.field("needle", needle.needle, "the sentence that is hidden");
    visit.field("question", needle.question, "that asks for it");
    visit.field("answer", needle.answer, "the right one");
    visit.field("part", needle.isPart,
                "the answer stands in the needle: its tokens alone are counted; else all of them");
}

void describe(auto &visit, Of<RetrievalRun> auto &run)
{
    visit.field("needle", run.needle, "its place among `needles`, from 0");
    visit.field("length", run.length, "tokens that the prompt may have");
    visit.field("tokens", run.tokens, "that it has");
    visit.field("depth", run.depth, "where the needle stands: 0 at the text's beginning, 1 at its end");
    visit.field("said", run.said, "what the model says behind the question");
    visit.field("recall", run.recall, "ROUGE-1: share of the answer's words in it");
    visit.field("right", run.isRight, "`recall` is more than 0.5");
}

void describe(auto &visit, Of<AnswerShare> auto &score)
{
    visit.field("share", score.share, "of runs whose answer is right");
    visit.merge(score.interval);
}

void describe(auto &visit, Of<AnswerDifference> auto &difference)
{
    visit.field("difference", difference.difference, "of two shares of the same runs");
    visit.merge(difference.interval);
    visit.field("p", difference.p, "two-sided, that there is none");
}

void describe(auto &visit, Of<RetrievalMasking> auto &masking)
{
    visit.field("heads", masking.heads, "that are masked together");
    visit.field("top", masking.top, "right answers without the top heads");
    visit.field("random", masking.random, "without random other heads of the same layers, mean over `sets`");
    visit.field("sets", masking.sets, "of random heads");
    visit.field("difference", masking.difference, "without the top heads minus without random ones");
}

void describe(auto &visit, Of<RetrievalResult> auto &result)
{
    visit.field("threshold", result.threshold, "mean score that a label needs more of");
    visit.field("counts_wrong", result.countsWrong, "scores are means over runs with a wrong answer, too");
    visit.field("examples", result.examples, "needles that scores are tested over: those of the counted runs");
    visit.field("counted", result.counted, "runs that scores are means over");
    visit.field("right", result.right, "runs whose answer is right");
    visit.field("answers", result.answers, "right answers with all heads");
    visit.field("needles", result.needles, "one each");
    visit.field("runs", result.runs, "one for each needle at a length and a depth");
    visit.field("heads", result.heads, "one each");
    visit.rare("masking", result.masking, "what the answers need the top heads for");
    visit.field("manifest", result.manifest, "where the result comes from");
    afterReading(visit, result, [](RetrievalResult &of) { checkRetrieval(of); });
}

} // namespace headscope
