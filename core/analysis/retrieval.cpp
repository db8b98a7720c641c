#include "core/analysis/retrievalspec.h"

#include "core/analysis/input.h"
#include "core/analysis/pairbootstrap.h"
#include "core/analysis/promptparts.h"
#include "core/analysis/randomsets.h"
#include "core/analysis/retrievalprompts.h"
#include "core/metrics/inference.h"
#include "core/metrics/multiplicity.h"
#include "core/metrics/pairedtests.h"
#include "core/metrics/rougerecall.h"
#include "core/task/continuations.h"
#include "core/task/exampleids.h"
#include "core/task/needleruns.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kRightRecall = 0.5; ///< Wu et al.'s program: more than 50 %
constexpr int kNewTokens = 32;

/// Numbers of runs, summed by needle: runs of one needle are no examples of their own.
struct NeedleSums
{
    std::vector<double> sums, runs;

    NeedleSums(const std::vector<std::size_t> &needles, const std::vector<double> &values)
    {
        std::vector<std::size_t> places(needles.empty() ? 0 : std::ranges::max(needles) + 1, 0);
        for (const std::size_t needle : needles)
            places[needle] = 1;
        std::exclusive_scan(places.begin(), places.end(), places.begin(), std::size_t{0});
        for (std::size_t i = 0; i < needles.size(); ++i) {
            const std::size_t at = places[needles[i]];
            sums.resize(std::max(sums.size(), at + 1), 0);
            runs.resize(sums.size(), 0);
            sums[at] += values[i];
            runs[at] += 1;
        }
    }
    std::size_t size() const { return sums.size(); }
    double mean() const { return total(sums) / total(runs); }
    static double total(const std::vector<double> &values)
    {
        return std::accumulate(values.begin(), values.end(), 0.0);
    }
    /// The standard error of the mean over runs, a ratio of sums over needles.
    double standardError() const
    {
        const auto n = static_cast<double>(size());
        const double ratio = mean();
        double squares = 0;
        for (std::size_t i = 0; i < size(); ++i)
            squares += (sums[i] - ratio * runs[i]) * (sums[i] - ratio * runs[i]);
        return std::sqrt(n / (n - 1) * squares) / total(runs);
    }
    /// Values of needles whose mean is the mean over runs.
    std::vector<double> weighed() const
    {
        const double factor = static_cast<double>(size()) / total(runs);
        std::vector<double> values;
        for (const double sum : sums)
            values.push_back(sum * factor);
        return values;
    }
};

class Retrieval
{
public:
    Retrieval(const Transformer &model, const Execution &execution, const Tokenizer &tokenizer,
              const RetrievalSpec &spec, const JobControl &control)
        : m_model(model), m_execution(execution), m_tokenizer(tokenizer), m_spec(spec), m_control(control),
          m_settings(settingsOf())
    {
    }

    RetrievalResult run(const NeedleTexts &texts, Manifest manifest, const Publish<RetrievalResult> &publish)
    {
        RetrievalResult result;
        result.manifest = std::move(manifest);
        result.threshold = m_spec.threshold;
        result.countsWrong = m_spec.countWrong;
        result.needles = texts.needles;
        const auto placed = placedNeedles(texts, m_spec, m_model.spec(), m_tokenizer, *m_settings.newTokens, m_control);
        for (const PlacedNeedle &one : placed) {
            m_prompts.push_back(one.prompt);
            m_needles.push_back(static_cast<std::size_t>(one.needle));
        }
        const auto done = listener(kPhaseNeedles, std::ssize(placed));
        m_runs = needleRuns(m_model, m_execution, m_prompts, m_settings, done, m_control);
        addRuns(result, placed);
        addScores(result);
        chooseTop(result);
        if (publish)
            publish(result);
        addMasking(result);
        return result;
    }

private:
    const std::vector<HeadRef> &heads() const { return m_model.layout().heads(); }

    int keyHeadOf(const HeadRef &head) const
    {
        const AttentionSpec &attention = m_model.spec().attention(head.kind, head.layer);
        return static_cast<int>(attention.keyPlaces()[static_cast<std::size_t>(attention.columnOf(head.head))]);
    }

    GenerationSettings settingsOf() const
    {
        Decoding decoding = m_spec.run.decoding;
        decoding.beams = 1;
        decoding.newTokens = decoding.newTokens.value_or(kNewTokens);
        return continuationSettings(m_model.spec(), decoding,
                                    {std::shared_ptr<const void>(), &m_tokenizer}); // outlives the settings
    }

    NeedlesDone listener(const Phase &phase, std::int64_t total)
    {
        m_done = 0;
        m_control.progress({phase, "runs", 0, total});
        return [this, &phase, total](std::int64_t more) { m_control.progress({phase, "runs", m_done += more, total}); };
    }

    double recallOf(const std::vector<std::int64_t> &said, const RetrievalResult &result, std::size_t run) const
    {
        return rouge1Recall(saidText(said, &m_tokenizer, m_settings), result.needles[m_needles[run]].answer);
    }

