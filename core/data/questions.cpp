#include "core/data/questions.h"

#include "core/base/parsednumber.h"
#include "core/base/replaceall.h"
#include "core/data/columns.h"
#include "core/data/readers.h"
#include "core/formats/utf8.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utf8proc.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace headscope {
namespace {

using nlohmann::json;
using ColumnNames = std::vector<std::string>;

constexpr std::initializer_list<const char *> kContextColumns = {"context", "question", "prompt", "query"};
constexpr std::initializer_list<const char *> kAnswerColumns = {"answer", "answerKey", "label", "gold"};
constexpr std::initializer_list<const char *> kSubjectColumns = {"subject", "category"};
constexpr std::initializer_list<const char *> kClozeColumns = {"text", "sentence", "passage"};
constexpr std::initializer_list<const char *> kPromptColumns = {"prompt", "question", "query", "context"};
constexpr std::initializer_list<const char *> kAcceptedColumns = {"answers", "answer", "completion"};
constexpr const char *kChoicesColumn = "choices";
constexpr const char *kNumberedChoice = "choice_";

bool hasColumn(const ColumnNames &names, std::string_view name)
{
    return std::ranges::find(names, name) != names.end();
}

std::string firstColumn(const ColumnNames &names, std::initializer_list<const char *> wanted)
{
    const auto *found = std::ranges::find_if(wanted, [&](const char *name) { return hasColumn(names, name); });
    return found == wanted.end() ? std::string() : *found;
}

std::string numberedChoice(std::size_t number)
{
    return kNumberedChoice + std::to_string(number);
}

bool hasChoices(const ColumnNames &names)
{
    return hasColumn(names, kChoicesColumn)
        || (hasColumn(names, numberedChoice(1)) && hasColumn(names, numberedChoice(2)));
}

/// Prompts and texts that should follow them. Where there are labels, the texts are to be classified.
bool hasAcceptedAnswers(const DataSource &source, const ColumnNames &names)
{
    const bool isPatching = hasColumn(names, "clean") || hasColumn(names, "corrupt") || hasColumn(names, "incorrect");
    return source.textColumn.empty() && !isPatching && !hasColumn(names, "label") && !hasChoices(names)
        && !firstColumn(names, kAcceptedColumns).empty();
}

/// Python's capitalize(): the first character in title case, all others small.
std::string capitalized(std::string_view text)
{
    std::string out;
    auto left = static_cast<utf8proc_ssize_t>(text.size());
    const auto *at = reinterpret_cast<const utf8proc_uint8_t *>(text.data());
    while (left > 0) {
        utf8proc_int32_t code = 0;
        const utf8proc_ssize_t length = utf8proc_iterate(at, left, &code);
        if (length <= 0)
            return std::string(text);
        utf8proc_uint8_t bytes[4];
        const auto written = utf8proc_encode_char(out.empty() ? utf8proc_totitle(code) : utf8proc_tolower(code), bytes);
        out.append(reinterpret_cast<const char *>(bytes), static_cast<std::size_t>(written));
        at += length;
        left -= length;
    }
    return out;
}

/// Cleans a text of HellaSwag's: marks of WikiHow's titles and other words in brackets go.
std::string withoutBrackets(std::string_view raw)
{
    std::string text(trimmed(raw));
    replaceAll(text, " [title]", ". ");
    for (std::size_t open = text.find('['); open != std::string::npos; open = text.find('[', open)) {
        const std::size_t close = text.find(']', open);
        const std::size_t line = text.find('\n', open);
        if (close == std::string::npos)
            break;
        if (line < close) // nothing that goes over lines
            ++open;
        else
            text.erase(open, close - open + 1);
    }
    std::string single;
    for (std::size_t i = 0; i < text.size(); ++i) {
        single += text[i];
        if (text[i] == ' ' && i + 1 < text.size() && text[i + 1] == ' ')
            ++i; // of pairs of blanks, as they come, one is left
    }
    return single;
}

/// Reads the parts of one row.
class QuestionRow
{
public:
    QuestionRow(const json &row, const std::string &place) : m_row(row), m_place(place) { }

    [[noreturn]] void refuse(const std::string &what) const { failOnInput(m_place + ": " + what); }

    const json &part(const std::string &name) const
    {
        const auto found = m_row.find(name);
        if (name.empty() || found == m_row.end() || found->is_null())
            refuse(fmt::format("the question has no \"{}\"", name.empty() ? "context" : name));
        return *found;
    }

    std::string text(const std::string &name) const { return textOf(part(name), name); }

