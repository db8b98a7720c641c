#include "core/io/torchdtype.h"

#include <utility>

namespace headscope {
namespace {

constexpr std::pair<DType, torch::ScalarType> kTypes[]
    = {{DType::F32, torch::kFloat32}, {DType::F16, torch::kFloat16}, {DType::BF16, torch::kBFloat16},
       {DType::F64, torch::kFloat64}, {DType::I64, torch::kInt64},   {DType::I32, torch::kInt32},
       {DType::I16, torch::kInt16},   {DType::I8, torch::kInt8},     {DType::U8, torch::kUInt8},
       {DType::Bool, torch::kBool}};

} // namespace

std::optional<torch::ScalarType> scalarType(DType dtype)
{
    for (const auto &[ours, theirs] : kTypes)
        if (ours == dtype)
            return theirs;
    return std::nullopt;
}

std::optional<DType> fileDtype(torch::ScalarType type)
{
    for (const auto &[ours, theirs] : kTypes)
        if (theirs == type)
            return ours;
    return std::nullopt;
}

} // namespace headscope
