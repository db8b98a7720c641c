#pragma once

#include "core/base/result.h"
#include "core/formats/lostpages.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>

namespace headscope {

/// A file in memory without reading it: pages come from disk as they are touched. Changes made to the memory stay
/// in this process (private mapping). Shared, because tensors point into it. A file that becomes shorter does not end
/// the program: what was lost reads as zeros, and isIntact() says so.
class MappedFile
{
public:
    static Result<std::shared_ptr<MappedFile>> open(const std::filesystem::path &path);
    ~MappedFile();
    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;

    const std::filesystem::path &path() const { return m_path; }
    std::span<std::byte> bytes() const { return {m_data, m_size}; }
    /// False when the file became shorter since, or could not be read where it was touched.
    bool isIntact() const;
    /// Marks by which a changed file is known; times in nanoseconds.
    struct Stamp
    {
        std::int64_t size = -1;
        std::int64_t modified = 0;
        std::int64_t changed = 0;

        bool operator==(const Stamp &) const = default;
    };
    Stamp stamp() const;
    /// Whether the stamp still is that of opening or the last one accepted. False after any writing, but also after
    /// changes that leave the bytes alone (its name, its owner).
    bool isUntouched() const;
    /// Accepts this stamp: the bytes have been compared since, and are unchanged.
    void accept(const Stamp &stamp);
    /// Releases the memory of pages that were read; they are read from disk again when needed. What was written into
    /// the mapping is lost.
    void forgetPages() const;
    /// The same for the pages that lie wholly within so many bytes.
    void forgetPages(std::uint64_t first, std::uint64_t count) const;
    /// Copies what is on disk from byte `at` on, whatever was written into the mapping. Number of bytes; 0 at the end.
    Result<std::size_t> read(std::size_t at, std::span<std::byte> buffer) const;

private:
    MappedFile() = default;

    std::filesystem::path m_path;
    WatchedPages m_watched;
    mutable std::mutex m_mutex;
    Stamp m_accepted; ///< guarded by the mutex
    std::byte *m_data = nullptr;
    std::size_t m_size = 0;
    int m_file = -1;
};

} // namespace headscope
