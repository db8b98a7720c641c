#include "ui/pages/roles/roleevidenceview.h"

#include "ui/heatmap/rolestyle.h"
#include "ui/models/numbertext.h"
#include "ui/models/plaintip.h"
#include "ui/models/roletext.h"
#include "ui/views/plainlabel.h"

#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPixmap>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope {

namespace {
enum Column { WhatColumn, ScoreColumn, ExpectedColumn, InstancesColumn, ColumnCount };

/// Share of one sentence: "12/14".
QString hitsText(const SentenceShare &share)
{
    return QStringLiteral("%1/%2").arg(countText(share.hits), countText(share.instances));
}
} // namespace

RoleEvidenceView::RoleEvidenceView(StudyState &state, QWidget *parent)
    : QWidget(parent), m_state(state), m_title(new QLabel(this)), m_tree(new QTreeWidget(this)),
      m_note(new PlainLabel(this))
{
    m_title->setWordWrap(true);
    m_title->setTextFormat(Qt::RichText);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_tree->setColumnCount(ColumnCount);
    m_tree->setHeaderLabels({tr("What the head does"), tr("Score"), tr("By chance"), tr("n")});
    m_tree->headerItem()->setToolTip(ScoreColumn, tr("How often, or with how much of its attention"));
    m_tree->headerItem()->setToolTip(
        ExpectedColumn, tr("Without any preference: the best fixed offset (syntactic), uniform attention (others)"));
    m_tree->headerItem()->setToolTip(InstancesColumn, tr("Instances that the score rests on"));
    m_tree->setAccessibleName(tr("Evidence for the roles of the selected head"));
    m_tree->setIndentation(12);
    m_tree->setUniformRowHeights(true);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(WhatColumn, QHeaderView::Stretch);
    for (const int column : {ScoreColumn, ExpectedColumn, InstancesColumn}) {
        m_tree->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
        m_tree->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    }
    m_note->setWordWrap(true);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(m_title);
    layout->addWidget(m_tree, 1);
    layout->addWidget(m_note);
    connect(m_tree, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem *item) {
        const QVariant row = item->data(WhatColumn, kSentenceRole);
        if (!row.isValid())
            return;
        m_state.setSentence(m_state.roleDomain(), row.toLongLong());
        Q_EMIT sentenceActivated();
    });
    refresh();
}

/// The sentence's beginning where the data set is read.
QString RoleEvidenceView::textOf(std::int64_t index) const
{
    const auto rows = m_state.rows(m_state.roleDomain());
    if (!rows || index < 0 || index >= rows->size())
        return tr("sentence %1").arg(countText(index + 1));
    return QString::fromStdString(rows->at(index).source);
}

void RoleEvidenceView::addSentences(QTreeWidgetItem *parent, const QString &title,
                                    const std::vector<SentenceShare> &sentences)
{
    if (sentences.empty())
        return;
    auto *group = new QTreeWidgetItem(parent, {title});
    group->setFirstColumnSpanned(true);
    group->setFlags(Qt::ItemIsEnabled);
    for (const SentenceShare &share : sentences) {
        const QString text = textOf(share.index);
        auto *item = new QTreeWidgetItem(group, {tr("%1  %2").arg(hitsText(share), text)});
        item->setFirstColumnSpanned(true);
        item->setToolTip(WhatColumn, plainTip(tr("%1 of %2 in sentence %3: %4\nDouble click shows its attention.")
                                                  .arg(countText(share.hits), countText(share.instances),
                                                       countText(share.index + 1), text)));
        item->setData(WhatColumn, kSentenceRole, static_cast<qlonglong>(share.index));
    }
    group->setExpanded(true);
}

