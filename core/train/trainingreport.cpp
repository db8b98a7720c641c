#include "core/train/trainingreport.h"

#include <cstddef>
#include <map>
#include <utility>

namespace headscope {

HeadLayout gatedHeads(const TrainingReport &report)
{
    std::map<HeadKind, HeadLayout::Block> blocks;
    if (!report.points.empty()) {
        for (const auto &[head, closed] : report.points.back().closed) { // by kind, layer, head
            HeadLayout::Block &block = blocks[head.kind];
            block.kind = head.kind;
            block.layers.resize(static_cast<std::size_t>(head.layer) + 1);
            block.layers.back().push_back(head.head);
        }
    }
    std::vector<HeadLayout::Block> all;
    for (auto &[kind, block] : blocks)
        all.push_back(std::move(block));
    return HeadLayout(std::move(all));
}

double expectedOpen(const TrainingPoint &point)
{
    double open = 0;
    for (const auto &[head, closed] : point.closed)
        open += 1 - closed;
    return open;
}

} // namespace headscope
