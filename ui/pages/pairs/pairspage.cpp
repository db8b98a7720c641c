#include "ui/pages/pairs/pairspage.h"

#include "core/exporting/csv.h"
#include "ui/charts/chartexport.h"
#include "ui/models/numbertext.h"
#include "ui/views/captionlabel.h"
#include "ui/views/errorlabel.h"
#include "ui/views/flowlayout.h"
#include "ui/views/foldingside.h"
#include "ui/views/headgridview.h"
#include "ui/views/manifesttext.h"
#include "ui/views/matrixchart.h"
#include "ui/views/pageparts.h"
#include "ui/views/waysbutton.h"

#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {
constexpr std::int64_t kLikeliest = 200;
constexpr std::int64_t kMany = 1000;
constexpr std::size_t kMostLinks = 60; ///< lines that can still be told apart

enum class PairsShown { All, Significant, OfSelected };
} // namespace

/// The rows of the list that are asked for.
class PairsFilter final : public QSortFilterProxyModel
{
public:
    explicit PairsFilter(QObject *parent) : QSortFilterProxyModel(parent) { }

    void show(PairsShown shown, std::set<HeadRef> selected)
    {
        m_shown = shown;
        m_selected = std::move(selected);
        invalidateFilter();
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex &) const override
    {
        const PairsModel::Row &one
            = static_cast<const PairsModel *>(sourceModel())->rows()[static_cast<std::size_t>(row)];
        const auto isSelected = [&](const HeadRef &head) { return m_selected.contains(head); };
        return m_shown == PairsShown::All || (m_shown == PairsShown::Significant && one.verdict != PairVerdict::Unclear)
            || (m_shown == PairsShown::OfSelected && std::ranges::any_of(one.heads, isSelected));
    }

private:
    PairsShown m_shown = PairsShown::All;
    std::set<HeadRef> m_selected;
};

PairsPage::PairsPage(StudyState &state, StudyController &controller, QWidget *parent)
    : Page(state, controller, parent), m_cells(new HeadGridModel(this)), m_model(new PairsModel(this)),
      m_filtered(new PairsFilter(this)), m_analysis(new QAction(tr("&Pairs of heads now"), this))
{
    QWidget *top = makeTop();
    m_summary = new CaptionLabel(this);
    m_note = makeNote(this);
    m_error = new ErrorLabel(this);
    auto *beside = new QSplitter(Qt::Horizontal, this);
    m_grid = new HeadGridView(m_state, *m_cells, beside);
    beside->addWidget(m_grid);
    beside->addWidget(makeSide(beside));
    splitEvenly(*beside);
    layOutPage(*this, {top, m_summary, m_note, m_error}, beside, true);
    connectAll();
}

PageInfo PairsPage::info()
{
    return {u"pairs"_s, tr("Pa&irs")};
}

QWidget *PairsPage::makeTop()
{
    auto *top = new QWidget(this);
    m_title = makeTitle(top);
    m_domain = makeMeasuredChoice(top);
    m_compute = new QPushButton(tr("&Compute"), top);
    reserveTime(*m_compute, tr("&Compute"));
    m_scope = makeChoice<Scope>(
        top, tr("Which pairs are measured"),
        tr("Likely pairs are found by gradients, which cost one backward pass: those that should cost "
           "more, or less, together than each by itself"),
        {{tr("the %1 likeliest pairs").arg(countText(kLikeliest)), Scope::Likeliest},
         {tr("the %1 likeliest pairs").arg(countText(kMany)), Scope::Many},
         {tr("all pairs"), Scope::All},
         {tr("pairs of the selected heads"), Scope::Selected},
         {tr("pairs and triples of the selected heads"), Scope::SelectedTriples}});
    m_results = new QComboBox(top);
    m_results->setObjectName(u"pairsResult"_s);
    m_results->setAccessibleName(tr("Which result is shown"));
    m_results->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    auto *flow = new FlowLayout(top);
    addWidgets(*flow, {m_title, m_domain, m_compute, m_scope, m_results});
    return top;
}

