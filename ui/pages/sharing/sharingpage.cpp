#include "ui/pages/sharing/sharingpage.h"

#include "core/analysis/energyspec.h"
#include "core/exporting/csv.h"
#include "ui/charts/chartexport.h"
#include "ui/charts/energyseries.h"
#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"
#include "ui/pages/sharing/costsmodel.h"
#include "ui/pages/sharing/mixingchart.h"
#include "ui/views/captionlabel.h"
#include "ui/views/errorlabel.h"
#include "ui/views/flowlayout.h"
#include "ui/views/foldingside.h"
#include "ui/views/linechart.h"
#include "ui/views/manifesttext.h"
#include "ui/views/pageparts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {
constexpr int kSettleMs = 600;
} // namespace

SharingPage::SharingPage(StudyState &state, StudyController &controller, QWidget *parent)
    : Page(state, controller, parent)
{
    m_settle.setSingleShot(true);
    m_settle.setInterval(kSettleMs);
    m_title = makeTitle(this);
    m_domain = makeMeasuredChoice(this);
    makeButtons();
    m_summary = new CaptionLabel(this);
    m_note = makeNote(this);
    m_error = new ErrorLabel(this);
    m_tabs = new QTabWidget(this);
    m_tabs->setDocumentMode(true);
    auto *columns = new QSplitter(Qt::Horizontal, m_tabs);
    columns->addWidget(makeScores());
    auto *side
        = new FoldingSide(tr("Energy and columns"), u"sharingSide"_s, u"panel"_s, FoldingSide::Edge::Right, columns);
    side->setRoomWanted(FoldingSide::kRoomForViews);
    side->setContent(makeBeside());
    columns->addWidget(side);
    setShares(*columns, {3, 2});
    m_tabs->addTab(columns, tr("Fewer columns"));
    addTab(*m_tabs, makeFronts(), tr("Fewer heads, too"),
           tr("Score by parameters, with projections shared, heads removed, and both in either order"));
    addTab(*m_tabs, makeCosts(), tr("Costs"), tr("Parameters, multiply-adds and time of the factorization"));
    auto *top = new QWidget(this); // a row in a wide page
    auto *flow = new FlowLayout(top);
    addWidgets(*flow, {m_title, m_publishedScale, m_save, m_compute, m_domain});
    layOutPage(*this, {top, m_summary, m_note, m_error}, m_tabs, true);
    connectAll();
}

PageInfo SharingPage::info()
{
    return {u"sharing"_s, tr("S&haring")};
}

void SharingPage::makeButtons()
{
    m_compute = new QPushButton(tr("&Compute"), this);
    m_publishedScale = new QCheckBox(tr("Scale of the &published code"), this);
    m_publishedScale->setToolTip(
        tr("Divides scores by the root of the shared width by the number of heads, which is not what the "
           "heads were trained with"));
    m_save = new QPushButton(tr("&Save shared model…"), this);
}

QWidget *SharingPage::makeScores()
{
    auto *scores = new QWidget(this);
    m_scores = new LineChart(tr("Score by columns of the query and key projections"), scores);
    m_sliderRow = new QWidget(scores);
    m_slider = new QSlider(Qt::Horizontal, m_sliderRow);
    m_slider->setFocusPolicy(Qt::StrongFocus);
    m_slider->setAccessibleName(tr("Columns of the shared projections"));
    auto *row = new QHBoxLayout(m_sliderRow);
    row->setContentsMargins({});
    row->addWidget(m_slider);
    m_position = makeSelectableText(scores);
    m_position->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    reserveLines(*m_position, 2);
    auto *layout = new QVBoxLayout(scores);
    layout->setContentsMargins({});
    layout->addWidget(m_scores, 1);
    addWidgets(*layout, {m_sliderRow, m_position});
    return scores;
}

/// The energy, and below it the columns of one attention.
QWidget *SharingPage::makeBeside()
{
    auto *beside = new QSplitter(Qt::Vertical, this);
    m_energy = new LineChart(tr("Energy of the projections by dimensions"), beside);
    auto *columns = new QWidget(beside);
    m_attention = new QComboBox(columns);
    setNameAndTip(*m_attention, tr("Attention whose columns are shown"));
    m_mixing = new MixingChart(columns);
    auto *layout = new QVBoxLayout(columns);
    layout->setContentsMargins({});
    layout->addWidget(m_attention);
    layout->addWidget(m_mixing, 1);
    beside->setChildrenCollapsible(false);
    return beside;
}

