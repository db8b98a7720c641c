#include "core/exporting/paperverdicts.h"

#include "core/base/parsednumber.h"
#include "core/exporting/numbers.h"
#include "core/exporting/paperitems.h"
#include "core/exporting/reportfindings.h"
#include "core/exporting/verdictrules.h"
#include "core/formats/csv.h"
#include "core/formats/jsonfile.h"
#include "core/formats/textlines.h"
#include "core/metrics/correlation.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr double kTenPoints = 0.1;  ///< of accuracy, by which a head must beat the best fixed offset (Voita et al.)
constexpr double kEnoughWords = 50; ///< fewer instances of a relation say nothing
constexpr double kDecided = 0.05;   ///< a gate is closed or open if it is the other with at most this probability
constexpr double kSmallLoss = 0.25; ///< of BLEU: what Voita et al.'s model with 4 of 48 heads loses
constexpr double kRolesLeft = 0.35; ///< of the heads: 17 of 48
constexpr double kTwoThirds = 1.5;  ///< times fewer parameters
constexpr double kKept = 0.015;     ///< of the score: what Cordonnier et al. lose at most at a third of the dimensions
constexpr double kOneRun = 0.2;     ///< BLEU: what single runs of one configuration differ by
constexpr double kTogether = 0.9;   ///< r of two metrics over a curve
constexpr double kSeveralHeads = 2; ///< effective number of heads that use a column
constexpr double kNear = 2;         ///< words

/// A table that was read: cells by the names of columns.
class TableFile
{
public:
    static std::optional<TableFile> read(const fs::path &file)
    {
        const auto text = readBytes(file);
        if (!text.isOk())
            return {};
        auto rows = parseCsv(text.value(), file.filename().string());
        if (!rows.isOk() || rows.value().size() < 2)
            return {};
        TableFile table;
        table.m_rows = std::move(rows).value();
        return table;
    }

    std::size_t size() const { return m_rows.size() - 1; }
    /// Empty where the table has no such column.
    std::string text(std::size_t row, std::string_view column) const
    {
        const auto found = std::ranges::find(m_rows.front(), column);
        const auto at = static_cast<std::size_t>(found - m_rows.front().begin());
        return found == m_rows.front().end() || at >= m_rows[row + 1].size() ? std::string() : m_rows[row + 1][at];
    }
    std::optional<double> number(std::size_t row, std::string_view column) const
    {
        return parsedNumber<double>(text(row, column));
    }

private:
    std::vector<CsvRow> m_rows;
};

/// "window/roles/best-head-of-every-relation-in.csv" → "in", where the pattern's star is; empty: it has none.
std::string starOf(std::string_view file, std::string_view pattern)
{
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos)
        return {};
    file.remove_prefix(star);
    return std::string(file.substr(0, file.rfind('.')));
}

/// The tables of one model.
class TableJudge
{
public:
    TableJudge(fs::path folder, const std::vector<std::string> &files) : m_folder(std::move(folder)), m_files(files) { }

    std::vector<PaperRun::Verdict> run()
    {
        judgeRelations();
        judgeOffsets();
        judgeMetrics();
        judgeDensities();
        judgeHeadsLeft();
        judgeAgainstScratch();
        judgeSurvivors();
        try { // of another form: they say nothing
            judgeCoreference();
            judgeMixing();
        } catch (const nlohmann::json::exception &) {
        }
        judgeProbe();
        judgeSharing();
        judgeTuning();
        judgeNumbersOfHeads();
        return std::move(m_verdicts);
    }

private:
    std::vector<std::string> matching(std::string_view pattern) const
    {
        std::vector<std::string> found;
        std::ranges::copy_if(m_files, std::back_inserter(found),
                             [pattern](const std::string &file) { return matchesPattern(file, pattern); });
        return found;
    }
    /// The tables of a pattern, with their paths.
    std::vector<std::pair<std::string, TableFile>> tables(std::string_view pattern) const
    {
        std::vector<std::pair<std::string, TableFile>> found;
        for (const std::string &file : matching(pattern)) {
            if (auto table = TableFile::read(m_folder / file))
                found.emplace_back(file, std::move(*table));
        }
        return found;
    }
    /// Those of the first pattern, and only where there are none those that the window wrote; with what their stars
    /// are.
    std::vector<std::pair<std::string, TableFile>> tablesOr(std::string_view pattern, std::string_view ofWindow) const
    {
        const std::string_view known = matching(pattern).empty() ? ofWindow : pattern;
        auto found = tables(known);
        for (auto &[file, table] : found)
            file = starOf(file, known);
        return found;
    }
    nlohmann::json json(const char *file) const
    {
        auto read = std::ranges::find(m_files, file) != m_files.end() ? readJsonFile(m_folder / file)
                                                                      : Result<nlohmann::json>(nlohmann::json());
        return read.isOk() ? std::move(read).value() : nlohmann::json();
    }
    /// `rule`: when the claim holds, and when it does not.
    void say(const char *item, std::string claim, Verdict verdict, std::string numbers, std::string rule,
             std::string data = {})
    {
        m_verdicts.push_back(
            {item, std::move(claim), std::move(data), toText(verdict), std::move(numbers), std::move(rule)});
    }

