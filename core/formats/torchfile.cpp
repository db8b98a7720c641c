#include "core/formats/torchfile.h"

#include "core/formats/bytereader.h"
#include "core/formats/lfspointer.h"
#include "core/formats/picklemachine.h"
#include "core/formats/utf8.h"
#include "core/formats/zipreader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <unordered_map>

namespace headscope {
namespace {

using Kind = PickleValue::Kind;

constexpr std::uint64_t kLargestPickle = std::uint64_t{256} << 20;
constexpr std::size_t kMostSettings = 100'000;
constexpr std::string_view kMagic("\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19", 10);

/// Where the bytes of storages lie.
struct Record
{
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};
using Records = std::unordered_map<std::string, Record>;

const PickleValue *lookUp(const PickleValue &dict, std::string_view key)
{
    if (dict.kind == Kind::Dict || dict.kind == Kind::Object)
        for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2)
            if (dict.items[i]->kind == Kind::Text && dict.items[i]->text == key)
                return dict.items[i + 1];
    return nullptr;
}

nlohmann::json plainData(const PickleValue &value, int depth, std::size_t &room);

/// Entries whose keys are texts.
nlohmann::json plainEntries(const PickleValue &dict, int depth, std::size_t &room)
{
    auto object = nlohmann::json::object();
    for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
        const PickleValue &key = *dict.items[i];
        if (key.kind == Kind::Text && !firstInvalidUtf8(key.text))
            object[std::string(key.text)] = plainData(*dict.items[i + 1], depth, room);
    }
    return object;
}

/// Plain data of a pickle; null for what is none. Objects may contain themselves: `room` counts what is still taken.
nlohmann::json plainData(const PickleValue &value, int depth, std::size_t &room)
{
    constexpr int kDeepest = 12;
    if (depth > kDeepest || room == 0)
        return nullptr;
    --room;
    switch (value.kind) {
    case Kind::Bool:
        return value.integer != 0;
    case Kind::Integer:
        return value.integer;
    case Kind::Float:
        return value.number;
    case Kind::Text:
        return firstInvalidUtf8(value.text) ? nlohmann::json() : nlohmann::json(std::string(value.text));
    case Kind::Tuple:
    case Kind::List: {
        auto list = nlohmann::json::array();
        for (const PickleValue *item : value.items)
            list.push_back(plainData(*item, depth + 1, room));
        return list;
    }
    case Kind::Object:
        // omegaconf's: a dictionary, and a value in each of its entries.
        for (const char *inner : {"_content", "_val"}) {
            if (const PickleValue *content = lookUp(value, inner))
                return plainData(*content, depth + 1, room);
        }
        [[fallthrough]];
    case Kind::Dict:
        return plainEntries(value, depth + 1, room);
    default:
        return nullptr;
    }
}

bool holdsTensors(const PickleValue &value)
{
    if (value.kind != Kind::Dict)
        return false;
    for (std::size_t i = 0; i + 1 < value.items.size(); i += 2)
        if (value.items[i]->kind == Kind::Text && value.items[i + 1]->kind == Kind::Tensor)
            return true;
    return false;
}

const PickleValue *findStateDict(const PickleValue &top)
{
    if (holdsTensors(top))
        return &top;
    for (const char *key : {"state_dict", "model", "module", "model_state_dict"})
        if (const PickleValue *inner = lookUp(top, key); inner && holdsTensors(*inner))
            return inner;
    return nullptr;
}

class TorchFileReader
{
public:
    TorchFileReader(std::span<const std::byte> file, const std::string &name)
        : m_file(file), m_name(name), m_machine(name)
    {
    }

