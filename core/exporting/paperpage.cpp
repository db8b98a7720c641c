#include "core/exporting/paperpage.h"

#include "core/base/parsednumber.h"
#include "core/exporting/numbers.h"
#include "core/exporting/paperitems.h"
#include "core/exporting/paperverdicts.h"
#include "core/exporting/texttable.h"
#include "core/formats/csv.h"
#include "core/formats/jsonfile.h"
#include "core/formats/textlines.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr const char *kPaperStyle = R"(
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2126; --muted: #5a636d; --line: #d5dae0; --good: #00684c;
  --bad: #a33b00; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #1c1f24; --ink: #e8eaed; --muted: #a9b1ba; --line: #3a4048; --good: #4fd1a5; --bad: #ffab70; } }
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 76rem;
  padding: 1.5rem; overflow-wrap: break-word; }
h2 { border-bottom: 1px solid var(--line); margin-top: 2.5rem; } h3 { margin: 1.8rem 0 .2rem; } p { margin: .3rem 0; }
.muted { color: var(--muted); } .holds { color: var(--good); font-weight: 700; }
.fails { color: var(--bad); font-weight: 700; } .open { color: var(--muted); font-weight: 700; }
.ours { display: flex; flex-wrap: wrap; gap: .8rem; margin: .6rem 0; }
.ours img { background: #fff; border: 1px solid var(--line); height: 11rem; width: auto; max-width: 100%; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; } td, th { border-bottom: 1px solid var(--line); padding: .15rem .6rem; text-align: left; }
)";

/// The last letters of a text in UTF-8, so many bytes at most.
std::string endOf(std::string_view text, std::size_t bytes)
{
    std::size_t start = text.size() - std::min(bytes, text.size());
    while (start < text.size() && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80U)
        ++start;
    return std::string(text.substr(start));
}

/// The files that a model's folder may have.
constexpr std::array<const char *, 3> kParts{"report", "window", "tables"};

bool isPicture(std::string_view file)
{
    return file.ends_with(".svg") || file.ends_with(".png");
}

std::string withoutEnding(const std::string &file)
{
    return file.substr(0, file.rfind('.'));
}

/// The patterns of an item's files.
std::vector<std::string_view> patternsOf(const PaperItem &item)
{
    std::vector<std::string_view> patterns;
    for (std::size_t start = 0; start < item.files.size();) {
        const std::size_t end = std::min(item.files.find(' ', start), item.files.size());
        patterns.push_back(item.files.substr(start, end - start));
        start = end + 1;
    }
    return patterns;
}

/// Files of a run that an item names, in the order of its patterns, with the tables beside its pictures. Of a picture
/// in two forms there is one, unless both are asked for.
std::vector<std::string> filesOf(const PaperRun &run, const PaperItem &item)
{
    std::vector<std::string> found;
    const auto add = [&found](const std::string &file) {
        if (std::ranges::find(found, file) == found.end())
            found.push_back(file);
    };
    const auto isThere = [&run](const std::string &file) { return std::ranges::binary_search(run.files, file); };
    for (const std::string_view pattern : patternsOf(item)) {
        for (const std::string &file : run.files) {
            if (!matchesPattern(file, pattern))
                continue;
            const std::string stem = withoutEnding(file);
            if (!file.ends_with(".png") || !isThere(stem + ".svg") || pattern.ends_with(".png"))
                add(file);
            if (isPicture(file) && isThere(stem + ".csv"))
                add(stem + ".csv");
        }
    }
    return found;
}

std::vector<const PaperRun::Verdict *> verdictsOf(const PaperRun &run, const PaperItem &item)
{
    std::vector<const PaperRun::Verdict *> found;
    for (const PaperRun::Verdict &verdict : run.verdicts) {
        if (!item.finding.empty() && verdict.item == item.finding)
            found.push_back(&verdict);
    }
    return found;
}

/// Whether a file of an item is in what was to be made: a table of its own, or in the folder of a report or an export.
bool isPartOf(const PaperItem &item, const std::string &made)
{
    return std::ranges::any_of(patternsOf(item), [&](std::string_view pattern) {
        return matchesPattern(made, pattern) || pattern.starts_with(made + '/');
    });
}

