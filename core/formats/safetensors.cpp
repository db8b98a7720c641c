#include "core/formats/safetensors.h"

#include "core/formats/jsonfile.h"
#include "core/formats/lfspointer.h"
#include "core/formats/utf8.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <unordered_set>

namespace headscope {
namespace {

constexpr std::uint64_t kLargestHeader = 100'000'000;

/// An entry as the header states it, before any check against the file.
struct RawEntry
{
    std::string name;
    std::string dtype;
    std::vector<std::uint64_t> shape;
    std::vector<std::uint64_t> offsets;
    bool hasDtype = false;
    bool hasShape = false;
    bool hasOffsets = false;
};

/// Receives the header as a stream of tokens: a document tree would silently drop duplicate keys, and could be
/// made as deep as the sender likes.
class HeaderHandler final : public nlohmann::json_sax<nlohmann::json>
{
public:
    std::vector<RawEntry> entries;
    std::map<std::string, std::string> metadata;
    std::string why; ///< first complaint

    bool null() override
    {
        if (m_where == Where::Top && m_isMetadata)
            return true;
        return scalar("null");
    }
    bool boolean(bool) override { return scalar("a boolean"); }
    bool number_integer(number_integer_t) override { return scalar("a negative number"); }
    bool number_float(number_float_t, const string_t &) override { return scalar("a fraction or huge number"); }
    bool binary(binary_t &) override { return scalar("binary data"); }

    bool number_unsigned(number_unsigned_t value) override
    {
        if (m_where == Where::Numbers) {
            m_numbers->push_back(value);
            return m_numbers->size() <= 64 || refuse(entryText() + "has more than 64 dimensions");
        }
        return scalar("a number");
    }

    bool string(string_t &value) override
    {
        if (m_where == Where::Metadata) {
            metadata[m_key] = value;
            return true;
        }
        if (m_where == Where::Entry && m_field == Field::Dtype) {
            entries.back().dtype = value;
            return true;
        }
        return scalar("a string");
    }

    bool start_object(std::size_t) override
    {
        switch (m_where) {
        case Where::Outside:
            m_where = Where::Top;
            return true;
        case Where::Top:
            m_where = m_isMetadata ? Where::Metadata : Where::Entry;
            if (!m_isMetadata)
                entries.push_back({m_key, {}, {}, {}, false, false, false});
            return true;
        default:
            return skipInto("an object");
        }
    }

    bool key(string_t &value) override
    {
        if (m_where == Where::Top) {
            m_key = value;
            m_isMetadata = value == "__metadata__";
            return m_names.insert(value).second || refuse(fmt::format("the name \"{}\" appears twice", value));
        }
        if (m_where == Where::Metadata)
            m_key = value;
        if (m_where == Where::Entry)
            return startField(value);
        return true;
    }

    bool end_object() override
    {
        switch (m_where) {
        case Where::Skipped:
            return leaveSkipped();
        case Where::Entry:
            m_where = Where::Top;
            return isComplete(entries.back());
        case Where::Metadata:
            m_where = Where::Top;
            return true;
        default:
            m_where = Where::Outside;
            return true;
        }
    }

    bool start_array(std::size_t) override
    {
        if (m_where == Where::Entry && (m_field == Field::Shape || m_field == Field::Offsets)) {
            m_where = Where::Numbers;
            return true;
        }
        return skipInto("an array");
    }

    bool end_array() override
    {
        if (m_where == Where::Skipped)
            return leaveSkipped();
        m_where = Where::Entry;
        return true;
    }

    bool parse_error(std::size_t position, const std::string &, const nlohmann::json::exception &) override
    {
        return refuse(fmt::format("its header is not JSON at byte {}", position));
    }

private:
    enum class Where { Outside, Top, Metadata, Entry, Numbers, Skipped };
    enum class Field { Dtype, Shape, Offsets, Other };

    bool refuse(std::string text)
    {
        if (why.empty())
            why = std::move(text);
        return false;
    }

    std::string entryText() const { return fmt::format("tensor \"{}\" ", m_key); }

    /// A scalar value; allowed only where it is not used.
    bool scalar(const char *what)
    {
        if (m_where == Where::Skipped || (m_where == Where::Entry && m_field == Field::Other))
            return true;
        if (m_where == Where::Metadata)
            return refuse("__metadata__ holds something else than strings");
        if (m_where == Where::Outside)
            return refuse("its header is not a JSON object");
        return refuse(entryText() + "is described by " + what + " in a wrong place");
    }

