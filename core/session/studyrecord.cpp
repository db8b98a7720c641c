#include "core/session/studyrecord.h"

#include "core/formats/hash.h"
#include "core/formats/rememberedhash.h"
#include "core/results/corrections.h"
#include "core/results/manifestoptions.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace headscope {

ModelCard asAsked(ModelCard card, const ModelOptions &options)
{
    card.device = options.device;
    card.dtype = options.dtype;
    return card;
}

std::string settingsHash(const ModelCard &card)
{
    Hasher hasher;
    for (const auto &[name, hash] : card.files) {
        hasher.add(std::string_view(name));
        hasher.add(std::string_view(hash));
    }
    return hasher.hex();
}

std::vector<std::string> changedFiles(const ModelCard &then, const ModelCard &now)
{
    std::vector<std::string> changed;
    if (then.weightsHash != now.weightsHash)
        changed.emplace_back("weights");
    if (then.files.empty()) // an older study does not say
        return changed;
    for (const auto &[name, hash] : then.files) {
        const auto found = now.files.find(name);
        if (found == now.files.end())
            changed.push_back(name + " (gone)");
        else if (found->second != hash)
            changed.push_back(name);
    }
    for (const auto &[name, hash] : now.files) {
        if (!then.files.contains(name))
            changed.push_back(name + " (new)");
    }
    return changed;
}

std::vector<std::string> changedFiles(const DataCard &then, const DataCard &now)
{
    std::vector<std::string> changed;
    const DataSource &files = then.origin;
    const bool sameRows = then.hash == now.hash && then.rows == now.rows;
    const std::pair<std::string, bool> sides[] = {{files.source, then.sourceHash != now.sourceHash},
                                                  {files.reference, then.referenceHash != now.referenceHash}};
    for (const auto &[file, differs] : sides) {
        if (!sameRows && !then.sourceHash.empty() && differs && !file.empty())
            changed.push_back(file);
    }
    if (!sameRows && changed.empty()) { // not known by sides: the files that the rows come from
        for (const std::string *file : {&files.source, &files.reference, &files.table, &files.text}) {
            if (!file->empty())
                changed.push_back(*file);
        }
    }
    const bool treesAreRows = files.source.empty() && files.table.empty() && files.text.empty();
    const bool otherTrees = !then.treesHash.empty() && then.treesHash != now.treesHash;
    if (!files.conllu.empty() && (otherTrees || (treesAreRows && !sameRows)))
        changed.push_back(files.conllu);
    if (!sameRows && changed.empty())
        changed.push_back(then.name);
    return changed;
}

namespace {
std::string textOf(const nlohmann::json &options, const char *name)
{
    const auto found = options.find(name);
    return found != options.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The hashes in a manifest's "content", as Session puts them there.
std::vector<std::string> contentHashes(const nlohmann::json &options)
{
    std::vector<std::string> hashes{{}};
    for (const char letter : textOf(options, "content")) {
        if (letter == ' ')
            hashes.emplace_back();
        else
            hashes.back() += letter;
    }
    return hashes;
}

/// The trees that roles and probes were computed with; empty: none.
std::string usedTrees(const Manifest &result)
{
    return result.analysis == "roles" || result.analysis == "probe" ? contentHashes(optionsOf(result)).front()
                                                                    : std::string();
}

constexpr const char *kSecondData[] = {"order-on", "search-on", "reference-on", "choose-on", "train-on"};
} // namespace

FileHashes usedFiles(const Manifest &result)
{
    FileHashes files;
    if (result.analysis != "roles" && result.analysis != "prune")
        return files;
    const nlohmann::json options = optionsOf(result);
    const std::vector<std::string> hashes = contentHashes(options);
    if (result.analysis == "prune") {
        if (!hashes.front().empty())
            files[textOf(options, "order")] = hashes.front();
        return files;
    }
    std::size_t next = 1; // after the trees
    for (const char *option : {"corpus", "frequencies", "alignments"}) {
        const std::string file = textOf(options, option);
        if (!file.empty() && next < hashes.size())
            files[file] = hashes[next++];
    }
    return files;
}

Result<FileHashes> currentHashes(const FileHashes &files, const JobControl &control)
{
    FileHashes now;
    for (const auto &[file, then] : files) {
        auto hash = rememberedHash(file, control);
        if (hash.isCancelled())
            return Result<FileHashes>::cancelled();
        if (hash.isOk())
            now[file] = std::move(hash).value();
    }
    return now;
}

std::string otherDataHash(const Manifest &result)
{
    const nlohmann::json options = optionsOf(result);
    for (const char *option : kSecondData) {
        if (std::string hash = textOf(options, option); !hash.empty())
            return hash;
    }
    return {};
}

std::string requestedOptions(const Manifest &result)
{
    nlohmann::json options = optionsOf(result);
    options.erase("content");
    for (const char *option : kSecondData) {
        if (options.contains(option))
            options[option] = true;
    }
    return options.dump();
}

Staleness staleness(const Manifest &result, const ModelCard &model, const DataCard *data, const FileHashes &files)
{
    const auto differ
        = [](const std::string &then, const std::string &now) { return !then.empty() && !now.empty() && then != now; };
    Staleness stale;
    stale.program = result.corrections < correctionsOf(result, model);
    stale.weights = differ(result.weightsHash, model.weightsHash);
    stale.settings
        = !model.files.empty() && differ(result.settingsHash, settingsHash(model)); // older studies know no files
    stale.data = data != nullptr && differ(result.dataHash, data->hash);
    stale.trees = data != nullptr && differ(usedTrees(result), data->treesHash);
    for (const auto &[file, then] : usedFiles(result)) {
        const auto now = files.find(file);
        if (now != files.end() && differ(then, now->second))
            stale.files.push_back(file);
    }
    return stale;
}

bool isStale(const Manifest &result, const ModelCard &model, const DataCard *data)
{
    return staleness(result, model, data).any();
}

} // namespace headscope
