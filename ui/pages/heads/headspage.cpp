#include "ui/pages/heads/headspage.h"

#include "core/metrics/inference.h"
#include "ui/models/numbertext.h"
#include "ui/pages/heads/headfinder.h"
#include "ui/views/elidedlabel.h"
#include "ui/views/gridexport.h"
#include "ui/views/gridfeed.h"
#include "ui/views/manifesttext.h"
#include "ui/views/pageparts.h"
#include "ui/views/plainlabel.h"
#include "ui/views/rolefilterbox.h"
#include "ui/views/waysbutton.h"

#include <QAction>
#include <QActionGroup>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QSortFilterProxyModel>
#include <QStackedLayout>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace headscope {

HeadsPage::HeadsPage(StudyState &state, StudyController &controller, QWidget *parent)
    : Page(state, controller, parent), m_model(new HeadGridModel(this)),
      m_grid(new HeadGridView(state, *m_model, this)), m_gridWithOthers(new GridWithOthers(state, m_grid, this)),
      m_table(new QTableView(this)), m_empty(new PlainLabel(this)), m_histogram(new HistogramChart(this))
{
    setFocusProxy(m_grid);
    auto *header = new QWidget(this);
    setupHeader(header);
    setupTable();
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    auto *pages = new QWidget(this);
    m_stack = new QStackedLayout(pages);
    m_stack->addWidget(m_gridWithOthers);
    m_stack->addWidget(m_table);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_histogram);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(pageMargins());
    layout->setSpacing(4);
    layout->addWidget(header);
    layout->addWidget(pages, 1);
    connectState();
}

PageInfo HeadsPage::info()
{
    return {QStringLiteral("heads"), tr("&Heads")};
}

void HeadsPage::setupHeader(QWidget *header)
{
    m_title = new ElidedLabel(header);
    makeBold(*m_title);
    m_summary = new ElidedLabel(header);
    m_finder = new HeadFinder(m_state, *m_model, header);
    m_asTable = new QToolButton(header);
    m_asTable->setText(tr("&Table"));
    m_asTable->setObjectName(QStringLiteral("asTable"));
    m_asTable->setCheckable(true);
    m_asTable->setToolTip(tr("Show the numbers as a sortable table"));
    m_asTable->setAccessibleName(tr("Show as table"));
    m_asHistogram = new QToolButton(header);
    m_asHistogram->setText(tr("H&istogram"));
    m_asHistogram->setObjectName(QStringLiteral("asHistogram"));
    m_asHistogram->setCheckable(true);
    m_asHistogram->setToolTip(tr("Distribution of the score without each head, removed one at a time"));
    m_asHistogram->setAccessibleName(tr("Show as histogram"));
    m_filter = new RoleFilterBox(m_state, header);
    setupWays(header);
    setupOrder(header);
    // What comes and goes beside it moves nothing.
    m_title->setMinimumHeight(std::max(m_ways->sizeHint().height(), m_filter->sizeHint().height()));
    auto *tools = new QHBoxLayout;
    tools->addWidget(m_title, 1);
    addWidgets(*tools, {m_filter, m_ways, m_order, m_asHistogram, m_asTable});
    auto *lines = new QVBoxLayout(header);
    lines->setContentsMargins({});
    lines->setSpacing(3);
    auto *below = new QHBoxLayout;
    below->addWidget(m_summary, 2);
    below->addWidget(m_finder, 1);
    lines->addLayout(tools);
    lines->addLayout(below);
}

void HeadsPage::setupWays(QWidget *header)
{
    m_ways = new WaysButton(
        tr("&Continue…"),
        [this] {
            const auto work = workShown();
            std::vector<StudyController::Way> ways
                = work ? m_controller.times().ways(*work) : std::vector<StudyController::Way>();
            if (const QString other = otherMetric(); !other.isEmpty())
                ways.insert(ways.begin(), {tr("The values by %1, which are there").arg(other),
                                           [this, other] { m_state.setMetric(other); }});
            return ways;
        },
        header);
}

