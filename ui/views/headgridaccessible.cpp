#include "ui/views/headgridaccessible.h"

#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"
#include "ui/views/headgridview.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QCoreApplication>
#include <QHash>
#include <QKeySequence>
#include <QPointer>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace headscope {
namespace {

struct AccessibleWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::HeadGridAccessible)
};

/// Places of a grid as a table counts them.
class Places
{
public:
    explicit Places(const HeadGridView &view) : m_view(view) { }

    int rows() const
    {
        int count = 0;
        for (const HeadGridGeometry::Block &block : blocks())
            count += block.rows;
        return count;
    }
    int columns() const
    {
        int count = 0;
        for (const HeadGridGeometry::Block &block : blocks())
            count = std::max(count, block.columns);
        return count;
    }
    /// Nothing: no such row.
    std::optional<std::pair<HeadKind, int>> layerAt(int row) const
    {
        for (const HeadGridGeometry::Block &block : blocks()) {
            if (row < 0)
                break;
            if (row < block.rows)
                return std::pair{block.kind, m_view.order().layerAt(block.kind, block.rows - 1 - row)};
            row -= block.rows;
        }
        return {};
    }
    /// Nothing: there is no head.
    std::optional<HeadRef> headAt(int row, int column) const
    {
        const auto layer = layerAt(row);
        if (!layer || column < 0 || column >= columns())
            return {};
        const HeadRef head{layer->first, layer->second, m_view.order().headAt(layer->first, layer->second, column)};
        const HeadCell *cell = m_view.model().content().cell(head); // of its group, where cells are groups
        return cell ? std::optional(cell->head) : std::nullopt;
    }
    /// −1: not in the table.
    int indexOf(const HeadRef &head) const
    {
        int above = 0;
        for (const HeadGridGeometry::Block &block : blocks()) {
            if (block.kind == head.kind) {
                const int row = above + block.rows - 1 - m_view.order().rowOf(head.kind, head.layer);
                const HeadCell *cell = m_view.model().content().cell(head);
                const int column = m_view.order().columnOf(cell ? cell->head : head);
                return cell && headAt(row, column) == cell->head ? row * columns() + column : -1;
            }
            above += block.rows;
        }
        return -1;
    }

private:
    const std::vector<HeadGridGeometry::Block> &blocks() const { return m_view.gridGeometry().blocks(); }

    const HeadGridView &m_view;
};

class Cell final : public QAccessibleInterface, public QAccessibleTableCellInterface, public QAccessibleActionInterface
{
    Q_DISABLE_COPY_MOVE(Cell)
public:
    Cell(HeadGridView &view, int row, int column) : m_view(&view), m_row(row), m_column(column) { }

