#include "core/results/study.h"

#include "core/formats/atomicfile.h"
#include "core/formats/jsonfile.h"
#include "core/results/resultstore.h"
#include "core/results/studyjson.h"

#include <algorithm>

namespace headscope {

namespace {

std::filesystem::path folderOf(const std::filesystem::path &file)
{
    return std::filesystem::absolute(file).lexically_normal().parent_path();
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
        loaded.results[slot] = std::move(results.results);
        loaded.problems.insert(loaded.problems.end(), results.problems.begin(), results.problems.end());
    }
    return loaded;
}

} // namespace headscope