void HeadsPage::setupOrder(QWidget *header)
{
    m_order = new QToolButton(header);
    m_order->setText(tr("Order"));
    m_order->setObjectName(QStringLiteral("gridOrder"));
    m_order->setToolTip(tr(
        "The position of layers and heads in the grid; which layer is above holds for all grids and maps. Ranks are by the "
        "measure shown, 1 for the head that matters most."));
    m_order->setAccessibleName(tr("Order of the grid"));
    m_order->setPopupMode(QToolButton::InstantPopup);
    auto *menu = new QMenu(m_order);
    auto *rows = new QActionGroup(menu);
    for (const QString &text :
         {tr("&Last layer above"), tr("&First layer above"), tr("Layers by the &mean rank of their heads")}) {
        QAction *action = menu->addAction(text);
        action->setCheckable(true);
        rows->addAction(action);
        m_rowActions.push_back(action);
    }
    menu->addSeparator();
    m_headsByRank = menu->addAction(tr("&Heads of each layer by rank"));
    m_headsByRank->setCheckable(true);
    menu->addSeparator();
    m_byKeyGroup = menu->addAction(tr("One cell for each &key group"));
    m_byKeyGroup->setCheckable(true);
    m_byKeyGroup->setObjectName(QStringLiteral("byKeyGroup"));
    menu->setToolTipsVisible(true);
    m_sorting.rows = UsualRows::instance().rows();
    m_rowActions[static_cast<std::size_t>(m_sorting.rows)]->setChecked(true);
    m_order->setMenu(menu);
    connect(menu, &QMenu::triggered, this, [this, rows] {
        const auto chosen = std::ranges::find(m_rowActions, rows->checkedAction()) - m_rowActions.begin();
        setSorting({static_cast<GridRows>(chosen), m_headsByRank->isChecked()});
        m_state.setGridUnit(m_byKeyGroup->isChecked() ? HeadUnit::KeyGroup : HeadUnit::Head);
    });
}

void HeadsPage::refreshUnit()
{
    m_byKeyGroup->setEnabled(m_state.hasKeyGroups());
    m_byKeyGroup->setChecked(m_state.gridUnit() == HeadUnit::KeyGroup);
    m_byKeyGroup->setToolTip(!m_state.model() ? tr("No model is open.")
                             : m_state.hasKeyGroups()
                                 ? tr("Ablation, importance, confidence and Shapley values of all heads that share a "
                                      "key–value head as one. Other measures are of heads.")
                                 : tr("Every head of this model has a key–value head of its own."));
}

void HeadsPage::setSorting(const GridSorting &sorting)
{
    m_sorting = sorting;
    if (sorting.rows != GridRows::ByRank)
        UsualRows::instance().set(sorting.rows); // everywhere
    m_rowActions[static_cast<std::size_t>(sorting.rows)]->setChecked(true);
    m_headsByRank->setChecked(sorting.headsByRank);
    m_grid->setSorting(sorting);
    others().setOrder(m_grid->order());
}

void HeadsPage::takeUsualRows()
{
    if (m_sorting.rows != GridRows::ByRank)
        setSorting({UsualRows::instance().rows(), m_sorting.headsByRank});
}

QJsonObject HeadsPage::arrangement() const
{
    QJsonObject kept;
    if (m_sorting.rows == GridRows::ByRank) // else it is the user's choice for all studies
        kept[QStringLiteral("rows")] = static_cast<int>(m_sorting.rows);
    if (m_sorting.headsByRank)
        kept[QStringLiteral("headsByRank")] = true;
    if (m_state.gridUnit() == HeadUnit::KeyGroup)
        kept[QStringLiteral("byKeyGroup")] = true;
    return kept;
}

void HeadsPage::setArrangement(const QJsonObject &arrangement)
{
    const bool byRank = arrangement[QStringLiteral("rows")].toInt() == static_cast<int>(GridRows::ByRank);
    setSorting({byRank ? GridRows::ByRank : UsualRows::instance().rows(),
                arrangement[QStringLiteral("headsByRank")].toBool()});
    m_state.setGridUnit(arrangement[QStringLiteral("byKeyGroup")].toBool() ? HeadUnit::KeyGroup : HeadUnit::Head);
}

void HeadsPage::setupTable()
{
    auto *sorted = new QSortFilterProxyModel(this);
    sorted->setSourceModel(m_model);
    sorted->setSortRole(SortRole);
    m_table->setModel(sorted);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(HeadGridModel::RankColumn, Qt::AscendingOrder);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setAlternatingRowColors(true);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->horizontalHeader()->setMinimumSectionSize(60);
    m_table->setAccessibleName(tr("Heads as a table"));
    m_table->setTabKeyNavigation(false); // Tab leaves it
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &HeadsPage::takeTableSelection);
    connect(m_table, &QAbstractItemView::doubleClicked, this, [this](const QModelIndex &index) {
        m_state.toggleMasks(m_model->content().whole(index.data(HeadRefRole).value<HeadRef>()));
    });
}