    std::string textOf(const json &value, const std::string &name) const
    {
        if (value.is_structured())
            refuse(fmt::format("\"{}\" is a list or an object where a text was expected", name));
        return value.is_string() ? value.get<std::string>() : value.dump();
    }

    ColumnNames texts(const json &list, const std::string &name) const
    {
        if (!list.is_array())
            refuse(fmt::format("\"{}\" is no list of texts", name));
        ColumnNames found;
        for (const json &item : list)
            found.push_back(textOf(item, name));
        return found;
    }

    /// Choices of a list, of a list that is written in a table's field, or of numbered columns.
    ColumnNames choices() const
    {
        if (const auto list = m_row.find(kChoicesColumn); list != m_row.end() && !list->is_null()) {
            if (!list->is_string())
                return texts(list->is_object() ? list->value("text", json()) : *list, kChoicesColumn);
            const json read = json::parse(list->get<std::string>(), nullptr, false);
            return texts(read, kChoicesColumn);
        }
        ColumnNames found;
        for (std::size_t number = 1; m_row.contains(numberedChoice(number)); ++number) {
            const json &choice = m_row[numberedChoice(number)];
            if (!choice.is_null() && choice != "") // rows can have fewer than others
                found.push_back(textOf(choice, numberedChoice(number)));
        }
        return found;
    }

    /// Texts that should follow a prompt: one, a list, a list in a table's field, or SQuAD's {"text": [...]} and
    /// TriviaQA's {"aliases": [...]}. `withoutAny`: stands for none.
    ColumnNames accepted(const std::string &name, const char *withoutAny = nullptr) const
    {
        json said = part(name);
        if (said.is_string() && said.get<std::string>().starts_with('[')) {
            if (json read = json::parse(said.get<std::string>(), nullptr, false); read.is_array())
                said = std::move(read);
        }
        for (const char *key : {"text", "aliases", "value"}) {
            if (said.is_object() && said.contains(key))
                said = json(said[key]);
        }
        ColumnNames found;
        for (const std::string &one : said.is_array() ? texts(said, name) : ColumnNames{textOf(said, name)}) {
            if (trimmed(one).empty())
                refuse(fmt::format("an answer in \"{}\" is empty", name));
            if (std::ranges::find(found, one) == found.end())
                found.push_back(one);
        }
        if (found.empty() && !withoutAny)
            refuse(fmt::format("\"{}\" has no answer", name));
        return found.empty() ? ColumnNames{withoutAny} : found;
    }

