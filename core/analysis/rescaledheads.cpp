#include "core/analysis/rescaledheads.h"

#include "core/results/results.h"

#include <cstddef>
#include <vector>

namespace headscope {

HeadScales rescaledHeads(const HeadMask &mask, const HeadLayout &layout)
{
    HeadScales scales;
    for (const HeadLayout::Block &block : layout.blocks()) {
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            const std::vector<int> &heads = block.layers[static_cast<std::size_t>(layer)];
            std::vector<HeadRef> left;
            for (const int head : heads) {
                if (const HeadRef ref{block.kind, layer, head}; !mask.isMasked(ref))
                    left.push_back(ref);
            }
            if (left.size() == heads.size())
                continue;
            for (const HeadRef &head : left)
                scales[head] = static_cast<double>(heads.size()) / static_cast<double>(left.size());
        }
    }
    return scales;
}

std::string signatureOf(const Task &task, const Metric &metric, const RunOptions &run, bool rescaled)
{
    return task.signature(metric, run) + (rescaled ? kRescaledSignature : "");
}

} // namespace headscope
