#include "ui/pages/layers/layerspage.h"

#include "core/exporting/csv.h"
#include "ui/charts/chartexport.h"
#include "ui/charts/histogramseries.h"
#include "ui/charts/lineseries.h"
#include "ui/heatmap/colorscale.h"
#include "ui/models/gridcontent.h"
#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"
#include "ui/models/roles.h"
#include "ui/views/captionlabel.h"
#include "ui/views/errorlabel.h"
#include "ui/views/flowlayout.h"
#include "ui/views/foldingside.h"
#include "ui/views/linechart.h"
#include "ui/views/manifesttext.h"
#include "ui/views/pageparts.h"
#include "ui/views/plainlabel.h"
#include "ui/views/waysbutton.h"

#include <QComboBox>
#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedLayout>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

constexpr double kRowHeight = 22;

/// Colours of the heads' cells, one scale for the whole table.
ColorScale scaleOf(const BestHeadsModel &model)
{
    std::vector<double> values;
    if (model.result()) {
        for (const BestHead &layer : model.result()->layers) {
            for (const HeadAblation &head : layer.row)
                values.push_back(head.delta);
        }
    }
    return ColorScale::fitting(ScaleKind::Diverging, values)
        .colored(model.result() ? model.result()->baseline.better : Better::Higher);
}

/// Over the layers: the change of the score with the best head of a layer alone, a line for each kind of attention.
LineSeries makeBestHeadSeries(const BestHeadsResult &result)
{
    const QString metric = QString::fromStdString(result.baseline.name);
    const ValueFormat format = metricFormat(metric);
    LineSeries series;
    series.zeroLine = true;
    int last = 1;
    for (const BestHead &layer : result.layers) {
        const QString kind = headKindTitle(layer.kind);
        if (series.lines.empty() || series.lines.back().name != kind)
            series.lines.push_back({kind, static_cast<int>(layer.kind), {}});
        const HeadAblation &head = layer.reported;
        const bool known = std::isfinite(head.interval.low) && std::isfinite(head.interval.high);
        const QString text = LayersPage::tr("%1 alone: %2 %3, %4")
                                 .arg(QString::fromStdString(toText(head.head)), format.difference(head.delta),
                                      known ? format.interval(head.interval, true) : QString(),
                                      LayersPage::tr("%Ln examples", nullptr, static_cast<int>(result.examples)));
        series.lines.back().points.push_back({static_cast<double>(layer.layer), format.factor * head.delta,
                                              format.factor * (known ? head.interval.low : head.delta),
                                              format.factor * (known ? head.interval.high : head.delta), text});
        last = std::max(last, layer.layer);
    }
    if (series.empty())
        return series;
    fitScores(series);
    setLayers(series.axes, last);
    series.axes.xTitle = LayersPage::tr("layer whose best head is kept alone");
    series.axes.yTitle = format.unit.isEmpty() ? LayersPage::tr("Δ %1").arg(metric)
                                               : LayersPage::tr("Δ %1 (%2)").arg(metric, format.unit);
    return series;
}

class HeadCellDelegate final : public QStyledItemDelegate
{
public:
    explicit HeadCellDelegate(BestHeadsModel &model, QObject *parent) : QStyledItemDelegate(parent), m_model(model)
    {
        connect(&model, &QAbstractItemModel::modelReset, this, [this] { m_scale = scaleOf(m_model); });
    }

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        const QVariant delta = index.data(ValueRole);
        if (!delta.isValid())
            return;
        const QColor color = m_scale.color(delta.toDouble(), ViewPalette::matching(option->palette).appearance);
        option->backgroundBrush = color;
        option->palette.setColor(QPalette::Text, readableOn(color));
    }

    /// The best head of a layer has a ring.
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        if (!index.data(BestHeadsModel::kIsBestRole).toBool())
            return;
        const ViewPalette &palette = ViewPalette::matching(option.palette);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setBrush(Qt::NoBrush);
        const QRectF cell = QRectF(option.rect).adjusted(1.5, 1.5, -1.5, -1.5);
        painter->setPen(QPen(palette.paper, 3.5));
        painter->drawRoundedRect(cell, 7, 7);
        painter->setPen(QPen(palette.ink, 1.6));
        painter->drawRoundedRect(cell, 7, 7);
        painter->restore();
    }

