#include "core/io/checkpoint.h"

#include "core/base/phases.h"
#include "core/formats/fairseqfolder.h"
#include "core/formats/folderfiles.h"
#include "core/formats/gguf.h"
#include "core/formats/hash.h"
#include "core/formats/jsonfile.h"
#include "core/formats/marianfolder.h"
#include "core/formats/npzfile.h"
#include "core/formats/safetensors.h"
#include "core/formats/torchfile.h"
#include "core/io/adapter.h"
#include "core/io/fairseqnames.h"
#include "core/io/ggufnames.h"
#include "core/io/mariannames.h"
#include "core/io/quantised.h"
#include "core/io/torchdtype.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace headscope {
namespace {

constexpr const char *kFiles[]
    = {"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json"};

Error noWeights(const std::filesystem::path &folder)
{
    std::string other;
    for (const char *name : {"tf_model.h5", "flax_model.msgpack", "model.npz", "model.pt"})
        if (std::filesystem::exists(folder / name))
            other = fmt::format(" It has {}, which is not read; convert it to safetensors.", name);
    return badInput(fmt::format("{} has no weights: expected model.safetensors, pytorch_model.bin or the .index.json "
                                "of one of them.{}",
                                folder.string(), other));
}

/// Drops "module." from all names, when all have it, and "_orig_mod." wherever torch.compile() wrapped a module.
std::string withoutWrapper(std::string name, bool wrapped)
{
    constexpr std::string_view kCompiled = "_orig_mod.";
    for (std::size_t at = name.find(kCompiled); at != std::string::npos; at = name.find(kCompiled, at)) {
        if (at == 0 || name[at - 1] == '.')
            name.erase(at, kCompiled.size());
        else
            ++at;
    }
    return wrapped ? name.substr(std::string_view("module.").size()) : name;
}

/// TensorFlow's spelling of layer normalisation.
std::string modernName(const std::string &name)
{
    const std::size_t dot = name.rfind('.');
    const std::string last = dot == std::string::npos ? std::string() : name.substr(dot + 1);
    if (last == "gamma")
        return name.substr(0, dot) + ".weight";
    if (last == "beta")
        return name.substr(0, dot) + ".bias";
    return name;
}

void swapBytes(std::byte *data, std::size_t size, std::size_t item)
{
    for (std::size_t at = 0; at + item <= size; at += item)
        std::reverse(data + at, data + at + item);
}

} // namespace

Result<std::filesystem::path> Checkpoint::weightsIn(const std::filesystem::path &folder)
{
    std::error_code ignored;
    const auto gguf = ggufOf(folder);
    if (!gguf.isOk())
        return gguf.error();
    if (gguf.value())
        return *gguf.value();
    const auto file = std::find_if(std::begin(kFiles), std::end(kFiles),
                                   [&](const char *name) { return std::filesystem::exists(folder / name, ignored); });
    if (file != std::end(kFiles))
        return folder / *file;
    if (isFairseqFolder(folder))
        return fairseqCheckpoint(folder);
    return isMarianFolder(folder) ? marianCheckpoint(folder) : Result<std::filesystem::path>(noWeights(folder));
}

Result<Checkpoint> Checkpoint::open(const std::filesystem::path &given)
{
    std::error_code ignored;
    if (!std::filesystem::is_directory(given, ignored) && given.extension() != kGgufEnding)
        return badInput(given.string() + " is not a folder; give the folder of a model");
    const auto base = folderOfModel(given);
    if (!base.isOk())
        return base.error();
    const auto path = weightsIn(base.value());
    if (!path.isOk())
        return path.error();
    Checkpoint checkpoint;
    auto added
        = path.value().extension() == ".json" ? checkpoint.addShards(path.value()) : checkpoint.addFile(path.value());
    if (added.isOk())
        added = checkpoint.normaliseNames();
    if (added.isOk())
        added = checkpoint.findPacked(base.value());
    if (added.isOk() && hasAdapter(given))
        added = checkpoint.mergeAdapter(given);
    if (!added.isOk())
        return added.error();
    return checkpoint;
}

