#include "ui/pages/roles/rolespage.h"

#include "core/analysis/similarityspec.h"
#include "core/exporting/csv.h"
#include "core/exporting/figurecsv.h"
#include "ui/charts/chartexport.h"
#include "ui/heatmap/rolestyle.h"
#include "ui/models/headgridmodel.h"
#include "ui/models/numbertext.h"
#include "ui/models/plaintip.h"
#include "ui/models/roletext.h"
#include "ui/models/tasktext.h"
#include "ui/pages/roles/relationstable.h"
#include "ui/pages/roles/roledelegate.h"
#include "ui/pages/roles/roleevidenceview.h"
#include "ui/pages/roles/rolefigures.h"
#include "ui/pages/roles/rolessettings.h"
#include "ui/pages/roles/rolethresholdsbox.h"
#include "ui/pages/roles/sharechart.h"
#include "ui/views/captionlabel.h"
#include "ui/views/errorlabel.h"
#include "ui/views/flowlayout.h"
#include "ui/views/foldingside.h"
#include "ui/views/manifesttext.h"
#include "ui/views/pageparts.h"
#include "ui/views/rolefilterbox.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace headscope {

RolesPage::RolesPage(StudyState &state, StudyController &controller, QWidget *parent)
    : Page(state, controller, parent), m_model(new RolesTableModel(this)), m_chart(new RoleScatterChart(this))
{
    m_summary = new CaptionLabel(this);
    m_error = new ErrorLabel(this);
    auto *split = new QSplitter(Qt::Horizontal, this);
    split->addWidget(makeTable());
    split->addWidget(makeSide(split));
    setShares(*split, {1, 1});
    splitEvenly(*split);
    layOutPage(*this, {makeHeader(), m_summary, m_error}, split, true);
    connectState();
    connectViews();
    // By the settings of this page.
    const auto analysis = [this](const QString &text, const std::function<void()> &start) {
        auto *action = new QAction(text, this);
        connect(action, &QAction::triggered, this, start);
        m_analyses << action;
    };
    analysis(tr("R&oles now"), [this] { computeRoles(); });
    analysis(tr("&Relevance now"), [this] { computeRelevance(); });
}

PageInfo RolesPage::info()
{
    return {QStringLiteral("roles"), tr("&Roles")};
}

void RolesPage::computeMissing(Domain domain, bool shown)
{
    const DomainResults &results = m_state.results(domain);
    if (!results.roles)
        computeRoles(domain);
    // Takes a fraction of a second per sentence: computed only if it is shown.
    if (shown && !results.relevance)
        computeRelevance(domain);
}

void RolesPage::refreshNow()
{
    m_settings->setTranslates(!m_state.model() || isTranslator(*m_state.model()));
    m_thresholds->refresh();
    m_filter->refresh();
    m_chart->setSelection(m_state.selection(), m_state.currentHead());
    m_chart->setHovered(m_state.hoveredHead());
    m_chart->setMasked(m_state.mask());
    m_shown = present();
    refreshChart();
    refreshFilter();
    refreshTexts();
}

QWidget *RolesPage::makeHeader()
{
    auto *header = new QWidget(this);
    m_title = makeTitle(header);
    m_form = new QComboBox(header);
    m_form->addItems({tr("By layer"), tr("Scatter")});
    m_form->setObjectName(QStringLiteral("roleForm"));
    m_form->setAccessibleName(tr("Form of the chart"));
    m_form->setToolTip(tr("Relevance and confidence over the layers, or one against the other"));
    m_filter = new RoleFilterBox(m_state, header);
    m_computeRoles = new QPushButton(tr("Compute &roles"), header);
    m_computeRelevance = new QPushButton(tr("Compute re&levance"), header);
    auto *flow = new FlowLayout(header); // in two rows where the page is narrow
    addWidgets(*flow, {m_title, m_filter, m_form, m_computeRoles, m_computeRelevance});
    return header;
}

