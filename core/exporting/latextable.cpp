#include "core/exporting/latextable.h"

#include "core/exporting/metricunit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace headscope {

namespace {

/// How scores are written: what is at most 1 as per cent.
struct TableUnit
{
    double scale = 1;
    int decimals = 2;
};

TableUnit tableUnitOf(std::string_view metric)
{
    return isUnbounded(metric) ? TableUnit{1, 3} : TableUnit{isInPoints(metric) ? 1.0 : 100.0, 2};
}

std::string cell(const HeadAblation &head, const TableUnit &unit, const SignificanceRule &rule)
{
    std::string number = fmt::format("{:.{}f}", unit.scale * head.delta, unit.decimals);
    if (number.find_first_not_of("-0.") == std::string::npos)
        number = fmt::format("{:.{}f}", 0.0, unit.decimals); // no sign of zero
    return fmt::format("${}{}$", number, rule.holds(head) ? "^{*}" : "");
}

std::string tabular(HeadKind kind, const std::map<HeadRef, const HeadAblation *> &heads, const TableUnit &unit,
                    const SignificanceRule &rule)
{
    int layers = 0;
    int columns = 0;
    for (const auto &[head, ablation] : heads) {
        if (head.kind == kind) {
            layers = std::max(layers, head.layer + 1);
            columns = std::max(columns, head.head + 1);
        }
    }
    if (layers == 0)
        return {};
    std::string text = fmt::format("% {} attention\n\\begin{{tabular}}{{l{}}}\n\\toprule\nLayer", headKindName(kind),
                                   std::string(static_cast<std::size_t>(columns), 'r'));
    for (int head = 0; head < columns; ++head)
        text += fmt::format(" & {}", head);
    text += " \\\\\n\\midrule\n";
    for (int layer = 0; layer < layers; ++layer) {
        text += std::to_string(layer);
        for (int head = 0; head < columns; ++head) {
            const auto found = heads.find({kind, layer, head});
            text += " & " + (found == heads.end() ? std::string("--") : cell(*found->second, unit, rule));
        }
        text += " \\\\\n";
    }
    return text + "\\bottomrule\n\\end{tabular}\n";
}

} // namespace

std::string latexEscaped(std::string_view text)
{
    std::string escaped;
    for (const char c : text) {
        if (c == '\\')
            escaped += "\\textbackslash{}";
        else if (c == '~' || c == '^')
            escaped += std::string("\\") + c + "{}";
        else if (std::string_view("&%$#_{}").find(c) != std::string_view::npos)
            escaped += std::string("\\") + c;
        else
            escaped += c;
    }
    return escaped;
}

std::string toLatex(const AblationResult &result, const SignificanceRule &rule)
{
    std::map<HeadRef, const HeadAblation *> heads;
    for (const HeadAblation &head : result.heads)
        heads[head.head] = &head;
    const TableUnit unit = tableUnitOf(result.baseline.name);
    std::string text
        = fmt::format("% {} without the head minus {} of the full model ({:.{}f}, {} is better); {} examples "
                      "of {}; * {}\n",
                      latexEscaped(result.baseline.name), latexEscaped(result.baseline.name),
                      unit.scale * result.baseline.value, unit.decimals, toText(result.baseline.better),
                      result.examples, latexEscaped(result.manifest.data), rule.fileText());
    for (const HeadKind kind : kAllHeadKinds)
        text += tabular(kind, heads, unit, rule);
    return text;
}

} // namespace headscope
