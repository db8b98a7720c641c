#include "core/io/checkpoint.h"

#include "core/base/phases.h"
#include "core/formats/fairseqfolder.h"
#include "core/formats/folderfiles.h"
#include "core/formats/hash.h"
#include "core/formats/jsonfile.h"
#include "core/formats/marianfolder.h"
#include "core/formats/npzfile.h"
#include "core/formats/safetensors.h"
#include "core/formats/torchfile.h"
#include "core/io/adapter.h"
#include "core/io/fairseqnames.h"
#include "core/io/mariannames.h"
#include "core/io/torchdtype.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
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

/// Bytes of a group of MXFP4, which has 32 numbers with one power of two.
constexpr std::int64_t kBytesOfGroup = 16;

/// Blocks [rows, groups, 16] of two numbers a byte, the low half first, and exponents [rows, groups] → [32·groups,
/// rows].
torch::Tensor widenedMxfp4(const torch::Tensor &blocks, const torch::Tensor &scales)
{
    static constexpr float kNumbers[16]
        = {0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F, -0.0F, -0.5F, -1.0F, -1.5F, -2.0F, -3.0F, -4.0F, -6.0F};
    constexpr int kBias = 127;
    auto numbers = torch::empty({blocks.size(0), blocks.size(1), 2 * kBytesOfGroup}, torch::kFloat32);
    auto *to = numbers.data_ptr<float>();
    const auto *byte = blocks.data_ptr<std::uint8_t>();
    const auto *scale = scales.data_ptr<std::uint8_t>();
    for (std::int64_t group = 0; group < scales.numel(); ++group) {
        const float factor = std::ldexp(1.0F, scale[group] - kBias);
        for (std::int64_t i = 0; i < kBytesOfGroup; ++i, ++byte) {
            *to++ = kNumbers[*byte & 15] * factor;
            *to++ = kNumbers[*byte >> 4] * factor;
        }
    }
    return numbers.flatten(1).t().to(torch::kBFloat16).contiguous();
}

} // namespace

Result<Checkpoint> Checkpoint::open(const std::filesystem::path &given)
{
    std::error_code ignored;
    if (!std::filesystem::is_directory(given, ignored))
        return badInput(given.string() + " is not a folder; give the folder of a model");
    const auto base = folderOfModel(given);
    if (!base.isOk())
        return base.error();
    const std::filesystem::path &folder = base.value();
    const auto file = std::find_if(std::begin(kFiles), std::end(kFiles),
                                   [&](const char *name) { return std::filesystem::exists(folder / name, ignored); });
    std::filesystem::path path;
    if (file != std::end(kFiles)) {
        path = folder / *file;
    } else if (isFairseqFolder(folder)) {
        auto own = fairseqCheckpoint(folder);
        if (!own.isOk())
            return own.error();
        path = std::move(own).value();
    } else if (isMarianFolder(folder)) {
        auto own = marianCheckpoint(folder);
        if (!own.isOk())
            return own.error();
        path = std::move(own).value();
    } else {
        return noWeights(folder);
    }
    Checkpoint checkpoint;
    auto added = path.extension() == ".json" ? checkpoint.addShards(path) : checkpoint.addFile(path);
    if (added.isOk())
        added = checkpoint.normaliseNames();
    if (!added.isOk())
        return added.error();
    checkpoint.findPacked();
    if (hasAdapter(given))
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
    std::vector<TensorEntry> entries;
    std::shared_ptr<std::vector<std::byte>> unpacked;
    if (path.extension() == ".safetensors") {
        auto header = parseSafetensors(file->bytes(), path.string());
        if (!header.isOk())
            return header.error();
        entries = std::move(header.value().tensors);
        m_metadata.merge(header.value().metadata);
    } else if (path.extension() == ".npz") {
        auto parsed = parseNpz(file->bytes(), path.string());
        if (!parsed.isOk())
            return parsed.error();
        entries = std::move(parsed.value().tensors);
        unpacked = std::move(parsed.value().unpacked);
        takeMarianConfig(entries, unpacked ? std::span<const std::byte>(*unpacked) : file->bytes());
        if (m_metadata.contains(kMarianConfig))
            entries = withMarianNames(std::move(entries));
    } else {
        auto parsed = parseTorchFile(file->bytes(), path.string());
        if (!parsed.isOk())
            return parsed.error();
        entries = std::move(parsed.value().tensors);
        if (!parsed.value().settings.empty())
            entries = withFairseqNames(std::move(entries));
        m_skipped.insert(parsed.value().skipped.begin(), parsed.value().skipped.end());
        m_warnings.insert(m_warnings.end(), parsed.value().warnings.begin(), parsed.value().warnings.end());
    }
    if (!file->isIntact())
        return badInput(path.string() + " became shorter while it was read; open the model again");
    for (TensorEntry &entry : entries) {
        const std::string name = entry.name;
        if (!m_tensors.emplace(name, Stored{std::move(entry), file, unpacked}).second)
            return badInput(fmt::format("{}: tensor \"{}\" is in two files of the checkpoint", path.string(), name));
    }
    m_files.push_back(path);
    m_maps.push_back(file);
    return Done{};
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

void Checkpoint::findPacked()
{
    constexpr std::string_view kBlocks = "_blocks";
    for (const auto &[name, blocks] : m_tensors) {
        if (!name.ends_with(kBlocks))
            continue;
        const std::string packed = name.substr(0, name.size() - kBlocks.size());
        const auto scales = m_tensors.find(packed + "_scales");
        const std::vector<std::int64_t> &shape = blocks.entry.shape;
        const bool isPacked = scales != m_tensors.end() && shape.size() == 4 && shape[3] == kBytesOfGroup
                           && scales->second.entry.shape == std::vector(shape.begin(), shape.begin() + 3)
                           && blocks.entry.dtype == DType::U8 && scales->second.entry.dtype == DType::U8;
        if (isPacked && !m_tensors.contains(packed))
            m_packed[packed] = {shape[0], 2 * kBytesOfGroup * shape[2], shape[1]};
    }
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
    if (m_packed.contains(name))
        return {name + "_blocks", name + "_scales"};
    return {name};
}

Result<torch::Tensor> Checkpoint::slice(const std::string &name, std::int64_t index) const
{
    if (!m_packed.contains(name)) {
        auto whole = tensor(name);
        return whole.isOk() ? Result<torch::Tensor>(whole.value().select(0, index)) : whole;
    }
    const auto blocks = tensor(name + "_blocks");
    const auto scales = tensor(name + "_scales");
    if (!blocks.isOk() || !scales.isOk())
        return blocks.isOk() ? scales.error() : blocks.error();
    return widenedMxfp4(blocks.value().select(0, index), scales.value().select(0, index));
}

std::vector<std::string> Checkpoint::names() const
{
    std::vector<std::string> result;
    for (const auto &[name, stored] : m_tensors)
        result.push_back(name);
    return result;
}

Result<torch::Tensor> Checkpoint::tensor(const std::string &name) const
{
    if (const auto merged = m_merged.find(name); merged != m_merged.end())
        return merged->second;
    if (const auto packed = m_packed.find(name); packed != m_packed.end()) {
        std::vector<torch::Tensor> slices;
        for (std::int64_t i = 0; i < packed->second.front(); ++i) {
            auto one = slice(name, i);
            if (!one.isOk())
                return one;
            slices.push_back(std::move(one).value());
        }
        return slices.empty() ? torch::zeros(packed->second, torch::kBFloat16) : torch::stack(slices);
    }
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
    if (m_packed.contains(name))
        return torch::kBFloat16;
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