void RoleEvidenceView::addLabel(const HeadRoleScores &head, const RoleLabel &label, bool passes, bool shown)
{
    const QString state = !passes ? tr("no") : !label.supported ? tr("too few instances") : QString();
    const QString what = roleLabelName(label);
    auto *item
        = new QTreeWidgetItem(m_tree, {state.isEmpty() ? what : tr("%1 – %2").arg(what, state), shareText(label.score),
                                       shareText(label.expected), countText(label.instances)});
    for (const int column : {ScoreColumn, ExpectedColumn, InstancesColumn})
        item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    const int size = m_tree->fontMetrics().height();
    const qreal ratio = devicePixelRatioF();
    QPixmap tag(QSize(size, size) * ratio);
    tag.setDevicePixelRatio(ratio);
    tag.fill(Qt::transparent);
    QPainter painter(&tag);
    paintRoleTag(painter, QRectF(0, 0, size, size), label.role, QString(QLatin1Char(roleLetter(label.role))),
                 ViewPalette::matching(palette()));
    painter.end();
    item->setIcon(WhatColumn, tag);
    const bool counts = passes && label.supported;
    for (int column = 0; column < ColumnCount; ++column) {
        QFont font = m_tree->font();
        font.setBold(shown);
        item->setFont(column, font);
        if (!counts)
            item->setForeground(column, ViewPalette::matching(palette()).muted);
    }
    item->setToolTip(WhatColumn, counts   ? tr("Passes the thresholds.")
                                 : passes ? tr("Passes the thresholds, but rests on only %Ln instances.", nullptr,
                                               static_cast<int>(label.instances))
                                          : tr("Does not pass the thresholds."));
    if (const RoleEvidence *evidence = evidenceFor(head, label)) {
        addSentences(item, tr("For: sentences with the highest share"), evidence->best);
        addSentences(item, tr("Against: sentences with the lowest share"), evidence->worst);
        item->setExpanded(shown);
    }
}

void RoleEvidenceView::refresh()
{
    m_tree->clear();
    const auto &current = m_state.currentHead();
    const auto &result = m_state.results(m_state.roleDomain()).roles;
    const auto found = result && current ? std::ranges::find(result->heads, *current, &HeadRoleScores::head)
                                         : std::vector<HeadRoleScores>::const_iterator();
    const bool known = result && current && found != result->heads.end();
    m_tree->setVisible(known);
    m_note->setVisible(known);
    if (!known) {
        m_title->setText(!result ? tr("Roles have not been computed yet.")
                                 : tr("Select a head in the chart or the table: its possible roles appear here, with "
                                      "sentences for and against."));
        return;
    }
    const auto assigned = m_state.assignedRoles(m_state.roleDomain());
    const HeadRoles &roles = (*assigned)[static_cast<std::size_t>(found - result->heads.begin())];
    const std::vector<RoleLabel> supported = roles.supported();
    QString title = QStringLiteral("<b>%1</b>: ").arg(QString::fromStdString(toText(*current)));
    title += supported.empty() ? tr("no role") : rolesText(supported).toHtmlEscaped();
    if (isAmbiguous(supported))
        title += tr(" <i>(ambiguous: several roles pass)</i>");
    m_title->setText(title);
    for (const RoleLabel &label :
         bestLabels(*result, *found, m_state.roleThresholds(), m_state.windowedSweep(m_state.roleDomain()))) {
        const bool passes = std::ranges::any_of(
            roles.labels, [&](const RoleLabel &other) { return claimOf(other) == claimOf(label); });
        addLabel(*found, label, passes, roles.first() && claimOf(*roles.first()) == claimOf(label));
    }
    m_note->setText(noteOn(*found, *result));
}

/// What the evidence rests on.
QString RoleEvidenceView::noteOn(const HeadRoleScores &head, const RolesResult &result) const
{
    QString note = tr("Largest weights of %Ln queries.", nullptr, static_cast<int>(head.offsets.queries));
    if (head.offsets.ties > 0)
        note += tr(" %1 have no single largest weight.").arg(countText(head.offsets.ties));
    if (head.twoRarest && !result.rarityFrom.empty())
        note += tr(" Rarity by %1%2.")
                    .arg(QString::fromStdString(result.rarityFrom),
                         result.rarityApproximate ? tr(", an approximation") : QString());
    if (head.alignment)
        note += tr(" Alignment error rate %1 of the row that predicts a word, %2 of the row that reads it.")
                    .arg(numberText(head.alignment->whenPredicted, 2), numberText(head.alignment->whenRead, 2));
    return note;
}

} // namespace headscope