    /// The place of the right choice. `labels`: what the choices are called, where the table says so.
    std::int64_t answer(const json &said, const ColumnNames &choices, const ColumnNames &labels) const
    {
        const std::string text = textOf(said, "answer");
        const auto placeIn = [&](const ColumnNames &names) -> std::optional<std::int64_t> {
            const auto found = std::ranges::find(names, text);
            return found == names.end() ? std::nullopt : std::optional<std::int64_t>(found - names.begin());
        };
        std::optional<std::int64_t> place = labels.empty() ? std::nullopt : placeIn(labels);
        if (!place && said.is_string())
            place = placeIn(choices);
        if (!place && text.size() == 1 && text[0] >= 'A' && text[0] <= 'Z')
            place = text[0] - 'A';
        if (!place)
            place = parsedNumber<std::int64_t>(text);
        if (!place || *place < 0 || *place >= std::ssize(choices))
            refuse(fmt::format(
                "the answer \"{}\" is none of the {} choices: their texts, letters from A or numbers from 0", text,
                choices.size()));
        return *place;
    }

private:
    const json &m_row;
    const std::string &m_place;
};

/// "{question}" becomes the row's question, "\n" a new line.
std::string filled(const std::string &prompt, const QuestionRow &row)
{
    std::string text;
    for (std::size_t at = 0; at < prompt.size();) {
        const std::size_t close = prompt[at] == '{' ? prompt.find('}', at) : std::string::npos;
        if (close != std::string::npos) {
            text += row.text(prompt.substr(at + 1, close - at - 1));
            at = close + 1;
        } else if (prompt.compare(at, 2, "\\n") == 0) {
            text += '\n';
            at += 2;
        } else {
            text += prompt[at++];
        }
    }
    return text;
}

void readArc(const QuestionRow &row, Example &question)
{
    const json &choices = row.part(kChoicesColumn);
    if (!choices.is_object() || !choices.contains("text") || !choices.contains("label"))
        row.refuse("\"choices\" has no lists \"text\" and \"label\"");
    question.source = "Question: " + row.text("question") + "\nAnswer:";
    question.choices = row.texts(choices["text"], "text");
    question.answer = row.answer(row.part("answerKey"), question.choices, row.texts(choices["label"], "label"));
}

void readHellaSwag(const QuestionRow &row, Example &question)
{
    question.source
        = withoutBrackets(row.text("activity_label") + ": " + row.text("ctx_a") + ' ' + capitalized(row.text("ctx_b")));
    for (const std::string &ending : row.texts(row.part("endings"), "endings"))
        question.choices.push_back(withoutBrackets(ending));
    const std::optional<std::int64_t> answer = parsedNumber<std::int64_t>(row.text("label"));
    if (!answer || *answer < 0 || *answer >= std::ssize(question.choices))
        row.refuse("\"label\" is not the number of one of the endings");
    question.answer = *answer;
}

void readMmlu(const QuestionRow &row, Example &question)
{
    const ColumnNames choices = row.choices();
    question.source = trimmed(row.text("question"));
    for (std::size_t i = 0; i < choices.size(); ++i) {
        question.choices.emplace_back(1, static_cast<char>('A' + i));
        question.source += fmt::format("\n{}. {}", question.choices.back(), choices[i]);
    }
    question.source += "\nAnswer:";
    question.answer = row.answer(row.part("answer"), choices, {});
}

void readBoolQ(const QuestionRow &row, const TableColumns &columns, Example &question)
{
    question.source = row.text("passage") + "\nQuestion: " + row.text("question") + "?\nAnswer:";
    question.choices = {"no", "yes"};
    const std::string answer = lowerName(row.text(columns.label));
    if (answer != "0" && answer != "1" && answer != "false" && answer != "true" && answer != "no" && answer != "yes")
        row.refuse(fmt::format("the answer \"{}\" is neither yes nor no", answer));
    question.answer = answer == "1" || answer == "true" || answer == "yes";
}

void readCloze(const QuestionRow &row, const TableColumns &columns, Example &question)
{
    const std::string text = row.text(columns.text);
    const std::size_t blank = text.rfind(' ');
    if (blank == std::string::npos || blank + 1 == text.size())
        row.refuse("the text has no last word after a blank");
    question.source = text.substr(0, blank);
    question.choices = {text.substr(blank + 1)};
    question.answer = 0;
}

void readOwn(const QuestionRow &row, const TableColumns &columns, const DataSource &source, Example &question)
{
    question.source = source.prompt.empty() ? row.text(columns.text) : filled(source.prompt, row);
    question.choices = row.choices();
    question.answer = row.answer(row.part(columns.label), question.choices, {});
}

/// As lm-evaluation-harness asks SQuAD 2.
std::string squadPrompt(const QuestionRow &row, bool hasTitle)
{
    return (hasTitle ? "Title: " + row.text("title") + "\n\n" : std::string()) + "Background: " + row.text("context")
         + "\n\nQuestion: " + row.text("question") + "\n\nAnswer:";
}

/// `withoutAny`: what should follow a prompt that has no answer.
void readPrompt(const QuestionRow &row, const TableColumns &columns, const std::string &prompt, Example &question,
                const char *withoutAny = nullptr)
{
    question.source = prompt;
    if (trimmed(prompt).empty())
        row.refuse("the prompt is empty");
    question.accepted = row.accepted(columns.label, withoutAny);
    question.reference = question.accepted.front();
}

void checkQuestion(const QuestionRow &row, QuestionLayout layout, const Example &question)
{
    if (question.choices.size() < 2 && layout != QuestionLayout::Cloze)
        row.refuse(fmt::format("a question needs two choices or more, and has {}", question.choices.size()));
    if (question.choices.size() > 26 && layout == QuestionLayout::Mmlu)
        row.refuse("more choices than letters");
    for (std::size_t i = 0; i < question.choices.size(); ++i) {
        if (trimmed(question.choices[i]).empty())
            row.refuse(fmt::format("choice {} is empty", i));
        if (std::ranges::count(question.choices, question.choices[i]) > 1)
            row.refuse(fmt::format("two choices are \"{}\"", question.choices[i]));
    }
}

} // namespace

