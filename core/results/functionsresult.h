#pragma once

#include "core/base/headref.h"
#include "core/base/interval.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Which heads carry the task that examples in a prompt show, and the vector that they write (Todd et al. 2024).
namespace headscope {

/// The prompt that a head changes most: evidence of a label.
struct FunctionEvidence
{
    std::string task;
    std::string input;
    std::string output;
    double before = 0; ///< probability of the output's first token, behind shuffled examples
    double after = 0;  ///< with the head's mean context
};

struct HeadFunction
{
    HeadRef head;
    double effect = 0;           ///< average indirect effect: change of the probability, mean over prompts
    Interval interval{};         ///< 95 %, bootstrap over prompts; NaN where there is one
    double p = 1;                ///< two-sided, that the effect is zero
    double discoveryP = 1;       ///< Benjamini-Hochberg over all heads
    bool isFunctionHead = false; ///< the label: significant, and at least FunctionsResult::leastEffect
    bool isTop = false;          ///< one of the heads whose sum the vector is
    std::vector<double> tasks{}; ///< effect in each task
    std::optional<FunctionEvidence> evidence{}; ///< of a head with the label
};

/// Share of prompts whose answer's first token is the likeliest.
struct PromptAccuracy
{
    double accuracy = 0;
    Interval interval{}; ///< 95 %, bootstrap over prompts
};

/// One accuracy less another one on the same questions.
struct AccuracyDifference
{
    double difference = 0;
    Interval interval{}; ///< 95 %, paired bootstrap over prompts
    double p = 1;        ///< two-sided, that there is none
};

struct FunctionTask
{
    std::string name;
    std::int64_t pairs = 0;   ///< of the table
    std::int64_t heldOut = 0; ///< of them only asked, never shown
    std::string prompt;       ///< one with examples, as the model reads it
    std::string answer;       ///< what should follow it
    double fewShot = 0;       ///< accuracy of held-out pairs behind examples
    double shuffled = 0;      ///< behind examples with shuffled outputs
    double zeroShot = 0;      ///< without any
};

/// Accuracy with the vector, and what it changes.
struct VectorEffect
{
    double accuracy = 0;
    double change = 0;           ///< minus the accuracy of the same prompts without it
    Interval interval{};         ///< of the change, 95 %, paired bootstrap over prompts
    double p = 1;                ///< two-sided, that it changes nothing
    double discoveryP = 1;       ///< Benjamini-Hochberg over all layers and both kinds of prompts
    std::vector<double> tasks{}; ///< accuracy in each task
};

/// The vector added behind one layer.
struct VectorLayer
{
    int layer = 0;
    VectorEffect zeroShot{}, shuffled{};
};

/// Accuracy behind examples without the top heads, and without as many others.
struct FunctionMasking
{
    PromptAccuracy full{};   ///< all heads
    PromptAccuracy top{};    ///< without the top heads
    PromptAccuracy random{}; ///< without random other heads of the same layers, mean over `sets`
    std::int64_t sets = 0;
    AccuracyDifference difference{}; ///< top minus random
};

struct FunctionsResult
{
    static constexpr const char *kKind = "functions";
    Manifest manifest;
    std::int64_t shots = 0;       ///< examples of a prompt
    std::int64_t meanPrompts = 0; ///< of each task, that mean contexts are of
    double leastEffect = 0;
    std::int64_t examples = 0; ///< prompts that effects are means over
    std::vector<FunctionTask> tasks{};
    std::vector<HeadFunction> heads{};
    PromptAccuracy fewShot{}, shuffled{}, zeroShot{}; ///< of held-out pairs of all tasks
    AccuracyDifference learned{};                     ///< few-shot minus shuffled: what right examples add
    std::vector<VectorLayer> layers{};                ///< none: not computed yet
    std::optional<FunctionMasking> masking{};         ///< none: not computed yet
};

/// Throws Failure: heads or layers that do not have a number for each task.
void checkFunctions(const FunctionsResult &result);

void describe(auto &visit, Of<FunctionEvidence> auto &evidence)
{
    visit.field("task", evidence.task, "of the prompt");
    visit.field("input", evidence.input, "that it asks for");
    visit.field("output", evidence.output, "the right one");
    visit.field("before", evidence.before, "probability of the output's first token");
    visit.field("after", evidence.after, "with the head's mean context");
}

void describe(auto &visit, Of<HeadFunction> auto &head)
{
    visit.field("head", head.head, "address");
    visit.field("effect", head.effect,
                "average indirect effect: change of the probability of the right output's first token, mean over "
                "prompts");
    visit.merge(head.interval);
    visit.field("p", head.p, "two-sided, that the effect is zero");
    visit.field("p_bh", head.discoveryP, "Benjamini–Hochberg over all heads");
    visit.field("function_head", head.isFunctionHead,
                "`p_bh` is 0.05 at most, and `effect` no less than `least_effect`");
    visit.field("top", head.isTop, "one of the heads whose sum the vector is");
    visit.field("tasks", head.tasks, "effect in each task");
    visit.rare("evidence", head.evidence, "of a function head: the prompt that it changes most");
}

void describe(auto &visit, Of<PromptAccuracy> auto &score)
{
    visit.field("accuracy", score.accuracy, "share of prompts whose output's first token is the likeliest");
    visit.merge(score.interval);
}

void describe(auto &visit, Of<AccuracyDifference> auto &difference)
{
    visit.field("difference", difference.difference, "of two accuracies on the same questions");
    visit.merge(difference.interval);
    visit.field("p", difference.p, "two-sided, that there is none");
}

void describe(auto &visit, Of<FunctionTask> auto &task)
{
    visit.field("name", task.name, "of the task");
    visit.field("pairs", task.pairs, "of its table");
    visit.field("held_out", task.heldOut, "of them only asked for, never shown");
    visit.field("prompt", task.prompt, "one with examples, as the model reads it");
    visit.field("answer", task.answer, "what should follow it");
    visit.field("few_shot", task.fewShot, "accuracy of held-out pairs behind examples");
    visit.field("shuffled", task.shuffled, "behind examples with shuffled outputs");
    visit.field("zero_shot", task.zeroShot, "without examples");
}

void describe(auto &visit, Of<VectorEffect> auto &effect)
{
    visit.field("accuracy", effect.accuracy, "with the vector");
    visit.field("change", effect.change, "minus that of the same prompts without it");
    visit.merge(effect.interval);
    visit.field("p", effect.p, "two-sided, that it changes nothing");
    visit.field("p_bh", effect.discoveryP, "Benjamini–Hochberg over all layers and both kinds of prompts");
    visit.field("tasks", effect.tasks, "accuracy in each task");
}

void describe(auto &visit, Of<VectorLayer> auto &layer)
{
    visit.field("layer", layer.layer, "from 0, behind which the vector is added");
    visit.field("zero_shot", layer.zeroShot, "prompts without examples");
    visit.field("shuffled", layer.shuffled, "prompts whose examples have shuffled outputs");
}

void describe(auto &visit, Of<FunctionMasking> auto &masking)
{
    visit.field("full", masking.full, "with all heads");
    visit.field("top", masking.top, "without the top heads");
    visit.field("random", masking.random, "without random other heads of the same layers, mean over `sets`");
    visit.field("sets", masking.sets, "of random heads");
    visit.field("difference", masking.difference, "without the top heads minus without random ones");
}

void describe(auto &visit, Of<FunctionsResult> auto &result)
{
    visit.field("shots", result.shots, "examples of a prompt");
    visit.field("mean_prompts", result.meanPrompts, "of each task, that mean contexts are of");
    visit.field("least_effect", result.leastEffect, "of a head with the label");
    visit.field("examples", result.examples, "prompts that effects are means over");
    visit.field("tasks", result.tasks, "one each");
    visit.field("heads", result.heads, "one each");
    visit.field("few_shot", result.fewShot, "held-out pairs of all tasks behind examples");
    visit.field("shuffled", result.shuffled, "behind examples with shuffled outputs");
    visit.field("zero_shot", result.zeroShot, "without examples");
    visit.field("learned", result.learned, "few-shot minus shuffled");
    visit.field("layers", result.layers, "the vector added behind each");
    visit.rare("masking", result.masking, "what the task needs the top heads for");
    visit.field("manifest", result.manifest, "where the result comes from");
    afterReading(visit, result, [](FunctionsResult &of) { checkFunctions(of); });
}

} // namespace headscope
