#include "ui/guide/guidefiles.h"

#include "core/base/programfolder.h"

#include <QFileInfo>
#include <QStringList>
#include <QTextBlock>
#include <QTextDocument>

namespace headscope {

Result<QString> guideFolder()
{
    QStringList tried;
    for (const auto &folder : relativeToProgram({"../share/headscope/guide"})) {
        const QString path = QString::fromStdString(folder.string());
        if (QFileInfo::exists(path + QStringLiteral("/index.md")))
            return path;
        tried << path;
    }
    return resourceError("The guide is missing (looked in " + tried.join(QStringLiteral(", ")).toStdString()
                         + "). Reinstall Headscope.");
}

QString guideFile(const QString &view)
{
    return view + QStringLiteral(".md");
}

QList<GuideEntry> guideContents(const QString &markdown)
{
    QTextDocument document;
    document.setMarkdown(markdown);
    QList<GuideEntry> entries;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        const int level = block.blockFormat().headingLevel();
        if (level > 1) // the first is the title of the guide
            entries << GuideEntry{block.text(), {}};
        for (auto at = block.begin(); level == 0 && !at.atEnd(); ++at) {
            const QTextCharFormat format = at.fragment().charFormat();
            if (format.isAnchor() && format.anchorHref().endsWith(QLatin1String(".md")))
                entries << GuideEntry{at.fragment().text(), format.anchorHref()};
        }
    }
    return entries;
}

QString headingAnchor(const QString &heading)
{
    QString anchor;
    for (const QChar letter : heading.trimmed().toLower()) {
        if (letter == u' ')
            anchor += u'-';
        else if (letter.isLetterOrNumber() || letter == u'-' || letter == u'_')
            anchor += letter;
    }
    return anchor;
}

} // namespace headscope
