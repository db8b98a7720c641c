#include "core/formats/zipreader.h"

#include "core/formats/bytereader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace headscope {
namespace {

constexpr std::uint64_t kEndSize = 22;
constexpr std::uint64_t kMostEntries = 1'000'000;

struct Directory
{
    std::uint64_t entries = 0;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

/// A central directory entry before its local header was looked at.
struct ListedEntry
{
    std::string name;
    std::uint64_t flags = 0;
    std::uint64_t method = 0;
    std::uint64_t packed = 0;
    std::uint64_t size = 0;
    std::uint64_t header = 0;
};

class ZipReader
{
public:
    ZipReader(std::span<const std::byte> file, const std::string &name, ZipWriter writer)
        : m_file(file), m_name(name), m_writer(writer)
    {
    }

    Result<std::vector<ZipEntry>> read() const
    {
        const auto directory = findDirectory();
        if (!directory)
            return damaged("its table of contents is missing or damaged");
        ByteReader reader(m_file.first(directory->offset + directory->size), directory->offset);
        std::vector<ZipEntry> entries;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
        std::unordered_set<std::string> names;
        for (std::uint64_t i = 0; i < directory->entries; ++i) {
            const auto raw = readEntry(reader);
            if (!raw)
                return damaged("its table of contents is truncated");
            auto entry = locate(*raw, directory->offset);
            if (!entry.isOk())
                return entry.error();
            if (!names.insert(raw->name).second)
                return damaged(fmt::format("\"{}\" appears twice", raw->name));
            ranges.emplace_back(raw->header, entry.value().offset + raw->packed);
            entries.push_back(std::move(entry).value());
        }
        std::sort(ranges.begin(), ranges.end());
        for (std::size_t i = 1; i < ranges.size(); ++i)
            if (ranges[i].first < ranges[i - 1].second)
                return damaged("two of its files share bytes");
        return entries;
    }

private:
    Error damaged(std::string_view what) const
    {
        return badInput(fmt::format("{} is not a zip file as {} writes it: {}", m_name,
                                    m_writer == ZipWriter::Torch ? "torch.save" : "NumPy", what));
    }

    bool isDirectory(const Directory &directory, std::uint64_t end) const
    {
        // 46 bytes is the least an entry takes: bounds the number of entries by the size of the file.
        return directory.offset <= end && directory.size <= end - directory.offset && directory.entries <= kMostEntries
            && directory.entries <= directory.size / 46;
    }

    std::optional<Directory> findDirectory() const
    {
        if (m_file.size() < kEndSize)
            return std::nullopt;
        const std::uint64_t last = m_file.size() - kEndSize;
        for (std::uint64_t back = 0; back <= std::min<std::uint64_t>(last, 0xFFFF); ++back) {
            ByteReader reader(m_file, last - back);
            if (reader.number(4) != 0x06054B50u)
                continue;
            const auto disks = reader.number(4);
            reader.skip(2);
            Directory directory;
            directory.entries = *reader.number(2);
            directory.size = *reader.number(4);
            directory.offset = *reader.number(4);
            if (*reader.number(2) != back || (disks != 0u && disks != 0xFFFFFFFFu))
                continue;
            if (directory.entries == 0xFFFF || directory.size == 0xFFFFFFFF || directory.offset == 0xFFFFFFFF)
                return findDirectory64(last - back);
            return isDirectory(directory, last - back) ? std::optional(directory) : std::nullopt;
        }
        return std::nullopt;
    }

    /// The zip64 locator lies right before the ordinary end record.
    std::optional<Directory> findDirectory64(std::uint64_t end) const
    {
        if (end < 20)
            return std::nullopt;
        ByteReader locator(m_file, end - 20);
        if (locator.number(4) != 0x07064B50u || locator.number(4) != 0u)
            return std::nullopt;
        const std::uint64_t at = *locator.number(8);
        if (at > end - 20 || end - 20 - at < 56)
            return std::nullopt;
        ByteReader reader(m_file, at);
        if (reader.number(4) != 0x06064B50u)
            return std::nullopt;
        reader.skip(8 + 2 + 2 + 4 + 4 + 8);
        Directory directory;
        directory.entries = *reader.number(8);
        directory.size = *reader.number(8);
        directory.offset = *reader.number(8);
        return isDirectory(directory, at) ? std::optional(directory) : std::nullopt;
    }

