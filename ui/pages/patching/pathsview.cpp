#include "ui/pages/patching/pathsview.h"

#include "core/exporting/csv.h"
#include "ui/charts/chartexport.h"
#include "ui/models/numbertext.h"
#include "ui/models/roles.h"
#include "ui/pages/patching/pathsmodel.h"
#include "ui/views/flowlayout.h"
#include "ui/views/headgridview.h"
#include "ui/views/manifesttext.h"
#include "ui/views/matrixchart.h"
#include "ui/views/pageparts.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QSlider>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {
constexpr std::int64_t kVerified = 50;
constexpr std::int64_t kMostExactHeads = 100; ///< of a model whose paths are all computed unless one chooses otherwise
constexpr int kMostArrows = 60;               ///< that can still be told apart
constexpr int kFirstArrows = 20;

enum class RowsShown { Significant, All, OfSelected };
} // namespace

/// The rows of the list that are asked for.
class PathsFilter final : public QSortFilterProxyModel
{
public:
    explicit PathsFilter(QObject *parent) : QSortFilterProxyModel(parent) { }

    void show(PathsShown shown, const Significance &by)
    {
        m_shown = std::move(shown);
        m_by = by;
        invalidateFilter();
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex &) const override
    {
        return m_shown.includes(static_cast<const PathsModel *>(sourceModel())->path(row), m_by);
    }

private:
    PathsShown m_shown;
    Significance m_by;
};

