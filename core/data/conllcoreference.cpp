#include "core/data/readers.h"

#include "core/base/parsednumber.h"
#include "core/formats/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace headscope {
namespace {

constexpr std::string_view kBegin = "#begin document";
constexpr std::string_view kEnd = "#end document";
constexpr std::size_t kUsualColumns = 12; ///< without predicates
constexpr std::size_t kLeastColumns = 3;  ///< number, word, mentions

/// The word as it was written, which the treebank has spelt otherwise.
std::string written(std::string_view word)
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kSpelt{{{"-LRB-", "("},
                                                                                           {"-RRB-", ")"},
                                                                                           {"-LSB-", "["},
                                                                                           {"-RSB-", "]"},
                                                                                           {"-LCB-", "{"},
                                                                                           {"-RCB-", "}"},
                                                                                           {"/.", "."},
                                                                                           {"/?", "?"},
                                                                                           {"/-", "-"},
                                                                                           {"``", "\""},
                                                                                           {"''", "\""}}};
    const auto found = std::ranges::find(kSpelt, word, &std::pair<std::string_view, std::string_view>::first);
    return std::string(found == kSpelt.end() ? word : found->second);
}

std::vector<std::string_view> columnsOf(std::string_view line)
{
    std::vector<std::string_view> columns;
    while (true) {
        const std::size_t begin = line.find_first_not_of(" \t");
        if (begin == std::string_view::npos)
            return columns;
        line.remove_prefix(begin);
        const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
        columns.push_back(line.substr(0, end));
        line.remove_prefix(end);
    }
}

bool isOneOf(std::string_view text, std::initializer_list<std::string_view> all)
{
    return std::ranges::find(all, text) != all.end();
}

/// The last noun, pronoun or number in front of what follows a noun phrase's core: a comma, a preposition, a relative
/// clause, a verb; the last word where there is none. Collins's rules without the tree.
int headOf(const SentenceTree &words, int first, int last)
{
    int head = -1;
    for (int i = first; i <= last; ++i) {
        const std::string_view tag = words[static_cast<std::size_t>(i)].tag;
        const bool isCore
            = tag.starts_with("NN") || tag.starts_with("PRP") || isOneOf(tag, {"CD", "EX", "DT", "FW", "JJS"});
        const bool endsCore
            = tag.starts_with("V") || isOneOf(tag, {",", ":", "-LRB-", "IN", "TO", "MD"}) || tag.starts_with("W");
        if (endsCore && head >= 0)
            break;
        // "the" and "many" are heads where nothing better follows; "its" of "its city" is none.
        const bool better
            = tag.starts_with("NN") || head < 0 || !words[static_cast<std::size_t>(head)].tag.starts_with("NN");
        if (isCore && better)
            head = i;
    }
    return head < 0 ? last : head;
}

MentionForm formOf(std::string_view tag)
{
    if (tag.starts_with("PRP") || tag.starts_with("W") || tag == "EX")
        return MentionForm::Pronoun;
    return tag.starts_with("NNP") ? MentionForm::Proper : MentionForm::Nominal;
}

/// Gathers the lines of one document.
class Document
{
public:
    /// `line`: with the blanks at its end.
    void addWord(std::string_view line)
    {
        const std::vector<std::string_view> columns = columnsOf(line);
        if (columns.size() < kLeastColumns)
            throw Failure(badInput(
                fmt::format("a line of {} columns, where CoNLL-2012 has {} or more", columns.size(), kUsualColumns)));
        // Files with less than the usual columns have the number and the word before the mentions, or the usual first
        // five columns.
        const bool hasTags = columns.size() > 5;
        const std::size_t wordColumn = hasTags ? 3 : columns.size() - 2;
        countWord(columns[wordColumn - 1], hasTags || columns.size() == kLeastColumns + 2);
        const std::string_view tag = hasTags ? columns[4] : std::string_view();
        TreeWord word{
            .form = written(columns[wordColumn]), .tag = std::string(isNoTag(tag) ? "" : tag), .relation = {}};
        if (!m_text.empty())
            m_text += ' ';
        word.begin = m_text.size();
        m_text += word.form;
        word.end = m_text.size();
        m_found.words.push_back(std::move(word));
        const bool isEmpty = line.ends_with('\t'); // LitBank leaves it out
        addMentions(isEmpty ? std::string_view() : columns.back());
    }
    void endSentence() { m_inSentence = 0; }

