#include "core/formats/zipfolder.h"

#include "core/base/phases.h"
#include "core/formats/atomicfile.h"
#include "core/formats/atomicfolder.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <locale.h> // newlocale
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

namespace headscope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kZipChunk = std::size_t{1} << 20;

/// While it lives, this thread's names are UTF-8: libarchive takes them by the locale, and in that of C it can write
/// and read no others than ASCII ones.
class Utf8Names
{
public:
    Utf8Names()
    {
        for (const char *name : {"C.UTF-8", "C.utf8", "en_US.UTF-8"}) {
            m_own = ::newlocale(LC_CTYPE_MASK, name, nullptr);
            if (m_own != nullptr)
                break;
        }
        if (m_own != nullptr)
            m_before = ::uselocale(m_own);
    }
    ~Utf8Names()
    {
        if (m_own == nullptr)
            return;
        ::uselocale(m_before);
        ::freelocale(m_own);
    }
    Utf8Names(const Utf8Names &) = delete;
    Utf8Names &operator=(const Utf8Names &) = delete;

private:
    locale_t m_own = nullptr;
    locale_t m_before = nullptr;
};

struct ZipWriteCloser
{
    void operator()(archive *writer) const { archive_write_free(writer); }
};
struct ZipReadCloser
{
    void operator()(archive *reader) const { archive_read_free(reader); }
};
struct ZipEntryCloser
{
    void operator()(archive_entry *entry) const { archive_entry_free(entry); }
};

/// Where libarchive's bytes go, and why they could not.
struct ZipOutput
{
    const ByteSink &sink;
    std::optional<Error> error{};

    static la_ssize_t write(archive *, void *output, const void *bytes, std::size_t count)
    {
        auto &self = *static_cast<ZipOutput *>(output);
        const auto written = self.sink({static_cast<const char *>(bytes), count});
        if (written.isOk())
            return static_cast<la_ssize_t>(count);
        self.error = written.error();
        return -1;
    }
};

bool isPacked(const fs::path &file)
{
    constexpr std::array<std::string_view, 6> kPacked{".safetensors", ".bin", ".gz", ".xz", ".zip", ".png"};
    return std::ranges::find(kPacked, file.extension().string()) != kPacked.end();
}

Error zipError(archive *of, const fs::path &path, const char *what)
{
    const char *why = archive_error_string(of);
    return badInput(fmt::format("{} cannot be {}: {}", path.string(), what, why ? why : "damaged data"));
}

Result<Done> addFile(archive *writer, ZipOutput &output, const fs::path &path, const ZipSource &source,
                     const JobControl &control)
{
    std::error_code unreadable;
    const auto size = fs::file_size(source.file, unreadable);
    std::ifstream in(source.file, std::ios::binary);
    if (unreadable || !in)
        return badInput(source.file.string() + " cannot be read.");
    const std::unique_ptr<archive_entry, ZipEntryCloser> entry(archive_entry_new());
    archive_entry_set_pathname_utf8(entry.get(), source.name.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(size));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    const auto failed = [&] { return output.error ? *output.error : zipError(writer, path, "written"); };
    (isPacked(source.file) ? archive_write_zip_set_compression_store
                           : archive_write_zip_set_compression_deflate)(writer);
    if (archive_write_header(writer, entry.get()) != ARCHIVE_OK)
        return failed();
    std::string chunk(kZipChunk, '\0');
    std::uintmax_t left = size;
    while (left > 0) {
        if (control.cancelled())
            return Result<Done>::cancelled();
        in.read(chunk.data(), static_cast<std::streamsize>(std::min<std::uintmax_t>(left, chunk.size())));
        const auto count = static_cast<std::size_t>(in.gcount());
        if (count == 0)
            return badInput(source.file.string() + " became shorter while it was read.");
        if (archive_write_data(writer, chunk.data(), count) < 0)
            return failed();
        left -= count;
    }
    return Done{};
}

/// The files that have come out of an archive so far.
struct Unpacked
{
    std::int64_t mostBytes;
    std::int64_t bytes = 0;
    std::set<fs::path> files{};
};

/// The content of the entry that the reader is at.
Result<Done> unpackContent(archive *reader, const fs::path &path, const fs::path &file, Unpacked &unpacked,
                           const JobControl &control)
{
    std::ofstream out(file, std::ios::binary);
    std::string chunk(kZipChunk, '\0');
    while (out) {
        if (control.cancelled())
            return Result<Done>::cancelled();
        const la_ssize_t count = archive_read_data(reader, chunk.data(), chunk.size());
        if (count < 0)
            return zipError(reader, path, "unpacked");
        if (count == 0)
            break;
        unpacked.bytes += count;
        if (unpacked.bytes > unpacked.mostBytes)
            return badInput(
                fmt::format("{} is refused: it unpacks to more than {} MiB, which no study of its size does.",
                            path.string(), unpacked.mostBytes >> 20));
        out.write(chunk.data(), count);
    }
    out.close();
    if (!out)
        return resourceError(file.string() + " cannot be written; is the disk full?");
    return Done{};
}

