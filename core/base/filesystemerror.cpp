#include "core/base/filesystemerror.h"

#include <string>
#include <string_view>
#include <system_error>

namespace headscope {

Error fileSystemError(const std::filesystem::filesystem_error &error)
{
    std::error_code here;
    (void)std::filesystem::current_path(here);
    if (here)
        return resourceError("The folder that this program was started in is not there any more (" + here.message()
                             + "). Go to another one, and start it again.");
    if (!error.path1().empty())
        return resourceError(error.path1().string() + ": " + error.code().message() + '.');
    // An error of no file: the library says what it wanted to know.
    constexpr std::string_view kBegin = "filesystem error: ";
    const std::string_view what = error.what();
    return resourceError(std::string(what.starts_with(kBegin) ? what.substr(kBegin.size()) : what) + '.');
}

} // namespace headscope