/// Why there is nothing.
std::string whyNothing(const PaperItem &item, const std::vector<PaperRun> &runs)
{
    for (const PaperRun &run : runs) {
        for (const auto &[made, line] : run.failures) {
            if (isPartOf(item, made))
                return fmt::format("{}/{} could not be made: {}", run.name, made, line);
        }
    }
    return item.needs.empty() ? "no model here has it: " + std::string(item.command)
                              : "it takes " + std::string(item.needs);
}

const char *styleOf(const std::string &verdict)
{
    return verdict == "holds" ? "holds" : verdict == "does not hold" ? "fails" : "open";
}

std::string verdictHtml(const PaperRun &run, const PaperRun::Verdict &verdict)
{
    return fmt::format("<p>{}{}: {}. <span class=\"{}\">{}</span> <span class=\"muted\">{}{}</span></p>\n",
                       htmlEscaped(run.name), verdict.data.empty() ? "" : ", " + htmlEscaped(verdict.data),
                       htmlEscaped(verdict.claim), styleOf(verdict.verdict), htmlEscaped(verdict.verdict),
                       htmlEscaped(verdict.numbers),
                       verdict.rule.empty() ? std::string() : " Rule: " + htmlEscaped(verdict.rule));
}

/// A table that was made for an item, where it is small enough to be read on the page; long cells are cut.
std::string smallTableHtml(const PaperRun &run, const std::string &file)
{
    constexpr std::size_t kMostRows = 16;
    constexpr std::size_t kMostLetters = 24;
    if (!file.starts_with("tables/") || !file.ends_with(".csv"))
        return {};
    const auto text = readBytes(run.folder / file);
    const auto rows = text.isOk() ? parseCsv(text.value(), file) : Result<std::vector<CsvRow>>(std::vector<CsvRow>());
    if (!rows.isOk() || rows.value().size() < 2 || rows.value().size() > kMostRows)
        return {};
    const auto isUsed = [&](std::size_t column) {
        return std::ranges::any_of(rows.value().begin() + 1, rows.value().end(),
                                   [column](const CsvRow &row) { return column < row.size() && !row[column].empty(); });
    };
    std::string html = "<div class=\"scroll\"><table>\n";
    for (std::size_t i = 0; i < rows.value().size(); ++i) {
        const CsvRow &row = rows.value()[i];
        html += "<tr>";
        for (std::size_t column = 0; column < row.size(); ++column) {
            if (!isUsed(column))
                continue;
            const auto number = parsedNumber<double>(row[column]);
            const bool isLong = number && row[column].find('.') != std::string::npos;
            const std::string cell = isLong                             ? fmt::format("{:.5g}", *number)
                                   : row[column].size() <= kMostLetters ? row[column]
                                                                        : "…" + endOf(row[column], kMostLetters);
            html += fmt::format("<{0}>{1}</{0}>", i == 0 ? "th" : "td", htmlEscaped(cell));
        }
        html += "</tr>\n";
    }
    return html + "</table></div>\n";
}

std::string itemHtml(const PaperItem &item, const std::vector<PaperRun> &runs)
{
    std::string html = fmt::format("<h3 id=\"{}\">{}: {}</h3>\n<p>The paper: {}.</p>\n", item.id,
                                   htmlEscaped(item.item), htmlEscaped(item.shows), htmlEscaped(item.claim));
    bool any = false;
    for (const PaperRun &run : runs) {
        for (const PaperRun::Verdict *verdict : verdictsOf(run, item))
            html += verdictHtml(run, *verdict);
        const std::vector<std::string> files = filesOf(run, item);
        if (files.empty())
            continue;
        any = true;
        std::string tables;
        html += "<div class=\"ours\">\n";
        for (const std::string &file : files) {
            const std::string path = htmlEscaped(run.name + '/' + file);
            if (isPicture(file))
                html += fmt::format(
                    "<a href=\"{0}\"><img loading=\"lazy\" src=\"{0}\" alt=\"{0}\" title=\"{0}\"></a>\n", path);
            else
                tables += fmt::format("{}<a href=\"{}\">{}</a>", tables.empty() ? "" : ", ", path, path);
        }
        html += "</div>\n";
        for (const std::string &file : files)
            html += smallTableHtml(run, file);
        if (!tables.empty())
            html += "<p class=\"muted\">Numbers: " + tables + "</p>\n";
    }
    if (!any)
        html += "<p class=\"open\">Not shown: " + htmlEscaped(whyNothing(item, runs)) + ".</p>\n";
    else if (!item.needs.empty())
        html += "<p class=\"muted\">It takes " + htmlEscaped(std::string(item.needs)) + ".</p>\n";
    return html + "<p class=\"muted\"><code>" + htmlEscaped(item.command) + "</code></p>\n";
}