PathsView::PathsView(StudyState &state, StudyController &controller, QWidget *parent)
    : QWidget(parent), m_state(state), m_controller(controller), m_cells(new HeadGridModel(this)),
      m_model(new PathsModel(this)), m_filtered(new PathsFilter(this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(makeChoices());
    auto *beside = new QSplitter(Qt::Horizontal, this);
    m_grid = new HeadGridView(m_state, *m_cells, beside);
    m_tabs = new QTabWidget(beside);
    m_tabs->setDocumentMode(true);
    m_matrix = new MatrixChart(tr("Paths between heads"), m_tabs);
    addTab(*m_tabs, makeList(), tr("List"), tr("Every path with its interval"));
    addTab(*m_tabs, m_matrix, tr("Matrix"),
           tr("All paths to one input, for each pair of heads: from the earlier one to the later one"));
    beside->addWidget(m_grid);
    beside->addWidget(m_tabs);
    splitEvenly(*beside);
    layout->addWidget(beside, 1);
    connectAll();
}

void PathsView::connectAll()
{
    const auto chooseMethod = [this] { m_method->setCurrentIndex(m_state.layout().size() > kMostExactHeads ? 1 : 0); };
    chooseMethod();
    connect(&m_state, &StudyState::modelChanged, this, chooseMethod);
    connect(&m_state, &StudyState::maskChanged, this, [this] { m_cells->setMask(m_state.mask()); });
    connect(&m_state, &StudyState::hoverChanged, this, [this] { m_matrix->setHovered(m_state.hoveredHead()); });
    connect(m_method, &QComboBox::currentIndexChanged, this, &PathsView::methodChanged);
    connect(m_input, &QComboBox::currentIndexChanged, this, [this] {
        refreshSelection();
        refreshMatrix();
    });
    connect(m_shown, &QComboBox::currentIndexChanged, this, &PathsView::refreshSelection);
    connect(m_arrows, &QSlider::valueChanged, this, &PathsView::refreshArrows);
    connect(m_grid, &HeadGridView::headActivated, this, &PathsView::headActivated);
    connect(m_matrix, &MatrixChart::selectionMade, &m_state, &StudyState::setSelection);
    connect(m_matrix, &MatrixChart::hovered, &m_state, &StudyState::setHoveredHead);
    connect(m_table, &QTableView::clicked, this, [this](const QModelIndex &index) {
        const PathEffect &path = m_model->path(m_filtered->mapToSource(index).row());
        m_state.setSelection(headsOf(path), path.head);
    });
}

QWidget *PathsView::makeChoices()
{
    auto *choices = new QWidget(this);
    m_method = new QComboBox(choices);
    m_method->setAccessibleName(tr("How paths are computed"));
    m_method->addItem(tr("All paths exactly"));
    m_method->addItem(tr("Estimates, the %1 strongest exactly").arg(countText(kVerified)));
    m_method->setToolTip(tr("Exactly: by runs of the pairs for every path. Estimates by gradients are cheap and can "
                            "miss a path, where attention is saturated"));
    m_input = new QComboBox(choices);
    m_input->setAccessibleName(tr("Input of the receiver"));
    m_input->addItem(tr("Q, K and V"), -1);
    for (const PathInput input : {PathInput::Query, PathInput::Key, PathInput::Value})
        m_input->addItem(u"%1: %2"_s.arg(pathInputLetter(input)).arg(pathInputName(input)), static_cast<int>(input));
    m_input->setToolTip(tr("What of the receiving head a path changes. The matrix shows one of them"));
    m_shown = makeChoice<RowsShown>(choices, tr("Which paths are shown"), {},
                                    {{tr("Significant paths"), RowsShown::Significant},
                                     {tr("All paths"), RowsShown::All},
                                     {tr("Paths of the selected heads"), RowsShown::OfSelected}});
    m_arrows = new QSlider(Qt::Horizontal, choices);
    m_arrows->setRange(1, kMostArrows);
    m_arrows->setValue(kFirstArrows);
    m_arrows->setFixedWidth(120);
    setNameAndTip(*m_arrows, tr("How many arrows"));
    auto *arrows = new QWidget(choices);
    auto *row = new QHBoxLayout(arrows);
    row->setContentsMargins(0, 0, 0, 0);
    auto *label = new QLabel(tr("Ar&rows:"), arrows);
    label->setBuddy(m_arrows);
    addWidgets(*row, {label, m_arrows});
    auto *flow = new FlowLayout(choices);
    addWidgets(*flow, {m_method, m_input, m_shown, arrows});
    return choices;
}

QWidget *PathsView::makeList()
{
    auto *list = new QWidget(m_tabs);
    m_filtered->setSourceModel(m_model);
    m_filtered->setSortRole(SortRole);
    m_table = new QTableView(list);
    m_table->setModel(m_filtered);
    m_table->setSortingEnabled(true);
    m_table->horizontalHeader()->setSortIndicator(-1, Qt::DescendingOrder); // that of the result
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setAccessibleName(tr("Paths between heads"));
    setUpRowTable(*m_table);
    m_table->horizontalHeader()->setStretchLastSection(true);
    auto *layout = new QVBoxLayout(list);
    layout->setContentsMargins(0, 4, 0, 0);
    m_listNote = makeNote(list);
    layout->addWidget(m_listNote);
    layout->addWidget(m_table, 1);
    return list;
}

PathsSpec PathsView::spec(PatchMeasure measure, PatchDirection direction) const
{
    PathsSpec spec;
    spec.run = m_controller.runOptions();
    spec.measure = measure;
    spec.direction = direction;
    if (m_method->currentIndex() == 1) {
        spec.method = PathMethod::Linear;
        spec.verify = kVerified;
    }
    return spec;
}

PathsShown PathsView::shown() const
{
    const auto rows = static_cast<RowsShown>(m_shown->currentData().toInt());
    const int input = m_input->currentData().toInt();
    PathsShown shown{.onlySignificant = rows == RowsShown::Significant,
                     .most = static_cast<std::size_t>(m_arrows->value())};
    if (input >= 0)
        shown.input = static_cast<PathInput>(input);
    if (rows == RowsShown::OfSelected)
        shown.of = m_state.selection();
    return shown;
}

void PathsView::refresh()
{
    const auto before = std::exchange(m_result, m_state.results(m_state.shownDomain()).paths);
    m_model->setResult(m_result);
    if (m_result != before)
        m_table->resizeColumnsToContents();
    refreshMatrix();
    refreshSelection();
}

void PathsView::setEmptyText(const QString &why)
{
    m_why = why;
    m_matrix->setEmptyText(why);
    refreshListNote();
}

void PathsView::refreshArrows()
{
    if (m_result) {
        m_cells->setContent(pathsContent(m_state.layout(), *m_result, shown(), m_state.significance()));
    } else {
        GridContent content = emptyContent(m_state.layout());
        content.measure = tr("Direct path to the output");
        content.symbol = tr("effect");
        m_cells->setContent(content);
    }
    m_cells->setMask(m_state.mask());
}

void PathsView::refreshMatrix()
{
    const int chosen = m_input->currentData().toInt();
    const auto input = chosen < 0 ? PathInput::Value : static_cast<PathInput>(chosen); // one at a time
    m_matrix->setSeries(m_result ? makeMatrixSeries(*m_result, m_state.layout(), input) : MatrixSeries());
}

void PathsView::refreshSelection()
{
    m_filtered->show(shown(), m_state.significance());
    m_matrix->setSelection(m_state.selection());
    refreshListNote();
    refreshArrows();
}

/// Why the list is empty.
void PathsView::refreshListNote()
{
    const auto rows = static_cast<RowsShown>(m_shown->currentData().toInt());
    QString note;
    if (!m_result)
        note = m_why;
    else if (m_filtered->rowCount() == 0)
        note = rows == RowsShown::OfSelected
                 ? tr("No head is selected whose paths could be shown. Click one in the grid.")
                 : tr("No such path is significant. “All paths” shows the strongest ones.");
    showNote(*m_listNote, note);
}

QString PathsView::summary() const
{
    if (!m_result)
        return {};
    const ValueFormat format;
    std::int64_t exact = 0, significant = 0, between = 0;
    for (const PathEffect &path : m_result->paths) {
        const bool holds = isSignificant(path, m_state.significance());
        exact += path.exact ? 1 : 0;
        significant += holds ? 1 : 0;
        between += holds && !path.together.empty() ? 1 : 0;
    }
    QString text = staleText(m_state, m_state.shownDomain(), m_result->manifest);
    if (!text.isEmpty())
        text += u' ';
    text += tr("%1 of %2 paths are significant, %3 of them between heads (%4; %5 pairs).")
                .arg(countText(significant), countText(exact), countText(between), m_state.significance().text(),
                     countText(m_result->examples));
    if (m_result->method == PathMethod::Linear && std::isfinite(m_result->agreement.pearson))
        text += u' '
              + tr("Estimates agree with %1 exact effects: r = %2.")
                    .arg(countText(m_result->agreement.count), QLocale().toString(m_result->agreement.pearson, 'f', 2));
    return text;
}

QList<ExportItem> PathsView::exportItems() const
{
    if (!m_result)
        return {};
    const QString domain = domainName(m_state.shownDomain());
    ExportItem grid = m_grid->exportItem();
    grid.name = tr("Paths between heads, %1").arg(domain);
    grid.caption += u". "_s + summary();
    grid.csv = [result = m_result] { return toCsv(*result); };
    QList<ExportItem> items{grid};
    if (const MatrixSeries &series = m_matrix->picture().series; !series.empty()) {
        ExportItem matrix
            = matrixItem(tr("Matrix of paths, %1").arg(domain),
                         tr("Paths between heads of %1 on %2: %3. %4")
                             .arg(QString::fromStdString(m_result->manifest.model),
                                  QString::fromStdString(m_result->manifest.data), series.legend, summary()),
                         series);
        matrix.csv = grid.csv;
        matrix.manifestJson = manifestsText(m_state, {&m_result->manifest});
        items << matrix;
    }
    return items;
}

} // namespace headscope
