#include "core/analysis/functionprompts.h"

#include "core/analysis/promptparts.h"
#include "core/base/programfolder.h"
#include "core/base/random.h"
#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/task/examples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// The table of a task that comes with the program; nothing: there is none of this name.
std::optional<fs::path> tableOf(std::string_view name)
{
    for (const fs::path &folder : relativeToProgram({"../share/headscope/tasks"})) {
        std::error_code unknown;
        for (const auto &entry : fs::directory_iterator(folder, unknown)) {
            if (entry.path().stem().string() == name)
                return entry.path();
        }
    }
    return std::nullopt;
}

WordTask readTask(const std::string &name, const JobControl &control)
{
    const auto known = tableOf(name);
    std::error_code unknown;
    if (!known && !fs::exists(name, unknown))
        throw Failure(badInput(fmt::format("{}: there is no task and no file of this name. Tasks of the program: {}; a "
                                           "table needs the columns input and output.",
                                           name, FunctionsSpec().tasks)));
    DataSource source;
    source.table = known ? known->string() : name;
    source.textColumn = "input";
    source.labelColumn = "output";
    source.pairColumn = "none";
    source.worseColumn = "none";
    const Dataset dataset = readDataset(source, control).valueOrThrow();
    WordTask task{known ? name : fs::path(name).stem().string(), dataset.hash, {}};
    for (const Example &example : dataset.examples) {
        if (example.source.empty() || example.reference.empty())
            throw Failure(
                badInput(fmt::format("{}, row {}: input and output must not be empty.", name, task.pairs.size() + 1)));
        task.pairs.push_back({example.source, example.reference});
    }
    return task;
}

/// A prompt as text.
struct PromptText
{
    std::string prompt;
    std::string whole; ///< with its answer
};

/// Prompts up to the token that begins the answer: what the tokens of text and answer together share with those of the
/// text alone.
std::vector<AskedPrompt> encoded(const std::string &name, const std::vector<PromptText> &texts,
                                 const FunctionsSpec &spec, const TransformerSpec &model, const Tokenizer &tokenizer,
                                 const JobControl &control)
{
    std::vector<Examples> read;
    for (const auto part : {&PromptText::prompt, &PromptText::whole}) {
        Dataset dataset;
        dataset.name = name;
        dataset.origin.windowStart = spec.start;
        for (const PromptText &text : texts)
            dataset.examples.emplace_back().source = text.*part;
        auto examples = languageExamples(model, &tokenizer, dataset, control);
        if (!examples.isOk())
            throw Failure(badInput(examples.error().message + " Give fewer --shots."));
        read.push_back(std::move(examples).value());
    }
    std::vector<AskedPrompt> prompts;
    for (std::int64_t row = 0; row < std::ssize(texts); ++row) {
        const auto alone = read[0].wholeText(row, model.maxPositions + 1);
        auto whole = read[1].wholeText(row, model.maxPositions + 1);
        const auto shared = std::ranges::mismatch(alone, whole).in2 - whole.begin();
        if (shared == 0 || shared == std::ssize(whole))
            throw Failure(badInput(fmt::format("{}: the tokens of \"{}\" do not go on from those of its prompt.", name,
                                               texts[static_cast<std::size_t>(row)].whole)));
        const std::int64_t answer = whole[static_cast<std::size_t>(shared)];
        whole.resize(static_cast<std::size_t>(shared));
        prompts.push_back({std::move(whole), answer});
    }
    return prompts;
}

/// Draws the pairs of one task's prompts.
class PairDraw
{
public:
    PairDraw(const WordTask &task, const FunctionsSpec &spec)
        : m_spec(spec), m_random(spec.run.seed), m_shown(task.pairs)
    {
        shuffle(m_shown, m_random);
        const auto pairs = std::ssize(m_shown);
        const auto held = std::max<std::int64_t>(1, std::llround(spec.heldOut * static_cast<double>(pairs)));
        if (pairs - held < spec.shots + 1)
            throw Failure(usageError(fmt::format(
                "{}: of {} pairs {} can be shown; {} examples and a question need {}. Give fewer --shots, a "
                "smaller --held-out, or more pairs.",
                task.name, pairs, std::max<std::int64_t>(0, pairs - held), spec.shots, spec.shots + 1)));
        heldOut.assign(m_shown.end() - held, m_shown.end());
        m_shown.resize(static_cast<std::size_t>(pairs - held));
    }

