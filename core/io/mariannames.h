#pragma once

#include "core/formats/tensorentry.h"

#include <vector>

namespace headscope {

/// Tensors of a checkpoint that Marian wrote as Hugging Face's MarianMTModel names them, matrices as [out, in], biases
/// and norms as vectors. Embeddings and output get rows of zeros at the end: Marian has no padding token, and begins to
/// translate from a zero vector. Both vocabularies end with the same token: that after the last of the larger one.
std::vector<TensorEntry> withMarianNames(std::vector<TensorEntry> entries);

} // namespace headscope
