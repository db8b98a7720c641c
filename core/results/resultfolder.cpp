#include "core/results/resultfolder.h"

#include "core/base/phases.h"
#include "core/formats/jsonfile.h"
#include "core/results/anyresult.h"
#include "core/results/json.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace headscope {

namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 8;                                   ///< folders in folders
constexpr std::uintmax_t kLargest = std::uintmax_t(64) << 20; ///< bytes of a result that is no list of outputs

struct Found
{
    std::vector<fs::path> files;
    bool more = false;
};

Found jsonFiles(const fs::path &folder, const JobControl &control)
{
    Found found;
    std::error_code error;
    fs::recursive_directory_iterator place(folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && place != fs::recursive_directory_iterator(); place.increment(error)) {
        control.checkpoint();
        std::error_code ignored;
        if (place->path().filename().string().starts_with('.') || place.depth() >= kDeepest) {
            place.disable_recursion_pending();
            continue;
        }
        if (place->path().extension() != ".json" || !place->is_regular_file(ignored)
            || place->file_size(ignored) > kLargest)
            continue;
        if (std::ssize(found.files) == kMostResultFiles) {
            found.more = true;
            break;
        }
        found.files.push_back(place->path());
    }
    std::ranges::sort(found.files);
    return found;
}

/// The last part of the model's folder: what people call it.
std::string modelName(const Manifest &manifest)
{
    fs::path folder = manifest.model;
    if (folder.filename().empty())
        folder = folder.parent_path();
    return folder.filename().string();
}

} // namespace

Result<ModelsInFolder> modelsInFolder(const fs::path &folder, const JobControl &control)
{
    std::error_code error;
    if (!fs::is_directory(folder, error))
        return badInput(folder.string() + ": there is no such folder.");
    try {
        const Found found = jsonFiles(folder, control);
        ModelsInFolder models;
        models.more = found.more;
        std::map<std::string, std::size_t> analyses; ///< what was asked for, as a number
        std::int64_t looked = 0;
        for (const fs::path &file : found.files) {
            control.checkpoint();
            control.progress({kPhaseResults, "files", ++looked, std::ssize(found.files)});
            const auto object = readJsonFile(file);
            if (!object.isOk() || !object.value().is_object() || !object.value().contains("result"))
                continue; // configurations and such
            const auto result = resultFromJson(object.value(), file.string());
            if (!result.isOk()) {
                ++models.damaged;
                continue;
            }
            const Manifest *manifest = manifestOf(result.value());
            if (manifest == nullptr || manifest->partial || manifest->data.empty())
                continue;
            const auto asked
                = analyses.try_emplace(manifest->analysis + ' ' + manifest->spec, analyses.size()).first->second;
            models.table.add(modelName(*manifest), manifest->data, asked, true, &result.value());
            ++models.results;
        }
        return models;
    } catch (const Cancelled &) {
        return Result<ModelsInFolder>::cancelled();
    }
}

} // namespace headscope