QWidget *PairsPage::makeSide(QWidget *parent)
{
    m_tabs = new QTabWidget(this);
    m_tabs->setDocumentMode(true);
    m_matrix = new MatrixChart(tr("Interactions of heads"), m_tabs);
    auto *list = new QWidget(m_tabs);
    m_filter = new QComboBox(list);
    m_filter->setAccessibleName(tr("Which rows are listed"));
    m_filter->addItem(tr("All that were measured"), static_cast<int>(PairsShown::All));
    m_filter->addItem(tr("Significant ones"), static_cast<int>(PairsShown::Significant));
    m_filter->addItem(tr("Those with a selected head"), static_cast<int>(PairsShown::OfSelected));
    m_filtered->setSourceModel(m_model);
    m_filtered->setSortRole(SortRole);
    m_table = new QTableView(list);
    m_table->setModel(m_filtered);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(PairsModel::VerdictColumn, Qt::AscendingOrder);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setAccessibleName(tr("Interactions of heads"));
    setUpRowTable(*m_table);
    m_table->horizontalHeader()->setStretchLastSection(true);
    auto *layout = new QVBoxLayout(list);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->addWidget(m_filter, 0, Qt::AlignLeft);
    layout->addWidget(m_table, 1);
    addTab(*m_tabs, m_matrix, tr("Matrix"),
           tr("Interactions of all pairs measured: heads that stand in for each other lie together"));
    addTab(*m_tabs, list, tr("List"), tr("Every pair with its interval"));
    auto *side = new FoldingSide(tr("Matrix and list"), u"pairsSide"_s, u"panel"_s, FoldingSide::Edge::Right, parent);
    side->setRoomWanted(FoldingSide::kRoomForViews);
    side->setContent(m_tabs);
    return side;
}

void PairsPage::connectAll()
{
    follow(&m_state, &StudyState::modelChanged, &PairsPage::refreshNow);
    followResults(ResultKind::Interactions, &PairsPage::refreshNow);
    followDomainSwitch(*m_domain, m_state);
    follow(&m_state, &StudyState::domainViewChanged, &PairsPage::refreshNow);
    follow(&m_state, &StudyState::significanceChanged, &PairsPage::refreshContent);
    follow(&m_state, &StudyState::selectionChanged, &PairsPage::refreshSelection);
    follow(&m_state, &StudyState::hoverChanged, [this] { m_matrix->setHovered(m_state.hoveredHead()); });
    follow(&m_state, &StudyState::maskChanged, &PairsPage::refreshTexts);
    follow(&m_state, &StudyState::staleChanged, &PairsPage::refreshTexts);
    follow(&m_state, &StudyState::errorChanged, &PairsPage::refreshTexts);
    follow(&m_controller.works(), &WorkList::changed, &PairsPage::refreshTexts);
    connect(&m_state, &StudyState::maskChanged, this, [this] { m_cells->setMask(m_state.mask()); });
    connect(m_compute, &QPushButton::clicked, this, &PairsPage::compute);
    connect(m_analysis, &QAction::triggered, this, &PairsPage::compute);
    connect(m_scope, &QComboBox::currentIndexChanged, this, &PairsPage::refreshTexts);
    connect(m_filter, &QComboBox::currentIndexChanged, this, &PairsPage::refreshSelection);
    connect(m_results, &QComboBox::activated, this, [this](int index) {
        m_result = m_all[static_cast<std::size_t>(index)];
        refreshContent();
    });
    connect(m_grid, &HeadGridView::headActivated, this, &PairsPage::headActivated);
    connect(m_matrix, &MatrixChart::selectionMade, &m_state, &StudyState::setSelection);
    connect(m_matrix, &MatrixChart::hovered, &m_state, &StudyState::setHoveredHead);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &index) {
        if (!index.isValid() || m_selecting)
            return;
        const QScopedValueRollback selecting(m_selecting, true);
        const auto heads = index.data(PairsModel::kHeadsRole).value<std::vector<HeadRef>>();
        m_state.setSelection({heads.begin(), heads.end()}, heads.front());
    });
}

PairsPage::Scope PairsPage::scope() const
{
    return static_cast<Scope>(m_scope->currentData().toInt());
}

InteractionsSpec PairsPage::spec() const
{
    InteractionsSpec spec;
    spec.run = m_controller.runOptions();
    const Scope chosen = scope();
    spec.most = chosen == Scope::Likeliest ? kLikeliest : chosen == Scope::Many ? kMany : kMostRepeats;
    if (chosen == Scope::Selected || chosen == Scope::SelectedTriples)
        spec.among = toText(HeadMask({m_state.selection().begin(), m_state.selection().end()}));
    spec.triples = chosen == Scope::SelectedTriples;
    return spec;
}

void PairsPage::compute()
{
    bringUpToDate(); // the menu computes without the page being seen
    if (whyNot().isEmpty())
        m_controller.start(shown(), spec());
}

/// Hundreds of masks: only for who looks at the page.
std::vector<StudyController::Request> PairsPage::missing(Domain domain, bool shown)
{
    if (!shown || domain != this->shown() || !m_state.results(domain).interactions.empty() || !whyNot().isEmpty())
        return {};
    return {{domain, spec()}};
}

