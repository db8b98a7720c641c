#include "core/formats/textlines.h"

#include "core/formats/utf8.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

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
    return start.starts_with("\x1F\x8B") || start.starts_with(std::string_view("\xFD" "7zXZ\0", 6));
}

struct ArchiveCloser
{
    void operator()(archive *reader) const { archive_read_free(reader); }
};

Result<std::string> unpack(const std::filesystem::path &path, const JobControl &control, std::int64_t limit)
{
    const std::unique_ptr<archive, ArchiveCloser> reader(archive_read_new());
    if (!reader)
        return resourceError("not enough memory to unpack " + path.string());
    const auto failed = [&] {
        const char *why = archive_error_string(reader.get());
        return badInput(fmt::format("{} cannot be unpacked: {}. Is it complete?", path.string(),
                                    why ? why : "damaged data"));
    };
    archive_read_support_filter_gzip(reader.get());
    archive_read_support_filter_xz(reader.get());
    archive_read_support_format_raw(reader.get());
    archive_read_support_format_empty(reader.get());
    if (archive_read_open_filename(reader.get(), path.c_str(), kChunk) != ARCHIVE_OK)
        return failed();
    archive_entry *entry = nullptr;
    const int header = archive_read_next_header(reader.get(), &entry);
    if (header == ARCHIVE_EOF)
        return std::string();
    if (header != ARCHIVE_OK)
        return failed();
    std::string text;
    std::string chunk(kChunk, '\0');
    while (true) {
        if (control.cancelled())
            return Result<std::string>::cancelled();
        const la_ssize_t count = archive_read_data(reader.get(), chunk.data(), chunk.size());
        if (count < 0)
            return failed();
        if (count == 0)
            return text;
        if (static_cast<std::int64_t>(text.size()) + count > limit)
            return tooLarge(path, limit);
        text.append(chunk, 0, static_cast<std::size_t>(count));
    }
}

Error invalidUtf8(const std::filesystem::path &path, std::string_view text, std::size_t at)
{
    const std::string_view before = text.substr(0, at);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t lineStart = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    return badInput(fmt::format("{} is not UTF-8 text: line {}, byte {} is 0x{:02X}; convert it to UTF-8 first",
                                path.string(), line, at - lineStart + 1,
                                static_cast<unsigned char>(text[at])));
}

} // namespace

Result<std::string> readBytes(const std::filesystem::path &path, const JobControl &control,
                              std::int64_t limit)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        return badInput(path.string() + " is a folder; a file was expected");
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return badInput(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
    std::string bytes;
    std::string chunk(kChunk, '\0');
    while (file) {
        if (control.cancelled())
            return Result<std::string>::cancelled();
        file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
        const auto count = static_cast<std::size_t>(file.gcount());
        if (bytes.empty() && isPacked(std::string_view(chunk).substr(0, count)))
            return unpack(path, control, limit);
        if (static_cast<std::int64_t>(bytes.size() + count) > limit)
            return tooLarge(path, limit);
        bytes.append(chunk, 0, count);
    }
    if (file.bad())
        return badInput(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
    return bytes;
}

Result<std::string> readText(const std::filesystem::path &path, const JobControl &control, std::int64_t limit)
{
    auto bytes = readBytes(path, control, limit);
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
                                           std::int64_t limit)
{
    using Lines = Result<std::vector<std::string>>;
    const auto text = readText(path, control, limit);
    if (text.isCancelled())
        return Lines::cancelled();
    if (text.isError())
        return text.error();
    return splitLines(text.value());
}

} // namespace headscope
