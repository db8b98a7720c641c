#include "core/formats/npzfile.h"

#include "core/formats/bytereader.h"
#include "core/formats/zipreader.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace headscope {
namespace {

constexpr std::string_view kArrayEnding = ".npy";
constexpr std::uint64_t kMostOfFile = 16; ///< unpacked, in sizes of the file: weights hardly become smaller
constexpr std::uint64_t kSmallArchive = std::uint64_t{1} << 20;

struct NpzReadCloser
{
    void operator()(archive *reader) const { archive_read_free(reader); }
};

/// A NumPy element type, e.g. "<f4".
struct ArrayType
{
    DType dtype = DType::F32;
    bool bigEndian = false;
};

std::optional<ArrayType> arrayType(std::string_view text)
{
    static const std::map<std::string_view, DType> kTypes{
        {"b1", DType::Bool}, {"i1", DType::I8},  {"u1", DType::U8},  {"i2", DType::I16}, {"u2", DType::U16},
        {"i4", DType::I32},  {"u4", DType::U32}, {"i8", DType::I64}, {"u8", DType::U64}, {"f2", DType::F16},
        {"f4", DType::F32},  {"f8", DType::F64}, {"c8", DType::C64}};
    if (text.size() < 2 || std::string_view("<>|=").find(text.front()) == std::string_view::npos)
        return std::nullopt;
    const auto found = kTypes.find(text.substr(1));
    if (found == kTypes.end())
        return std::nullopt;
    return ArrayType{found->second, text.front() == '>'};
}

/// The header of an array is a dictionary as Python writes it, e.g.
/// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class ArrayHeader
{
public:
    explicit ArrayHeader(std::string_view text) : m_rest(text) { }

    bool read()
    {
        if (!take('{'))
            return false;
        while (!take('}')) {
            const auto key = quoted();
            if (!key || !take(':') || !readValue(*key))
                return false;
            if (!take(',')) {
                if (!take('}'))
                    return false;
                break;
            }
        }
        return m_seen.size() == 3;
    }

    const std::string &type() const { return m_type; }
    bool columnsFirst() const { return m_columnsFirst; }
    const std::vector<std::int64_t> &shape() const { return m_shape; }

private:
    bool readValue(std::string_view key)
    {
        const bool isNew = std::ranges::find(m_seen, key) == m_seen.end();
        m_seen.emplace_back(key);
        if (!isNew)
            return false;
        if (key == "descr") {
            const auto text = quoted();
            m_type = text ? std::string(*text) : std::string("a record");
            return text.has_value() || skipList();
        }
        if (key == "fortran_order") {
            m_columnsFirst = takeWord("True");
            return m_columnsFirst || takeWord("False");
        }
        return key == "shape" && readShape();
    }

    bool readShape()
    {
        if (!take('('))
            return false;
        while (!take(')')) {
            skipBlanks();
            std::int64_t size = 0;
            const auto [end, error] = std::from_chars(m_rest.data(), m_rest.data() + m_rest.size(), size);
            if (error != std::errc() || size < 0 || m_shape.size() >= kMostDimensions)
                return false;
            m_rest.remove_prefix(static_cast<std::size_t>(end - m_rest.data()));
            m_shape.push_back(size);
            if (!take(',')) {
                if (!take(')'))
                    return false;
                break;
            }
        }
        return true;
    }

    /// The fields of a record, which are not read.
    bool skipList()
    {
        int open = 0;
        for (std::size_t i = 0; i < m_rest.size(); ++i) {
            open += m_rest[i] == '[' ? 1 : m_rest[i] == ']' ? -1 : 0;
            if (open == 0 && m_rest[i] == ']') {
                m_rest.remove_prefix(i + 1);
                return true;
            }
        }
        return false;
    }

    void skipBlanks()
    {
        const std::size_t at = m_rest.find_first_not_of(" \t\n");
        m_rest.remove_prefix(std::min(at, m_rest.size()));
    }

    bool take(char wanted)
    {
        skipBlanks();
        if (m_rest.empty() || m_rest.front() != wanted)
            return false;
        m_rest.remove_prefix(1);
        return true;
    }

    bool takeWord(std::string_view word)
    {
        skipBlanks();
        if (!m_rest.starts_with(word))
            return false;
        m_rest.remove_prefix(word.size());
        return true;
    }

    std::optional<std::string_view> quoted()
    {
        skipBlanks();
        if (m_rest.empty() || (m_rest.front() != '\'' && m_rest.front() != '"'))
            return std::nullopt;
        const std::size_t end = m_rest.find(m_rest.front(), 1);
        if (end == std::string_view::npos)
            return std::nullopt;
        const std::string_view text = m_rest.substr(1, end - 1);
        m_rest.remove_prefix(end + 1);
        return text;
    }

    static constexpr std::size_t kMostDimensions = 32;

    std::string_view m_rest;
    std::vector<std::string> m_seen;
    std::string m_type;
    bool m_columnsFirst = false;
    std::vector<std::int64_t> m_shape;
};

/// Strides of an array whose first index runs fastest.
std::vector<std::int64_t> columnMajorStrides(const std::vector<std::int64_t> &shape)
{
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = 1; i < shape.size(); ++i)
        strides[i] = strides[i - 1] * std::max<std::int64_t>(shape[i - 1], 1);
    return strides;
}