QWidget *RolesPage::makeTable()
{
    m_sorted = new QSortFilterProxyModel(this);
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(SortRole);
    m_sorted->setFilterRole(RolesTableModel::kLetterRole);
    m_sorted->setFilterKeyColumn(RolesTableModel::RoleColumn);
    m_table = new QTableView(this);
    m_table->setModel(m_sorted);
    m_table->setItemDelegateForColumn(RolesTableModel::RoleColumn, new RoleDelegate(m_table));
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(RolesTableModel::RoleColumn, Qt::AscendingOrder);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    setUpRowTable(*m_table);
    m_table->setAccessibleName(tr("Heads and their roles"));
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &index) {
        if (index.isValid() && !m_selecting)
            m_state.selectHead(index.data(HeadRefRole).value<HeadRef>());
    });
    connect(m_table, &QAbstractItemView::activated, this,
            [this](const QModelIndex &index) { Q_EMIT headActivated(index.data(HeadRefRole).value<HeadRef>()); });
    auto *whole = new QWidget(this);
    m_tests = new QCheckBox(tr("&Tests of roles beside labels"), whole);
    m_tests->setToolTip(
        tr("Four roles with a score and a test each (Pande et al. 2021), beside the labels of Voita et al. "
           "(2019)"));
    connect(m_tests, &QCheckBox::toggled, this, &RolesPage::refreshColumns);
    auto *layout = new QVBoxLayout(whole);
    layout->setContentsMargins({});
    layout->addWidget(m_tests);
    layout->addWidget(m_table, 1);
    QWidget::setTabOrder(m_tests, m_table);
    return whole;
}

QWidget *RolesPage::makeSide(QWidget *parent)
{
    m_side = new QTabWidget(this);
    m_side->setDocumentMode(true);
    const auto scrolled = [this](QWidget *content) {
        auto *area = new QScrollArea(m_side);
        area->setAccessibleName(tr("Settings and evidence of roles"));
        area->setWidgetResizable(true);
        area->setFrameShape(QFrame::NoFrame);
        area->setWidget(content);
        return area;
    };
    m_evidence = new RoleEvidenceView(m_state, m_side);
    auto *counts = new QWidget(m_side);
    m_offsets = new ShareChart(tr("Offsets of the selected head's largest weights"), counts);
    m_relations = new ShareChart(tr("Dependency relations that the selected head finds"), counts);
    auto *layout = new QVBoxLayout(counts);
    layout->setContentsMargins({});
    addWidgets(*layout, {m_offsets, m_relations});
    layout->addStretch(1);
    m_bestHeads = new RelationsTable(m_side);
    m_settings = new RolesSettings(m_side);
    m_side->addTab(m_evidence, tr("Evidence"));
    m_side->addTab(m_chart, tr("Chart"));
    m_side->addTab(scrolled(counts), tr("Counts"));
    m_side->addTab(m_bestHeads, tr("Relations"));
    m_figures = new RoleFigures(m_state, m_controller.queue(), m_side);
    m_side->addTab(m_figures, tr("Figures"));
    m_thresholds = new RoleThresholdsBox(m_state, m_side);
    m_side->addTab(scrolled(m_thresholds), tr("Thresholds"));
    m_side->addTab(scrolled(m_settings), tr("Settings"));
    auto *side = new FoldingSide(tr("Evidence, charts and settings"), u"rolesSide"_s, u"panel"_s,
                                 FoldingSide::Edge::Right, parent);
    side->setRoomWanted(FoldingSide::kRoomForViews);
    side->setContent(m_side);
    return side;
}

