#include "core/task/patchingpairs.h"

#include "core/base/parsednumber.h"
#include "core/data/labels.h"
#include "core/task/exampleids.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace headscope {
namespace {

using Tokens = Examples::Tokens;

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Numbers in JSON are read as labels.
std::string answerOf(const Example &example)
{
    return example.reference.empty() && example.labels.size() == 1 ? std::to_string(example.labels.front())
                                                                   : example.reference;
}

std::string trimmedAnswer(const std::string &answer)
{
    const auto first = std::ranges::find_if_not(answer, isBlank);
    return {first, std::find_if_not(answer.rbegin(), std::make_reverse_iterator(first), isBlank).base()};
}

std::string completed(const std::string &text, const std::string &answer, const std::optional<std::string> &mask)
{
    if (!mask)
        return continued(text, answer);
    std::string whole = text;
    if (const std::size_t at = whole.find(*mask); at != std::string::npos)
        whole.replace(at, mask->size(), trimmedAnswer(answer));
    return whole;
}

Error failed(const Dataset &dataset, std::size_t row, const std::string &what)
{
    return badInput(fmt::format("{}, row {}: {}", dataset.name, row + 1, what));
}

/// The same rows with other texts.
template<typename Change>
Dataset withTexts(const Dataset &dataset, Change &&change)
{
    Dataset changed;
    changed.name = dataset.name;
    changed.origin = dataset.origin;
    changed.hash = dataset.hash;
    changed.columns = dataset.columns;
    for (const Example &example : dataset.examples)
        change(example, changed.examples.emplace_back());
    return changed;
}

std::vector<std::string> piecesOf(const Tokenizer *tokenizer, const Tokens &ids, const Result<Encoding> &encoding)
{
    std::vector<std::string> pieces;
    const bool fits = encoding.isOk() && encoding.value().ids.size() >= ids.size();
    for (std::size_t i = 0; i < ids.size(); ++i)
        pieces.push_back(fits && encoding.value().ids[i] == ids[i] ? encoding.value().pieces[i]
                         : tokenizer                               ? tokenizer->pieceText(ids[i])
                                                                   : std::to_string(ids[i]));
    return pieces;
}

/// Makes the pairs of one kind of model.
class Maker
{
public:
    Maker(const TransformerSpec &spec, const Tokenizer &tokenizer, const Dataset &dataset, const JobControl &control)
        : m_spec(spec), m_tokenizer(tokenizer), m_dataset(dataset), m_control(control)
    {
    }

    Result<PatchingPairs> make()
    {
        const bool isCausal = m_spec.decoder && !m_spec.encoder && !m_spec.classifier;
        if (m_dataset.columns.answersAreIds && !isCausal)
            return badInput(m_dataset.name
                            + ": the answers are ids of tokens (correct_idx), which only causal language "
                              "models take; give answers as words (answer, wrong_answer).");
        const auto made = m_spec.classifier           ? makeLabels()
                        : m_spec.isEncoderDecoder()   ? makeTranslations()
                        : m_spec.maskedLm.has_value() ? makeMasked()
                        : m_spec.decoder              ? makeContinuations()
                                                      : Result<Done>(badInput("The model is an encoder without a head: "
                                                                                           "there is no answer to measure."));
        if (!made.isOk())
            return made.error();
        for (std::size_t row = 0; row < m_dataset.examples.size(); ++row) {
            if (const auto checked = checkLengths(row); !checked.isOk())
                return checked.error();
            const auto spelt = [&](std::int64_t answer) {
                return m_pairs.labels ? m_spec.classifier->labels[static_cast<std::size_t>(answer)]
                                      : m_tokenizer.pieceText(answer);
            };
            m_pairs.shown.emplace_back(spelt(m_pairs.answers[row]), spelt(m_pairs.wrongAnswers[row]));
        }
        return std::move(m_pairs);
    }

private:
    Result<Done> makeLabels()
    {
        m_pairs.labels = true;
        const ClassifierSpec &classifier = *m_spec.classifier;
        if (classifier.problem != ProblemType::SingleLabel)
            return badInput("Patching needs a classifier that gives every text one label.");
        if (classifier.mean)
            return badInput("Patching is not computed for classifiers by the mean of all positions "
                            "(\"classifier_pooling\": \"mean\").");
        for (const bool right : {true, false}) {
            const Dataset labelled = withTexts(m_dataset, [&](const Example &from, Example &to) {
                to.source = from.source;
                to.reference = right ? from.reference : from.wrongAnswer;
                if (right)
                    to.labels = from.labels;
            });
            auto read = readLabels(labelled, classifier.problem, classifier.labels);
            if (!read.isOk())
                return read.error();
            const LabelReading &labels = read.value();
            for (std::size_t row = 0; row < m_dataset.examples.size(); ++row) {
                const auto &classes = labels.exampleClasses[row];
                if (classes.size() != 1 || labels.modelLabels[static_cast<std::size_t>(classes[0])].size() != 1)
                    return failed(m_dataset, row, "an answer must be one of the model's labels.");
                (right ? m_pairs.answers : m_pairs.wrongAnswers)
                    .push_back(labels.modelLabels[static_cast<std::size_t>(classes[0])].front());
            }
        }
        for (std::size_t row = 0; row < m_pairs.answers.size(); ++row) {
            if (m_pairs.answers[row] == m_pairs.wrongAnswers[row])
                return failed(m_dataset, row, "the wrong answer is the right one.");
        }
        return readTexts();
    }

