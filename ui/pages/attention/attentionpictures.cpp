// What the views of the page show, and what of them is exported.
#include "ui/pages/attention/attentionpage.h"

#include "core/exporting/csv.h"
#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"
#include "ui/models/roletext.h"
#include "ui/models/tasktext.h"
#include "ui/pages/attention/headlinesview.h"
#include "ui/pages/attention/headstrip.h"
#include "ui/pages/attention/mapsview.h"
#include "ui/pages/attention/neededbar.h"
#include "ui/pages/attention/neuronfeed.h"
#include "ui/pages/attention/neuronview.h"
#include "ui/pages/attention/rolloutfeed.h"
#include "ui/views/gridfeed.h"
#include "ui/views/manifesttext.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QStringList>

#include <algorithm>
#include <cstdint>
#include <iterator>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

constexpr std::int64_t kNamedHeads = 3; ///< of a mask in a heading

} // namespace

AttentionTableOptions AttentionPage::tableOptions(const AttentionViews &views) const
{
    AttentionTableOptions options{m_controls->joinBox().isChecked(), m_controls->hideBox().isChecked()};
    options.normWeighted = showsNorms(views);
    options.withTree = showsTree(views);
    if (const int choice = m_controls->pairBox().currentIndex(); choice > 0) {
        options.querySegment = (choice - 1) / 2;
        options.keySegment = (choice - 1) % 2;
    }
    return options;
}

/// "positional −1 (94 %)", with the data set; empty: none, or not computed.
QString AttentionPage::rolesOf(const HeadRef &head) const
{
    const Domain domain = m_state.roleDomain();
    const auto assigned = m_state.assignedRoles(domain);
    const HeadRoles *roles = assigned ? findRoles(*assigned, head) : nullptr;
    return roles ? rolesText(roles->supported()) : QString();
}

QString AttentionPage::sideName(bool target, const std::optional<int> &segment) const
{
    if (translates())
        return target ? tr("target (what the decoder has read)") : tr("source");
    return !segment ? tr("text") : *segment == 0 ? tr("text A") : tr("text B");
}

/// "cross.1.3 – Cross-attention – confidence 0.61 – diagonal (52 %)"
QString AttentionPage::titleOf(const HeadRef &head) const
{
    QStringList parts{QString::fromStdString(toText(head)), headKindTitle(head.kind)};
    const auto &confidence = m_state.results(m_state.sentenceDomain()).confidence;
    if (confidence) {
        const auto found = std::ranges::find(confidence->heads, head, &HeadConfidence::head);
        if (found != confidence->heads.end())
            parts << tr("confidence %1").arg(numberText(found->confidence, 2));
    }
    if (const QString roles = rolesOf(head); !roles.isEmpty())
        parts << roles;
    return parts.join(u" – "_s);
}

/// What its first role rests on: "positional −1: 94 % of 7,574 instances, 12 % by chance". Never null.
QString AttentionPage::evidenceOf(const HeadRef &head) const
{
    const auto assigned = m_state.assignedRoles(m_state.roleDomain());
    const HeadRoles *roles = assigned ? findRoles(*assigned, head) : nullptr;
    if (!roles)
        return tr("Roles are not computed yet: page Roles.");
    const std::vector<RoleLabel> labels = roles->supported();
    if (labels.empty())
        return tr("No role passes the thresholds of the page Roles.");
    const RoleLabel &label = labels.front();
    return tr("%1: %2 of %3 instances, %4 by chance")
        .arg(roleLabelName(label), shareText(label.score), countText(label.instances), shareText(label.expected));
}