/// "holds in 3 of 4, cannot be told in 1": the verdicts of all models and data sets.
std::string verdictsText(const PaperItem &item, const std::vector<PaperRun> &runs)
{
    if (item.finding.empty())
        return "no claim to test";
    std::size_t told = 0;
    std::size_t hold = 0;
    std::size_t open = 0;
    for (const PaperRun &run : runs) {
        for (const PaperRun::Verdict *verdict : verdictsOf(run, item)) {
            const bool isOpen = verdict->verdict == "cannot be told";
            open += isOpen;
            told += !isOpen;
            hold += verdict->verdict == "holds";
        }
    }
    std::string text = told > 0 ? fmt::format("holds in {} of {}", hold, told) : std::string();
    if (open > 0)
        text += fmt::format("{}cannot be told in {}", text.empty() ? "" : ", ", open);
    return text.empty() ? "not tested" : text;
}

struct Count
{
    std::size_t files = 0;
    std::size_t models = 0;

    std::string text() const
    {
        return fmt::format("{} {} of {} {}", files, files == 1 ? "file" : "files", models,
                           models == 1 ? "model" : "models");
    }
};

Count countOf(const PaperItem &item, const std::vector<PaperRun> &runs)
{
    Count count;
    for (const PaperRun &run : runs) {
        const std::size_t files = filesOf(run, item).size();
        count.files += files;
        count.models += files > 0;
    }
    return count;
}

std::string contentsHtml(const std::vector<PaperRun> &runs)
{
    std::string html
        = "<table>\n<thead><tr><th>paper</th><th>item</th><th>shows</th><th>ours</th><th>claim</th></tr></thead>\n"
          "<tbody>\n";
    std::string_view paper;
    for (const PaperItem &item : paperItems()) {
        const Count count = countOf(item, runs);
        const std::string_view name = item.paper.substr(0, item.paper.find(':'));
        html += fmt::format("<tr><td>{}</td><td><a href=\"#{}\">{}</a></td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                            paper == item.paper ? "" : htmlEscaped(name), item.id, htmlEscaped(item.item),
                            htmlEscaped(item.shows),
                            count.files > 0 ? count.text() : htmlEscaped("not shown: " + whyNothing(item, runs)),
                            verdictsText(item, runs));
        paper = item.paper;
    }
    return html + "</tbody>\n</table>\n";
}

/// The last line of a command that failed, as a part of a sentence.
std::string lastLine(const fs::path &log)
{
    const auto text = readBytes(log);
    std::string line = text.isOk() ? text.value() : std::string();
    line.erase(line.find_last_not_of(" .\r\n") + 1);
    line.erase(0, line.find_last_of("\r\n") + 1);
    return line.empty() ? "its log is empty" : line;
}

/// papers.sh leaves NAME.log beside what it makes; where NAME is not there, it failed.
std::map<std::string, std::string> failuresIn(const fs::path &folder)
{
    std::map<std::string, std::string> failures;
    std::error_code error;
    for (const char *part : {"", "tables"}) {
        for (const auto &entry : fs::directory_iterator(folder / part, error)) {
            const fs::path made = entry.path().parent_path() / entry.path().stem();
            if (entry.path().extension() == ".log" && !fs::exists(made, error))
                failures[made.lexically_relative(folder).generic_string()] = lastLine(entry.path());
        }
    }
    return failures;
}

/// The files of a run that a page shows or links to, relative to its folder.
std::vector<std::string> shownFiles(const fs::path &folder)
{
    std::vector<std::string> files;
    std::error_code error;
    for (const char *part : kParts) {
        const fs::path inside = folder / part;
        if (!fs::is_directory(inside, error))
            continue;
        for (const auto &entry : fs::recursive_directory_iterator(inside, error)) {
            const std::string name = entry.path().filename().string();
            // A PDF is for papers: the page shows the same picture.
            const bool isShown = std::ranges::none_of(std::array{".manifest.json", ".log", ".pdf"},
                                                      [&](const char *end) { return name.ends_with(end); });
            if (entry.is_regular_file(error) && isShown)
                files.push_back(entry.path().lexically_relative(folder).generic_string());
        }
    }
    std::ranges::sort(files);
    return files;
}

