#include "core/results/reportcontents.h"

#include <set>

namespace headscope {

std::vector<Manifest> manifestsOf(const ReportContents &contents)
{
    std::vector<Manifest> manifests;
    std::set<std::string> seen;
    const auto add = [&](const Manifest &manifest) {
        if (!manifest.analysis.empty() && seen.insert(manifest.key() + manifest.command).second)
            manifests.push_back(manifest);
    };
    for (const ReportDomain &domain : contents.domains) {
        add(domain.ablation.manifest);
        add(domain.allButOne.manifest);
        if (domain.bestHeads)
            add(domain.bestHeads->manifest);
        add(domain.importance.manifest);
        for (const PruningResult &pruning : domain.pruning)
            add(pruning.manifest);
        if (domain.kinds)
            add(domain.kinds->manifest);
        if (domain.search)
            add(domain.search->manifest);
        if (domain.roles)
            add(domain.roles->manifest);
        if (domain.relevance)
            add(domain.relevance->manifest);
        if (domain.similarity)
            add(domain.similarity->manifest);
        if (domain.gradients)
            add(domain.gradients->manifest);
    }
    if (contents.dynamics)
        add(contents.dynamics->manifest);
    if (contents.speed)
        add(contents.speed->manifest);
    if (contents.energy)
        add(contents.energy->manifest);
    return manifests;
}

std::vector<std::string> keysOf(const ReportContents &contents)
{
    std::vector<std::string> keys;
    for (const Manifest &manifest : manifestsOf(contents))
        keys.push_back(manifest.key());
    return keys;
}

} // namespace headscope
