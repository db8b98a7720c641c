#include "core/analysis/retrievalprompts.h"

#include "core/analysis/promptparts.h"
#include "core/base/programfolder.h"
#include "core/base/random.h"
#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/formats/hash.h"
#include "core/formats/textlines.h"
#include "core/formats/utf8.h"
#include "core/task/exampleids.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// The file that a user names, else that of the program.
std::string fileOr(const std::string &named, const char *own)
{
    if (!named.empty())
        return named;
    for (const fs::path &file : relativeToProgram({own}))
        return file.string();
    throw Failure(badInput(fmt::format("{} does not lie beside the program: name a table by --needles and a text by "
                                       "--haystack.",
                                       own)));
}

std::vector<RetrievalNeedle> readNeedles(const std::string &file, std::string &hash, const JobControl &control)
{
    DataSource source;
    source.table = file;
    source.textColumn = "needle";
    source.pairColumn = "question";
    source.labelColumn = "answer";
    source.worseColumn = "none";
    const Dataset dataset = readDataset(source, control).valueOrThrow();
    hash = dataset.hash;
    std::vector<RetrievalNeedle> needles;
    for (const Example &example : dataset.examples) {
        if (example.source.empty() || example.pair.empty() || example.reference.empty())
            throw Failure(badInput(
                fmt::format("{}, row {}: needle, question and answer must not be empty.", file, needles.size() + 1)));
        needles.push_back({example.source, example.pair, example.reference,
                           example.source.find(example.reference) != std::string::npos});
    }
    return needles;
}

/// Whether what stands before `end` ends a sentence.
bool endsSentence(std::string_view text, std::size_t end)
{
    for (const std::string_view wide : {"。", "！", "？"}) {
        if (text.substr(0, end).ends_with(wide))
            return true;
    }
    const bool isSpaceNext = end == text.size() || text[end] == ' ' || text[end] == '\t';
    while (end > 0 && std::string_view("\"')]").find(text[end - 1]) != std::string_view::npos)
        --end;
    return isSpaceNext && end > 0 && std::string_view(".!?").find(text[end - 1]) != std::string_view::npos;
}

/// Bytes of a text that are of one kind.
struct TextPart
{
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// A prompt as text.
struct PromptText
{
    std::string text;
    TextPart needle, answer, question;
};

/// Makes prompts of one needle from a text that begins at one of the sentences.
class Haystack
{
public:
    Haystack(const NeedleTexts &texts, const RetrievalSpec &spec, const TransformerSpec &model,
             const Tokenizer &tokenizer)
        : m_texts(texts), m_spec(spec), m_model(model), m_tokenizer(tokenizer),
          m_parts(promptParts(spec.promptTemplate, "{context}", "{question}")), m_counts(texts.sentences.size())
    {
        for (std::string_view sentence : texts.sentences)
            m_trimmed.emplace_back(trimmed(sentence));
    }