void PairsPage::refreshNow()
{
    showDomainChoice(*m_domain, m_state);
    refreshResult();
}

/// A new result is shown at once; one that was chosen stays as long as it is there.
void PairsPage::refreshResult()
{
    const auto now = m_state.results(shown()).interactions;
    const bool isNew = now.size() > m_all.size();
    m_all = now;
    const auto isShown = std::ranges::find(m_all, m_result);
    auto place = isNew || isShown == m_all.end() ? std::ssize(m_all) - 1 : isShown - m_all.begin();
    m_result = place < 0 ? nullptr : m_all[static_cast<std::size_t>(place)];
    {
        const QSignalBlocker blocker(m_results);
        m_results->clear();
        for (const auto &one : m_all)
            m_results->addItem(nameOf(*one));
        m_results->setCurrentIndex(static_cast<int>(place));
        m_results->setVisible(m_all.size() > 1);
    }
    refreshContent();
}

QString PairsPage::nameOf(const InteractionsResult &result) const
{
    const QString metric = QString::fromStdString(result.metric);
    return result.triples.empty()
             ? tr("%1: %2 of %3 pairs").arg(metric, countText(std::ssize(result.pairs)), countText(result.possible))
             : tr("%1: %2 pairs, %3 triples")
                   .arg(metric, countText(std::ssize(result.pairs)), countText(std::ssize(result.triples)));
}

GridContent PairsPage::content() const
{
    GridContent content = emptyContent(m_state.layout());
    content.measure = tr("Δ without a head");
    content.symbol = u"Δ"_s;
    content.diverging = true;
    if (!m_result)
        return content;
    const QString metric = QString::fromStdString(m_result->metric);
    content.measure = tr("Δ %1 without a head").arg(metric);
    content.symbol = tr("Δ %1").arg(metric);
    content.better = m_result->better;
    content.format = metricFormat(metric);
    content.examples = m_result->examples;
    content.totalExamples = m_result->manifest.totalExamples;
    content.manifests = {m_result->manifest};
    content.dataName = QString::fromStdString(m_result->manifest.data);
    for (const HeadAlone &head : m_result->heads) {
        const auto index = content.layout.indexOf(head.head);
        if (index >= 0) {
            content.cells[static_cast<std::size_t>(index)].value = head.delta;
            content.cells[static_cast<std::size_t>(index)].examples = m_result->examples;
        }
    }
    double largest = 0;
    for (const PairsModel::Row &row : m_model->rows()) { // the largest come first
        if (row.heads.size() != 2 || row.verdict == PairVerdict::Unclear || content.links.size() >= kMostLinks)
            continue;
        largest = std::max(largest, std::abs(row.interaction));
        content.links.push_back({row.heads[0], row.heads[1], row.verdict == PairVerdict::Synergetic,
                                 largest > 0 ? std::abs(row.interaction) / largest : 0});
    }
    return content;
}

void PairsPage::refreshContent()
{
    {
        const QScopedValueRollback selecting(m_selecting, true);
        m_model->setResult(m_result, m_state.significance());
    }
    m_matrix->setSeries(
        m_result ? makeMatrixSeries(*m_result, tr("interaction (Δ %1)").arg(QString::fromStdString(m_result->metric)))
                 : MatrixSeries());
    m_cells->setContent(content());
    m_cells->setMask(m_state.mask());
    m_table->resizeColumnsToContents();
    refreshSelection();
}

void PairsPage::refreshSelection()
{
    m_matrix->setSelection(m_state.selection());
    const auto shownRows = static_cast<PairsShown>(m_filter->currentData().toInt());
    if (!m_selecting) {
        const QScopedValueRollback selecting(m_selecting, true);
        m_filtered->show(shownRows, m_state.selection());
        const int row = m_model->rowOf({m_state.selection().begin(), m_state.selection().end()});
        m_table->setCurrentIndex(m_filtered->mapFromSource(m_model->index(row, PairsModel::HeadsColumn)));
    }
    refreshTexts();
}

/// What the mean says of removing heads one by one.
QString PairsPage::meanText(const MeanInteraction &mean, const ValueFormat &format)
{
    const QString value = format.difference(mean.interaction);
    const QString interval = format.interval(mean.interval, true);
    switch (mean.single) {
    case SingleAblation::Understates:
        return tr("The mean interaction is %1 %2: removing heads one by one understates what they do.")
            .arg(value, interval);
    case SingleAblation::Overstates:
        return tr("The mean interaction is %1 %2: removing heads one by one overstates what they do.")
            .arg(value, interval);
    case SingleAblation::Withheld:
        return tr("The mean interaction is %1 %2. It says nothing of single ablation: not all pairs were measured, or "
                  "too few examples.")
            .arg(value, interval);
    case SingleAblation::Unclear:
        break;
    }
    return tr("The mean interaction is %1 %2, which may be zero.").arg(value, interval);
}

