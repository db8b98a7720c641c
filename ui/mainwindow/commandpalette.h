#pragma once

#include <QFrame>
#include <QList>
#include <QString>

#include <functional>

class QLineEdit;
class QListWidget;

namespace headscope {

/// Something that the window can do.
struct Command
{
    QString title;    ///< "Clear masks"
    QString place;    ///< "Edit", "Pages": where else it is found
    QString about;    ///< what it does, in a sentence
    QString shortcut; ///< as text
    QString whyNot;   ///< why it cannot be done now; empty: it can
    std::function<void()> run;
    QString words{}; ///< other words that it is found by
};

/// Those of `commands` that have all words of `text` somewhere, whatever their case and accents: first where the title
/// begins with it, then where it has a word that does, then the others; the order stays otherwise. Words of questions
/// ("what does", "show me") are passed over.
QList<Command> matchingCommands(const QList<Command> &commands, const QString &text);

/// Looks for commands by their names and by what they do, and runs the one that is chosen.
class CommandPalette final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CommandPalette)
public:
    explicit CommandPalette(QWidget *window);

    /// What a text asks for that no list has: answers, which stand before the commands.
    using Answers = std::function<QList<Command>(const QString &text)>;
    /// Below the upper edge of the window.
    void open(QList<Command> commands, Answers answers = {});
    QListWidget &list() const { return *m_list; }
    QLineEdit &field() const { return *m_field; }

protected:
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    void refresh();
    void runCurrent();

    QList<Command> m_commands;
    QList<Command> m_found;
    Answers m_answers;
    QLineEdit *m_field;
    QListWidget *m_list;
};

} // namespace headscope