/// The verdicts of the folder's report; none where it has no report.
Result<std::vector<PaperRun::Verdict>> reportVerdicts(const fs::path &folder)
{
    std::vector<PaperRun::Verdict> verdicts;
    std::error_code error;
    const fs::path report = folder / "report" / "report.json";
    if (!fs::exists(report, error))
        return verdicts;
    const auto json = readJsonFile(report);
    if (!json.isOk())
        return json.error();
    const auto findings = json.value().is_object() ? json.value().find("findings") : json.value().end();
    if (findings == json.value().end() || !findings->is_array())
        return badInput(report.string()
                        + " is no report: it has no findings. Write it again with headscope-cli report.");
    const auto textOf = [](const nlohmann::json &finding, const char *key) {
        const auto at = finding.find(key);
        return at != finding.end() && at->is_string() ? at->get<std::string>() : std::string();
    };
    for (const auto &finding : *findings) {
        if (finding.is_object())
            verdicts.push_back({textOf(finding, "item"), textOf(finding, "claim"), textOf(finding, "data"),
                                textOf(finding, "verdict"), textOf(finding, "numbers"), textOf(finding, "rule")});
    }
    return verdicts;
}

Result<PaperRun> readRun(const fs::path &folder)
{
    auto verdicts = reportVerdicts(folder);
    if (!verdicts.isOk())
        return verdicts.error();
    PaperRun run;
    run.folder = folder;
    run.name = folder.filename().string();
    run.failures = failuresIn(folder);
    run.files = shownFiles(folder);
    run.verdicts = std::move(verdicts).value();
    std::ranges::move(tableVerdicts(folder, run.files), std::back_inserter(run.verdicts));
    return run;
}

} // namespace

Result<std::vector<PaperRun>> readPaperRuns(const fs::path &folder)
{
    std::vector<fs::path> folders;
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(folder, error)) {
        if (std::ranges::any_of(kParts, [&](const char *part) { return fs::is_directory(entry.path() / part, error); }))
            folders.push_back(entry.path());
    }
    if (folders.empty())
        return badInput(
            folder.string()
            + " has no folder of a model with report/, window/ or tables/ in it. Make them with headscope-cli report "
              "--out-dir and headscope --export-all, or all of it with packaging/papers.sh.");
    std::ranges::sort(folders);
    std::vector<PaperRun> runs;
    for (const fs::path &one : folders) {
        auto run = readRun(one);
        if (!run.isOk())
            return run.error();
        runs.push_back(std::move(run).value());
    }
    return runs;
}

std::string paperPage(const std::vector<PaperRun> &runs)
{
    const char *title = "Tables and figures of six papers";
    std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                       "content=\"width=device-width, initial-scale=1\">\n";
    html += fmt::format("<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n", title, kPaperStyle);
    html += "<p>Ours beside what the papers say of theirs, in their order. Models:";
    for (std::size_t i = 0; i < runs.size(); ++i)
        html += (i == 0 ? " " : ", ") + htmlEscaped(runs[i].name);
    html += ".</p>\n" + contentsHtml(runs);
    std::string_view paper;
    for (const PaperItem &item : paperItems()) {
        if (item.paper != paper)
            html += "<h2>" + htmlEscaped(item.paper) + "</h2>\n";
        paper = item.paper;
        html += itemHtml(item, runs);
    }
    return html + "</body>\n</html>\n";
}

std::vector<std::string> paperSummary(const std::vector<PaperRun> &runs)
{
    std::vector<std::string> lines;
    for (const PaperItem &item : paperItems()) {
        const Count count = countOf(item, runs);
        lines.push_back(count.files > 0 ? fmt::format("{}: {}, {}", item.id, count.text(), verdictsText(item, runs))
                                        : fmt::format("{}: nothing: {}", item.id, whyNothing(item, runs)));
    }
    return lines;
}

} // namespace headscope