Result<Checkpoint> Checkpoint::openFile(const std::filesystem::path &path)
{
    Checkpoint checkpoint;
    const auto added = checkpoint.addFile(path);
    if (!added.isOk())
        return added.error();
    return checkpoint;
}

Result<Done> Checkpoint::addFile(const std::filesystem::path &path)
{
    auto mapped = MappedFile::open(path);
    if (!mapped.isOk())
        return mapped.error();
    const std::shared_ptr<MappedFile> &file = mapped.value();
    std::shared_ptr<std::vector<std::byte>> unpacked;
    auto entries = readEntries(*file, unpacked);
    if (!entries.isOk())
        return entries.error();
    if (!file->isIntact())
        return badInput(path.string() + " became shorter while it was read; open the model again");
    for (TensorEntry &entry : entries.value()) {
        const std::string name = entry.name;
        if (!m_tensors.emplace(name, Stored{std::move(entry), file, unpacked}).second)
            return badInput(fmt::format("{}: tensor \"{}\" is in two files of the checkpoint", path.string(), name));
    }
    m_files.push_back(path);
    m_maps.push_back(file);
    return Done{};
}

Result<std::vector<TensorEntry>> Checkpoint::readEntries(const MappedFile &file,
                                                         std::shared_ptr<std::vector<std::byte>> &unpacked)
{
    const std::filesystem::path &path = file.path();
    if (path.extension() == ".safetensors") {
        auto header = parseSafetensors(file.bytes(), path.string());
        if (!header.isOk())
            return header.error();
        m_metadata.merge(header.value().metadata);
        return std::move(header.value().tensors);
    }
    if (path.extension() == kGgufEnding) {
        const auto parsed = parseGguf(file.bytes(), path.string());
        auto tensors = parsed.isOk() ? ggufTensors(parsed.value(), path.string()) : parsed.error();
        if (!tensors.isOk())
            return tensors.error();
        m_packed = std::move(tensors.value().packed);
        return std::move(tensors.value().entries);
    }
    if (path.extension() == ".npz") {
        auto parsed = parseNpz(file.bytes(), path.string());
        if (!parsed.isOk())
            return parsed.error();
        std::vector<TensorEntry> entries = std::move(parsed.value().tensors);
        unpacked = std::move(parsed.value().unpacked);
        takeMarianConfig(entries, unpacked ? std::span<const std::byte>(*unpacked) : file.bytes());
        return m_metadata.contains(kMarianConfig) ? withMarianNames(std::move(entries)) : std::move(entries);
    }
    auto parsed = parseTorchFile(file.bytes(), path.string());
    if (!parsed.isOk())
        return parsed.error();
    m_skipped.insert(parsed.value().skipped.begin(), parsed.value().skipped.end());
    m_warnings.insert(m_warnings.end(), parsed.value().warnings.begin(), parsed.value().warnings.end());
    std::vector<TensorEntry> entries = std::move(parsed.value().tensors);
    return parsed.value().settings.empty() ? std::move(entries) : withFairseqNames(std::move(entries));
}

/// Takes the text with which Marian says what a model is out of its arrays: bytes that end in a zero.
void Checkpoint::takeMarianConfig(std::vector<TensorEntry> &entries, std::span<const std::byte> bytes)
{
    std::erase_if(entries, [&](const TensorEntry &entry) {
        if (entry.name != kMarianConfig || bitsPerElement(entry.dtype) != 8)
            return false;
        std::string text(reinterpret_cast<const char *>(bytes.data()) + entry.offset,
                         static_cast<std::size_t>(entry.bytes));
        while (text.ends_with('\0'))
            text.pop_back();
        m_metadata[kMarianConfig] = std::move(text);
        return true;
    });
}