    Result<TorchFile> readZipForm()
    {
        const auto entries = readZip(m_file, m_name);
        if (!entries.isOk())
            return entries.error();
        const ZipEntry *pickle = nullptr;
        for (const ZipEntry &entry : entries.value())
            if (entry.name.ends_with("/data.pkl")) {
                if (pickle)
                    return refuse("it holds two pickles");
                pickle = &entry;
            }
        if (!pickle)
            return refuse("it is a zip file without data.pkl");
        if (pickle->size > kLargestPickle)
            return refuse("its pickle is too large");
        const std::string stem = pickle->name.substr(0, pickle->name.size() - std::string_view("data.pkl").size());
        Records records;
        for (const ZipEntry &entry : entries.value()) {
            if (entry.name.starts_with(stem + "data/"))
                records[entry.name.substr(stem.size() + 5)] = {entry.offset, entry.size};
            if (entry.name == stem + "byteorder")
                m_bigEndian = ByteReader(m_file, entry.offset).text(entry.size) == "big";
        }
        ByteReader reader(m_file.subspan(pickle->offset, pickle->size));
        const auto top = m_machine.run(reader);
        if (!top.isOk())
            return top.error();
        return collect(*top.value(), records);
    }

    Result<TorchFile> readLegacyForm()
    {
        ByteReader reader(m_file);
        const auto magic = m_machine.run(reader);
        if (!magic.isOk())
            return magic.error();
        if (magic.value()->kind != Kind::BigInteger || magic.value()->text != kMagic)
            return refuse("it does not begin as torch.save writes it");
        const auto protocol = m_machine.run(reader);
        if (!protocol.isOk())
            return protocol.error();
        if (protocol.value()->kind != Kind::Integer || protocol.value()->integer != 1001)
            return refuse("it is of an unknown version");
        const auto facts = m_machine.run(reader);
        if (!facts.isOk())
            return facts.error();
        const PickleValue *little = lookUp(*facts.value(), "little_endian");
        m_bigEndian = little && little->kind == Kind::Bool && little->integer == 0;
        const auto top = m_machine.run(reader);
        if (!top.isOk())
            return top.error();
        const auto keys = m_machine.run(reader);
        if (!keys.isOk())
            return keys.error();
        // The stream of raw data does not repeat the element types.
        for (const PickleStorage *storage : m_machine.storages())
            m_storages.emplace(storage->key, *storage);
        const auto records = readStorages(*keys.value(), reader);
        if (!records.isOk())
            return records.error();
        return collect(*top.value(), records.value());
    }

private:
    Error refuse(std::string_view what) const
    {
        return badInput(fmt::format("{} is not a checkpoint that can be read: {}", m_name, what));
    }

    /// Per key, an element count and the elements.
    Result<Records> readStorages(const PickleValue &keys, ByteReader &reader) const
    {
        if (keys.kind != Kind::List)
            return refuse("its list of storages is missing");
        Records records;
        for (const PickleValue *key : keys.items) {
            if (key->kind != Kind::Text)
                return refuse("its list of storages is damaged");
            auto count = reader.number(8);
            if (!count)
                return refuse("it is truncated");
            if (m_bigEndian)
                count = __builtin_bswap64(*count);
            const auto storage = m_storages.find(key->text);
            // A tensor of a type or in a place unknown to us: what follows it cannot be found either.
            if (storage == m_storages.end())
                return refuse(fmt::format("the type of its storage \"{}\" is unknown", key->text.substr(0, 40)));
            if (*count != storage->second.elements)
                return refuse(fmt::format("its storage \"{}\" has {} elements instead of {}", key->text.substr(0, 40),
                                          *count, storage->second.elements));
            const auto item = static_cast<std::uint64_t>(bitsPerElement(storage->second.dtype)) / 8;
            std::uint64_t bytes = 0;
            const std::size_t offset = reader.position();
            if (__builtin_mul_overflow(*count, item, &bytes) || !reader.skip(bytes))
                return refuse("it is truncated");
            if (!records.emplace(std::string(key->text), Record{offset, bytes}).second)
                return refuse("it has a storage twice");
        }
        return records;
    }

