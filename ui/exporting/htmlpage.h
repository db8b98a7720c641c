#pragma once

#include "core/base/result.h"

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
/// The page as a file, whole or not at all.
Result<Done> writeHtmlPage(const HtmlPage &page, const QString &path);

} // namespace headscope
