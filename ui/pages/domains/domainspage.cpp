#include "ui/pages/domains/domainspage.h"

#include "core/results/compare.h"
#include "ui/models/numbertext.h"
#include "ui/views/gridfeed.h"
#include "ui/views/manifesttext.h"
#include "ui/views/plainlabel.h"

#include <QFontMetricsF>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

constexpr int kGridWidth = 350;    ///< in a column beside the scatter
constexpr double kRowShare = 0.28; ///< of the height, for each of two grids above the scatter

/// Nothing when one of the two is not computed.
std::optional<CompareResult> compareDomains(const StudyState &state)
{
    const DomainResults &in = state.results(Domain::In);
    const DomainResults &out = state.results(Domain::Out);
    switch (state.measure()) {
    case Measure::AblationDelta:
        if (in.ablation && out.ablation)
            return compareBriefly(*in.ablation, *out.ablation);
        break;
    case Measure::Importance:
        if (in.importance && out.importance)
            return compareBriefly(*in.importance, *out.importance);
        break;
    case Measure::Confidence:
        if (in.confidence && out.confidence)
            return compareBriefly(*in.confidence, *out.confidence);
        break;
    case Measure::Relevance:
        if (in.relevance && out.relevance)
            return compareBriefly(*in.relevance, *out.relevance);
        break;
    }
    return {};
}

} // namespace

DomainsPage::DomainsPage(StudyState &state, StudyController &controller, QWidget *parent)
    : Page(state, controller, parent), m_summary(new PlainLabel(this))
{
    m_scatterTimer.setSingleShot(true);
    m_scatterTimer.setInterval(200);
    m_summary->setWordWrap(true);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_layout = new QGridLayout;
    m_layout->setSpacing(12);
    for (DomainView view : {DomainView::In, DomainView::Out, DomainView::Difference})
        m_grids[static_cast<std::size_t>(view)].box = makeGrid(view);
    m_scatter = new ScatterChart(this);
    arrange(Arrangement::Square);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->addWidget(m_summary);
    layout->addLayout(m_layout, 1);
    connectState();
}

PageInfo DomainsPage::info()
{
    return {u"domains"_s, tr("&Domains")};
}

void DomainsPage::refreshNow()
{
    arrange(fitting());
    refreshGrids();
    refreshScatter();
    m_scatter->setSelection(m_state.selection(), m_state.currentHead());
    m_scatter->setMasked(m_state.mask());
    m_scatter->setHovered(m_state.hoveredHead());
}

void DomainsPage::refreshGrids()
{
    for (const DomainView view : {DomainView::In, DomainView::Out, DomainView::Difference})
        feedGrid(m_state, *m_grids[static_cast<std::size_t>(view)].model, view);
    refreshScale();
    refreshTexts();
}

QWidget *DomainsPage::makeGrid(DomainView view)
{
    Grid &grid = m_grids[static_cast<std::size_t>(view)];
    auto *box = new QWidget(this);
    grid.title = new QLabel(box);
    grid.title->setTextFormat(Qt::RichText);
    grid.title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    grid.title->setWordWrap(true);
    grid.model = new HeadGridModel(this);
    grid.view = new HeadGridView(m_state, *grid.model, box);
    auto *layout = new QVBoxLayout(box);
    layout->setContentsMargins({});
    layout->setSpacing(2);
    layout->addWidget(grid.title);
    layout->addWidget(grid.view, 1);
    return box;
}

