#include "core/formats/gguf.h"

#include "core/formats/bytereader.h"
#include "core/formats/folderfiles.h"
#include "core/formats/lfspointer.h"
#include "core/formats/mappedfile.h"
#include "core/formats/utf8.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <system_error>
#include <unordered_set>
#include <utility>

namespace headscope {
namespace {

constexpr GgufBlock kBlocks[] = {
    {GgufType::F32, "F32", 1, 4},       {GgufType::F16, "F16", 1, 2},       {GgufType::Q4_0, "Q4_0", 32, 18},
    {GgufType::Q4_1, "Q4_1", 32, 20},   {GgufType::Q5_0, "Q5_0", 32, 22},   {GgufType::Q5_1, "Q5_1", 32, 24},
    {GgufType::Q8_0, "Q8_0", 32, 34},   {GgufType::Q2_K, "Q2_K", 256, 84},  {GgufType::Q3_K, "Q3_K", 256, 110},
    {GgufType::Q4_K, "Q4_K", 256, 144}, {GgufType::Q5_K, "Q5_K", 256, 176}, {GgufType::Q6_K, "Q6_K", 256, 210},
    {GgufType::BF16, "BF16", 1, 2},
};

/// Types that are not read.
constexpr std::pair<std::uint32_t, std::string_view> kOthers[]
    = {{9, "Q8_1"},   {15, "Q8_K"},  {16, "IQ2_XXS"}, {17, "IQ2_XS"}, {18, "IQ3_XXS"}, {19, "IQ1_S"}, {20, "IQ4_NL"},
       {21, "IQ3_S"}, {22, "IQ2_S"}, {23, "IQ4_XS"},  {24, "I8"},     {25, "I16"},     {26, "I32"},   {27, "I64"},
       {28, "F64"},   {29, "IQ1_M"}, {34, "TQ1_0"},   {35, "TQ2_0"},  {39, "MXFP4"},   {40, "NVFP4"}};

/// More than any vocabulary has: in memory a value takes up to sixteen times its bytes in the file.
constexpr std::uint64_t kLongestList = 1 << 23;

enum ValueType : std::uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, Text, List, U64, I64, F64 };
constexpr std::size_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 8, 0, 8, 8, 8}; ///< of a value at least, by its type

class Parser
{
public:
    Parser(std::span<const std::byte> bytes, const std::string &file)
        : m_bytes(bytes), m_reader(bytes), m_file(file) { }

    Result<GgufFile> parse()
    {
        const auto begun = readBeginning();
        if (!begun.isOk())
            return begun.error();
        for (std::uint64_t i = 0; i < m_values; ++i) {
            const auto read = readValue();
            if (!read.isOk())
                return read.error();
        }
        if (const nlohmann::json &parts = m_read.value("split.count"); parts.is_number() && parts > 1)
            return badInput(fmt::format("{} is a part of a model in {} files, which are not read one by one; join them "
                                        "(llama-gguf-split --merge) first.",
                                        m_file, parts.dump()));
        for (std::uint64_t i = 0; i < m_tensors; ++i) {
            const auto read = readTensor();
            if (!read.isOk())
                return read.error();
        }
        const auto placed = placeTensors();
        if (!placed.isOk())
            return placed.error();
        return std::move(m_read);
    }

private:
    Error damaged(const std::string &what) const
    {
        return badInput(fmt::format("{} is not a valid GGUF file: {}. Copy or download it again.", m_file, what));
    }
    Error ends() const { return damaged("it ends too early"); }

    Result<Done> readBeginning()
    {
        constexpr std::size_t kLeastValue = 8 + 4 + 1, kLeastTensor = 8 + 4 + 4 + 8;
        const auto magic = m_reader.text(4);
        const auto version = m_reader.number(4), tensors = m_reader.number(8), values = m_reader.number(8);
        if (magic != "GGUF")
            return damaged("it does not begin with GGUF");
        if (!version || !tensors || !values)
            return ends();
        if (*version != 2 && *version != 3)
            return badInput(fmt::format("{} has version {} of GGUF, or is of a big-endian machine; versions 2 and 3 of "
                                        "others are read. Convert the model with a newer llama.cpp.",
                                        m_file, *version));
        if (*values > m_reader.left() / kLeastValue || *tensors > m_reader.left() / kLeastTensor)
            return damaged(fmt::format("it claims {} values and {} tensors", *values, *tensors));
        m_values = *values;
        m_tensors = *tensors;
        return Done{};
    }

