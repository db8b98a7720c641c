#include "core/formats/folderfiles.h"

#include "core/formats/textlines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <system_error>

namespace headscope {

namespace {

/// By what models are read: configuration, vocabularies, codes and weights.
bool isReadByModels(const std::filesystem::path &file)
{
    constexpr std::array<std::string_view, 12> kEndings{".json", ".txt",   ".model",       ".spm", ".yml", ".yaml",
                                                        ".bpe",  ".codes", ".safetensors", ".npz", ".bin", ".pt"};
    constexpr std::array<std::string_view, 3> kNames{"bpecodes", "codes", "code"};
    return std::ranges::find(kEndings, file.extension().string()) != kEndings.end()
        || std::ranges::find(kNames, file.filename().string()) != kNames.end();
}

} // namespace

Result<Done> requireFiles(const std::filesystem::path &folder)
{
    std::error_code failed;
    for (auto at = std::filesystem::directory_iterator(folder, failed);
         !failed && at != std::filesystem::directory_iterator(); at.increment(failed)) {
        const std::filesystem::path &path = at->path();
        if (path.filename().string().starts_with('.') || !isReadByModels(path))
            continue;
        std::error_code unknown;
        if (at->is_symlink(unknown) && !std::filesystem::exists(path, unknown))
            return badInput(fmt::format("{} is a link to {}, which is not there: fetch it again, or remove the link if "
                                        "the model is meant to be without it",
                                        path.string(), std::filesystem::read_symlink(path, unknown).string()));
        if (const auto regular = requireRegularFile(path); !at->is_directory(unknown) && !regular.isOk())
            return regular;
    }
    return Done{};
}

bool isPlainFileName(std::string_view name)
{
    return !name.empty() && name.front() != '.'
        && name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

std::vector<std::string> filesThat(const std::filesystem::path &folder,
                                   const std::function<bool(std::string_view name)> &wanted)
{
    std::vector<std::string> names;
    std::error_code failed;
    for (auto at = std::filesystem::directory_iterator(folder, failed);
         !failed && at != std::filesystem::directory_iterator(); at.increment(failed)) {
        std::error_code ignored;
        const std::string name = at->path().filename().string();
        if (!name.starts_with('.') && wanted(name) && at->is_regular_file(ignored))
            names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
}

Result<std::filesystem::path> oneCheckpoint(const std::filesystem::path &folder, const std::vector<std::string> &found,
                                            const std::vector<std::string> &usual, const std::string &library,
                                            const std::string &remedy)
{
    for (const std::string &name : usual) {
        if (std::ranges::find(found, name) != found.end())
            return folder / name;
    }
    if (found.size() == 1)
        return folder / found.front();
    if (found.empty())
        return badInput(fmt::format("{} has no checkpoint of {} ({}).", folder.string(), library, usual.front()));
    return badInput(fmt::format("{} has several checkpoints of {} ({}): {}", folder.string(), library,
                                fmt::join(found, ", "), remedy));
}

} // namespace headscope
