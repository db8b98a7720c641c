#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// A file inside a zip archive.
struct ZipEntry
{
    std::string name;
    std::uint64_t offset = 0; ///< of its bytes, from the start of the archive
    std::uint64_t size = 0;   ///< as it says, before compression
    bool compressed = false;  ///< by deflate; otherwise it is stored as it is
};

enum class ZipWriter {
    Torch, ///< torch.save, which compresses nothing
    NumPy, ///< np.savez and np.savez_compressed
};

/// Lists a zip archive (zip64 too). Refuses encrypted, duplicate or overlapping entries, every range outside the file,
/// and compressed entries where `writer` makes none (a bomb could hide there).
Result<std::vector<ZipEntry>> readZip(std::span<const std::byte> file, const std::string &name,
                                      ZipWriter writer = ZipWriter::Torch);

} // namespace headscope
