#include "ui/pages/domains/domainspage.h"

#include "core/exporting/csv.h"
#include "core/results/compare.h"
#include "ui/models/numbertext.h"
#include "ui/views/elidedlabel.h"
#include "ui/views/foldingside.h"
#include "ui/views/gridexport.h"
#include "ui/views/gridfeed.h"
#include "ui/views/gridlegendview.h"
#include "ui/views/manifesttext.h"
#include "ui/views/pageparts.h"
#include "ui/views/plainlabel.h"

#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

constexpr double kGridsShare = 0.62;  ///< of the height, at most
constexpr double kLeastScatter = 230; ///< with its heading, where it is open
constexpr int kGridGap = 12;
constexpr int kAround = 34; ///< margins of the page, and gaps between its parts
constexpr std::array kViews{DomainView::In, DomainView::Out, DomainView::Difference};
} // namespace

DomainsPage::DomainsPage(StudyState &state, StudyController &controller, QWidget *parent)
    : Page(state, controller, parent), m_summary(new PlainLabel(this))
{
    m_scatterTimer.setSingleShot(true);
    m_scatterTimer.setInterval(200);
    m_summary->setWordWrap(true);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_row = new QWidget(this);
    auto *row = new QHBoxLayout(m_row);
    row->setContentsMargins({});
    row->setSpacing(kGridGap);
    for (const DomainView view : kViews)
        row->addWidget(makeGrid(view), 1);
    m_legend = new GridLegendView(this);
    m_legend->setGrids({m_grids[0].view, m_grids[1].view, m_grids[2].view});
    m_scatter = new ScatterChart(this);
    m_scatter->setTexts([this](const HeadRef &head) { return headText(head); });
    m_below = makeFoldingBelow(m_scatter, tr("In-domain against out-of-domain"), u"domainsScatter"_s, this);
    m_below->setWidthWanted(0); // grids that are as wide as a narrow page lets them be leave its height
    connect(m_below, &FoldingSide::foldedChanged, this, &DomainsPage::shareHeight);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(pageMargins());
    layout->setSpacing(6);
    layout->addWidget(m_summary);
    layout->addWidget(m_row, 1000); // up to its largest height; the scatter has the rest
    layout->addWidget(m_legend);
    layout->addWidget(m_below, 1);
    connectState();
}

PageInfo DomainsPage::info()
{
    return {u"domains"_s, tr("&Domains")};
}

void DomainsPage::refreshNow()
{
    refreshGrids();
    refreshScatter();
    m_scatter->setSelection(m_state.selection(), m_state.currentHead());
    m_scatter->setMasked(m_state.mask());
    m_scatter->setHovered(m_state.hoveredHead());
}

void DomainsPage::refreshGrids()
{
    for (const DomainView view : kViews)
        feedGrid(m_state, *m_grids[static_cast<std::size_t>(view)].model, view);
    refreshScale();
    refreshTexts();
    shareHeight();
}

QWidget *DomainsPage::makeGrid(DomainView view)
{
    Grid &grid = m_grids[static_cast<std::size_t>(view)];
    auto *box = new QWidget(m_row);
    grid.box = box;
    grid.name = new QLabel(box);
    makeBold(*grid.name);
    grid.data = new ElidedLabel(box);
    grid.detail = new ElidedLabel(box);
    grid.detail->setForegroundRole(QPalette::PlaceholderText);
    grid.model = new HeadGridModel(this);
    grid.view = new HeadGridView(m_state, *grid.model, box);
    grid.view->setMinimumSize(100, 110);
    grid.view->setLegendShown(false);
    auto *title = new QHBoxLayout;
    title->setSpacing(6);
    title->addWidget(grid.name);
    title->addWidget(grid.data, 1);
    auto *layout = new QVBoxLayout(box);
    layout->setContentsMargins({});
    layout->setSpacing(2);
    layout->addLayout(title);
    layout->addWidget(grid.detail);
    layout->addWidget(grid.view, 1);
    return box;
}

/// The grids take the height that their cells can use, and leave the scatter its share.
void DomainsPage::shareHeight()
{
    const QFontMetricsF metrics(font());
    const double titles = 2 * metrics.height() + 6;
    const double room = height() - m_legend->sizeHint().height() - kAround;
    const double share = m_below->isFolded() ? 1 - m_below->sizeHint().height() / room
                                             : std::min(kGridsShare, 1 - kLeastScatter / std::max(room, 1.0));
    // In a narrow page, the blocks of heads stand below each other, and the page scrolls where it is low, too.
    constexpr double kNarrow = 220;
    constexpr double kStacked = 250;
    const QMargins around = pageMargins();
    QSizeF each((width() - around.left() - around.right() - 2 * kGridGap) / 3.0, room * share - titles);
    const bool narrow = each.width() < kNarrow;
    if (narrow)
        each.setHeight(std::max(each.height(), kStacked));
    const HeadGridGeometry geometry(m_state.layout(), each, metrics, 0);
    const double needed = m_state.layout().heads().empty() ? each.height() : geometry.contentSize().height();
    const int high = static_cast<int>(std::ceil(std::min(needed, each.height()) + titles));
    m_row->setMaximumHeight(m_below->isFolded() ? QWIDGETSIZE_MAX
                                                : high); // with the scatter's room, if nobody wants it
    m_row->setMinimumHeight(narrow ? high : 0);
}