private:
    BestHeadsModel &m_model;
    ColorScale m_scale;
};

} // namespace

LayersPage::LayersPage(StudyState &state, StudyController &controller, QWidget *parent)
    : Page(state, controller, parent), m_model(new BestHeadsModel(this))
{
    setupUi();
    connectState();
}

PageInfo LayersPage::info()
{
    return {u"layers"_s, tr("&Layers")};
}

std::vector<StudyController::Request> LayersPage::missing(Domain domain, bool)
{
    if (m_state.results(domain).allButOne)
        return {};
    return {{domain, AblationSpec{.run = m_controller.runOptions(), .allButOne = true}}};
}

/// All but one head of every layer, on every data set.
std::vector<StudyController::Request> LayersPage::wanted() const
{
    std::vector<StudyController::Request> requests;
    for (const Domain domain : kBothDomains) {
        if (m_state.data(domain))
            requests.push_back({domain, AblationSpec{.run = m_controller.runOptions(), .allButOne = true}});
    }
    return requests;
}

void LayersPage::setupUi()
{
    m_title = makeTitle(this);
    m_domain = new QComboBox(this);
    m_domain->addItem(tr("Reported in-domain"));
    m_domain->addItem(tr("Reported out-of-domain"));
    m_domain->setToolTip(
        tr("The data set that the numbers come from. Where there are two, each layer's head is chosen on the "
           "other, so that the choice does not flatter it"));
    m_compute = new QPushButton(tr("&Compute"), this);
    reserveTime(*m_compute, tr("&Compute"));
    m_ways = new WaysButton(
        tr("S&horter…"), [this] { return m_controller.times().ways(wanted()); }, this);
    m_summary = new CaptionLabel(this);
    m_error = new ErrorLabel(this);
    makeTable();
    m_empty = new PlainLabel(this);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    auto *top = new QWidget(this);
    auto *flow = new FlowLayout(top); // in two rows where the page is narrow
    addWidgets(*flow, {m_title, m_domain, m_compute, m_ways});
    auto *tableOrText = new QWidget(this);
    m_stack = new QStackedLayout(tableOrText);
    auto *split = new QSplitter(Qt::Vertical, tableOrText);
    m_chart = new LineChart(tr("What each layer loses with its best head alone"), split);
    split->addWidget(m_chart);
    split->addWidget(makeFoldingBelow(m_table, tr("Every head alone"), u"layersTable"_s, split));
    split->setChildrenCollapsible(false);
    split->setSizes({1000, 1000});
    m_stack->addWidget(split);
    m_stack->addWidget(m_empty);
    layOutPage(*this, {top, m_summary, m_error}, tableOrText);
}

void LayersPage::makeTable()
{
    m_table = new QTableView(this);
    m_table->setModel(m_model);
    m_table->setItemDelegate(new HeadCellDelegate(*m_model, m_table));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(static_cast<int>(kRowHeight) + 2);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setAccessibleName(tr("The best single head of every layer"));
    m_table->setTabKeyNavigation(false); // Tab leaves it
    // No higher than its rows: the chart has the rest.
    connect(m_model, &QAbstractItemModel::modelReset, m_table, [this] {
        const int rows = m_model->rowCount() * m_table->verticalHeader()->defaultSectionSize();
        m_table->setMaximumHeight(m_table->horizontalHeader()->sizeHint().height() + rows
                                  + m_table->horizontalScrollBar()->sizeHint().height() + 2 * m_table->frameWidth());
    });
}