    NeedlePrompt prompt(const RetrievalNeedle &needle, std::size_t begin, std::int64_t length, double depth)
    {
        const std::int64_t own = std::ssize(encoded(textOf(needle, begin, 0, 0, needle.question).text).ids);
        std::vector<std::int64_t> before{0}; // tokens before each border between sentences
        while (before.back() + own < length && std::ssize(before) <= length)
            before.push_back(before.back() + countOf(begin + before.size() - 1));
        for (std::size_t sentences = before.size() - 1; sentences > 0; --sentences) {
            const auto wanted = depth * static_cast<double>(before[sentences]);
            const auto border
                = std::ranges::find_if(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(sentences) + 1,
                                       [&](std::int64_t tokens) { return static_cast<double>(tokens) > wanted; });
            const auto place = static_cast<std::size_t>(border - before.begin()) - 1;
            const PromptText text = textOf(needle, begin, sentences, place, needle.question);
            const Encoding read = encoded(text.text);
            if (std::ssize(read.ids) <= length)
                return withRanges(text, read, textOf(needle, begin, sentences, place, "N/A"));
        }
        throw Failure(usageError(fmt::format(
            "A prompt of {} tokens has no room for a sentence, a needle and a question (\"{}\"), which alone takes {}. "
            "Give larger --lengths.",
            length, needle.question, own)));
    }

private:
    /// `count` sentences, the needle before the one at `place`.
    PromptText textOf(const RetrievalNeedle &needle, std::size_t begin, std::size_t count, std::size_t place,
                      const std::string &question) const
    {
        PromptText prompt;
        std::string context;
        for (std::size_t i = 0; i <= count; ++i) {
            if (i == place) {
                if (!context.empty() && !trimmed(context.substr(context.size() - 1)).empty())
                    context += ' ';
                prompt.needle.begin = m_parts.before.size() + context.size();
                context += needle.needle;
                prompt.needle.end = m_parts.before.size() + context.size();
                context += ' ';
            }
            if (i < count)
                context += m_texts.sentences[(begin + i) % m_texts.sentences.size()];
        }
        context.resize(static_cast<std::size_t>(trimmed(context).data() - context.data()) + trimmed(context).size());
        prompt.answer = prompt.needle;
        if (needle.isPart) {
            prompt.answer.begin += needle.needle.find(needle.answer);
            prompt.answer.end = prompt.answer.begin + needle.answer.size();
        }
        prompt.text = m_parts.before + context + m_parts.between;
        prompt.question = {prompt.text.size(), prompt.text.size() + question.size()};
        prompt.text += question + m_parts.after;
        return prompt;
    }

    /// Without special tokens behind the text.
    Encoding encoded(const std::string &text) const
    {
        Encoding read = m_tokenizer.encodeSource(text).valueOrThrow();
        while (!read.ids.empty() && read.spans.back().begin == read.spans.back().end
               && m_tokenizer.isSpecial(read.ids.back())) {
            read.ids.pop_back();
            read.spans.pop_back();
        }
        const std::int64_t start = m_model.generation.startId;
        if (m_spec.start == WindowStart::Bos && (read.ids.empty() || read.ids.front() != start)) {
            read.ids.insert(read.ids.begin(), start);
            read.spans.insert(read.spans.begin(), TextSpan());
        }
        Dataset place;
        place.name = m_spec.needles.empty() ? "needles" : m_spec.needles;
        (void)checkIds(read.ids, m_model.decoder->vocabulary, place, 0).valueOrThrow();
        return read;
    }

    static TokenRange rangeOf(const std::vector<TextSpan> &spans, const TextPart &part)
    {
        const auto isIn = [&](const TextSpan &span) {
            return span.begin < span.end && span.begin < part.end && span.end > part.begin;
        };
        const auto first = std::ranges::find_if(spans, isIn);
        const auto last = std::find_if(spans.rbegin(), spans.rend(), isIn).base();
        return first < last ? TokenRange{first - spans.begin(), last - spans.begin()} : TokenRange();
    }

    NeedlePrompt withRanges(const PromptText &text, const Encoding &read, const PromptText &nullText) const
    {
        const Encoding readNull = encoded(nullText.text.substr(0, nullText.question.end));
        NeedlePrompt prompt{.ids = read.ids,
                            .needle = rangeOf(read.spans, text.needle),
                            .answer = rangeOf(read.spans, text.answer),
                            .question = rangeOf(read.spans, text.question),
                            .nullIds = readNull.ids,
                            .nullQuestion = rangeOf(readNull.spans, nullText.question)};
        if (prompt.answer.size() == 0 || prompt.question.size() == 0 || prompt.nullQuestion.size() == 0
            || std::ssize(prompt.nullIds) >= m_model.maxPositions)
            throw Failure(badInput("The tokenizer does not say which tokens a needle and its question are."));
        return prompt;
    }

