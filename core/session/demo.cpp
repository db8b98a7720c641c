#include "core/session/demo.h"

#include "core/base/programfolder.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// A file or folder of the demo, from the first of its places that has it.
Result<fs::path> findInDemo(const std::string &name)
{
    std::vector<fs::path> folders;
    if (const char *named = std::getenv("HEADSCOPE_DEMO"))
        folders.emplace_back(named);
    std::ranges::copy(relativeToProgram({"../share/headscope/demo"}), std::back_inserter(folders));
    std::error_code error;
    std::string tried;
    for (const fs::path &folder : folders) {
        const fs::path found = (folder / name).lexically_normal();
        if (fs::exists(found, error))
            return found;
        tried += (tried.empty() ? "" : ", ") + found.parent_path().string();
    }
    return resourceError("The demo's " + name + " is missing (looked in " + tried
                         + "). Reinstall Headscope, or set HEADSCOPE_DEMO to a copy of the demo's folder "
                           "(resources/demo in the source).");
}

} // namespace

std::string demoFile(Demo demo)
{
    return (demo == Demo::Translation ? "demo" : std::string(toText(demo))) + ".headscope";
}

Result<fs::path> demoStudy(Demo demo)
{
    return findInDemo(demoFile(demo));
}

Result<Done> copyDemoCorpus(const fs::path &folder)
{
    const Result<fs::path> corpus = findInDemo("corpus");
    if (!corpus.isOk())
        return corpus.error();
    std::error_code error;
    fs::create_directories(folder, error);
    if (!error)
        fs::copy(corpus.value(), folder, error);
    if (error)
        return resourceError("Cannot copy the demo's corpus from " + corpus.value().string() + " to " + folder.string()
                             + ": " + error.message() + ".");
    return Done{};
}

} // namespace headscope