void RolesPage::connectState()
{
    follow(&m_state, &StudyState::modelChanged, [this] {
        m_settings->setTranslates(!m_state.model() || isTranslator(*m_state.model()));
        refresh();
        refreshTexts();
    });
    follow(&m_state, &StudyState::dataChanged, &RolesPage::refreshTexts);
    followResults(ResultKinds(ResultKind::Confidence) | ResultKind::Relevance | ResultKind::Similarity
                      | ResultKind::TokenRelevance,
                  &RolesPage::refresh);
    follow(&m_state, &StudyState::staleChanged, &RolesPage::refreshTexts);
    follow(&m_state, &StudyState::rolesChanged, [this] {
        m_thresholds->refresh();
        m_filter->refresh();
        refresh();
    });
    follow(&m_state, &StudyState::domainViewChanged, [this] {
        m_filter->refresh();
        refresh();
        refreshTexts();
    });
    follow(&m_state, &StudyState::roleViewChanged, [this] {
        m_filter->refresh();
        refreshFilter();
    });
    follow(&m_state, &StudyState::errorChanged, &RolesPage::refreshTexts);
    follow(&m_state, &StudyState::selectionChanged, [this] {
        m_chart->setSelection(m_state.selection(), m_state.currentHead());
        refreshHead();
    });
    follow(&m_state, &StudyState::hoverChanged, [this] { m_chart->setHovered(m_state.hoveredHead()); });
    follow(&m_state, &StudyState::maskChanged, [this] { m_chart->setMasked(m_state.mask()); });
}

void RolesPage::connectViews()
{
    connect(m_chart, &RoleScatterChart::selectionMade, &m_state, &StudyState::setSelection);
    connect(m_chart, &RoleScatterChart::hovered, &m_state, &StudyState::setHoveredHead);
    connect(m_chart, &RoleScatterChart::headActivated, this, &RolesPage::headActivated);
    connect(m_bestHeads, &RelationsTable::headChosen, &m_state, &StudyState::selectHead);
    connect(m_bestHeads, &RelationsTable::headActivated, this, &RolesPage::headActivated);
    connect(m_figures, &RoleFigures::headChosen, &m_state, &StudyState::selectHead);
    connect(m_figures, &RoleFigures::computeRequested, this, &RolesPage::computeFigure);
    connect(m_evidence, &RoleEvidenceView::sentenceActivated, this, [this] {
        if (m_state.currentHead())
            Q_EMIT headActivated(*m_state.currentHead());
    });
    connect(m_form, &QComboBox::currentIndexChanged, this, &RolesPage::refreshChart);
    connect(m_computeRoles, &QPushButton::clicked, this, [this] { computeRoles(); });
    connect(m_computeRelevance, &QPushButton::clicked, this, [this] { computeRelevance(); });
}

void RolesPage::computeRoles()
{
    for (const Domain domain : kBothDomains)
        computeRoles(domain);
}

void RolesPage::computeRelevance()
{
    for (const Domain domain : kBothDomains)
        computeRelevance(domain);
}

void RolesPage::computeRoles(Domain domain)
{
    m_controller.start(domain, m_settings->rolesSpec(m_controller.runOptions()));
}

void RolesPage::computeRelevance(Domain domain)
{
    m_controller.start(domain, m_settings->relevanceSpec(m_controller.runOptions()));
}

void RolesPage::computeFigure(RoleFigure figure)
{
    switch (figure) {
    case RoleFigure::Offsets:
    case RoleFigure::Partners:
        return computeRoles();
    case RoleFigure::Contributions:
    case RoleFigure::ContributionEntropies:
        return computeRelevance();
    case RoleFigure::Tokens: {
        const Domain domain = m_state.roleDomain();
        RelevanceSpec spec = m_settings->relevanceSpec(m_controller.runOptions());
        spec.example = m_figures->example();
        if (m_state.data(domain) && *spec.example < m_state.data(domain)->rows)
            m_controller.start(domain, spec);
        return;
    }
    default:
        break;
    }
    for (const Domain domain : kBothDomains) {
        if (m_state.data(domain))
            m_controller.start(domain, SimilaritySpec{.run = m_controller.runOptions()});
    }
}

RoleScatterForm RolesPage::form() const
{
    return m_form->currentIndex() == 1 ? RoleScatterForm::Scatter : RoleScatterForm::ByLayer;
}