void DomainsPage::arrange(Arrangement arrangement)
{
    if (m_arrangement == arrangement)
        return;
    m_arrangement = arrangement;
    while (QLayoutItem *item = m_layout->takeAt(0))
        delete item;
    struct Place
    {
        int row, column, rows, columns;
    };
    struct Plan
    {
        std::array<Place, 4> places; ///< of the grids, and of the scatter
        std::array<int, 3> rowStretch;
        std::array<int, 2> columnStretch;
    };
    static const std::array<Plan, 3> kPlans{
        {{{{{0, 0, 1, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 1, 1}}}, {3, 4, 0}, {1, 1}},
         {{{{0, 0, 1, 2}, {1, 0, 1, 2}, {2, 0, 1, 1}, {2, 1, 1, 1}}}, {1, 1, 1}, {1, 1}},
         {{{{0, 0, 1, 1}, {1, 0, 1, 1}, {2, 0, 1, 1}, {0, 1, 3, 1}}}, {1, 1, 1}, {3, 2}}}};
    const Plan &plan = kPlans[static_cast<std::size_t>(arrangement)];
    for (std::size_t i = 0; i < plan.places.size(); ++i) {
        const Place &place = plan.places[i];
        QWidget *shown = i < m_grids.size() ? m_grids[i].box : m_scatter;
        m_layout->addWidget(shown, place.row, place.column, place.rows, place.columns);
    }
    for (int i = 0; i < 3; ++i)
        m_layout->setRowStretch(i, plan.rowStretch[static_cast<std::size_t>(i)]);
    for (int i = 0; i < 2; ++i)
        m_layout->setColumnStretch(i, plan.columnStretch[static_cast<std::size_t>(i)]);
    // A scatter would like to be larger.
    m_layout->setColumnMinimumWidth(0, arrangement == Arrangement::Column ? kGridWidth : 0);
    limitRows();
}

/// Stretch factors have no effect while there is less room than the size hints ask for: grids in rows leave the scatter
/// its share.
void DomainsPage::limitRows()
{
    const int most = m_arrangement == Arrangement::Rows ? static_cast<int>(height() * kRowShare) : QWIDGETSIZE_MAX;
    for (const DomainView view : {DomainView::In, DomainView::Out})
        m_grids[static_cast<std::size_t>(view)].box->setMaximumHeight(most);
}

/// The first whose cells are good; otherwise the one with the largest.
DomainsPage::Arrangement DomainsPage::fitting() const
{
    const QFontMetricsF metrics(font());
    const double footer = gridFooterHeight(metrics);
    const auto cell = [&](double widthShare, double heightShare) {
        const QSizeF room(width() * widthShare - 24, height() * heightShare - metrics.height() - 16);
        return HeadGridGeometry(m_state.layout(), room, metrics, footer).cell();
    };
    const std::array<std::pair<Arrangement, double>, 3> cells{{{Arrangement::Square, cell(0.5, 0.43)},
                                                               {Arrangement::Rows, cell(1, kRowShare)},
                                                               {Arrangement::Column, cell(0.6, 0.33)}}};
    const auto good
        = std::ranges::find_if(cells, [](const auto &one) { return one.second >= HeadGridGeometry::kGoodCell - 2; });
    return good != cells.end() ? good->first
                               : std::ranges::max_element(cells, {}, [](const auto &one) { return one.second; })->first;
}

void DomainsPage::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrange(fitting());
    limitRows();
}

void DomainsPage::connectState()
{
    for (Grid &grid : m_grids) {
        connect(grid.view, &HeadGridView::headActivated, this, &DomainsPage::headActivated);
        connect(grid.view, &HeadGridView::exportRequested, this, &DomainsPage::exportRequested);
    }
    followStudy(kMeasured, &DomainsPage::refreshGrids);
    follow(&m_scatterTimer, &QTimer::timeout, &DomainsPage::refreshScatter);
    const auto later = [this] {
        if (!m_scatterTimer.isActive())
            m_scatterTimer.start();
    };
    for (const auto signal : {&StudyState::modelChanged, &StudyState::metricChanged})
        follow(&m_state, signal, later);
    follow(&m_state, &StudyState::modelChanged, [this] { arrange(fitting()); });
    followResults(kMeasured, later);
    follow(&m_state, &StudyState::measureChanged, &DomainsPage::refreshScatter);
    follow(&m_state, &StudyState::selectionChanged,
           [this] { m_scatter->setSelection(m_state.selection(), m_state.currentHead()); });
    follow(&m_state, &StudyState::maskChanged, [this] {
        for (const Grid &grid : m_grids)
            grid.model->setMask(m_state.mask());
        m_scatter->setMasked(m_state.mask());
    });
    follow(&m_state, &StudyState::hoverChanged, [this] { m_scatter->setHovered(m_state.hoveredHead()); });
    connect(m_scatter, &ScatterChart::selectionMade, &m_state, &StudyState::setSelection);
    connect(m_scatter, &ScatterChart::hovered, &m_state, &StudyState::setHoveredHead);
}

