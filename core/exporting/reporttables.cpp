#include "core/exporting/reporttables.h"

#include "core/exporting/csv.h"
#include "core/exporting/csvwriter.h"
#include "core/exporting/latextable.h"
#include "core/exporting/numbers.h"
#include "core/exporting/paperreport.h"
#include "core/exporting/removabletext.h"
#include "core/exporting/rolereport.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

namespace {

std::string kindTitle(HeadKind kind)
{
    switch (kind) {
    case HeadKind::Encoder:
        return "encoder self-attention";
    case HeadKind::Cross:
        return "cross-attention";
    case HeadKind::Decoder:
        break;
    }
    return "decoder self-attention";
}

/// After a number that is significant.
const char *mark(bool significant)
{
    return significant ? "*" : "";
}

/// A table per kind of attention: layers down, heads across, numbered from zero as everywhere in the program.
std::vector<TextTable> grids(const HeadLayout &layout, const std::map<HeadRef, std::string> &cells)
{
    std::vector<TextTable> tables;
    for (const HeadLayout::Block &block : layout.blocks()) {
        TextTable table{kindTitle(block.kind), {"layer"}, {}};
        int columns = 0;
        for (const std::vector<int> &layer : block.layers) {
            for (const int head : layer)
                columns = std::max(columns, head + 1);
        }
        for (int head = 0; head < columns; ++head)
            table.columns.push_back(std::to_string(head));
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            std::vector<std::string> row{std::to_string(layer)};
            for (int head = 0; head < columns; ++head) {
                const auto found = cells.find({block.kind, layer, head});
                row.push_back(found == cells.end() ? "–" : found->second);
            }
            table.rows.push_back(std::move(row));
        }
        tables.push_back(std::move(table));
    }
    return tables;
}

ReportTable ablationTable(const ReportContents &contents, const ReportDomain &domain)
{
    const AblationResult &ablation = domain.ablation;
    const ScoreText text(ablation.baseline.name);
    std::map<HeadRef, std::string> cells;
    for (const HeadAblation &head : ablation.heads)
        cells[head.head] = text.difference(head.delta) + mark(contents.significance.holds(head));
    ReportTable table = tableOf(domain, "ablation", "Score without each head (Table 1)");
    table.note
        = fmt::format("Difference to the full model's {} {} in {}, {} examples. * {}, over all heads. The table's "
                      "CSV has p as it is, by Holm and by Benjamini-Hochberg; the LaTeX table counts layers and heads "
                      "from one.",
                      ablation.baseline.name, text.score(ablation.baseline.value), text.unit(), ablation.examples,
                      contents.significance.fileText());
    table.parts = grids(contents.layout, cells);
    table.csv = toCsv(ablation);
    table.ownLatex = toLatex(ablation, contents.significance);
    return table;
}

ReportTable importanceTable(const ReportContents &contents, const ReportDomain &domain)
{
    std::map<HeadRef, std::string> cells;
    for (const HeadImportance &head : domain.importance.heads)
        cells[head.head] = fixedText(head.importance, 3);
    ReportTable table = tableOf(domain, "importance", "Importance of each head by its gradient");
    table.note = fmt::format("E|∂L/∂ξ|, absolute value by {}, normalised by {}; {} examples.",
                             toText(domain.importance.reduction), toText(domain.importance.normalization),
                             domain.importance.examples);
    table.parts = grids(contents.layout, cells);
    table.csv = toCsv(domain.importance);
    table.isLong = true;
    return table;
}