RolesPage::Shown RolesPage::present() const
{
    const Domain domain = m_state.roleDomain();
    const DomainResults &results = m_state.results(domain);
    return {results.roles,      m_state.assignedRoles(domain),
            results.confidence, results.relevance,
            results.similarity, results.tokens,
            m_state.layout()};
}

void RolesPage::refresh()
{
    Shown shown = present();
    if (shown == m_shown)
        return;
    m_shown = std::move(shown);
    refreshChart();
    refreshHead();
    refreshTexts();
}

void RolesPage::refreshChart()
{
    m_chart->setEmptyText(whyEmpty());
    // Confidence by itself is the heads page's.
    const bool any = m_shown.roles || m_shown.relevance;
    m_chart->setSeries(any ? makeRoleScatter({m_shown.layout, m_shown.roles.get(), m_shown.assigned.get(),
                                              m_shown.confidence.get(), m_shown.relevance.get()},
                                             form())
                           : RoleScatterSeries());
    m_bestHeads->setResult(m_shown.roles, m_state.roleThresholds());
    m_figures->setResults(m_shown.roles, m_shown.relevance, m_shown.similarity, m_shown.tokens);
    m_form->setEnabled(m_shown.relevance && (m_shown.roles || m_shown.confidence));
    // A row that a filter takes away is no reason to select another head.
    m_selecting = true;
    m_model->setResults(m_shown.roles, m_shown.assigned, m_shown.relevance);
    m_selecting = false;
    refreshColumns();
}

void RolesPage::refreshColumns()
{
    m_table->setColumnHidden(RolesTableModel::RelevanceColumn, !m_shown.relevance);
    const auto isTested = [&](RoleDetector detector) {
        return m_shown.roles && std::ranges::any_of(m_shown.roles->heads, [detector](const HeadRoleScores &head) {
                   return std::ranges::find(head.detectors, detector, &RoleDetectorScore::detector)
                       != head.detectors.end();
               });
    };
    bool any = false;
    for (int column = RolesTableModel::DetectorColumn; column < RolesTableModel::ColumnCount; ++column) {
        const bool tested = isTested(static_cast<RoleDetector>(column - RolesTableModel::DetectorColumn));
        m_table->setColumnHidden(column, !tested || !m_tests->isChecked());
        any = any || tested;
    }
    m_tests->setVisible(any);
}

void RolesPage::refreshFilter()
{
    const auto &role = m_state.roleFilter();
    m_chart->setOnlyRole(role);
    m_selecting = true;
    m_sorted->setFilterFixedString(role ? QString(QLatin1Char(roleLetter(*role))) : QString());
    m_selecting = false;
    refreshHead();
}

