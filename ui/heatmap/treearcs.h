#pragma once

#include "core/base/sentencetree.h"
#include "ui/heatmap/attentiontable.h"

#include <QString>

#include <algorithm>
#include <vector>

namespace headscope {

/// A dependency between two columns of a heat map.
struct TreeArc
{
    double dependent = 0; ///< middle of the word's columns; 0.5: of the first column
    double head = 0;
    int dependentWord = 0; ///< in the tree
    int headWord = 0;
    int level = 1;    ///< height: above every arc that it spans
    QString relation; ///< "nsubj"

    double left() const { return std::min(dependent, head); }
    double right() const { return std::max(dependent, head); }
    bool operator==(const TreeArc &) const = default;
};

/// The tree over `labels`, by their treeWords. Words without a column, and arcs within one column, are left out.
std::vector<TreeArc> makeTreeArcs(const SentenceTree &tree, const std::vector<AxisLabel> &labels);
/// Highest level; 0 without arcs.
int arcLevels(const std::vector<TreeArc> &arcs);
/// Whether one of the arc's words is among the label's.
bool touches(const TreeArc &arc, const AxisLabel &label);

} // namespace headscope