    void judgeRelations();
    void judgeOffsets();
    void judgeMetrics();
    void judgeDensities();
    void judgeHeadsLeft();
    void judgeAgainstScratch();
    struct Stage;
    static std::map<std::pair<std::string, std::string>, Stage> stagesIn(const TableFile &table);
    void judgeSurvivors();
    void judgeKindsLeft(const Stage &few, double most);
    void judgeCoreference();
    void judgeProbe();
    struct SharingRows;
    void judgeSharing();
    void judgeSharedScores(const SharingRows &rows, const std::string &data);
    void judgeSharedCosts(const SharingRows &rows, const std::string &data);
    void judgeMixing();
    void judgeTuning();
    void judgeNumbersOfHeads();

    fs::path m_folder;
    const std::vector<std::string> &m_files;
    std::vector<PaperRun::Verdict> m_verdicts;
};

/// 95 % interval of the difference of two accuracies on the same words, of which it is not known where they agree: as
/// if they did as rarely as can be.
Interval accuracyDifference(double a, double b, double words)
{
    const double disagree = std::min(a + b, 2 - a - b);
    const double difference = a - b;
    const double half = 1.96 * std::sqrt(std::max(0.0, disagree - difference * difference) / words);
    return {difference - half, difference + half};
}

/// `text`, behind a comma where it is not the first.
void addListed(std::string &list, const std::string &text)
{
    list += (list.empty() ? "" : ", ") + text;
}

/// Counts of a table's relations, by whether heads or fixed offsets find them more often.
struct RelationCounts
{
    std::int64_t all = 0;
    std::int64_t beaten = 0; ///< offsets, by a head
    std::int64_t lost = 0;
    bool follows = false; ///< a relation of Voita et al.'s is found by ten points more
    bool allBelow = true; ///< none can be
    std::string best{};   ///< how well the relation of theirs is found that leads by most
    double lead = -1;     ///< its accuracy minus the offset's

    explicit RelationCounts(const TableFile &table)
    {
        for (std::size_t row = 0; row < table.size(); ++row)
            add(table, row);
    }

private:
    void add(const TableFile &table, std::size_t row)
    {
        const auto accuracy = table.number(row, "accuracy");
        const auto baseline = table.number(row, "baseline");
        const double words = table.number(row, "instances").value_or(0);
        if (!accuracy || !baseline || words < kEnoughWords)
            return;
        ++all;
        const Interval difference = accuracyDifference(*accuracy, *baseline, words);
        beaten += difference.low > 0;
        lost += difference.high < 0;
        const std::string relation = table.text(row, "relation");
        if (relation != "nsubj" && relation != "obj" && relation != "amod" && relation != "advmod")
            return;
        if (*accuracy - *baseline > lead) {
            lead = *accuracy - *baseline;
            best = fmt::format("{} ({}): {} with {}, best fixed offset {}", relation, table.text(row, "direction"),
                               percentText(*accuracy), table.text(row, "best_head"), percentText(*baseline));
        }
        follows = follows || *accuracy - *baseline >= kTenPoints;
        allBelow = allBelow && difference.high < kTenPoints;
    }
};