ReportTable bestHeadsTable(const ReportContents &contents, const ReportDomain &domain)
{
    const BestHeadsResult &best = *domain.bestHeads;
    const ScoreText text(best.baseline.name);
    ReportTable table = tableOf(domain, "best-heads", "Each layer with its best head alone (Tables 2 and 3)");
    table.note = fmt::format(
        "Difference to the full model's {} {} in {}. * {}, over all layers. The head was chosen on "
        "{}.",
        best.baseline.name, text.score(best.baseline.value), text.unit(), contents.significance.fileText(),
        best.chosenOnReported ? "the same set, so scores are too optimistic" : best.chosenOn);
    TextTable rows{"the best single head of every attention layer",
                   {"layer", "head", "Δ where chosen", "Δ", "95 % interval", "p", "p (Holm)", "p (BH)"},
                   {}};
    for (const BestHead &layer : best.layers) {
        const HeadAblation &head = layer.reported;
        rows.rows.push_back({fmt::format("{} {}", headKindName(layer.kind), layer.layer), toText(layer.head),
                             text.difference(layer.chosenDelta),
                             text.difference(head.delta) + mark(contents.significance.holds(head)),
                             text.interval(head.interval), pText(head.p), pText(head.pAdjusted),
                             head.discoveryP ? pText(*head.discoveryP) : "–"});
    }
    table.parts = {rows};
    table.csv = toCsv(best);
    return table;
}

std::string curveName(const PruningCurve &curve)
{
    if (curve.kinds.size() == 1)
        return std::string(headKindName(curve.kinds.front()));
    return curve.randomOrders > 0 ? fmt::format("random ({} orders)", curve.randomOrders) : curve.order;
}

