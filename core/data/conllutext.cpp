#include "core/data/readers.h"

#include "core/formats/csv.h"
#include "core/formats/textlines.h"

#include <cstdlib>

namespace headscope {
namespace {

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

    /// The text as the file gives it, or the words joined.
    std::string take()
    {
        std::string text = m_text.empty() ? m_words : m_text;
        while (text.ends_with(' '))
            text.pop_back();
        *this = Sentence();
        return text;
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
        const int number = std::atoi(id.c_str());
        if (number <= m_covered)
            return;
        if (const std::size_t dash = id.find('-'); dash != std::string::npos)
            m_covered = std::atoi(id.c_str() + dash + 1);
        m_words += columns[1];
        if (columns[9].find("SpaceAfter=No") == std::string::npos)
            m_words += ' ';
    }

    std::string m_text;
    std::string m_words;
    int m_covered = 0;
};

} // namespace

Result<std::vector<Example>> readConlluText(const DataSource &source, const JobControl &control)
{
    std::vector<std::string> lines = readLines(source.conllu, control).valueOrThrow();
    lines.emplace_back();
    std::vector<Example> examples;
    Sentence sentence;
    bool isOpen = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!lines[i].empty()) {
            try {
                sentence.addLine(lines[i]);
            } catch (const Failure &failure) {
                return badInput(source.conllu + ": line " + std::to_string(i + 1) + " is " + failure.error().message);
            }
            isOpen = true;
        } else if (isOpen) {
            examples.push_back({sentence.take(), {}, {}, {}, {}, {}});
            isOpen = false;
        }
    }
    if (examples.empty())
        return badInput(source.conllu + " is empty; sentences in CoNLL-U were expected");
    return examples;
}

} // namespace headscope
