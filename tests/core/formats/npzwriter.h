#pragma once

#include "tests/core/formats/zipwriter.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::testing {

/// The bytes of a NumPy array: a header as NumPy pads it, and the data.
inline std::string npyBytes(const std::string &description, const std::string &data)
{
    std::string header = description;
    header.append((64 - (10 + header.size() + 1) % 64) % 64, ' ');
    header += '\n';
    return "\x93NUMPY\1" + std::string(1, '\0') + littleEndian(header.size(), 2) + header + data;
}

inline std::string npyDescription(const std::string &type, const std::vector<std::int64_t> &shape,
                                  bool columnsFirst = false)
{
    std::string sizes;
    for (const std::int64_t size : shape)
        sizes += std::to_string(size) + ", ";
    return "{'descr': '" + type + "', 'fortran_order': " + (columnsFirst ? "True" : "False") + ", 'shape': (" + sizes
         + "), }";
}

/// CRC-32 as zip archives have it.
inline std::uint32_t checksumOf(const std::string &data)
{
    std::uint32_t sum = 0xFFFFFFFF;
    for (const char byte : data) {
        sum ^= static_cast<std::uint8_t>(byte);
        for (int bit = 0; bit < 8; ++bit)
            sum = (sum >> 1) ^ (sum & 1 ? 0xEDB88320 : 0);
    }
    return ~sum;
}

inline ZipMember npyMember(const std::string &name, const std::string &array)
{
    ZipMember member;
    member.name = name + ".npy";
    member.data = array;
    member.checksum = checksumOf(array);
    return member;
}

} // namespace headscope::testing
