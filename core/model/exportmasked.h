#pragma once

#include "core/model/loadmodel.h"

namespace headscope {

/// Writes a copy of the model folder whose masked heads have zeros in their columns of the output projection: the
/// same outputs as with the mask, in full shape, so that every library loads it (FORMATS 10.3). Tensors keep their
/// dtype; all other files are copied. `heads.json` beside them lists what was removed. The target folder must not
/// exist or be empty.
Result<Done> exportMasked(const LoadedModel &model, const std::filesystem::path &source, const HeadMask &mask,
                          const std::filesystem::path &target, const JobControl &control);

} // namespace headscope
