#include "core/formats/fairseqfolder.h"

#include "core/formats/folderfiles.h"

#include <string_view>
#include <system_error>

namespace headscope {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> checkpointsIn(const fs::path &folder)
{
    return filesThat(folder, [](std::string_view name) { return name.ends_with(".pt"); });
}

} // namespace

std::string fairseqDictionary(const std::string &language)
{
    return "dict." + language + ".txt";
}

std::vector<std::string> fairseqDictionaries(const fs::path &folder)
{
    return filesThat(folder, [](std::string_view name) {
        return name.starts_with("dict.") && name.ends_with(".txt") && name.size() > std::size_t{9};
    });
}

std::optional<std::string> fairseqCodes(const fs::path &folder)
{
    for (const char *name : {"bpecodes", "bpe.codes", "codes.bpe", "codes", "code"}) {
        std::error_code ignored;
        if (fs::is_regular_file(folder / name, ignored))
            return name;
    }
    return std::nullopt;
}

bool isFairseqFolder(const fs::path &folder)
{
    std::error_code ignored;
    return !fs::exists(folder / "config.json", ignored) && !fairseqDictionaries(folder).empty()
        && !checkpointsIn(folder).empty();
}

Result<fs::path> fairseqCheckpoint(const fs::path &folder)
{
    return oneCheckpoint(folder, checkpointsIn(folder), {"model.pt", "checkpoint_best.pt"}, "fairseq",
                         "call the one to open model.pt, or put it into a folder of its own with dictionaries and "
                         "codes.");
}

} // namespace headscope