void RolesPage::refreshHead()
{
    const auto &current = m_state.currentHead();
    m_selecting = true;
    const QModelIndex row = current ? m_sorted->mapFromSource(m_model->indexOf(*current)) : QModelIndex();
    if (row.isValid()) {
        m_table->selectionModel()->setCurrentIndex(row,
                                                   QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        m_table->scrollTo(row);
    } else {
        m_table->selectionModel()->clear();
    }
    m_selecting = false;
    m_evidence->refresh();
    ShareSeries offsets;
    ShareSeries relations;
    QString why = tr("Select a head.");
    if (m_shown.roles && current) {
        const auto &heads = m_shown.roles->heads;
        const auto found = std::ranges::find(heads, *current, &HeadRoleScores::head);
        if (found != heads.end()) {
            offsets = makeOffsetShares(*found, m_state.roleThresholds());
            relations = makeRelationShares(*m_shown.roles, *found, m_state.roleThresholds());
        }
        why = whyNoRelations(*current);
    }
    m_offsets->setEmptyText(m_shown.roles ? tr("Select a head.") : tr("Roles have not been computed yet."));
    m_offsets->setSeries(std::move(offsets), Role::Positional);
    m_relations->setEmptyText(m_shown.roles ? why : QString());
    m_relations->setSeries(std::move(relations), Role::Syntactic);
}

QString RolesPage::whyNoRelations(const HeadRef &head) const
{
    if (!m_shown.roles->relations.empty())
        return head.kind == HeadKind::Encoder
                 ? tr("No relation was found in the trees.")
                 : tr("Relations are counted where source words attend to source words: in encoder "
                      "self-attention.");
    const auto &data = m_state.data(m_state.roleDomain());
    if (data && data->trees)
        return tr("Roles were computed without the dependency trees: compute them again.");
    return tr("No dependency trees: syntactic roles need a CoNLL-U file with the data set (Choose data…).");
}

QString RolesPage::whyEmpty() const
{
    if (!m_state.model())
        return tr("No model is open. Open a model folder to find out what its heads do.");
    if (!m_state.data(Domain::In) && !m_state.data(Domain::Out))
        return tr("No data set is open. Choose one, then press “Compute roles”.");
    if (const QString why = m_controller.whyNotReady(); !why.isEmpty())
        return why;
    QString text = tr("Nothing has been computed yet. “Compute roles” counts where every head's largest weights "
                      "are; “Compute relevance” traces the model's outputs back through its heads.");
    const auto &data = m_state.data(m_state.roleDomain());
    if (data && !data->trees)
        text += u'\n'
              + tr("Syntactic roles need dependency trees: give a CoNLL-U file with the data set (Choose data…).");
    return text;
}

QString RolesPage::summary() const
{
    QStringList parts;
    if (m_shown.roles) {
        const RolesResult &roles = *m_shown.roles;
        const auto with = std::ranges::count_if(*m_shown.assigned, [](const HeadRoles &head) { return head.first(); });
        QString text = tr("%1 of %2 heads have a role, by %3 of %4 examples.")
                           .arg(countText(with), countText(std::ssize(roles.heads)),
                                roles.measure == AttentionMeasure::Norms ? tr("norm-weighted attention")
                                                                         : tr("attention weights"),
                                examplesCountText(roles.manifest, roles.examples));
        if (with == 0)
            text += tr(" Lower thresholds show which come nearest.");
        if (roles.manifest.partial)
            text = (m_controller.isComputing(ResultKind::Roles) ? tr("Refining: ") : tr("Stopped: ")) + text;
        if (const QString stale = staleText(m_state, m_state.roleDomain(), roles.manifest); !stale.isEmpty())
            text = stale + u' ' + text;
        if (roles.relations.empty())
            text += tr(" No syntactic roles: no dependency trees.");
        else if (roles.treesNotAligned > 0)
            text += tr(" %1 trees used, %2 not found in their texts.")
                        .arg(countText(roles.trees), countText(roles.treesNotAligned));
        parts << text;
    }
    if (m_shown.relevance)
        parts << tr("Relevance by the %1 over %2 steps of %3 examples.")
                     .arg(relevanceRuleName(m_shown.relevance->rule), countText(m_shown.relevance->steps),
                          examplesCountText(m_shown.relevance->manifest, m_shown.relevance->examples));
    else if (m_shown.roles)
        parts << tr("Relevance is not computed.");
    return parts.join(u' ');
}

void RolesPage::refreshTexts()
{
    const Domain domain = m_state.roleDomain();
    const auto &data = m_state.data(domain);
    m_title->setText(data ? tr("<b>Roles of heads</b>, %1").arg(domainName(domain)) : tr("<b>Roles of heads</b>"));
    m_figures->setExamples(data ? data->rows : 0);
    m_title->setToolTip(data ? plainTip(QString::fromStdString(data->name)) : QString());
    m_summary->setText(summary());
    m_error->setError(m_controller.works().errorOn(info().id));
    m_chart->setEmptyText(whyEmpty());
    const QString why = m_controller.whyNotReady();
    const bool ready = why.isEmpty();
    for (QPushButton *button : {m_computeRoles, m_computeRelevance})
        button->setEnabled(ready);
    m_figures->setReady(why);
    m_computeRoles->setToolTip(ready ? tr("What every head attends to, on every data set, with the settings "
                                          "below")
                                     : why);
    m_computeRelevance->setToolTip(
        ready ? tr("How much every head contributes to the model's outputs, on every data set, with the settings "
                   "below")
              : why);
}

std::vector<const Manifest *> RolesPage::manifests() const
{
    std::vector<const Manifest *> list;
    if (m_shown.roles)
        list.push_back(&m_shown.roles->manifest);
    if (m_shown.relevance)
        list.push_back(&m_shown.relevance->manifest);
    return list;
}

QList<ExportItem> RolesPage::makeExportItems() const
{
    QList<ExportItem> items;
    RoleScatterPicture picture;
    picture.series = m_chart->picture().series;
    picture.masked = m_chart->picture().masked;
    picture.onlyRole = m_chart->picture().onlyRole;
    if (!picture.series.empty()) {
        ExportItem item;
        item.name = tr("Roles, %1").arg(domainName(m_state.roleDomain()));
        item.caption = tr("Roles of the heads of %1 on %2. %3")
                           .arg(QString::fromStdString(manifests().front()->model), dataName(), summary());
        item.size = sizeOnPage(*m_chart, QSizeF(960, picture.series.panels.size() > 3 ? 520 : 340));
        item.paint = [picture](QPainter &painter, const QRectF &rect) { paintRoleScatter(painter, rect, picture); };
        item.csv = [roles = m_shown.roles, relevance = m_shown.relevance, thresholds = m_state.roleThresholds(),
                    windowed = m_state.windowedSweep(m_state.roleDomain())] {
            return roles ? toCsv(*roles, thresholds, windowed) : toCsv(*relevance);
        };
        item.manifestJson = manifestsText(m_state, manifests());
        items << item;
        addHeadItems(items);
        addBestHeads(items);
    }
    return items + m_figures->exportItems(m_state.roleDomain());
}

QString RolesPage::dataName() const
{
    const auto &data = m_state.data(m_state.roleDomain());
    return data ? QString::fromStdString(data->name) : QString();
}

void RolesPage::addHeadItems(QList<ExportItem> &items) const
{
    for (const ShareChart *chart : {m_offsets, m_relations}) {
        if (chart->series().empty())
            continue;
        ExportItem item;
        const ShareSeries shares = chart->series();
        const QString head = QString::fromStdString(toText(*m_state.currentHead()));
        const bool offsets = chart == m_offsets;
        item.name = (offsets ? tr("Offsets of %1, %2") : tr("Relations of %1, %2"))
                        .arg(head, domainName(m_state.roleDomain()));
        item.caption
            = tr("%1: %2, on %3 (%4 examples). Marks: %5.")
                  .arg(head, shares.title, dataName(),
                       examplesCountText(m_shown.roles->manifest, m_shown.roles->examples), shares.expectedName);
        item.size = QSizeF(640, offsets ? 300 : sharesHeight(shares, 16) + 16);
        const QColor strong = roleColor(offsets ? Role::Positional : Role::Syntactic, ViewPalette::light());
        item.paint = [shares, strong](QPainter &painter, const QRectF &rect) {
            paintShares(painter, rect, {shares, strong, ViewPalette::light()});
        };
        item.csv = [shares] { return shareCsv(shares); };
        item.manifestJson = manifestsText(m_state, {&m_shown.roles->manifest});
        items << item;
    }
}

void RolesPage::addBestHeads(QList<ExportItem> &items) const
{
    if (!m_shown.roles || m_bestHeads->model()->rowCount() == 0)
        return;
    ExportItem item = tableItem(
        tr("Best head of every relation, %1").arg(domainName(m_state.roleDomain())),
        tr("The head whose largest weight is on the partner most often, beside the best fixed offset, on %1 (%2 "
           "trees; Clark et al. 2019, Table 1).")
            .arg(dataName(), countText(m_shown.roles->trees)),
        *m_bestHeads->model());
    item.csv = [roles = m_shown.roles] { return relationsCsv(*roles); };
    item.manifestJson = manifestsText(m_state, {&m_shown.roles->manifest});
    items << item;
}

} // namespace headscope