    bool skipInto(const char *what)
    {
        if (m_where == Where::Skipped || (m_where == Where::Entry && m_field == Field::Other)) {
            m_where = Where::Skipped;
            return ++m_skipped <= kDeepestJson || refuse("its header is nested too deeply");
        }
        return scalar(what);
    }

    bool leaveSkipped()
    {
        if (--m_skipped == 0)
            m_where = Where::Entry;
        return true;
    }

    bool startField(const std::string &name)
    {
        RawEntry &entry = entries.back();
        bool *seen = nullptr;
        m_field = Field::Other;
        if (name == "dtype") {
            m_field = Field::Dtype;
            seen = &entry.hasDtype;
        } else if (name == "shape") {
            m_field = Field::Shape;
            m_numbers = &entry.shape;
            seen = &entry.hasShape;
        } else if (name == "data_offsets") {
            m_field = Field::Offsets;
            m_numbers = &entry.offsets;
            seen = &entry.hasOffsets;
        }
        if (seen && std::exchange(*seen, true))
            return refuse(fmt::format("tensor \"{}\" has \"{}\" twice", entry.name, name));
        return true;
    }

    bool isComplete(const RawEntry &entry)
    {
        if (!entry.hasDtype || !entry.hasShape || !entry.hasOffsets)
            return refuse(entryText() + "lacks dtype, shape or data_offsets");
        if (entry.offsets.size() != 2)
            return refuse(entryText() + "needs exactly two data_offsets");
        return true;
    }

    std::unordered_set<std::string> m_names;
    std::string m_key;
    std::vector<std::uint64_t> *m_numbers = nullptr;
    Where m_where = Where::Outside;
    Field m_field = Field::Other;
    bool m_isMetadata = false;
    int m_skipped = 0;
};

/// The checks that need the file's size; remembers the name errors speak of.
class Validator
{
public:
    explicit Validator(const std::string &file) : m_file(file) { }

    Error error(std::string_view kind, std::string_view what) const
    {
        return badInput(
            fmt::format("{} is not a valid safetensors file: {} [{}]. Copy or download it again.", m_file, what, kind));
    }

    Error entryError(std::string_view kind, const RawEntry &entry, std::string_view what) const
    {
        return error(kind, fmt::format("tensor \"{}\" {}", entry.name.substr(0, 200), what));
    }

    /// Bytes that dtype and shape need.
    Result<std::uint64_t> size(const RawEntry &entry, DType dtype) const
    {
        const auto overflow = [&] { return entryError("ValidationOverflow", entry, "is too large"); };
        std::uint64_t bits = 1;
        for (const std::uint64_t dim : entry.shape)
            if (__builtin_mul_overflow(bits, dim, &bits))
                return overflow();
        if (__builtin_mul_overflow(bits, static_cast<std::uint64_t>(bitsPerElement(dtype)), &bits))
            return overflow();
        if (bits % 8 != 0)
            return entryError("MisalignedSlice", entry, "does not end at a byte");
        return bits / 8;
    }

