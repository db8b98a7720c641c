#include "core/results/manifestoptions.h"

namespace headscope {

nlohmann::json optionsOf(const Manifest &manifest)
{
    nlohmann::json options = nlohmann::json::parse(manifest.spec, nullptr, false);
    return options.is_object() ? options : nlohmann::json::object();
}

} // namespace headscope