QWidget *SharingPage::makeFronts()
{
    auto *fronts = new QWidget(this);
    m_computeFront = new QPushButton(tr("Compute &with fewer heads"), fronts);
    auto *charts = new QSplitter(Qt::Vertical, fronts);
    m_front = new LineChart(tr("Score by parameters"), charts);
    m_otherFront = new LineChart(tr("Score by parameters on the other data set"), charts);
    charts->setChildrenCollapsible(false);
    auto *layout = new QVBoxLayout(fronts);
    layout->addWidget(m_computeFront, 0, Qt::AlignLeft);
    layout->addWidget(charts, 1);
    layout->setContentsMargins(0, 6, 0, 0);
    return fronts;
}

QWidget *SharingPage::makeCosts()
{
    m_costs = new CostsModel(this);
    m_costsTable = new QTableView(this);
    m_costsTable->setModel(m_costs);
    m_costsTable->setAccessibleName(tr("Costs of models with shared projections"));
    setUpRowTable(*m_costsTable);
    return m_costsTable;
}

CollaborateResult SharingPage::allPoints() const
{
    CollaborateResult all = *m_results.back();
    all.points.clear();
    for (const SharedPoint *point : sharedPoints(m_results))
        all.points.push_back(*point);
    markFronts(all);
    return all;
}

void SharingPage::refreshCosts()
{
    if (m_results.empty())
        return m_costs->setPoints({}, 0, {});
    const CollaborateResult all = allPoints();
    m_costs->setPoints(all.points, all.length, QString::fromStdString(all.metric));
}

QString SharingPage::whyNotSaved() const
{
    if (const QString why = m_controller.whyNotReady(); !why.isEmpty())
        return why;
    if (!m_state.session())
        return tr("Open a model first.");
    return m_slider->value() < fullWidth() ? QString() : tr("Move the slider to fewer columns than the model has.");
}

void SharingPage::chooseFolder()
{
    const QString folder = QFileDialog::getSaveFileName(
        this, tr("New folder for the model with shared projections"),
        QDir(QString::fromStdString(m_state.model()->folder.string()) + u"-shared-%1"_s.arg(m_slider->value())).path(),
        {}, nullptr, QFileDialog::ShowDirsOnly | QFileDialog::DontConfirmOverwrite);
    if (!folder.isEmpty())
        saveShared(folder);
}

void SharingPage::saveShared(const QString &folder)
{
    if (!whyNotSaved().isEmpty())
        return;
    m_saved.clear();
    m_controller.exports().exportShared(oneSpec(m_slider->value()), folder);
    refreshTexts();
}

void SharingPage::connectAll()
{
    connect(m_save, &QPushButton::clicked, this, &SharingPage::chooseFolder);
    connect(&m_controller.exports(), &ModelExports::sharedExported, this, [this](const QString &folder) {
        m_saved = tr("The model with shared projections was written to %1.").arg(QDir::toNativeSeparators(folder));
        refreshWhenShown([this] { refreshTexts(); });
    });
    for (const auto signal : {&StudyState::modelChanged, &StudyState::metricChanged})
        follow(&m_state, signal, &SharingPage::refreshNow);
    follow(&m_state, &StudyState::dataChanged, &SharingPage::refreshNow);
    followResults(ResultKinds(ResultKind::Sharing) | ResultKind::Energy, &SharingPage::refreshResults);
    follow(&m_state, &StudyState::staleChanged, &SharingPage::refreshTexts);
    follow(&m_state, &StudyState::errorChanged, &SharingPage::refreshTexts);
    for (const auto signal : {&JobQueue::jobAdded, &JobQueue::jobFinished})
        follow(&m_controller.queue(), signal, &SharingPage::refreshTexts);
    followDomainSwitch(*m_domain, m_state);
    follow(&m_state, &StudyState::domainViewChanged, &SharingPage::refreshNow);
    connect(m_attention, &QComboBox::activated, this, &SharingPage::refreshPosition);
    connect(m_slider, &QSlider::valueChanged, this, [this] {
        m_isPlaced = true;
        refreshPosition();
        m_settle.start();
    });
    connect(&m_settle, &QTimer::timeout, this, &SharingPage::scoreWidth);
    connect(m_scores, &LineChart::chosen, this, [this](double x) { m_slider->setValue(static_cast<int>(x)); });
    connect(m_scores, &LineChart::plotMoved, this, &SharingPage::placeSlider);
    connect(m_compute, &QPushButton::clicked, this, &SharingPage::compute);
    connect(m_computeFront, &QPushButton::clicked, this, &SharingPage::computeFront);
}

Domain SharingPage::measured() const
{
    return m_state.shownDomain();
}