QString PairsPage::summary() const
{
    if (!m_result)
        return {};
    const MeanInteraction &mean = m_result->mean;
    const ValueFormat format = metricFormat(QString::fromStdString(m_result->metric));
    QString text = staleText(m_state, shown(), m_result->manifest);
    if (!text.isEmpty())
        text += u' ';
    std::int64_t redundant = 0, synergetic = 0;
    for (const PairsModel::Row &row : m_model->rows()) {
        redundant += row.heads.size() == 2 && row.verdict == PairVerdict::Redundant ? 1 : 0;
        synergetic += row.heads.size() == 2 && row.verdict == PairVerdict::Synergetic ? 1 : 0;
    }
    text += tr("%1 of %2 pairs measured on %3 examples: %4 stand in for each other, %5 need each other (%6).")
                .arg(countText(std::ssize(m_result->pairs)), countText(m_result->possible),
                     countText(m_result->examples), countText(redundant), countText(synergetic),
                     m_state.significance().text());
    if (std::isfinite(mean.interval.low) && mean.interval.low < mean.interval.high)
        text += u' ' + meanText(mean, format);
    if (redundant + synergetic > static_cast<std::int64_t>(kMostLinks))
        text += u' ' + tr("The grid has lines for the %1 largest.").arg(countText(kMostLinks));
    return text;
}

QString PairsPage::whyNot() const
{
    if (const QString why = m_controller.whyNotReady(); !why.isEmpty())
        return why;
    const auto &data = m_state.data(shown());
    if (!data)
        return tr("No data set is open. Choose one, then press Compute.");
    if (!data->references)
        return tr("Scores need data with references or labels.");
    const auto selected = static_cast<std::int64_t>(m_state.selection().size());
    if (scope() == Scope::Selected && selected < 2)
        return tr("Select two heads or more in the grid: Ctrl adds one.");
    if (scope() == Scope::SelectedTriples && (selected < 3 || selected > kMostTripleHeads))
        return tr("Select 3 to %1 heads in the grid: Ctrl adds one.").arg(countText(kMostTripleHeads));
    return {};
}

QString PairsPage::whyEmpty() const
{
    if (!m_state.model())
        return tr("No model is open. Open one to see which of its heads stand in for each other.");
    if (const QString why = whyNot(); !why.isEmpty())
        return why;
    if (m_controller.isComputing(ResultKind::Interactions))
        return tr("Computing: the score without each head, and without both heads of each pair.");
    return tr("Nothing has been measured yet. Press Compute: pairs of heads are removed together, and compared with "
              "what each costs by itself.");
}

void PairsPage::refreshTexts()
{
    m_title->setText(tr("<b>Which heads stand in for each other</b>, %1").arg(domainName(shown())));
    m_summary->setText(summary());
    m_matrix->setEmptyText(whyEmpty());
    const QString why = whyNot();
    const bool isSaid = !m_result && why == m_controller.whyNotReady(); // by the empty page's card
    showNote(*m_note, isSaid ? QString() : why);
    m_error->setError(m_controller.works().errorOn(info().id));
    m_compute->setEnabled(why.isEmpty());
    m_compute->setText(why.isEmpty() ? withTime(tr("&Compute"), m_controller.times().secondsOf({{shown(), spec()}}),
                                                m_controller.patience())
                                     : tr("&Compute"));
    m_compute->setToolTip(why.isEmpty() ? tr("Removes pairs of heads, and compares with removing each") : why);
}

QList<ExportItem> PairsPage::makeExportItems() const
{
    if (!m_result)
        return {};
    ExportItem grid = m_grid->exportItem();
    grid.name = tr("Pairs of heads, %1").arg(domainName(shown()));
    grid.caption += u". "_s + summary();
    grid.csv = [result = m_result] { return toCsv(*result); };
    ExportItem matrix = matrixItem(tr("Interactions of heads, %1").arg(domainName(shown())),
                                   tr("Interactions of %1 on %2, in the order of a clustering by them. %3")
                                       .arg(QString::fromStdString(m_result->manifest.model),
                                            QString::fromStdString(m_result->manifest.data), summary()),
                                   m_matrix->picture().series, {560, 720});
    matrix.csv = grid.csv;
    matrix.manifestJson = manifestsText(m_state, {&m_result->manifest});
    return {grid, matrix};
}

} // namespace headscope
