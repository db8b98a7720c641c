#include "ui/heatmap/treearcs.h"

#include <optional>

namespace headscope {

namespace {

/// The columns of a word: first and last.
struct Span
{
    std::size_t first = 0;
    std::size_t last = 0;
    double middle() const { return (static_cast<double>(first) + static_cast<double>(last) + 1) / 2; }
};

std::vector<std::optional<Span>> spansOf(const SentenceTree &tree, const std::vector<AxisLabel> &labels)
{
    std::vector<std::optional<Span>> spans(tree.size());
    for (std::size_t column = 0; column < labels.size(); ++column) {
        for (const int word : labels[column].treeWords) {
            if (word < 0 || static_cast<std::size_t>(word) >= tree.size())
                continue;
            auto &span = spans[static_cast<std::size_t>(word)];
            if (!span)
                span = Span{column, column};
            span->last = column;
        }
    }
    return spans;
}

} // namespace

std::vector<TreeArc> makeTreeArcs(const SentenceTree &tree, const std::vector<AxisLabel> &labels)
{
    const auto spans = spansOf(tree, labels);
    std::vector<TreeArc> arcs;
    for (std::size_t word = 0; word < tree.size(); ++word) {
        const int head = tree[word].head;
        if (head < 0 || static_cast<std::size_t>(head) >= tree.size() || !spans[word]
            || !spans[static_cast<std::size_t>(head)])
            continue;
        const Span from = *spans[word];
        const Span to = *spans[static_cast<std::size_t>(head)];
        if (from.first == to.first && from.last == to.last)
            continue;
        arcs.push_back(
            {from.middle(), to.middle(), static_cast<int>(word), head, 1, QString::fromStdString(tree[word].relation)});
    }
    // The shortest first: an arc lies above those that it spans or meets, so that their labels do not collide.
    std::ranges::stable_sort(arcs, {}, [](const TreeArc &arc) { return arc.right() - arc.left(); });
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        for (std::size_t shorter = 0; shorter < i; ++shorter) {
            const bool overlap = arcs[shorter].left() < arcs[i].right() && arcs[i].left() < arcs[shorter].right();
            if (overlap)
                arcs[i].level = std::max(arcs[i].level, arcs[shorter].level + 1);
        }
    }
    return arcs;
}

int arcLevels(const std::vector<TreeArc> &arcs)
{
    int levels = 0;
    for (const TreeArc &arc : arcs)
        levels = std::max(levels, arc.level);
    return levels;
}

bool touches(const TreeArc &arc, const AxisLabel &label)
{
    return std::ranges::any_of(label.treeWords,
                               [&](int word) { return word == arc.dependentWord || word == arc.headWord; });
}

} // namespace headscope