    Result<std::string> readText()
    {
        const auto size = m_reader.number(8);
        const auto text = size ? m_reader.text(*size) : std::nullopt;
        if (!text)
            return ends();
        if (firstInvalidUtf8(*text))
            return damaged(fmt::format("the text that ends at byte {} is not UTF-8", m_reader.position()));
        return std::string(*text);
    }

    Result<Done> readValue()
    {
        auto key = readText();
        if (!key.isOk())
            return key.error();
        const auto type = m_reader.number(4);
        if (!type)
            return ends();
        auto value = *type == List ? readList() : readOne(static_cast<std::uint32_t>(*type));
        if (!value.isOk())
            return value.error();
        if (m_read.metadata.contains(key.value()))
            return damaged(fmt::format("it has \"{}\" twice", key.value().substr(0, 100)));
        m_read.metadata[std::move(key).value()] = std::move(value).value();
        return Done{};
    }

    Result<nlohmann::json> readList()
    {
        const auto type = m_reader.number(4), count = m_reader.number(8);
        if (!type || !count)
            return ends();
        if (*type >= std::size(kSizes) || *type == List)
            return damaged(fmt::format("it has a list of values of the unknown type {}", *type));
        if (*count > kLongestList || *count > m_reader.left() / kSizes[*type])
            return damaged(fmt::format("it claims a list of {} values", *count));
        nlohmann::json list = nlohmann::json::array();
        for (std::uint64_t i = 0; i < *count; ++i) {
            auto value = readOne(static_cast<std::uint32_t>(*type));
            if (!value.isOk())
                return value;
            list.push_back(std::move(value).value());
        }
        return list;
    }

    Result<nlohmann::json> readOne(std::uint32_t type)
    {
        if (type == Text) {
            auto text = readText();
            return text.isOk() ? Result<nlohmann::json>(std::move(text).value()) : text.error();
        }
        if (type >= std::size(kSizes) || type == List)
            return damaged(fmt::format("it has a value of the unknown type {}", type));
        const auto bits = m_reader.number(kSizes[type]);
        if (!bits)
            return ends();
        switch (type) {
        case I8:
            return nlohmann::json(static_cast<std::int8_t>(*bits));
        case I16:
            return nlohmann::json(static_cast<std::int16_t>(*bits));
        case I32:
            return nlohmann::json(static_cast<std::int32_t>(*bits));
        case I64:
            return nlohmann::json(static_cast<std::int64_t>(*bits));
        case F32:
            return nlohmann::json(std::bit_cast<float>(static_cast<std::uint32_t>(*bits)));
        case F64:
            return nlohmann::json(std::bit_cast<double>(*bits));
        case Bool:
            return nlohmann::json(*bits != 0);
        default:
            return nlohmann::json(*bits);
        }
    }

    Result<Done> readTensor()
    {
        auto name = readText();
        if (!name.isOk())
            return name.error();
        GgufTensor tensor{std::move(name).value(), {}, {}, 0, 0};
        const std::string what = fmt::format("tensor \"{}\"", tensor.name.substr(0, 200));
        const auto dimensions = m_reader.number(4);
        if (!dimensions)
            return ends();
        if (*dimensions < 1 || *dimensions > 4)
            return damaged(fmt::format("{} has {} dimensions", what, *dimensions));
        for (std::uint64_t i = 0; i < *dimensions; ++i) {
            const auto size = m_reader.number(8);
            if (!size)
                return ends();
            if (*size == 0 || *size > std::uint64_t{1} << 40)
                return damaged(fmt::format("{} has the size {}", what, *size));
            tensor.shape.insert(tensor.shape.begin(), static_cast<std::int64_t>(*size));
        }
        const auto type = m_reader.number(4), offset = m_reader.number(8);
        if (!type || !offset)
            return ends();
        const auto *block = std::ranges::find(kBlocks, static_cast<GgufType>(*type), &GgufBlock::type);
        if (block == std::end(kBlocks))
            return otherType(what, static_cast<std::uint32_t>(*type));
        tensor.type = block->type;
        tensor.offset = *offset;
        const auto bytes = bytesOf(tensor, *block);
        if (!bytes)
            return damaged(fmt::format("{} is too large, or its rows are no blocks of {}", what, block->name));
        tensor.bytes = *bytes;
        if (!m_names.insert(tensor.name).second)
            return damaged(fmt::format("it has {} twice", what));
        m_read.tensors.push_back(std::move(tensor));
        return Done{};
    }

