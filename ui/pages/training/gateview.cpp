#include "ui/pages/training/gateview.h"

#include "ui/charts/chartexport.h"
#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"
#include "ui/pages/training/gateseries.h"
#include "ui/pages/training/survivorseries.h"
#include "ui/state/studystate.h"
#include "ui/views/linechart.h"
#include "ui/views/pageparts.h"
#include "ui/views/readonlygrid.h"
#include "ui/views/timebar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace headscope {

namespace {
constexpr int kPlayGatesMs = 120; ///< runs have hundreds of points

/// Probabilities have one scale, whatever the run.
ColorScale probabilityScale(const GridContent &content)
{
    return scaleFor({0, 1}, content);
}
} // namespace

GateView::GateView(StudyState &state, QWidget *parent) : QWidget(parent), m_state(state)
{
    m_grid = new ReadOnlyGrid(tr("Gates of heads"), this);
    m_figure = new QComboBox(this);
    m_figure->setAccessibleName(tr("Figure"));
    letShrink(*m_figure, 16);
    m_chart = new LineChart(tr("Open heads and score over updates"), this);
    m_figureChart = new LineChart(tr("Heads that stay open"), this);
    m_figureChart->setEmptyText(tr("No epoch has been measured yet."));
    m_time = new TimeBar(tr("Update"), kPlayGatesMs, this);
    m_apply = new QPushButton(tr("&Mask the closed heads"), this);
    auto *views = new QSplitter(this);
    views->addWidget(m_grid);
    views->addWidget(makeCharts());
    views->setChildrenCollapsible(false);
    auto *row = new QHBoxLayout;
    row->addWidget(m_time, 1);
    row->addWidget(m_apply);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->addWidget(views, 1);
    layout->addLayout(row);
    connect(m_time, &TimeBar::momentChanged, this, &GateView::refreshMoment);
    connect(m_chart, &LineChart::chosen, this, [this](double update) {
        const auto &points = m_report->points;
        const auto found = std::ranges::find(points, std::llround(update), &TrainingPoint::step);
        if (found != points.end())
            m_time->setMoment(static_cast<int>(found - points.begin()));
    });
    connect(m_figure, &QComboBox::currentIndexChanged, this, &GateView::refreshFigures);
    connect(&m_state, &StudyState::rolesChanged, this, &GateView::refreshFigures);
    connect(m_apply, &QPushButton::clicked, this,
            [this] { m_state.setMask(closedByNow(*m_report), tr("heads that gates closed")); });
    setReport(nullptr, GateMethod::None);
}

/// The figure that is chosen, below the box that it is chosen in.
QWidget *GateView::makeCharts()
{
    auto *right = new QWidget(this);
    auto *stack = new QWidget(right);
    m_charts = new QStackedLayout(stack);
    m_charts->addWidget(m_chart);
    m_charts->addWidget(m_figureChart);
    auto *column = new QVBoxLayout(right);
    column->setContentsMargins({});
    column->addWidget(m_figure);
    column->addWidget(stack, 1);
    return right;
}

void GateView::setSweep(const std::vector<std::shared_ptr<const TrainingRun>> &runs)
{
    m_sweep = runs;
    refreshFigures();
}

void GateView::setReport(std::shared_ptr<const TrainingReport> report, GateMethod method)
{
    m_method = method;
    const bool hasGates = report && gatedHeads(*report).size() > 0;
    m_report = hasGates ? std::move(report) : nullptr;
    setVisible(hasGates);
    m_time->setCount(hasGates ? static_cast<int>(m_report->points.size()) : 0);
    m_chart->setSeries(hasGates ? makeGateSeries(*m_report) : LineSeries());
    if (hasGates)
        m_grid->setScale(probabilityScale(gateContent(*m_report, 0)));
    refreshMoment();
    refreshFigures();
    refreshApply();
}

std::vector<GateView::Figure> GateView::figures() const
{
    if (!m_report)
        return {};
    const HeadLayout gated = gatedHeads(*m_report);
    const std::vector<GateStage> epochs = stagesOf(*m_report);
    const std::vector<GateStage> ends = m_sweep.size() > 1 ? endsOf(m_sweep) : std::vector<GateStage>();
    const std::vector<GateStage> &stages = ends.empty() ? epochs : ends;
    // Of the open model: gates were given to a model like it.
    const auto found = m_state.assignedRoles(m_state.roleDomain());
    const std::vector<HeadRoles> assigned = found ? *found : std::vector<HeadRoles>();
    const auto csv = [gated, epochs, ends, assigned] {
        std::vector<GateStage> all = epochs;
        all.insert(all.end(), ends.begin(), ends.end());
        return survivorsCsv(gated, all, assigned);
    };
    std::vector<Figure> figures;
    const auto add = [&](const QString &name, const QString &caption, LineSeries series) {
        figures.push_back({name, caption, std::move(series), csv});
    };
    add(tr("Score by heads left"),
        tr("Score under the closed heads over the heads that are left (Voita et al. 2019, Figure 7)."),
        makeScoreByHeads(gated, epochs, ends));
    add(tr("Open heads by kind"), tr("Heads that stay open, by kind of attention (Voita et al. 2019, Figure 9)."),
        makeOpenKinds(gated, stages));
    for (const HeadLayout::Block &block : gated.blocks())
        add(tr("Open heads by layer, %1").arg(headKindLongName(block.kind)),
            tr("Heads that stay open, %1, by layer (Voita et al. 2019, Figure 10).").arg(headKindLongName(block.kind)),
            makeOpenLayers(gated, stages, block.kind));
    add(tr("Open heads by role"),
        tr("Heads that stay open, by the roles that they have in the open model (Voita et al. 2019, Figure 8)."),
        makeOpenRoles(gated, stages, assigned));
    if (m_method == GateMethod::L0 && !m_report->points.empty())
        figures.push_back(densities());
    return figures;
}