/// A report's table of relations is judged by the report; the window's only where there is none.
void TableJudge::judgeRelations()
{
    constexpr std::string_view kReported = "report/tables/relations-*.csv";
    const bool isReported = !matching(kReported).empty();
    for (const auto &[data, table] : tablesOr(kReported, "window/roles/best-head-of-every-relation-*.csv")) {
        const RelationCounts counts(table);
        if (counts.all == 0)
            continue;
        say("clark-table-1", "Single heads beat the best fixed offset, for most relations",
            verdictOf(2 * counts.beaten > counts.all, 2 * counts.lost >= counts.all),
            fmt::format(
                "The best head does for {} of {} relations and directions with {} words or more, and is beaten for "
                "{}; for the others it cannot be told.",
                counts.beaten, counts.all, kEnoughWords, counts.lost),
            "by the 95 % interval of the difference of accuracies on the same words: holds if it lies above 0 for more than "
            "half of the relations, does not hold if it lies below 0 for half or more.",
            data);
        if (!isReported && !counts.best.empty())
            say("voita-table-1", "Some heads follow nsubj, obj, amod or advmod, ten points above a fixed offset",
                verdictOf(counts.follows, counts.allBelow), "The farthest above: " + counts.best + ".",
                "holds if the best head is ten points above the best fixed offset for one of them, does not hold if the 95 % "
                "intervals of all of them lie below that.",
                data);
    }
}

/// Where the heads of a relation's dependents lie.
struct OffsetShares
{
    double near = 0; ///< of them, within kNear words
    double most = 0; ///< of them, at the offset `mode`
    double mode = 0;
};

std::map<std::string, OffsetShares> offsetsIn(const TableFile &table)
{
    std::map<std::string, OffsetShares> relations;
    for (std::size_t row = 0; row < table.size(); ++row) {
        const auto offset = table.number(row, "offset");
        const auto share = table.number(row, "share");
        if (!offset || !share || !table.text(row, "direction").starts_with("dependent")
            || table.number(row, "instances").value_or(0) < kEnoughWords)
            continue;
        OffsetShares &of = relations[table.text(row, "relation")];
        of.near += std::abs(*offset) <= kNear ? *share : 0;
        if (*share > of.most)
            of = {of.near, *share, *offset};
    }
    return relations;
}

/// Figure 3 of Voita et al.
void TableJudge::judgeOffsets()
{
    for (const auto &[data, table] :
         tablesOr("report/tables/offsets-*.csv", "window/roles/where-heads-of-words-lie-*.csv")) {
        const auto relations = offsetsIn(table);
        if (relations.empty())
            continue;
        std::set<double> modes;
        std::int64_t near = 0;
        for (const auto &[relation, of] : relations) {
            near += of.near > 0.5;
            modes.insert(of.mode);
        }
        const auto count = static_cast<std::int64_t>(relations.size());
        say("voita-figure-3", "The heads of most dependents lie near, at offsets that differ by relation",
            verdictOf(2 * near > count && modes.size() > 1),
            fmt::format("In {} of {} relations more than half of them lie within {} words; {} offsets are the most "
                        "frequent of some relation.",
                        near, count, kNear, modes.size()),
            "holds if that is so for more than half of the relations and several offsets are the most frequent of some.",
            data);
    }
}

/// Metrics of labels over one pruning curve.
void TableJudge::judgeMetrics()
{
    for (const auto &[file, table] : tables("tables/rescaled.csv")) {
        std::string numbers;
        bool together = true;
        for (const auto &[column, name] : {std::pair("f1", "F1"), std::pair("matthews", "Matthews' correlation")}) {
            std::vector<double> accuracies;
            std::vector<double> others;
            for (std::size_t row = 0; row < table.size(); ++row) {
                const auto accuracy = table.number(row, "accuracy");
                const auto other = table.number(row, column);
                if (accuracy && other) {
                    accuracies.push_back(*accuracy);
                    others.push_back(*other);
                }
            }
            if (accuracies.size() < 3)
                continue;
            const double r = pearsonCorrelation(accuracies, others).value;
            together = together && r > kTogether;
            numbers += fmt::format("{}{} r = {}", numbers.empty() ? "Over the curve's points, with accuracy: " : ", ",
                                   name, fixedText(r, 2));
        }
        if (!numbers.empty())
            say("michel-metrics", "F1 and Matthews' correlation fall where accuracy does (r > 0.9)",
                verdictOf(together), numbers + ".", "holds if r is above 0.9 for both.");
    }
}