void DomainsPage::refreshScale()
{
    const GridContent &in = m_grids[0].model->content();
    const GridContent &out = m_grids[1].model->content();
    std::vector<double> values = scaleValues(in);
    for (const double value : scaleValues(out))
        values.push_back(value);
    const ColorScale scale = scaleFor(values, out.diverging ? out : in); // relevances may be signed in one of them only
    m_grids[0].view->setScale(scale);
    m_grids[1].view->setScale(scale);
}

void DomainsPage::refreshTexts()
{
    for (DomainView view : {DomainView::In, DomainView::Out}) {
        const Domain domain = view == DomainView::In ? Domain::In : Domain::Out;
        const auto &data = m_state.data(domain);
        QString text = tr("<b>%1</b> ").arg(domainName(domain));
        const bool outdated = !m_grids[static_cast<std::size_t>(view)].model->content().stale.isEmpty();
        const GridContent &content = m_grids[static_cast<std::size_t>(view)].model->content();
        if (data && content.valueCount() > 0)
            text += tr("%1, %2").arg(QString::fromStdString(data->name).toHtmlEscaped(), content.examplesText());
        else if (data)
            text += tr("%1, examples: %2")
                        .arg(QString::fromStdString(data->name).toHtmlEscaped(), countText(data->rows));
        else
            text += tr("no data set chosen");
        if (outdated)
            text += tr(", <b>outdated</b>");
        m_grids[static_cast<std::size_t>(view)].title->setText(text);
    }
    const GridContent &difference = m_grids[2].model->content();
    QString text = tr("<b>difference</b> out-of-domain − in-domain");
    if (difference.valueCount() > 0 && difference.diverging) {
        const bool tested = std::any_of(difference.cells.begin(), difference.cells.end(),
                                        [](const HeadCell &cell) { return cell.significant.has_value(); });
        if (tested)
            text += tr(", %1 of %2 significant (%3)")
                        .arg(countText(difference.significantCount()), countText(difference.valueCount()),
                             difference.significance.text());
        else if (m_state.measure() == Measure::AblationDelta) // unhatched cells would look significant
            text += difference.partial ? tr(", not tested yet")
                                       : tr(", not tested: compute the ablation again to test it");
    }
    m_grids[2].title->setText(text);
    m_summary->setText(difference.stale.isEmpty() ? whyNothing() : difference.stale);
    m_summary->setVisible(!m_summary->text().isEmpty());
}

QString DomainsPage::whyNothing() const
{
    if (!m_state.model())
        return tr("No model is open. Open a model folder and two data sets to compare its heads on them.");
    const bool in = m_state.data(Domain::In).has_value();
    const bool out = m_state.data(Domain::Out).has_value();
    if (!in && !out)
        return tr("Two data sets are needed: choose an in-domain and an out-of-domain one.");
    if (!in || !out)
        return tr("A second data set is needed: choose the %1 one.").arg(in ? tr("out-of-domain") : tr("in-domain"));
    return {};
}

void DomainsPage::refreshScatter()
{
    const std::optional<CompareResult> comparison = compareDomains(m_state);
    QString why = whyNothing();
    if (why.isEmpty())
        why = tr("The scatter appears when %1 is known on both data sets.")
                  .arg(measureName(m_state.measure(), m_state.metricName()));
    m_scatter->setEmptyText(why);
    if (!comparison || comparison->heads.empty()) {
        m_scatter->setSeries({});
        return;
    }
    ScatterSeries series = makeScatterSeries(*comparison, domainName(Domain::In), domainName(Domain::Out),
                                             m_grids[0].model->content().format.factor);
    series.measure = measureName(m_state.measure(), m_state.metricName());
    if (m_grids[0].model->content().format.factor != 1)
        series.unit = tr("pp"); // percentage points
    m_scatter->setSeries(std::move(series));
}

