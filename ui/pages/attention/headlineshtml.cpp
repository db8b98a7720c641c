#include "ui/pages/attention/headlines.h"

#include <QString>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace headscope {
namespace {

constexpr double kRow = 20;
constexpr double kLeft = 220;
constexpr double kRight = 620;

/// Pointing at a token fades the lines of all others.
constexpr const char *kScript = R"(<script>
for (const token of document.querySelectorAll('#lines text')) {
  const lines = document.querySelectorAll('#lines line');
  const isOwn = line => line.dataset[token.dataset.side] === token.dataset.place;
  token.onmouseenter = () => lines.forEach(line => line.style.display = isOwn(line) ? '' : 'none');
  token.onmouseleave = () => lines.forEach(l => l.style.display = '');
}
for (const box of document.querySelectorAll('#heads input'))
  box.onchange = () => document.querySelectorAll('#lines g[data-head="' + box.value + '"]')
    .forEach(g => g.style.display = box.checked ? '' : 'none');
</script>
)";

std::string tokens(const std::vector<AxisLabel> &labels, bool keys)
{
    std::string svg;
    for (std::size_t i = 0; i < labels.size(); ++i)
        svg += fmt::format(R"(<text x="{}" y="{}" text-anchor="{}" data-side="{}" data-place="{}">{}</text>)"
                           "\n",
                           keys ? kRight + 8 : kLeft - 8, (static_cast<double>(i) + 0.75) * kRow,
                           keys ? "start" : "end", keys ? 'k' : 'q', i, labels[i].text.toHtmlEscaped().toStdString());
    return svg;
}

} // namespace

std::string headLinesHtml(const LinesPicture &picture)
{
    const HeadLines &lines = picture.lines;
    const double height = kRow * static_cast<double>(std::max(lines.queries.size(), lines.keys.size()));
    std::string boxes;
    std::string groups;
    for (std::size_t head = 0; head < lines.heads.size(); ++head) {
        const std::string color = lineColor(lines.heads[head].head, picture.palette).name().toStdString();
        const std::string name = toText(lines.heads[head]);
        boxes += fmt::format(R"(<label style="color:{}"><input type="checkbox" checked value="{}"> {}</label> )", color,
                             head, name);
        groups += fmt::format(R"(<g data-head="{}" stroke="{}" stroke-width="2">)", head, color);
        for (const HeadLines::Line &line : lines.lines) {
            if (line.head == static_cast<int>(head))
                groups += fmt::format(
                    R"(<line x1="{}" y1="{}" x2="{}" y2="{}" opacity="{:.3f}" data-q="{}" data-k="{}"/>)", kLeft,
                    (line.query + 0.5) * kRow, kRight, (line.key + 0.5) * kRow,
                    line.weight / static_cast<float>(lines.heads.size()), line.query, line.key);
        }
        groups += "</g>\n";
    }
    return fmt::format(
        "<p id=\"heads\">{}</p>\n<svg id=\"lines\" xmlns=\"http://www.w3.org/2000/svg\" width=\"840\" height=\"{}\" "
        "font-size=\"14\">\n{}{}{}</svg>\n{}",
        boxes, height, groups, tokens(lines.queries, false), tokens(lines.keys, true), kScript);
}

} // namespace headscope
