#include "ui/language/corewords.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>
#include <QStringList>

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

namespace {
constexpr const char *kWords[] = {
    // what it counts
    QT_TRANSLATE_NOOP("headscope::CoreWords", "MiB"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "batches"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "sequences"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "budgets"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "checkpoints"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "examples"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "figures"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "files"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "layers"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "lines"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "models"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "parts"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "rows"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "prompts"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "runs"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "sentences"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "sets of heads"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "steps"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "tensors"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "updates"),
    // roles
    QT_TRANSLATE_NOOP("headscope::CoreWords", "positional"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "syntactic"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "rare word"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "copy"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "diagonal"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "induction"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "same token"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "retrieval"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "sink"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "separator"),
    // orders of removal
    QT_TRANSLATE_NOOP("headscope::CoreWords", "importance"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "relevance"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "ablation"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "greedy"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "random"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "shapley"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "gating"),
    // how outputs are made
    QT_TRANSLATE_NOOP("headscope::CoreWords", "greedy, at most %1 tokens"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "%1 beams, length penalty %2, at most %3 tokens"),
    // what opens a pruned model, and what its speed is measured with
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Headscope, and every program that opens the original model"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Headscope, and transformers before version 5 (pruned_heads)"),
    QT_TRANSLATE_NOOP(
        "headscope::CoreWords",
        "Headscope, and transformers before version 5 (pruned_heads); layers without heads keep one, of zeros"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "Headscope only: transformers cannot load pruned models of this family"),
    QT_TRANSLATE_NOOP("headscope::CoreWords",
                      "Headscope only: transformers does not support heads that share their projections"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "plain LibTorch path, one forward pass per batch"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "plain LibTorch path, one search per batch (greedy)"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "plain LibTorch path, one search per batch (%1 beams)"),
};

QString translated(const QString &text)
{
    return QCoreApplication::translate("headscope::CoreWords", text.toUtf8().constData());
}

QString localNumber(const QString &number)
{
    const qsizetype point = number.indexOf(u'.');
    return QLocale().toString(number.toDouble(), 'f', point < 0 ? 0 : static_cast<int>(number.size() - point - 1));
}
} // namespace

QString fromCore(std::string_view text)
{
    const QString whole = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    if (QString words = translated(whole); words != whole)
        return words;
    // "choosing head 3" is "choosing head %1"
    static const QRegularExpression number(QStringLiteral("\\d+(?:\\.\\d+)?"));
    QStringList numbers;
    QString pattern = whole;
    for (auto found = number.match(pattern); found.hasMatch();
         found = number.match(pattern, found.capturedStart() + 2)) {
        numbers << found.captured();
        pattern.replace(found.capturedStart(), found.capturedLength(), u'%' + QString::number(numbers.size()));
    }
    QString words = numbers.isEmpty() || numbers.size() > 9 ? whole : translated(pattern);
    if (numbers.isEmpty() || words == pattern) {
        const qsizetype bracket = whole.endsWith(u')') ? whole.lastIndexOf(QLatin1String(" (")) : -1;
        if (bracket < 1)
            return whole;
        const std::string first = whole.left(bracket).toStdString();
        const std::string second = whole.mid(bracket + 2).chopped(1).toStdString();
        return QStringLiteral("%1 (%2)").arg(fromCore(first), fromCore(second));
    }
    for (const QString &one : numbers)
        words = words.arg(localNumber(one));
    return words;
}

QString phaseText(const PhaseNow &now)
{
    const auto inWindow = [](std::string_view words) { return translated(QString::fromStdString(std::string(words))); };
    static const QRegularExpression number(QStringLiteral("^\\d+(?:\\.\\d+)?$"));
    std::vector<std::string> details;
    for (const std::string &detail : now.details) {
        const QString text = QString::fromStdString(detail);
        details.push_back((number.match(text).hasMatch() ? localNumber(text) : fromCore(detail)).toStdString());
    }
    const QString words = QString::fromStdString(withDetails(inWindow(now.phase.words).toStdString(), details));
    return now.note.isNone() ? words : QStringLiteral("%1 (%2)").arg(words, inWindow(now.note.words));
}

QString optionTitle(std::string_view name)
{
    QString title = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    title.replace(u'-', u' ');
    title[0] = title[0].toUpper();
    return translated(title);
}

std::span<const char *const> coreWords()
{
    return kWords;
}

} // namespace headscope
