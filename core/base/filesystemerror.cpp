#include "core/base/filesystemerror.h"

#include <system_error>

namespace headscope {

Error fileSystemError(const std::filesystem::filesystem_error &error)
{
    std::error_code here;
    (void)std::filesystem::current_path(here);
    if (here)
        return resourceError("The folder that this program was started in is not there any more (" + here.message()
                             + "). Go to another one, and start it again.");
    return resourceError(error.path1().string() + (error.path1().empty() ? "" : ": ") + error.code().message() + '.');
}

} // namespace headscope