/// Of all heads of an attention together: what a model that shares nothing has.
std::int64_t SharingPage::fullWidth() const
{
    std::int64_t most = m_state.model() ? m_state.model()->width : 0;
    if (m_energyResult) {
        for (const LayerEnergy &layer : m_energyResult->layers)
            most = std::max(most, layer.dimensions);
    }
    return most;
}

CollaborateSpec SharingPage::defaultSpec() const
{
    CollaborateSpec spec;
    spec.run = m_controller.runOptions();
    spec.publishedScale = m_publishedScale->isChecked();
    spec.alsoOnOther = m_state.data(otherDomain(measured())) && m_state.data(otherDomain(measured()))->references;
    return spec;
}

CollaborateSpec SharingPage::oneSpec(std::int64_t width) const
{
    CollaborateSpec spec = defaultSpec();
    spec.ranks = {width};
    spec.methods = {SharingMethod::Cp};
    spec.mixing = true;
    return spec;
}

CollaborateSpec SharingPage::frontSpec() const
{
    CollaborateSpec spec = defaultSpec();
    spec.methods = {SharingMethod::Cp};
    const auto heads = static_cast<std::int64_t>(m_state.layout().size());
    spec.prune = {heads / 4, heads / 2};
    return spec;
}

void SharingPage::computeFront()
{
    if (whyNot().isEmpty())
        m_controller.start(measured(), frontSpec());
}

/// Below the axis, with its handle at the column that it says.
void SharingPage::placeSlider()
{
    const double left = m_scores->at(m_slider->minimum(), 0).x();
    const double right = m_scores->at(m_slider->maximum(), 0).x();
    if (left < right) // else nothing has been painted yet
        alignSlider(*m_slider, *m_sliderRow, left, right);
}

void SharingPage::compute()
{
    if (!whyNot().isEmpty())
        return;
    if (!m_energyResult) {
        EnergySpec energy;
        energy.run = m_controller.runOptions();
        m_controller.start(measured(), energy);
    }
    m_controller.start(measured(), defaultSpec());
}

/// It takes as long as a few evaluations for each width: only for who looks at it.
void SharingPage::computeMissing(Domain domain, bool shown)
{
    if (shown && domain == measured() && m_results.empty())
        compute();
}

void SharingPage::computeForExport()
{
    Page::computeForExport();
    if (m_results.empty())
        return;
    m_slider->setValue(std::max<int>(1, static_cast<int>(fullWidth() / 3)));
    scoreWidth();
}

/// At any width, in the background. Nothing to do for the full model, and for what is known.
void SharingPage::scoreWidth()
{
    const std::int64_t width = m_slider->value();
    if (whyNot().isEmpty() && width < fullWidth() && !chosenLayer())
        m_controller.start(measured(), oneSpec(width));
}

void SharingPage::refreshNow()
{
    showDomainChoice(*m_domain, m_state);
    refreshResults();
}

/// At what was measured until somebody moves it.
void SharingPage::refreshSlider()
{
    const QSignalBlocker blocker(m_slider);
    const bool fresh = m_slider->maximum() != static_cast<int>(fullWidth());
    m_slider->setRange(1, std::max(1, static_cast<int>(fullWidth())));
    m_slider->setPageStep(std::max(1, m_slider->maximum() / 8));
    if (fresh) {
        m_slider->setValue(m_slider->maximum());
        m_isPlaced = false;
    }
    if (const std::int64_t width = largestMeasuredWidth(); !m_isPlaced && width > 0) {
        m_slider->setValue(static_cast<int>(width));
        m_isPlaced = true;
    }
    placeSlider();
}

void SharingPage::refreshResults()
{
    m_results = m_state.results(measured()).sharing;
    std::erase_if(m_results,
                  [&](const auto &result) { return result->publishedScale != m_results.back()->publishedScale; });
    m_energyResult = m_state.results(measured()).energy;
    m_scores->setSeries(makeSharingSeries(m_results, fullWidth()));
    const auto data = m_state.data(measured());
    m_front->setSeries(makeFrontSeries(m_results, false, data ? QString::fromStdString(data->name) : QString()));
    m_otherFront->setSeries(makeFrontSeries(m_results, true, {}));
    m_otherFront->setVisible(!m_otherFront->series().empty());
    refreshCosts();
    m_energy->setSeries(m_energyResult ? makeEnergySeries(*m_energyResult) : LineSeries());
    refreshSlider();
    const QSignalBlocker blocker(m_attention);
    const QString now = m_attention->currentText();
    m_attention->clear();
    if (m_state.model()) {
        for (const HeadLayout::Block &block : m_state.layout().blocks()) {
            for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer)
                m_attention->addItem(tr("%1, layer %2").arg(headKindLongName(block.kind)).arg(layer),
                                     QPoint(static_cast<int>(block.kind), layer));
        }
    }
    m_attention->setCurrentIndex(std::max(0, m_attention->findText(now)));
    refreshTexts();
}