/// Of the gates at the moment that is shown.
GateView::Figure GateView::densities() const
{
    const auto at = static_cast<std::size_t>(m_time->moment());
    return {tr("Density of gates"),
            tr("Hard Concrete densities of the gates at update %1 (Voita et al. 2019, Figure 6).")
                .arg(countText(m_report->points[at].step)),
            makeGateDensities(*m_report, at), [report = m_report, at] { return gateDensitiesCsv(*report, at); }};
}

void GateView::refreshFigures()
{
    const std::vector<Figure> all = figures();
    {
        const QSignalBlocker blocker(m_figure);
        const QString before = m_figure->currentText();
        m_figure->clear();
        m_figure->addItem(tr("Open heads and score over updates"));
        for (const Figure &figure : all)
            m_figure->addItem(figure.name);
        m_figure->setCurrentIndex(std::max(0, m_figure->findText(before)));
    }
    const int shown = m_figure->currentIndex();
    m_charts->setCurrentIndex(shown > 0 ? 1 : 0);
    if (shown <= 0)
        return m_figureChart->setSeries({});
    const Figure &figure = all[static_cast<std::size_t>(shown - 1)];
    m_figureChart->setEmptyText(figure.name == tr("Open heads by role")
                                    ? tr("Compute roles of the open model first: heads keep them while others close.")
                                    : tr("No epoch has been measured yet."));
    m_figureChart->setSeries(figure.series);
}

QList<ExportItem> GateView::figureItems(const QString &run, const std::string &manifestJson) const
{
    QList<ExportItem> items;
    for (const Figure &figure : figures()) {
        if (figure.series.empty())
            continue;
        ExportItem item = lineItem(tr("%1, %2").arg(figure.name, run), figure.caption, figure.series);
        item.csv = figure.csv;
        item.manifestJson = manifestJson;
        items << item;
    }
    return items;
}

/// What gates are expected to leave open, and what they have decided on.
QString GateView::momentText() const
{
    const TrainingPoint &point = m_report->points[static_cast<std::size_t>(m_time->moment())];
    const QString gated = countText(static_cast<std::int64_t>(point.closed.size()));
    if (m_method != GateMethod::L0)
        return tr("update %1: %2 of %3 heads open")
            .arg(countText(point.step), numberText(expectedOpen(point), 1), gated);
    return tr("update %1: %2 of %3 heads open when decided, %4 expected")
        .arg(countText(point.step), countText(static_cast<std::int64_t>(decidedOpen(point))), gated,
             numberText(expectedOpen(point), 1));
}

void GateView::refreshMoment()
{
    if (!m_report) {
        m_grid->setContent({});
        return m_chart->setCursor(std::nullopt);
    }
    const TrainingPoint &point = m_report->points[static_cast<std::size_t>(m_time->moment())];
    m_grid->setContent(gateContent(*m_report, static_cast<std::size_t>(m_time->moment())));
    const QString at = momentText();
    m_time->setText(at);
    m_grid->setAccessibleDescription(at);
    m_chart->setCursor(static_cast<double>(point.step), at);
    if (m_charts->currentIndex() == 1)
        refreshFigures(); // densities are of the moment
}

QString GateView::whyNotApply() const
{
    if (!m_report)
        return {};
    if (m_report->epochs.empty())
        return tr("The first epoch is not finished yet.");
    const HeadMask closed = closedByNow(*m_report);
    const bool fits
        = std::ranges::all_of(closed, [this](const HeadRef &head) { return m_state.layout().contains(head); });
    if (!m_state.model() || !fits)
        return tr("Open an epoch of this run first: the mask refers to its heads.");
    return closed == m_state.mask() ? tr("Exactly these heads are masked already.") : QString();
}

void GateView::refreshApply()
{
    const QString why = whyNotApply();
    m_apply->setEnabled(m_report && why.isEmpty());
    m_apply->setToolTip(
        why.isEmpty() ? tr("Masks the heads that are closed after the last epoch, and no others, on all pages: one "
                           "step that can be undone")
                      : why);
}

} // namespace headscope
