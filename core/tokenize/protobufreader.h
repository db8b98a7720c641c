#pragma once

#include "core/formats/bytereader.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace headscope {

/// Reads the fields of a serialized protocol buffer message, one after the other, without its description.
class ProtobufReader
{
public:
    struct Field
    {
        std::uint64_t number = 0;
        std::uint64_t value = 0; ///< wire types 0, 1 and 5
        std::string_view bytes;  ///< wire type 2
        unsigned wireType = 0;
    };

    explicit ProtobufReader(std::string_view message);

    bool atEnd() const { return m_reader.left() == 0; }
    /// nullopt: damaged.
    std::optional<Field> next();

private:
    std::optional<std::uint64_t> varint();

    ByteReader m_reader;
};

} // namespace headscope
