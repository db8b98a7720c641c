#include "ui/views/waysbutton.h"

#include "ui/state/work.h"

#include <QAbstractButton>
#include <QAction>
#include <QCoreApplication>
#include <QMenu>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace headscope {

WaysButton::WaysButton(const QString &text, Source source, QWidget *parent)
    : QToolButton(parent), m_source(std::move(source))
{
    setText(text);
    setObjectName(QStringLiteral("ways"));
    setToolTip(tr("How long it takes, and what takes less time"));
    setPopupMode(QToolButton::InstantPopup);
    auto *menu = new QMenu(this);
    fillWithWays(*menu, m_source);
    setMenu(menu);
    QSizePolicy policy = sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    setSizePolicy(policy);
    hide();
}

void WaysButton::refresh()
{
    setVisible(!m_source().empty());
}

void fillWithWays(QMenu &menu, const WaysButton::Source &source)
{
    QObject::connect(&menu, &QMenu::aboutToShow, &menu, [&menu, source] {
        const std::vector<StudyController::Way> ways = source();
        // Entries stay the same objects: the menu may be about to be clicked.
        const auto entries = std::max<qsizetype>(std::ssize(ways), 1);
        while (menu.actions().size() > entries)
            delete menu.actions().last();
        while (menu.actions().size() < entries)
            menu.addAction(QString());
        menu.actions().front()->setEnabled(!ways.empty());
        if (ways.empty())
            menu.actions().front()->setText(WaysButton::tr("Nothing here takes less time"));
        for (std::size_t i = 0; i < ways.size(); ++i) {
            QAction *action = menu.actions()[static_cast<qsizetype>(i)];
            action->setText(ways[i].text);
            action->disconnect(&menu);
            QObject::connect(action, &QAction::triggered, &menu, ways[i].take);
        }
    });
}

void letChooseWays(QToolButton &button, QMenu &ways)
{
    button.setMenu(&ways);
    button.setPopupMode(QToolButton::MenuButtonPopup);
}

void reserveTime(QAbstractButton &button, const QString &text)
{
    constexpr std::array kLongest{80.0, 80.0 * 60, 888.8 * 3600}; // in seconds, minutes and hours
    const QString shown = button.text();
    for (const double seconds : kLongest) {
        button.setText(withTime(text, seconds, 0));
        button.setMinimumWidth(std::max(button.minimumWidth(), button.sizeHint().width()));
    }
    button.setText(shown);
}

QString withTime(const QString &text, const std::optional<double> &seconds, double patience)
{
    if (!seconds || *seconds <= patience)
        return text;
    return QCoreApplication::translate("headscope::WaysButton", "%1 (%2)").arg(text, aboutTimeText(*seconds));
}

} // namespace headscope