    static std::optional<ListedEntry> readEntry(ByteReader &reader)
    {
        if (reader.left() < 46 || reader.number(4) != 0x02014B50u)
            return std::nullopt;
        ListedEntry entry;
        reader.skip(4);
        entry.flags = *reader.number(2);
        entry.method = *reader.number(2);
        reader.skip(8);
        entry.packed = *reader.number(4);
        entry.size = *reader.number(4);
        const std::uint64_t nameSize = *reader.number(2);
        const std::uint64_t extraSize = *reader.number(2);
        const std::uint64_t commentSize = *reader.number(2);
        reader.skip(8);
        entry.header = *reader.number(4);
        const auto name = reader.text(nameSize);
        const auto extra = reader.text(extraSize);
        if (!name || !extra || !reader.skip(commentSize))
            return std::nullopt;
        entry.name = *name;
        return readZip64(entry, *extra) ? std::optional(entry) : std::nullopt;
    }

    /// Fills in the numbers that did not fit 32 bits.
    static bool readZip64(ListedEntry &entry, std::string_view extra)
    {
        std::uint64_t *const fields[] = {&entry.size, &entry.packed, &entry.header};
        const auto isOpen = [](const std::uint64_t *field) { return *field == 0xFFFFFFFF; };
        if (std::none_of(std::begin(fields), std::end(fields), isOpen))
            return true;
        ByteReader reader(std::as_bytes(std::span(extra)));
        while (reader.left() >= 4) {
            const std::uint64_t id = *reader.number(2);
            const std::uint64_t size = *reader.number(2);
            const auto block = reader.text(size);
            if (!block)
                return false;
            if (id != 1)
                continue;
            ByteReader values(std::as_bytes(std::span(*block)));
            for (std::uint64_t *field : fields)
                if (isOpen(field)) {
                    const auto value = values.number(8);
                    if (!value)
                        return false;
                    *field = *value;
                }
            return true;
        }
        return false;
    }

    Result<ZipEntry> locate(const ListedEntry &entry, std::uint64_t directory) const
    {
        const std::string quoted = fmt::format("\"{}\" ", entry.name.substr(0, 200));
        if (entry.flags & 1)
            return damaged(quoted + "is encrypted");
        constexpr std::uint64_t kDeflate = 8;
        const bool compressed = m_writer == ZipWriter::NumPy && entry.method == kDeflate;
        if (!compressed && (entry.method != 0 || entry.packed != entry.size))
            return damaged(quoted
                           + (m_writer == ZipWriter::Torch ? "is compressed, which torch.save never does"
                                                           : "is compressed by another method than deflate"));
        if (entry.header >= directory)
            return damaged(quoted + "lies outside the file");
        ByteReader reader(m_file.first(directory), entry.header);
        if (reader.left() < 30 || reader.number(4) != 0x04034B50u)
            return damaged(quoted + "has no header where the table of contents says");
        reader.skip(4);
        const auto method = reader.number(2);
        reader.skip(16);
        const std::uint64_t nameSize = *reader.number(2);
        const std::uint64_t extraSize = *reader.number(2);
        if (method != entry.method || reader.text(nameSize) != entry.name || !reader.skip(extraSize))
            return damaged(quoted + "is described inconsistently");
        if (entry.packed > reader.left())
            return damaged(quoted + "reaches beyond the end of the file");
        return ZipEntry{entry.name, reader.position(), entry.size, compressed};
    }

    std::span<const std::byte> m_file;
    const std::string &m_name;
    ZipWriter m_writer;
};

} // namespace

Result<std::vector<ZipEntry>> readZip(std::span<const std::byte> file, const std::string &name, ZipWriter writer)
{
    return ZipReader(file, name, writer).read();
}

} // namespace headscope