    /// Clean and corrupt texts by themselves, with special tokens.
    Result<Done> readTexts()
    {
        for (const bool isClean : {true, false}) {
            const Dataset texts = withTexts(
                m_dataset, [&](const Example &from, Example &to) { to.source = isClean ? from.source : from.corrupt; });
            auto read = textExamples(m_spec, &m_tokenizer, texts, m_control);
            if (!read.isOk())
                return read.error();
            Examples &examples = read.value();
            for (std::size_t row = 0; row < texts.examples.size(); ++row) {
                PatchingPairs::Text text;
                if (m_spec.encoder)
                    text.source = std::move(examples.sources[row]);
                if (!examples.types.empty())
                    text.types = std::move(examples.types[row]);
                if (m_spec.decoder)
                    text.prefix = std::move(examples.prefixes[row]);
                const Tokens &first = m_spec.encoder ? text.source : text.prefix;
                text.pieces = piecesOf(&m_tokenizer, first,
                                       m_tokenizer.encodePair(texts.examples[row].source, std::nullopt,
                                                              static_cast<std::size_t>(m_spec.maxPositions)));
                if (m_spec.isEncoderDecoder())
                    text.written = piecesOf(&m_tokenizer, text.prefix, Result<Encoding>(badInput("")));
                (isClean ? m_pairs.clean : m_pairs.corrupt).push_back(std::move(text));
            }
        }
        return Done{};
    }

    Result<Done> makeMasked()
    {
        const auto mask = maskToken(m_tokenizer);
        if (!mask)
            return badInput("The model predicts masked tokens, but its tokenizer has no [MASK] or <mask> token.");
        const std::string piece = m_tokenizer.pieceText(*mask);
        if (const auto read = readTexts(); !read.isOk())
            return read.error();
        for (std::size_t row = 0; row < m_pairs.clean.size(); ++row) {
            const Tokens &clean = m_pairs.clean[row].source;
            const Tokens &corrupt = m_pairs.corrupt[row].source;
            const auto at = std::ranges::find(clean, *mask) - clean.begin();
            if (std::ranges::count(clean, *mask) != 1 || std::ranges::count(corrupt, *mask) != 1)
                return failed(m_dataset, row,
                              "clean and corrupt text must each have one " + piece + ", where the answer belongs.");
            if (std::ssize(corrupt) == std::ssize(clean) && corrupt[static_cast<std::size_t>(at)] != *mask)
                return failed(m_dataset, row, piece + " stands at different positions of the two texts.");
            const Example &example = m_dataset.examples[row];
            Tokens answers;
            for (const std::string &answer : {answerOf(example), example.wrongAnswer}) {
                auto encoded = m_tokenizer.encodePair(completed(example.source, answer, piece), std::nullopt,
                                                      static_cast<std::size_t>(m_spec.maxPositions));
                if (!encoded.isOk())
                    return failed(m_dataset, row, encoded.error().message);
                if (encoded.value().ids.size() != clean.size())
                    return failed(m_dataset, row, "\"" + answer + "\" is more than one token.");
                answers.push_back(encoded.value().ids[static_cast<std::size_t>(at)]);
            }
            if (const auto added = addAnswers(row, answers[0], answers[1]); !added.isOk())
                return added.error();
            m_pairs.asked.push_back(at);
        }
        return Done{};
    }

