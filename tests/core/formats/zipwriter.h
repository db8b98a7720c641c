#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::testing {

inline std::string littleEndian(std::uint64_t value, int size)
{
    std::string bytes;
    for (int i = 0; i < size; ++i)
        bytes += static_cast<char>(value >> (8 * i));
    return bytes;
}

/// A file in a zip archive, with every lie that a header can tell.
struct ZipMember
{
    std::string name;
    std::string data;
    int method = 0;
    int localMethod = 0;
    int flags = 0;
    std::int64_t claimedSize = -1; ///< -1: the true one
    std::int64_t packedSize = -1;
    std::int64_t offset = -1;
    std::string localName{}; ///< empty: the same
    std::string padding{};   ///< extra field of the local header
    std::uint32_t checksum = 0;
};

/// Writes a zip archive as torch.save does; with `zip64` all numbers of the table of contents are in 64-bit fields.
inline std::string zipBytes(const std::vector<ZipMember> &members, bool zip64 = false, const std::string &comment = {})
{
    std::string file;
    std::string directory;
    for (const ZipMember &member : members) {
        const std::uint64_t offset = member.offset < 0 ? file.size() : static_cast<std::uint64_t>(member.offset);
        const std::uint64_t size
            = member.claimedSize < 0 ? member.data.size() : static_cast<std::uint64_t>(member.claimedSize);
        const std::uint64_t packed = member.packedSize < 0 ? size : static_cast<std::uint64_t>(member.packedSize);
        const std::string &localName = member.localName.empty() ? member.name : member.localName;
        file += "PK\3\4" + littleEndian(20, 2) + littleEndian(static_cast<std::uint64_t>(member.flags), 2)
              + littleEndian(static_cast<std::uint64_t>(member.localMethod), 2) + littleEndian(0, 4)
              + littleEndian(member.checksum, 4) + littleEndian(packed, 4) + littleEndian(size, 4)
              + littleEndian(localName.size(), 2) + littleEndian(member.padding.size(), 2) + localName + member.padding
              + member.data;
        const std::string extra = zip64 ? littleEndian(0x4246, 2) + littleEndian(2, 2) + "xx" + littleEndian(1, 2)
                                              + littleEndian(24, 2) + littleEndian(size, 8) + littleEndian(packed, 8)
                                              + littleEndian(offset, 8)
                                        : std::string();
        const std::uint64_t open = 0xFFFFFFFF;
        directory += "PK\1\2" + littleEndian(20, 2) + littleEndian(20, 2)
                   + littleEndian(static_cast<std::uint64_t>(member.flags), 2)
                   + littleEndian(static_cast<std::uint64_t>(member.method), 2) + littleEndian(0, 4)
                   + littleEndian(member.checksum, 4) + littleEndian(zip64 ? open : packed, 4)
                   + littleEndian(zip64 ? open : size, 4) + littleEndian(member.name.size(), 2)
                   + littleEndian(extra.size(), 2) + littleEndian(0, 2) + littleEndian(0, 8)
                   + littleEndian(zip64 ? open : offset, 4) + member.name + extra;
    }
    const std::uint64_t start = file.size();
    file += directory;
    if (zip64) {
        const std::uint64_t end = file.size();
        file += "PK\6\6" + littleEndian(44, 8) + littleEndian(45, 2) + littleEndian(45, 2) + littleEndian(0, 8)
              + littleEndian(members.size(), 8) + littleEndian(members.size(), 8) + littleEndian(directory.size(), 8)
              + littleEndian(start, 8);
        file += "PK\6\7" + littleEndian(0, 4) + littleEndian(end, 8) + littleEndian(1, 4);
    }
    file += "PK\5\6" + littleEndian(0, 4) + littleEndian(zip64 ? 0xFFFF : members.size(), 2)
          + littleEndian(zip64 ? 0xFFFF : members.size(), 2) + littleEndian(zip64 ? 0xFFFFFFFF : directory.size(), 4)
          + littleEndian(zip64 ? 0xFFFFFFFF : start, 4) + littleEndian(comment.size(), 2) + comment;
    return file;
}

} // namespace headscope::testing
