#pragma once

#include "core/base/result.h"

#include <QList>
#include <QString>

namespace headscope {

/// The folder of the user guide: ../share/headscope/guide beside the program, as it lies in the build folder too; its
/// pictures are in ../screenshots as seen from there. Error: it is missing.
Result<QString> guideFolder();

/// The guide's page about a view of the window ("start", or the id of a page): "heads" → "heads.md".
QString guideFile(const QString &view);

/// A line of the table of contents.
struct GuideEntry
{
    QString title;
    QString file; ///< empty: the heading of those that follow
};

/// The headings of `markdown`, which is index.md, and its links to other pages, in their order.
QList<GuideEntry> guideContents(const QString &markdown);

/// What a link to a heading is called, as GitHub does it: "One head a layer" → "one-head-a-layer".
QString headingAnchor(const QString &heading);

} // namespace headscope
