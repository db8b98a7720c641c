#include "core/data/readers.h"

#include "core/base/parsednumber.h"
#include "core/formats/csv.h"
#include "core/formats/textlines.h"
#include "core/formats/utf8.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope {
namespace {

/// A whole number of a column, or of the part of it before a dash or full stop.
int numberIn(std::string_view text, const char *what)
{
    const auto number = parsedNumber<int>(text);
    if (!number || *number < 0)
        throw Failure(badInput(fmt::format("a line whose {} is \"{}\", not a number", what, text)));
    return *number;
}

/// Gathers the lines of one sentence.
class Sentence
{
public:
    void addLine(const std::string &line)
    {
        constexpr std::string_view kText = "# text = ";
        if (line.starts_with(kText))
            m_text = line.substr(kText.size());
        else if (!line.starts_with('#'))
            addToken(parseTsv(line));
    }

    /// The text as the file gives it, or the words joined; and the words' tree, where they have heads.
    Example take()
    {
        Example example;
        example.source = m_text.empty() ? m_joined : m_text;
        while (example.source.ends_with(' '))
            example.source.pop_back();
        if (m_heads) {
            for (const TreeWord &word : m_tree) {
                if (word.head >= static_cast<int>(m_tree.size()))
                    throw Failure(badInput(fmt::format("a sentence of {} words in which \"{}\" depends on word {}",
                                                       m_tree.size(), word.form, word.head + 1)));
            }
            placeWords(example.source);
            example.tree = std::move(m_tree);
        }
        *this = Sentence();
        return example;
    }

private:
    void addToken(const std::vector<CsvRow> &rows)
    {
        if (rows.empty() || rows[0].size() != 10)
            throw Failure(badInput("a line without the ten columns of CoNLL-U"));
        const CsvRow &columns = rows[0];
        const std::string &id = columns[0];
        // "3-4 du" stands for the words 3 and 4, which are not written; "3.1" is not in the text.
        if (id.find('.') != std::string::npos)
            return;
        const std::size_t dash = id.find('-');
        const int number = numberIn(std::string_view(id).substr(0, dash), "number");
        const bool isWord = dash == std::string::npos;
        if (isWord)
            addWord(number, columns);
        if (number <= m_covered)
            return;
        if (isWord)
            m_written.push_back({columns[1], m_tree.size() - 1, m_tree.size()});
        else {
            m_covered = numberIn(std::string_view(id).substr(dash + 1), "number");
            m_written.push_back({columns[1], m_tree.size(), static_cast<std::size_t>(m_covered)});
        }
        m_joined += columns[1];
        if (columns[9].find("SpaceAfter=No") == std::string::npos)
            m_joined += ' ';
    }

    void addWord(int number, const CsvRow &columns)
    {
        if (number != static_cast<int>(m_tree.size()) + 1)
            throw Failure(badInput(fmt::format("word {} where word {} was expected", number, m_tree.size() + 1)));
        TreeWord word{.form = columns[1], .tag = columns[3], .relation = columns[7].substr(0, columns[7].find(':'))};
        if (columns[6] == "_")
            m_heads = false;
        else
            word.head = numberIn(columns[6], "head") - 1;
        m_tree.push_back(std::move(word));
    }

    /// Where the words are in the text; nowhere if they do not make it up.
    void placeWords(std::string_view text)
    {
        const auto skipBlanks = [&](std::size_t at) {
            const std::string_view rest = trimmed(text.substr(at));
            return rest.empty() ? text.size() : static_cast<std::size_t>(rest.data() - text.data());
        };
        std::size_t at = 0;
        for (const Written &written : m_written) {
            at = skipBlanks(at);
            const std::size_t begin = at;
            if (!text.substr(at).starts_with(written.form)) {
                for (TreeWord &word : m_tree)
                    word.begin = word.end = 0;
                return;
            }
            at += written.form.size();
            for (std::size_t i = written.first; i < std::min(written.end, m_tree.size()); ++i) {
                m_tree[i].begin = begin;
                m_tree[i].end = at;
            }
        }
    }

    /// A form in the text, and the words first … end − 1 that it stands for.
    struct Written
    {
        std::string form;
        std::size_t first = 0;
        std::size_t end = 0;
    };

    std::string m_text;
    std::string m_joined;
    std::vector<Written> m_written;
    SentenceTree m_tree;
    bool m_heads = true;
    int m_covered = 0;
};

} // namespace

bool moveTree(SentenceTree &tree, std::string_view from, std::string_view to)
{
    // Places of the characters that are no blanks: they are the same ones.
    const auto places = [](std::string_view text) {
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const std::string_view rest = trimmed(text.substr(i));
            if (rest.empty())
                break;
            i = static_cast<std::size_t>(rest.data() - text.data());
            places.push_back(i);
        }
        return places;
    };
    const auto old = places(from);
    const auto now = places(to);
    const bool same = std::ranges::equal(
        old, now, {}, [&](std::size_t at) { return from[at]; }, [&](std::size_t at) { return to[at]; });
    for (TreeWord &word : tree) {
        const auto first = std::ranges::lower_bound(old, word.begin) - old.begin();
        const auto end = std::ranges::lower_bound(old, word.end) - old.begin();
        const bool placed = same && end > first;
        word.begin = placed ? now[static_cast<std::size_t>(first)] : 0;
        word.end = placed ? now[static_cast<std::size_t>(end - 1)] + 1 : 0;
    }
    return same;
}

Result<std::vector<Example>> readConlluText(const DataSource &source, const JobControl &control)
{
    std::vector<std::string> lines = readLines(source.conllu, control).valueOrThrow();
    if (isCoreferenceText(lines))
        return readCoreferenceText(lines, source);
    lines.emplace_back();
    std::vector<Example> examples;
    Sentence sentence;
    bool isOpen = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        try {
            if (!trimmed(lines[i]).empty()) { // editors and spreadsheets leave blanks between sentences
                sentence.addLine(lines[i]);
                isOpen = true;
            } else if (isOpen) {
                examples.push_back(sentence.take());
                isOpen = false;
            }
        } catch (const Failure &failure) {
            return badInput(fmt::format("{}: line {} {} {}", source.conllu, trimmed(lines[i]).empty() ? i : i + 1,
                                        trimmed(lines[i]).empty() ? "ends" : "is", failure.error().message));
        }
    }
    if (examples.empty())
        return badInput(source.conllu + " is empty; sentences in CoNLL-U were expected");
    return examples;
}

} // namespace headscope