    /// Answers are ids of tokens: each continues its text by itself.
    Result<Done> makeByIds()
    {
        for (const bool isClean : {true, false}) {
            Dataset texts = withTexts(
                m_dataset, [&](const Example &from, Example &to) { to.source = isClean ? from.source : from.corrupt; });
            for (std::size_t row = 0; row < texts.examples.size(); ++row) {
                auto ids = m_tokenizer.encodeSource(texts.examples[row].source);
                const auto answer = idOf(row, answerOf(m_dataset.examples[row]));
                if (!ids.isOk())
                    return failed(m_dataset, row, ids.error().message);
                if (!answer.isOk())
                    return answer.error();
                texts.examples[row].inputIds = std::move(ids.value().ids);
                texts.examples[row].inputIds.push_back(answer.value());
            }
            auto read = languageExamples(m_spec, &m_tokenizer, texts, m_control);
            if (!read.isOk())
                return read.error();
            for (std::size_t row = 0; row < texts.examples.size(); ++row) {
                PatchingPairs::Text text;
                text.prefix = read.value().prefixes[row];
                text.pieces = piecesOf(&m_tokenizer, text.prefix, m_tokenizer.encodeSource(texts.examples[row].source));
                (isClean ? m_pairs.clean : m_pairs.corrupt).push_back(std::move(text));
                const auto wrong = idOf(row, m_dataset.examples[row].wrongAnswer);
                if (!wrong.isOk())
                    return wrong.error();
                if (!isClean)
                    continue;
                const auto added = addAnswers(row, read.value().targets[row].back(), wrong.value());
                if (!added.isOk())
                    return added.error();
            }
        }
        return Done{};
    }

    Result<std::int64_t> idOf(std::size_t row, const std::string &text) const
    {
        const auto id = parsedNumber<std::int64_t>(trimmedAnswer(text));
        if (!id || *id < 0 || *id >= m_spec.decoder->vocabulary)
            return failed(m_dataset, row,
                          "\"" + text
                              + "\" is not the id of one token of the model (correct_idx, incorrect_idx; lists of "
                                "several are not read).");
        return *id;
    }

    Result<Done> makeContinuations()
    {
        if (m_dataset.columns.answersAreIds)
            return makeByIds();
        std::vector<Tokens> answers[2];
        for (const bool isClean : {true, false}) {
            const Dataset texts = withTexts(m_dataset, [&](const Example &from, Example &to) {
                const std::string &text = isClean ? from.source : from.corrupt;
                to.source = continued(text, answerOf(from));
                to.worse = continued(text, from.wrongAnswer);
            });
            auto read = languageExamples(m_spec, &m_tokenizer, texts, m_control);
            if (!read.isOk())
                return read.error();
            const Examples &examples = read.value();
            for (std::size_t row = 0; row < texts.examples.size(); ++row) {
                const auto place = firstDifference(examples.targets[row], examples.otherTargets[row]);
                if (!place)
                    return failed(m_dataset, row, kSameStart);
                PatchingPairs::Text text;
                const Tokens &prefix = examples.prefixes[row];
                text.prefix.assign(prefix.begin(), prefix.begin() + *place + 1);
                text.pieces = piecesOf(&m_tokenizer, text.prefix, m_tokenizer.encodeSource(texts.examples[row].source));
                (isClean ? m_pairs.clean : m_pairs.corrupt).push_back(std::move(text));
                answers[isClean ? 0 : 1].push_back({examples.targets[row][static_cast<std::size_t>(*place)],
                                                    examples.otherTargets[row][static_cast<std::size_t>(*place)]});
            }
        }
        for (std::size_t row = 0; row < answers[0].size(); ++row) {
            if (answers[0][row] != answers[1][row])
                return failed(m_dataset, row,
                              "the answers become other tokens after the corrupt text than after the "
                              "clean one.");
            if (const auto added = addAnswers(row, answers[0][row][0], answers[0][row][1]); !added.isOk())
                return added.error();
        }
        return Done{};
    }

