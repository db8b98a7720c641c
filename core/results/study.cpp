#include "core/results/study.h"

#include "core/formats/atomicfile.h"
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

/// Moves what was computed from another model or other data than the study's to the problems.
void separateForeign(ResultStore::Loaded &loaded, const std::optional<StudyModel> &model, const StudyData &data)
{
    const auto differs = [](const std::string &a, const std::string &b) { return !a.empty() && !b.empty() && a != b; };
    std::erase_if(loaded.results, [&](const AnyResult &result) {
        const Manifest &manifest = *manifestOf(result);
        const bool otherData = differs(manifest.dataHash, data.hash);
        if (!otherData && !(model && differs(manifest.weightsHash, model->weightsHash)))
            return false;
        loaded.problems.push_back(fmt::format("The study has a result of {} ({}) that was computed from other {}; "
                                              "it is left out: compute it again.",
                                              manifest.analysis, data.name, otherData ? "data" : "weights"));
        return true;
    });
}

} // namespace

std::filesystem::path resultsFolder(const std::filesystem::path &studyFile)
{
    std::filesystem::path folder = studyFile;
    folder += ".results";
    return folder;
}

Result<Done> saveStudy(const Study &study, const StudyResults &results, const std::filesystem::path &file)
{
    const ResultStore store(resultsFolder(file));
    StudyKeys keys;
    std::set<std::string> allKeys;
    for (std::size_t slot = 0; slot < results.size(); ++slot) {
        if (!study.data[slot])
            continue;
        for (const AnyResult &result : results[slot]) {
            const auto key = store.save(result);
            if (!key.isOk())
                return key.error();
            allKeys.insert(key.value());
            if (std::find(keys[slot].begin(), keys[slot].end(), key.value()) == keys[slot].end())
                keys[slot].push_back(key.value());
        }
    }
    const std::string text = jsonText(studyToJson(study, keys, folderOf(file))) + "\n";
    auto written = writeFileAtomically(file, text);
    if (written.isOk())
        store.keepOnly(allKeys);
    return written;
}

Result<LoadedStudy> loadStudy(const std::filesystem::path &file)
{
    const auto json = readJsonFile(file);
    if (!json.isOk())
        return json.error();
    auto parsed = studyFromJson(json.value(), file.string(), folderOf(file));
    if (!parsed.isOk())
        return parsed.error();
    LoadedStudy loaded;
    loaded.study = std::move(parsed.value().study);
    const ResultStore store(resultsFolder(file));
    for (std::size_t slot = 0; slot < loaded.results.size(); ++slot) {
        ResultStore::Loaded results = store.load(parsed.value().keys[slot]);
        if (loaded.study.data[slot])
            separateForeign(results, loaded.study.model, *loaded.study.data[slot]);
        loaded.results[slot] = std::move(results.results);
        loaded.problems.insert(loaded.problems.end(), results.problems.begin(), results.problems.end());
    }
    return loaded;
}

} // namespace headscope
