#pragma once

#include "core/analysis/relevancespec.h"
#include "core/base/jobcontrol.h"
#include "core/engine/workfolder.h"
#include "core/results/manifest.h"
#include "core/results/relevanceresult.h"
#include "core/task/task.h"

namespace headscope {

/// Relevance of every head for the model's outputs (Voita et al. 2019): the largest logit at every
/// step of a decoder, or the classifier's, is traced back by spec.rule; a head has the relevance that passes through
/// its context, as its share of the layer's, averaged over the steps of the data set. A step at which no relevance
/// passes through a layer is left out of that layer's average; masked heads have 0. Of encoder-decoders also what the
/// source and what the prefix contribute (Voita et al. 2021), from the second position on: the first has no prefix but
/// the start token. Throws Failure (usage) for an encoder without a classifier.
///
/// The decoder is forced to the references or, without references or with spec.ownOutput, to the model's greedy output
/// under the mask. Sentences are processed in parallel, each by itself and without padding. `publish` is called on this
/// thread.
RelevanceResult relevance(const Task &task, const RelevanceSpec &spec, Manifest manifest, const JobControl &control,
                          const Publish<RelevanceResult> &publish, const KeptWork &kept = {});

/// Whether heads are given shares of Σ|R|: those of alpha-beta never are negative, the other rules' are.
bool usesAbsoluteShares(const RelevanceSpec &spec);

} // namespace headscope