void DomainsPage::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    shareHeight();
}

void DomainsPage::connectState()
{
    for (Grid &grid : m_grids) {
        connect(grid.view, &HeadGridView::headActivated, this, &DomainsPage::headActivated);
    }
    followStudy(measuredKinds(), &DomainsPage::refreshGrids);
    follow(&m_scatterTimer, &QTimer::timeout, &DomainsPage::refreshScatter);
    const auto later = [this] {
        if (!m_scatterTimer.isActive())
            m_scatterTimer.start();
    };
    for (const auto signal : {&StudyState::modelChanged, &StudyState::metricChanged})
        follow(&m_state, signal, later);
    followResults(measuredKinds(), later);
    follow(&m_state, &StudyState::measureChanged, &DomainsPage::refreshScatter);
    follow(&m_state, &StudyState::selectionChanged,
           [this] { m_scatter->setSelection(m_state.selection(), m_state.currentHead()); });
    follow(&m_state, &StudyState::maskChanged, [this] {
        for (const Grid &grid : m_grids)
            grid.model->setMask(m_state.mask());
        m_scatter->setMasked(m_state.mask());
        m_legend->update();
    });
    follow(&m_state, &StudyState::hoverChanged, [this] { m_scatter->setHovered(m_state.hoveredHead()); });
    follow(&m_state, &StudyState::pinsChanged, [this] { m_legend->update(); });
    connect(m_scatter, &ScatterChart::headActivated, this, &DomainsPage::headActivated);
    connect(m_scatter, &ScatterChart::selectionMade, &m_state, &StudyState::setSelection);
    connect(m_scatter, &ScatterChart::hovered, &m_state, &StudyState::setHoveredHead);
}

/// Differences of deltas are deltas: one scale for all three. One-sided measures have another for their difference.
void DomainsPage::refreshScale()
{
    const GridContent &in = m_grids[0].model->content();
    const GridContent &out = m_grids[1].model->content();
    const GridContent &difference = m_grids[2].model->content();
    std::vector<double> values = scaleValues(in);
    const auto add = [&](const GridContent &content) {
        const std::vector<double> more = scaleValues(content);
        values.insert(values.end(), more.begin(), more.end());
    };
    add(out);
    const bool diverging = out.diverging || in.diverging; // relevances may be signed in one of them only
    if (diverging)
        add(difference);
    const ColorScale scale = scaleFor(values, out.diverging ? out : in);
    m_grids[0].view->setScale(scale);
    m_grids[1].view->setScale(scale);
    m_grids[2].view->setScale(diverging ? std::optional(scale) : std::nullopt);
    m_legend->update();
}

void DomainsPage::refreshTitle(DomainView view)
{
    const Domain domain = view == DomainView::In ? Domain::In : Domain::Out;
    const Grid &grid = m_grids[static_cast<std::size_t>(view)];
    const GridContent &content = grid.model->content();
    const auto &data = m_state.data(domain);
    grid.name->setText(domainName(domain));
    grid.data->setText(data ? QString::fromStdString(data->name) : tr("no data set chosen"));
    QString detail;
    if (data)
        detail = content.valueCount() > 0 ? content.examplesText() : tr("nothing computed yet");
    if (!content.stale.isEmpty())
        detail = tr("outdated, %1").arg(detail);
    else if (content.valueCount() > 0 && content.diverging)
        detail = tr("%1, %2 of %3 significant")
                     .arg(detail, countText(content.significantCount()), countText(content.valueCount()));
    grid.detail->setText(detail);
}

void DomainsPage::refreshTexts()
{
    refreshTitle(DomainView::In);
    refreshTitle(DomainView::Out);
    const GridContent &difference = m_grids[2].model->content();
    QString text;
    if (difference.valueCount() > 0 && difference.diverging) {
        const bool tested = std::any_of(difference.cells.begin(), difference.cells.end(),
                                        [](const HeadCell &cell) { return cell.significant.has_value(); });
        if (tested)
            text = tr("%1 of %2 significant")
                       .arg(countText(difference.significantCount()), countText(difference.valueCount()));
        else if (m_state.measure() == Measure::AblationDelta) // unhatched cells would look significant
            text = difference.partial ? tr("not tested yet") : tr("not tested: compute the ablation again to test it");
    }
    m_grids[2].name->setText(tr("difference"));
    m_grids[2].data->setText(tr("out − in"));
    m_grids[2].detail->setText(text);
    m_summary->setText(difference.stale.isEmpty() ? whyNothing() : difference.stale);
    m_summary->setVisible(!m_summary->text().isEmpty());
}

