#include "core/data/columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <span>
#include <utility>

namespace headscope {
namespace {

// Names that common data sets give their columns, best first.
constexpr std::pair<const char *, const char *> kPairs[]
    = {{"text", "text_pair"},      {"sentence1", "sentence2"}, {"premise", "hypothesis"},
       {"question1", "question2"}, {"question", "sentence"}, // QNLI
       {"#1 String", "#2 String"}};                          // MRPC
// BLiMP (Warstadt et al. 2020) and what follows its form.
constexpr std::pair<const char *, const char *> kMinimalPairs[] = {{"sentence_good", "sentence_bad"}};
// Prompts and what they were changed to, as patching wants them; the answer is what a label is to other tables.
constexpr std::pair<const char *, const char *> kPatchingPairs[] = {{"clean", "corrupt"}, {"clean", "corrupted"}};
constexpr std::initializer_list<const char *> kAnswers = {"answer", "correct"};
constexpr std::initializer_list<const char *> kWrongAnswers = {"wrong_answer", "incorrect"};
// Ids of tokens, in the tables of EAP-IG (Hanna et al. 2024).
constexpr const char *kAnswerIds = "correct_idx";
constexpr const char *kWrongAnswerIds = "incorrect_idx";
constexpr std::initializer_list<const char *> kParadigms = {"UID", "paradigm"};
constexpr std::initializer_list<const char *> kTexts
    = {"text", "sentence", "source", "src", "sentence1", "premise", "question"};
// "gold_label" stands beside "label1" … "label5" in MNLI, "Quality" in MRPC, "is_duplicate" in QQP, "score" in STS-B.
constexpr std::initializer_list<const char *> kLabels
    = {"label", "reference", "target", "tgt", "gold_label", "labels", "Quality", "is_duplicate", "sentiment", "score"};

bool isSameName(const std::string &a, const std::string &b)
{
    return a.size() == b.size() && lowerName(a) == lowerName(b);
}

class Chooser
{
public:
    Chooser(const DataSource &source, const std::vector<std::string> &names, const std::string &place)
        : m_names(names), m_place(place), m_header(source.header)
    {
    }

    std::string named(const std::string &wanted) const
    {
        if (std::find(m_names.begin(), m_names.end(), wanted) != m_names.end())
            return wanted;
        const bool isNumber
            = m_header && std::all_of(wanted.begin(), wanted.end(), [](char c) { return c >= '0' && c <= '9'; });
        throw Failure(badInput(fmt::format("{} has no column \"{}\"; it has: {}{}", m_place, wanted, listed(m_names),
                                           isNumber ? ". Columns are called by numbers only with --no-header." : "")));
    }

    /// As the table spells it, empty when it has none.
    std::string columnNamed(const std::string &name) const
    {
        if (std::find(m_names.begin(), m_names.end(), name) != m_names.end())
            return name;
        const auto found = std::find_if(m_names.begin(), m_names.end(),
                                        [&](const std::string &other) { return isSameName(name, other); });
        return found == m_names.end() ? std::string() : *found;
    }

    std::string firstColumnNamed(std::initializer_list<const char *> names) const
    {
        for (const char *name : names)
            if (std::string found = columnNamed(name); !found.empty())
                return found;
        return {};
    }

    std::string text() const
    {
        for (const auto &[first, second] : kPairs)
            if (std::string found = columnNamed(first); !found.empty() && !columnNamed(second).empty())
                return found;
        if (std::string found = firstColumnNamed(kTexts); !found.empty())
            return found;
        const std::string clean = columnNamed(kPatchingPairs[0].first);
        return corruptOf(clean).empty() ? std::string() : clean;
    }

    std::string partnerOf(const std::string &text) const { return partnerOf(text, kPairs); }

    /// The better sentence of minimal pairs, where both have their usual names.
    std::string better() const
    {
        for (const auto &[good, bad] : kMinimalPairs)
            if (std::string found = columnNamed(good); !found.empty() && !columnNamed(bad).empty())
                return found;
        return {};
    }

    std::string worseThan(const std::string &text) const { return partnerOf(text, kMinimalPairs); }

