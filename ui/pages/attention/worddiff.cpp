#include "ui/pages/attention/worddiff.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <vector>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

QStringList wordsOf(const QString &text)
{
    static const QRegularExpression space(u"\\s+"_s);
    return text.split(space, Qt::SkipEmptyParts);
}

} // namespace

QList<DiffWord> wordDiff(const QString &before, const QString &after)
{
    const QStringList a = wordsOf(before);
    const QStringList b = wordsOf(after);
    // common[i][j]: length of the longest common subsequence of a from i and b from j on.
    const auto rows = static_cast<std::size_t>(a.size());
    const auto columns = static_cast<std::size_t>(b.size());
    std::vector<std::vector<int>> common(rows + 1, std::vector<int>(columns + 1, 0));
    for (std::size_t i = rows; i-- > 0;)
        for (std::size_t j = columns; j-- > 0;)
            common[i][j] = a[qsizetype(i)] == b[qsizetype(j)] ? common[i + 1][j + 1] + 1
                                                              : std::max(common[i + 1][j], common[i][j + 1]);
    QList<DiffWord> words;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < rows || j < columns) {
        if (i < rows && j < columns && a[qsizetype(i)] == b[qsizetype(j)]) {
            words.append({a[qsizetype(i)], DiffKind::Same});
            ++i;
            ++j;
        } else if (i < rows && (j == columns || common[i + 1][j] >= common[i][j + 1])) {
            words.append({a[qsizetype(i++)], DiffKind::Removed});
        } else {
            words.append({b[qsizetype(j++)], DiffKind::Added});
        }
    }
    return words;
}

QString diffHtml(const QList<DiffWord> &words, const ViewPalette &palette)
{
    QStringList parts;
    for (const DiffWord &word : words) {
        const QString text = word.text.toHtmlEscaped();
        switch (word.kind) {
        case DiffKind::Same:
            parts << text;
            break;
        case DiffKind::Removed:
            parts << u"<span style=\"color:%1;text-decoration:line-through\">%2</span>"_s.arg(palette.warning.name(),
                                                                                              text);
            break;
        case DiffKind::Added:
            parts << u"<span style=\"color:%1;text-decoration:underline;font-weight:bold\">%2</span>"_s.arg(
                palette.accent.name(), text);
            break;
        }
    }
    return parts.join(u' ');
}

} // namespace headscope
