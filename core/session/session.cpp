#include "core/session/session.h"

#include "core/base/cachefolder.h"
#include "core/remote/remotesession.h"
#include "core/session/localsession.h"

namespace headscope {

Result<std::shared_ptr<Session>> Session::open(const std::filesystem::path &folder, const ModelOptions &options,
                                               const JobControl &control)
{
    return options.host.empty() ? openLocalSession(folder, options, control)
                                : openRemoteSession(folder, options, control);
}

std::filesystem::path usualWorkFolder()
{
    const auto cache = cacheFolder();
    return cache ? *cache / "unfinished" : std::filesystem::path();
}

} // namespace headscope