/// Figure 6 of Voita et al., at the end of training.
void TableJudge::judgeDensities()
{
    for (const auto &[file, table] : tables("window/training/density-of-gates-*.csv")) {
        std::map<std::string, double> closed;
        for (std::size_t row = 0; row < table.size(); ++row) {
            if (const auto probability = table.number(row, "closed"))
                closed[table.text(row, "head")] = *probability;
        }
        if (closed.empty())
            continue;
        const auto decided = std::ranges::count_if(
            closed, [](const auto &gate) { return gate.second <= kDecided || gate.second >= 1 - kDecided; });
        const auto count = static_cast<std::int64_t>(closed.size());
        say("voita-figure-6", "Gates end up almost completely closed or almost completely open",
            verdictOf(2 * decided > count),
            fmt::format("{} of {} gates are 0 with a probability of at most {} or at least {}.", decided, count,
                        percentText(kDecided), percentText(1 - kDecided)),
            "holds if that is so for more than half of the gates.");
    }
}

/// Figure 7 of Voita et al.
void TableJudge::judgeHeadsLeft()
{
    for (const auto &[file, table] : tables("tables/l0*.csv")) {
        std::string numbers;
        bool holds = false;
        bool told = false;
        for (std::size_t row = 0; row < table.size(); ++row) {
            const auto open = table.number(row, "open");
            const auto gated = table.number(row, "gated");
            const auto score = table.number(row, "score");
            const auto before = table.number(row, "before_score");
            if (!open || !gated || !score || !before)
                continue;
            const bool few = 2 * *open <= *gated;
            told = told || few;
            holds = holds || (few && *score >= *before - kSmallLoss);
            addListed(numbers, fmt::format("{} of {} heads: {}", *open, *gated, fixedText(*score - *before, 2, true)));
        }
        if (!numbers.empty())
            say("voita-figure-7",
                fmt::format("Half of the heads or more can be pruned for at most {} BLEU", kSmallLoss),
                told ? verdictOf(holds) : Verdict::CannotBeTold,
                "BLEU points against the model before: " + numbers + ". Validation data; no intervals.",
                fmt::format(
                    "holds if a run with at most half of the heads open loses at most {} BLEU, does not hold if all "
                    "such runs lose more; cannot be told if no run has so few.",
                    kSmallLoss),
                fs::path(file).stem().string());
    }
}

/// Scores of models that were pruned, and of models of their shape, by what they begin with.
struct ScratchScores
{
    std::map<std::string, double> tuned{};
    std::map<std::string, double> scratch{};
    std::int64_t stillBetter = 0; ///< models from scratch of which it is not said that training reached its end

    explicit ScratchScores(const TableFile &table)
    {
        for (std::size_t row = 0; row < table.size(); ++row) {
            const std::string begin = table.text(row, "begin");
            const auto score = table.number(row, "score");
            const auto epochs = table.number(row, "epochs");
            if (!score)
                continue;
            // A model whose last epoch is its best has not been trained to its end: it would lose for that alone.
            const std::string last = epochs ? fmt::format("epoch-{:03}", static_cast<std::int64_t>(*epochs)) : "";
            stillBetter += begin.ends_with("from-scratch") && (last.empty() || table.text(row, "epoch") == last);
            for (const auto &[end, into] : {std::pair(std::string_view("fine-tuned"), &tuned),
                                            std::pair(std::string_view("from-scratch"), &scratch)}) {
                if (begin.ends_with(end))
                    (*into)[begin.substr(0, begin.size() - end.size())] = *score;
            }
        }
    }
};

/// Table 2 of Voita et al.
void TableJudge::judgeAgainstScratch()
{
    for (const auto &[file, table] : tables("tables/against-scratch.csv")) {
        const auto [tuned, scratch, stillBetter] = ScratchScores(table);
        std::string numbers;
        std::int64_t pairs = 0;
        std::int64_t better = 0;
        for (const auto &[name, score] : tuned) {
            const auto other = scratch.find(name);
            if (other == scratch.end())
                continue;
            ++pairs;
            better += score > other->second;
            addListed(numbers,
                      fmt::format("{}{} against {}", name.empty() ? "" : name.substr(0, name.size() - 1) + ": ",
                                  fixedText(score, 2), fixedText(other->second, 2)));
        }
        if (pairs > 0)
            say("voita-table-2", "Pruned models are better than models of their shape trained from scratch",
                verdictOf(better == pairs && stillBetter == 0, better == 0),
                fmt::format("Pruned against from scratch: {}.{}", numbers,
                            stillBetter == 0
                                ? ""
                                : fmt::format(" {} models from scratch were still getting better, or it is "
                                              "not said whether they were, when training ended.",
                                              stillBetter)),
                "holds if every pruned model is better and all from scratch were trained to their best epoch, does not hold "
                "if none is.");
    }
}

