#pragma once

#include "core/formats/tensorentry.h"

#include <vector>

namespace headscope {

/// Tensors of a checkpoint that fairseq wrote as its later versions name them: queries, keys and values by themselves
/// where they lie in one (in_proj_weight), norms of a layer by what they are for, "decoder.output_projection.weight".
std::vector<TensorEntry> withFairseqNames(std::vector<TensorEntry> entries);

} // namespace headscope
