#include "core/formats/checkpointfolders.h"

#include "core/formats/folderfiles.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>

namespace headscope {
namespace {

constexpr std::string_view kDigits = "0123456789";

std::optional<std::int64_t> numberAt(std::string_view name, std::size_t first)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(name.data() + first, name.data() + name.size(), number);
    return error == std::errc() ? std::optional(number) : std::nullopt;
}

/// The rest after a word, with "-" or "_" between them or nothing.
std::optional<std::int64_t> numberAfter(std::string_view name, std::string_view word)
{
    const auto found = name.find(word);
    if (found == std::string_view::npos)
        return std::nullopt;
    const auto first = name.find_first_not_of("-_", found + word.size());
    return first == std::string_view::npos || kDigits.find(name[first]) == std::string_view::npos
             ? std::nullopt
             : numberAt(name, first);
}

std::optional<std::int64_t> lastNumber(std::string_view name)
{
    const auto last = name.find_last_of(kDigits);
    if (last == std::string_view::npos)
        return std::nullopt;
    const auto before = name.find_last_not_of(kDigits, last);
    return numberAt(name, before == std::string_view::npos ? 0 : before + 1);
}

/// Adds a folder that holds a model and whose name, or that of its branch, has a number.
void add(const std::filesystem::path &folder, const std::string &name, bool isBranch,
         std::vector<CheckpointFolder> &found)
{
    const auto step = numberAfter(name, "step");
    const auto number = step ? step : lastNumber(name);
    std::error_code ignored;
    if (!number || name.starts_with('.') || !std::filesystem::exists(folder / "config.json", ignored))
        return;
    found.push_back({folder, *number, numberAfter(name, "stage").value_or(0), isBranch ? name : std::string()});
}

} // namespace

Result<std::vector<CheckpointFolder>> checkpointFolders(const std::filesystem::path &run)
{
    std::error_code error;
    std::vector<CheckpointFolder> found;
    const bool isCache
        = std::filesystem::is_directory(run / "snapshots", error) && std::filesystem::is_directory(run / "refs", error);
    for (const auto &entry : std::filesystem::directory_iterator(isCache ? run / "refs" : run, error)) {
        const std::string name = entry.path().filename().string();
        std::string commit;
        if (isCache)
            std::ifstream(entry.path()) >> commit;
        if (isCache && !isPlainFileName(commit))
            continue;
        add(isCache ? run / "snapshots" / commit : entry.path(), name, isCache, found);
    }
    if (error)
        return badInput("Cannot read the folder " + run.string() + ": " + error.message() + ".");
    if (found.empty())
        return badInput(run.string()
                        + " holds no checkpoints: expected folders with a config.json and a number in their "
                          "names, such as epoch-003, checkpoint-1500 or step1000; or a folder of Hugging Face's cache "
                          "with such branches.");
    std::ranges::sort(found, {},
                      [](const CheckpointFolder &one) { return std::tuple(one.stage, one.number, one.name()); });
    return found;
}

std::vector<CheckpointFolder> logSpaced(const std::vector<CheckpointFolder> &all, std::int64_t count)
{
    if (count >= std::ssize(all))
        return all;
    std::vector<double> places; // updates of all stages so far, as logarithms; none of 0
    double before = 0;
    std::int64_t stage = all.front().stage;
    double last = 0;
    for (const CheckpointFolder &one : all) {
        if (one.stage != stage) {
            before = last;
            stage = one.stage;
        }
        last = before + static_cast<double>(one.number);
        places.push_back(last > 0 ? std::log(last) : -1);
    }
    const auto firstPositive = std::ranges::find_if(places, [](double place) { return place >= 0; });
    std::set<std::size_t> chosen;
    for (auto place = places.begin(); place != firstPositive; ++place)
        chosen.insert(static_cast<std::size_t>(place - places.begin()));
    for (std::int64_t i = 0; firstPositive != places.end() && i < count; ++i) {
        const double share = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 1;
        const double wanted = *firstPositive + share * (places.back() - *firstPositive);
        const auto nearest = std::ranges::min_element(firstPositive, places.end(), {},
                                                      [&](double place) { return std::abs(place - wanted); });
        chosen.insert(static_cast<std::size_t>(nearest - places.begin()));
    }
    std::vector<CheckpointFolder> spaced;
    for (const std::size_t i : chosen)
        spaced.push_back(all[i]);
    return spaced;
}

} // namespace headscope