void LayersPage::connectState()
{
    for (const auto signal : {&StudyState::modelChanged, &StudyState::metricChanged})
        follow(&m_state, signal, &LayersPage::refreshNow);
    followResults(ResultKind::AllButOne, &LayersPage::refreshNow);
    follow(&m_state, &StudyState::staleChanged, &LayersPage::refreshTexts);
    follow(&m_state, &StudyState::significanceChanged, &LayersPage::refreshTexts);
    follow(&m_state, &StudyState::errorChanged, &LayersPage::refreshTexts);
    follow(&m_controller.works(), &WorkList::changed, &LayersPage::refreshTexts);
    followDomainSwitch(*m_domain, m_state);
    follow(&m_state, &StudyState::domainViewChanged, &LayersPage::refreshNow);
    connect(m_compute, &QPushButton::clicked, this, &LayersPage::compute);
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex &index) {
        if (const auto head = m_model->headAt(index)) {
            m_state.selectHead(*head);
            Q_EMIT headActivated(*head);
        }
    });
}

void LayersPage::compute()
{
    for (const StudyController::Request &request : wanted())
        m_controller.start(request.domain, request.spec);
}

Domain LayersPage::reported() const
{
    return m_state.shownDomain();
}

void LayersPage::refreshNow()
{
    showDomainChoice(*m_domain, m_state);
    const Domain other = otherDomain(reported());
    const auto &report = m_state.results(reported()).allButOne;
    // The other set decides once all heads of its layers are measured.
    const auto &choose = m_state.results(other).allButOne;
    m_shown = {report, choose};
    const auto isReady = [&](const auto &result) { return result && isComparable(*result, m_state.layout().size()); };
    const bool decides
        = isReady(choose) && report && choose->heads.size() >= report->heads.size()
       && choose->manifest.weightsHash == report->manifest.weightsHash; // else one of them is of an old model
    std::optional<BestHeadsResult> shown;
    if (isReady(report)) { // heads of other examples have no best one
        auto found = bestHeads(decides ? *choose : *report, *report);
        if (found.isOk())
            shown = std::move(found).value();
    }
    m_model->setResult(std::move(shown));
    m_chart->setSeries(m_model->result() ? makeBestHeadSeries(*m_model->result()) : LineSeries());
    m_table->resizeColumnsToContents();
    m_stack->setCurrentIndex(m_model->rowCount() > 0 ? 0 : 1);
    refreshTexts();
}

void LayersPage::refreshTexts()
{
    m_title->setText(title());
    m_summary->setText(summary());
    m_empty->setText(whyEmpty());
    m_error->setError(m_controller.works().errorOn(info().id));
    const QString why = m_controller.whyNotReady();
    m_compute->setEnabled(why.isEmpty());
    m_compute->setText(withTime(tr("&Compute"), m_controller.times().secondsOf(wanted()), m_controller.patience()));
    m_ways->refresh();
    m_compute->setToolTip(why.isEmpty() ? tr("Keeps one head of a layer after the other, on every data set") : why);
}

QString LayersPage::title() const
{
    return tr("<b>One head of a layer alone</b>, %1").arg(domainName(reported()));
}

QString LayersPage::summary() const
{
    const auto &result = m_model->result();
    if (!result || result->layers.empty())
        return {};
    const auto same = std::ranges::count_if(result->layers, [&](const BestHead &layer) {
        const HeadAblation &head = layer.reported;
        return !isWorse(result->baseline.better, head.delta)
            || !m_state.significance().holds(head.p, head.pAdjusted, head.discoveryP).value_or(false);
    });
    const auto &[report, choose] = m_shown;
    const bool byOther = !result->chosenOnReported && choose;
    QString stale = !byOther                 ? staleText(m_state, reported(), report->manifest)
                  : reported() == Domain::In ? staleText(m_state, report->manifest, choose->manifest)
                                             : staleText(m_state, choose->manifest, report->manifest);
    if (!stale.isEmpty())
        stale += u' ';
    const QString choice
        = result->chosenOnReported
            ? tr("The heads were chosen on the same data, which flatters them: a second data set would show how far.")
            : tr("The heads were chosen on %1.").arg(QString::fromStdString(result->chosenOn));
    const GridContent basis = ablationContent(m_state.layout(), *report);
    return stale
         + tr("In %1 of %2 layers the best head alone is not significantly worse than all (%3; %4). %5")
               .arg(countText(same), countText(std::ssize(result->layers)), m_state.significance().textOfOthers(),
                    basis.examplesText(), choice);
}

