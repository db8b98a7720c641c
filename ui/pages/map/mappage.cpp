#include "ui/pages/map/mappage.h"

#include "core/analysis/gradientsspec.h"
#include "core/analysis/similarityspec.h"
#include "core/exporting/csv.h"
#include "ui/charts/chartexport.h"
#include "ui/charts/gradientseries.h"
#include "ui/charts/scatterseries.h"
#include "ui/models/kindtext.h"
#include "ui/models/modelname.h"
#include "ui/models/numbertext.h"
#include "ui/pages/map/layerchart.h"
#include "ui/pages/map/mapchart.h"
#include "ui/pages/map/measurescatter.h"
#include "ui/views/captionlabel.h"
#include "ui/views/errorlabel.h"
#include "ui/views/flowlayout.h"
#include "ui/views/foldingside.h"
#include "ui/views/headmeasures.h"
#include "ui/views/manifesttext.h"
#include "ui/views/matrixchart.h"
#include "ui/views/pageparts.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStringList>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

using namespace Qt::StringLiterals;

namespace headscope {

MapPage::MapPage(StudyState &state, StudyController &controller, QWidget *parent)
    : Page(state, controller, parent), m_analysis(new QAction(tr("Map of &heads now"), this)),
      m_gradientsAnalysis(new QAction(tr("&Gradients of attention now"), this))
{
    QWidget *top = makeTop();
    m_summary = new CaptionLabel(this);
    m_error = new ErrorLabel(this);
    m_map = new MapChart(this);
    auto *beside = new QSplitter(Qt::Horizontal, this);
    beside->addWidget(m_map);
    beside->addWidget(makeTabs(beside));
    splitEvenly(*beside);
    layOutPage(*this, {top, m_summary, m_error}, beside, true);
    connectAll();
}

PageInfo MapPage::info()
{
    return {u"map"_s, tr("&Map")};
}

/// What stands beside the map: the true distances, any two measures, and what there is over the layers.
QWidget *MapPage::makeTabs(QWidget *parent)
{
    m_tabs = new QTabWidget(this);
    m_tabs->setDocumentMode(true);
    m_tabs->setUsesScrollButtons(true);
    m_matrix = new MatrixChart(tr("Distances of heads"), m_tabs);
    m_spread = new LayerChart(tr("Spread of the heads of a layer, over the layers"), m_tabs);
    m_layers = new QWidget(m_tabs);
    m_attention = new LayerChart(tr("Attention to special tokens, punctuation and words, over the layers"), m_layers);
    m_gradients = new LayerChart(tr("Gradient of the loss by attention to them, over the layers"), m_layers);
    auto *layout = new QVBoxLayout(m_layers);
    layout->setContentsMargins({});
    addWidgets(*layout, {m_attention, m_gradients});
    addTab(*m_tabs, m_matrix, tr("Distances"),
           tr("How differently every two heads attend, in the order of their dendrogram"));
    addTab(*m_tabs, makeMeasures(m_tabs), tr("Measures"), tr("Any two measures of the heads against each other"));
    addTab(*m_tabs, m_spread, tr("Spread"), tr("How far the heads of a layer are from each other"));
    addTab(*m_tabs, m_layers, tr("Loss"),
           tr("What heads attend to, and whether the loss follows that attention (Clark et al. 2019, Figures 2 "
              "and 3)"));
    m_side = new FoldingSide(tr("Distances, measures and layers"), u"mapSide"_s, u"panel"_s, FoldingSide::Edge::Right,
                             parent);
    m_side->setRoomWanted(FoldingSide::kRoomForViews);
    m_side->setContent(m_tabs);
    return m_side;
}

QWidget *MapPage::makeMeasures(QWidget *parent)
{
    auto *measures = new QWidget(parent);
    m_scatter = new MeasureScatterChart(measures);
    auto *layout = new QVBoxLayout(measures);
    layout->setContentsMargins(0, 4, 0, 0);
    auto *choices = new QHBoxLayout;
    for (auto [box, axis] : {std::pair(&m_x, tr("x:")), std::pair(&m_y, tr("y:"))}) {
        *box = new QComboBox(measures);
        (*box)->setAccessibleName(box == &m_x ? tr("Measure across") : tr("Measure up"));
        // Names of measures are of any length: a box shows what fits, its tool tip and the axis the whole.
        letShrink(**box, 6);
        auto *label = new QLabel(axis, measures);
        label->setBuddy(*box);
        choices->addWidget(label);
        choices->addWidget(*box, 1);
        connect(*box, &QComboBox::activated, this, [this, chosen = *box] {
            chosen->setProperty("isChosen", true);
            refreshScatter();
        });
    }
    layout->addLayout(choices);
    layout->addWidget(m_scatter, 1);
    return measures;
}

QWidget *MapPage::makeTop()
{
    auto *top = new QWidget(this);
    m_title = makeTitle(top);
    m_kind = new QComboBox(top);
    m_kind->setAccessibleName(tr("Kind of attention"));
    m_kind->setToolTip(tr("Heads of different kinds attend to different tokens: they cannot be compared"));
    m_coloring = new QComboBox(top);
    m_coloring->setAccessibleName(tr("Colours of the heads"));
    m_coloring->addItems({tr("Coloured by layer"), tr("Coloured by role"), tr("Coloured by behaviour")});
    m_coloring->setItemData(1, tr("What the page Roles says of them"), Qt::ToolTipRole);
    m_coloring->setItemData(2, tr("What they attend to first of all (Clark et al. 2019, Figure 6)"), Qt::ToolTipRole);
    m_domain = new QComboBox(top);
    m_domain->addItems({tr("In-domain"), tr("Out-of-domain")});
    m_domain->setAccessibleName(tr("Data set that attention is compared on"));
    m_compute = new QPushButton(tr("&Compute"), top);
    m_computeGradients = new QPushButton(tr("&Gradients"), top);
    auto *layout = new FlowLayout(top);
    addWidgets(*layout, {m_title, m_kind, m_coloring, m_domain, m_compute, m_computeGradients});
    return top;
}

void MapPage::connectAll()
{
    follow(&m_state, &StudyState::modelChanged, &MapPage::refreshNow);
    followResults(ResultKinds(ResultKind::Similarity) | ResultKind::Gradients, &MapPage::refreshNow);
    follow(&m_state, &StudyState::rolesChanged, &MapPage::refreshResult);
    for (const auto signal : {&StudyState::selectionChanged, &StudyState::hoverChanged, &StudyState::maskChanged})
        follow(&m_state, signal, &MapPage::refreshLooks);
    follow(&m_state, &StudyState::staleChanged, &MapPage::refreshTexts);
    follow(&m_state, &StudyState::errorChanged, &MapPage::refreshTexts);
    for (const auto signal : {&JobQueue::jobAdded, &JobQueue::jobFinished})
        follow(&m_controller.queue(), signal, &MapPage::refreshTexts);
    for (QComboBox *box : {m_kind, m_coloring})
        connect(box, &QComboBox::currentIndexChanged, this, &MapPage::refreshResult);
    followDomainSwitch(*m_domain, m_state);
    follow(&m_state, &StudyState::domainViewChanged, &MapPage::refreshNow);
    connect(m_compute, &QPushButton::clicked, this, [this] { compute(); });
    connect(m_analysis, &QAction::triggered, this, [this] { compute(); });
    connect(m_computeGradients, &QPushButton::clicked, this, &MapPage::computeGradients);
    connect(m_gradientsAnalysis, &QAction::triggered, this, &MapPage::computeGradients);
    connect(m_map, &MapChart::headActivated, this, &MapPage::headActivated);
    connect(m_map, &MapChart::selectionMade, &m_state, &StudyState::setSelection);
    connect(m_scatter, &MeasureScatterChart::headActivated, this, &MapPage::headActivated);
    connect(m_scatter, &MeasureScatterChart::selectionMade, &m_state, &StudyState::setSelection);
    connect(m_scatter, &MeasureScatterChart::hovered, &m_state, &StudyState::setHoveredHead);
    followResults(measuredKinds() | ResultKind::Roles | ResultKind::Search | ResultKind::Energy,
                  &MapPage::refreshMeasures);
    connect(m_matrix, &MatrixChart::selectionMade, &m_state, &StudyState::setSelection);
    connect(m_map, &MapChart::hovered, &m_state, &StudyState::setHoveredHead);
    connect(m_matrix, &MatrixChart::hovered, &m_state, &StudyState::setHoveredHead);
}

void MapPage::compute(Domain domain)
{
    if (m_state.data(domain))
        m_controller.start(domain, SimilaritySpec{.run = m_controller.runOptions()});
}

void MapPage::compute()
{
    for (const Domain domain : kBothDomains)
        compute(domain);
}

void MapPage::computeGradients()
{
    for (const Domain domain : kBothDomains) {
        if (m_state.data(domain))
            m_controller.start(domain, AttentionGradientsSpec{.run = m_controller.runOptions()});
    }
    m_tabs->setCurrentWidget(m_layers);
}

void MapPage::computeMissing(Domain domain, bool shown)
{
    if (shown && !m_state.results(domain).similarity)
        compute(domain);
}

Domain MapPage::shown() const
{
    return m_state.shownDomain();
}

MapColoring MapPage::coloring() const
{
    return static_cast<MapColoring>(std::max(0, m_coloring->currentIndex()));
}

std::optional<HeadKind> MapPage::kind() const
{
    const QVariant chosen = m_kind->currentData();
    return chosen.isValid() ? std::optional(static_cast<HeadKind>(chosen.toInt())) : std::nullopt;
}

const KindSimilarity *MapPage::similarityOfKind() const
{
    const SimilarityResult *found = result();
    if (!found || !kind())
        return nullptr;
    const auto place = std::ranges::find(found->kinds, *kind(), &KindSimilarity::kind);
    return place == found->kinds.end() ? nullptr : &*place;
}

void MapPage::refreshNow()
{
    showDomainChoice(*m_domain, m_state);
    {
        const QSignalBlocker blocker(m_kind);
        const QString before = m_kind->currentText();
        m_kind->clear();
        if (result() || gradientsResult()) {
            for (const HeadLayout::Block &block : m_state.layout().blocks())
                m_kind->addItem(headKindTitle(block.kind), static_cast<int>(block.kind));
        }
        m_kind->setCurrentIndex(std::max(m_kind->findText(before), m_kind->count() > 0 ? 0 : -1));
        m_kind->setVisible(m_kind->count() > 1);
    }
    refreshResult();
}

void MapPage::refreshResult()
{
    const SimilarityResult *found = result();
    const KindSimilarity *shownKind = similarityOfKind();
    const AttentionGradientsResult *gradients = gradientsResult();
    const auto assigned = m_state.assignedRoles(shown());
    m_map->setSeries(shownKind ? makeMapSeries(*found, *shownKind, coloring(), assigned.get()) : MapSeries());
    m_matrix->setSeries(shownKind ? makeMatrixSeries(*shownKind, found->distance, tr("distance")) : MatrixSeries());
    m_spread->setSeries(found ? makeSpreadSeries(*found) : LineSeries());
    m_attention->setSeries(gradients && kind() ? makeLayerAttention(*gradients, *kind()) : LineSeries());
    m_gradients->setSeries(gradients && kind() ? makeLayerGradients(*gradients, *kind()) : LineSeries());
    m_attention->setVisible(gradients);
    refreshMeasures();
    m_side->setVisible(shownKind || gradients || isMeasured());
    refreshLooks();
    refreshTexts();
}

/// What can be chosen follows what is computed; what was chosen stays, by its id.
void MapPage::refreshMeasures()
{
    m_measures = headMeasures(m_state, shown());
    const auto offer = [this](QComboBox &box, const QString &before, const QStringList &likely) {
        const QSignalBlocker blocker(box);
        box.clear();
        for (const HeadMeasure &measure : m_measures) {
            box.addItem(measure.name, measure.id);
            box.setItemData(box.count() - 1, measure.name, Qt::ToolTipRole);
        }
        int index = box.property("isChosen").toBool() ? box.findData(before) : -1;
        for (auto id = likely.begin(); index < 0 && id != likely.end(); ++id)
            index = box.findData(*id);
        box.setCurrentIndex(std::max(index, box.count() > 0 ? 0 : -1));
    };
    offer(*m_x, m_x->currentData().toString(), {u"importance"_s, u"confidence"_s, u"layer"_s});
    offer(*m_y, m_y->currentData().toString(),
          {u"ablation"_s, u"relevance"_s, u"surface.entropy"_s, u"confidence"_s, u"head"_s});
    refreshScatter();
}

/// Whether the scatter shows anything but where heads stand in the model.
bool MapPage::isMeasured() const
{
    return std::ranges::any_of(m_scatter->picture().series.points, [](const MeasureScatterSeries::Point &point) {
        return point.x.count > 0 || point.y.count > 0;
    });
}

void MapPage::refreshScatter()
{
    const auto chosen = [this](const QComboBox &box) -> const HeadMeasure * {
        const auto found = std::ranges::find(m_measures, box.currentData().toString(), &HeadMeasure::id);
        return found == m_measures.end() ? nullptr : &*found;
    };
    const HeadMeasure *x = chosen(*m_x);
    const HeadMeasure *y = chosen(*m_y);
    m_x->setToolTip(x ? x->name : QString());
    m_y->setToolTip(y ? y->name : QString());
    m_scatter->setSeries(x && y ? makeMeasureScatter(*x, *y) : MeasureScatterSeries());
    m_scatter->setEmptyText(m_measures.empty() ? tr("Open a model to compare measures of its heads.")
                                               : tr("No head has both measures."));
}

void MapPage::refreshLooks()
{
    m_scatter->setSelection(m_state.selection(), m_state.currentHead());
    m_scatter->setHovered(m_state.hoveredHead());
    m_scatter->setMasked(m_state.mask());
    m_map->setSelection(m_state.selection(), m_state.currentHead());
    m_map->setHovered(m_state.hoveredHead());
    m_map->setMasked(m_state.mask());
    m_matrix->setSelection(m_state.selection());
    m_matrix->setHovered(m_state.hoveredHead());
    m_summary->setText(summary());
}

QString MapPage::whyEmpty() const
{
    if (!m_state.model())
        return tr("No model is open. Open a model folder to see which of its heads are alike.");
    if (!m_state.data(Domain::In) && !m_state.data(Domain::Out))
        return tr("No data set is open. Choose one, then press Compute.");
    if (const QString why = m_controller.whyNotReady(); !why.isEmpty())
        return why;
    if (m_controller.isComputing(ResultKind::Similarity))
        return tr("Computing: the attention of every two heads is compared token by token.");
    return tr(
        "Nothing has been compared yet. Press Compute: every two heads are compared by what they attend to, token by "
        "token, over the whole data set.");
}

QString MapPage::whyNoGradients() const
{
    if (m_controller.isComputing(ResultKind::Gradients))
        return tr("Computing: one backward pass over the data set.");
    return tr("Press Gradients to see what heads attend to beside how much the loss follows that attention. Labels, "
              "references or running text are needed.");
}

/// "Nearest to encoder.2.3: encoder.2.1 (0.12), …": by their distances, not by their places on the map.
QString MapPage::neighboursText() const
{
    constexpr std::size_t kMost = 4;
    const KindSimilarity *shownKind = similarityOfKind();
    const auto &current = m_state.currentHead();
    if (!shownKind)
        return {};
    const auto &heads = shownKind->heads;
    const auto at
        = current ? std::ranges::find_if(heads, [&](const auto &one) { return one == *current; }) : heads.end();
    if (at == heads.end())
        return tr("Select a head to see its nearest neighbours.");
    const auto row = static_cast<std::size_t>(at - heads.begin());
    const PairTable distances = distancesOf(*shownKind, result()->distance);
    std::vector<std::pair<double, std::size_t>> near;
    for (std::size_t i = 0; i < heads.size(); ++i) {
        if (i != row)
            near.emplace_back(distances.at(row, i), i);
    }
    const std::size_t count = std::min(kMost, near.size());
    std::ranges::partial_sort(near, near.begin() + static_cast<std::ptrdiff_t>(count));
    QStringList names;
    for (std::size_t i = 0; i < count; ++i)
        names << tr("%1 (%2)").arg(QString::fromStdString(toText(heads[near[i].second])), numberText(near[i].first, 2));
    return tr("Nearest to %1: %2.").arg(QString::fromStdString(toText(*current)), names.join(QStringLiteral(", ")));
}

QString MapPage::summary() const
{
    const SimilarityResult *found = result();
    const KindSimilarity *shownKind = similarityOfKind();
    if (!shownKind)
        return {};
    QString text
        = tr("%1 heads on %2 tokens of %3 examples: near each other where they attend alike. Distance: %4. Stress of the "
             "map: %5.")
              .arg(countText(std::ssize(shownKind->heads)), countText(shownKind->queries),
                   examplesCountText(found->manifest, found->examples), distanceName(found->distance),
                   numberText(shownKind->stress, 3));
    constexpr double kPoorStress = 0.2; // Kruskal's "poor"
    if (shownKind->stress >= kPoorStress)
        text += u' ' + tr("⚠ The stress is high: distances on the map are rough. The matrix has the true ones.");
    if (const QString near = neighboursText(); !near.isEmpty())
        text += u'\n' + near;
    if (coloring() == MapColoring::Role && !m_state.assignedRoles(shown()))
        text += u' ' + tr("Roles are not computed: the page Roles does so.");
    const QString stale = staleText(m_state, shown(), found->manifest);
    return stale.isEmpty() ? text : stale + u' ' + text;
}

void MapPage::refreshTexts()
{
    m_title->setText(tr("<b>Map</b>, %1").arg(domainName(shown())));
    m_summary->setText(summary());
    m_map->setEmptyText(whyEmpty());
    m_spread->setEmptyText(tr("Press Compute to see how far the heads of a layer are from each other."));
    m_gradients->setEmptyText(whyNoGradients());
    m_error->setError(m_controller.works().errorOn(info().id));
    refreshButtons();
}

void MapPage::refreshButtons()
{
    const QString why = m_controller.whyNotReady();
    for (QPushButton *button : {m_compute, m_computeGradients})
        button->setEnabled(why.isEmpty());
    m_compute->setToolTip(
        why.isEmpty() ? tr("Compares what heads attend to, on every data set; the page Analyses has options") : why);
    m_computeGradients->setToolTip(why.isEmpty()
                                       ? tr("How much the loss follows attention to special tokens, punctuation and "
                                            "words, on every data set")
                                       : why);
}

QList<ExportItem> MapPage::makeExportItems() const
{
    QList<ExportItem> items = similarityItems();
    addGradientItems(items);
    addScatterItem(items); // last
    return items;
}

QList<ExportItem> MapPage::similarityItems() const
{
    const KindSimilarity *shownKind = similarityOfKind();
    if (!shownKind)
        return {};
    const auto found = m_state.results(shown()).similarity;
    const auto index = static_cast<std::size_t>(shownKind - found->kinds.data());
    const QString where = tr("%1, %2").arg(headKindLongName(shownKind->kind), domainName(shown()));
    const QString of = tr(" %1 on %2. %3")
                           .arg(QString::fromStdString(found->manifest.model),
                                QString::fromStdString(found->manifest.data), summary());
    const QString ofKind = headKindLongName(shownKind->kind);
    MapPicture picture;
    picture.series = m_map->picture().series;
    picture.masked = m_state.mask().heads();
    ExportItem map;
    map.name = tr("Map of heads, %1").arg(where);
    map.caption = tr("Heads of %1 by metric multidimensional scaling (Clark et al. 2019, Figure 6):").arg(ofKind) + of;
    map.paint = [picture](QPainter &painter, const QRectF &rect) { (void)paintMap(painter, rect, picture); };
    map.size = QSizeF(760, 560);
    map.csv = [found] { return toCsv(*found); };
    ExportItem distances = matrixItem(tr("Distances of heads, %1").arg(where),
                                      tr("Distances of heads of %1 in the order of their dendrogram:").arg(ofKind) + of,
                                      m_matrix->picture().series, {560, 720});
    distances.csv = [found, index] { return distancesCsv(found->kinds[index], found->distance); };
    ExportItem spread = lineItem(
        tr("Spread of heads by layer, %1").arg(domainName(shown())),
        tr("How far the heads of a layer are from each other (bands: 95 % bootstrap intervals over examples):") + of,
        m_spread->series(), {760, 360});
    spread.csv = [found] { return spreadCsv(*found); };
    QList<ExportItem> items{map, distances, spread};
    for (ExportItem &item : items)
        item.manifestJson = manifestsText(m_state, {&found->manifest});
    return items;
}

void MapPage::addScatterItem(QList<ExportItem> &items) const
{
    MeasureScatterPicture picture;
    picture.series = m_scatter->picture().series;
    picture.masked = m_state.mask().heads();
    if (!isMeasured())
        return;
    items << ExportItem{
        .name = tr("%1 and %2").arg(picture.series.x.name, picture.series.y.name),
        .caption
        = tr("%1 against %2, a mark for every head of %3, on %4 (%5).")
              .arg(picture.series.y.name, picture.series.x.name,
                   modelName(QString::fromStdString(m_state.model()->folder.string())), domainName(shown()),
                   correlationText(picture.series.pearson, picture.series.spearman, std::ssize(picture.series.points))),
        .paint
        = [picture](QPainter &painter, const QRectF &rect) { (void)paintMeasureScatter(painter, rect, picture); },
        .size = QSizeF(620, 520),
        .csv = [series = picture.series] { return measureScatterCsv(series); },
        .manifestJson = {}};
}

void MapPage::addGradientItems(QList<ExportItem> &items) const
{
    const auto found = m_state.results(shown()).gradients;
    if (!found || !kind())
        return;
    const QString where = tr("%1, %2").arg(headKindLongName(*kind()), domainName(shown()));
    const auto add = [&](const QString &name, const QString &caption, const LineSeries &series) {
        ExportItem item = lineItem(name.arg(where),
                                   tr("%1, %2, on %3 of %4 (%5 examples). Means over the heads of a layer.")
                                       .arg(caption, where, QString::fromStdString(found->manifest.model),
                                            QString::fromStdString(found->manifest.data), countText(found->examples)),
                                   series, {560, 360});
        item.csv = [found] { return layerGradientsCsv(*found); };
        item.manifestJson = manifestsText(m_state, {&found->manifest});
        items << item;
    };
    add(tr("Attention by layer, %1"), tr("What the attention of a layer's heads goes to (Clark et al. 2019, Figure 2)"),
        m_attention->series());
    add(tr("Gradient by layer, %1"), tr("Absolute derivative of the loss by one attention weight (its Figure 3)"),
        m_gradients->series());
}

} // namespace headscope