/// Below all columns; 0: nothing was measured.
std::int64_t SharingPage::largestMeasuredWidth() const
{
    std::int64_t most = 0;
    for (const auto &result : m_results) {
        for (const SharedPoint &point : result->points) {
            const bool isShown = point.method == SharingMethod::Cp && point.order == SharingOrder::ShareOnly;
            if (isShown && point.width < fullWidth())
                most = std::max<std::int64_t>(most, point.width);
        }
    }
    return most;
}

/// One that has its mixing matrices rather than another.
const SharedPoint *SharingPage::measuredPoint() const
{
    const SharedPoint *found = nullptr;
    for (const auto &result : m_results) {
        for (const SharedPoint &point : result->points) {
            const bool isIt = point.width == m_slider->value() && point.method == SharingMethod::Cp
                           && point.order == SharingOrder::ShareOnly;
            const bool isBetter = !found || found->layers.empty() || found->layers.front().mixing.empty();
            if (isIt && isBetter)
                found = &point;
        }
    }
    return found;
}

std::optional<SharedLayer> SharingPage::chosenLayer() const
{
    const SharedPoint *point = measuredPoint();
    const QPoint wanted = m_attention->currentData().toPoint();
    if (!point)
        return std::nullopt;
    const auto at = std::ranges::find_if(point->layers, [&](const SharedLayer &layer) {
        return static_cast<int>(layer.kind) == wanted.x() && layer.layer == wanted.y() && !layer.mixing.empty();
    });
    return at == point->layers.end() ? std::nullopt : std::optional(*at);
}

void SharingPage::refreshPosition()
{
    m_position->setText(positionText());
    const QString whyUnsaved = whyNotSaved();
    m_save->setEnabled(whyUnsaved.isEmpty());
    m_save->setToolTip(whyUnsaved.isEmpty() ? tr("Writes a copy of the model whose heads share the slider's number of "
                                                 "columns; Headscope opens it like any other")
                                            : whyUnsaved);
    m_slider->setAccessibleDescription(m_position->text());
    m_scores->setCursor(m_results.empty() ? std::nullopt : std::optional<double>(m_slider->value()));
    m_mixing->setLayer(chosenLayer(), tr("Move the slider to a number of columns to see its results here."));
}

QString SharingPage::positionText() const
{
    if (!m_state.model())
        return {};
    QString text = tr("%1 of %2 columns").arg(countText(m_slider->value()), countText(fullWidth()));
    const SharedPoint *point = measuredPoint();
    if (!point)
        return text + u" · "_s
             + (m_slider->value() == m_slider->maximum()        ? tr("the model as it is")
                : m_controller.isComputing(ResultKind::Sharing) ? tr("being computed")
                                                                : tr("not measured yet"));
    const QString metric = m_results.empty() ? QString() : QString::fromStdString(m_results.back()->metric);
    const ValueFormat format = metricFormat(metric);
    QString difference = format.difference(point->delta);
    if (point->paired)
        difference += u" [%1, %2]"_s.arg(format.difference(point->paired->interval.low),
                                         format.difference(point->paired->interval.high));
    text += u" · "_s + tr("%1 %2 (%3)").arg(metric, format.score(point->score, point->interval), difference);
    if (point->otherScore)
        text += u" · "_s + tr("%1 on the other data set").arg(format.score(*point->otherScore));
    text += u" · "_s
          + tr("query and key projections %1 times smaller").arg(QLocale().toString(point->compression, 'f', 2));
    return text + u" · "_s
         + tr("attention scores change by %1 %").arg(QLocale().toString(100 * point->logitError, 'f', 0));
}

QString SharingPage::whyNot() const
{
    if (const QString why = m_controller.whyNotReady(); !why.isEmpty())
        return why;
    if (!m_state.data(measured()) || !m_state.data(measured())->references)
        return tr("Scores need data with references or labels.");
    return {};
}

QString SharingPage::whyEmpty() const
{
    if (!m_state.model())
        return tr("No model is open. Open a model to see how many query and key dimensions it needs.");
    if (!m_state.data(Domain::In) && !m_state.data(Domain::Out))
        return tr("No data set is open. Choose one, then press Compute.");
    if (m_controller.isComputing(ResultKind::Sharing))
        return tr("Computing: the projections are factorized, then the model is scored with them.");
    return tr("Nothing has been computed yet. Press Compute for four widths, or move the slider to one.");
}

