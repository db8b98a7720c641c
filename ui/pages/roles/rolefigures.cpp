#include "ui/pages/roles/rolefigures.h"

#include "core/exporting/csv.h"
#include "core/exporting/figurecsv.h"
#include "core/results/json.h"
#include "ui/charts/chartexport.h"
#include "ui/charts/relationseries.h"
#include "ui/charts/surfaceseries.h"
#include "ui/heatmap/heatmapview.h"
#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"
#include "ui/pages/roles/tokenpicture.h"
#include "ui/views/linechart.h"
#include "ui/views/manifesttext.h"
#include "ui/views/pageparts.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace headscope {
namespace {

std::optional<SurfacePanel> panelOf(RoleFigure figure)
{
    switch (figure) {
    case RoleFigure::Neighbours:
        return SurfacePanel::Neighbours;
    case RoleFigure::Special:
        return SurfacePanel::Special;
    case RoleFigure::Delimiters:
        return SurfacePanel::Delimiters;
    case RoleFigure::Entropy:
        return SurfacePanel::Entropy;
    default:
        return std::nullopt;
    }
}

/// Of several models below each other.
std::string partnersCsv(const RolesResult &roles, const std::vector<std::shared_ptr<const RolesResult>> &others)
{
    std::string csv = relationHeadsCsv(roles);
    for (const auto &other : others) {
        const std::string more = relationHeadsCsv(*other);
        csv += more.substr(more.find('\n') + 1);
    }
    return csv;
}

} // namespace

RoleFigures::RoleFigures(StudyState &state, JobQueue &queue, QWidget *parent)
    : QWidget(parent), m_state(state), m_queue(queue)
{
    m_figure = makeFigureChoice();
    m_kind = new QComboBox(this);
    m_kind->setAccessibleName(tr("Kind of attention"));
    letShrink(*m_kind, 7);
    m_example = new QSpinBox(this);
    m_example->setPrefix(tr("Example "));
    m_example->setRange(1, 1);
    setNameAndTip(*m_example, tr("Example whose tokens are shown"));
    m_heat = new HeatMapView(this);
    m_heat->setAccessibleName(tr("Contributions of tokens"));
    m_beside = new QPushButton(tr("&Other models…"), this);
    m_beside->setToolTip(tr("Shows results of the command roles (JSON) of other models beside this one's"));
    m_compute = new QPushButton(tr("Co&mpute"), this);
    m_chart = new LineChart(tr("Figure of all heads"), this);
    m_note = makeNote(this);
    auto *row = new QHBoxLayout;
    row->addWidget(m_figure, 2);
    row->addWidget(m_kind, 1);
    addWidgets(*row, {m_example, m_beside, m_compute});
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->addLayout(row);
    layout->addWidget(m_chart, 1);
    layout->addWidget(m_heat, 1);
    layout->addWidget(m_note);
    for (QComboBox *box : {m_figure, m_kind})
        connect(box, &QComboBox::currentIndexChanged, this, &RoleFigures::refresh);
    connect(m_compute, &QPushButton::clicked, this, [this] { Q_EMIT computeRequested(figure()); });
    connect(m_beside, &QPushButton::clicked, this, &RoleFigures::chooseOthers);
    connect(m_chart, &LineChart::pointChosen, this, [this](std::size_t line, std::size_t point) {
        // Names begin with the address.
        const QString name = m_chart->series().lines[line].points[point].name;
        if (const auto head = parseHeadRef(name.section(u',', 0, 0).toStdString()); head.isOk())
            Q_EMIT headChosen(head.value());
    });
    refresh();
}

QComboBox *RoleFigures::makeFigureChoice()
{
    auto *box = new QComboBox(this);
    box->setAccessibleName(tr("Figure"));
    letShrink(*box, 16);
    // In the order of kRoleFigures.
    addChoice(*box, surfacePanelName(SurfacePanel::Neighbours),
              tr("A point per head, lines through the means of layers (Clark et al. 2019, Figure 2)"));
    addChoice(*box, surfacePanelName(SurfacePanel::Special), tr("As above (Clark et al. 2019, Figure 2)"));
    addChoice(*box, surfacePanelName(SurfacePanel::Delimiters),
              tr("Attention to delimiters such as [SEP], from these themselves and from all others (Clark et al. 2019, "
                 "Figure 2)"));
    addChoice(*box, surfacePanelName(SurfacePanel::Entropy),
              tr("How broadly heads attend (Clark et al. 2019, Figure 4)"));
    addChoice(*box, tr("Where heads of words lie"),
              tr("Over words from the dependent to its head (Voita et al. 2019, Figure 3)"));
    addChoice(
        *box, tr("Partners found"),
        tr("How often each head's largest weight is on the partner, beside the best fixed offset (Voita et al. 2019, "
           "Figure 4)"));
    addChoice(*box, tr("Source and prefix"), tr("What they contribute, by position (Voita et al. 2021)"));
    addChoice(*box, tr("Entropy of contributions"),
              tr("How their contributions are spread over tokens, by position (Voita et al. 2021)"));
    addChoice(*box, tr("Contributions of tokens"),
              tr("What each token of one example contributes to each output (Voita et al. 2021)"));
    return box;
}

