#include "core/data/labels.h"

#include "core/base/parsednumber.h"
#include "core/data/columns.h"
#include "core/data/labelmap.h"
#include "core/formats/jsonfile.h"
#include "core/formats/utf8.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace headscope {
namespace {

using Texts = std::vector<std::string>;

std::string numbered(std::size_t count, const char *one, const char *many)
{
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

// --- labels as texts -----------------------------------------------------------------------------

/// The items of "[\"a\", 1]"; nothing when the text is no such list.
std::optional<Texts> itemsOfJsonList(std::string_view text)
{
    if (!text.starts_with('['))
        return std::nullopt;
    const auto list = parseJson(text, "labels");
    if (!list.isOk() || !list.value().is_array())
        return std::nullopt;
    Texts items;
    for (const auto &item : list.value())
        items.push_back(item.is_string() ? item.get<std::string>() : item.dump());
    return items;
}

Texts split(std::string_view text)
{
    Texts parts;
    while (true) {
        const std::size_t at = std::min(text.find_first_of(",;|"), text.size());
        if (const auto part = trimmed(text.substr(0, at)); !part.empty())
            parts.emplace_back(part);
        if (at == text.size())
            return parts;
        text.remove_prefix(at + 1);
    }
}

/// Per example the texts of its labels: none, one, or several when multi-label.
std::vector<Texts> labelTexts(const Dataset &dataset, ProblemType problem, const ModelLabels &model)
{
    std::vector<Texts> texts;
    for (const Example &example : dataset.examples) {
        const std::string_view text = trimmed(example.reference);
        Texts labels;
        if (text.empty())
            for (const std::int64_t label : example.labels)
                labels.push_back(std::to_string(label));
        else if (problem != ProblemType::MultiLabel || model.find(text)) // a name may hold a comma
            labels.emplace_back(text);
        else if (auto items = itemsOfJsonList(text))
            labels = std::move(*items);
        else
            labels = split(text);
        if (problem != ProblemType::MultiLabel && labels.size() > 1)
            failOnInput(fmt::format("{}: row {} has {} labels, but the model gives one", dataset.name, texts.size() + 1,
                                    labels.size()));
        // Published test sets hide their labels so.
        if (problem == ProblemType::SingleLabel && !labels.empty() && labels[0] == "-1" && !model.find("-1"))
            labels.clear();
        texts.push_back(std::move(labels));
    }
    return texts;
}

/// True if every example that has labels has a zero or one for each label of the model.
bool areMultiHot(const std::vector<Texts> &texts, std::size_t count)
{
    const auto isHot = [count](const Texts &labels) {
        return labels.empty() || (labels.size() == count && std::all_of(labels.begin(), labels.end(), [](auto &label) {
                                      const auto number = wholeNumberOf(label);
                                      return number == 0 || number == 1;
                                  }));
    };
    return std::all_of(texts.begin(), texts.end(), isHot);
}

// --- what they mean ------------------------------------------------------------------------------

/// "not_entailment", "non-entailment" and the like.
bool isNonEntailment(const std::string &label)
{
    std::string lower = lowerName(label);
    std::erase_if(lower, [](char c) { return c == '-' || c == '_' || c == ' '; });
    return lower == "notentailment" || lower == "nonentailment";
}

/// Places of neutral and contradiction in a model of three NLI labels; nothing for other models.
std::optional<std::vector<int>> otherThanEntailment(const ModelLabels &model)
{
    std::vector<int> others;
    std::set<std::string> found;
    for (std::size_t i = 0; i < model.names().size(); ++i) {
        const std::string lower = lowerName(model.names()[i]);
        found.insert(lower);
        if (lower != "entailment")
            others.push_back(static_cast<int>(i));
    }
    const std::set<std::string> nli{"contradiction", "entailment", "neutral"};
    return model.names().size() == nli.size() && found == nli ? std::optional(others) : std::nullopt;
}

/// A published data set that numbers its labels, by the columns that it has.
struct NumberedLabels
{
    const char *data;
    std::initializer_list<const char *> texts; ///< columns that a text may be in
    const char *pair;                          ///< "": there are no pairs
    std::initializer_list<const char *> names; ///< of 0, 1, …
};
constexpr NumberedLabels kNumbered[] = {
    {"MNLI, SNLI and ANLI", {"premise", "sentence1"}, "hypothesis", {"entailment", "neutral", "contradiction"}},
    {"MNLI", {"sentence1", "text"}, "sentence2", {"entailment", "neutral", "contradiction"}},
    {"RTE and WNLI", {"sentence1", "premise"}, "sentence2", {"entailment", "not_entailment"}},
    {"QNLI", {"question"}, "sentence", {"entailment", "not_entailment"}},
    {"MRPC and PAWS", {"sentence1"}, "sentence2", {"not_equivalent", "equivalent"}},
    {"QQP", {"question1"}, "question2", {"not_duplicate", "duplicate"}},
    {"SST-2, IMDb and Rotten Tomatoes", {"sentence", "text"}, "", {"negative", "positive"}},
    {"TweetEval", {"text"}, "", {"negative", "neutral", "positive"}},
    {"CoLA", {"sentence"}, "", {"unacceptable", "acceptable"}},
    {"AG News", {"text"}, "", {"World", "Sports", "Business", "Sci/Tech"}},
    {"Emotion", {"text"}, "", {"sadness", "joy", "love", "anger", "fear", "surprise"}},
};

/// A name of a label without what people spell differently.
std::string plainName(std::string_view name)
{
    std::string lower = lowerName(name);
    std::erase_if(lower, [](char c) { return c == '-' || c == '_' || c == ' ' || c == '/'; });
    return lower;
}

/// The published data with these columns whose labels are called as the model's are; null: none is known.
const NumberedLabels *publishedData(const TableColumns &columns, const Texts &modelLabels)
{
    for (const NumberedLabels &known : kNumbered) {
        const bool hasText
            = std::ranges::any_of(known.texts, [&](const char *text) { return lowerName(columns.text) == text; });
        const auto isAlike = [](std::string_view a, std::string_view b) { return plainName(a) == plainName(b); };
        if (hasText && lowerName(columns.pair) == known.pair && known.names.size() == modelLabels.size()
            && std::is_permutation(modelLabels.begin(), modelLabels.end(), known.names.begin(), isAlike))
            return &known;
    }
    return nullptr;
}

/// Reads labels and gathers what is to be said of them.
class Reader
{
public:
    Reader(const Dataset &dataset, ProblemType problem, const std::vector<std::string> &modelLabels)
        : m_dataset(dataset), m_problem(problem), m_model(modelLabels)
    {
    }

    LabelReading run()
    {
        m_texts = labelTexts(m_dataset, m_problem, m_model);
        m_reading.known
            = std::any_of(m_texts.begin(), m_texts.end(), [](const Texts &labels) { return !labels.empty(); });
        m_meanings = parseLabelMap(m_dataset.origin.labelMap, m_model).valueOrThrow();
        if (m_problem == ProblemType::Regression) {
            makeClasses();
            readValues();
            return std::move(m_reading);
        }
        for (const Texts &labels : m_texts)
            m_seen.insert(labels.begin(), labels.end());
        m_multiHot = m_problem == ProblemType::MultiLabel && m_meanings.empty()
                  && areMultiHot(m_texts, m_model.names().size());
        if (!m_multiHot)
            understandEntailment();
        makeClasses();
        for (std::size_t i = 0; i < m_texts.size(); ++i)
            m_reading.exampleClasses.push_back(m_multiHot ? hotClasses(m_texts[i]) : classesOf(i));
        if (m_reading.known)
            warn();
        return std::move(m_reading);
    }

private:
    /// Two labels, of which the model splits one.
    void understandEntailment()
    {
        const auto others = otherThanEntailment(m_model);
        std::string other;
        for (const std::string &label : m_seen) {
            if (isNonEntailment(label))
                other = label;
            else if (lowerName(label) != "entailment")
                return;
        }
        if (!others || other.empty() || meaningOf(other))
            return;
        m_meanings.push_back({other, *others});
        m_reading.warnings.push_back(
            fmt::format("the label \"{}\" is read as {} or {} of the model, which count as one (McCoy et al. 2019)",
                        other, m_model.names()[static_cast<std::size_t>(others->front())],
                        m_model.names()[static_cast<std::size_t>(others->back())]));
    }

    const LabelMeaning *meaningOf(const std::string &label) const
    {
        const auto find = [this](const auto &isIt) -> const LabelMeaning * {
            const auto found = std::find_if(m_meanings.begin(), m_meanings.end(), isIt);
            return found == m_meanings.end() ? nullptr : &*found;
        };
        if (const auto *exact = find([&](const LabelMeaning &meaning) { return meaning.label == label; }))
            return exact;
        const std::string lower = lowerName(label);
        return find([&](const LabelMeaning &meaning) { return lowerName(meaning.label) == lower; });
    }

    /// Per label of the model what it counts as together with others, null when it stands for itself.
    std::vector<const LabelMeaning *> groupsOfLabels() const
    {
        const auto fail = [](std::string why) { throw Failure(usageError("--label-map: " + std::move(why))); };
        const auto &names = m_model.names();
        std::vector<const LabelMeaning *> groups(names.size(), nullptr);
        for (const LabelMeaning &meaning : m_meanings) {
            if (meaning.modelLabels.size() < 2)
                continue;
            for (const int label : meaning.modelLabels) {
                const LabelMeaning *&group = groups[static_cast<std::size_t>(label)];
                if (group && group->modelLabels != meaning.modelLabels)
                    fail(fmt::format("{} is part of both \"{}\" and \"{}\"", names[static_cast<std::size_t>(label)],
                                     group->label, meaning.label));
                if (!group)
                    group = &meaning;
            }
        }
        for (std::size_t i = 0; i < names.size(); ++i)
            for (const LabelMeaning *group : groups)
                if (group && !groups[i] && group->label == names[i])
                    fail(
                        fmt::format("\"{}\" cannot mean other labels: the model has a label with this name", names[i]));
        return groups;
    }

    /// The model's labels in their order; those that count as one stand at the place of the first.
    void makeClasses()
    {
        const auto groups = groupsOfLabels();
        m_classOf.resize(groups.size());
        for (std::size_t i = 0; i < groups.size(); ++i) {
            const int self = static_cast<int>(i);
            if (groups[i] && groups[i]->modelLabels.front() != self) {
                m_classOf[i] = m_classOf[static_cast<std::size_t>(groups[i]->modelLabels.front())];
                continue;
            }
            m_classOf[i] = static_cast<int>(m_reading.classes.size());
            m_reading.classes.push_back(groups[i] ? groups[i]->label : m_model.names()[i]);
            m_reading.modelLabels.push_back(groups[i] ? groups[i]->modelLabels : std::vector<int>{self});
        }
    }

    std::vector<int> hotClasses(const Texts &labels) const
    {
        std::vector<int> classes;
        for (std::size_t k = 0; k < labels.size(); ++k)
            if (wholeNumberOf(labels[k]) == 1)
                classes.push_back(m_classOf[k]);
        return classes;
    }

    std::vector<int> classesOf(std::size_t example)
    {
        std::set<int> classes;
        for (const std::string &label : m_texts[example]) {
            const auto known = m_known.find(label);
            const int found = known != m_known.end() ? known->second : read(label, example);
            classes.insert(found);
        }
        return {classes.begin(), classes.end()};
    }

    int read(const std::string &label, std::size_t example)
    {
        const LabelMeaning *meaning = meaningOf(label);
        const auto found = meaning ? std::optional(meaning->modelLabels.front()) : m_model.find(label);
        if (!found)
            failToRead(label, example);
        if (!meaning && wholeNumberOf(label) && !m_model.arePlaceholders()
            && std::ranges::find(m_model.names(), label) == m_model.names().end())
            m_numbers[*found] = label;
        return m_known[label] = m_classOf[static_cast<std::size_t>(*found)];
    }

    [[noreturn]] void failToRead(const std::string &label, std::size_t example) const
    {
        const std::string place = fmt::format("{}: row {}: ", m_dataset.name, example + 1);
        const std::string shown = listed({label});
        if (m_model.arePlaceholders() && !wholeNumberOf(label))
            failOnInput(fmt::format("{}which of the model's labels is \"{}\"? They have no names ({}). Use "
                                    "--label-map, e.g. \"{}=0\" if it is the first.",
                                    place, shown, m_model.text(), shown));
        failOnInput(
            fmt::format("{}the label \"{}\" is none of the model's: {}. Map it with --label-map, e.g. \"{}={}\"; "
                        "labels joined by + count as one.",
                        place, shown, m_model.text(), shown, m_model.names().empty() ? "" : m_model.names().front()));
    }

    void warn()
    {
        const auto isWithout = [](const Texts &labels) { return labels.empty(); };
        // When multi-label, none of the labels is an answer.
        if (const auto first = std::find_if(m_texts.begin(), m_texts.end(), isWithout);
            first != m_texts.end() && m_problem == ProblemType::SingleLabel) {
            const auto count = static_cast<std::size_t>(std::count_if(first, m_texts.end(), isWithout));
            m_reading.warnings.push_back(fmt::format("{} without a label, the first is row {}",
                                                     numbered(count, "row", "rows"), first - m_texts.begin() + 1));
        }
        std::set<int> used;
        for (const auto &classes : m_reading.exampleClasses)
            used.insert(classes.begin(), classes.end());
        Texts unused;
        for (std::size_t k = 0; k < m_reading.classes.size(); ++k)
            if (!used.contains(static_cast<int>(k)))
                unused.push_back(m_reading.classes[k]);
        if (!unused.empty())
            m_reading.warnings.push_back(fmt::format("no row has the {} {}", unused.size() == 1 ? "label" : "labels",
                                                     ModelLabels(unused).text()));
        warnOfNumbers();
        for (const LabelMeaning &meaning : m_meanings)
            if (std::none_of(m_seen.begin(), m_seen.end(),
                             [&](const std::string &label) { return meaningOf(label) == &meaning; }))
                m_reading.warnings.push_back(fmt::format("no row has the label \"{}\" of --label-map", meaning.label));
    }

    /// Numbers mean places in the model's list; whoever numbered the data may have had another.
    void warnOfNumbers()
    {
        const NumberedLabels *published = publishedData(m_dataset.columns, m_model.names());
        std::string meant; // by the numbers of published data
        std::string map;
        bool isSameOrder = published != nullptr;
        for (std::size_t number = 0; published && number < published->names.size(); ++number) {
            const char *name = published->names.begin()[number];
            const auto place = std::ranges::find_if(
                m_model.names(), [&](const std::string &of) { return plainName(of) == plainName(name); });
            isSameOrder = isSameOrder && place - m_model.names().begin() == static_cast<std::ptrdiff_t>(number);
            meant += fmt::format("{}{} {}", number == 0 ? "" : ", ", number, name);
            map += fmt::format("{}{}={}", number == 0 ? "" : ",", number, *place);
        }
        if (m_numbers.empty() || isSameOrder)
            return;
        constexpr std::size_t kMost = 8;
        std::string readings;
        std::size_t said = 0;
        for (const auto &[place, number] : m_numbers) {
            if (said++ == kMost)
                break;
            readings += fmt::format("{}{} is read as {}", readings.empty() ? "" : ", ", listed({number}),
                                    listed({m_model.names()[static_cast<std::size_t>(place)]}));
        }
        std::string note
            = fmt::format("the labels are numbers and are read as places in the model's list, from 0: {}{}", readings,
                          m_numbers.size() > kMost ? fmt::format(", … ({} in all)", m_numbers.size()) : std::string());
        note += published
                  ? fmt::format(". {}, which have these columns, mean otherwise: {}. If these are such data, add "
                                "--label-map {}",
                                published->data, meant, map)
                  : std::string("; if they mean otherwise, say so with --label-map");
        m_reading.warnings.push_back(std::move(note));
    }

    void readValues()
    {
        m_reading.exampleClasses.resize(m_texts.size());
        if (!m_reading.known)
            return;
        for (std::size_t i = 0; i < m_texts.size(); ++i) {
            const std::string text = m_texts[i].empty() ? std::string() : m_texts[i].front();
            const auto value = parsedNumber<double>(text);
            if (!value || !std::isfinite(*value))
                failOnInput(fmt::format("{}: row {}: the model gives a number, but the label is \"{}\"", m_dataset.name,
                                        i + 1, listed({text})));
            m_reading.exampleValues.push_back(*value);
        }
    }

    const Dataset &m_dataset;
    ProblemType m_problem;
    ModelLabels m_model;
    std::vector<Texts> m_texts;
    std::set<std::string> m_seen;
    std::vector<LabelMeaning> m_meanings;
    std::vector<int> m_classOf; ///< of the model's labels
    std::map<std::string, int> m_known;
    bool m_multiHot = false;
    std::map<int, std::string> m_numbers; ///< read as places of the model's labels, by place
    LabelReading m_reading;
};

} // namespace

Result<LabelReading> readLabels(const Dataset &dataset, ProblemType problem,
                                const std::vector<std::string> &modelLabels)
{
    try {
        return Reader(dataset, problem, modelLabels).run();
    } catch (const Failure &failure) {
        return failure.error();
    }
}

} // namespace headscope