/// Heads at a stage of a run with gates, by kind and role.
struct TableJudge::Stage
{
    double left = 0;
    std::map<std::string, std::pair<double, double>> kinds;  ///< open, all
    std::map<std::string, std::pair<double, double>> roles;  ///< open, all
    std::map<std::string, std::pair<double, double>> layers; ///< sum of the layers of open heads, their number
};

std::map<std::pair<std::string, std::string>, TableJudge::Stage> TableJudge::stagesIn(const TableFile &table)
{
    std::map<std::pair<std::string, std::string>, Stage> stages;
    for (std::size_t row = 0; row < table.size(); ++row) {
        const auto left = table.number(row, "left");
        const auto layer = table.number(row, "layer");
        if (!left || !layer)
            continue;
        const bool isOpen = table.number(row, "open") == 1;
        Stage &stage = stages[{table.text(row, "run"), table.text(row, "stage")}];
        stage.left = *left;
        const std::string kind = table.text(row, "kind");
        stage.kinds[kind].first += isOpen;
        stage.kinds[kind].second += 1;
        stage.layers[kind].first += isOpen ? *layer : 0;
        stage.layers[kind].second += isOpen;
        if (const std::string role = table.text(row, "role"); !role.empty()) {
            stage.roles[role].first += isOpen;
            stage.roles[role].second += 1;
        }
    }
    return stages;
}

/// Figures 8 to 10 of Voita et al.: what stages of runs with gates leave open.
void TableJudge::judgeSurvivors()
{
    const auto files = tables("window/training/score-by-heads-left-*.csv");
    if (files.empty())
        return;
    const auto stages = stagesIn(files.front().second);
    double most = 0;
    for (const auto &[name, stage] : stages) {
        double all = 0;
        for (const auto &[kind, counts] : stage.kinds)
            all += counts.second;
        most = std::max(most, all);
    }
    if (most == 0)
        return;
    const auto nearest = [&](double share) {
        return std::ranges::min_element(stages, {}, [&](const auto &stage) {
            return stage.second.left > 0 ? std::abs(stage.second.left / most - share) : most;
        });
    };
    const Stage &some = nearest(kRolesLeft)->second;
    if (some.roles.size() > 1) {
        std::string gone;
        for (const auto &[role, counts] : some.roles)
            gone += counts.first > 0 ? "" : (gone.empty() ? "" : ", ") + role;
        say("voita-figure-8", "With a third of the heads left, all roles are still there",
            2 * some.left > most ? Verdict::CannotBeTold : verdictOf(gone.empty()),
            fmt::format("With {} of {} heads open: {}.", some.left, most,
                        gone.empty() ? fmt::format("all {} roles have an open head", some.roles.size())
                                     : "no head is left of " + gone),
            "at the stage with about 35 % of the heads open: holds if every role that the model has is one of theirs; cannot "
            "be told while more than half are open.");
    }
    judgeKindsLeft(nearest(0)->second, most);
}

/// `few`: the stage with the fewest open heads, of `most`.
void TableJudge::judgeKindsLeft(const Stage &few, double most)
{
    const auto shareOf = [&](const char *kind) -> std::optional<double> {
        const auto found = few.kinds.find(kind);
        return found == few.kinds.end() ? std::nullopt : std::optional(found->second.first / found->second.second);
    };
    const auto encoder = shareOf("encoder");
    const auto cross = shareOf("cross");
    const auto decoder = shareOf("decoder");
    if (!cross || !decoder)
        return;
    if (encoder)
        say("voita-figure-9", "Heads of the encoder go first, those of cross-attention last",
            few.left >= most ? Verdict::CannotBeTold
                             : verdictOf(*encoder <= std::min(*cross, *decoder) && *cross >= *decoder),
            fmt::format("With {} of {} heads open: {} of the encoder's, {} of cross-attention's, {} of the decoder's.",
                        few.left, most, percentText(*encoder), percentText(*cross), percentText(*decoder)),
            "at the stage with the fewest open heads: holds if the encoder's open share is the smallest and "
            "cross-attention's the largest.");
    const auto layerOf = [&](const char *kind) {
        const auto &[sum, count] = few.layers.at(kind);
        return sum / count;
    };
    const double self = layerOf("decoder");
    const double source = layerOf("cross");
    say("voita-figure-10", "In the decoder, self-attention is left in lower layers than cross-attention",
        few.left >= most || std::isnan(self + source) ? Verdict::CannotBeTold : verdictOf(self < source),
        std::isnan(self + source)
            ? fmt::format("With {} of {} heads open, one of the two kinds has none.", few.left, most)
            : fmt::format("With {} of {} heads open, the mean layer of open heads is {} (self) and {} (cross).",
                          few.left, most, fixedText(self, 2), fixedText(source, 2)),
        "at the stage with the fewest open heads: holds if their mean layer is lower for self-attention.");
}

