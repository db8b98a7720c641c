#pragma once

#include <span>
#include <string>
#include <string_view>

/// Every table and figure of the six papers that the program follows, and where ours is. Said here once: the gallery
/// (paperpage.h), the guide's page of figures and the tests read it.
namespace headscope {

struct PaperItem
{
    std::string_view id;    ///< "michel-figure-1"
    std::string_view paper; ///< "Michel et al. 2019"
    std::string_view item;  ///< "Figure 1"
    std::string_view shows;
    std::string_view claim; ///< the paper's, in words
    /// Ours, in the folder of a model: patterns of paths with * for anything, separated by blanks. "report/": of the
    /// command report; "window/": of headscope --export-all; "tables/": of other commands.
    std::string_view files;
    std::string_view command; ///< that makes them
    std::string_view
        finding;            ///< whose verdict is the item's: of report, or of tables (paperverdicts.h); empty: no claim
    std::string_view needs; ///< what it takes beside a model and data with references; empty: nothing
};

/// In the order of the papers and of their pages.
std::span<const PaperItem> paperItems();

/// The guide's tables of all items, one per paper, in Markdown.
std::string paperItemsMarkdown();

/// Whether a path is of the pattern: * stands for anything, also for nothing.
bool matchesPattern(std::string_view path, std::string_view pattern);

} // namespace headscope
