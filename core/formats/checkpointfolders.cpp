#include "core/formats/checkpointfolders.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <tuple>

namespace headscope {
namespace {

std::optional<std::int64_t> lastNumber(std::string_view name)
{
    constexpr std::string_view kDigits = "0123456789";
    const auto last = name.find_last_of(kDigits);
    if (last == std::string_view::npos)
        return std::nullopt;
    const auto before = name.find_last_not_of(kDigits, last);
    const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(name.data() + first, name.data() + last + 1, number);
    return error == std::errc() ? std::optional(number) : std::nullopt;
}

} // namespace

Result<std::vector<CheckpointFolder>> checkpointFolders(const std::filesystem::path &run)
{
    std::error_code error;
    std::vector<CheckpointFolder> found;
    for (const auto &entry : std::filesystem::directory_iterator(run, error)) {
        const std::string name = entry.path().filename().string();
        const auto number = lastNumber(name);
        std::error_code ignored;
        if (number && !name.starts_with('.') && std::filesystem::exists(entry.path() / "config.json", ignored))
            found.push_back({entry.path(), *number});
    }
    if (error)
        return badInput("Cannot read the folder " + run.string() + ": " + error.message() + ".");
    if (found.empty())
        return badInput(run.string()
                        + " holds no checkpoints: expected folders with a config.json and a number in their "
                          "names, such as epoch-003 or checkpoint-1500.");
    std::ranges::sort(found, {}, [](const CheckpointFolder &one) { return std::tuple(one.number, one.name()); });
    return found;
}

} // namespace headscope