    std::vector<WordPair> heldOut;

    /// Pairs that are shown, each before one comes again.
    std::vector<WordPair> questions(std::int64_t count)
    {
        std::vector<WordPair> drawn;
        while (std::ssize(drawn) < count) {
            shuffle(m_shown, m_random);
            const auto more = std::min(std::ssize(m_shown), count - std::ssize(drawn));
            drawn.insert(drawn.end(), m_shown.begin(), m_shown.begin() + more);
        }
        return drawn;
    }

    std::vector<WordPair> examplesFor(const WordPair &question, bool shuffled)
    {
        shuffle(m_shown, m_random);
        std::vector<WordPair> drawn;
        for (const WordPair &pair : m_shown) {
            if (std::ssize(drawn) < m_spec.shots && pair.input != question.input)
                drawn.push_back(pair);
        }
        if (!shuffled)
            return drawn;
        std::vector<std::string> outputs;
        std::ranges::transform(drawn, std::back_inserter(outputs), &WordPair::output);
        shuffle(outputs, m_random);
        for (std::size_t i = 0; i < drawn.size(); ++i)
            drawn[i].output = outputs[i];
        return drawn;
    }

private:
    const FunctionsSpec &m_spec;
    Random m_random;
    std::vector<WordPair> m_shown;
};

} // namespace

std::vector<WordTask> readTasks(std::string_view names, const JobControl &control)
{
    std::vector<WordTask> tasks;
    while (!names.empty()) {
        const std::string_view name = names.substr(0, names.find(','));
        names.remove_prefix(std::min(names.size(), name.size() + 1));
        if (!name.empty())
            tasks.push_back(readTask(std::string(name), control));
    }
    if (tasks.empty())
        throw Failure(usageError("--tasks names no task."));
    return tasks;
}

PromptTemplate::PromptTemplate(std::string_view text)
{
    const PromptParts parts = promptParts(text, "{input}", "{output}");
    m_before = parts.before;
    m_between = parts.between;
    m_after = parts.after;
    const std::size_t blanks = m_between.find_last_not_of(' ') + 1; // 0 of npos
    m_blanks = m_between.substr(blanks);
    m_between.resize(blanks);
}

std::string PromptTemplate::prompt(std::span<const WordPair> examples, const std::string &input) const
{
    std::string text;
    for (const WordPair &example : examples)
        text += m_before + example.input + m_between + answer(example.output) + m_after;
    return text + m_before + input + m_between;
}

TaskPrompts taskPrompts(const WordTask &task, const FunctionsSpec &spec, const TransformerSpec &model,
                        const Tokenizer &tokenizer, const JobControl &control)
{
    const PromptTemplate format(spec.promptTemplate);
    PairDraw draw(task, spec);
    const auto textOf = [&](const std::vector<WordPair> &examples, const WordPair &question) {
        const std::string prompt = format.prompt(examples, question.input);
        return PromptText{prompt, prompt + format.answer(question.output)};
    };
    std::vector<PromptText> means, effects, fewShot, shuffled, zeroShot;
    for (const WordPair &question : draw.questions(spec.meanPrompts))
        means.push_back(textOf(draw.examplesFor(question, false), question));
    TaskPrompts prompts{.name = task.name, .pairs = std::ssize(task.pairs)};
    prompts.asked = draw.questions(spec.prompts);
    for (const WordPair &question : prompts.asked)
        effects.push_back(textOf(draw.examplesFor(question, true), question));
    for (const WordPair &question : draw.heldOut) {
        fewShot.push_back(textOf(draw.examplesFor(question, false), question));
        shuffled.push_back(textOf(draw.examplesFor(question, true), question));
        zeroShot.push_back(textOf({}, question));
    }
    prompts.shownPrompt = fewShot.front().prompt;
    prompts.shownAnswer = format.answer(draw.heldOut.front().output);
    const auto encode = [&](const std::vector<PromptText> &texts) {
        return encoded(task.name, texts, spec, model, tokenizer, control);
    };
    prompts.means = encode(means);
    prompts.effects = encode(effects);
    prompts.fewShot = encode(fewShot);
    prompts.shuffled = encode(shuffled);
    prompts.zeroShot = encode(zeroShot);
    return prompts;
}

} // namespace headscope
