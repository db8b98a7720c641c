#include "core/base/programfolder.h"

#include <system_error>

namespace headscope {

std::vector<std::filesystem::path> relativeToProgram(std::initializer_list<const char *> relative)
{
    std::error_code unknown;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unknown);
    std::vector<std::filesystem::path> folders;
    for (const char *folder : relative) {
        if (!unknown)
            folders.push_back((program.parent_path() / folder).lexically_normal());
    }
    return folders;
}

} // namespace headscope