    void addRuns(RetrievalResult &result, const std::vector<PlacedNeedle> &placed)
    {
        for (std::size_t i = 0; i < placed.size(); ++i) {
            RetrievalRun run{.needle = placed[i].needle,
                             .length = placed[i].length,
                             .tokens = std::ssize(placed[i].prompt.ids),
                             .depth = placed[i].depth,
                             .said = saidText(m_runs[i].said, &m_tokenizer, m_settings),
                             .recall = recallOf(m_runs[i].said, result, i)};
            run.isRight = run.recall > kRightRecall;
            m_right.push_back(run.isRight ? 1 : 0);
            if (run.isRight || m_spec.countWrong)
                m_counted.push_back(i);
            result.right += run.isRight ? 1 : 0;
            result.runs.push_back(std::move(run));
        }
        result.counted = std::ssize(m_counted);
        result.answers = shareOf(m_right);
    }

    static double scoreIn(const NeedleHead &head)
    {
        return static_cast<double>(std::ranges::count(head.copied, 1)) / static_cast<double>(head.copied.size());
    }

    void addScores(RetrievalResult &result)
    {
        std::vector<std::size_t> needles;
        for (const std::size_t run : m_counted)
            needles.push_back(m_needles[run]);
        const std::size_t examples = NeedleSums(needles, std::vector<double>(needles.size())).size();
        result.examples = static_cast<std::int64_t>(examples);
        const PairBootstrap ofCounted(examples, m_spec.resamples, m_spec.run.seed);
        const PairBootstrap ofAll = bootstrapOf(NeedleSums(m_needles, m_right));
        result.heads.resize(heads().size());
        m_execution.parallelFor(std::ssize(heads()), [&](std::int64_t i) {
            m_control.checkpoint();
            HeadRetrieval &head = result.heads[static_cast<std::size_t>(i)];
            head.head = heads()[static_cast<std::size_t>(i)];
            head.keyHead = keyHeadOf(head.head);
            std::vector<double> scores, steps, questions;
            for (const std::size_t run : m_counted) {
                const NeedleHead &found = m_runs[run].heads.at(head.head);
                scores.push_back(scoreIn(found));
                steps.push_back(static_cast<double>(found.steps) / static_cast<double>(found.copied.size()));
            }
            for (const NeedleRun &run : m_runs) {
                const NeedleHead &found = run.heads.at(head.head);
                questions.push_back(found.question - found.nullQuestion);
            }
            const NeedleSums ofQuestions(m_needles, questions);
            head.question = ofQuestions.mean();
            head.questionInterval = within(ofAll.effect(ofQuestions.sums, ofQuestions.runs).interval, -1);
            test(head, NeedleSums(needles, scores), ofCounted);
            if (head.score)
                head.steps = NeedleSums(needles, steps).mean();
        });
        label(result);
    }

    /// A head whose runs do not count has no score.
    void test(HeadRetrieval &head, const NeedleSums &scores, const PairBootstrap &bootstrap) const
    {
        head.p = kUnknown;
        head.interval = {kUnknown, kUnknown};
        if (scores.size() == 0)
            return;
        head.score = scores.mean();
        head.interval = within(bootstrap.effect(scores.sums, scores.runs).interval);
        head.p = oneSidedTTest(*head.score - m_spec.threshold, scores.standardError(),
                               static_cast<std::int64_t>(scores.size()));
    }

    void label(RetrievalResult &result) const
    {
        const std::vector<double> adjusted = holmAdjusted(pValuesOf(result.heads));
        for (std::size_t i = 0; i < adjusted.size(); ++i) {
            HeadRetrieval &head = result.heads[i];
            head.pAdjusted = adjusted[i];
            head.isRetrievalHead = adjusted[i] <= kSignificanceLevel;
            if (head.isRetrievalHead)
                head.evidence = evidenceOf(head.head);
        }
    }

    RetrievalEvidence evidenceOf(const HeadRef &head) const
    {
        const std::size_t run = *std::ranges::max_element(
            m_counted, {}, [&](std::size_t one) { return scoreIn(m_runs[one].heads.at(head)); });
        const NeedleHead &found = m_runs[run].heads.at(head);
        const NeedlePrompt &prompt = m_prompts[run];
        std::vector<std::int64_t> copied;
        for (std::size_t i = 0; i < found.copied.size(); ++i) {
            if (found.copied[i] != 0)
                copied.push_back(prompt.ids[static_cast<std::size_t>(prompt.answer.first) + i]);
        }
        return {static_cast<std::int64_t>(run), scoreIn(found), m_tokenizer.decode(copied)};
    }

    void chooseTop(RetrievalResult &result)
    {
        std::vector<HeadRetrieval *> order;
        for (HeadRetrieval &head : result.heads) {
            if (head.score.value_or(0) > 0)
                order.push_back(&head);
        }
        std::ranges::stable_sort(order, std::ranges::greater(), [](const HeadRetrieval *head) { return *head->score; });
        order.resize(std::min(order.size(), static_cast<std::size_t>(m_spec.top)));
        for (HeadRetrieval *head : order) {
            head->isTop = true;
            m_top.set(head->head, true);
        }
    }