    Error otherType(const std::string &what, std::uint32_t type) const
    {
        std::vector<std::string_view> read;
        std::ranges::transform(kBlocks, std::back_inserter(read), &GgufBlock::name);
        const auto *other = std::ranges::find(kOthers, type, &std::pair<std::uint32_t, std::string_view>::first);
        return badInput(
            fmt::format("{}: {} is of the type {}, which Headscope does not read (it reads {}). Take another "
                        "quantisation of the model.",
                        m_file, what, other != std::end(kOthers) ? std::string(other->second) : std::to_string(type),
                        fmt::join(read, ", ")));
    }

    static std::optional<std::uint64_t> bytesOf(const GgufTensor &tensor, const GgufBlock &block)
    {
        if (tensor.shape.back() % block.numbers != 0)
            return std::nullopt;
        std::uint64_t bytes = static_cast<std::uint64_t>(tensor.shape.back() / block.numbers * block.bytes);
        for (std::size_t i = 0; i + 1 < tensor.shape.size(); ++i) {
            if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(tensor.shape[i]), &bytes))
                return std::nullopt;
        }
        return bytes;
    }

    /// Offsets are from where data begin: behind the directory, at a multiple of the alignment.
    Result<Done> placeTensors()
    {
        const nlohmann::json &said = m_read.value("general.alignment");
        const bool isKnown = said.is_number_unsigned() && said > 0 && said <= (1 << 20);
        if (!said.is_null() && !isKnown)
            return damaged(fmt::format("\"general.alignment\" is {}", said.dump().substr(0, 40)));
        const std::uint64_t alignment = isKnown ? said.get<std::uint64_t>() : 32;
        const std::uint64_t begin = (m_reader.position() + alignment - 1) / alignment * alignment;
        for (GgufTensor &tensor : m_read.tensors) {
            const std::uint64_t data = begin < m_bytes.size() ? m_bytes.size() - begin : 0;
            if (tensor.offset % alignment != 0 || tensor.offset > data || tensor.bytes > data - tensor.offset)
                return damaged(fmt::format("tensor \"{}\" lies at byte {} with {} bytes, and there are {}",
                                           tensor.name.substr(0, 200), tensor.offset, tensor.bytes, data));
            tensor.offset += begin;
        }
        return Done{};
    }

    std::span<const std::byte> m_bytes;
    ByteReader m_reader;
    const std::string &m_file;
    std::uint64_t m_values = 0;
    std::uint64_t m_tensors = 0;
    std::unordered_set<std::string> m_names;
    GgufFile m_read;
};

} // namespace

const GgufBlock &blockOf(GgufType type)
{
    return *std::ranges::find(kBlocks, type, &GgufBlock::type);
}

const GgufTensor *GgufFile::find(std::string_view name) const
{
    const auto found = std::ranges::find(tensors, name, &GgufTensor::name);
    return found == tensors.end() ? nullptr : &*found;
}

const nlohmann::json &GgufFile::value(const std::string &key) const
{
    static const nlohmann::json kNothing;
    const auto found = metadata.find(key);
    return found == metadata.end() ? kNothing : *found;
}

Result<GgufFile> parseGguf(std::span<const std::byte> file, const std::string &name)
{
    if (isLfsPointer({reinterpret_cast<const char *>(file.data()), file.size()}))
        return lfsPointerError(name);
    return Parser(file, name).parse();
}

Result<GgufFile> readGguf(const std::filesystem::path &path)
{
    const auto mapped = MappedFile::open(path);
    if (!mapped.isOk())
        return mapped.error();
    auto parsed = parseGguf(mapped.value()->bytes(), path.string());
    if (!mapped.value()->isIntact())
        return badInput(path.string() + " became shorter while it was read; open the model again");
    return parsed;
}

Result<std::optional<std::filesystem::path>> ggufOf(const std::filesystem::path &model)
{
    using Found = std::optional<std::filesystem::path>;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(model, ignored))
        return model.extension() == kGgufEnding ? Found(model) : Found();
    const auto isOther = [](std::string_view name) {
        return name.ends_with(".safetensors") || name.ends_with(".bin") || name.ends_with(".pt")
            || name.ends_with(".npz");
    };
    const auto files = filesThat(model, [&](std::string_view name) { return name.ends_with(kGgufEnding); });
    if (files.empty() || !filesThat(model, isOther).empty())
        return Found();
    if (files.size() > 1)
        return badInput(fmt::format("{} has several models in GGUF ({}); open one of these files.", model.string(),
                                    fmt::join(files, ", ")));
    return Found(model / files.front());
}

} // namespace headscope
