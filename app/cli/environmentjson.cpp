#include "app/cli/environmentjson.h"

#include "core/session/environment.h"

namespace headscope::cli {

Json environmentJson()
{
    const Environment here = environment();
    return {{"version", here.version},  {"libtorch", here.libtorch},   {"blas", here.blas},
            {"threads", here.threads},  {"processor", here.processor}, {"devices", here.devices},
            {"warnings", here.warnings}};
}

} // namespace headscope::cli
