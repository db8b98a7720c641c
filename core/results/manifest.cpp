#include "core/results/manifest.h"

#include "core/formats/hash.h"

namespace headscope {

std::string Manifest::key() const
{
    Hasher hasher;
    for (const std::string *text : {&analysis, &version, &weightsHash, &dataHash, &spec, &dtype})
        hasher.add(std::string_view(*text));
    hasher.add(totalExamples);
    if (!settingsHash.empty()) // older results keep their keys
        hasher.add(std::string_view(settingsHash));
    return hasher.hex();
}

} // namespace headscope
