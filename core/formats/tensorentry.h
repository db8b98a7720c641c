#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Element types that checkpoint files name. Not all can be computed with: see core/io.
enum class DType : std::uint8_t {
    Bool,
    F4,
    F6E2M3,
    F6E3M2,
    U8,
    I8,
    F8E5M2,
    F8E4M3,
    F8E8M0,
    F8E4M3Fnuz,
    F8E5M2Fnuz,
    I16,
    U16,
    F16,
    BF16,
    I32,
    U32,
    F32,
    C64,
    F64,
    I64,
    U64,
};

/// The spelling of safetensors files: "F32".
std::string_view dtypeName(DType dtype);
std::optional<DType> parseDType(std::string_view name);
int bitsPerElement(DType dtype);

/// Where a tensor lies in a file. Readers give only entries whose every element lies inside the file.
struct TensorEntry
{
    std::string name; ///< a label; never a path
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides; ///< in elements
    std::uint64_t offset = 0;          ///< byte of the first element, from the start of the file
    std::uint64_t bytes = 0;           ///< from the first element to the end of the last
    bool bigEndian = false;
    /// So many of the last rows and of the last columns of the shape the file does not have: they are zeros.
    std::int64_t addedRows = 0;
    std::int64_t addedColumns = 0;

    bool isContiguous() const;
};

std::vector<std::int64_t> rowMajorStrides(const std::vector<std::int64_t> &shape);
/// "[4, 256]"
std::string shapeText(const std::vector<std::int64_t> &shape);

} // namespace headscope
