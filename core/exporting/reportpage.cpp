#include "core/exporting/reportpage.h"

#include "core/exporting/numbers.h"
#include "core/results/json.h"

#include <fmt/format.h>

namespace headscope {

namespace {

constexpr const char *kStyle = R"(
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2126; --muted: #5a636d; --line: #d5dae0; --shade: #f4f6f8;
  --good: #00684c; --bad: #a33b00; --open: #5a636d; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #1c1f24; --ink: #e8eaed; --muted: #a9b1ba; --line: #3a4048; --shade: #262a31;
    --good: #4fd1a5; --bad: #ffab70; --open: #a9b1ba; } }
* { box-sizing: border-box; }
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto;
  max-width: 76rem; padding: 1.5rem; overflow-wrap: break-word; }
h1 { line-height: 1.2; margin: 0 0 .3rem; } h2 { border-bottom: 1px solid var(--line); margin-top: 2.5rem; }
h3 { margin: 2rem 0 .3rem; } p { margin: .4rem 0; } .muted, figcaption, caption { color: var(--muted); }
ol.findings { list-style: none; padding: 0; } ol.findings li { border-left: 4px solid var(--open); margin: 1rem 0;
  padding: .1rem 0 .1rem .9rem; }
ol.findings li.holds { border-color: var(--good); } ol.findings li.fails { border-color: var(--bad); }
.rule { color: var(--muted); font-size: .85rem; } .verdict { font-weight: 700; } .holds .verdict { color: var(--good); } .fails .verdict { color: var(--bad); }
nav.small { display: flex; flex-wrap: wrap; gap: .5rem; } nav.small img { background: #fff;
  border: 1px solid var(--line); height: 6rem; width: auto; }
figure { margin: 1.5rem 0; } figure img { background: #fff; border: 1px solid var(--line); display: block; height: auto;
  max-width: 100%; } .wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; margin: .6rem 0 1rem; }
caption { text-align: left; } th, td { border-bottom: 1px solid var(--line); padding: .15rem .55rem; text-align: right;
  white-space: nowrap; } th:first-child { text-align: left; } thead th { background: var(--shade); }
code, pre { background: var(--shade); font-size: .8rem; }
pre { overflow-x: auto; padding: .6rem; white-space: pre-wrap; }
)";

std::string paragraph(const std::string &text, const char *style = nullptr)
{
    return (style ? fmt::format("<p class=\"{}\">", style) : std::string("<p>")) + htmlEscaped(text) + "</p>\n";
}

std::string linkToTable(const std::string &file)
{
    return fmt::format("<a href=\"{0}{1}\">{1}</a>", kTablesFolder, htmlEscaped(file));
}

std::string facts(const ReportContents &contents)
{
    std::string html = paragraph(fmt::format("{}, a {} model of {:.1f} million parameters and {} attention heads.",
                                             contents.model, contents.family,
                                             static_cast<double>(contents.parameters) / 1e6, contents.layout.size()));
    html += "<ul>\n";
    for (const ReportDomain &domain : contents.domains) {
        const MetricValue &score = domain.ablation.baseline;
        const ScoreText number(score.name);
        const bool said = contents.domains.size() < 2 || domain.name.ends_with("-domain)");
        const char *which = said ? "" : domain.out ? " (out-of-domain)" : " (in-domain)";
        html += "<li>"
              + htmlEscaped(fmt::format("{}{}: {} examples, {} {}", domain.name, which, domain.ablation.examples,
                                        score.name, number.score(score.value)));
        if (score.interval)
            html += htmlEscaped(
                fmt::format(" [{}, {}]", number.number(score.interval->low), number.number(score.interval->high)));
        if (!score.signature.empty())
            html += " <span class=\"muted\">" + htmlEscaped(score.signature) + "</span>";
        html += "</li>\n";
        for (const std::string &warning : domain.warnings)
            html += "<li>" + htmlEscaped(domain.name + ": " + warning) + "</li>\n";
    }
    return html + "</ul>\n";
}

std::string findingsHtml(const std::vector<Finding> &findings)
{
    std::string html = "<h2>Findings</h2>\n";
    html += paragraph("Claims of Michel, Levy and Neubig, \"Are Sixteen Heads Really Better than One?\" (2019), "
                      "and of Voita et al., \"Analyzing Multi-Head Self-Attention\" (2019), and the evidence of "
                      "this study. Significant means p < 0.05.",
                      "muted");
    html += "<ol class=\"findings\">\n";
    for (const Finding &finding : findings) {
        const bool fails = finding.verdict == Verdict::DoesNotHold;
        const char *style = finding.verdict == Verdict::Holds ? "holds" : fails ? "fails" : "open";
        const std::string where = finding.where.empty()
                                    ? std::string()
                                    : "<span class=\"muted\">" + htmlEscaped(finding.where) + ":</span>";
        html += fmt::format("<li class=\"{}\"><p>{}{} <span class=\"verdict\">{}</span></p>\n", style,
                            htmlEscaped(finding.claim) + ". ", where, toText(finding.verdict));
        html += paragraph(finding.numbers, "muted");
        if (!finding.rule.empty())
            html += paragraph("Rule: " + finding.rule, "rule");
        html += "</li>\n";
    }
    return html + "</ol>\n";
}

