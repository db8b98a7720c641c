#include "ui/state/windowwords.h"

#include <QCoreApplication>
#include <QStringList>

namespace headscope {

namespace {
struct Word
{
    const char *option;
    const char *words;
};

/// Longer phrases first.
constexpr Word kWords[] = {
    {"add --no-header", QT_TRANSLATE_NOOP("headscope::WindowWords", "switch off \"First line names the columns\"")},
    {"add --quoted", QT_TRANSLATE_NOOP("headscope::WindowWords", "switch on \"Quoted fields\"")},
    {" (--reference)", ""},
    {" (--label-column)", QT_TRANSLATE_NOOP("headscope::WindowWords", " (the column \"Label\")")},
    {"--label-map", QT_TRANSLATE_NOOP("headscope::WindowWords", "\"Labels mean\"")},
    {"--text-column", QT_TRANSLATE_NOOP("headscope::WindowWords", "the column \"Text\"")},
    {"--pair-column", QT_TRANSLATE_NOOP("headscope::WindowWords", "the column \"Second text\"")},
    {"--label-column", QT_TRANSLATE_NOOP("headscope::WindowWords", "the column \"Label\"")},
    {"--no-header", QT_TRANSLATE_NOOP("headscope::WindowWords", "\"First line names the columns\" switched off")},
    {"--quoted", QT_TRANSLATE_NOOP("headscope::WindowWords", "\"Quoted fields\"")},
};
} // namespace

QString inWindowWords(const std::string &message)
{
    QString text = QString::fromStdString(message);
    for (const Word &word : kWords)
        text.replace(QLatin1String(word.option),
                     *word.words ? QCoreApplication::translate("headscope::WindowWords", word.words) : QString());
    return text;
}

QString listText(const std::vector<std::string> &names)
{
    QStringList list;
    for (const std::string &name : names)
        list << QString::fromStdString(name);
    return list.join(QStringLiteral(", "));
}

} // namespace headscope
