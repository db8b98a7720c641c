#include "core/data/columns.h"
#include "core/data/questions.h"
#include "core/data/readers.h"

#include "core/formats/jsonfile.h"
#include "core/formats/textlines.h"
#include "core/formats/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

namespace headscope {
namespace {

using nlohmann::json;

/// A whole number, also where it is written as 1.0 (lists of 0.0 and 1.0 are common for several labels).
std::optional<std::int64_t> wholeNumber(const json &value)
{
    constexpr double kExact = 9007199254740992; // 2^53
    if (value.is_number_integer())
        return value.get<std::int64_t>();
    if (value.is_number_float())
        if (const double number = value.get<double>(); std::floor(number) == number && std::abs(number) <= kExact)
            return static_cast<std::int64_t>(number);
    return std::nullopt;
}

class JsonLine
{
public:
    JsonLine(const std::string &line, std::string place) : m_place(std::move(place))
    {
        m_json = parseJson(line, m_place).valueOrThrow();
        if (!m_json.is_object())
            failOnInput(m_place + " is not a JSON object");
        takeCounterfactual();
    }

    std::vector<std::string> names() const
    {
        std::vector<std::string> names;
        for (const auto &item : m_json.items())
            names.push_back(item.key());
        return names;
    }

    /// Null when there is none.
    const json *find(const std::string &name) const
    {
        const auto found = m_json.find(name);
        return name.empty() || found == m_json.end() ? nullptr : &*found;
    }

    /// Numbers and truth values in the spelling of JSON.
    std::string text(const json *value) const
    {
        if (!value || value->is_null())
            return {};
        if (value->is_structured())
            failOnInput(m_place + ": a text or number was expected instead of a list or object");
        return value->is_string() ? value->get<std::string>() : value->dump();
    }

    /// A list of whole numbers, or one; empty when absent.
    std::vector<std::int64_t> integers(const char *name) const
    {
        const json *found = find(name);
        if (!found || found->is_null())
            return {};
        std::vector<std::int64_t> values;
        const auto add = [&](const json &value) {
            if (!value.is_number_integer())
                failOnInput(fmt::format("{}: \"{}\" must hold whole numbers", m_place, name));
            values.push_back(value.get<std::int64_t>());
        };
        if (found->is_array())
            std::for_each(found->begin(), found->end(), add);
        else
            add(*found);
        return values;
    }

    /// Lists of whole numbers become labels, other lists and single labels the reference. "labels" always gives
    /// labels where it holds whole numbers: these are ids as a model takes them.
    void takeLabels(const std::string &column, Example &example) const
    {
        if (const auto ids = numbers(find("labels")))
            example.labels = *ids;
        const json *label = find(column);
        if (!label || (column == "labels" && numbers(label)))
            return;
        if (!label->is_array())
            example.reference = text(label);
        else if (const auto ids = numbers(label))
            example.labels = *ids;
        else
            for (const json &item : *label)
                example.reference += (example.reference.empty() ? "" : ",") + text(&item);
    }

    const std::string &place() const { return m_place; }
    const json &values() const { return m_json; }

private:
    /// Lines of the MIB benchmark (Mueller et al. 2025): a prompt, its choices and which of them answers it, and the
    /// same of a counterfactual. They become the columns of pairs for patching, whose wrong answer is the
    /// counterfactual's.
    void takeCounterfactual()
    {
        constexpr std::string_view kEnd = "_counterfactual";
        const json *other = nullptr;
        std::string names;
        for (const auto &[name, value] : m_json.items()) {
            if (!name.ends_with(kEnd) || !value.is_object())
                continue;
            other = &value;
            names += (names.empty() ? "" : ", ") + name;
        }
        if (!other || !m_json.contains("prompt") || !m_json.contains("choices"))
            return;
        if (names.find(',') != std::string::npos)
            failOnInput(
                fmt::format("{} has several counterfactuals ({}); leave one of them in each line", m_place, names));
        const json pair{{"clean", promptOf(m_json)},
                        {"corrupt", promptOf(*other)},
                        {"answer", answerOf(m_json)},
                        {"wrong_answer", answerOf(*other)}};
        m_json = pair;
    }

    std::string promptOf(const json &asked) const
    {
        const auto prompt = asked.find("prompt");
        if (prompt == asked.end() || !prompt->is_string())
            failOnInput(m_place + " has a counterfactual without a \"prompt\"");
        return prompt->get<std::string>();
    }

