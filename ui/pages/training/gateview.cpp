#include "ui/pages/training/gateview.h"

#include "ui/models/numbertext.h"
#include "ui/pages/training/gateseries.h"
#include "ui/state/studystate.h"
#include "ui/views/linechart.h"
#include "ui/views/readonlygrid.h"
#include "ui/views/timebar.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QSplitter>
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
    m_chart = new LineChart(tr("Open heads and score over updates"), this);
    m_time = new TimeBar(tr("Update"), kPlayGatesMs, this);
    m_apply = new QPushButton(tr("&Mask the closed heads"), this);
    auto *views = new QSplitter(this);
    views->addWidget(m_grid);
    views->addWidget(m_chart);
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
    connect(m_apply, &QPushButton::clicked, this,
            [this] { m_state.setMask(closedByNow(*m_report), tr("heads that gates closed")); });
    setReport(nullptr);
}

void GateView::setReport(std::shared_ptr<const TrainingReport> report)
{
    const bool hasGates = report && gatedHeads(*report).size() > 0;
    m_report = hasGates ? std::move(report) : nullptr;
    setVisible(hasGates);
    m_time->setCount(hasGates ? static_cast<int>(m_report->points.size()) : 0);
    m_chart->setSeries(hasGates ? makeGateSeries(*m_report) : LineSeries());
    if (hasGates)
        m_grid->setScale(probabilityScale(gateContent(*m_report, 0)));
    refreshMoment();
    refreshApply();
}

void GateView::refreshMoment()
{
    if (!m_report) {
        m_grid->setContent({});
        return m_chart->setCursor(std::nullopt);
    }
    const TrainingPoint &point = m_report->points[static_cast<std::size_t>(m_time->moment())];
    m_grid->setContent(gateContent(*m_report, static_cast<std::size_t>(m_time->moment())));
    const QString at = tr("update %1: %2 of %3 heads open")
                           .arg(countText(point.step), numberText(expectedOpen(point), 1),
                                countText(static_cast<std::int64_t>(point.closed.size())));
    m_time->setText(at);
    m_grid->setAccessibleDescription(at);
    m_chart->setCursor(static_cast<double>(point.step), at);
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
