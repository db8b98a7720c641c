#include "core/results/manifest.h"

#include "core/formats/hash.h"

#include <string_view>

namespace headscope {

std::string Manifest::key() const
{
    Hasher hasher;
    for (const std::string *text : {&analysis, &version, &weightsHash, &dataHash, &spec, &dtype})
        hasher.add(std::string_view(*text));
    hasher.add(totalExamples);
    if (!settingsHash.empty()) // older results keep their keys
        hasher.add(std::string_view(settingsHash));
    // GPUs add up products in another order than processors, so that numbers differ in their last digits; which GPU it
    // is does not matter.
    const std::string_view kind = std::string_view(device).substr(0, device.find(':'));
    if (!kind.empty() && kind != "cpu")
        hasher.add(kind);
    if (corrections > 0)
        hasher.add(static_cast<std::int64_t>(corrections));
    return hasher.hex();
}

std::string partialRefused(const Manifest &manifest)
{
    return "The result of " + manifest.analysis + " on " + manifest.data + " is partial ("
         + std::to_string(manifest.examples) + " of " + std::to_string(manifest.totalExamples)
         + " examples; its analysis was cancelled): run it to the end first";
}

} // namespace headscope
