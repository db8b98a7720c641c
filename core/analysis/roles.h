#pragma once

#include "core/analysis/rolesspec.h"
#include "core/base/jobcontrol.h"
#include "core/data/dataset.h"
#include "core/engine/workfolder.h"
#include "core/results/manifest.h"
#include "core/results/rolesresult.h"
#include "core/task/task.h"
#include "core/tokenize/tokenizer.h"

#include <functional>
#include <string>

namespace headscope {

/// Roles of every head (Voita et al. 2019, section 5), in one pass over the
/// examples; memory does not grow with their number. `dataset`: the one that the task was made of. `tokenizer` may be
/// null: then there is nothing to say of trees, rare words and alignments. Without references, or where the spec says
/// so, the decoder is forced to the model's own greedy output. Throws Failure (usage, bad input) for files that do not
/// fit.
RolesResult roles(const Task &task, const Dataset &dataset, const Tokenizer *tokenizer, const RolesSpec &spec,
                  Manifest manifest, const JobControl &control, const Publish<RolesResult> &publish,
                  const KeptWork &kept = {});

} // namespace headscope
