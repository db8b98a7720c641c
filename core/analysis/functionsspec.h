#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/specoptions.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/data/datasource.h"
#include "core/results/functionsresult.h"
#include "core/results/manifest.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// Which heads carry the task of examples in a prompt, and what the vector does that they write (Todd et al. 2024).
struct FunctionsSpec
{
    RunOptions run{};
    std::string tasks = "opposites,plurals,capitals,past-tense"; ///< of the program, or tables
    std::string promptTemplate = "Q: {input}\\nA: {output}\\n\\n";
    WindowStart start = WindowStart::Bos;
    std::int64_t shots = 10;
    std::int64_t meanPrompts = 100; ///< of each task
    std::int64_t prompts = 25;      ///< of each task, that effects are measured on
    std::int64_t top = 10;          ///< heads whose sum the vector is
    double heldOut = 0.4;           ///< share of the pairs that is never shown
    std::int64_t sets = 5;          ///< of random heads
    double leastEffect = 0.01;
    std::int64_t resamples = 10000;
};

template<typename Visitor>
void describe(Visitor &visit, FunctionsSpec &spec)
{
    visit.text("tasks", spec.tasks, "NAMES",
               "Tasks, separated by commas: opposites, plurals, capitals, past-tense, or tables (.csv, .tsv, .jsonl) "
               "with the columns input and output");
    visit.text("template", spec.promptTemplate, "TEXT",
               "How a pair becomes an example of a prompt, \"\\n\" being a new line; the question is all that stands "
               "before {output}");
    visit.choice("prompt-start", spec.start,
                 "Token that prompts begin with: bos (the model's first token, else its end token) or none (only what "
                 "its tokenizer begins texts with)");
    visit.integer("shots", spec.shots, IntegerRange{1, kMostRepeats}, "Examples of a prompt");
    visit.integer("mean-prompts", spec.meanPrompts, IntegerRange{1, kMostRepeats},
                  "Prompts of each task that a head's mean context is of");
    visit.integer("prompts", spec.prompts, IntegerRange{1, kMostRepeats},
                  "Prompts of each task with shuffled outputs that effects of heads are measured on");
    visit.integer("top", spec.top, IntegerRange{1, kMostRepeats},
                  "Heads with the largest effects that the vector is the sum of");
    visit.real("held-out", spec.heldOut, Range{0, 1},
               "Share of a task's pairs that prompts never show, which the vector is tried on");
    visit.integer("sets", spec.sets, IntegerRange{1, kMostRepeats},
                  "Sets of random heads that the top heads are compared with");
    visit.real("least-effect", spec.leastEffect, Range{0, 1},
               "Change of the probability that a head must make to be labelled");
    visit.integer("resamples", spec.resamples, IntegerRange{0, kMostResamples},
                  "Resamples of the bootstrap; 0 = no intervals");
}

// parts of the work
inline constexpr Phase kPhaseMeanContexts{"mean contexts behind examples"};
inline constexpr Phase kPhaseFunctionEffects{"effects of heads on prompts"};
inline constexpr Phase kPhaseFunctionVectors{"function vectors in layers"};
inline constexpr Phase kPhaseFunctionMasks{"prompts without heads"};

template<>
struct AnalysisOf<FunctionsSpec>
{
    using Result = FunctionsResult;
    static constexpr std::array kPhases{kPhaseMeanContexts, kPhaseFunctionEffects, kPhaseFunctionVectors,
                                        kPhaseFunctionMasks};
    static constexpr AnalysisInfo kInfo{
        .name = "functions",
        .summary = "Find the heads that carry the task which examples in a prompt show, and their function vector",
        .footer
        = "No data set is needed: four tasks come with the program, and --tasks takes tables. The result: \"heads\" with\n"
          "\"effect\" (what a head's mean context behind right examples adds to the probability of the right output behind\n"
          "examples with shuffled outputs), interval over prompts, p (two-sided, that it is zero) and p_bh\n"
          "(Benjamini-Hochberg over all heads); \"function_head\" is the label. \"layers\": accuracy of held-out pairs when\n"
          "the sum of the top heads' mean outputs is added behind a layer, without examples and with shuffled ones.\n"
          "\"masking\": accuracy behind examples without the top heads, and without random ones of the same layers.\n"
          "--format csv: a line per head and task, then per layer, then of masking.",
        .group = CommandGroup::Roles,
        .example = "functions --model MODEL_DIR --tasks capitals,my-pairs.csv",
        .needsData = false,
        .needsReferences = false,
        .infers = true,
        .runsManyMasks = true};
    /// Causal indirect effects and function vectors (Todd et al. 2024, equations 2 to 6). Refuses all but causal
    /// language models with a tokenizer. Effects are published before vectors are tried.
    static FunctionsResult compute(const FunctionsSpec &spec, AnalysisInput &input, Manifest manifest,
                                   const JobControl &control, const Publish<FunctionsResult> &publish);
    /// The tables of the tasks.
    static std::string contents(const FunctionsSpec &spec, const JobControl &control);
    static std::vector<std::string> remarks(const FunctionsResult &result);
};

} // namespace headscope
