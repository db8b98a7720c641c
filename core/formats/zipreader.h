#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// A file inside a zip archive, stored as it is.
struct ZipEntry
{
    std::string name;
    std::uint64_t offset = 0; ///< of its bytes, from the start of the archive
    std::uint64_t size = 0;
};

/// Lists a zip archive (zip64 too) of uncompressed files, as torch.save writes it. Refuses compressed (a bomb
/// could hide there), encrypted, duplicate or overlapping entries and every range outside the file.
Result<std::vector<ZipEntry>> readZip(std::span<const std::byte> file, const std::string &name);

} // namespace headscope
