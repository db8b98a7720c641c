#include "core/task/examples.h"

#include "core/task/exampleids.h"

#include <torch/types.h>

#include <algorithm>

namespace headscope {
namespace {

using Tokens = Examples::Tokens;

TokenBatch padded(const std::vector<std::int64_t> &ids, const std::vector<Tokens> &all, std::int64_t padId,
                  const Transformer &model)
{
    std::vector<Tokens> rows;
    for (const std::int64_t id : ids)
        rows.push_back(all[static_cast<std::size_t>(id)]);
    return TokenBatch::pad(rows, padId, model.device());
}

/// Cuts to the model's positions; the end token stays.
bool cut(Tokens &ids, std::int64_t positions)
{
    if (std::ssize(ids) <= positions)
        return false;
    const std::int64_t end = ids.back();
    ids.resize(static_cast<std::size_t>(positions));
    ids.back() = end;
    return true;
}

/// Token ids of one text: its own, or made by `encode`.
template<typename Encode>
Result<Tokens> idsOf(const Tokens &given, bool haveTokenizer, Encode &&encode)
{
    if (!given.empty())
        return given;
    if (!haveTokenizer)
        return tokenizerMissing();
    auto encoding = encode();
    if (!encoding.isOk())
        return encoding.error();
    return std::move(encoding).value().ids;
}

/// A text with its token types.
struct TextRow
{
    Tokens ids;
    Tokens types;
    std::vector<std::uint8_t> real;
    bool isCut = false;
};

/// A row that brings its ids. Which of them are special only a tokenizer knows.
TextRow givenRow(const Example &example, const TransformerSpec &spec, const Tokenizer *tokenizer)
{
    TextRow row{example.inputIds, example.tokenTypeIds, {}, false};
    row.isCut = cut(row.ids, spec.maxPositions);
    row.types.resize(row.ids.size(), 0);
    for (const std::int64_t id : row.ids)
        row.real.push_back(tokenizer && tokenizer->isSpecial(id) ? 0 : 1);
    return row;
}

Result<TextRow> encodedRow(const Example &example, const TransformerSpec &spec, const Tokenizer *tokenizer)
{
    if (!tokenizer)
        return tokenizerMissing();
    auto encoding
        = tokenizer->encodePair(example.source, example.secondText(), static_cast<std::size_t>(spec.maxPositions));
    if (!encoding.isOk())
        return encoding.error();
    TextRow row{std::move(encoding.value().ids), std::move(encoding.value().typeIds), {}, encoding.value().cut};
    for (const int segment : encoding.value().segments)
        row.real.push_back(segment >= 0 ? 1 : 0);
    return row;
}

/// The beginning of an error of example `row`.
std::string inExample(const Dataset &dataset, std::size_t row)
{
    return dataset.name + ", example " + std::to_string(row + 1) + ": ";
}

/// A context and what may follow it, cut on the left to what the model reads, as lm-evaluation-harness does: blanks at
/// the end of the context go to the continuation, whose tokens are those of the whole text behind as many as the
/// context has.
class ChoiceReader
{
public:
    ChoiceReader(const TransformerSpec &spec, const Tokenizer &tokenizer) : m_spec(spec), m_tokenizer(tokenizer) { }

    Result<Examples::Choice> behind(std::string context, std::string continuation)
    {
        const std::size_t end = context.find_last_not_of(" \t\r\n\f\v");
        const std::size_t kept = end == std::string::npos ? 0 : end + 1;
        continuation.insert(0, context, kept);
        context.resize(kept);
        if (context.empty())
            return alone(continuation);
        auto whole = m_tokenizer.encodeSource(context + continuation);
        auto before = m_tokenizer.encodeSource(context);
        for (const auto *encoding : {&whole, &before}) {
            if (!encoding->isOk())
                return encoding->error();
        }
        Tokens wanted = std::move(whole.value().ids);
        Tokens read = std::move(before.value().ids);
        wanted.erase(wanted.begin(), wanted.begin() + std::min(std::ssize(wanted), std::ssize(read)));
        return joined(std::move(read), std::move(wanted));
    }

    /// Behind the model's first token.
    Result<Examples::Choice> alone(const std::string &continuation)
    {
        auto encoding = m_tokenizer.encodeSource(continuation);
        if (!encoding.isOk())
            return encoding.error();
        Tokens wanted = std::move(encoding.value().ids);
        const std::int64_t start = m_spec.generation.startId;
        if (!wanted.empty() && wanted.front() == start) // of the tokenizer, or of the text
            wanted.erase(wanted.begin());
        return joined({start}, std::move(wanted));
    }

