#pragma once

#include "core/session/session.h"

#include <filesystem>
#include <memory>

namespace headscope {

/// A session on this machine, whatever `options.host` says. Errors: as Session::open().
Result<std::shared_ptr<Session>> openLocalSession(const std::filesystem::path &folder, const ModelOptions &options,
                                                  const JobControl &control);

} // namespace headscope