/// How many elements a shape has; nothing: more than there can be.
std::optional<std::uint64_t> elementCount(const std::vector<std::int64_t> &shape)
{
    constexpr std::uint64_t kMostElements = std::uint64_t{1} << 48;
    std::uint64_t count = 1; // of an array without elements that of its other dimensions, which strides are made of
    for (const std::int64_t size : shape) {
        const auto steps = static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1));
        if (steps > kMostElements / count)
            return std::nullopt;
        count *= steps;
    }
    return std::ranges::find(shape, 0) == shape.end() ? count : 0;
}

class NpzReader
{
public:
    NpzReader(std::span<const std::byte> file, const std::string &name) : m_file(file), m_name(name) { }

    Result<NpzFile> read() const
    {
        auto listed = readZip(m_file, m_name, ZipWriter::NumPy);
        if (!listed.isOk())
            return listed.error();
        NpzFile result;
        std::vector<ZipEntry> &entries = listed.value();
        std::span<const std::byte> bytes = m_file;
        if (std::ranges::any_of(entries, [](const ZipEntry &entry) { return entry.compressed; })) {
            if (const auto done = unpack(entries, result); !done.isOk())
                return done.error();
            bytes = *result.unpacked;
        }
        for (const ZipEntry &entry : entries) {
            if (!entry.name.ends_with(kArrayEnding))
                return damaged(fmt::format("\"{}\" in it is no array (.npy)", entry.name.substr(0, 200)));
            auto tensor = readArray(entry, bytes);
            if (!tensor.isOk())
                return tensor.error();
            result.tensors.push_back(std::move(tensor).value());
        }
        return result;
    }

private:
    Error damaged(const std::string &what) const
    {
        return badInput(fmt::format("{} is not a NumPy archive: {}", m_name, what));
    }

    Error notUnpacked(archive *reader) const
    {
        const char *why = archive_error_string(reader);
        return damaged(fmt::format("it cannot be unpacked ({})", why ? why : "damaged data"));
    }