    /// The document up to its first `most` words (0: all); mentions that reach beyond are left out.
    Example take(std::int64_t most)
    {
        for (const auto &[entity, open] : m_open) {
            if (!open.empty())
                throw Failure(badInput(fmt::format("mention {} was begun and never ended", entity)));
        }
        Example example;
        if (most > 0 && std::ssize(m_found.words) > most) {
            m_found.words.resize(static_cast<std::size_t>(most));
            m_text.resize(m_found.words.back().end);
            std::erase_if(m_found.mentions, [most](const Mention &mention) { return mention.last >= most; });
        }
        std::ranges::sort(m_found.mentions, {}, [](const Mention &mention) {
            return std::tuple(mention.first, mention.last, mention.entity);
        });
        for (Mention &mention : m_found.mentions) {
            mention.head = headOf(m_found.words, mention.first, mention.last);
            mention.form = formOf(m_found.words[static_cast<std::size_t>(mention.head)].tag);
        }
        example.source = std::move(m_text);
        example.coreference = std::move(m_found);
        return example;
    }

private:
    /// A tag that says nothing.
    static bool isNoTag(std::string_view tag) { return isOneOf(tag, {"_", "-", "*"}); }

    /// Words are counted in their sentence, from 0 or from 1; `isNumber`: the column is surely theirs.
    void countWord(std::string_view column, bool isNumber)
    {
        const auto number = parsedNumber<int>(column);
        if (!number && !isNumber)
            return;
        const int found = numberOf(column);
        if (m_inSentence == 0)
            m_first = found == 1 ? 1 : 0;
        if (found != m_inSentence + m_first)
            throw Failure(badInput(
                fmt::format("word {} of its sentence, where word {} was expected", column, m_inSentence + m_first)));
        ++m_inSentence;
    }

    static int numberOf(std::string_view text)
    {
        const auto number = parsedNumber<int>(text);
        if (!number || *number < 0)
            throw Failure(badInput(fmt::format("\"{}\" where a number was expected", text)));
        return *number;
    }

    /// "(12|(3)", "12)", "-": what begins and ends at the word that was added last.
    void addMentions(std::string_view column)
    {
        if (isOneOf(column, {"", "-", "_", "*"}))
            return;
        const int word = static_cast<int>(std::ssize(m_found.words)) - 1;
        while (!column.empty()) {
            const std::size_t bar = std::min(column.find('|'), column.size());
            std::string_view part = column.substr(0, bar);
            column.remove_prefix(std::min(bar + 1, column.size()));
            const bool begins = part.starts_with('(');
            const bool ends = part.ends_with(')');
            part.remove_prefix(begins ? 1 : 0);
            part.remove_suffix(ends && !part.empty() ? 1 : 0);
            if (!begins && !ends)
                throw Failure(
                    badInput(fmt::format("\"{}\" in the last column, where (N, N), (N) or - was expected", part)));
            const int entity = numberOf(part);
            std::vector<int> &open = m_open[entity];
            if (begins)
                open.push_back(word);
            if (!ends)
                continue;
            if (open.empty())
                throw Failure(badInput(fmt::format("mention {} ends, which had not begun", entity)));
            m_found.mentions.push_back({open.back(), word, word, entity, MentionForm::Nominal});
            open.pop_back();
        }
    }

    std::string m_text;
    Coreference m_found;
    std::map<int, std::vector<int>> m_open; ///< of every entity, where mentions that have not ended begin
    int m_inSentence = 0;
    int m_first = 0; ///< number of a sentence's first word
};

} // namespace

bool isCoreferenceText(const std::vector<std::string> &lines)
{
    for (const std::string &line : lines) {
        if (line.starts_with(kBegin))
            return true;
        if (!trimmed(line).empty() && !line.starts_with('#')) // comments may stand before
            return false;
    }
    return false;
}

std::vector<Example> readCoreferenceText(const std::vector<std::string> &lines, const DataSource &source)
{
    std::vector<Example> examples;
    std::optional<Document> document;
    const auto wrong = [&](std::size_t line, const std::string &what) {
        return Failure(badInput(fmt::format("{}: line {}: {}", source.conllu, line + 1, what)));
    };
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string_view line = trimmed(lines[i]);
        try {
            if (line.starts_with(kBegin)) {
                if (document) // without "#end document"
                    examples.push_back(document->take(source.documentWords));
                document.emplace();
            } else if (line.starts_with(kEnd)) {
                if (!document)
                    throw Failure(badInput("a document ends that had not begun"));
                examples.push_back(document->take(source.documentWords));
                document.reset();
            } else if (line.starts_with('#')) {
                continue;
            } else if (line.empty()) {
                if (document)
                    document->endSentence();
            } else if (!document) {
                throw Failure(badInput("a word outside of a document"));
            } else {
                document->addWord(lines[i]);
            }
        } catch (const Failure &failure) {
            throw wrong(i, failure.error().message);
        }
    }
    try {
        if (document)
            examples.push_back(document->take(source.documentWords));
    } catch (const Failure &failure) {
        throw wrong(lines.size() - 1, failure.error().message);
    }
    std::erase_if(examples, [](const Example &example) { return example.coreference.empty(); });
    if (examples.empty())
        throw Failure(badInput(source.conllu + " has no document with words"));
    return examples;
}

} // namespace headscope