/// Table 2 of Clark et al.
void TableJudge::judgeCoreference()
{
    const nlohmann::json result = json("tables/coreference.json");
    if (!result.is_object() || !result.contains("heads") || !result.contains("baselines"))
        return;
    const auto accuracyOf = [](const nlohmann::json &entry) { return entry.value("accuracy", 0.0); };
    std::optional<double> nearest;
    for (const auto &baseline : result["baselines"]) {
        if (baseline.value("name", std::string()) == "nearest")
            nearest = accuracyOf(baseline);
    }
    const auto best = std::ranges::max_element(result["heads"], {}, accuracyOf);
    if (!nearest || best == result["heads"].end())
        return;
    const double accuracy = accuracyOf(*best);
    const Interval interval{best->value("ci_low", accuracy - 1), best->value("ci_high", accuracy + 1)};
    say("clark-table-2", "One head finds more antecedents than the nearest mention is",
        verdictAbove(interval, *nearest),
        fmt::format(
            "{}: {} [{}, {}]; nearest mention: {}; {} mentions of made-up or given documents. The head was chosen "
            "on them.",
            best->value("head", std::string()), percentText(accuracy, 1), percentText(interval.low, 1),
            percentText(interval.high, 1), percentText(*nearest, 1), result.value("mentions", std::int64_t(0))),
        "holds if the 95 % interval of the best head lies above the nearest mention, does not hold if below.");
}

/// The accuracy of a probe and half of its 95 % interval.
struct ProbeAccuracy
{
    double accuracy = 0;
    double half = 0;

    std::string text() const { return fmt::format("{} ± {}", percentText(accuracy, 1), percentText(half, 1)); }
};

std::map<std::string, ProbeAccuracy> probesIn(const TableFile &table)
{
    std::map<std::string, ProbeAccuracy> probes;
    for (std::size_t row = 0; row < table.size(); ++row) {
        if (const auto value = table.number(row, "accuracy")) {
            const double low = table.number(row, "ci_low").value_or(*value - 1);
            const double high = table.number(row, "ci_high").value_or(*value + 1);
            probes[table.text(row, "probe")] = {*value, (high - low) / 2};
        }
    }
    return probes;
}

/// Table 3 of Clark et al.
void TableJudge::judgeProbe()
{
    for (const auto &[file, table] : tables("tables/probe.csv")) {
        const auto probes = probesIn(table);
        const auto attention = probes.find("attention and words");
        const auto distance = probes.find("distance and words");
        const auto random = probes.find("random attention and words");
        if (attention == probes.end() || distance == probes.end())
            continue;
        bool above = true;
        bool below = false;
        std::string numbers = "Heads of words found: attention and words " + attention->second.text();
        for (const auto &other : {distance, random}) {
            if (other == probes.end())
                continue;
            const ProbeAccuracy &of = other->second;
            const double lead = attention->second.accuracy - of.accuracy;
            const double half = std::hypot(attention->second.half, of.half);
            above = above && lead - half > 0;
            below = below || lead + half < 0;
            addListed(numbers, other->first + ' ' + of.text());
        }
        say("clark-table-3", "Attention knows more of syntax than words, distances and random weights do",
            verdictOf(above, below), numbers + ".",
            "holds if the 95 % intervals of the differences, taken as independent, lie above 0 for all that were measured, "
            "does not hold if one lies below.");
    }
}

/// A table of shared projections: the rows that claims are about.
struct TableJudge::SharingRows
{
    const TableFile &table;
    std::optional<std::size_t> original{};
    std::optional<std::size_t> wide{};   ///< the narrowest of more than two thirds of the parameters
    std::optional<std::size_t> narrow{}; ///< the widest of at most as many
    std::optional<std::size_t> third{};

