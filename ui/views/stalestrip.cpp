#include "ui/views/stalestrip.h"

#include "ui/heatmap/viewpalette.h"
#include "ui/models/plaintip.h"
#include "ui/views/pageparts.h"
#include "ui/views/plainlabel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPushButton>

#include <algorithm>
#include <array>

namespace headscope {

StaleStrip::StaleStrip(StudyState &state, StudyController &controller, QWidget *parent)
    : QFrame(parent), m_state(state), m_controller(controller), m_text(new PlainLabel(this)),
      m_again(new QPushButton(tr("Compute again"), this)), m_discard(new QPushButton(tr("Discard"), this))
{
    setObjectName(QStringLiteral("staleStrip"));
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_discard->setToolTip(tr("Removes the outdated results; undo brings them back"));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 6, 12, 6);
    layout->addWidget(m_text, 1);
    addWidgets(*layout, {m_again, m_discard});
    connect(&m_state, &StudyState::staleChanged, this, &StaleStrip::refresh);
    connect(&m_state, &StudyState::modelChanged, this, &StaleStrip::refresh);
    connect(&m_state, &StudyState::dataChanged, this, &StaleStrip::refresh);
    connect(&m_state, &StudyState::errorChanged, this, &StaleStrip::refresh);
    connect(m_again, &QPushButton::clicked, &m_controller, &StudyController::recomputeStale);
    connect(m_discard, &QPushButton::clicked, &m_controller, &StudyController::discardStale);
    refreshColors();
    refresh();
}

void StaleStrip::changeEvent(QEvent *event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        refreshColors();
}

/// A bar of the warning's colour at the left edge, as cards of trouble have a sign.
void StaleStrip::refreshColors()
{
    const QColor color = ViewPalette::matching(palette()).warning;
    const QString style = QStringLiteral("#staleStrip { border: none; border-left: 4px solid %1; }").arg(color.name());
    if (style != styleSheet()) // which changes the palette again
        setStyleSheet(style);
}

void StaleStrip::refresh()
{
    const QString summary = staleSummary(m_state.staleResults());
    m_text->setText(summary.isEmpty() ? QString() : QStringLiteral("⚠ ") + summary);
    m_text->setAccessibleName(m_text->text());
    const QString why = m_controller.whyNotRecomputed();
    m_again->setEnabled(why.isEmpty());
    m_again->setToolTip(why.isEmpty() ? tr("Computes these results anew, with the same options") : plainTip(why));
    setVisible(!summary.isEmpty());
}

QString staleSummary(const std::vector<StaleResult> &results)
{
    if (results.empty())
        return {};
    QStringList changed;
    std::array<QStringList, 2> names;
    for (const StaleResult &result : results) {
        changed << result.changed;
        names[result.domain == Domain::In ? 0 : 1] << result.name;
    }
    changed.removeDuplicates();
    for (QStringList &list : names)
        list.removeDuplicates();
    const bool areAlike = std::ranges::is_permutation(names[0], names[1]);
    QStringList parts;
    if (areAlike) {
        parts << StaleStrip::tr("%1 (both data sets)").arg(names[0].join(QStringLiteral(", ")));
    } else {
        for (const Domain domain : kBothDomains) {
            const QStringList &list = names[domain == Domain::In ? 0 : 1];
            if (!list.isEmpty())
                parts << StaleStrip::tr("%1 (%2)").arg(list.join(QStringLiteral(", ")), domainName(domain));
        }
    }
    return StaleStrip::tr("Outdated, since these have changed: %1. Affected: %2.")
        .arg(changed.join(QStringLiteral(", ")), parts.join(QStringLiteral("; ")));
}

} // namespace headscope
