#include "ui/exporting/htmlpage.h"

#include "core/formats/atomicfile.h"
#include "core/formats/csv.h"

namespace headscope {
namespace {

constexpr const char *kStyle
    = "body{font:15px system-ui,sans-serif;margin:2em;max-width:80em;color:#222;background:#fff}"
      "table{border-collapse:collapse;font-size:13px}td,th{padding:2px 8px;border:1px solid #ccc}"
      "figure{display:inline-block;margin:0 1em 1em 0;width:20em;vertical-align:top;font-size:13px}"
      "figure img{border:1px solid #ccc;max-height:12em;max-width:100%}"
      "p{max-width:60em}svg{max-width:100%;height:auto}";

std::string escaped(const QString &text)
{
    return text.toHtmlEscaped().toStdString();
}

std::string tableOf(const std::string &csv)
{
    const auto rows = parseCsv(csv, "table");
    if (!rows.isOk() || rows.value().empty())
        return {};
    std::string html = "<details><summary>Table</summary><table>\n";
    for (std::size_t row = 0; row < rows.value().size(); ++row) {
        html += "<tr>";
        const char *const tag = row == 0 ? "th" : "td";
        for (const std::string &field : rows.value()[row])
            html += '<' + std::string(tag) + '>' + escaped(QString::fromStdString(field)) + "</" + tag + '>';
        html += "</tr>\n";
    }
    return html + "</table></details>\n";
}

} // namespace

std::string htmlPage(const HtmlPage &page)
{
    return "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>" + escaped(page.title) + "</title><style>"
         + kStyle + "</style></head><body>\n<h1>" + escaped(page.title) + "</h1>\n" + page.body + "\n"
         + (page.caption.isEmpty() ? std::string() : "<p>" + escaped(page.caption) + "</p>\n") + tableOf(page.csv)
         + "</body></html>\n";
}

Result<Done> writeHtmlPage(const HtmlPage &page, const QString &path)
{
    return writeFileAtomically(path.toStdU16String(), htmlPage(page));
}

} // namespace headscope
