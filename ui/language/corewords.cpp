#include "ui/language/corewords.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>
#include <QStringList>

#include <string>

namespace headscope {

namespace {
constexpr const char *kWords[] = {
    // what is running
    QT_TRANSLATE_NOOP("headscope::CoreWords", "ablating heads"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "loading texts"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "checking weights"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "choosing head %1"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "comparing examples"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "patching heads"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "runs"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "measuring circuits"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "measuring sets of heads"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "removing pairs of heads"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "running the example without heads"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "direct contributions without the head"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "fitting gates"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "confidence"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "coreference"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "counting tokens"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "energies of projections"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "evaluating"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "fitting constants"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "gradients"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "importance"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "judging probes"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "keeping one head a layer"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "learning the vocabulary"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "measuring a step"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "measuring masks"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "packing"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "painting figures"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "parts of scores"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "pruning"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "reading results"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "reading training data"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "reading weights"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "reading word vectors"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "relevance"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "roles"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "searching attention"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "searching masks"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "sharing projections: width %1"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "similarity"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "training probes"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "training, epoch %1 of %2"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "training, epoch %1 of %2, loss %3, %4 tokens/s"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "unpacking"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "validating"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "writing"),
    QT_TRANSLATE_NOOP("headscope::CoreWords", "cannot be kept: no room on the disk"), // in brackets, after one of them
    // what it counts
    QT_TRANSLATE_NOOP("headscope::CoreWords", "MiB"),
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
    // orders of removal; importance is above
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