Result<Done> Checkpoint::addShards(const std::filesystem::path &index)
{
    const auto json = readJsonFile(index);
    if (!json.isOk())
        return json.error();
    const auto map = json.value().is_object() ? json.value().find("weight_map") : json.value().end();
    if (map == json.value().end() || !map->is_object() || map->empty())
        return badInput(index.string() + " has no \"weight_map\" from tensors to files");
    std::map<std::string, std::string> weights;
    std::set<std::string> shards;
    for (const auto &[name, file] : map->items()) {
        if (!file.is_string() || !isPlainFileName(file.get<std::string>()))
            return badInput(fmt::format("{}: the file of tensor \"{}\" must be a plain file name in the same folder",
                                        index.string(), name));
        shards.insert(weights[name] = file.get<std::string>());
    }
    for (const std::string &shard : shards) {
        const std::filesystem::path path = index.parent_path() / shard;
        std::error_code ignored;
        if (!std::filesystem::exists(path, ignored))
            return badInput(fmt::format("{} names {}, which is missing; download it too", index.string(), shard));
        auto added = addFile(path);
        if (!added.isOk())
            return added;
    }
    return checkShards(index, weights);
}

Result<Done> Checkpoint::checkShards(const std::filesystem::path &index,
                                     const std::map<std::string, std::string> &weights)
{
    for (const auto &[name, shard] : weights) {
        const auto found = m_tensors.find(name);
        if (found == m_tensors.end() ? !m_skipped.contains(name) : found->second.file->path().filename() != shard)
            return badInput(
                fmt::format("{} says that tensor \"{}\" is in {}, but it is not there", index.string(), name, shard));
    }
    for (const auto &[name, stored] : m_tensors)
        if (!weights.contains(name))
            m_warnings.push_back(
                fmt::format("{}: tensor \"{}\" is not in the index", stored.file->path().string(), name));
    return Done{};
}

Result<Done> Checkpoint::normaliseNames()
{
    const bool wrapped = !m_tensors.empty() && std::all_of(m_tensors.begin(), m_tensors.end(), [](const auto &item) {
        return withoutWrapper(item.first, false).starts_with("module.");
    });
    std::map<std::string, Stored> renamed;
    for (auto &[name, stored] : m_tensors) {
        const std::string modern = modernName(withoutWrapper(name, wrapped));
        if (!renamed.emplace(modern, std::move(stored)).second)
            return badInput(
                fmt::format("{} has tensor \"{}\" under an old and a new name", m_files.front().string(), modern));
    }
    m_tensors = std::move(renamed);
    return Done{};
}

Result<Done> Checkpoint::findPacked(const std::filesystem::path &folder)
{
    const auto quantisation = readQuantisation(folder);
    if (!quantisation.isOk())
        return quantisation.error();
    auto packed = packedTensors(quantisation.value(), *this);
    if (!packed.isOk())
        return packed.error();
    m_packed.merge(packed.value());
    if (const std::string formats = formatsOf(m_packed); !formats.empty())
        m_warnings.push_back(
            fmt::format("The weights are dequantised ({}). All numbers are of the dequantised weights; "
                        "programs that compute with packed ones round otherwise.",
                        formats));
    return Done{};
}

Result<Done> Checkpoint::mergeAdapter(const std::filesystem::path &folder)
{
    auto merged = mergedTensors(folder, *this);
    if (!merged.isOk())
        return merged.error();
    m_merged = std::move(merged).value();
    for (const std::filesystem::path &path : filesOfAdapter(folder)) { // for the hash
        auto mapped = MappedFile::open(path);
        if (!mapped.isOk())
            return mapped.error();
        m_files.push_back(path);
        m_maps.push_back(mapped.value());
    }
    m_warnings.push_back(fmt::format("The adapter in {} is merged into {} of its base model's tensors.",
                                     folder.string(), m_merged.size()));
    return Done{};
}

std::vector<std::string> Checkpoint::filesOwn(const std::string &name) const
{
    const auto packed = m_packed.find(name);
    return packed != m_packed.end() ? packed->second.parts : std::vector{name};
}

Result<torch::Tensor> Checkpoint::slice(const std::string &name, std::int64_t index) const
{
    if (const auto packed = m_packed.find(name); packed != m_packed.end() && packed->second.isStack)
        return widened(packed->second, index);
    auto whole = tensor(name);
    return whole.isOk() ? Result<torch::Tensor>(whole.value().select(0, index)) : whole;
}