Result<Done> unpackEntry(archive *reader, archive_entry *entry, const fs::path &path, const fs::path &folder,
                         Unpacked &unpacked, const JobControl &control)
{
    const char *given = archive_entry_pathname_utf8(entry);
    const fs::path name = given ? given : "";
    const bool leadsOut = name.empty() || name.is_absolute() || std::ranges::find(name, "..") != name.end();
    const auto type = archive_entry_filetype(entry);
    if (leadsOut || archive_entry_hardlink(entry) || (type != AE_IFREG && type != AE_IFDIR))
        return badInput(fmt::format("{} is refused: \"{}\" in it is no file inside it.", path.string(), name.string()));
    if (type == AE_IFREG && !unpacked.files.insert(name.lexically_normal()).second)
        return badInput(fmt::format("{} is refused: \"{}\" is in it twice.", path.string(), name.string()));
    if (std::ssize(unpacked.files) > kMostUnpackedFiles)
        return badInput(fmt::format("{} is refused: it holds more than {} files.", path.string(), kMostUnpackedFiles));
    std::error_code failed;
    fs::create_directories(type == AE_IFDIR ? folder / name : (folder / name).parent_path(), failed);
    if (failed)
        return resourceError(fmt::format("{} cannot be made: {}", (folder / name).string(), failed.message()));
    if (type == AE_IFDIR)
        return Done{};
    return unpackContent(reader, path, folder / name, unpacked, control);
}

} // namespace

std::int64_t mostUnpacked(std::int64_t packedBytes)
{
    constexpr std::int64_t kAlways = std::int64_t{64} << 20;
    constexpr std::int64_t kTimes = 200;
    return packedBytes < std::numeric_limits<std::int64_t>::max() / (2 * kTimes) ? kAlways + kTimes * packedBytes
                                                                                 : packedBytes;
}

Result<Done> writeZip(const fs::path &path, const std::vector<ZipSource> &files, const JobControl &control)
{
    const Utf8Names names;
    return writeFileAtomically(path, [&](const ByteSink &sink) -> Result<Done> {
        ZipOutput output{sink};
        const std::unique_ptr<archive, ZipWriteCloser> writer(archive_write_new());
        if (!writer)
            return resourceError("not enough memory to pack " + path.string());
        archive_write_set_format_zip(writer.get());
        (void)archive_write_set_format_option(writer.get(), "zip", "hdrcharset", "UTF-8"); // says so of the names
        archive_write_set_bytes_in_last_block(writer.get(), 1);                            // no padding
        if (archive_write_open(writer.get(), &output, nullptr, ZipOutput::write, nullptr) != ARCHIVE_OK)
            return zipError(writer.get(), path, "written");
        const auto count = static_cast<std::int64_t>(files.size());
        for (std::int64_t i = 0; i < count; ++i) {
            control.progress({kPhasePacking, "files", i, count});
            const auto added = addFile(writer.get(), output, path, files[static_cast<std::size_t>(i)], control);
            if (!added.isOk())
                return added;
        }
        if (archive_write_close(writer.get()) != ARCHIVE_OK)
            return output.error ? *output.error : zipError(writer.get(), path, "written");
        return Done{};
    });
}

Result<Done> unpackZip(const fs::path &path, const fs::path &folder, const JobControl &control)
{
    std::error_code unknown;
    if (fs::exists(folder, unknown) && (!fs::is_directory(folder, unknown) || !fs::is_empty(folder, unknown)))
        return resourceError(folder.string() + " is there already, and is no empty folder: name a new one.");
    const auto size = fs::file_size(path, unknown);
    const Utf8Names names;
    const std::unique_ptr<archive, ZipReadCloser> reader(archive_read_new());
    if (!reader)
        return resourceError("not enough memory to unpack " + path.string());
    archive_read_support_format_zip(reader.get());
    if (archive_read_open_filename(reader.get(), path.c_str(), kZipChunk) != ARCHIVE_OK)
        return zipError(reader.get(), path, "unpacked");
    return makeFolderAtomically(folder, [&](const fs::path &inside) -> Result<Done> {
        Unpacked unpacked{.mostBytes = mostUnpacked(unknown ? 0 : static_cast<std::int64_t>(size))};
        for (std::int64_t done = 0;; ++done) {
            control.progress({kPhaseUnpacking, "files", done, 0});
            archive_entry *entry = nullptr;
            const int header = archive_read_next_header(reader.get(), &entry);
            if (header == ARCHIVE_EOF)
                return Done{};
            if (header != ARCHIVE_OK && header != ARCHIVE_WARN)
                return zipError(reader.get(), path, "unpacked");
            const auto written = unpackEntry(reader.get(), entry, path, inside, unpacked, control);
            if (!written.isOk())
                return written;
        }
    });
}

} // namespace headscope
