// What the views of the page show, and what of them is exported.
#include "ui/pages/attention/attentionpage.h"

#include "ui/models/kindtext.h"
#include "ui/models/roletext.h"
#include "ui/pages/attention/headlinesview.h"
#include "ui/pages/attention/headstrip.h"
#include "ui/pages/attention/mapsview.h"
#include "ui/pages/attention/rolloutfeed.h"
#include "ui/views/manifesttext.h"

#include <QCheckBox>
#include <QComboBox>

#include <algorithm>
#include <iterator>

using namespace Qt::StringLiterals;

namespace headscope {

AttentionTableOptions AttentionPage::tableOptions() const
{
    AttentionTableOptions options{m_controls->joinBox().isChecked(), m_controls->hideBox().isChecked()};
    options.normWeighted = showsNorms();
    options.withTree = showsTree();
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

HeatMapPicture AttentionPage::picture() const
{
    HeatMapPicture picture;
    const auto &attention = m_state.attention();
    const auto &head = m_state.currentHead();
    if (!attention || !head)
        return picture;
    const AttentionTableOptions options = tableOptions();
    const auto rollout = this->rollout();
    if (showsRollout() && !rollout)
        return picture;
    picture.table = attentionTableOf(*attention, *head, options, rollout.get());
    picture.scale = ColorScale::sequential(0, 1);
    picture.masked = !rollout && m_state.mask().isMasked(*head);
    picture.title = u"%1 – %2"_s.arg(QString::fromStdString(toText(*head)), headKindTitle(head->kind));
    if (rollout)
        picture.title = tr("%1, rollout through layers 0 to %2").arg(headKindTitle(head->kind)).arg(head->layer);
    else if (const QString roles = rolesOf(*head); !roles.isEmpty())
        picture.title += u" – "_s + roles;
    if (!attention->predicted.empty())
        picture.title += u" – "_s + tr("model says %1").arg(QString::fromStdString(attention->predicted));
    picture.rowsTitle = tr("queries ↓ %1").arg(sideName(head->kind != HeadKind::Encoder, options.querySegment));
    picture.columnsTitle = tr("keys → %1").arg(sideName(head->kind == HeadKind::Decoder, options.keySegment));
    picture.legendLabel = rollout ? tr("attention rollout (each row sums to 1)")
        : options.normWeighted            ? tr("weight × value norm (each row sums to 1)")
                                          : tr("attention weight (each row sums to 1)");
    if (options.withTree && head->kind != HeadKind::Decoder)
        picture.arcs = makeTreeArcs(attention->sourceTree, picture.table.columns);
    return picture;
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

LinesPicture AttentionPage::linesPicture() const
{
    LinesPicture picture;
    const auto &attention = m_state.attention();
    const auto &head = m_state.currentHead();
    if (!attention || !head)
        return picture;
    const AttentionTableOptions options = tableOptions();
    picture.lines = makeHeadLines(*attention, headsOfLines(), options);
    picture.lines.queriesTitle = tr("queries: %1").arg(sideName(head->kind != HeadKind::Encoder, options.querySegment));
    picture.lines.keysTitle = tr("keys: %1").arg(sideName(head->kind == HeadKind::Decoder, options.keySegment));
    picture.title = picture.lines.heads.size() == 1
        ? u"%1 – %2"_s.arg(QString::fromStdString(toText(*head)), headKindTitle(head->kind))
        : tr("%n heads – %1", nullptr, static_cast<int>(picture.lines.heads.size())).arg(headKindTitle(head->kind));
    return picture;
}

MapsPicture AttentionPage::mapsPicture() const
{
    MapsPicture picture;
    picture.attention = m_state.attention();
    picture.options = tableOptions();
    picture.options.normWeighted = m_controls->measureBox().currentIndex() % 2 == 1; // where the norms are known
    picture.options.withTree = false;
    picture.layout = m_state.layout();
    picture.masked = m_state.mask();
    picture.selection = m_state.selection();
    picture.current = m_state.currentHead();
    picture.hovered = m_state.hoveredHead();
    return picture;
}

void AttentionPage::refreshStrip()
{
    std::vector<HeadRef> heads;
    if (const auto &current = m_state.currentHead())
        std::ranges::copy_if(m_state.layout().heads(), std::back_inserter(heads), [&](const HeadRef &head) {
            return head.kind == current->kind && head.layer == current->layer;
        });
    const std::vector<HeadRef> shown = headsOfLines();
    m_strip->setHeads(std::move(heads), std::set<HeadRef>(shown.begin(), shown.end()));
}

ExportItem AttentionPage::heatMapItem() const
{
    const HeatMapPicture shown = picture();
    ExportItem item;
    if (shown.table.empty())
        return item;
    item.name = tr("Attention of %1").arg(QString::fromStdString(toText(*m_state.currentHead())));
    const AttentionResult &attention = *m_state.attention();
    item.caption
        = (showsRollout() ? tr("Attention rollout: %1%2 on %3. Rows are queries, columns keys; each row sums to 1%4.")
           : showsNorms() ? tr("Norm-weighted attention of %1%2 on %3. Rows are queries, columns keys; each row "
                             "sums to 1%4.")
                        : tr("Attention weights of %1%2 on %3. Rows are queries, columns keys; each row sums to "
                             "1%4."))
              .arg(shown.title, shown.masked ? tr(" (masked)") : QString(), exampleText(),
                  shown.table.hidesKeys ? tr(" with the column of hidden tokens") : QString());
    QFont font;
    font.setPixelSize(12);
    item.size = HeatMapGeometry::sizeFor(shown, 30, QFontMetricsF(font));
    item.paint = [shown](QPainter &painter, const QRectF &rect) { paintHeatMap(painter, rect, shown); };
    item.csv = [table = shown.table] { return attentionCsv(table); };
    item.manifestJson = manifestsText(m_state, {&attention.manifest});
    return item;
}

/// "“A dog runs.” → “Un chien court.”"
QString AttentionPage::exampleText() const
{
    const AttentionResult &attention = *m_state.attention();
    const QString second = attention.target.empty() ? QString()
        : (classifies() ? tr(" and “%1”") : tr(" → “%1”")).arg(QString::fromStdString(attention.target));
    return u"“%1”%2"_s.arg(QString::fromStdString(attention.source), second);
}

ExportItem AttentionPage::linesItem() const
{
    const LinesPicture shown = linesPicture();
    ExportItem item;
    if (shown.lines.empty())
        return item;
    item.name = tr("Attention as lines, %1").arg(shown.title);
    QStringList names;
    for (const HeadRef &head : shown.lines.heads)
        names << QString::fromStdString(toText(head));
    item.caption = tr("Attention of %1 on %2: a line from every query (left) to every key (right), as strong as its weight by the "
                      "number of heads.")
                       .arg(names.join(u", "_s), exampleText());
    item.size = headLinesSize(shown);
    item.paint = [shown](QPainter &painter, const QRectF &rect) { paintHeadLines(painter, rect, shown); };
    item.csv = [shown] { return headLinesCsv(shown.lines); };
    item.html = [shown] { return headLinesHtml(shown); };
    item.manifestJson = manifestsText(m_state, {&m_state.attention()->manifest});
    return item;
}

ExportItem AttentionPage::mapsItem() const
{
    constexpr double kWide = 960;
    MapsPicture shown = mapsPicture();
    ExportItem item;
    if (shown.empty())
        return item;
    shown.hovered.reset();
    item.name = tr("Attention of all heads");
    item.caption = tr("Attention of every head on %1: rows are layers, rows of a thumbnail queries, columns keys.").arg(exampleText());
    item.size = QSizeF(kWide, mapsHeight(shown, kWide));
    item.paint = [shown](QPainter &painter, const QRectF &rect) { paintMaps(painter, rect, shown); };
    item.manifestJson = manifestsText(m_state, {&m_state.attention()->manifest});
    return item;
}

/// The view that is shown first.
QList<ExportItem> AttentionPage::makeExportItems() const
{
    QList<ExportItem> items{heatMapItem(), linesItem(), mapsItem()};
    items.move(static_cast<qsizetype>(m_controls->view()), 0);
    items.removeIf([](const ExportItem &item) { return !item.paint; });
    return items;
}

} // namespace headscope
