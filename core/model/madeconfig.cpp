#include "core/model/madeconfig.h"

#include "core/formats/fairseqfolder.h"
#include "core/formats/gguf.h"
#include "core/formats/marianfolder.h"
#include "core/model/fairseqconfig.h"
#include "core/model/ggufconfig.h"
#include "core/model/marianconfig.h"

namespace headscope {

bool isSaidByWeights(const std::filesystem::path &model)
{
    const auto file = ggufOf(model);
    return !file.isOk() || file.value() || isFairseqFolder(model) || isMarianFolder(model);
}

Result<nlohmann::json> configOfWeights(const Checkpoint &checkpoint, const std::filesystem::path &model)
{
    const auto file = ggufOf(model);
    if (!file.isOk())
        return file.error();
    if (file.value())
        return ggufConfig(checkpoint, *file.value());
    return isFairseqFolder(model) ? fairseqConfig(checkpoint, model) : marianConfig(checkpoint, model);
}

} // namespace headscope