    std::int64_t countOf(std::size_t sentence)
    {
        const std::size_t at = sentence % m_counts.size();
        if (!m_counts[at]) {
            const auto read = m_tokenizer.encodeSource(' ' + m_trimmed[at]).valueOrThrow();
            m_counts[at] = std::ranges::count_if(read.ids, [&](auto id) { return !m_tokenizer.isSpecial(id); });
        }
        return *m_counts[at];
    }

    const NeedleTexts &m_texts;
    const RetrievalSpec &m_spec;
    const TransformerSpec &m_model;
    const Tokenizer &m_tokenizer;
    PromptParts m_parts;
    std::vector<std::string> m_trimmed;
    std::vector<std::optional<std::int64_t>> m_counts; ///< tokens of sentences
};

} // namespace

std::vector<std::string> sentencesOf(std::string_view text)
{
    std::vector<std::string> sentences;
    std::string now;
    for (std::size_t at = 0; at < text.size(); ++at) {
        now += text[at];
        const std::size_t end = at + 1;
        if (text[at] != '\n' && !endsSentence(text, end))
            continue;
        while (at + 1 < text.size() && trimmed(text.substr(at + 1, 1)).empty())
            now += text[++at];
        if (trimmed(now).empty())
            now.clear();
        else
            sentences.push_back(std::exchange(now, {}));
    }
    if (!trimmed(now).empty())
        sentences.push_back(now);
    return sentences;
}

NeedleTexts readNeedleTexts(const RetrievalSpec &spec, const JobControl &control)
{
    NeedleTexts texts;
    std::string needles;
    texts.needles = readNeedles(fileOr(spec.needles, "../share/headscope/needles/needles.csv"), needles, control);
    const std::string file = fileOr(spec.haystack, "../share/headscope/needles/haystack.txt");
    const std::string text = readText(file, control).valueOrThrow();
    texts.sentences = sentencesOf(text);
    if (texts.sentences.empty())
        throw Failure(badInput(file + " has no text that needles could be hidden in."));
    Hasher hasher;
    hasher.add(needles);
    hasher.add(text);
    texts.hash = hasher.hex();
    return texts;
}

std::vector<PlacedNeedle> placedNeedles(const NeedleTexts &texts, const RetrievalSpec &spec,
                                        const TransformerSpec &model, const Tokenizer &tokenizer,
                                        std::int64_t newTokens, const JobControl &control)
{
    Haystack haystack(texts, spec, model, tokenizer);
    Random random(spec.run.seed);
    std::vector<std::size_t> begins;
    for (std::size_t i = 0; i < texts.needles.size(); ++i)
        begins.push_back(random.below(static_cast<std::uint32_t>(texts.sentences.size())));
    std::set<std::int64_t> lengths;
    for (const std::int64_t length : spec.lengths)
        lengths.insert(std::min(length, model.maxPositions - newTokens));
    const auto all = std::ssize(texts.needles);
    const std::int64_t each = spec.needlesEach > 0 ? std::min<std::int64_t>(all, spec.needlesEach) : all;
    std::vector<PlacedNeedle> placed;
    std::int64_t turn = 0;
    std::int64_t shift = 0;
    for (const std::int64_t length : lengths) {
        for (std::int64_t d = 0; d < spec.depths; ++d) {
            control.checkpoint();
            const double depth = spec.depths > 1 ? static_cast<double>(d) / static_cast<double>(spec.depths - 1) : 0.5;
            for (std::int64_t i = 0; i < each; ++i) {
                const auto needle = static_cast<std::size_t>((turn++ + shift) % all);
                placed.push_back({static_cast<std::int64_t>(needle), length, depth,
                                  haystack.prompt(texts.needles[needle], begins[needle], length, depth)});
            }
        }
        if (turn % all == 0) // then no needle is always at one depth
            shift += each;
    }
    return placed;
}

} // namespace headscope
