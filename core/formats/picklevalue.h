#pragma once

#include "core/formats/tensorentry.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace headscope {

/// Numbers that a pickle refers to by key; their bytes are elsewhere in the file.
struct PickleStorage
{
    std::string_view key;
    DType dtype = DType::F32;
    std::uint64_t elements = 0;     ///< of the whole storage
    std::uint64_t viewOffset = 0;   ///< old files name a part of a storage
    std::uint64_t viewElements = 0; ///< equals `elements` otherwise
};

struct PickleTensor
{
    PickleStorage storage;
    std::uint64_t offset = 0; ///< in elements, into the whole storage
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;
};

/// A value of a pickle. Everything that is not plain data is Opaque: never constructed, never called.
struct PickleValue
{
    enum class Kind : std::uint8_t {
        None,
        Bool,
        Integer,
        BigInteger,
        Float,
        Text,
        Bytes,
        Tuple,
        List,
        Dict,
        Set,
        Global,
        Storage,
        Tensor,
        Opaque,
        Object ///< Opaque with attributes, as data
    };

    Kind kind = Kind::Opaque;
    std::int64_t integer = 0;         ///< Integer, Bool
    double number = 0;                ///< Float
    std::string_view text;            ///< Text, Bytes, BigInteger (little-endian); Global: module
    std::string_view name;            ///< Global
    std::vector<PickleValue *> items; ///< Tuple, List, Set; Dict, Object: key, value, key, value …
    std::unique_ptr<PickleStorage> storage;
    std::unique_ptr<PickleTensor> tensor;

    bool isGlobal(std::string_view module, std::string_view globalName) const
    {
        return kind == Kind::Global && text == module && name == globalName;
    }
    std::optional<std::uint64_t> asSize() const
    {
        if (kind != Kind::Integer || integer < 0)
            return std::nullopt;
        return static_cast<std::uint64_t>(integer);
    }
};

} // namespace headscope
