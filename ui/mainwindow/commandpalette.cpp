#include "ui/mainwindow/commandpalette.h"

#include "ui/heatmap/viewpalette.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>
#include <vector>

namespace headscope {

namespace {
enum ItemRole { AboutRole = Qt::UserRole + 1, PlaceRole, ShortcutRole, EnabledRole };

/// Without accents and capitals.
QString folded(const QString &text)
{
    QString plain;
    for (const QChar letter : text.normalized(QString::NormalizationForm_D)) {
        if (letter.category() != QChar::Mark_NonSpacing)
            plain += letter.toCaseFolded();
    }
    return plain;
}

/// That say nothing of what is looked for.
const QStringList &questionWords()
{
    static const QStringList words
        = folded(CommandPalette::tr("what which how does do is are a an the of for to me my show i can where"))
              .split(u' ');
    return words;
}

/// A title with its place and shortcut at the right, and below it what it does or why it cannot be done.
class CommandDelegate final : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const int lines = index.data(AboutRole).toString().isEmpty() ? 1 : 2;
        return {100, lines * option.fontMetrics.height() + 10};
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        painter->save();
        const ViewPalette &colors = ViewPalette::matching(option.palette);
        const bool chosen = option.state.testFlag(QStyle::State_Selected);
        if (chosen)
            painter->fillRect(option.rect, option.palette.color(QPalette::Highlight));
        const QColor text = option.palette.color(chosen ? QPalette::HighlightedText : QPalette::Text);
        const QColor faint = chosen ? text : colors.muted;
        const QFontMetrics &metrics = option.fontMetrics;
        const QRect all = option.rect.adjusted(10, 5, -10, -5);
        const QString side
            = index.data(ShortcutRole).toString().isEmpty()
                ? index.data(PlaceRole).toString()
                : index.data(PlaceRole).toString() + QStringLiteral("   ") + index.data(ShortcutRole).toString();
        const int sideWidth = std::min(all.width() / 2, metrics.horizontalAdvance(side));
        QRect line(all.topLeft(), QSize(all.width(), metrics.height()));
        painter->setPen(faint);
        painter->drawText(line, Qt::AlignRight | Qt::AlignVCenter, metrics.elidedText(side, Qt::ElideRight, sideWidth));
        painter->setPen(index.data(EnabledRole).toBool() ? text : faint);
        painter->drawText(
            line.adjusted(0, 0, -sideWidth - 12, 0), Qt::AlignLeft | Qt::AlignVCenter,
            metrics.elidedText(index.data(Qt::DisplayRole).toString(), Qt::ElideRight, line.width() - sideWidth - 12));
        line.translate(0, metrics.height());
        painter->setPen(faint);
        painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                          metrics.elidedText(index.data(AboutRole).toString(), Qt::ElideRight, line.width()));
        painter->restore();
    }
};
} // namespace

QList<Command> matchingCommands(const QList<Command> &commands, const QString &text)
{
    const QString wanted = folded(text.simplified());
    QStringList words = wanted.split(u' ', Qt::SkipEmptyParts);
    QStringList telling = words;
    telling.removeIf([](const QString &word) { return questionWords().contains(word); });
    if (!telling.isEmpty())
        words = telling;
    std::vector<std::pair<int, const Command *>> found;
    for (const Command &command : commands) {
        const QString title = folded(command.title);
        const QString all = title + u' ' + folded(command.about + u' ' + command.place + u' ' + command.words);
        if (!std::ranges::all_of(words, [&](const QString &word) { return all.contains(word); }))
            continue;
        const bool begins = std::ranges::all_of(
            words, [&](const QString &word) { return title.startsWith(word) || title.contains(u' ' + word); });
        found.emplace_back(title.startsWith(wanted) ? 0 : begins ? 1 : 2, &command);
    }
    std::ranges::stable_sort(found, {}, &std::pair<int, const Command *>::first);
    QList<Command> list;
    for (const auto &[rank, command] : found)
        list << *command;
    return list;
}

CommandPalette::CommandPalette(QWidget *window)
    : QFrame(window, Qt::Popup), m_field(new QLineEdit(this)), m_list(new QListWidget(this))
{
    setObjectName(QStringLiteral("commandPalette"));
    setFrameShape(QFrame::StyledPanel);
    setAccessibleName(tr("Commands"));
    setWindowTitle(tr("Commands"));
    m_field->setPlaceholderText(tr("What do you want to do or know? For example: mask, pruning, export, head 2.6"));
    m_field->setAccessibleName(tr("Find a command"));
    m_field->setClearButtonEnabled(true);
    m_field->installEventFilter(this);
    m_list->setAccessibleName(tr("Commands found"));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setItemDelegate(new CommandDelegate(m_list));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(m_field);
    layout->addWidget(m_list, 1);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::refresh);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::runCurrent);
}

void CommandPalette::open(QList<Command> commands, Answers answers)
{
    m_commands = std::move(commands);
    m_answers = std::move(answers);
    m_field->clear();
    refresh();
    const QWidget *window = parentWidget();
    const int wide = std::min(640, window->width() - 40);
    const int high = std::min(460, window->height() - 80);
    resize(wide, high);
    move(window->mapToGlobal(QPoint((window->width() - wide) / 2, 40)));
    show();
    m_field->setFocus();
}

void CommandPalette::refresh()
{
    m_found
        = (m_answers ? m_answers(m_field->text()) : QList<Command>()) + matchingCommands(m_commands, m_field->text());
    m_list->clear();
    for (const Command &command : std::as_const(m_found)) {
        auto *item = new QListWidgetItem(command.title, m_list);
        item->setData(AboutRole, command.whyNot.isEmpty() ? command.about : command.whyNot);
        item->setData(PlaceRole, command.place);
        item->setData(ShortcutRole, command.shortcut);
        item->setData(EnabledRole, command.whyNot.isEmpty());
        item->setData(Qt::AccessibleDescriptionRole, command.whyNot.isEmpty() ? command.about : command.whyNot);
    }
    if (m_found.isEmpty()) {
        auto *none = new QListWidgetItem(tr("No command matches."), m_list);
        none->setFlags(Qt::NoItemFlags);
    }
    m_list->setCurrentRow(m_found.isEmpty() ? -1 : 0);
}

void CommandPalette::runCurrent()
{
    const int row = m_list->currentRow();
    if (row < 0 || row >= m_found.size() || !m_found[row].whyNot.isEmpty())
        return; // its line says why
    const auto run = m_found[row].run;
    close();
    run();
}

bool CommandPalette::eventFilter(QObject *object, QEvent *event)
{
    if (object != m_field || event->type() != QEvent::KeyPress)
        return QFrame::eventFilter(object, event);
    const auto count = m_list->count();
    const int row = m_list->currentRow();
    const int page = std::max(1, m_list->height() / std::max(1, m_list->sizeHintForRow(0)) - 1);
    const auto go = [&](int to) {
        if (!m_found.isEmpty())
            m_list->setCurrentRow(std::clamp(to, 0, count - 1));
        return true;
    };
    switch (static_cast<QKeyEvent *>(event)->key()) {
    case Qt::Key_Down:
        return go(row + 1);
    case Qt::Key_Up:
        return go(row - 1);
    case Qt::Key_PageDown:
        return go(row + page);
    case Qt::Key_PageUp:
        return go(row - page);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        runCurrent();
        return true;
    case Qt::Key_Escape:
        close();
        return true;
    default:
        return QFrame::eventFilter(object, event);
    }
}

} // namespace headscope