QuestionLayout questionLayout(const DataSource &source, const std::vector<std::string> &names)
{
    if (source.cloze)
        return QuestionLayout::Cloze;
    if (!source.worseColumn.empty())
        return QuestionLayout::None;
    const bool hasOwn = hasChoices(names) && !firstColumn(names, kAnswerColumns).empty();
    const bool isAnswered = hasAcceptedAnswers(source, names);
    if (!source.prompt.empty())
        return hasOwn ? QuestionLayout::Own : isAnswered ? QuestionLayout::Prompts : QuestionLayout::None;
    if (hasColumn(names, "ctx_a") && hasColumn(names, "ctx_b") && hasColumn(names, "endings")
        && hasColumn(names, "label"))
        return QuestionLayout::HellaSwag;
    if (hasColumn(names, "question") && hasColumn(names, kChoicesColumn) && hasColumn(names, "answerKey"))
        return QuestionLayout::Arc;
    if (hasColumn(names, "question") && hasColumn(names, kChoicesColumn) && hasColumn(names, "answer")
        && hasColumn(names, "subject"))
        return QuestionLayout::Mmlu;
    if (hasColumn(names, "passage") && hasColumn(names, "question")
        && (hasColumn(names, "label") || hasColumn(names, "answer")))
        return QuestionLayout::BoolQ;
    if (hasOwn && !firstColumn(names, kContextColumns).empty())
        return QuestionLayout::Own;
    if (isAnswered && hasColumn(names, "context") && hasColumn(names, "question") && hasColumn(names, "answers"))
        return QuestionLayout::Squad;
    return isAnswered && !firstColumn(names, kPromptColumns).empty() ? QuestionLayout::Prompts : QuestionLayout::None;
}

TableColumns questionColumns(QuestionLayout layout, const DataSource &source, const std::vector<std::string> &names,
                             const std::string &place)
{
    const auto chosen = [&](const std::string &named, std::initializer_list<const char *> usual) {
        if (named == kNoColumn)
            return std::string();
        if (!named.empty() && !hasColumn(names, named))
            throw Failure(badInput(fmt::format("{} has no column \"{}\"; it has: {}", place, named, listed(names))));
        return named.empty() ? firstColumn(names, usual) : named;
    };
    TableColumns columns;
    columns.questions = true;
    columns.label = layout == QuestionLayout::Cloze ? std::string() : chosen(source.labelColumn, kAnswerColumns);
    columns.paradigm = chosen(source.paradigmColumn, kSubjectColumns);
    switch (layout) {
    case QuestionLayout::HellaSwag:
        columns.text = "ctx_a";
        break;
    case QuestionLayout::BoolQ:
        columns.text = "passage";
        break;
    case QuestionLayout::Cloze:
        columns.text = chosen(source.textColumn, kClozeColumns);
        break;
    case QuestionLayout::Squad:
    case QuestionLayout::Prompts:
        columns.label = chosen(source.labelColumn, kAcceptedColumns);
        columns.text = layout == QuestionLayout::Squad ? "question" : firstColumn(names, kPromptColumns);
        if (columns.text.empty())
            columns.text = columns.label; // the template reads what it names
        break;
    default:
        columns.text = chosen(source.textColumn, kContextColumns);
        if (columns.text.empty() && !source.prompt.empty())
            columns.text = columns.label; // the template reads what it names
    }
    return columns;
}

Example questionOf(const nlohmann::json &values, QuestionLayout layout, const TableColumns &columns,
                   const DataSource &source, const std::string &place)
{
    const QuestionRow row(values, place);
    Example question;
    if (!columns.paradigm.empty() && values.contains(columns.paradigm))
        question.paradigm = row.text(columns.paradigm);
    switch (layout) {
    case QuestionLayout::Arc:
        readArc(row, question);
        break;
    case QuestionLayout::HellaSwag:
        readHellaSwag(row, question);
        break;
    case QuestionLayout::Mmlu:
        readMmlu(row, question);
        break;
    case QuestionLayout::BoolQ:
        readBoolQ(row, columns, question);
        break;
    case QuestionLayout::Cloze:
        readCloze(row, columns, question);
        break;
    case QuestionLayout::Squad:
        readPrompt(row, columns, squadPrompt(row, values.contains("title")), question, "unanswerable");
        return question;
    case QuestionLayout::Prompts:
        readPrompt(row, columns, source.prompt.empty() ? row.text(columns.text) : filled(source.prompt, row), question);
        return question;
    default:
        readOwn(row, columns, source, question);
    }
    checkQuestion(row, layout, question);
    question.reference = question.choices[static_cast<std::size_t>(question.answer)];
    return question;
}

std::string shotsText(const std::vector<Example> &shots)
{
    std::string text;
    for (const Example &shot : shots)
        text += shot.source + ' ' + shot.reference + "\n\n";
    return text;
}

} // namespace headscope
