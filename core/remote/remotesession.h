#pragma once

#include "core/session/session.h"

#include <filesystem>
#include <memory>
#include <string>

namespace headscope {

class Connection;

/// A session whose model and data are on `options.host`, and whose core computes there. Errors: as Session::open().
Result<std::shared_ptr<Session>> openRemoteSession(const std::filesystem::path &folder, const ModelOptions &options,
                                                   const JobControl &control);

/// The content of a folder on the machine of the connection; empty: the user's home there.
Result<FolderListing> listRemoteFolder(Connection &connection, const std::filesystem::path &folder,
                                       const JobControl &control);

} // namespace headscope