    explicit SharingRows(const TableFile &read) : table(read)
    {
        const auto compressionAt = [&](std::size_t row) { return table.number(row, "compression").value_or(0); };
        for (std::size_t row = 0; row < table.size(); ++row) {
            const double compression = compressionAt(row);
            if (table.text(row, "method") != "cp" || table.number(row, "pruned").value_or(0) > 0)
                continue;
            if (table.number(row, "width").value_or(-1) == 0) {
                original = row;
                continue;
            }
            if (compression < kTwoThirds && (!wide || compression > compressionAt(*wide)))
                wide = row;
            if (compression >= kTwoThirds && (!narrow || compression < compressionAt(*narrow)))
                narrow = row;
            if (compression > 2 && (!third || compression < compressionAt(*third)))
                third = row;
        }
    }

    double number(std::size_t row, const char *column) const
    {
        return table.number(row, column).value_or(std::nan(""));
    }
    Interval lossInterval(std::size_t row) const { return {number(row, "delta_ci_low"), number(row, "delta_ci_high")}; }
    bool isTested(std::optional<std::size_t> row) const
    {
        return row && !std::isnan(lossInterval(*row).low + lossInterval(*row).high);
    }
    /// Whether a row keeps the original's score; none: it is not tested, or it cannot be told.
    std::optional<bool> keeps(std::optional<std::size_t> row) const
    {
        if (!isTested(row))
            return {};
        const Interval interval = lossInterval(*row);
        const double margin = kKept * std::abs(number(*original, "score"));
        const std::string metric = table.text(*original, "metric");
        const bool lowerIsBetter = metric == "perplexity" || metric == "loss";
        const double most = lowerIsBetter ? interval.high : -interval.low; // loss that can be
        const double least = lowerIsBetter ? interval.low : -interval.high;
        if (most <= margin)
            return true;
        return least > margin ? std::optional(false) : std::nullopt;
    }
    std::string lossText(std::size_t row) const
    {
        const Interval interval = lossInterval(row);
        return fmt::format("{} columns ({} times fewer parameters of queries and keys): {} [{}, {}]",
                           number(row, "width"), fixedText(number(row, "compression"), 2),
                           fixedText(number(row, "delta"), 3, true), fixedText(interval.low, 3, true),
                           fixedText(interval.high, 3, true));
    }
};

/// Scores and costs of sharing without training. The window's table has the same columns.
void TableJudge::judgeSharing()
{
    for (const auto &[data, table] : tablesOr("tables/collaborate.csv", "window/sharing/shared-projections-*.csv")) {
        const SharingRows rows(table);
        if (!rows.original)
            continue;
        judgeSharedScores(rows, data);
        if (rows.third)
            judgeSharedCosts(rows, data);
    }
}

void TableJudge::judgeSharedScores(const SharingRows &rows, const std::string &data)
{
    std::string numbers;
    for (const auto &row : {rows.wide, rows.narrow}) {
        if (rows.isTested(row))
            addListed(numbers, rows.lossText(*row));
    }
    if (numbers.empty())
        return;
    say("cordonnier-sharing", "Without training again, projections can shrink to two thirds",
        verdictOf(rows.keeps(rows.narrow) == true, rows.keeps(rows.wide) == false),
        fmt::format("{} with {}.", rows.table.text(*rows.original, "metric"), numbers),
        fmt::format(
            "a score is kept if the paired 95 % interval of its loss ends below {} of the full model's, and is "
            "lost if it begins above. Holds if it is kept at two thirds of the parameters or fewer, does not hold if it is "
            "lost with more.",
            percentText(kKept, 1)),
        data);
}

void TableJudge::judgeSharedCosts(const SharingRows &rows, const std::string &data)
{
    const auto shareLeft
        = [&](const char *column) { return rows.number(*rows.third, column) / rows.number(*rows.original, column); };
    const double parameters = shareLeft("score_parameters");
    const double products = shareLeft("multiply_adds");
    say("cordonnier-costs", "With a third of the columns, parameters and multiply-adds of the scores get fewer",
        std::isnan(parameters + products) ? Verdict::CannotBeTold : verdictOf(parameters < 1 && products < 1),
        fmt::format("With {} columns: {} of the parameters, {} of the multiply-adds at {} positions; the "
                    "factorization took {} s.",
                    rows.number(*rows.third, "width"), percentText(parameters), percentText(products),
                    rows.number(*rows.third, "length"), fixedText(rows.number(*rows.third, "seconds"), 1)),
        "holds if both are fewer.", data);
}

