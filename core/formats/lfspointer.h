#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace headscope {

/// Whether a file that was cloned without Git LFS holds these bytes: a few lines that stand for the real file
/// (git-lfs's specification of pointers).
inline bool isLfsPointer(std::string_view bytes)
{
    return bytes.starts_with("version https://git-lfs");
}

inline Error lfsPointerError(const std::string &name)
{
    return badInput(name + " is only a Git LFS pointer; fetch the real file with: git lfs pull");
}

} // namespace headscope