/// On both data sets, with intervals and examples, and the difference.
QString DomainsPage::headText(const HeadRef &head) const
{
    QStringList lines;
    for (const DomainView view : kViews)
        lines << tr("%1 – %2").arg(domainViewName(view), m_grids[static_cast<std::size_t>(view)].model->sentence(head));
    return lines.join(u'\n');
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
    const std::optional<CompareResult> comparison
        = infoOf(m_state.measure()).compare(m_state.results(Domain::In), m_state.results(Domain::Out));
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
    const auto add = [&](Domain domain, HeadUnit unit) {
        if (const Manifest *manifest = infoOf(m_state.measure()).manifest(m_state.results(domain), unit))
            list.push_back(manifest);
    };
    for (const Domain domain : kBothDomains) {
        if (kindOf(m_state.measure(), m_state.gridUnit()).unit == HeadUnit::KeyGroup) // of the grids
            add(domain, HeadUnit::KeyGroup);
        add(domain, HeadUnit::Head);
    }
    return list;
}

/// As the command `compare` writes it.
std::function<std::string()> DomainsPage::csvOfBoth() const
{
    const DomainResults &in = m_state.results(Domain::In);
    const DomainResults &out = m_state.results(Domain::Out);
    return [brief = infoOf(m_state.measure()).compare(in, out),
            results = m_grids[static_cast<std::size_t>(DomainView::Difference)].model->content().results] {
        if (results.size() == 2) {
            if (const Result<CompareResult> whole = compareResults(results.front(), results.back()); whole.isOk())
                return toCsv(whole.value());
        }
        return brief ? toCsv(*brief) : std::string();
    };
}

/// What is painted of the page, light and without what is selected.
DomainsPicture DomainsPage::exportPicture() const
{
    DomainsPicture shown;
    for (const Grid &grid : m_grids) {
        GridPicture picture = grid.view->picture();
        picture.selection.clear();
        picture.current.reset();
        picture.hovered.reset();
        picture.focused = false;
        picture.palette = ViewPalette::light();
        shown.grids.push_back({std::move(picture),
                               QStringList{grid.name->text(), grid.data->text()}.join(QStringLiteral(": ")),
                               grid.detail->text()});
    }
    if (!m_below->isFolded() && !m_scatter->picture().series.empty()) {
        shown.scatter = m_scatter->picture();
        shown.scatter->palette = ViewPalette::light();
        shown.scatter->hovered.reset();
    }
    if (isVisible())
        shown.gridsHeight = m_row->height();
    return shown;
}

/// The page: the row of grids with titles and legend, and the scatter below where it is open.
ExportItem DomainsPage::sideBySideItem() const
{
    QStringList captions;
    for (const Grid &grid : m_grids)
        captions << grid.view->exportItem().caption;
    ExportItem item;
    item.name = tr("%1, both data sets").arg(measureName(m_state.measure(), m_state.metricName()));
    item.caption = tr("From left to right: %1.").arg(captions.join(QStringLiteral("; ")));
    const DomainsPicture shown = exportPicture();
    if (shown.scatter)
        item.caption
            += u' ' + tr("Below: %1 Dashed: equal on both.").arg(correlationText(shown.scatter->series) + u'.');
    item.size = sizeOnPage(*this, QSizeF(1200, shown.scatter ? 720 : 480));
    item.paint = [shown](QPainter &painter, const QRectF &rect) { paintDomains(painter, rect, shown); };
    item.csv = csvOfBoth();
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
    item.size = sizeOnPage(*m_scatter, QSizeF(1000, 360));
    item.paint = [picture](QPainter &painter, const QRectF &rect) { (void)paintScatterChart(painter, rect, picture); };
    item.csv = csvOfBoth();
    item.manifestJson = manifestsText(m_state, manifests());
    return item;
}

QList<ExportItem> DomainsPage::makeExportItems() const
{
    QList<ExportItem> items;
    const bool both = !m_scatter->picture().series.empty() && m_state.data(Domain::In) && m_state.data(Domain::Out);
    if (both)
        items << sideBySideItem() << scatterItem();
    for (const DomainView view : {DomainView::In, DomainView::Out, DomainView::Difference}) {
        const Grid &grid = m_grids[static_cast<std::size_t>(view)];
        if (grid.model->content().valueCount() == 0)
            continue;
        ExportItem item = grid.view->exportItem();
        item.file = gridFile(grid.model->content(), view);
        if (item.manifestJson.empty())
            item.manifestJson = manifestsText(m_state, manifests());
        items << item;
    }
    return items;
}

} // namespace headscope
