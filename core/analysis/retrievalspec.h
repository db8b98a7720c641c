#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/specoptions.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/data/datasource.h"
#include "core/results/manifest.h"
#include "core/results/retrievalresult.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// Which heads copy a fact that a long text hides into the answer (Wu et al. 2024).
struct RetrievalSpec
{
    RunOptions run{};
    std::string needles{};  ///< a table; empty: that of the program
    std::string haystack{}; ///< running text; empty: that of the program
    std::string promptTemplate = "{context}\\nBased on the content of the book, Question: {question}\\nAnswer:";
    WindowStart start = WindowStart::Bos;
    std::vector<std::int64_t> lengths{256, 512};
    std::int64_t depths = 5;
    std::int64_t needlesEach = 2; ///< at each length and depth, in turn; 0 = all
    double threshold = kRetrievalScore;
    bool countWrong = false;
    std::int64_t top = 10; ///< heads that are masked together; 0 = none are masked
    std::int64_t sets = 3; ///< of random heads
    std::int64_t resamples = 10000;
};

template<typename Visitor>
void describe(Visitor &visit, RetrievalSpec &spec)
{
    visit.text("needles", spec.needles, "FILE",
               "Facts to hide: a table (.csv, .tsv, .jsonl) with the columns needle, question and answer; default: 20 "
               "invented ones");
    visit.text(
        "haystack", spec.haystack, "FILE",
        "Running text that needles are hidden in, again from its beginning where it is too short; default: a text "
        "of the program");
    visit.text(
        "template", spec.promptTemplate, "TEXT",
        "How text and question become a prompt, \"\\n\" being a new line: {context} and, behind it, {question}. A chat "
        "model needs its marks around them");
    visit.choice("prompt-start", spec.start,
                 "Token that prompts begin with: bos (the model's first token, else its end token) or none (only what "
                 "its tokenizer begins texts with)");
    visit.integers("lengths", spec.lengths, IntegerRange{16},
                   "Tokens of prompts, at most; fewer where the model has not as many positions");
    visit.integer("depths", spec.depths, IntegerRange{1, kMostRepeats},
                  "Places of needles in a text, evenly from its beginning to its end; 1: in the middle");
    visit.integer("needles-each", spec.needlesEach, IntegerRange{0, kMostRepeats},
                  "Needles at each length and depth, all needles in turn; 0 = all");
    visit.real("threshold", spec.threshold, Range{0, 1}, "Mean score that a head must have more of to be labelled");
    visit.flag("count-wrong", spec.countWrong, "Scores are means over runs with a wrong answer, too");
    visit.integer("top", spec.top, IntegerRange{0, kMostRepeats},
                  "Heads with the largest scores that are masked together; 0 = none are masked");
    visit.integer("sets", spec.sets, IntegerRange{1, kMostRepeats},
                  "Sets of random heads that the top heads are compared with");
    visit.integer("resamples", spec.resamples, IntegerRange{0, kMostResamples},
                  "Resamples of the bootstrap; 0 = no intervals");
}

// parts of the work
inline constexpr Phase kPhaseNeedles{"answers about hidden facts"};
inline constexpr Phase kPhaseNeedlesMasked{"answers without heads"};

template<>
struct AnalysisOf<RetrievalSpec>
{
    using Result = RetrievalResult;
    static constexpr std::array kPhases{kPhaseNeedles, kPhaseNeedlesMasked};
    static constexpr AnalysisInfo kInfo{
        .name = "retrieval",
        .summary = "Find the heads that copy a fact hidden in a long text into the answer",
        .footer
        = "No data set is needed: needles and a text come with the program, and --needles and --haystack take others. The\n"
          "result: \"heads\" with \"score\" (share of the answer's tokens that the model says while the head's largest\n"
          "weight is on them; runs with a wrong answer are left out), interval over needles, p (one-sided t-test over\n"
          "needles that the score is no more than --threshold) and p_adjusted (Holm over all heads); \"retrieval_head\"\n"
          "is the label. \"question_score\": how much more the question looks at the needle than a null question does.\n"
          "\"masking\": right answers without the top heads, and without random ones of the same layers.\n"
          "\"pattern RESULT\" writes scores for DuoAttention, Retrieval_Head and HeadKV.\n"
          "--format csv: a line per head, then of answers.",
        .group = CommandGroup::Roles,
        .example = "retrieval --model MODEL_DIR --lengths 512,1024 --depths 10",
        .needsData = false,
        .needsReferences = false,
        .infers = true,
        .runsManyMasks = true};
    /// Retrieval scores by greedy continuations (Wu et al. 2024, section 2), and QR scores (Zhang et al. 2025) without
    /// their removal of outlying tokens. Refuses all but causal language models with a tokenizer. Scores are published
    /// before heads are masked.
    static RetrievalResult compute(const RetrievalSpec &spec, AnalysisInput &input, Manifest manifest,
                                   const JobControl &control, const Publish<RetrievalResult> &publish);
    static void check(const RetrievalSpec &spec);
    /// The needles and the text.
    static std::string contents(const RetrievalSpec &spec, const JobControl &control);
    static std::vector<std::string> remarks(const RetrievalResult &result);
};

} // namespace headscope
