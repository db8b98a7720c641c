#include "core/tokenize/protobufreader.h"

namespace headscope {

ProtobufReader::ProtobufReader(std::string_view message) : m_reader(std::as_bytes(std::span(message))) { }

std::optional<ProtobufReader::Field> ProtobufReader::next()
{
    const auto tag = varint();
    if (!tag || *tag >> 3 == 0 || *tag >> 3 > 0x1FFFFFFF)
        return std::nullopt;
    Field field;
    field.number = *tag >> 3;
    field.wireType = *tag & 7;
    std::optional<std::uint64_t> value;
    switch (field.wireType) {
    case 0:
        value = varint();
        break;
    case 1:
        value = m_reader.number(8);
        break;
    case 5:
        value = m_reader.number(4);
        break;
    case 2:
        value = varint();
        if (value) {
            const auto bytes = m_reader.text(*value);
            if (!bytes)
                return std::nullopt;
            field.bytes = *bytes;
        }
        break;
    default:
        return std::nullopt;
    }
    if (!value)
        return std::nullopt;
    field.value = *value;
    return field;
}

std::optional<std::uint64_t> ProtobufReader::varint()
{
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        const auto byte = m_reader.number(1);
        if (!byte)
            return std::nullopt;
        value |= (*byte & 0x7F) << shift;
        if (*byte < 0x80)
            return value;
    }
    return std::nullopt;
}

} // namespace headscope