void HeadsPage::takeTableSelection()
{
    if (m_selecting)
        return;
    std::vector<HeadRef> heads;
    for (const QModelIndex &row : m_table->selectionModel()->selectedRows())
        heads.push_back(row.data(HeadRefRole).value<HeadRef>());
    std::optional<HeadRef> current;
    if (const QModelIndex at = m_table->currentIndex(); at.isValid())
        current = at.data(HeadRefRole).value<HeadRef>();
    m_selecting = true;
    m_state.setSelection(m_model->content().whole(heads), current);
    m_selecting = false;
}

void HeadsPage::selectInTable()
{
    if (m_selecting)
        return;
    const auto &sorted = static_cast<const QSortFilterProxyModel &>(*m_table->model());
    const auto rowOf = [&](const HeadRef &head) { return sorted.mapFromSource(m_model->indexOf(head)); };
    QItemSelection rows;
    for (const HeadRef &head : m_state.selection())
        rows.select(rowOf(head), rowOf(head));
    m_selecting = true;
    m_table->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    if (const auto &current = m_state.currentHead()) {
        m_table->selectionModel()->setCurrentIndex(rowOf(*current), QItemSelectionModel::NoUpdate);
        m_table->scrollTo(rowOf(*current));
    }
    m_selecting = false;
}

bool HeadsPage::find()
{
    m_finder->open();
    return true;
}

void HeadsPage::connectState()
{
    connect(m_model, &HeadGridModel::contentChanged, this, &HeadsPage::refreshText);
    connect(m_finder, &HeadFinder::closed, this, [this] {
        if (m_asTable->isChecked())
            m_table->setFocus();
        else
            m_grid->setFocus();
    });
    const auto shows = [this](QToolButton *button, QToolButton *other) {
        connect(button, &QToolButton::toggled, this, [this, other](bool on) {
            if (on)
                other->setChecked(false);
            refreshText();
        });
    };
    shows(m_asTable, m_asHistogram);
    shows(m_asHistogram, m_asTable);
    followStudy(measuredKinds(), &HeadsPage::refreshGrid);
    for (const auto signal : {&StudyState::rolesChanged, &StudyState::roleViewChanged, &StudyState::domainViewChanged})
        follow(&m_state, signal, [this] { m_filter->refresh(); });
    follow(&m_state, &StudyState::selectionChanged, &HeadsPage::selectInTable);
    follow(&m_state, &StudyState::maskChanged, [this] { m_model->setMask(m_state.mask()); });
    follow(&m_state, &StudyState::errorChanged, &HeadsPage::refreshText);
    follow(&m_controller.works(), &WorkList::changed, &HeadsPage::refreshText);
    connect(m_grid, &HeadGridView::headActivated, this, &HeadsPage::headActivated);
}

void HeadsPage::refreshNow()
{
    m_filter->refresh();
    refreshGrid();
    refreshText();
}

void HeadsPage::refreshGrid()
{
    refreshUnit();
    feedGrid(m_state, *m_model);
    m_gridWithOthers->refresh();
    others().setOrder(m_grid->order());
    refreshHistogram();
    selectInTable();
}

QList<ExportItem> HeadsPage::makeAllExportItems() const
{
    QList<ExportItem> items;
    for (const MeasureInfo &info : measures()) {
        for (const DomainView view : {DomainView::In, DomainView::Out, DomainView::Difference}) {
            if (info.isOfModel && view != DomainView::In) // the same whichever data are open: nothing to compare
                continue;
            HeadGridModel model;
            model.setContent(shownContent(m_state, info.measure, view));
            model.setMask(m_state.mask());
            model.setPins(m_state.pins());
            if (model.content().valueCount() > 0) {
                items << gridExportItem(m_state, model, scaleFor(model.content()), m_grid->order());
                items.back().size = sizeOnPage(*m_grid, items.back().size);
                items.back().file = gridFile(model.content(), view);
            }
        }
    }
    for (const ExportItem &item : makeExportItems()) { // what is not among the grids
        if (std::ranges::find(items, item.name, &ExportItem::name) == items.end())
            items << item;
    }
    return items;
}