std::vector<const Manifest *> DomainsPage::manifests() const
{
    std::vector<const Manifest *> list;
    for (Domain domain : kBothDomains) {
        const DomainResults &results = m_state.results(domain);
        if (m_state.measure() == Measure::AblationDelta && results.ablation)
            list.push_back(&results.ablation->manifest);
        if (m_state.measure() == Measure::Importance && results.importance)
            list.push_back(&results.importance->manifest);
        if (m_state.measure() == Measure::Confidence && results.confidence)
            list.push_back(&results.confidence->manifest);
        if (m_state.measure() == Measure::Relevance && results.relevance)
            list.push_back(&results.relevance->manifest);
    }
    return list;
}

/// Both grids on one scale in one picture: the figure of a paper.
ExportItem DomainsPage::sideBySideItem() const
{
    const ExportItem left = m_grids[0].view->exportItem();
    const ExportItem right = m_grids[1].view->exportItem();
    ExportItem item;
    item.name = tr("%1, both data sets").arg(measureName(m_state.measure(), m_state.metricName()));
    item.caption = tr("Left: %1. Right: %2. Both on the same colour scale.").arg(left.caption, right.caption);
    const double gap = 24;
    item.size = QSizeF(left.size.width() + gap + right.size.width(), std::max(left.size.height(), right.size.height()));
    item.paint = [left, right, gap](QPainter &painter, const QRectF &rect) {
        const double half = (rect.width() - gap) / 2;
        left.paint(painter, QRectF(rect.topLeft(), QSizeF(half, rect.height())));
        right.paint(painter, QRectF(rect.left() + half + gap, rect.top(), half, rect.height()));
    };
    item.csv = [series = m_scatter->picture().series] { return scatterCsv(series); };
    item.manifestJson = manifestsText(m_state, manifests());
    return item;
}

ExportItem DomainsPage::scatterItem() const
{
    ScatterPicture picture = m_scatter->picture();
    picture.palette = ViewPalette::light();
    picture.hovered.reset();
    ExportItem item;
    item.name = tr("Scatter of %1").arg(picture.series.measure);
    const QString &stale = m_grids[2].model->content().stale;
    const auto dataText = [&](Domain domain) {
        return tr("%1, %2").arg(QString::fromStdString(m_state.data(domain)->name),
                                m_grids[domain == Domain::In ? 0 : 1].model->content().examplesText());
    };
    item.caption = tr("%1 of every head, in-domain (%2) against out-of-domain (%3). %4. Dashed: equal on both.%5")
                       .arg(picture.series.measure, dataText(Domain::In), dataText(Domain::Out),
                            correlationText(picture.series), stale.isEmpty() ? QString() : u' ' + stale);
    item.size = QSizeF(520, 540);
    item.paint = [picture](QPainter &painter, const QRectF &rect) { paintScatterChart(painter, rect, picture); };
    item.csv = [series = picture.series] { return scatterCsv(series); };
    item.manifestJson = manifestsText(m_state, manifests());
    return item;
}

QList<ExportItem> DomainsPage::makeExportItems() const
{
    QList<ExportItem> items;
    const bool both = !m_scatter->picture().series.empty() && m_state.data(Domain::In) && m_state.data(Domain::Out);
    if (both)
        items << sideBySideItem() << scatterItem();
    for (const Grid &grid : m_grids) {
        if (grid.model->content().valueCount() == 0)
            continue;
        ExportItem item = grid.view->exportItem();
        if (item.manifestJson.empty())
            item.manifestJson = manifestsText(m_state, manifests());
        items << item;
    }
    return items;
}

} // namespace headscope