    Result<TensorEntry> check(const RawEntry &raw, std::uint64_t expectedBegin) const
    {
        const std::uint64_t begin = raw.offsets[0];
        const std::uint64_t end = raw.offsets[1];
        if (begin != expectedBegin || end < begin)
            return entryError(
                "InvalidOffset", raw,
                fmt::format("claims bytes {} to {}, but the data before it end at {}", begin, end, expectedBegin));
        const auto dtype = parseDType(raw.dtype);
        if (!dtype)
            return entryError("InvalidHeaderDeserialization", raw,
                              fmt::format("has the unknown dtype \"{}\"", raw.dtype.substr(0, 40)));
        const auto bytes = size(raw, *dtype);
        if (!bytes.isOk())
            return bytes.error();
        if (bytes.value() != end - begin)
            return entryError("TensorInvalidInfo", raw,
                              fmt::format("needs {} bytes but claims {}", bytes.value(), end - begin));
        TensorEntry entry;
        entry.name = raw.name;
        entry.dtype = *dtype;
        for (const std::uint64_t dim : raw.shape) {
            // Only beside a zero can a dimension be larger than the file without overflow above.
            if (dim > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / 8)
                return entryError("ValidationOverflow", raw, "is too large");
            entry.shape.push_back(static_cast<std::int64_t>(dim));
        }
        if (bytes.value() == 0)
            entry.strides.assign(entry.shape.size(), 1);
        else
            entry.strides = rowMajorStrides(entry.shape);
        entry.offset = begin;
        entry.bytes = end - begin;
        return entry;
    }

private:
    const std::string &m_file;
};

/// The header's.
Result<std::uint64_t> readLength(std::span<const std::byte> file, const Validator &validator)
{
    if (file.size() < 8)
        return validator.error("HeaderTooSmall", fmt::format("it has only {} bytes", file.size()));
    std::uint64_t length = 0;
    for (int i = 7; i >= 0; --i)
        length = length << 8 | std::to_integer<std::uint64_t>(file[static_cast<std::size_t>(i)]);
    if (length > kLargestHeader)
        return validator.error("HeaderTooLarge", fmt::format("it claims a header of {} bytes", length));
    if (length > file.size() - 8)
        return validator.error("InvalidHeaderLength",
                               fmt::format("it claims a header of {} bytes but has only {}", length, file.size() - 8));
    return length;
}

/// Bytes that nlohmann's parser lets pass and the format does not: a byte order mark, and NUL as an end of input.
bool startsAndEndsAsJson(std::string_view header)
{
    return !header.starts_with('\xEF') && header.find('\0') == std::string_view::npos;
}

} // namespace

Result<SafetensorsHeader> parseSafetensors(std::span<const std::byte> file, const std::string &name)
{
    const Validator validator(name);
    if (isLfsPointer({reinterpret_cast<const char *>(file.data()), file.size()}))
        return lfsPointerError(name);
    const auto read = readLength(file, validator);
    if (!read.isOk())
        return read.error();
    const std::uint64_t length = read.value();
    const std::string_view json(reinterpret_cast<const char *>(file.data()) + 8, length);
    if (const auto at = firstInvalidUtf8(json))
        return validator.error("InvalidHeader", fmt::format("byte {} of its header is not UTF-8", *at));
    HeaderHandler handler;
    if (!startsAndEndsAsJson(json) || !nlohmann::json::sax_parse(json, &handler))
        return validator.error("InvalidHeaderDeserialization",
                               handler.why.empty() ? "its header is not JSON" : handler.why.substr(0, 300));

    auto &raw = handler.entries;
    std::stable_sort(raw.begin(), raw.end(),
                     [](const RawEntry &a, const RawEntry &b) { return a.offsets < b.offsets; });
    SafetensorsHeader header;
    header.metadata = std::move(handler.metadata);
    std::uint64_t end = 0;
    for (const RawEntry &entry : raw) {
        auto checked = validator.check(entry, end);
        if (!checked.isOk())
            return checked.error();
        end = entry.offsets[1];
        checked.value().offset += 8 + length;
        header.tensors.push_back(std::move(checked).value());
    }
    if (end != file.size() - 8 - length)
        return validator.error(
            "MetadataIncompleteBuffer",
            fmt::format("its tensors need {} bytes of data but it has {}", end, file.size() - 8 - length));
    return header;
}

SafetensorsLayout layoutSafetensors(const std::vector<TensorEntry> &tensors,
                                    const std::map<std::string, std::string> &metadata)
{
    SafetensorsLayout layout;
    layout.order.resize(tensors.size());
    std::iota(layout.order.begin(), layout.order.end(), std::size_t{0});
    std::sort(layout.order.begin(), layout.order.end(), [&](std::size_t a, std::size_t b) {
        const int bitsA = bitsPerElement(tensors[a].dtype);
        const int bitsB = bitsPerElement(tensors[b].dtype);
        return bitsA != bitsB ? bitsA > bitsB : tensors[a].name < tensors[b].name;
    });
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    if (!metadata.empty())
        json["__metadata__"] = metadata;
    std::uint64_t begin = 0;
    for (const std::size_t index : layout.order) {
        const TensorEntry &tensor = tensors[index];
        std::uint64_t bytes = static_cast<std::uint64_t>(bitsPerElement(tensor.dtype)) / 8;
        for (const std::int64_t dim : tensor.shape)
            bytes *= static_cast<std::uint64_t>(dim);
        json[tensor.name]
            = {{"dtype", dtypeName(tensor.dtype)}, {"shape", tensor.shape}, {"data_offsets", {begin, begin + bytes}}};
        begin += bytes;
    }
    std::string text = json.dump();
    text.append((8 - text.size() % 8) % 8, ' ');
    for (int i = 0; i < 8; ++i)
        layout.header += static_cast<char>(static_cast<std::uint64_t>(text.size()) >> (8 * i));
    layout.header += text;
    return layout;
}

} // namespace headscope
