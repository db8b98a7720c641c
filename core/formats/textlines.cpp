#include "core/formats/textlines.h"

#include "core/formats/lfspointer.h"
#include "core/formats/utf8.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

namespace headscope {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;

Error tooLarge(const std::filesystem::path &path, std::int64_t limit)
{
    return badInput(fmt::format("{} holds more than {} MiB of text, which is more than is read at once; split it",
                                path.string(), limit >> 20));
}

bool isPacked(std::string_view start)
{
    return start.starts_with("\x1F\x8B")
        || start.starts_with(std::string_view("\xFD"
                                              "7zXZ\0",
                                              6));
}

/// A file, pipe or device that is read from its beginning. Waiting for a pipe can be cancelled.
class InputFile
{
public:
    explicit InputFile(const std::filesystem::path &path)
        : m_path(path), m_file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))
    {
    }
    ~InputFile()
    {
        if (m_file >= 0)
            ::close(m_file);
    }
    InputFile(const InputFile &) = delete;
    InputFile &operator=(const InputFile &) = delete;

    bool isOpen() const { return m_file >= 0; }
    const std::filesystem::path &path() const { return m_path; }
    Error failed() const { return badInput(fmt::format("cannot read {}: {}", m_path.string(), std::strerror(errno))); }

    /// At most a buffer of bytes; 0 at the end.
    Result<std::size_t> read(std::string &buffer, const JobControl &control)
    {
        constexpr int kPatienceMs = 50;
        for (;;) {
            if (control.cancelled())
                return Result<std::size_t>::cancelled();
            pollfd wanted{m_file, POLLIN, 0};
            const int ready = ::poll(&wanted, 1, kPatienceMs);
            if (ready == 0 || (ready < 0 && errno == EINTR))
                continue;
            const ssize_t count = ready < 0 ? -1 : ::read(m_file, buffer.data(), buffer.size());
            if (count >= 0)
                return static_cast<std::size_t>(count);
            if (errno != EAGAIN && errno != EINTR)
                return failed();
        }
    }

private:
    std::filesystem::path m_path;
    int m_file;
};

/// The text that has been read, and whether it is enough.
class Bytes
{
public:
    Bytes(std::int64_t limit, std::int64_t lines) : m_limit(limit), m_linesLeft(lines), m_byLines(lines > 0) { }

    bool fits(std::size_t count) const { return static_cast<std::int64_t>(m_text.size() + count) <= m_limit; }
    /// False when there are as many lines as were wanted: the rest is left out.
    bool add(std::string_view bytes)
    {
        for (std::size_t at = 0; m_byLines && (at = bytes.find('\n', at)) != std::string_view::npos; ++at) {
            if (--m_linesLeft == 0) {
                m_text.append(bytes.substr(0, at + 1));
                return false;
            }
        }
        m_text.append(bytes);
        return true;
    }
    std::string take() { return std::move(m_text); }

private:
    std::string m_text;
    std::int64_t m_limit;
    std::int64_t m_linesLeft;
    bool m_byLines;
};

struct ArchiveCloser
{
    void operator()(archive *reader) const { archive_read_free(reader); }
};

/// The bytes that libarchive reads: what was read to see that the file is packed, then the rest.
struct PackedInput
{
    InputFile &file;
    const JobControl &control;
    std::string chunk;
    std::size_t first = 0; ///< bytes of the chunk that were read already
    std::optional<Error> error{};

    static la_ssize_t next(archive *reader, void *input, const void **bytes)
    {
        auto &self = *static_cast<PackedInput *>(input);
        std::size_t count = std::exchange(self.first, 0);
        if (count == 0) {
            const auto read = self.file.read(self.chunk, self.control);
            if (!read.isOk()) {
                if (read.isError())
                    self.error = read.error();
                archive_set_error(reader, EIO, "the file cannot be read");
                return -1;
            }
            count = read.value();
        }
        *bytes = self.chunk.data();
        return static_cast<la_ssize_t>(count);
    }
};

