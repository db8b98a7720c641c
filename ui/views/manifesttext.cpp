#include "ui/views/manifesttext.h"

#include "core/results/json.h"

namespace headscope {

std::string manifestsText(const std::vector<const Manifest *> &manifests)
{
    Json list = Json::array();
    for (const Manifest *manifest : manifests) {
        if (manifest)
            list.push_back(toJson(*manifest));
    }
    if (list.empty())
        return {};
    return jsonText(list.size() == 1 ? list.front() : list) + '\n';
}

} // namespace headscope