/// Points down, curves across. Curves of the same steps share lines by their share of removed heads.
TextTable pointsTable(const std::vector<const PruningCurve *> &curves, const ScoreText &text, std::string caption)
{
    TextTable table{std::move(caption), {"removed"}, {}};
    std::map<long, std::vector<std::string>> rows; // by per mille
    for (std::size_t i = 0; i < curves.size(); ++i) {
        table.columns.push_back(curveName(*curves[i]));
        for (const PruningPoint &point : curves[i]->points) {
            auto &row = rows[std::lround(1000 * point.fraction)];
            row.resize(curves.size(), "–");
            row[i] = text.number(point.score) + " [" + text.number(point.interval.low) + ", "
                   + text.number(point.interval.high) + "]";
        }
    }
    for (auto &[mille, cells] : rows) {
        std::vector<std::string> row{fixedText(static_cast<double>(mille) / 10, mille % 10 == 0 ? 0 : 1) + " %"};
        row.insert(row.end(), cells.begin(), cells.end());
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// How many heads can go: a line for each of `answers`, which have names.
TextTable removableTable(const std::vector<std::pair<std::string, RemovableHeads>> &answers, std::string_view metric,
                         const SignificanceRule &rule)
{
    TextTable table{
        fmt::format("how many heads can go: margin {:g} % of the score, p ≤ {:.2f}", 100 * rule.margin, rule.level),
        {"curve", "answer"},
        {}};
    for (const auto &[name, answer] : answers)
        table.rows.push_back({name, removableText(answer, metric, rule.margin)});
    return table;
}

TextTable removableTable(const std::vector<PruningResult> &results, const SignificanceRule &rule)
{
    std::vector<std::pair<std::string, RemovableHeads>> answers;
    for (const PruningResult &result : results) {
        for (const PruningCurve &curve : result.curves) {
            if (curve.randomOrders == 0)
                answers.emplace_back(curveName(curve), removableHeads(lossesOf(result, curve), rule));
        }
    }
    return removableTable(answers, results.front().metric, rule);
}

/// The lines of several CSV texts of the same columns.
std::string joinedCsv(const std::vector<std::string> &parts)
{
    std::string text;
    for (const std::string &part : parts)
        text += text.empty() ? part : part.substr(part.find('\n') + 1);
    return text;
}

/// By which data the order of a curve was chosen, if by any.
std::string chooserText(const PruningCurve &curve)
{
    if (curve.orderData.empty())
        return {};
    return " Orders were chosen on "
         + (curve.chosenOnEvaluated ? "the evaluated set itself, so they are too optimistic" : curve.orderData) + ".";
}

ReportTable pruningTable(const ReportDomain &domain, const SignificanceRule &rule)
{
    ReportTable table = tableOf(domain, "pruning", "Pruning curves (Figure 3), point by point");
    std::vector<const PruningCurve *> curves;
    std::vector<std::string> csv;
    std::string chooser;
    for (const PruningResult &result : domain.pruning) {
        csv.push_back(toCsv(result));
        for (const PruningCurve &curve : result.curves) {
            curves.push_back(&curve);
            if (!curve.orderData.empty())
                chooser = chooserText(curve);
        }
    }
    table.note = "95 % intervals; of random orders lowest and highest." + chooser;
    const std::string &metric = domain.pruning.front().metric;
    table.parts = {pointsTable(curves, ScoreText(metric), metric + " by share of heads removed"),
                   removableTable(domain.pruning, rule)};
    table.csv = joinedCsv(csv);
    return table;
}

ReportTable kindsTable(const ReportDomain &domain, const SignificanceRule &rule)
{
    ReportTable table = tableOf(domain, "kinds", "Pruning one kind of attention only (Figure 4), point by point");
    table.note = "By importance; shares are of that kind's heads. 95 % intervals."
               + (domain.kinds->curves.empty() ? std::string() : chooserText(domain.kinds->curves.front()));
    std::vector<const PruningCurve *> curves;
    for (const PruningCurve &curve : domain.kinds->curves)
        curves.push_back(&curve);
    const std::string &metric = domain.kinds->metric;
    table.parts = {pointsTable(curves, ScoreText(metric), metric + " by share of the kind's heads removed"),
                   removableTable({*domain.kinds}, rule)};
    table.csv = toCsv(*domain.kinds);
    return table;
}

ReportTable searchTable(const ReportDomain &domain, const SignificanceRule &rule)
{
    const SearchResult &search = *domain.search;
    const ScoreText text(search.baseline.name);
    ReportTable table = tableOf(domain, "search", "Masks found by gradients (Kwon et al. 2022)");
    table.note = fmt::format("{}, full model {}; searched on {} examples of {}{}.", search.baseline.name,
                             text.score(search.baseline.value), search.samples, search.searchData,
                             search.searchedOnEvaluated ? ", the evaluated set itself, so scores are too "
                                                          "optimistic"
                                                        : "");
    TextTable rows{
        search.baseline.name + " by heads removed", {"removed", "heads", "searched", "rearranged", "rescaled"}, {}};
    for (const SearchPoint &point : search.points)
        rows.rows.push_back({percentText(point.fraction), std::to_string(point.pruned),
                             text.number(point.searched.score), text.number(point.rearranged.score),
                             text.number(point.rescaled.score)});
    const TextTable answers
        = removableTable({{"searched", removableHeads(lossesOf(search, &SearchPoint::searched), rule)},
                          {"rearranged", removableHeads(lossesOf(search, &SearchPoint::rearranged), rule)},
                          {"rescaled", removableHeads(lossesOf(search, &SearchPoint::rescaled), rule)}},
                         search.baseline.name, rule);
    table.parts = {rows, answers};
    table.csv = toCsv(search);
    return table;
}

void addCorrelations(const CompareResult &compared, TextTable &table, CsvWriter &csv)
{
    const std::pair<const char *, const Correlation *> coefficients[]
        = {{"r", &compared.pearson}, {"ρ", &compared.spearman}, {"τ", &compared.kendall}};
    for (const auto &[symbol, c] : coefficients) {
        const std::string interval = std::isnan(c->interval.low) ? "–"
                                                                 : "[" + fixedText(c->interval.low, 2) + ", "
                                                                       + fixedText(c->interval.high, 2) + "]";
        table.rows.push_back({compared.measure, symbol, fixedText(c->value, 3), interval, pText(c->p),
                              std::to_string(compared.heads.size())});
        const char *name = c == &compared.pearson ? "pearson" : c == &compared.spearman ? "spearman" : "kendall";
        csv << compared.measure << name << c->value << c->interval.low << c->interval.high << c->p
            << static_cast<std::int64_t>(compared.heads.size());
        csv.endLine();
    }
}

ReportTable correlationTable(const ReportContents &contents)
{
    ReportTable table;
    table.file = "correlation";
    table.title = fmt::format("Do the same heads matter on both sets? {} and {}", contents.domains[0].name,
                              contents.domains[1].name);
    table.note
        = "Pearson's r with Fisher's interval, Spearman's ρ and Kendall's τ with bootstrap intervals over heads.";
    TextTable rows{"correlation between the data sets", {"measure", "", "value", "95 % interval", "p", "heads"}, {}};
    CsvWriter csv;
    csv << "measure"
        << "coefficient"
        << "value"
        << "ci_low"
        << "ci_high"
        << "p"
        << "heads";
    csv.endLine();
    for (const auto *compared : {&contents.ablationAgreement, &contents.importanceAgreement}) {
        if (*compared)
            addCorrelations(**compared, rows, csv);
    }
    table.parts = {rows};
    table.csv = csv.text();
    return table;
}

ReportTable differencesTable(const ReportContents &contents)
{
    const CompareResult &compared = *contents.ablationAgreement;
    const ScoreText text(compared.metric.empty() ? contents.metric() : compared.metric);
    ReportTable table;
    table.file = "differences";
    table.title = "Heads that matter more on one set than on the other";
    table.note = fmt::format("Deltas on {} and {}, in {}; the difference is second minus first. * {}.", compared.a.name,
                             compared.b.name, text.unit(), contents.significance.fileText());
    TextTable rows{
        "per head", {"head", "Δ first", "Δ second", "difference", "95 % interval", "p", "p (Holm)", "p (BH)"}, {}};
    for (const HeadDifference &head : compared.heads) {
        std::vector<std::string> row{toText(head.head), text.difference(head.a), text.difference(head.b),
                                     text.difference(head.difference)};
        if (const auto &test = head.test) {
            row.back() += mark(contents.significance.holds(test->p, test->pAdjusted, test->pDiscovery).value_or(false));
            row.insert(row.end(), {text.interval(test->interval), pText(test->p), pText(test->pAdjusted),
                                   pText(test->pDiscovery)});
        } else {
            row.insert(row.end(), 4, "–");
        }
        rows.rows.push_back(std::move(row));
    }
    table.parts = {rows};
    table.csv = toCsv(compared);
    table.isLong = true;
    return table;
}

ReportTable trainingTable(const ReportContents &contents)
{
    const DynamicsResult &dynamics = *contents.dynamics;
    ReportTable table;
    table.file = "training";
    table.title = "Score left by share of heads removed, over training (Figure 5)";
    table.note
        = fmt::format("{} without the heads that matter least by the checkpoint's own importance (estimated on {}), "
                      "in percent of the same checkpoint's full model; {} examples of {}. –: the full model "
                      "scores 0, or gates have closed heads already.",
                      dynamics.metric, dynamics.orderData, dynamics.examples, contents.domains.front().name);
    TextTable rows{dynamics.metric + " in percent of the full model's", {"checkpoint", dynamics.metric}, {}};
    std::vector<DynamicsPoint> steps;
    for (const DynamicsCheckpoint &checkpoint : dynamics.checkpoints) {
        if (checkpoint.curve.size() > steps.size())
            steps = checkpoint.curve;
    }
    for (std::size_t step = 1; step < steps.size(); ++step)
        rows.columns.push_back("−" + percentText(steps[step].fraction));
    const ScoreText text(dynamics.metric);
    for (const DynamicsCheckpoint &checkpoint : dynamics.checkpoints) {
        std::vector<std::string> row{checkpoint.name, text.score(checkpoint.score)};
        for (std::size_t step = 1; step < checkpoint.curve.size(); ++step) {
            const auto &relative = checkpoint.curve[step].relative;
            row.push_back(relative ? percentText(*relative, 1) : "–");
        }
        row.resize(rows.columns.size(), "–");
        rows.rows.push_back(std::move(row));
    }
    table.parts = {rows};
    table.csv = toCsv(dynamics);
    return table;
}

ReportTable speedTable(const ReportContents &contents)
{
    const SpeedResult &speed = *contents.speed;
    ReportTable table;
    table.file = "speed";
    table.title = "Speed by batch size (Table 4)";
    table.note
        = fmt::format("Examples per second, mean ± standard deviation of {} repeats over {} examples of {}; "
                      "{} threads, {}. Gain: median over the original in the same repeat. {} of {} heads are masked "
                      "and removed: {} of {} parameters are left.",
                      speed.repeats, speed.examples, speed.manifest.data, speed.threads, speed.manifest.device,
                      speed.heads - speed.headsLeft, speed.heads, speed.parametersLeft, speed.parameters);
    TextTable rows{"examples per second", {"batch size", "original", "masked", "removed", "gain of removal"}, {}};
    std::map<std::pair<LengthPolicy, std::int64_t>, std::vector<std::string>> lines;
    for (const SpeedRow &row : speed.rows) {
        auto &line = lines[{row.lengths, row.batchSize}];
        line.resize(4, "–");
        line[static_cast<std::size_t>(row.contender)]
            = fixedText(row.examplesPerSecond.mean, 1) + " ± " + fixedText(row.examplesPerSecond.deviation, 1);
        if (row.contender == ModelVersion::Removed)
            line[3] = fixedText(100 * row.gain.median, 1, true) + " %";
    }
    for (auto &[key, cells] : lines) {
        std::vector<std::string> row{fmt::format("{}, {}", key.second, toText(key.first))};
        row.insert(row.end(), cells.begin(), cells.end());
        rows.rows.push_back(std::move(row));
    }
    table.parts = {rows};
    table.csv = toCsv(speed);
    return table;
}

} // namespace

const char *fileSuffix(const ReportDomain &domain)
{
    return domain.out ? "out" : "in";
}

ReportTable tableOf(const ReportDomain &domain, const std::string &name, const std::string &title)
{
    ReportTable table;
    table.file = name + '-' + fileSuffix(domain);
    table.title = title + ": " + domain.name;
    return table;
}

std::string ReportTable::latex() const
{
    if (!ownLatex.empty())
        return ownLatex;
    std::string text;
    for (const TextTable &part : parts)
        text += (text.empty() ? "" : "\n") + toLatex(part);
    return text;
}

std::vector<ReportTable> reportTables(const ReportContents &contents)
{
    std::vector<ReportTable> tables;
    for (const ReportDomain &domain : contents.domains)
        tables.push_back(ablationTable(contents, domain));
    for (const ReportDomain &domain : contents.domains) {
        if (domain.bestHeads)
            tables.push_back(bestHeadsTable(contents, domain));
    }
    if (contents.ablationAgreement && contents.domains.size() == 2) {
        tables.push_back(correlationTable(contents));
        tables.push_back(differencesTable(contents));
    }
    for (const ReportDomain &domain : contents.domains) {
        if (!domain.pruning.empty())
            tables.push_back(pruningTable(domain, contents.significance));
        if (domain.kinds)
            tables.push_back(kindsTable(domain, contents.significance));
        if (domain.search)
            tables.push_back(searchTable(domain, contents.significance));
    }
    if (contents.dynamics)
        tables.push_back(trainingTable(contents));
    if (contents.speed)
        tables.push_back(speedTable(contents));
    for (const ReportDomain &domain : contents.domains)
        std::ranges::move(roleTables(domain), std::back_inserter(tables));
    for (const ReportDomain &domain : contents.domains)
        std::ranges::move(paperTables(domain), std::back_inserter(tables));
    if (contents.energy)
        tables.push_back(energyTable(*contents.energy));
    for (const ReportDomain &domain : contents.domains)
        tables.push_back(importanceTable(contents, domain));
    return tables;
}

} // namespace headscope
