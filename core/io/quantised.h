#pragma once

#include "core/io/packedtensor.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace headscope {

class Checkpoint;

/// How weights of few bits are packed: what "quantization_config" of a folder's config.json says of it.
struct Quantisation
{
    enum class Method { None, Mxfp4, Gptq, Awq, BitsAndBytes };
    Method method = Method::None;
    std::int64_t bits = 4;
    std::int64_t groupSize = -1;  ///< columns that share a scale; -1: all of them
    bool zerosLessOne = false;    ///< zeros are stored less one (GPTQ's first format)
    bool transposedBack = false;  ///< modules that are packed [out, in] lie [in, out] elsewhere (GPT-2's Conv1D)
    std::filesystem::path config; ///< for errors
};

/// Errors: methods, formats and settings that change numbers and are not known, by their key.
Result<Quantisation> readQuantisation(const std::filesystem::path &folder);

/// The weights of packed modules; stacks in MXFP4 are found in any checkpoint. Shapes and types of all parts are
/// checked against each other. Errors: parts that are missing or do not go together, by name.
Result<PackedTensors> packedTensors(const Quantisation &quantisation, const Checkpoint &checkpoint);

/// "12 tensors of GPTQ, 4 bits in groups of 128": of which formats numbers are computed; empty: of none.
std::string formatsOf(const PackedTensors &packed);

} // namespace headscope