    /// All arrays one after the other; `entries` then say where they lie there.
    Result<Done> unpack(std::vector<ZipEntry> &entries, NpzFile &result) const
    {
        std::uint64_t total = 0;
        const std::uint64_t most = kMostOfFile * m_file.size() + kSmallArchive;
        std::map<std::string, ZipEntry *> places;
        for (ZipEntry &entry : entries) {
            if (entry.size > most - total)
                return damaged(fmt::format("its arrays take more than {} times the file's size", kMostOfFile));
            entry.offset = total;
            total += entry.size;
            places[entry.name] = &entry;
        }
        result.unpacked = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(total));
        const std::unique_ptr<archive, NpzReadCloser> reader(archive_read_new());
        if (!reader)
            return resourceError("not enough memory to unpack " + m_name);
        archive_read_support_format_zip(reader.get());
        if (archive_read_open_memory(reader.get(), m_file.data(), m_file.size()) != ARCHIVE_OK)
            return notUnpacked(reader.get());
        while (!places.empty()) {
            archive_entry *found = nullptr;
            const int header = archive_read_next_header(reader.get(), &found);
            if (header != ARCHIVE_OK && header != ARCHIVE_WARN)
                return header == ARCHIVE_EOF
                         ? damaged(fmt::format("\"{}\" is missing", places.begin()->first.substr(0, 200)))
                         : notUnpacked(reader.get());
            const char *given = archive_entry_pathname_utf8(found);
            const auto place = places.find(given ? given : "");
            if (place == places.end())
                return damaged("its table of contents lacks an array");
            const auto filled = fill(reader.get(), *place->second, *result.unpacked);
            if (!filled.isOk())
                return filled;
            places.erase(place);
        }
        return Done{};
    }

    Result<Done> fill(archive *reader, const ZipEntry &entry, std::vector<std::byte> &bytes) const
    {
        std::size_t done = 0;
        const auto size = static_cast<std::size_t>(entry.size);
        while (done < size) {
            const la_ssize_t count
                = archive_read_data(reader, bytes.data() + static_cast<std::size_t>(entry.offset) + done, size - done);
            if (count < 0)
                return notUnpacked(reader);
            if (count == 0)
                return damaged(fmt::format("\"{}\" is shorter than it says", entry.name.substr(0, 200)));
            done += static_cast<std::size_t>(count);
        }
        std::byte more{};
        if (const la_ssize_t count = archive_read_data(reader, &more, 1); count != 0)
            return count < 0 ? notUnpacked(reader)
                             : damaged(fmt::format("\"{}\" is longer than it says", entry.name.substr(0, 200)));
        return Done{};
    }

    Result<TensorEntry> readArray(const ZipEntry &entry, std::span<const std::byte> bytes) const
    {
        const std::string array = entry.name.substr(0, entry.name.size() - kArrayEnding.size());
        const std::string quoted = fmt::format("the array \"{}\" ", array.substr(0, 200));
        ByteReader reader(bytes.first(static_cast<std::size_t>(entry.offset + entry.size)), entry.offset);
        if (reader.text(6) != std::string_view("\x93NUMPY", 6))
            return damaged(quoted + "does not begin as arrays do");
        const auto version = reader.number(2);
        const auto length = reader.number(version && (*version & 0xFF) == 1 ? 2 : 4);
        const auto text = length ? reader.text(*length) : std::nullopt;
        if (!text || (*version & 0xFF) < 1 || (*version & 0xFF) > 3)
            return damaged(quoted + "has a damaged header");
        ArrayHeader header(*text);
        if (!header.read())
            return damaged(quoted + "has a header that is not understood");
        const auto type = arrayType(header.type());
        if (!type)
            return badInput(fmt::format("{}: {}holds elements of type {}, which are not read", m_name, quoted,
                                        header.type().substr(0, 100)));
        TensorEntry tensor;
        tensor.name = array;
        tensor.dtype = type->dtype;
        tensor.bigEndian = type->bigEndian;
        tensor.shape = header.shape();
        const auto count = elementCount(tensor.shape);
        tensor.offset = reader.position();
        if (!count || *count * static_cast<std::uint64_t>(bitsPerElement(tensor.dtype)) / 8 != reader.left())
            return damaged(fmt::format("{}has {} bytes, which do not fit its shape {}", quoted, reader.left(),
                                       shapeText(tensor.shape)));
        tensor.bytes = reader.left();
        tensor.strides = header.columnsFirst() ? columnMajorStrides(tensor.shape) : rowMajorStrides(tensor.shape);
        return tensor;
    }

    std::span<const std::byte> m_file;
    const std::string &m_name;
};

} // namespace

Result<NpzFile> parseNpz(std::span<const std::byte> file, const std::string &name)
{
    return NpzReader(file, name).read();
}

} // namespace headscope