    bool isValid() const override
    {
        return m_view && m_row < Places(*m_view).rows() && m_column < Places(*m_view).columns();
    }
    QObject *object() const override { return nullptr; }
    QWindow *window() const override { return m_view ? m_view->window()->windowHandle() : nullptr; }
    QAccessibleInterface *parent() const override { return QAccessible::queryAccessibleInterface(m_view); }
    QAccessibleInterface *child(int) const override { return nullptr; }
    QAccessibleInterface *childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface *) const override { return -1; }
    void setText(QAccessible::Text, const QString &) override { }
    QString text(QAccessible::Text which) const override
    {
        const auto shown = head();
        if (which == QAccessible::Name)
            return shown ? m_view->model().sentence(*shown) : AccessibleWords::tr("no head");
        return {};
    }
    QRect rect() const override
    {
        const auto shown = head();
        if (!shown)
            return {};
        const QRect cell = m_view->cellRect(*shown);
        return {m_view->viewport()->mapToGlobal(cell.topLeft()), cell.size()};
    }
    QAccessible::Role role() const override { return QAccessible::Cell; }
    QAccessible::State state() const override
    {
        QAccessible::State state;
        const auto shown = head();
        state.disabled = !shown;
        if (!shown)
            return state;
        state.selectable = state.multiSelectable = state.focusable = state.checkable = true;
        state.selected = isSelected();
        state.checked = m_view->model().mask().isMasked(*shown);
        state.focused = m_view->hasFocus() && m_view->state().currentHead() == shown;
        state.offscreen = !m_view->viewport()->rect().intersects(m_view->cellRect(*shown));
        return state;
    }
    void *interface_cast(QAccessible::InterfaceType type) override
    {
        if (type == QAccessible::TableCellInterface)
            return static_cast<QAccessibleTableCellInterface *>(this);
        if (type == QAccessible::ActionInterface)
            return static_cast<QAccessibleActionInterface *>(this);
        return nullptr;
    }

    bool isSelected() const override
    {
        const auto shown = head();
        return shown && m_view->state().selection().contains(*shown);
    }
    QList<QAccessibleInterface *> columnHeaderCells() const override { return {}; }
    QList<QAccessibleInterface *> rowHeaderCells() const override { return {}; }
    int columnIndex() const override { return m_column; }
    int rowIndex() const override { return m_row; }
    int columnExtent() const override { return 1; }
    int rowExtent() const override { return 1; }
    QAccessibleInterface *table() const override { return parent(); }

    QStringList actionNames() const override
    {
        return head() ? QStringList{pressAction(), toggleAction(), setFocusAction()} : QStringList();
    }
    QString localizedActionDescription(const QString &name) const override
    {
        if (name == pressAction())
            return AccessibleWords::tr("Selects the head");
        if (name == toggleAction())
            return AccessibleWords::tr("Masks or unmasks the head");
        return QAccessibleActionInterface::localizedActionDescription(name);
    }
    void doAction(const QString &name) override
    {
        const auto shown = head();
        if (!shown)
            return;
        if (name == toggleAction()) {
            m_view->state().toggleMasks(m_view->model().content().whole(*shown));
        } else if (name == pressAction() || name == setFocusAction()) {
            m_view->setFocus();
            m_view->state().setSelection(m_view->model().content().whole(*shown), shown);
        }
    }
    QStringList keyBindingsForAction(const QString &name) const override
    {
        return name == toggleAction() ? QStringList{QKeySequence(Qt::Key_Space).toString(QKeySequence::NativeText)}
                                      : QStringList();
    }

private:
    std::optional<HeadRef> head() const { return m_view ? Places(*m_view).headAt(m_row, m_column) : std::nullopt; }

    QPointer<HeadGridView> m_view;
    int m_row;
    int m_column;
};

class Table final : public QAccessibleWidget, public QAccessibleTableInterface
{
    Q_DISABLE_COPY_MOVE(Table)
public:
    explicit Table(HeadGridView &view) : QAccessibleWidget(&view, QAccessible::Table), m_view(view) { }

