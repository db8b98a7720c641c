#include "core/formats/tensorentry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace headscope {
namespace {

struct DTypeFacts
{
    std::string_view name;
    int bits;
};

/// In the order of DType.
constexpr DTypeFacts kDTypes[]
    = {{"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
       {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
       {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
       {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64}};
static_assert(std::size(kDTypes) == static_cast<std::size_t>(DType::U64) + 1);

} // namespace

std::string_view dtypeName(DType dtype)
{
    return kDTypes[static_cast<std::size_t>(dtype)].name;
}

std::optional<DType> parseDType(std::string_view name)
{
    for (std::size_t i = 0; i < std::size(kDTypes); ++i)
        if (kDTypes[i].name == name)
            return static_cast<DType>(i);
    return std::nullopt;
}

int bitsPerElement(DType dtype)
{
    return kDTypes[static_cast<std::size_t>(dtype)].bits;
}

std::vector<std::int64_t> rowMajorStrides(const std::vector<std::int64_t> &shape)
{
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;)
        strides[i - 1] = strides[i] * std::max<std::int64_t>(shape[i], 1);
    return strides;
}

bool TensorEntry::isContiguous() const
{
    std::int64_t expected = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        if (shape[i] == 0)
            return true;
        if (shape[i] != 1 && strides[i] != expected)
            return false;
        expected *= shape[i];
    }
    return true;
}

std::string shapeText(const std::vector<std::int64_t> &shape)
{
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

} // namespace headscope