    bool wasCut() const { return m_cut; }

private:
    Result<Examples::Choice> joined(Tokens read, Tokens wanted)
    {
        if (wanted.empty())
            return badInput("a choice adds no token to the context");
        if (std::ssize(wanted) > m_spec.maxPositions)
            return badInput("a choice of " + std::to_string(wanted.size()) + " tokens; the model reads "
                            + std::to_string(m_spec.maxPositions));
        read.insert(read.end(), wanted.begin(), wanted.end() - 1);
        if (std::ssize(read) > m_spec.maxPositions) {
            read.erase(read.begin(), read.end() - m_spec.maxPositions);
            m_cut = true;
        }
        return Examples::Choice{std::move(read), std::move(wanted)};
    }

    const TransformerSpec &m_spec;
    const Tokenizer &m_tokenizer;
    bool m_cut = false;
};

/// Throws Failure with what is wrong. True: the context was cut.
bool addQuestion(const TransformerSpec &spec, const Tokenizer &tokenizer, const Example &example, Examples &examples)
{
    ChoiceReader reader(spec, tokenizer);
    std::vector<Examples::Choice> choices, unconditional;
    for (const std::string &choice : example.choices) {
        choices.push_back(reader.behind(example.source, ' ' + choice).valueOrThrow());
        unconditional.push_back(reader.alone(' ' + choice).valueOrThrow());
    }
    const Examples::Choice &right = choices[static_cast<std::size_t>(example.answer)];
    Tokens target(right.read.begin() + 1, right.read.end());
    target.push_back(right.wanted.back());
    examples.firstCounted.push_back(std::ssize(right.read) - std::ssize(right.wanted));
    examples.prefixes.push_back(right.read);
    examples.targets.push_back(std::move(target));
    examples.choices.push_back(std::move(choices));
    examples.unconditional.push_back(std::move(unconditional));
    examples.choiceTexts.push_back(example.choices);
    examples.answers.push_back(example.answer);
    return reader.wasCut();
}

/// Throws Failure with what is wrong. True: the prompt was cut where the answer is said with it.
bool addPrompt(const TransformerSpec &spec, const Tokenizer &tokenizer, const Example &example, Examples &examples)
{
    ChoiceReader reader(spec, tokenizer);
    const Examples::Choice answer = reader.behind(example.source, ' ' + example.reference).valueOrThrow();
    Tokens target(answer.read.begin() + 1, answer.read.end());
    target.push_back(answer.wanted.back());
    examples.firstCounted.push_back(std::ssize(answer.read) - std::ssize(answer.wanted));
    examples.prefixes.push_back(answer.read);
    examples.targets.push_back(std::move(target));
    examples.prompts.push_back(tokenizer.encodeSource(example.source).valueOrThrow().ids);
    if (examples.prompts.back().empty())
        throw Failure(badInput("a prompt without tokens"));
    return reader.wasCut();
}

/// A text as a causal model reads it, and what it should say at every position.
void addShifted(const Tokens &text, std::vector<Tokens> &prefixes, std::vector<Tokens> &targets)
{
    prefixes.emplace_back(text.begin(), text.end() - 1);
    targets.emplace_back(text.begin() + 1, text.end());
}

} // namespace

Examples::Tokens Examples::wholeText(std::int64_t id, std::int64_t most) const
{
    Tokens whole = prefix(id);
    whole.push_back(target(id).back());
    if (std::ssize(whole) > most)
        whole.erase(whole.begin(), whole.end() - most);
    return whole;
}

TokenBatch Examples::sourceBatch(const std::vector<std::int64_t> &ids, const Transformer &model) const
{
    TokenBatch batch = padded(ids, sources, model.spec().generation.padId, model);
    if (!types.empty())
        batch.typeIds = padded(ids, types, 0, model).ids;
    return batch;
}

TokenBatch Examples::prefixBatch(const std::vector<std::int64_t> &ids, const Transformer &model) const
{
    return padded(ids, prefixes, model.spec().generation.padId, model);
}

TokenBatch Examples::targetBatch(const std::vector<std::int64_t> &ids, const Transformer &model) const
{
    return padded(ids, targets, model.spec().generation.padId, model);
}

Result<Examples> translationExamples(const TransformerSpec &spec, const Tokenizer *tokenizer, const Dataset &dataset,
                                     const JobControl &control)
{
    Examples examples;
    std::int64_t cutSources = 0;
    std::int64_t cutTargets = 0;
    examples.hasTargets = std::ranges::any_of(dataset.examples, [](const Example &example) {
        return example.reference.find_first_not_of(" \t\r\n") != std::string::npos || !example.labels.empty();
    });
    for (std::size_t row = 0; row < dataset.examples.size(); ++row) {
        if (row % 64 == 0)
            control.checkpoint();
        const Example &example = dataset.examples[row];
        auto source = idsOf(example.inputIds, tokenizer, [&] { return tokenizer->encodeSource(example.source); });
        if (!source.isOk())
            return source.error();
        Tokens target;
        if (examples.hasTargets) {
            auto ids = idsOf(example.labels, tokenizer, [&] { return tokenizer->encodeTarget(example.reference); });
            if (!ids.isOk())
                return ids.error();
            target = std::move(ids).value();
        }
        for (const auto &checked : {checkIds(source.value(), spec.encoder->vocabulary, dataset, row),
                                    checkIds(target, spec.decoder->vocabulary, dataset, row)}) {
            if (!checked.isOk())
                return checked.error();
        }
        cutSources += cut(source.value(), spec.maxPositions) ? 1 : 0;
        cutTargets += cut(target, spec.maxPositions) ? 1 : 0;
        examples.sources.push_back(std::move(source).value());
        examples.prefixes.push_back(decoderInput(target, spec.generation));
        examples.targets.push_back(std::move(target));
    }
    if (cutSources > 0)
        examples.warnings.push_back(cutNote(dataset, cutSources, "sources", spec.maxPositions));
    if (cutTargets > 0)
        examples.warnings.push_back(cutNote(dataset, cutTargets, "references", spec.maxPositions));
    return examples;
}

Result<Examples> textExamples(const TransformerSpec &spec, const Tokenizer *tokenizer, const Dataset &dataset,
                              const JobControl &control)
{
    Examples examples;
    examples.pairs = std::ranges::any_of(dataset.examples, [](const Example &e) { return e.secondText().has_value(); });
    const Side firstSide = spec.encoder ? Side::Encoder : Side::Decoder;
    examples.hasTargets = spec.decoder.has_value();
    std::int64_t cutRows = 0;
    for (std::size_t i = 0; i < dataset.examples.size(); ++i) {
        if (i % 64 == 0)
            control.checkpoint();
        const Example &example = dataset.examples[i];
        auto row = example.inputIds.empty() ? encodedRow(example, spec, tokenizer)
                                            : Result<TextRow>(givenRow(example, spec, tokenizer));
        if (!row.isOk())
            return badInput(inExample(dataset, i) + row.error().message);
        cutRows += row.value().isCut ? 1 : 0;
        if (spec.tokenTypes == 0) // DistilBERT's tokenizer makes them all the same
            std::ranges::fill(row.value().types, 0);
        for (const auto &checked :
             {checkIds(row.value().ids, spec.stack(firstSide)->vocabulary, dataset, i),
              checkIds(row.value().types, std::max<std::int64_t>(1, spec.tokenTypes), dataset, i)}) {
            if (!checked.isOk())
                return checked.error();
        }
        if (!example.worse.empty()) {
            Example other;
            other.source = example.worse;
            auto worse = encodedRow(other, spec, tokenizer);
            if (!worse.isOk())
                return badInput(inExample(dataset, i) + worse.error().message);
            examples.otherSources.push_back(std::move(worse.value().ids));
        }
        if (spec.decoder) {
            auto read = classifierInput(row.value().ids, spec);
            if (!read.isOk())
                return badInput(inExample(dataset, i) + read.error().message);
            const Tokens &text = row.value().ids;
            examples.targets.emplace_back(text.begin(), text.begin() + std::ssize(read.value()));
            examples.prefixes.push_back(std::move(read).value());
            if (!spec.encoder)
                continue;
        }
        examples.sources.push_back(std::move(row.value().ids));
        examples.realSources.push_back(std::move(row.value().real));
        if (spec.tokenTypes > 0)
            examples.types.push_back(std::move(row.value().types));
    }
    if (cutRows > 0)
        examples.warnings.push_back(cutNote(dataset, cutRows, "texts", spec.maxPositions));
    return examples;
}

Result<Examples> languageExamples(const TransformerSpec &spec, const Tokenizer *tokenizer, const Dataset &dataset,
                                  const JobControl &control)
{
    Examples examples;
    examples.hasTargets = true;
    examples.leftOut = dataset.leftOut;
    const std::int64_t most = spec.maxPositions + 1; // the last token is only said, never read
    const bool begins = dataset.origin.windowStart == WindowStart::Bos;
    const std::int64_t start = spec.generation.startId;
    std::int64_t cutContexts = 0;
    const auto sentenceOf = [&](const Tokens &given, const std::string &text, std::size_t row) -> Result<Tokens> {
        const std::string where = inExample(dataset, row);
        auto ids = idsOf(given, tokenizer, [&] { return tokenizer->encodeSource(text); });
        if (!ids.isOk())
            return badInput(where + ids.error().message);
        if (begins && (ids.value().empty() || ids.value().front() != start))
            ids.value().insert(ids.value().begin(), start);
        const auto checked = checkIds(ids.value(), spec.decoder->vocabulary, dataset, row);
        if (!checked.isOk())
            return checked.error();
        if (std::ssize(ids.value()) < 2 || std::ssize(ids.value()) > most)
            return badInput(where + "a text of " + std::to_string(ids.value().size())
                            + " tokens; the model predicts in texts of 2 to " + std::to_string(most) + ".");
        return ids;
    };
    for (std::size_t row = 0; row < dataset.examples.size(); ++row) {
        if (row % 64 == 0)
            control.checkpoint();
        const Example &example = dataset.examples[row];
        if (!example.choices.empty() || !example.accepted.empty()) {
            if (!tokenizer)
                return tokenizerMissing();
            const auto &add = example.choices.empty() ? addPrompt : addQuestion;
            try {
                cutContexts += add(spec, *tokenizer, example, examples) ? 1 : 0;
            } catch (const Failure &failure) {
                return badInput(inExample(dataset, row) + failure.error().message);
            }
            continue;
        }
        auto ids = sentenceOf(example.inputIds, example.source, row);
        if (!ids.isOk())
            return ids.error();
        addShifted(ids.value(), examples.prefixes, examples.targets);
        examples.firstCounted.push_back(std::max<std::int64_t>(0, example.contextTokens - 1));
        if (example.textRow >= 0)
            examples.textRows.push_back(example.textRow);
        if (example.worse.empty())
            continue;
        auto worse = sentenceOf({}, example.worse, row);
        if (!worse.isOk())
            return worse.error();
        addShifted(worse.value(), examples.otherPrefixes, examples.otherTargets);
    }
    if (cutContexts > 0)
        examples.warnings.push_back(dataset.name + ": " + std::to_string(cutContexts)
                                    + " questions are longer than the model's " + std::to_string(spec.maxPositions)
                                    + " positions; their beginnings are cut off.");
    return examples;
}

Result<std::vector<std::int64_t>> classifierInput(std::vector<std::int64_t> text, const TransformerSpec &spec)
{
    if (text.empty())
        return badInput("a text without tokens has no position to classify it by.");
    const auto isRead = [&](std::int64_t token) {
        if (!spec.encoder)
            return token != spec.classifier->padding;
        return std::ranges::find(spec.generation.endIds, token) != spec.generation.endIds.end();
    };
    std::size_t length = text.size();
    while (length > 0 && !isRead(text[length - 1]))
        --length;
    if (length == 0 && spec.encoder)
        return badInput("a text without an end token (" + std::to_string(spec.generation.endIds.front())
                        + "); the model classifies by its position.");
    text.resize(std::max<std::size_t>(1, length)); // of nothing but padding transformers takes the first
    return spec.encoder ? decoderInput(text, spec.generation) : std::move(text);
}

std::vector<std::int64_t> decoderInput(const std::vector<std::int64_t> &tokens, const GenerationSettings &settings)
{
    std::vector<std::int64_t> input{settings.startId};
    if (!tokens.empty())
        input.insert(input.end(), tokens.begin(), tokens.end() - 1);
    return input;
}

TokenBatch decoderInputs(const std::vector<std::vector<std::int64_t>> &targets, const Transformer &model)
{
    const GenerationSettings &settings = model.spec().generation;
    std::vector<std::vector<std::int64_t>> rows;
    for (const auto &tokens : targets)
        rows.push_back(decoderInput(tokens, settings));
    return TokenBatch::pad(rows, settings.padId, model.device());
}

} // namespace headscope
