#pragma once

#include <QString>

#include <string>

namespace headscope {

/// A page in HTML that needs no other file.
struct HtmlPage
{
    QString title;
    std::string body; ///< HTML
    QString caption;  ///< plain text
    std::string csv;  ///< shown as a table where the reader asks for it; empty: none
};

std::string htmlPage(const HtmlPage &page);

} // namespace headscope
