#include "core/model/modelfolder.h"

#include "core/formats/atomicfile.h"
#include "core/formats/fairseqfolder.h"
#include "core/formats/hash.h"
#include "core/formats/jsonfile.h"
#include "core/formats/marianfolder.h"
#include "core/formats/textlines.h"
#include "core/io/adapter.h"
#include "core/io/checkpoint.h"
#include "core/io/checkpointwriter.h"
#include "core/model/madeconfig.h"
#include "core/model/marianconfig.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr const char *kModelFiles[] = {"config.json",
                                       "generation_config.json",
                                       "tokenizer_config.json",
                                       "special_tokens_map.json",
                                       "tokenizer.json",
                                       "added_tokens.json",
                                       "vocab.json",
                                       "vocab.txt",
                                       "vocab-src.json",
                                       "vocab-tgt.json",
                                       "merges.txt",
                                       "source.spm",
                                       "target.spm",
                                       "target_vocab.json",
                                       "spiece.model",
                                       "sentencepiece.bpe.model",
                                       "tokenizer.model"};

/// Whether it is a folder of Marian's, or one that was written from such a one.
bool isOfMarian(const fs::path &folder)
{
    if (isMarianFolder(folder))
        return true;
    const auto config = readJsonFile(folder / "config.json");
    return config.isOk() && config.value().is_object()
        && config.value().value("model_type", nlohmann::json()) == kMarianNmtType;
}

/// Those that are there, and what stands for them in a folder of fairseq's or Marian's, with which an export keeps its
/// tokenizer.
std::vector<std::string> modelFilesIn(const fs::path &folder)
{
    std::vector<std::string> names;
    for (const char *name : kModelFiles) {
        std::error_code ignored;
        if (fs::exists(folder / name, ignored))
            names.emplace_back(name);
    }
    const std::vector<std::string> dictionaries = fairseqDictionaries(folder);
    names.insert(names.end(), dictionaries.begin(), dictionaries.end());
    if (const auto codes = fairseqCodes(folder); codes && !dictionaries.empty())
        names.push_back(*codes);
    if (isOfMarian(folder)) {
        for (std::string &name : marianFiles(folder)) {
            if (std::ranges::find(names, name) == names.end())
                names.push_back(std::move(name));
        }
    }
    return names;
}

} // namespace

Result<std::map<std::string, std::string>> hashModelFiles(const fs::path &given)
{
    std::map<std::string, std::string> hashes;
    const auto base = folderOfModel(given);
    if (!base.isOk())
        return base.error();
    for (const fs::path &folder : {base.value(), given}) { // the same, or an adapter's own tokenizer beside its base
        for (const std::string &name : modelFilesIn(folder)) {
            const auto hash = hashFile(folder / name);
            if (!hash.isOk())
                return hash.error();
            hashes[name] = hash.value();
        }
    }
    return hashes;
}

Result<std::string> hashModel(const fs::path &folder, const JobControl &control)
{
    const auto checkpoint = Checkpoint::open(folder);
    if (!checkpoint.isOk())
        return checkpoint.error();
    const auto weights = checkpoint.value().contentHash(control);
    if (!weights.isOk())
        return weights;
    const auto files = hashModelFiles(folder);
    if (!files.isOk())
        return files.error();
    Hasher hasher;
    hasher.add(weights.value());
    for (const auto &[name, hash] : files.value()) {
        hasher.add(name);
        hasher.add(hash);
    }
    return hasher.hex();
}

Result<Done> copyModelFiles(const fs::path &source, const fs::path &target)
{
    const auto base = folderOfModel(source);
    if (!base.isOk())
        return base.error();
    if (base.value() != source) {
        const auto copied = copyModelFiles(base.value(), target);
        if (!copied.isOk())
            return copied;
    }
    for (const std::string &name : modelFilesIn(source)) {
        // Not copy_file: a read-only original would make a read-only copy.
        auto bytes = readBytes(source / name, {}, std::int64_t{1} << 30);
        if (!bytes.isOk())
            return bytes.error();
        const auto written = writeFileAtomically(target / name, bytes.value());
        if (!written.isOk())
            return written.error();
    }
    if (isSaidByWeights(source)) { // the configuration is in the checkpoint
        const auto config = readOrderedConfig(source);
        if (!config.isOk())
            return config.error();
        return writeFileAtomically(target / "config.json", config.value().dump(2) + "\n");
    }
    return Done{};
}

Result<fs::path> newModelFolder(const fs::path &target)
{
    fs::path folder = target;
    while (!folder.empty() && folder.filename().empty() && folder.has_relative_path())
        folder = folder.parent_path();
    std::error_code error;
    if (folder.filename().empty() || folder.filename() == "." || folder.filename() == "..")
        return usageError("Give the new model's folder by its name; \"" + target.string() + "\" is none.");
    if (fs::exists(folder, error) && (!fs::is_directory(folder, error) || !fs::is_empty(folder, error)))
        return badInput(target.string() + " is not empty. Choose a new folder for the model.");
    return folder;
}

Result<nlohmann::ordered_json> readOrderedConfig(const fs::path &given)
{
    const auto base = folderOfModel(given);
    if (!base.isOk())
        return base.error();
    const fs::path &folder = base.value();
    if (isSaidByWeights(folder)) {
        const auto checkpoint = Checkpoint::open(folder);
        if (!checkpoint.isOk())
            return checkpoint.error();
        const auto config = configOfWeights(checkpoint.value(), folder);
        if (!config.isOk())
            return config.error();
        return nlohmann::ordered_json(config.value());
    }
    const auto bytes = readBytes(folder / "config.json", {}, kLargestJson);
    if (!bytes.isOk())
        return bytes.error();
    // Parsed before, when the model was opened; here once more to keep the order of its keys.
    auto config = nlohmann::ordered_json::parse(bytes.value(), nullptr, false);
    if (!config.is_object())
        return badInput((folder / "config.json").string() + " has changed since the model was opened.");
    return config;
}

Result<Done> withoutQuantisation(const fs::path &folder)
{
    if (!fs::exists(folder / "config.json"))
        return Done{};
    auto config = readOrderedConfig(folder);
    if (!config.isOk())
        return config.error();
    if (!config.value().is_object() || config.value().erase("quantization_config") == 0)
        return Done{};
    return writeFileAtomically(folder / "config.json", config.value().dump(2) + "\n");
}

Result<Done> writeModelWeights(const fs::path &folder, const Family &family, const TransformerSpec &spec,
                               const std::map<std::string, torch::Tensor> &tensors, torch::ScalarType dtype)
{
    const auto plain = withoutQuantisation(folder);
    if (!plain.isOk())
        return plain;
    std::vector<std::pair<std::string, torch::Tensor>> named;
    for (const auto &[name, tensor] : checkpointTensors(storedSlots(family, spec), tensors))
        named.emplace_back(name, tensor.to(torch::kCPU, dtype));
    return writeSafetensors(folder / "model.safetensors", named, {{"format", "pt"}});
}

} // namespace headscope