std::string figuresHtml(const std::vector<ReportFigureCard> &figures)
{
    std::string html = "<h2>Figures</h2>\n<nav class=\"small\">\n";
    for (const ReportFigureCard &figure : figures)
        html
            += fmt::format("<a href=\"#{0}\"><img loading=\"lazy\" src=\"{1}{0}.png\" alt=\"{2}\" title=\"{2}\"></a>\n",
                           htmlEscaped(figure.file), kFiguresFolder, htmlEscaped(figure.title));
    html += "</nav>\n";
    for (const ReportFigureCard &figure : figures) {
        const std::string name = htmlEscaped(figure.file);
        const std::string file = kFiguresFolder + name;
        html += fmt::format("<figure id=\"{3}\">\n<a href=\"{0}.svg\"><img src=\"{0}.svg\" alt=\"{1}\"></a>\n"
                            "<figcaption>{1}. {2} (<a href=\"{0}.svg\">SVG</a>, <a href=\"{0}.pdf\">PDF</a>, "
                            "<a href=\"{0}.png\">PNG</a>)</figcaption>\n</figure>\n",
                            file, htmlEscaped(figure.title), htmlEscaped(figure.caption), name);
    }
    return html;
}

std::string tablesHtml(const std::vector<ReportTable> &tables)
{
    std::string html = "<h2>Tables</h2>\n";
    for (const ReportTable &table : tables) {
        html += "<h3>" + htmlEscaped(table.title) + "</h3>\n" + paragraph(table.note, "muted");
        html += "<p class=\"muted\">" + linkToTable(table.file + ".csv") + ", " + linkToTable(table.file + ".tex")
              + "</p>\n";
        if (table.isLong)
            html += "<details><summary>All heads</summary>\n";
        html += "<div class=\"wide\">\n";
        for (const TextTable &part : table.parts)
            html += toHtml(part);
        html += table.isLong ? "</div>\n</details>\n" : "</div>\n";
    }
    return html;
}

std::string manifestHtml(const ReportContents &contents)
{
    std::string html = "<h2>Inputs</h2>\n";
    html += paragraph("Command for the whole report (all other options have their defaults):");
    html += "<pre>" + htmlEscaped(contents.command + " --out-dir REPORT") + "</pre>\n";
    html += fmt::format("<p>Each part by itself; <a href=\"report.json\">report.json</a> in full. It took {} s.</p>\n",
                        fixedText(contents.seconds, 0));
    for (const Manifest &manifest : manifestsOf(contents)) {
        const std::string summary
            = fmt::format("{}, {}: {} of {} examples, {} s", manifest.analysis, manifest.data, manifest.examples,
                          manifest.totalExamples, fixedText(manifest.seconds, 1));
        html += "<details><summary>" + htmlEscaped(summary) + "</summary>\n<pre>" + htmlEscaped(manifest.command)
              + "</pre>\n<pre>" + htmlEscaped(jsonText(toJson(manifest))) + "</pre>\n</details>\n";
    }
    return html;
}

} // namespace

std::string reportPage(const ReportContents &contents, const std::vector<Finding> &findings,
                       const std::vector<ReportFigureCard> &figures, const std::vector<ReportTable> &tables)
{
    const std::size_t slash = contents.model.find_last_not_of('/');
    const std::string folder = contents.model.substr(0, slash == std::string::npos ? 0 : slash + 1);
    const std::string title = "Attention heads of " + folder.substr(folder.find_last_of('/') + 1);
    std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                       "content=\"width=device-width, initial-scale=1\">\n";
    html += "<title>" + htmlEscaped(title) + "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n";
    html += "<h1>" + htmlEscaped(title) + "</h1>\n" + facts(contents) + findingsHtml(findings) + figuresHtml(figures)
          + tablesHtml(tables) + manifestHtml(contents);
    return html + "</body>\n</html>\n";
}

std::string reportJson(const ReportContents &contents, const std::vector<Finding> &findings,
                       const std::vector<std::string> &files)
{
    Json json{
        {"result", "report"}, {"command", contents.command}, {"model", contents.model}, {"seconds", contents.seconds}};
    json["findings"] = toJson(findings);
    json["manifests"] = Json::array();
    for (const Manifest &manifest : manifestsOf(contents))
        json["manifests"].push_back(toJson(manifest));
    json["files"] = files;
    return jsonText(json) + "\n";
}

} // namespace headscope
