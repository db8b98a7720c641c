#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace headscope {

/// A file in memory without reading it: pages come from disk as they are touched. Changes made to the memory stay
/// in this process (private mapping). Shared, because tensors point into it.
class MappedFile
{
public:
    static Result<std::shared_ptr<MappedFile>> open(const std::filesystem::path &path);
    ~MappedFile();
    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;

    const std::filesystem::path &path() const { return m_path; }
    std::span<std::byte> bytes() const { return {m_data, m_size}; }
    /// False when the file became shorter since: touching the lost part would end the program (SIGBUS).
    bool isIntact() const;
    /// Gives the memory of pages that were touched back; they come from disk again when needed. What was written into
    /// the mapping is lost.
    void forgetPages() const;
    /// Copies what is on disk from byte `at` on, whatever was written into the mapping. Number of bytes; 0 at the end.
    Result<std::size_t> read(std::size_t at, std::span<std::byte> buffer) const;

private:
    MappedFile() = default;

    std::filesystem::path m_path;
    std::byte *m_data = nullptr;
    std::size_t m_size = 0;
    int m_file = -1;
};

} // namespace headscope
