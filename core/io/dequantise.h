#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

/// Numbers of weights that are packed into few bits, as the libraries that wrote them compute them. Shapes and types
/// are checked where the tensors are found (quantised.h); all are contiguous and on the CPU.
namespace headscope {

/// MXFP4 (OCP Microscaling Formats): blocks [rows, groups, 16] of two numbers a byte, the low half first, and exponents
/// [rows, groups] → [32·groups, rows] in bfloat16, which holds these numbers exactly.
torch::Tensor widenedMxfp4(const torch::Tensor &blocks, const torch::Tensor &scales);

/// Numbers of `bits` bits, at most 8, that follow each other from the lowest bit of each int32 on, across words:
/// [rows, words] → uint8 [rows, 32·words/bits].
torch::Tensor unpackedWords(const torch::Tensor &words, std::int64_t bits);
/// AWQ's words of eight numbers in the order 0 2 4 6 1 3 5 7: int32 [rows, words] → uint8 [rows, 8·words].
torch::Tensor unpackedAwq(const torch::Tensor &words);
/// (code − zero)·scale of a matrix's columns in groups: codes [out, in], zeros and scales [groups, out], groups of the
/// columns [in] → [out, in] in the scales' type.
torch::Tensor scaledCodes(const torch::Tensor &codes, const torch::Tensor &zeros, const torch::Tensor &scales,
                          const std::vector<std::int64_t> &groups);

/// bitsandbytes: numbers of a table times the largest of their block. codes uint8 [n], table float32 [16 or 256],
/// largest float32 [⌈n/block⌉] → float32 [n].
torch::Tensor scaledBlocks(const torch::Tensor &codes, const torch::Tensor &table, const torch::Tensor &largest,
                           std::int64_t block);
/// Two numbers a byte, the high half first: uint8 [n] → [2·n].
torch::Tensor halves(const torch::Tensor &bytes);

} // namespace headscope
