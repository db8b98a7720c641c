#pragma once

#include "ui/pages/page.h"

#include <QStringList>

#include <vector>

namespace headscope {

/// What a page helps with: pages of a group stand together.
enum class PageGroup {
    WhichMatter,
    Remove,
    Understand,
    TrainAndCompare,
    None, ///< opened by a command, not from the row of pages
};
/// "Which matter"; empty for PageGroup::None.
QString pageGroupName(PageGroup group);

/// One page that the window has.
struct PageEntry
{
    PageInfo info;
    PageGroup group;
    int digit;       ///< its shortcut is Ctrl+digit; 0: none
    QString about;   ///< the question that it answers, in a sentence
    QString words;   ///< other words by which somebody may look for it
    QString promise; ///< what it will show; empty where nobody has to ask for it
    Page *(*make)(StudyState &state, StudyController &controller, QWidget *parent);
};

/// All of them, in the order of the tabs: what tabs, menu, --view, export and headless pictures go by.
const std::vector<PageEntry> &pageRegistry();
/// Null: no page has that id.
const PageInfo *findPage(const QString &id);

/// The start page, which is shown while nothing is open and is none of the tabs.
inline constexpr char kStartView[] = "start";
/// What --view knows: "start", "heads", …
QStringList viewNames();

} // namespace headscope
