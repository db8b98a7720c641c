#pragma once

#include "ui/models/gridcontent.h"

#include <QObject>
#include <QString>

#include <atomic>
#include <map>
#include <vector>

namespace headscope {

/// Which layer lies where in a grid.
enum class GridRows { LastAbove, FirstAbove, ByRank };

/// At which side layer 0 lies in all grids and maps that nobody has sorted by rank: the user's choice, which one page
/// offers and all follow, exported pictures too. Any thread may ask.
class UsualRows final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(UsualRows)
public:
    static UsualRows &instance();

    GridRows rows() const { return m_rows; }
    /// LastAbove or FirstAbove. On the GUI thread.
    void set(GridRows rows);

Q_SIGNALS:
    void changed();

private:
    UsualRows() = default;

    std::atomic<GridRows> m_rows = GridRows::LastAbove;
};

/// The chosen arrangement of a grid.
struct GridSorting
{
    GridRows rows = GridRows::LastAbove;
    bool headsByRank = false; ///< within each layer; else by their numbers

    bool operator==(const GridSorting &) const = default;
};

/// The place of every head in a grid. Heads keep their addresses wherever they lie.
class GridOrder
{
public:
    GridOrder() = default; ///< layers as usual (UsualRows), heads to the right, by their numbers
    /// That order of these heads.
    static GridOrder usual(const HeadLayout &layout);
    /// Sorted by what the grid shows: layers by the mean rank of their heads, the first one above; heads of a layer by
    /// rank, the first one left. What has no rank comes last.
    GridOrder(const GridContent &content, const GridSorting &sorting);

    const GridSorting &sorting() const { return m_sorting; }
    /// Whether it orders these heads, or goes by their numbers.
    bool isOf(const HeadLayout &layout) const { return m_blocks.empty() || m_layout == layout; }
    /// Rows count from below. Layers and heads that do not exist lie nowhere: −1.
    int layerAt(HeadKind kind, int row) const;
    int rowOf(HeadKind kind, int layer) const;
    int headAt(HeadKind kind, int layer, int column) const;
    int columnOf(const HeadRef &head) const;
    /// "layer ↑  head →"
    QString axesText() const;

private:
    struct Block
    {
        std::vector<int> layers;             ///< from below
        std::vector<std::vector<int>> heads; ///< of every layer, from the left
    };
    const Block *block(HeadKind kind) const;

    GridSorting m_sorting;
    HeadLayout m_layout;                ///< that were sorted
    std::map<HeadKind, Block> m_blocks; ///< empty: by number
};

} // namespace headscope