    Result<TensorEntry> locate(const std::string &tensorName, const PickleTensor &tensor, const Records &records) const
    {
        const auto found = records.find(std::string(tensor.storage.key));
        if (found == records.end())
            return refuse(fmt::format("the data of \"{}\" are missing", tensorName));
        const auto item = static_cast<std::uint64_t>(bitsPerElement(tensor.storage.dtype)) / 8;
        std::uint64_t expected = 0;
        if (__builtin_mul_overflow(tensor.storage.elements, item, &expected) || expected != found->second.size)
            return refuse(fmt::format("the data of \"{}\" have {} bytes instead of {}", tensorName, found->second.size,
                                      expected));
        TensorEntry entry;
        entry.name = tensorName;
        entry.dtype = tensor.storage.dtype;
        entry.shape = tensor.shape;
        entry.strides = tensor.strides;
        entry.offset = found->second.offset + tensor.offset * item;
        std::uint64_t elements = 1;
        for (std::size_t i = 0; i < tensor.shape.size() && elements > 0; ++i)
            elements = tensor.shape[i] == 0
                         ? 0
                         : elements + static_cast<std::uint64_t>((tensor.shape[i] - 1) * tensor.strides[i]);
        entry.bytes = elements * item;
        entry.bigEndian = m_bigEndian && item > 1;
        return entry;
    }

    Result<TorchFile> collect(const PickleValue &top, const Records &records) const
    {
        TorchFile result;
        if (!m_machine.codeGlobals().empty())
            result.warnings.push_back(fmt::format(
                "{} contains code that Python would run on loading ({}). It was not run here; do not open this "
                "file with Python.",
                m_name, fmt::join(m_machine.codeGlobals(), ", ")));
        const PickleValue *dict = findStateDict(top);
        if (!dict)
            return refuse("it holds no dictionary of tensors");
        std::size_t room = kMostSettings;
        for (const char *key : {"args", "cfg"}) {
            if (const PickleValue *value = lookUp(top, key); value && value->kind != Kind::None)
                result.settings[key] = plainData(*value, 0, room);
        }
        std::map<std::string, const PickleTensor *> found;
        for (std::size_t i = 0; i + 1 < dict->items.size(); i += 2) {
            const PickleValue &key = *dict->items[i];
            const PickleValue &value = *dict->items[i + 1];
            if (key.kind != Kind::Text)
                continue;
            if (firstInvalidUtf8(key.text))
                return refuse("the name of a tensor is not UTF-8");
            if (value.kind == Kind::Tensor)
                found[std::string(key.text)] = value.tensor.get(); // as Python: the last one counts
            else
                result.skipped.emplace_back(key.text);
        }
        for (const auto &[tensorName, tensor] : found) {
            auto entry = locate(tensorName, *tensor, records);
            if (!entry.isOk())
                return entry.error();
            result.tensors.push_back(std::move(entry).value());
        }
        return result;
    }

    std::span<const std::byte> m_file;
    const std::string &m_name;
    PickleMachine m_machine;
    std::unordered_map<std::string_view, PickleStorage> m_storages;
    bool m_bigEndian = false;
};

} // namespace

Result<TorchFile> parseTorchFile(std::span<const std::byte> file, const std::string &name)
{
    const std::string_view text(reinterpret_cast<const char *>(file.data()), file.size());
    if (text.starts_with("PK\3\4"))
        return TorchFileReader(file, name).readZipForm();
    if (text.starts_with('\x80'))
        return TorchFileReader(file, name).readLegacyForm();
    if (text.size() > 262 && text.substr(257, 5) == "ustar")
        return badInput(name
                        + " is in the tar form of PyTorch 0.1, which is not read; load it in Python and save "
                          "it again");
    if (isLfsPointer(text))
        return lfsPointerError(name);
    return badInput(name + " is not a PyTorch checkpoint: it is neither a zip file nor a pickle");
}

} // namespace headscope