    std::vector<double> rightWithout(const HeadMask &mask, const RetrievalResult &result, const NeedlesDone &done) const
    {
        std::vector<double> right;
        const auto said = needleAnswers(m_model, m_execution, m_prompts, m_settings, mask, done, m_control);
        for (std::size_t i = 0; i < said.size(); ++i)
            right.push_back(recallOf(said[i], result, i) > kRightRecall ? 1 : 0);
        return right;
    }

    void addMasking(RetrievalResult &result)
    {
        if (m_top.empty())
            return;
        const std::vector<HeadMask> sets = randomSetsBeside(m_model.layout(), m_top, m_spec.sets, m_spec.run.seed);
        const auto done = listener(kPhaseNeedlesMasked, std::ssize(m_prompts) * (std::ssize(sets) + 1));
        const std::vector<double> top = rightWithout(m_top, result, done);
        std::vector<double> random(top.size(), 0);
        std::vector<double> differences = top;
        for (const HeadMask &set : sets) {
            const std::vector<double> right = rightWithout(set, result, done);
            for (std::size_t i = 0; i < right.size(); ++i) {
                random[i] += right[i] / static_cast<double>(sets.size());
                differences[i] -= right[i] / static_cast<double>(sets.size());
            }
        }
        RetrievalMasking &masking = result.masking.emplace();
        masking.heads = m_top.size();
        masking.top = shareOf(top);
        masking.random = shareOf(random);
        masking.sets = std::ssize(sets);
        const NeedleSums sums(m_needles, differences);
        const auto change = bootstrapOf(sums).change(sums.weighed());
        masking.difference = {change.mean, change.inference.interval, change.inference.p};
    }

    AnswerShare shareOf(const std::vector<double> &right) const
    {
        const NeedleSums sums(m_needles, right);
        return {sums.mean(), within(bootstrapOf(sums).effect(sums.sums, sums.runs).interval)};
    }
    PairBootstrap bootstrapOf(const NeedleSums &sums) const { return {sums.size(), m_spec.resamples, m_spec.run.seed}; }
    static Interval within(const Interval &interval, double least = 0)
    {
        return {std::clamp(interval.low, least, 1.0), std::clamp(interval.high, least, 1.0)}; // NaN stays
    }

    const Transformer &m_model;
    const Execution &m_execution;
    const Tokenizer &m_tokenizer;
    const RetrievalSpec &m_spec;
    const JobControl &m_control;
    GenerationSettings m_settings;
    std::vector<NeedlePrompt> m_prompts;
    std::vector<std::size_t> m_needles; ///< of each
    std::vector<NeedleRun> m_runs;
    std::vector<double> m_right;        ///< 1 and 0
    std::vector<std::size_t> m_counted; ///< runs that scores are means over
    HeadMask m_top;
    std::atomic<std::int64_t> m_done = 0;
};

} // namespace

RetrievalResult AnalysisOf<RetrievalSpec>::compute(const RetrievalSpec &spec, AnalysisInput &input, Manifest manifest,
                                                   const JobControl &control, const Publish<RetrievalResult> &publish)
{
    const Transformer &model = input.model();
    if (!model.spec().saysTokens() || model.spec().encoder)
        throw Failure(usageError(
            "Retrieval heads are looked for in causal language models, which go on with a prompt; this model "
            "is none."));
    if (!input.tokenizer())
        throw Failure(tokenizerMissing());
    return Retrieval(model, input.execution(), *input.tokenizer(), spec, control)
        .run(readNeedleTexts(spec, control), std::move(manifest), publish);
}

void AnalysisOf<RetrievalSpec>::check(const RetrievalSpec &spec)
{
    (void)promptParts(spec.promptTemplate, "{context}", "{question}");
    if (spec.lengths.empty())
        throw Failure(usageError("--lengths names no length."));
    if (spec.run.decoding.beams.value_or(1) > 1)
        throw Failure(usageError("Retrieval scores are of greedy continuations: leave out --beams."));
}

std::string AnalysisOf<RetrievalSpec>::contents(const RetrievalSpec &spec, const JobControl &control)
{
    return readNeedleTexts(spec, control).hash;
}

std::vector<std::string> AnalysisOf<RetrievalSpec>::remarks(const RetrievalResult &result)
{
    if (result.counted == 0)
        return {fmt::format(
            "None of the {} answers is right, so that no head has a score: the model does not find the "
            "needles. Try shorter --lengths or another --template (a chat model needs its marks there), or count all "
            "runs (--count-wrong).",
            result.runs.size())};
    if (!allowsVerdict(result.examples))
        return {fmt::format("Scores rest on {} needles with a right answer, which are too few for a label. Give "
                            "more needles, or a larger --needles-each.",
                            result.examples)};
    return {};
}

} // namespace headscope
