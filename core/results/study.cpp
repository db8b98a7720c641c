#include "core/results/study.h"

#include "core/formats/atomicfile.h"
#include "core/formats/hash.h"
#include "core/formats/jsonfile.h"
#include "core/results/resultstore.h"
#include "core/results/studyjson.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope {

namespace {

std::filesystem::path folderOf(const std::filesystem::path &file)
{
    return std::filesystem::absolute(file).lexically_normal().parent_path();
}

/// The hash of a file that may not be there.
std::string hashOf(const std::filesystem::path &file)
{
    const auto hash = hashFile(file);
    return hash.isOk() ? hash.value() : std::string();
}

/// The results that the study there names; none where there is none, or one that cannot be read.
std::set<std::string> keysNamedBy(const std::filesystem::path &file)
{
    std::set<std::string> keys;
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored))
        return keys;
    const auto json = readJsonFile(file);
    const auto parsed = json.isOk() ? studyFromJson(json.value(), file.string(), folderOf(file)) : json.error();
    if (parsed.isOk()) {
        for (const auto &slot : parsed.value().keys)
            keys.insert(slot.begin(), slot.end());
    }
    return keys;
}

} // namespace

std::filesystem::path resultsFolder(const std::filesystem::path &studyFile)
{
    std::filesystem::path folder = studyFile;
    folder += ".results";
    return folder;
}

std::filesystem::path unfinishedFolder(const std::filesystem::path &studyFile)
{
    return resultsFolder(studyFile) / "unfinished";
}

Result<StudyOnDisk> saveStudy(const Study &study, const StudyResults &results, const std::filesystem::path &file,
                              const StudyOnDisk *known)
{
    std::error_code ignored;
    if (known && !known->hash.empty() && std::filesystem::exists(file, ignored) && hashOf(file) != known->hash)
        return badInput(fmt::format("{} was changed by another program since it was opened here. Save this study under "
                                    "another name, or open the file again.",
                                    file.string()));
    std::set<std::string> gone = known ? known->keys : keysNamedBy(file);
    const ResultStore store(resultsFolder(file));
    StudyKeys keys;
    StudyOnDisk onDisk;
    for (std::size_t slot = 0; slot < results.size(); ++slot) {
        if (!study.data[slot])
            continue;
        for (const AnyResult &result : results[slot]) {
            const auto key = store.save(result);
            if (!key.isOk())
                return key.error();
            onDisk.keys.insert(key.value());
            gone.erase(key.value());
            if (std::find(keys[slot].begin(), keys[slot].end(), key.value()) == keys[slot].end())
                keys[slot].push_back(key.value());
        }
    }
    const std::string text = jsonText(studyToJson(study, keys, folderOf(file))) + "\n";
    const auto written = writeFileAtomically(file, text);
    if (!written.isOk())
        return written.error();
    onDisk.hash = hashOf(file);
    store.remove(gone);
    return onDisk;
}

namespace {

/// Takes heads out of a study that its model does not have, and says which.
void dropUnknownHeads(Study &study, std::vector<std::string> &problems)
{
    if (!study.model) // nothing is known of its heads
        return;
    const HeadLayout &layout = study.model->layout;
    const auto isUnknown = [&](const HeadRef &head) { return !layout.contains(head); };
    std::erase_if(study.pins, isUnknown);
    std::vector<HeadRef> known;
    std::string unknown;
    for (const HeadRef &head : study.mask) {
        if (isUnknown(head))
            unknown += (unknown.empty() ? "" : ", ") + toText(head);
        else
            known.push_back(head);
    }
    if (unknown.empty())
        return;
    study.mask = HeadMask(known);
    problems.push_back("The mask names heads that the model does not have, and goes on without them: " + unknown + ".");
}

} // namespace

Result<LoadedStudy> loadStudy(const std::filesystem::path &file)
{
    LoadedStudy loaded;
    loaded.onDisk.hash = hashOf(file); // before reading: a change in between is noticed when it is saved
    const auto json = readJsonFile(file);
    if (!json.isOk())
        return json.error();
    auto parsed = studyFromJson(json.value(), file.string(), folderOf(file));
    if (!parsed.isOk())
        return parsed.error();
    loaded.study = std::move(parsed.value().study);
    dropUnknownHeads(loaded.study, loaded.problems);
    const ResultStore store(resultsFolder(file));
    for (std::size_t slot = 0; slot < loaded.results.size(); ++slot) {
        ResultStore::Loaded results = store.load(parsed.value().keys[slot]);
        for (const AnyResult &result : results.results)
            loaded.onDisk.keys.insert(manifestOf(result)->key());
        loaded.results[slot] = std::move(results.results);
        loaded.problems.insert(loaded.problems.end(), results.problems.begin(), results.problems.end());
    }
    return loaded;
}

} // namespace headscope