    void *interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::TableInterface ? static_cast<QAccessibleTableInterface *>(this)
                                                   : QAccessibleWidget::interface_cast(type);
    }
    int childCount() const override { return rowCount() * columnCount(); }
    QAccessibleInterface *child(int index) const override
    {
        return index < 0 || index >= childCount() ? nullptr : cellAt(index / columnCount(), index % columnCount());
    }
    int indexOfChild(const QAccessibleInterface *child) const override
    {
        auto *cell = const_cast<QAccessibleInterface *>(child)->tableCellInterface();
        return cell && cell->table() == this ? cell->rowIndex() * columnCount() + cell->columnIndex() : -1;
    }
    QAccessibleInterface *childAt(int x, int y) const override
    {
        const QPoint point = m_view.viewport()->mapFromGlobal(QPoint(x, y));
        const auto head = m_view.viewport()->rect().contains(point) ? m_view.headAt(point) : std::nullopt;
        return head ? child(Places(m_view).indexOf(*head)) : nullptr;
    }
    QAccessibleInterface *focusChild() const override
    {
        const auto &head = m_view.state().currentHead();
        return m_view.hasFocus() && head ? child(Places(m_view).indexOf(*head)) : nullptr;
    }

    QAccessibleInterface *caption() const override { return nullptr; }
    QAccessibleInterface *summary() const override { return nullptr; }
    QAccessibleInterface *cellAt(int row, int column) const override
    {
        if (row < 0 || row >= rowCount() || column < 0 || column >= columnCount())
            return nullptr;
        const std::pair place(row, column);
        if (const auto known = m_cells.constFind(place); known != m_cells.constEnd())
            return QAccessible::accessibleInterface(*known);
        auto *cell = new Cell(m_view, row, column); // owned by QAccessible's registry
        m_cells.insert(place, QAccessible::registerAccessibleInterface(cell));
        return cell;
    }
    int rowCount() const override { return Places(m_view).rows(); }
    int columnCount() const override { return Places(m_view).columns(); }
    QString rowDescription(int row) const override
    {
        const auto layer = Places(m_view).layerAt(row);
        return layer ? AccessibleWords::tr("%1, layer %2").arg(headKindTitle(layer->first), countText(layer->second))
                     : QString();
    }
    QString columnDescription(int column) const override
    {
        return AccessibleWords::tr("head %1").arg(countText(column));
    }

    int selectedCellCount() const override { return static_cast<int>(m_view.state().selection().size()); }
    QList<QAccessibleInterface *> selectedCells() const override
    {
        QList<QAccessibleInterface *> cells;
        for (const HeadRef &head : m_view.state().selection()) {
            if (auto *cell = child(Places(m_view).indexOf(head)))
                cells << cell;
        }
        return cells;
    }
    int selectedRowCount() const override { return static_cast<int>(selectedRows().size()); }
    int selectedColumnCount() const override { return static_cast<int>(selectedColumns().size()); }
    QList<int> selectedRows() const override
    {
        QList<int> rows;
        for (int row = 0; row < rowCount(); ++row) {
            if (isRowSelected(row))
                rows << row;
        }
        return rows;
    }
    QList<int> selectedColumns() const override
    {
        QList<int> columns;
        for (int column = 0; column < columnCount(); ++column) {
            if (isColumnSelected(column))
                columns << column;
        }
        return columns;
    }
    bool isRowSelected(int row) const override { return isSelected(headsOfRow(row)); }
    bool isColumnSelected(int column) const override { return isSelected(headsOfColumn(column)); }
    bool selectRow(int row) override { return select(headsOfRow(row), true); }
    bool selectColumn(int column) override { return select(headsOfColumn(column), true); }
    bool unselectRow(int row) override { return select(headsOfRow(row), false); }
    bool unselectColumn(int column) override { return select(headsOfColumn(column), false); }
    void modelChange(QAccessibleTableModelChangeEvent *) override { forgetCells(); }

protected:
    ~Table() override { forgetCells(); }

private:
    /// Where these rows and columns meet.
    std::vector<HeadRef> headsIn(int fromRow, int toRow, int fromColumn, int toColumn) const
    {
        std::vector<HeadRef> heads;
        for (int row = fromRow; row <= toRow; ++row) {
            for (int column = fromColumn; column <= toColumn; ++column) {
                if (const auto head = Places(m_view).headAt(row, column))
                    heads.push_back(*head);
            }
        }
        return heads;
    }
    std::vector<HeadRef> headsOfRow(int row) const { return headsIn(row, row, 0, columnCount() - 1); }
    std::vector<HeadRef> headsOfColumn(int column) const { return headsIn(0, rowCount() - 1, column, column); }
    bool isSelected(const std::vector<HeadRef> &heads) const
    {
        const auto &selection = m_view.state().selection();
        return !heads.empty()
            && std::ranges::all_of(heads, [&](const HeadRef &head) { return selection.contains(head); });
    }
    bool select(const std::vector<HeadRef> &heads, bool selected)
    {
        std::set<HeadRef> selection = m_view.state().selection();
        for (const HeadRef &head : m_view.model().content().whole(heads)) {
            if (selected)
                selection.insert(head);
            else
                selection.erase(head);
        }
        m_view.state().setSelection(std::move(selection), m_view.state().currentHead());
        return !heads.empty();
    }
    void forgetCells()
    {
        for (const QAccessible::Id id : std::as_const(m_cells))
            QAccessible::deleteAccessibleInterface(id);
        m_cells.clear();
    }

    HeadGridView &m_view;
    mutable QHash<std::pair<int, int>, QAccessible::Id> m_cells;
};

QAccessibleInterface *makeTable(const QString &, QObject *object)
{
    auto *view = qobject_cast<HeadGridView *>(object);
    return view ? new Table(*view) : nullptr;
}

} // namespace

void installHeadGridAccessibility()
{
    QAccessible::installFactory(makeTable);
}

} // namespace headscope