HeatMapPicture AttentionPage::picture(const AttentionViews &views) const
{
    HeatMapPicture picture;
    const auto &attention = views.attention();
    const auto head = headOf(views);
    if (!attention || !head)
        return picture;
    const AttentionTableOptions options = tableOptions(views);
    const auto rollout = this->rollout(views);
    if (showsRollout(views) && !rollout)
        return picture;
    picture.table = attentionTableOf(*attention, *head, options, rollout.get());
    const AttentionScale scale = m_controls->scale();
    const double largest = picture.table.weights.empty() ? 1 : *std::ranges::max_element(picture.table.weights);
    picture.scale = ColorScale::sequential(0, scale == AttentionScale::Largest && largest > 0 ? largest : 1);
    picture.byRow = scale == AttentionScale::Row;
    picture.masked = !rollout && maskShown(views).isMasked(*head);
    picture.title = titleOf(*head);
    picture.evidence = evidenceOf(*head);
    if (rollout)
        picture.title = tr("%1, rollout through layers 0 to %2").arg(headKindTitle(head->kind)).arg(head->layer);
    if (!attention->predicted.empty())
        picture.title += u" – "_s + tr("model says %1").arg(QString::fromStdString(attention->predicted));
    picture.rowsTitle = tr("queries ↓ %1").arg(sideName(head->kind != HeadKind::Encoder, options.querySegment));
    picture.columnsTitle = tr("keys → %1").arg(sideName(head->kind == HeadKind::Decoder, options.keySegment));
    picture.legendLabel = picture.byRow        ? tr("weight, as a share of the largest one in its row")
                        : rollout              ? tr("attention rollout (each row sums to 1)")
                        : options.normWeighted ? tr("weight × value norm (each row sums to 1)")
                                               : tr("attention weight (each row sums to 1)");
    if (options.withTree && head->kind != HeadKind::Decoder)
        picture.arcs = makeTreeArcs(attention->sourceTree, picture.table.columns);
    if (m_place && &views == m_views && m_place->head == *head && m_place->place.text == attention->source && !rollout)
        picture.marked
            = cellOfTokens(picture.table, static_cast<int>(m_place->place.query), static_cast<int>(m_place->place.key));
    return picture;
}

/// The view on the left keeps the mask that it was computed under; the other one follows changes of the mask at once.
HeadMask AttentionPage::maskShown(const AttentionViews &views) const
{
    return &views == m_kept ? views.mask() : m_state.mask();
}

/// The selected ones of the current head's kind.
std::vector<HeadRef> AttentionPage::headsOfLines() const
{
    std::vector<HeadRef> heads;
    const auto &current = m_state.currentHead();
    if (!current)
        return heads;
    std::ranges::copy_if(m_state.selection(), std::back_inserter(heads),
                         [&](const HeadRef &head) { return head.kind == current->kind; });
    return heads.empty() ? std::vector<HeadRef>{*current} : heads;
}

LinesPicture AttentionPage::linesPicture(const AttentionViews &views) const
{
    LinesPicture picture;
    const auto &attention = views.attention();
    const auto head = headOf(views);
    if (!attention || !head)
        return picture;
    const AttentionTableOptions options = tableOptions(views);
    const std::vector<HeadRef> heads = views.ownHead() ? std::vector<HeadRef>{*head} : headsOfLines();
    picture.lines = makeHeadLines(*attention, heads, options, m_controls->leastBox().value());
    picture.lines.queriesTitle = tr("queries: %1").arg(sideName(head->kind != HeadKind::Encoder, options.querySegment));
    picture.lines.keysTitle = tr("keys: %1").arg(sideName(head->kind == HeadKind::Decoder, options.keySegment));
    picture.title
        = picture.lines.heads.size() == 1
            ? titleOf(*head)
            : tr("%n heads – %1", nullptr, static_cast<int>(picture.lines.heads.size())).arg(headKindTitle(head->kind));
    return picture;
}

MapsPicture AttentionPage::mapsPicture(const AttentionViews &views) const
{
    MapsPicture picture;
    picture.attention = views.attention();
    picture.options = tableOptions(views);
    picture.options.normWeighted = m_controls->measureBox().currentIndex() % 2 == 1; // where the norms are known
    picture.options.withTree = false;
    picture.layout = m_state.layout();
    picture.masked = maskShown(views);
    picture.selection = m_state.selection();
    picture.current = m_state.currentHead();
    picture.hovered = m_state.hoveredHead();
    const GridContent content = gridContent(m_state, m_state.measure(), m_state.domainView());
    for (const HeadCell &cell : content.cells) {
        if (!cell.value)
            continue;
        ValueFormat format = content.format;
        format.decimals = std::min(format.decimals, 2);
        const QString value = content.diverging ? format.difference(*cell.value) : format.number(*cell.value);
        picture.notes[cell.head] = {value, roleMark(cell.roles)};
    }
    picture.notesTitle = content.measure;
    const bool isShown = &views == m_views && m_controls->view() == AttentionView::Maps; // not where a head is picked
    if (const NeededSet *set = m_needed->chosen(); set && isShown) {
        MapsPicture::Marked &marked = picture.marked.emplace();
        marked.heads.insert(set->heads.begin(), set->heads.end());
        marked.isRound = set->goal == NeededGoal::Keep;
        marked.text = marked.isRound ? tr("keeps the output") : tr("changes the output");
    }
    return picture;
}