Result<torch::Tensor> Checkpoint::widened(const PackedTensor &packed, std::optional<std::int64_t> slice) const
{
    std::vector<torch::Tensor> parts;
    for (const std::string &part : packed.parts) {
        auto tensor = stored(part);
        if (!tensor.isOk())
            return tensor;
        parts.push_back(slice ? tensor.value().select(0, *slice) : tensor.value());
    }
    return packed.widened(parts);
}

std::vector<std::string> Checkpoint::names() const
{
    std::vector<std::string> result;
    for (const auto &[name, stored] : m_tensors)
        result.push_back(name);
    return result;
}

std::vector<std::string> Checkpoint::unpackedNames() const
{
    std::set<std::string> parts, unpacked;
    for (const auto &[name, packed] : m_packed) {
        if (packed.isStack)
            continue;
        parts.insert(packed.parts.begin(), packed.parts.end());
        unpacked.insert(name);
    }
    for (const auto &[name, stored] : m_tensors) {
        if (!parts.contains(name))
            unpacked.insert(name);
    }
    return {unpacked.begin(), unpacked.end()};
}

Result<torch::Tensor> Checkpoint::tensor(const std::string &name) const
{
    if (const auto merged = m_merged.find(name); merged != m_merged.end())
        return merged->second;
    const auto packed = m_packed.find(name);
    if (packed == m_packed.end())
        return stored(name);
    if (!packed->second.isStack)
        return widened(packed->second, std::nullopt);
    std::vector<torch::Tensor> slices;
    for (std::int64_t i = 0; i < packed->second.shape.front(); ++i) {
        auto one = slice(name, i);
        if (!one.isOk())
            return one;
        slices.push_back(std::move(one).value());
    }
    return slices.empty() ? torch::zeros(packed->second.shape, packed->second.type) : torch::stack(slices);
}

Result<torch::Tensor> Checkpoint::stored(const std::string &name) const
{
    const auto found = m_tensors.find(name);
    if (found == m_tensors.end())
        return badInput(
            fmt::format("{} has no tensor \"{}\"{}", m_files.front().string(), name,
                        m_skipped.contains(name) ? " that can be read (its value is of another kind)" : ""));
    const auto &[entry, file, unpacked] = found->second;
    const auto type = scalarType(entry.dtype);
    if (!type)
        return badInput(fmt::format("{}: tensor \"{}\" has the dtype {}, which is not supported; convert it to F32",
                                    file->path().string(), name, dtypeName(entry.dtype)));
    if (entry.bytes == 0)
        return torch::zeros(entry.shape, *type);
    if (!file->isIntact())
        return badInput(file->path().string() + " became shorter while it was in use; open the model again");

    // Booleans are read as numbers, since only 0 and 1 may stand in a boolean tensor.
    const auto options = torch::TensorOptions().dtype(entry.dtype == DType::Bool ? torch::kUInt8 : *type);
    std::byte *data = found->second.bytes();
    const auto item = static_cast<std::size_t>(bitsPerElement(entry.dtype)) / 8;
    std::vector<std::int64_t> shape = entry.shape;
    if (entry.addedRows > 0 || entry.addedColumns > 0) {
        shape.front() -= entry.addedRows;
        shape.back() -= entry.addedColumns;
    }
    torch::Tensor tensor;
    if (isInPlace(found->second)) {
        tensor = torch::from_blob(
            data, shape, entry.strides, [file = file, unpacked = unpacked](void *) {}, options);
    } else {
        const torch::Tensor bytes = torch::empty({static_cast<std::int64_t>(entry.bytes)}, torch::kUInt8);
        auto *copy = reinterpret_cast<std::byte *>(bytes.data_ptr<std::uint8_t>());
        std::memcpy(copy, data, entry.bytes);
        if (entry.bigEndian)
            swapBytes(copy, entry.bytes, item);
        tensor = torch::from_blob(
            copy, shape, entry.strides, [bytes](void *) {}, options);
    }
    if (entry.addedRows > 0 || entry.addedColumns > 0)
        tensor = torch::constant_pad_nd(tensor, {0, entry.addedColumns, 0, entry.addedRows});
    return entry.dtype == DType::Bool ? tensor.ne(0).contiguous() : tensor.contiguous();
}