    std::string corruptOf(const std::string &text) const { return partnerOf(text, kPatchingPairs); }

private:
    std::string partnerOf(const std::string &text, std::span<const std::pair<const char *, const char *>> pairs) const
    {
        for (const auto &[first, second] : pairs)
            if (isSameName(text, first))
                if (std::string found = columnNamed(second); !found.empty())
                    return found;
        return {};
    }

    const std::vector<std::string> &m_names;
    const std::string &m_place;
    bool m_header;
};

} // namespace

std::string lowerName(std::string_view name)
{
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return lower;
}

std::string listed(const std::vector<std::string> &names)
{
    constexpr std::size_t kLongest = 40;
    constexpr std::size_t kMost = 50;
    std::vector<std::string> shown;
    for (const std::string &name : names) {
        if (shown.size() == kMost) {
            shown.push_back(fmt::format("… ({} in all)", names.size()));
            break;
        }
        std::size_t end = std::min(kLongest, name.size());
        while (end < name.size() && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80)
            ++end; // not inside a character
        shown.push_back(name.substr(0, end) + (end < name.size() ? "…" : ""));
    }
    return fmt::format("{}", fmt::join(shown, ", "));
}

namespace {

bool isNamed(const std::string &column)
{
    return !column.empty() && column != kNoColumn;
}

/// Minimal pairs have no labels and no second texts: which sentence is right is all that is asked.
void chooseParadigm(const DataSource &source, const Chooser &chooser, TableColumns &columns)
{
    if (isNamed(source.labelColumn) || isNamed(source.pairColumn))
        throw Failure(usageError("--label-column and --pair-column cannot be combined with minimal pairs "
                                 "(--worse-column)."));
    if (source.paradigmColumn.empty())
        columns.paradigm = chooser.firstColumnNamed(kParadigms);
    else if (source.paradigmColumn != kNoColumn)
        columns.paradigm = chooser.named(source.paradigmColumn);
}

} // namespace

TableColumns chooseColumns(const DataSource &source, const std::vector<std::string> &names, const std::string &place)
{
    const Chooser chooser(source, names, place);
    TableColumns columns;
    if (!source.textColumn.empty())
        columns.text = chooser.named(source.textColumn);
    else if (source.worseColumn.empty())
        columns.text = chooser.better();
    if (columns.text.empty())
        columns.text = chooser.text();
    if (source.worseColumn.empty())
        columns.worse = chooser.worseThan(columns.text);
    else if (source.worseColumn != kNoColumn)
        columns.worse = chooser.named(source.worseColumn);
    if (!columns.worse.empty()) {
        chooseParadigm(source, chooser, columns);
        return columns;
    }
    if (isNamed(source.paradigmColumn))
        throw Failure(badInput(place
                               + ": --paradigm-column is for minimal pairs; give their worse sentences too, by "
                                 "--worse-column"));
    columns.corrupt = chooser.corruptOf(columns.text);
    if (!columns.corrupt.empty())
        columns.wrongAnswer = chooser.firstColumnNamed(kWrongAnswers);
    if (!columns.corrupt.empty() && columns.wrongAnswer.empty() && source.labelColumn.empty()
        && !chooser.columnNamed(kAnswerIds).empty() && !chooser.columnNamed(kWrongAnswerIds).empty()) {
        columns.label = chooser.columnNamed(kAnswerIds);
        columns.wrongAnswer = chooser.columnNamed(kWrongAnswerIds);
        columns.answersAreIds = true;
        return columns;
    }
    if (source.labelColumn.empty())
        columns.label = chooser.firstColumnNamed(columns.corrupt.empty() ? kLabels : kAnswers);
    else if (source.labelColumn != kNoColumn)
        columns.label = chooser.named(source.labelColumn);
    if (source.pairColumn.empty())
        columns.pair = chooser.partnerOf(columns.text);
    else if (source.pairColumn != kNoColumn)
        columns.pair = chooser.named(source.pairColumn);
    // A column that the user wants as one thing is not taken for another as well.
    if (source.pairColumn.empty() && columns.pair == columns.label)
        columns.pair.clear();
    return columns;
}

} // namespace headscope