    std::string answerOf(const json &asked) const
    {
        const auto choices = asked.find("choices");
        const auto key = asked.find("answerKey");
        const std::int64_t number = key == asked.end() ? -1 : wholeNumber(*key).value_or(-1);
        const bool isThere = choices != asked.end() && choices->is_array() && number >= 0
                          && number < std::ssize(*choices) && (*choices)[static_cast<std::size_t>(number)].is_string();
        if (!isThere)
            failOnInput(m_place + ": \"answerKey\" is not the number of one of the \"choices\", from 0");
        return (*choices)[static_cast<std::size_t>(number)].get<std::string>();
    }

    /// Nothing unless all are whole numbers.
    static std::optional<std::vector<std::int64_t>> numbers(const json *value)
    {
        if (!value || value->is_null())
            return std::nullopt;
        std::vector<std::int64_t> numbers;
        const auto add = [&numbers](const json &item) {
            const auto number = wholeNumber(item);
            numbers.push_back(number.value_or(0));
            return number.has_value();
        };
        const bool isAll = value->is_array() ? std::all_of(value->begin(), value->end(), add) : add(*value);
        return isAll ? std::optional(std::move(numbers)) : std::nullopt;
    }

    std::string m_place;
    json m_json;
};

Example fromJson(const JsonLine &line, const TableColumns &columns)
{
    Example example;
    example.inputIds = line.integers("input_ids");
    example.tokenTypeIds = line.integers("token_type_ids");
    if (columns.text.empty() && example.inputIds.empty())
        failOnInput(line.place() + " has neither a text nor input_ids; give --text-column");
    if (!example.tokenTypeIds.empty() && example.tokenTypeIds.size() != example.inputIds.size())
        failOnInput(line.place() + ": token_type_ids and input_ids differ in length");
    example.source = line.text(line.find(columns.text));
    const json *second = line.find(columns.pair);
    example.pair = line.text(second);
    example.emptyPair = second && !second->is_null() && example.pair.empty();
    example.worse = line.text(line.find(columns.worse));
    example.paradigm = line.text(line.find(columns.paradigm));
    example.corrupt = line.text(line.find(columns.corrupt));
    example.wrongAnswer = line.text(line.find(columns.wrongAnswer));
    line.takeLabels(columns.label, example);
    return example;
}

void keepFirst(std::string &kept, const std::string &name)
{
    if (kept.empty())
        kept = name;
}

} // namespace

Table parseJsonLines(std::string_view text, const DataSource &source, const JobControl &control)
{
    const std::vector<std::string> lines = splitLines(text);
    Table table;
    std::set<std::string> allNames;
    std::vector<std::string> names;
    TableColumns columns;
    QuestionLayout layout = QuestionLayout::None;
    bool isEmpty = true;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (trimmed(lines[i]).empty())
            continue;
        if (i % 1024 == 0)
            control.checkpoint();
        const JsonLine line(lines[i], fmt::format("{}: line {}", source.table, i + 1));
        // Lines of one file mostly have the same keys.
        if (std::vector<std::string> found = line.names(); isEmpty || found != names) {
            names = std::move(found);
            allNames.insert(names.begin(), names.end());
            layout = questionLayout(source, names);
            columns = layout == QuestionLayout::None ? chooseColumns(source, names, line.place())
                                                     : questionColumns(layout, source, names, line.place());
            keepFirst(table.columns.text, columns.text);
            keepFirst(table.columns.pair, columns.pair);
            keepFirst(table.columns.label, columns.label);
            keepFirst(table.columns.worse, columns.worse);
            keepFirst(table.columns.paradigm, columns.paradigm);
            keepFirst(table.columns.corrupt, columns.corrupt);
            keepFirst(table.columns.wrongAnswer, columns.wrongAnswer);
            table.columns.questions = table.columns.questions || columns.questions;
            table.columns.answersAreIds = table.columns.answersAreIds || columns.answersAreIds;
        }
        isEmpty = false;
        Example example = columns.questions ? questionOf(line.values(), layout, columns, source, line.place())
                                            : fromJson(line, columns);
        if (isWithoutGoldLabel(columns, example))
            ++table.withoutGold;
        else
            table.examples.push_back(std::move(example));
    }
    if (isEmpty)
        failOnInput(source.table + " is empty; one JSON object per line was expected");
    table.columns.names.assign(allNames.begin(), allNames.end());
    return table;
}

} // namespace headscope