RoleFigure RoleFigures::figure() const
{
    return kRoleFigures[static_cast<std::size_t>(std::max(0, m_figure->currentIndex()))];
}

void RoleFigures::setFigure(RoleFigure figure)
{
    m_figure->setCurrentIndex(static_cast<int>(figure));
}

HeadKind RoleFigures::kind() const
{
    return static_cast<HeadKind>(m_kind->currentData().toInt());
}

void RoleFigures::setResults(std::shared_ptr<const RolesResult> roles, std::shared_ptr<const RelevanceResult> relevance,
                             std::shared_ptr<const SimilarityResult> similarity,
                             std::shared_ptr<const RelevanceResult> tokens)
{
    m_tokens = std::move(tokens);
    m_roles = std::move(roles);
    m_relevance = std::move(relevance);
    m_similarity = std::move(similarity);
    {
        const QSignalBlocker blocker(m_kind);
        const QString before = m_kind->currentText();
        m_kind->clear();
        for (const HeadLayout::Block &block : m_state.layout().blocks())
            m_kind->addItem(headKindShortTitle(block.kind), static_cast<int>(block.kind));
        m_kind->setCurrentIndex(std::max(m_kind->findText(before), m_kind->count() > 0 ? 0 : -1));
    }
    refresh();
}

std::int64_t RoleFigures::example() const
{
    return m_example->value() - 1;
}

void RoleFigures::setExamples(std::int64_t count)
{
    m_example->setMaximum(static_cast<int>(std::max<std::int64_t>(1, count)));
}

void RoleFigures::setReady(const QString &why)
{
    m_whyNot = why;
    m_compute->setEnabled(why.isEmpty());
    m_compute->setToolTip(why.isEmpty() ? tr("Computes what the figure shows, on every data set") : why);
    refresh();
}

void RoleFigures::addOther(const QString &file)
{
    m_otherError.clear();
    const JobSpec spec{tr("Read %1").arg(QFileInfo(file).fileName()), {}, JobLane::Files};
    m_queue.start<AnyResult>(
        spec, [path = file.toStdString()](const JobControl &) { return readResult(path); }, this,
        [this, file](const Result<AnyResult> &read) { showOther(file, read); });
}

void RoleFigures::showOther(const QString &file, const Result<AnyResult> &read)
{
    if (read.isCancelled())
        return;
    if (read.isError()) {
        m_otherError = QString::fromStdString(read.error().message);
    } else if (const auto roles = read.value().as<RolesResult>(); roles && !roles->relations.empty()) {
        m_others.push_back(roles);
    } else {
        m_otherError
            = tr("%1 is no result of roles with dependency trees. Choose what headscope-cli roles wrote of a data set "
                 "with --conllu.")
                  .arg(QFileInfo(file).fileName());
    }
    refresh();
}

void RoleFigures::chooseOthers()
{
    const QStringList files = QFileDialog::getOpenFileNames(this, tr("Roles of other models"), QString(),
                                                            tr("Results (*.json);;All files (*)"));
    if (files.isEmpty())
        return;
    m_others.clear();
    for (const QString &file : files)
        addOther(file);
}

std::vector<const RolesResult *> RoleFigures::allRoles() const
{
    std::vector<const RolesResult *> all;
    if (m_roles)
        all.push_back(m_roles.get());
    for (const auto &other : m_others)
        all.push_back(other.get());
    return all;
}

LineSeries RoleFigures::seriesOf(RoleFigure figure, HeadKind kind) const
{
    if (const auto panel = panelOf(figure))
        return m_similarity ? makeSurfaceSeries(*m_similarity, kind, *panel) : LineSeries();
    const RoleThresholds &thresholds = m_state.roleThresholds();
    switch (figure) {
    case RoleFigure::Offsets:
        return m_roles ? makeRelationOffsets(*m_roles, thresholds) : LineSeries();
    case RoleFigure::Partners:
        return makeRelationHeads(allRoles(), thresholds);
    case RoleFigure::Tokens: // a heat map
        return {};
    case RoleFigure::Contributions:
        return m_relevance ? makeContributionSeries(*m_relevance) : LineSeries();
    default:
        return m_relevance ? makeContributionEntropies(*m_relevance) : LineSeries();
    }
}

QString RoleFigures::whyEmpty() const
{
    if (!m_whyNot.isEmpty())
        return m_whyNot;
    const RoleFigure shown = figure();
    if (shown == RoleFigure::Tokens)
        return tr("Press Compute to trace the outputs of this example back to its tokens.");
    if (panelOf(shown))
        return m_similarity ? tr("No token has such keys.")
                            : tr("Press Compute: the attention of all heads is gone through once.");
    if (shown == RoleFigure::Offsets || shown == RoleFigure::Partners) {
        if (!m_roles)
            return tr("Press Compute to look for roles.");
        return m_roles->relations.empty()
                 ? tr("No dependency trees: give a CoNLL-U file with the data set (Choose data…), and compute again.")
                 : tr(
                     "The relations that make heads syntactic (Thresholds) have too few words, or roles were computed by an "
                     "earlier version: compute again.");
    }
    return m_relevance ? tr("The model reads no source: everything is prefix.")
                       : tr("Press Compute to trace relevance.");
}

