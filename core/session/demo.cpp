#include "core/session/demo.h"

#include "core/base/programfolder.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

namespace headscope {

std::string demoFile(Demo demo)
{
    return demo == Demo::Translation ? "demo.headscope" : "classifier.headscope";
}

Result<std::filesystem::path> demoStudy(Demo demo)
{
    namespace fs = std::filesystem;
    std::vector<fs::path> folders;
    if (const char *named = std::getenv("HEADSCOPE_DEMO"))
        folders.emplace_back(named);
    std::ranges::copy(relativeToProgram({"../share/headscope/demo"}), std::back_inserter(folders));
    std::error_code error;
    std::string tried;
    for (const fs::path &folder : folders) {
        const fs::path study = (folder / demoFile(demo)).lexically_normal();
        if (fs::exists(study, error))
            return study;
        tried += (tried.empty() ? "" : ", ") + study.parent_path().string();
    }
    return resourceError("The demo study is missing (looked in " + tried
                         + "). Reinstall Headscope, or make it with "
                           "headscope-cli demo --make FOLDER and set HEADSCOPE_DEMO to that folder.");
}

} // namespace headscope