QList<ExportItem> HeadsPage::makeExportItems() const
{
    if (m_model->content().valueCount() == 0)
        return {};
    QList<ExportItem> items{m_grid->exportItem()};
    if (const HistogramSeries scores = m_histogram->series(); !scores.empty()) {
        const AblationResult &ablation = *m_state.results(histogramDomain()).ablation;
        ExportItem item;
        item.name = tr("Histogram of %1 without one head, %2").arg(scores.metric, domainName(histogramDomain()));
        item.caption = tr("%1 of %2 with each of %3 heads removed by itself, on %4 (%5)")
                           .arg(scores.metric, QString::fromStdString(ablation.manifest.model), countText(scores.heads),
                                QString::fromStdString(ablation.manifest.data),
                                ablationContent(m_state.layout(), ablation).examplesText());
        item.paint = [scores](QPainter &painter, const QRectF &rect) { paintHistogram(painter, rect, {scores}); };
        item.size = QSizeF(640, 400);
        item.csv = [scores] { return histogramCsv(scores); };
        item.manifestJson = manifestsText(m_state, {&ablation.manifest});
        items << item;
    }
    if (m_asHistogram->isChecked())
        std::ranges::reverse(items); // what is looked at comes first
    return items;
}

QString HeadsPage::emptyText() const
{
    const QString error = m_controller.works().errorOn(info().id);
    if (!error.isEmpty())
        return error;
    const bool in = m_state.data(Domain::In).has_value();
    const bool out = m_state.data(Domain::Out).has_value();
    for (const Domain domain : kBothDomains) {
        const bool shown = m_state.domainView() != (domain == Domain::In ? DomainView::Out : DomainView::In);
        if (shown && m_state.data(domain) && !m_state.data(domain)->references)
            return tr("The %1 data have no references, so no head can be judged by a score. What heads attend to is on the "
                      "page Roles; their confidence: Analyse > Confidence now.")
                .arg(domainName(domain));
    }
    switch (m_state.domainView()) {
    case DomainView::In:
        if (!in)
            return tr(
                "No in-domain data yet. Press “Choose data…” in the tool bar, or drop a table or two parallel text "
                "files here.");
        break;
    case DomainView::Out:
        if (!out)
            return tr("No out-of-domain data yet. Press “Choose data…” in the tool bar.");
        break;
    case DomainView::Difference:
        if (!in || !out)
            return tr("The difference needs both an in-domain and an out-of-domain data set.");
        break;
    }
    return {};
}

/// The work on the grid's values, as far as they are not complete.
std::optional<Work> HeadsPage::workShown() const
{
    std::optional<Work> work;
    for (const Domain domain : kBothDomains) {
        const bool shown = m_state.domainView() != (domain == Domain::In ? DomainView::Out : DomainView::In);
        const auto found
            = shown ? m_controller.works().workOn(domain, kindOf(m_state.measure(), m_state.gridUnit())) : std::nullopt;
        if (found && !found->isWhole() && (!work || found->isActive()))
            work = found;
    }
    return work;
}

/// By which heads have values of the measure, while they have none by the metric that is chosen; else empty.
QString HeadsPage::otherMetric() const
{
    if (m_model->content().valueCount() > 0)
        return {};
    return m_state.otherMetric(m_state.shownDomain(), kindOf(m_state.measure()).kind);
}

/// Of how many heads, on how many examples, there are values.
QString HeadsPage::valuesThere(const GridContent &content) const
{
    const auto values = content.valueCount();
    QString there;
    if (values > 0 && values < content.layout.size())
        there = (content.byKeyGroup ? tr("%1 of %2 key groups, %3.") : tr("%1 of %2 heads, %3."))
                    .arg(countText(values), countText(content.layout.size()), content.examplesText());
    else if (values > 0)
        there = (content.byKeyGroup ? tr("All key groups on %1.") : tr("All heads on %1.")).arg(content.examplesText());
    if (!content.sum.isEmpty())
        there += u' ' + content.sum + u'.';
    return there;
}