void RoleFigures::refresh()
{
    const bool isSurface = panelOf(figure()).has_value();
    m_kind->setVisible(isSurface && m_kind->count() > 1);
    m_beside->setVisible(figure() == RoleFigure::Partners);
    const bool isTokens = figure() == RoleFigure::Tokens;
    m_example->setVisible(isTokens);
    m_heat->setVisible(isTokens);
    m_chart->setVisible(!isTokens);
    m_heat->setEmptyText(whyEmpty());
    m_heat->setPicture(m_tokens ? tokenPicture(*m_tokens) : HeatMapPicture());
    m_chart->setEmptyText(whyEmpty());
    m_chart->setSeries(seriesOf(figure(), kind()));
    showNote(*m_note, figure() == RoleFigure::Partners ? m_otherError : QString());
}

QList<ExportItem> RoleFigures::exportItems(Domain domain) const
{
    QList<ExportItem> items;
    for (const RoleFigure figure : kRoleFigures) {
        if (panelOf(figure)) {
            for (const HeadLayout::Block &block : m_state.layout().blocks())
                items << exportItem(figure, block.kind);
        } else {
            items << exportItem(figure, HeadKind::Encoder);
        }
    }
    items.removeIf([](const ExportItem &item) { return !item.paint; });
    for (ExportItem &item : items)
        item.name = tr("%1, %2").arg(item.name, domainName(domain));
    return items;
}

/// `kind`: where a figure is of one. Without paint: there is nothing of it.
ExportItem RoleFigures::exportItem(RoleFigure figure, HeadKind kind) const
{
    if (figure == RoleFigure::Tokens)
        return m_tokens ? tokensItem() : ExportItem();
    const LineSeries series = seriesOf(figure, kind);
    if (series.empty() || (figure == RoleFigure::Partners && !m_roles))
        return {};
    if (const auto panel = panelOf(figure)) {
        const QString ofKind = headKindLongName(kind);
        return itemOf(tr("%1, %2").arg(surfacePanelName(*panel), ofKind),
                      (*panel == SurfacePanel::Entropy
                           ? tr("Entropy of the attention of each head, %1 (Clark et al. 2019, Figure 4).")
                           : tr("Mean attention of each head by kinds of keys, %1 (Clark et al. 2019, Figure 2)."))
                          .arg(ofKind),
                      series, *m_similarity, [found = m_similarity] { return toCsv(*found); });
    }
    switch (figure) {
    case RoleFigure::Offsets:
        return itemOf(tr("Where heads of words lie"),
                      tr("Words from dependents to their heads (Voita et al. 2019, Figure 3)."), series, *m_roles,
                      [found = m_roles] { return relationOffsetsCsv(*found); });
    case RoleFigure::Partners:
        return itemOf(
            tr("Partners found"),
            tr("How often each head's largest weight is on the partner, beside the best fixed offset (Voita et al. 2019, "
               "Figure 4)."),
            series, *m_roles, [found = m_roles, others = m_others] { return partnersCsv(*found, others); });
    default:
        return itemOf(figure == RoleFigure::Contributions ? tr("Source and prefix") : tr("Entropy of contributions"),
                      tr("What source and prefix contribute by position (Voita et al. 2021)."), series, *m_relevance,
                      [found = m_relevance] { return contributionsCsv(*found); });
    }
}

template<typename Found>
ExportItem RoleFigures::itemOf(const QString &name, const QString &caption, const LineSeries &series,
                               const Found &result, std::function<std::string()> csv) const
{
    const Manifest &manifest = result.manifest;
    ExportItem item
        = lineItem(name,
                   tr("%1 %2 on %3 (%4 examples).")
                       .arg(caption, QString::fromStdString(manifest.model), QString::fromStdString(manifest.data),
                            examplesCountText(manifest, result.examples)),
                   series, {860, 460});
    item.csv = std::move(csv);
    item.manifestJson = manifestsText(m_state, {&manifest});
    return item;
}

ExportItem RoleFigures::tokensItem() const
{
    const HeatMapPicture picture = tokenPicture(*m_tokens);
    return {.name = tr("Contributions of tokens"),
            .caption = tr("What each token contributes to each output (Voita et al. 2021). %1 on %2, example %3.")
                           .arg(QString::fromStdString(m_tokens->manifest.model),
                                QString::fromStdString(m_tokens->manifest.data),
                                countText(m_tokens->sentences.front().index + 1)),
            .paint = [picture](QPainter &painter, const QRectF &rect) { paintHeatMap(painter, rect, picture); },
            .size = QSizeF(860, 560),
            .csv = [found = m_tokens] { return tokenContributionsCsv(*found); },
            .manifestJson = manifestsText(m_state, {&m_tokens->manifest})};
}

} // namespace headscope
