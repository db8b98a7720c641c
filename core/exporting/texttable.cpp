#include "core/exporting/texttable.h"

#include "core/exporting/latextable.h"

namespace headscope {

namespace {

/// Signs in numbers of TextTables that plain LaTeX does not know.
std::string latexCell(std::string_view text)
{
    std::string cell = latexEscaped(text);
    const std::pair<std::string_view, std::string_view> known[] = {
        {"−", "$-$"}, {"±", "$\\pm$"},    {"Δ", "$\\Delta$"}, {"ρ", "$\\rho$"}, {"τ", "$\\tau$"},
        {"–", "--"},  {"×", "$\\times$"}, {"<", "$<$"},       {">", "$>$"},
    };
    for (const auto &[from, to] : known) {
        for (std::size_t at = cell.find(from); at != std::string::npos; at = cell.find(from, at + to.size()))
            cell.replace(at, from.size(), to);
    }
    return cell;
}

std::string latexRow(const std::vector<std::string> &cells)
{
    std::string text;
    for (const std::string &cell : cells)
        text += (text.empty() ? "" : " & ") + latexCell(cell);
    return text + " \\\\\n";
}

std::string htmlRow(const std::vector<std::string> &cells, bool head)
{
    std::string text = "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const char *tag = head ? "th scope=\"col\"" : i == 0 ? "th scope=\"row\"" : "td";
        const char *end = head || i == 0 ? "th" : "td";
        text += std::string("<") + tag + ">" + htmlEscaped(cells[i]) + "</" + end + ">";
    }
    return text + "</tr>\n";
}

} // namespace

std::string htmlEscaped(std::string_view text)
{
    std::string escaped;
    for (const char c : text) {
        if (c == '&')
            escaped += "&amp;";
        else if (c == '<')
            escaped += "&lt;";
        else if (c == '>')
            escaped += "&gt;";
        else if (c == '"')
            escaped += "&quot;";
        else if (c == '\'')
            escaped += "&#39;";
        else
            escaped += c;
    }
    return escaped;
}

std::string toHtml(const TextTable &table)
{
    std::string text = "<table>\n<caption>" + htmlEscaped(table.caption) + "</caption>\n<thead>"
                     + htmlRow(table.columns, true) + "</thead>\n<tbody>\n";
    for (const auto &row : table.rows)
        text += htmlRow(row, false);
    return text + "</tbody>\n</table>\n";
}

std::string toLatex(const TextTable &table)
{
    std::string text = "% " + latexCell(table.caption) + "\n\\begin{tabular}{l"
                     + std::string(table.columns.empty() ? 0 : table.columns.size() - 1, 'r') + "}\n\\toprule\n"
                     + latexRow(table.columns) + "\\midrule\n";
    for (const auto &row : table.rows)
        text += latexRow(row);
    return text + "\\bottomrule\n\\end{tabular}\n";
}

} // namespace headscope
