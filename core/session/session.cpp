#include "core/session/session.h"

#include "core/remote/remotesession.h"
#include "core/session/localsession.h"

namespace headscope {

Result<std::shared_ptr<Session>> Session::open(const std::filesystem::path &folder, const ModelOptions &options,
                                               const JobControl &control)
{
    return options.host.empty() ? openLocalSession(folder, options, control)
                                : openRemoteSession(folder, options, control);
}

} // namespace headscope
