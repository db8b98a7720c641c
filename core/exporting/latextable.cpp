#include "core/exporting/latextable.h"

#include "core/exporting/metricunit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace headscope {

namespace {

std::string cell(const HeadAblation &head, double scale, double level)
{
    // A minus sign, not a hyphen; no "-0.00".
    std::string number = fmt::format("{:.2f}", scale * head.delta);
    if (number == "-0.00")
        number = "0.00";
    return fmt::format("${}{}$", number, head.pAdjusted < level ? "^{*}" : "");
}

std::string tabular(HeadKind kind, const std::map<HeadRef, const HeadAblation *> &heads, double scale, double level)
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
        text += fmt::format(" & {}", head + 1);
    text += " \\\\\n\\midrule\n";
    for (int layer = 0; layer < layers; ++layer) {
        text += std::to_string(layer + 1);
        for (int head = 0; head < columns; ++head) {
            const auto found = heads.find({kind, layer, head});
            text += " & " + (found == heads.end() ? std::string("--") : cell(*found->second, scale, level));
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

std::string toLatex(const AblationResult &result, double level)
{
    std::map<HeadRef, const HeadAblation *> heads;
    for (const HeadAblation &head : result.heads)
        heads[head.head] = &head;
    const double scale = isInPoints(result.baseline.name) ? 1 : 100;
    std::string text = fmt::format("% {} without the head minus {} of the whole model ({:.2f}); {} examples of {}\n",
                                   latexEscaped(result.baseline.name), latexEscaped(result.baseline.name),
                                   scale * result.baseline.value, result.examples, latexEscaped(result.manifest.data));
    for (const HeadKind kind : kAllHeadKinds)
        text += tabular(kind, heads, scale, level);
    return text;
}

} // namespace headscope
