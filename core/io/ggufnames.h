#pragma once

#include "core/formats/gguf.h"
#include "core/formats/tensorentry.h"
#include "core/io/packedtensor.h"

#include <string>
#include <vector>

namespace headscope {

/// The factors of rotary positions that Llama 3.1 and its like have as a tensor.
inline constexpr const char *kGgufRopeFactors = "rope_freqs.weight";

/// The tensors of a GGUF file as Hugging Face's models have them.
struct GgufTensors
{
    std::vector<TensorEntry>
        entries;          ///< those that are numbers in their order by Hugging Face's names, others by GGUF's
    PackedTensors packed; ///< what is made of the others
};

/// Quantised tensors are numbers again; rows of queries and keys of architecture llama, which llama.cpp orders by pairs
/// of neighbours, lie by halves; one is taken from the norms of Gemma, which it adds. Errors, which call the file
/// `name`: an architecture that is not read, numbers of heads that do not go with the tensors.
Result<GgufTensors> ggufTensors(const GgufFile &file, const std::string &name);

} // namespace headscope