QString LayersPage::whyEmpty() const
{
    if (!m_state.model())
        return tr("No model is open. Open a model folder to see whether one head of a layer is enough.");
    if (!m_state.data(Domain::In) && !m_state.data(Domain::Out))
        return tr("No data set is open. Choose one, then press Compute.");
    if (const QString why = m_controller.whyNotReady(); !why.isEmpty())
        return why;
    return tr(
        "Nothing has been computed yet. Press Compute: every layer is run with one of its heads after the other.");
}

/// The table on paper: columns as wide as their texts, heads' cells coloured.
/// Of the table as it is painted.
std::vector<double> LayersPage::columnWidths(QFont font) const
{
    font.setBold(true); // as the widest texts are
    const QFontMetricsF metrics(font);
    std::vector<double> widths;
    for (int column = 0; column < m_model->columnCount(); ++column) {
        double width
            = metrics.horizontalAdvance(m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        for (int row = 0; row < m_model->rowCount(); ++row)
            width = std::max(width,
                             metrics.horizontalAdvance(m_model->index(row, column).data(Qt::DisplayRole).toString()));
        widths.push_back(width + 14);
    }
    return widths;
}

void LayersPage::paintTable(QPainter &painter, const QRectF &rect) const
{
    const std::vector<double> widths = columnWidths(painter.font());
    const double sum = std::accumulate(widths.begin(), widths.end(), 0.0);
    const ColorScale scale = scaleOf(*m_model);
    const ViewPalette &palette = ViewPalette::light();
    painter.save();
    painter.translate(rect.topLeft());
    painter.scale(std::min(1.0, rect.width() / sum), std::min(1.0, rect.width() / sum));
    for (int row = -1; row < m_model->rowCount(); ++row) {
        double x = 0;
        for (int column = 0; column < m_model->columnCount(); ++column) {
            const QRectF cell(x, (row + 1) * kRowHeight, widths[static_cast<std::size_t>(column)], kRowHeight);
            x += cell.width();
            const QModelIndex index = m_model->index(row, column);
            QColor ink = palette.ink;
            QFont font = painter.font();
            font.setBold(row < 0 || index.data(BestHeadsModel::kIsBestRole).toBool());
            if (const QVariant delta = index.data(ValueRole); row >= 0 && delta.isValid()) {
                const QColor color = scale.color(delta.toDouble(), Appearance::Light);
                painter.fillRect(cell.adjusted(1, 1, -1, -1), color);
                ink = readableOn(color);
            }
            painter.setPen(ink);
            painter.save();
            painter.setFont(font);
            const QString text = row < 0 ? m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()
                                         : index.data(Qt::DisplayRole).toString();
            painter.drawText(
                cell.adjusted(7, 0, -7, 0),
                Qt::AlignVCenter | (column == BestHeadsModel::LayerColumn ? Qt::AlignLeft : Qt::AlignRight), text);
            painter.restore();
        }
    }
    painter.restore();
}

QList<ExportItem> LayersPage::makeExportItems() const
{
    if (m_model->rowCount() == 0)
        return {};
    ExportItem item;
    item.name = tr("One head a layer, %1").arg(domainName(reported()));
    item.caption = tr("%1 of %2 with one head of a layer alone. %3")
                       .arg(m_state.metricName(), QString::fromStdString(m_model->result()->manifest.model), summary());
    item.paint = [this](QPainter &painter, const QRectF &rect) { paintTable(painter, rect); };
    item.size = QSizeF(360 + 62 * (m_model->columnCount() - BestHeadsModel::FirstHeadColumn),
                       kRowHeight * (m_model->rowCount() + 1));
    item.csv = [result = *m_model->result()] { return toCsv(result); };
    item.manifestJson = manifestsText(m_state, {&m_model->result()->manifest});
    ExportItem chart = lineItem(tr("Best head alone by layer, %1").arg(domainName(reported())), item.caption,
                                m_chart->series(), {680, 360});
    chart.csv = item.csv;
    chart.manifestJson = item.manifestJson;
    return {item, chart};
}

} // namespace headscope
