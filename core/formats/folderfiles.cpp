#include "core/formats/folderfiles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

namespace headscope {

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
