#include "core/io/hubcache.h"

#include "core/formats/folderfiles.h"
#include "core/formats/gguf.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "models--";

fs::path fromEnvironment(const char *variable)
{
    const char *value = std::getenv(variable);
    return value ? value : "";
}

/// Where Hugging Face's libraries keep models; empty: nowhere.
fs::path hubCache()
{
    for (const char *variable : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
        if (const fs::path folder = fromEnvironment(variable); !folder.empty())
            return folder;
    }
    if (const fs::path home = fromEnvironment("HF_HOME"); !home.empty())
        return home / "hub";
    if (const fs::path cache = fromEnvironment("XDG_CACHE_HOME"); !cache.empty())
        return cache / "huggingface" / "hub";
    const fs::path home = fromEnvironment("HOME");
    return home.empty() ? home : home / ".cache" / "huggingface" / "hub";
}

/// Whether the Hub could have a model of this name: letters, digits, "-", "_" and ".", with one slash at most.
bool isHubName(const std::string &name)
{
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_'
            || c == '.' || c == '/';
    };
    return !name.empty() && std::ranges::all_of(name, allowed) && std::ranges::count(name, '/') <= 1
        && name.front() != '/' && name.back() != '/' && name.front() != '.';
}

/// The commit that a branch is at, as the cache wrote it down; empty: it did not, or wrote what is no name of a folder.
std::string commitOf(const fs::path &model, const char *branch)
{
    std::string commit;
    std::ifstream(model / "refs" / branch) >> commit;
    return isPlainFileName(commit) ? commit : std::string();
}

/// Whether a snapshot has a model in it: its configuration, or files in GGUF.
bool isModel(const fs::path &snapshot)
{
    std::error_code ignored;
    const auto file = ggufOf(snapshot);
    return fs::exists(snapshot / "config.json", ignored) || !file.isOk() || file.value();
}

/// A folder models--org--name → its newest snapshot.
Result<fs::path> newestSnapshot(const fs::path &model)
{
    std::error_code ignored;
    if (const std::string commit = commitOf(model, "main"); !commit.empty() && isModel(model / "snapshots" / commit))
        return model / "snapshots" / commit;
    std::vector<std::pair<fs::file_time_type, fs::path>> found;
    for (const auto &entry : fs::directory_iterator(model / "snapshots", ignored)) {
        if (isModel(entry.path()))
            found.emplace_back(entry.last_write_time(ignored), entry.path());
    }
    if (found.empty())
        return badInput(
            model.string()
            + " is the folder of a model in Hugging Face's cache, but no snapshot in it has a config.json or a file in GGUF. "
              "Was fetching it interrupted?");
    return std::ranges::max(found).second;
}

} // namespace

Result<fs::path> modelFolder(const fs::path &named)
{
    std::error_code ignored;
    const fs::path folder = named.has_filename() ? named : named.parent_path();
    if (fs::is_directory(folder, ignored)) {
        const bool isCached = folder.filename().string().starts_with(kPrefix)
                           && fs::is_directory(folder / "snapshots", ignored)
                           && !fs::exists(folder / "config.json", ignored);
        return isCached ? newestSnapshot(folder) : Result<fs::path>(named);
    }
    if (fs::is_regular_file(named, ignored) && named.extension() == kGgufEnding)
        return named;
    if (fs::exists(named, ignored))
        return badInput(
            named.string()
            + " is a file, and none of GGUF. Expected a model folder in Hugging Face's layout (config.json, "
              "model.safetensors, tokenizer files), fairseq's (model.pt, dict.LANGUAGE.txt) or Marian's (model.npz, "
              "decoder.yml, vocab.yml, source.spm).");
    const std::string name = named.string();
    if (!isHubName(name))
        return named; // whoever opens it says what is missing
    const fs::path cache = hubCache();
    std::string cached = std::string(kPrefix) + name;
    if (const auto slash = cached.find('/'); slash != std::string::npos)
        cached.replace(slash, 1, "--");
    if (!cache.empty() && fs::is_directory(cache / cached, ignored))
        return newestSnapshot(cache / cached);
    return badInput("There is no folder " + name + ", and Hugging Face's cache (" + cache.string()
                    + ") has no model of this name. To fetch it: hf download " + name);
}

} // namespace headscope