    Result<Done> makeTranslations()
    {
        for (const bool isClean : {true, false}) {
            Examples read[2];
            for (const bool right : {true, false}) {
                const Dataset texts = withTexts(m_dataset, [&](const Example &from, Example &to) {
                    to.source = isClean ? from.source : from.corrupt;
                    to.reference = right ? answerOf(from) : from.wrongAnswer;
                });
                auto examples = translationExamples(m_spec, &m_tokenizer, texts, m_control);
                if (!examples.isOk())
                    return examples.error();
                read[right ? 0 : 1] = std::move(examples).value();
            }
            for (std::size_t row = 0; row < m_dataset.examples.size(); ++row) {
                const Tokens &target = read[0].targets[row];
                const Tokens &other = read[1].targets[row];
                const auto place = firstDifference(target, other);
                if (!place)
                    return failed(m_dataset, row, kSameStart);
                PatchingPairs::Text text;
                const Tokens &prefix = read[0].prefixes[row];
                text.source = read[0].sources[row];
                text.prefix.assign(prefix.begin(), prefix.begin() + *place + 1);
                const Example &example = m_dataset.examples[row];
                text.pieces = piecesOf(&m_tokenizer, text.source,
                                       m_tokenizer.encodeSource(isClean ? example.source : example.corrupt));
                text.written = piecesOf(&m_tokenizer, text.prefix, Result<Encoding>(badInput("")));
                (isClean ? m_pairs.clean : m_pairs.corrupt).push_back(std::move(text));
                if (!isClean)
                    continue;
                if (const auto added = addAnswers(row, target[static_cast<std::size_t>(*place)],
                                                  other[static_cast<std::size_t>(*place)]);
                    !added.isOk())
                    return added.error();
            }
        }
        return Done{};
    }

    Result<Done> addAnswers(std::size_t row, std::int64_t answer, std::int64_t wrong)
    {
        if (answer == wrong)
            return failed(m_dataset, row, kSameStart);
        m_pairs.answers.push_back(answer);
        m_pairs.wrongAnswers.push_back(wrong);
        return Done{};
    }

    static std::optional<std::ptrdiff_t> firstDifference(const Tokens &a, const Tokens &b)
    {
        const auto [inA, inB] = std::ranges::mismatch(a, b);
        return inA == a.end() || inB == b.end() ? std::nullopt : std::optional(inA - a.begin());
    }

    Result<Done> checkLengths(std::size_t row) const
    {
        const auto &clean = m_pairs.clean[row];
        const auto &corrupt = m_pairs.corrupt[row];
        for (const auto side : {&PatchingPairs::Text::source, &PatchingPairs::Text::prefix}) {
            if ((clean.*side).size() != (corrupt.*side).size())
                return failed(m_dataset, row,
                              fmt::format("the clean text has {} tokens, the corrupt one {}; patching puts a position "
                                          "of one into the other, so both need as many. Change the words of one, or "
                                          "leave the row out.",
                                          (clean.*side).size(), (corrupt.*side).size()));
        }
        return Done{};
    }

    static constexpr const char *kSameStart
        = "the two answers differ in no token at which the model decides between them.";

    const TransformerSpec &m_spec;
    const Tokenizer &m_tokenizer;
    const Dataset &m_dataset;
    const JobControl &m_control;
    PatchingPairs m_pairs;
};

} // namespace

bool arePatchingPairs(const Dataset &dataset)
{
    return !dataset.examples.empty() && std::ranges::all_of(dataset.examples, [](const Example &example) {
        return !example.corrupt.empty() && !answerOf(example).empty() && !example.wrongAnswer.empty();
    });
}

std::string continued(const std::string &text, const std::string &answer)
{
    if (text.empty() || answer.empty())
        return text + answer;
    const bool joined
        = isBlank(text.back()) || isBlank(answer.front()) || (isDigit(text.back()) && isDigit(answer.front()));
    return text + (joined ? "" : " ") + answer;
}

Dataset asMinimalPairs(const Dataset &dataset, const std::optional<std::string> &mask)
{
    return withTexts(dataset, [&](const Example &from, Example &to) {
        to.source = completed(from.source, answerOf(from), mask);
        to.worse = completed(from.source, from.wrongAnswer, mask);
    });
}

Result<PatchingPairs> patchingPairs(const TransformerSpec &spec, const Tokenizer *tokenizer, const Dataset &dataset,
                                    const JobControl &control)
{
    if (!arePatchingPairs(dataset))
        return badInput(fmt::format(
            "{} has no pairs to patch: give a table (.jsonl, .tsv or .csv) with the columns clean, corrupt, answer and "
            "wrong_answer, none of them empty.",
            dataset.name));
    if (!tokenizer)
        return tokenizerMissing();
    return Maker(spec, *tokenizer, dataset, control).make();
}

std::optional<std::int64_t> maskToken(const Tokenizer &tokenizer)
{
    for (std::int64_t id = 0; id < tokenizer.vocabularySize(); ++id) {
        if (!tokenizer.isSpecial(id))
            continue;
        const std::string piece = tokenizer.pieceText(id);
        if (piece == "[MASK]" || piece == "<mask>")
            return id;
    }
    return std::nullopt;
}

} // namespace headscope