std::byte *Checkpoint::Stored::bytes() const
{
    return (unpacked ? unpacked->data() : file->bytes().data()) + entry.offset;
}

bool Checkpoint::isInPlace(const Stored &stored)
{
    const auto item = static_cast<std::size_t>(bitsPerElement(stored.entry.dtype)) / 8;
    return item > 0 && reinterpret_cast<std::uintptr_t>(stored.bytes()) % item == 0 && !stored.entry.bigEndian;
}

bool Checkpoint::isView(const std::string &name) const
{
    if (m_packed.contains(name) || m_merged.contains(name))
        return false;
    const Stored &stored = m_tensors.at(name);
    const TensorEntry &entry = stored.entry;
    return isInPlace(stored) && entry.isContiguous() && entry.addedRows == 0 && entry.addedColumns == 0
        && entry.dtype != DType::Bool;
}

std::optional<torch::ScalarType> Checkpoint::dtype(const std::string &name) const
{
    if (const auto merged = m_merged.find(name); merged != m_merged.end())
        return merged->second.scalar_type();
    if (const auto packed = m_packed.find(name); packed != m_packed.end())
        return packed->second.type;
    return scalarType(m_tensors.at(name).entry.dtype);
}

void Checkpoint::forgetPages(const std::string &name) const
{
    for (const std::string &own : filesOwn(name)) {
        const Stored &stored = m_tensors.at(own);
        if (!stored.unpacked)
            stored.file->forgetPages(stored.entry.offset, stored.entry.bytes);
    }
}

void Checkpoint::forgetPages() const
{
    for (const auto &file : m_maps)
        file->forgetPages();
}

Result<std::string> Checkpoint::contentHash(const JobControl &control) const
{
    std::vector<std::byte> block(std::size_t{512} << 10); // stays in the cache between being copied and hashed
    Hasher hasher;
    std::int64_t done = 0;
    std::int64_t total = 0;
    for (const auto &file : m_maps)
        total += static_cast<std::int64_t>(file->bytes().size());
    for (const auto &file : m_maps) {
        for (std::size_t at = 0; at < file->bytes().size();) {
            if (control.cancelled())
                return Result<std::string>::cancelled();
            const auto count = file->read(at, block);
            if (!count.isOk())
                return count.error();
            if (count.value() == 0)
                return badInput(file->path().string() + " became shorter while it was in use; open the model again");
            hasher.add(std::span(block).first(count.value()));
            at += count.value();
            done += static_cast<std::int64_t>(count.value());
            control.progress({kPhaseChecking, "MiB", done >> 20, total >> 20});
        }
    }
    return hasher.hex();
}

Result<Done> Checkpoint::checkUnchanged(const std::string &hash, const JobControl &control) const
{
    const auto touched
        = std::ranges::find_if(m_maps, [](const std::shared_ptr<MappedFile> &file) { return !file->isUntouched(); });
    if (touched == m_maps.end())
        return Done{};
    const Error changed = badInput((*touched)->path().string()
                                   + " was written to while the model was open, so that results would be of old and "
                                     "new weights together; open the model again");
    std::vector<MappedFile::Stamp> stamps; // before bytes are read: what is written from here on shows the next time
    for (const auto &file : m_maps)
        stamps.push_back(file->stamp());
    const bool intact = std::ranges::all_of(m_maps, [](const auto &file) { return file->isIntact(); });
    const auto now = contentHash(control);
    if (now.isCancelled())
        return Result<Done>::cancelled();
    if (!intact || !now.isOk() || now.value() != hash)
        return changed;
    for (std::size_t i = 0; i < m_maps.size(); ++i)
        m_maps[i]->accept(stamps[i]);
    return Done{};
}

} // namespace headscope