Result<std::string> unpack(PackedInput input, Bytes bytes, std::int64_t limit)
{
    const std::filesystem::path &path = input.file.path();
    const std::unique_ptr<archive, ArchiveCloser> reader(archive_read_new());
    if (!reader)
        return resourceError("not enough memory to unpack " + path.string());
    const auto failed = [&]() -> Result<std::string> {
        if (input.control.cancelled())
            return Result<std::string>::cancelled();
        if (input.error)
            return *input.error;
        const char *why = archive_error_string(reader.get());
        return badInput(
            fmt::format("{} cannot be unpacked: {}. Is it complete?", path.string(), why ? why : "damaged data"));
    };
    archive_read_support_filter_gzip(reader.get());
    archive_read_support_filter_xz(reader.get());
    archive_read_support_format_raw(reader.get());
    archive_read_support_format_empty(reader.get());
    if (archive_read_open(reader.get(), &input, nullptr, PackedInput::next, nullptr) != ARCHIVE_OK)
        return failed();
    archive_entry *entry = nullptr;
    const int header = archive_read_next_header(reader.get(), &entry);
    if (header == ARCHIVE_EOF)
        return std::string();
    if (header != ARCHIVE_OK)
        return failed();
    std::string chunk(kChunk, '\0');
    while (true) {
        if (input.control.cancelled())
            return Result<std::string>::cancelled();
        const la_ssize_t count = archive_read_data(reader.get(), chunk.data(), chunk.size());
        if (count < 0)
            return failed();
        if (count == 0)
            return bytes.take();
        if (!bytes.fits(static_cast<std::size_t>(count)))
            return tooLarge(path, limit);
        if (!bytes.add(std::string_view(chunk).substr(0, static_cast<std::size_t>(count))))
            return bytes.take();
    }
}

Error invalidUtf8(const std::filesystem::path &path, std::string_view text, std::size_t at)
{
    const std::string_view before = text.substr(0, at);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t lineStart = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    return badInput(fmt::format("{} is not UTF-8 text: line {}, byte {} is 0x{:02X}; convert it to UTF-8 first",
                                path.string(), line, at - lineStart + 1, static_cast<unsigned char>(text[at])));
}

} // namespace

Result<Done> requireRegularFile(const std::filesystem::path &path)
{
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status))
        return Done{};
    const bool isPipe = std::filesystem::is_fifo(status);
    // A pipe without a name is a link in /proc that leads nowhere.
    if (isPipe && std::filesystem::canonical(path, error).empty())
        return Done{};
    return badInput(fmt::format("{} is {}, not a regular file", path.string(),
                                isPipe                                  ? "a named pipe"
                                : std::filesystem::is_directory(status) ? "a folder"
                                                                        : "a device or socket"));
}

Result<std::string> readBytes(const std::filesystem::path &path, const JobControl &control, std::int64_t limit,
                              std::int64_t lines)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        return badInput(path.string() + " is a folder; a file was expected");
    InputFile file(path);
    if (!file.isOpen())
        return file.failed();
    Bytes bytes(limit, lines);
    std::string chunk(kChunk, '\0');
    for (bool first = true;; first = false) {
        const auto count = file.read(chunk, control);
        if (count.isCancelled())
            return Result<std::string>::cancelled();
        if (!count.isOk())
            return count.error();
        const std::string_view read = std::string_view(chunk).substr(0, count.value());
        if (first && isLfsPointer(read))
            return lfsPointerError(path.string());
        if (first && isPacked(read))
            return unpack({file, control, chunk, count.value()}, std::move(bytes), limit);
        if (!bytes.fits(read.size()))
            return tooLarge(path, limit);
        if (!bytes.add(read) || read.empty())
            return bytes.take();
    }
}

Result<std::string> readText(const std::filesystem::path &path, const JobControl &control, std::int64_t limit,
                             std::int64_t lines)
{
    auto bytes = readBytes(path, control, limit, lines);
    if (!bytes.isOk())
        return bytes;
    std::string &text = bytes.value();
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
        return badInput(path.string() + " is UTF-16 text; convert it to UTF-8 first");
    if (const auto at = firstInvalidUtf8(text))
        return invalidUtf8(path, text, *at);
    if (text.starts_with("\xEF\xBB\xBF"))
        text.erase(0, 3);
    return bytes;
}

char lineEndOf(std::string_view text)
{
    // Beside any \n a stray \r is part of its line.
    return text.find('\n') == std::string_view::npos ? '\r' : '\n';
}

std::vector<std::string> splitLines(std::string_view text)
{
    std::vector<std::string> lines;
    const char end = lineEndOf(text);
    while (!text.empty()) {
        const std::size_t at = std::min(text.find(end), text.size());
        std::string_view line = text.substr(0, at);
        if (end == '\n' && at < text.size() && line.ends_with('\r'))
            line.remove_suffix(1);
        lines.emplace_back(line);
        text.remove_prefix(std::min(at + 1, text.size()));
    }
    return lines;
}

Result<std::vector<std::string>> readLines(const std::filesystem::path &path, const JobControl &control,
                                           std::int64_t limit, std::int64_t lines)
{
    using Lines = Result<std::vector<std::string>>;
    const auto text = readText(path, control, limit, lines);
    if (text.isCancelled())
        return Lines::cancelled();
    if (text.isError())
        return text.error();
    return splitLines(text.value());
}

} // namespace headscope