void AttentionPage::refreshStrip(const AttentionViews &views)
{
    std::vector<HeadRef> heads;
    if (const auto &current = m_state.currentHead())
        std::ranges::copy_if(m_state.layout().heads(), std::back_inserter(heads), [&](const HeadRef &head) {
            return head.kind == current->kind && head.layer == current->layer;
        });
    const std::vector<HeadRef> shown = headsOfLines();
    views.strip().setHeads(std::move(heads), std::set<HeadRef>(shown.begin(), shown.end()));
}

ExportItem AttentionPage::heatMapItem(const AttentionViews &views) const
{
    const HeatMapPicture shown = picture(views);
    ExportItem item;
    if (shown.table.empty())
        return item;
    item.name = tr("Attention of %1").arg(QString::fromStdString(toText(*headOf(views))));
    const AttentionResult &attention = *views.attention();
    item.caption
        = (showsRollout(views)
               ? tr("Attention rollout: %1%2 on %3. Rows are queries, columns keys; each row sums to 1%4.")
           : showsNorms(views) ? tr("Norm-weighted attention of %1%2 on %3. Rows are queries, columns keys; each row "
                                    "sums to 1%4.")
                               : tr("Attention weights of %1%2 on %3. Rows are queries, columns keys; each row sums to "
                                    "1%4."))
              .arg(shown.title, shown.masked ? tr(" (masked)") : QString(), exampleText(views),
                   shown.table.hidesKeys ? tr(" with the column of hidden tokens") : QString());
    QFont font;
    font.setPixelSize(12);
    item.size = HeatMapGeometry::sizeFor(shown, 30, QFontMetricsF(font));
    item.paint = [shown](QPainter &painter, const QRectF &rect) { paintHeatMap(painter, rect, shown); };
    const bool norms = showsNorms(views);
    const std::string measure = showsRollout(views) ? (norms ? "rollout of norm-shares" : "rollout")
                              : norms               ? "norm-shares"
                                                    : "weights";
    item.csv = [table = shown.table, head = *headOf(views), measure] { return attentionCsv(table, head, measure); };
    item.manifestJson = manifestsText(m_state, {&attention.manifest});
    return item;
}

/// "“A dog runs.” → “Un chien court.”"
QString AttentionPage::exampleText(const AttentionViews &views) const
{
    const AttentionResult &attention = *views.attention();
    const QString second
        = attention.target.empty()
            ? QString()
            : (classifies() ? tr(" and “%1”") : tr(" → “%1”")).arg(QString::fromStdString(attention.target));
    const QString cut = cutText(attention);
    return u"“%1”%2"_s.arg(QString::fromStdString(attention.source), second)
         + (cut.isEmpty() ? QString() : u" (%1)"_s.arg(cut));
}

ExportItem AttentionPage::linesItem(const AttentionViews &views) const
{
    const LinesPicture shown = linesPicture(views);
    ExportItem item;
    if (shown.lines.empty())
        return item;
    item.name = tr("Attention as lines, %1").arg(shown.title);
    QStringList names;
    for (const HeadRef &head : shown.lines.heads)
        names << QString::fromStdString(toText(head));
    item.file = tr("Attention as lines, %1").arg(names.front());
    item.caption
        = tr("Attention of %1 on %2: a line from every query (left) to every key (right), as strong as its weight by the "
             "number of heads.")
              .arg(names.join(u", "_s), exampleText(views));
    item.size = headLinesSize(shown);
    item.paint = [shown](QPainter &painter, const QRectF &rect) { paintHeadLines(painter, rect, shown); };
    item.csv = [shown] { return headLinesCsv(shown.lines); };
    item.html = [shown] { return headLinesHtml(shown); };
    item.manifestJson = manifestsText(m_state, {&views.attention()->manifest});
    return item;
}

namespace {
std::int64_t weightsOf(const AttentionResult &attention)
{
    std::int64_t weights = 0;
    for (const AttentionMap &map : attention.maps)
        weights += map.queries * map.keys;
    return weights;
}
} // namespace

ExportItem AttentionPage::mapsItem(const AttentionViews &views) const
{
    constexpr double kWide = 960;
    constexpr std::int64_t kMostWeights = 1'000'000; ///< in a table: as the command attention prints
    MapsPicture shown = mapsPicture(views);
    ExportItem item;
    if (shown.empty())
        return item;
    shown.hovered.reset();
    item.name = tr("Attention of all heads");
    item.caption = tr("Attention of every head on %1: rows are layers, rows of a thumbnail queries, columns keys.")
                       .arg(exampleText(views));
    if (shown.marked) {
        item.caption += u' ' + tr("Marked: %1.").arg(m_needed->textOf(*m_needed->chosen()));
        item.csv = [result = m_needed->result()] { return toCsv(*result); };
    } else if (weightsOf(*views.attention()) <= kMostWeights) {
        item.csv = [result = views.attention()] { return toCsv(*result); };
    }
    item.size = QSizeF(kWide, mapsHeight(shown, kWide));
    item.paint = [shown](QPainter &painter, const QRectF &rect) { paintMaps(painter, rect, shown); };
    item.manifestJson = manifestsText(m_state, {&views.attention()->manifest});
    return item;
}