/// How many heads use a shared column, by its squared weights.
void TableJudge::judgeMixing()
{
    const nlohmann::json result = json("tables/mixing.json");
    double sum = 0;
    std::int64_t columns = 0;
    for (const auto &point : result.is_object() ? result.value("points", nlohmann::json::array()) : nlohmann::json()) {
        for (const auto &layer : point.value("layers", nlohmann::json::array())) {
            const auto mixing = layer.value("mixing", std::vector<double>());
            const std::size_t heads = layer.value("heads", nlohmann::json::array()).size();
            if (heads < 2 || mixing.empty() || mixing.size() % heads != 0)
                continue;
            const std::size_t width = mixing.size() / heads;
            for (std::size_t column = 0; column < width; ++column) {
                double squares = 0;
                double fourths = 0;
                for (std::size_t head = 0; head < heads; ++head) {
                    const double square = std::pow(mixing[head * width + column], 2);
                    squares += square;
                    fourths += square * square;
                }
                if (fourths > 0) {
                    sum += squares * squares / fourths;
                    ++columns;
                }
            }
        }
    }
    if (columns == 0)
        return;
    const double mean = sum / static_cast<double>(columns);
    say("cordonnier-mixing", "Shared columns are used by several heads", verdictOf(mean > kSeveralHeads),
        fmt::format("A column is used by {} heads, mean over {} columns (1: by one alone; by squared weights).",
                    fixedText(mean, 1), columns),
        "holds if a column is used by more than two heads on average.");
}

/// Scores before and after training with shared projections.
void TableJudge::judgeTuning()
{
    for (const auto &[file, table] : tables("tables/shared-tuning*.csv")) {
        std::optional<double> original;
        std::map<double, std::pair<double, double>> shared; // by width: before, after
        std::string metric;
        for (std::size_t row = 0; row < table.size(); ++row) {
            const auto score = table.number(row, "score");
            const auto before = table.number(row, "before_score");
            if (!score || !before)
                continue;
            metric = table.text(row, "metric");
            if (table.text(row, "form") == "original")
                original = score;
            else if (table.text(row, "form") == "collaborative")
                shared[table.number(row, "width").value_or(0)] = {*before, *score};
        }
        if (!original || shared.empty())
            continue;
        // Accuracies are shares, BLEU is in points.
        const double factor = metric == "BLEU" ? 1 : 100;
        std::string numbers;
        for (const auto &[width, scores] : shared)
            numbers += fmt::format("{}{} columns {} before, {} after", numbers.empty() ? "" : "; ", width,
                                   fixedText(factor * scores.first, 2), fixedText(factor * scores.second, 2));
        const auto kept
            = [&](const auto &entry) { return *original - entry.second.second <= kKept * std::abs(*original); };
        say("cordonnier-tuning",
            fmt::format("Trained further, models with shared projections lose at most {} of the score",
                        percentText(kKept, 1)),
            verdictOf(kept(*shared.begin()), std::ranges::none_of(shared, kept)),
            fmt::format("{}: {}; the original, trained as long, {}. Validation data, one run each.", metric, numbers,
                        fixedText(factor * *original, 2)),
            "holds if the model with the fewest columns loses at most so much, does not hold if all lose more.",
            fs::path(file).stem().string());
    }
}

/// Table 3 (A) of Vaswani et al.
void TableJudge::judgeNumbersOfHeads()
{
    for (const auto &[file, table] : tables("tables/heads.csv")) {
        std::map<double, double> scores;
        for (std::size_t row = 0; row < table.size(); ++row) {
            const auto heads = table.number(row, "heads");
            const auto score = table.number(row, "score");
            if (heads && score)
                scores[*heads] = *score;
        }
        if (scores.size() < 3)
            continue;
        const auto fewest = scores.begin();
        const auto most = std::prev(scores.end());
        const auto best = std::ranges::max_element(scores, {}, [](const auto &entry) { return entry.second; });
        std::string numbers;
        for (const auto &[heads, score] : scores)
            addListed(numbers, fmt::format("{}: {}", heads, fixedText(score, 2)));
        say("vaswani-table-3a", "One head is worse than several; too many are worse as well",
            verdictOf(best->second - std::max(fewest->second, most->second) > kOneRun, best == fewest || best == most),
            "Score by heads in each layer, of one run each: " + numbers + ".",
            fmt::format(
                "holds if a number between the fewest and the most heads is better than both by more than {}, does "
                "not hold if one of these is the best.",
                kOneRun));
    }
}

} // namespace

std::vector<PaperRun::Verdict> tableVerdicts(const fs::path &folder, const std::vector<std::string> &files)
{
    return TableJudge(folder, files).run();
}

} // namespace headscope