QString HeadsPage::stageOfWork(const GridContent &content) const
{
    const std::optional<Work> work = workShown();
    const auto values = content.valueCount();
    QString there = valuesThere(content);
    if (const QString other = otherMetric(); !work && !other.isEmpty())
        return tr("There are values by %1, none by %2: choose under Continue.").arg(other, m_state.metricName());
    if (values > 0 && content.diverging && content.examples < kFewExamples)
        there += u' ' + tr("They say little of others: of fewer than 6 nothing can be significant.");
    if (!work)
        return there.isEmpty() ? tr("Not computed yet: Analyse > Compute what is missing.") : there;
    QString stage;
    switch (work->stage) {
    case WorkStage::Queued:
        stage = tr("Waiting for other work.");
        break;
    case WorkStage::Paused:
        stage = tr("Paused while other work is done.");
        break;
    case WorkStage::Running:
        stage = values == 0 ? tr("Computing: cells fill in as results arrive.") : tr("Being refined.");
        if (values > 0 && work->secondsLeft > m_controller.patience())
            stage = tr("Being refined, %1 left.").arg(aboutTimeText(work->secondsLeft));
        break;
    case WorkStage::Partial:
        stage = work->isPutOff ? tr("Paused, for the rest takes %1. Continue… > All %2 examples computes it in full.")
                                     .arg(aboutTimeText(work->secondsLeft), countText(work->total))
                               : tr("Stopped: Analyse > Compute what is missing computes the rest.");
        break;
    case WorkStage::Failed:
        stage = tr("It failed: the study panel says why.");
        break;
    default:
        break;
    }
    return there.isEmpty() ? stage : there + u' ' + stage;
}

QString HeadsPage::histogramSummary(const HistogramSeries &scores) const
{
    std::int64_t significant = 0;
    for (const HistogramSeries::Bin &bin : scores.bins)
        significant += bin.significant;
    const QString summary
        = tr("Each of %1 heads removed by itself, on %2; %3 change the score significantly (%4).")
              .arg(countText(scores.heads),
                   m_histogramOf ? ablationContent(m_state.layout(), *m_histogramOf).examplesText() : QString(),
                   countText(significant), scores.significance.text());
    const QString stale = staleText(m_state, histogramDomain(), m_histogramOf->manifest);
    return stale.isEmpty() ? summary : stale + u' ' + summary;
}

void HeadsPage::refreshText()
{
    const GridContent &content = m_model->content();
    m_ways->refresh();
    m_table->setColumnHidden(HeadGridModel::McNemarColumn, !content.hasMcnemar());
    m_table->setColumnHidden(HeadGridModel::RoleColumn, !content.hasRoles());
    const QString nothing = emptyText();
    const auto values = content.valueCount();
    m_title->setText(gridCaption(content));
    QString summary;
    if (values == 0) {
        summary = stageOfWork(content);
    } else {
        if (content.partial)
            summary = stageOfWork(content) + u' ';
        const bool tested = std::any_of(content.cells.begin(), content.cells.end(),
                                        [](const HeadCell &cell) { return cell.significant.has_value(); });
        if (tested)
            summary += (content.byKeyGroup ? tr("%1 of %2 key groups differ significantly from zero (%3)")
                                           : tr("%1 of %2 heads differ significantly from zero (%3)"))
                           .arg(countText(content.significantCount()), countText(values), content.significance.text());
        if (!content.stale.isEmpty())
            summary = content.stale + u' ' + summary;
    }
    const bool empty = values == 0 && !nothing.isEmpty();
    m_empty->setText(nothing);
    m_summary->setText(empty ? QString() : summary);
    const HistogramSeries &scores = m_histogram->series();
    const bool asHistogram = m_asHistogram->isChecked() && !scores.empty();
    if (asHistogram) {
        m_title->setText(tr("%1 without one head, %2").arg(scores.metric, domainName(histogramDomain())));
        m_summary->setText(histogramSummary(scores));
    }
    m_asHistogram->setEnabled(!scores.empty());
    m_stack->setCurrentIndex(asHistogram ? 3 : empty ? 2 : m_asTable->isChecked() ? 1 : 0);
}

/// The one that the grid shows, as far as it shows one.
Domain HeadsPage::histogramDomain() const
{
    const bool out = m_state.domainView() == DomainView::Out || !m_state.results(Domain::In).ablation;
    return out && m_state.results(Domain::Out).ablation ? Domain::Out : Domain::In;
}

void HeadsPage::refreshHistogram()
{
    const auto &ablation = m_state.results(histogramDomain()).ablation;
    if (ablation == m_histogramOf && m_histogram->series().significance == m_state.significance())
        return; // another result has changed
    m_histogramOf = ablation;
    const bool drawn = ablation && isComparable(*ablation, m_state.layout().size());
    HistogramSeries series = drawn ? makeHistogramSeries(*ablation, m_state.significance()) : HistogramSeries();
    series.significance = m_state.significance();
    m_histogram->setSeries(std::move(series));
    refreshText();
}

} // namespace headscope