std::optional<NeuronFeed::Request> AttentionPage::neuronsRequest(const AttentionViews &views) const
{
    if (!m_state.session() || !currentMap(views))
        return std::nullopt;
    return NeuronFeed::Request{m_state.session(), views.attention(), *headOf(views), views.mask()};
}

NeuronPicture AttentionPage::neuronsPicture(std::shared_ptr<const NeuronResult> neurons, const HeadRef &head)
{
    NeuronPicture picture = neuronPicture(std::move(neurons));
    picture.title = u"%1 – %2"_s.arg(QString::fromStdString(toText(head)), headKindTitle(head.kind));
    return picture;
}

NeuronPicture AttentionPage::neuronsPicture(const AttentionViews &views) const
{
    const auto request = neuronsRequest(views);
    return request ? neuronsPicture(views.neuronFeed().neurons(*request), request->head) : NeuronPicture();
}

void AttentionPage::computeForExport()
{
    Page::computeForExport();
    (void)neuronsPicture(*m_views);
}

ExportItem AttentionPage::neuronsItem(const AttentionViews &views, const NeuronPicture &shown) const
{
    ExportItem item;
    if (shown.empty())
        return item;
    item.name = tr("Neurons of %1").arg(QString::fromStdString(toText(shown.neurons->head)));
    item.caption
        = tr("How %1 comes to its attention from “%2” on %3: the query's vector above, keys below it, their products element by "
             "element, logits and softmax. Colours are tanh(x / 4).")
              .arg(shown.title, shown.queries[static_cast<std::size_t>(shown.query)].text, exampleText(views));
    item.size = neuronsSize(shown);
    item.paint = [shown](QPainter &painter, const QRectF &rect) {
        NeuronPicture paper = shown;
        paper.palette = ViewPalette::light();
        paper.key.reset();
        paintNeurons(painter, rect, paper);
    };
    item.csv = [shown] { return neuronsCsv(shown); };
    item.manifestJson = manifestsText(m_state, {&shown.neurons->manifest});
    return item;
}

/// "“A dog runs.” → “Un chien court.”, without encoder.0.3"
QString AttentionPage::headingOf(const AttentionViews &views) const
{
    if (!views.attention())
        return tr("nothing yet");
    const HeadMask mask = views.mask();
    if (mask.empty())
        return tr("%1, no head masked").arg(exampleText(views));
    const QString heads = mask.size() <= kNamedHeads ? QString::fromStdString(toText(mask))
                                                     : tr("%n heads", nullptr, static_cast<int>(mask.size()));
    return tr("%1, without %2").arg(exampleText(views), heads);
}

/// With the neurons even where another view is shown, if they have been computed.
QList<ExportItem> AttentionPage::makeAllExportItems() const
{
    QList<ExportItem> items = makeExportItems();
    const auto request = neuronsRequest(*m_views);
    const auto known = request ? m_views->neuronFeed().known(*request) : nullptr;
    if (m_controls->view() == AttentionView::Neurons || !known)
        return items;
    if (const ExportItem item = neuronsItem(*m_views, neuronsPicture(known, request->head)); item.paint)
        items << item;
    return items;
}

/// The view that is shown first; what is beside it follows.
QList<ExportItem> AttentionPage::makeExportItems() const
{
    QList<ExportItem> items;
    for (const AttentionViews *views : {m_views, m_kept}) {
        const bool neurons = m_controls->view() == AttentionView::Neurons;
        QList<ExportItem> some{heatMapItem(*views), linesItem(*views), mapsItem(*views),
                               neurons ? neuronsItem(*views, views->neurons().picture()) : ExportItem()};
        some.move(static_cast<qsizetype>(m_controls->view()), 0);
        some.removeIf([](const ExportItem &item) { return !item.paint; });
        if (views == m_kept) {
            for (ExportItem &item : some) {
                item.name = tr("%1, beside").arg(item.name);
                if (!item.file.isEmpty())
                    item.file = tr("%1, beside").arg(item.file);
            }
        }
        items += some;
    }
    if (const ExportItem places = m_places->exportItem(); places.paint)
        items << places;
    return items;
}

} // namespace headscope
