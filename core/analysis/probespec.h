#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/specoptions.h"
#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/results/proberesult.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <string>

namespace headscope {

/// Dependency trees read off attention: how much of them is in it.
struct ProbeSpec
{
    RunOptions run{};
    HeadMask mask{};
    bool trainOnOther = false;
    double testShare = 0.2; ///< without another data set to train on
    std::int64_t epochs = 1;
    double learningRate = 0.002;
    std::int64_t resamples = 1000; ///< of the intervals
    bool randomModel = false;      ///< probes of a model of the same shape with random weights as well
    std::string vectors{};         ///< a file of word vectors for further probes; empty: none
};

template<typename Visitor>
void describe(Visitor &visit, ProbeSpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.real(
        "test-share", spec.testShare, Range{0.01, 0.99},
        "Without --train-on: share of the sentences, drawn by the seed, that accuracies are of; the others are trained on");
    visit.integer("epochs", spec.epochs, IntegerRange{1, 1000}, "Times that every training sentence is seen");
    visit.real("learning-rate", spec.learningRate, Range{1e-6, 1}, "Learning rate of Adam, a sentence a step");
    visit.integer("resamples", spec.resamples, IntegerRange{0, kMostResamples},
                  "Resamples of the bootstrap; 0 = no intervals");
    visit.flag("random-model", spec.randomModel,
               "Probes of attention of the same model with random weights as well, which are not trained: what their "
               "training finds by itself");
    visit.text("vectors", spec.vectors, "FILE",
               "Word vectors (GloVe's text format: a word and its numbers in a line; plain, .gz or .xz) for further "
               "probes of the words, which also take the place of the model's own embeddings for --random-model");
}

// parts of the work
inline constexpr Phase kPhaseTrainingProbes{"training probes"};
inline constexpr Phase kPhaseJudgingProbes{"judging probes"};
inline constexpr Phase kPhaseWordVectors{"reading word vectors"};

template<>
struct AnalysisOf<ProbeSpec>
{
    using Result = ProbeResult;
    static constexpr std::array kPhases{kPhaseTrainingProbes, kPhaseJudgingProbes, kPhaseWordVectors};
    static constexpr AnalysisInfo kInfo{
        .name = "probe",
        .summary = "Train a small model that reads dependency trees off attention, and compare it with baselines",
        .footer
        = "Needs trees (--conllu). The result (Clark et al. 2019, table 3): \"probes\" with the share of words,\n"
          "punctuation left out, whose head is found in sentences that were not trained on: by weighted sums of\n"
          "attention, by these with weights that depend on the words (the model's own embeddings), by distance and\n"
          "words alone, by the best single head, and by fixed offsets; with --vectors by word vectors in the place of\n"
          "embeddings, with --random-model by attention of random weights; \"heads\" with the weights of the first.",
        .group = CommandGroup::Roles,
        .example = "probe --model MODEL_DIR --conllu test.conllu --train-on train.conllu",
        .needsReferences = false};
    static constexpr SecondData<ProbeSpec> kSecond{&ProbeSpec::trainOnOther, "train-on",
                                                   "The data set, with trees, that probes are trained on"};
    static std::string contents(const ProbeSpec &spec, const Dataset &dataset, const JobControl &control);
    /// Dependency trees read off attention between words (Clark et al. 2019, section 5), trained on the
    /// second data set or a part of the first, beside baselines. Of the attention that reads the examples' own text.
    /// Refuses data without trees. Nothing is published before the end.
    static ProbeResult compute(const ProbeSpec &spec, AnalysisInput &input, Manifest manifest,
                               const JobControl &control, const Publish<ProbeResult> &publish);
};

} // namespace headscope