QString SharingPage::summary() const
{
    QStringList parts;
    if (m_energyResult) {
        parts << staleText(m_state, measured(), m_energyResult->manifest);
        parts
            << tr("99 % of the energy of the heads' product takes %1 % of the dimensions (random numbers: %2 %; the paper: a third).")
                   .arg(QLocale().toString(100 * m_energyResult->share99, 'f', 0),
                        QLocale().toString(100 * m_energyResult->random99, 'f', 0));
    }
    if (!m_results.empty())
        parts << staleText(m_state, measured(), m_results.back()->manifest);
    parts.removeAll(QString());
    parts.removeDuplicates();
    return parts.join(u' ');
}

void SharingPage::refreshTexts()
{
    m_title->setText(tr("<b>Projections that heads share</b>, %1").arg(domainName(measured())));
    m_summary->setText(summary());
    m_scores->setEmptyText(whyEmpty());
    m_front->setEmptyText(whyEmpty());
    m_energy->setEmptyText(tr("Compute also measures how many dimensions the projections use."));
    refreshPosition();
    const QString why = whyNot();
    showNote(*m_note, why.isEmpty() ? m_saved : why);
    m_error->setError(m_controller.works().errorOn(info().id));
    m_compute->setEnabled(why.isEmpty());
    m_compute->setToolTip(
        why.isEmpty() ? tr("3/4, 1/2, 1/3 and 1/6 of the columns: shared by all heads, and of heads by themselves")
                      : why);
    m_computeFront->setEnabled(why.isEmpty());
    m_computeFront->setToolTip(
        why.isEmpty() ? tr("Widths as above, shared by all heads, with the least important quarter and half of "
                           "the heads removed, before sharing and after it")
                      : why);
    m_slider->setEnabled(why.isEmpty() || !m_results.empty());
}

QList<ExportItem> SharingPage::makeExportItems() const
{
    QList<ExportItem> items;
    const auto chart = [&](const LineChart &shown, const QString &name, const QString &caption, Domain domain) {
        return lineItem(tr("%1, %2").arg(name, domainName(domain)), caption + u' ' + summary(), shown.series());
    };
    if (!m_results.empty()) {
        items << chart(
            *m_scores, tr("Shared projections"),
            tr("%1 over the columns of query and key projections (Cordonnier et al. 2020).").arg(m_state.metricName()),
            measured());
        items << tableItem(tr("Costs of sharing, %1").arg(domainName(measured())),
                           tr("Parameters, multiply-adds of the scores and time of the factorization by shared columns "
                              "(Cordonnier et al. 2020)."),
                           *m_costs);
        for (const LineChart *front : {m_front, m_otherFront}) {
            if (!front->series().empty())
                items << chart(
                    *front, tr("Score by parameters"),
                    tr("%1 over parameters: projections shared, heads removed, and both.").arg(m_state.metricName()),
                    front == m_front ? measured() : otherDomain(measured()));
        }
        std::vector<const Manifest *> manifests;
        for (const auto &result : m_results)
            manifests.push_back(&result->manifest);
        const std::function<std::string()> csv = [all = allPoints()] { return toCsv(all); };
        for (ExportItem &item : items) {
            item.csv = csv;
            item.manifestJson = manifestsText(m_state, manifests);
        }
    }
    if (m_energyResult) {
        ExportItem energy
            = chart(*m_energy, tr("Energy of projections"),
                    tr("Share of the energy over the share of dimensions, mean over attentions."), measured());
        energy.csv = [result = m_energyResult] { return toCsv(*result); };
        energy.manifestJson = manifestsText(m_state, {&m_energyResult->manifest});
        items << energy;
    }
    if (const auto layer = chosenLayer())
        items << mixingItem(*layer);
    return items;
}

ExportItem SharingPage::mixingItem(const SharedLayer &layer) const
{
    ExportItem item;
    item.name = tr("Mixing matrix, %1").arg(m_attention->currentText());
    item.caption = tr("How much the heads of %1 use each of %2 shared columns.")
                       .arg(m_attention->currentText(), countText(m_slider->value()));
    item.size = QSizeF(860, 320);
    item.paint
        = [layer](QPainter &painter, const QRectF &rect) { paintMixing(painter, rect, layer, ViewPalette::light()); };
    item.csv = [layer] { return mixingCsv(layer); };
    item.manifestJson = manifestsText(m_state, {&m_results.back()->manifest});
    return item;
}

} // namespace headscope
