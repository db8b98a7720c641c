#include "core/task/needleruns.h"

#include "core/base/result.h"
#include "core/task/continuations.h"
#include "core/tensor/indextensor.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

namespace headscope {
namespace {

/// A few prompts of nearly equal length, which are read together.
class NeedleBatch
{
public:
    NeedleBatch(const Transformer &model, std::vector<const NeedlePrompt *> prompts, const GenerationSettings &settings,
                const JobControl &control)
        : m_model(model), m_settings(settings), m_processor(settings), m_control(control), m_prompts(std::move(prompts))
    {
        for (const NeedlePrompt *prompt : m_prompts) {
            const auto shared = std::ranges::mismatch(prompt->ids, prompt->nullIds).in1 - prompt->ids.begin();
            m_shared.push_back(std::min<std::int64_t>({shared, prompt->question.first, prompt->nullQuestion.first}));
            m_histories.push_back(prompt->ids);
            m_isComplete.push_back(isComplete(historyOf(m_histories.size() - 1), m_settings));
            NeedleHead none;
            none.copied.assign(static_cast<std::size_t>(prompt->answer.size()), 0);
            m_heads.emplace_back(model.layout(), none);
        }
    }

    std::vector<NeedleRun> run()
    {
        Prompts beginnings; // what is filled in lacks the last token
        for (std::size_t row = 0; row < m_prompts.size(); ++row)
            beginnings.emplace_back(m_histories[row].begin(), m_histories[row].begin() + m_shared[row] + 1);
        m_cache = prefilledCache(m_model, beginnings, nullptr, 1, {});
        readNullQuestions();
        m_cache.lengths = m_shared;
        readAndSay();
        std::vector<NeedleRun> runs;
        for (std::size_t row = 0; row < m_prompts.size(); ++row) {
            const auto said = historyOf(row).said();
            runs.push_back({{said.begin(), said.end()}, std::move(m_heads[row])});
        }
        return runs;
    }

private:
    History historyOf(std::size_t row) const { return {m_histories[row], m_prompts[row]->ids.size()}; }

    /// The tokens at the next positions of all rows → logits. Rows with an `isStill` stay where they are.
    torch::Tensor step(const std::vector<std::int64_t> &tokens, const std::vector<bool> &isStill, Recorder &recorder)
    {
        m_control.checkpoint();
        recorder.probabilities = true;
        auto logits = m_model.decodeStep(m_cache, indexTensor(tokens, m_model.device()), {}, &recorder);
        for (std::size_t row = 0; row < isStill.size(); ++row)
            m_cache.lengths[row] -= isStill[row] ? 1 : 0;
        return logits;
    }

    void readNullQuestions()
    {
        for (std::int64_t t = 0;; ++t) {
            std::vector<std::int64_t> tokens;
            std::vector<bool> isRead;
            for (std::size_t row = 0; row < m_prompts.size(); ++row) {
                const auto &ids = m_prompts[row]->nullIds;
                const std::int64_t at = m_shared[row] + t;
                isRead.push_back(at >= std::ssize(ids));
                tokens.push_back(isRead.back() ? ids.back() : ids[static_cast<std::size_t>(at)]);
            }
            if (std::ranges::count(isRead, false) == 0)
                return;
            Recorder recorder;
            (void)step(tokens, isRead, recorder);
            for (std::size_t row = 0; row < m_prompts.size(); ++row) {
                if (!isRead[row] && m_prompts[row]->nullQuestion.contains(m_shared[row] + t))
                    addQuestion(recorder, row, m_prompts[row]->nullQuestion, &NeedleHead::nullQuestion);
            }
        }
    }

    void readAndSay()
    {
        while (std::ranges::count(m_isComplete, false) > 0) {
            std::vector<std::int64_t> tokens;
            const std::vector<std::int64_t> places = m_cache.lengths;
            const std::vector<bool> wasComplete = m_isComplete;
            bool isAnySaid = false;
            for (std::size_t row = 0; row < m_prompts.size(); ++row) {
                const auto at = static_cast<std::size_t>(places[row]);
                isAnySaid = isAnySaid || (!wasComplete[row] && at + 1 == m_histories[row].size());
                tokens.push_back(wasComplete[row] ? m_histories[row].back() : m_histories[row][at]);
            }
            Recorder recorder;
            auto scores = step(tokens, wasComplete, recorder);
            for (std::size_t row = 0; row < m_prompts.size(); ++row) {
                if (!wasComplete[row] && m_prompts[row]->question.contains(places[row]))
                    addQuestion(recorder, row, m_prompts[row]->question, &NeedleHead::question);
            }
            if (isAnySaid)
                say(scores, places, recorder);
        }
    }

    /// The next tokens of the rows that have been read to their ends.
    void say(torch::Tensor &scores, const std::vector<std::int64_t> &places, const Recorder &recorder)
    {
        m_processor.banLogits(scores);
        std::vector<History> histories;
        for (std::size_t row = 0; row < m_prompts.size(); ++row)
            histories.push_back(historyOf(row));
        m_processor.apply(scores, histories);
        const auto [most, best] = scores.max(-1);
        const auto numbers = most.to(torch::kCPU, torch::kFloat64).contiguous();
        const auto chosen = best.cpu();
        std::vector<std::size_t> rows;
        for (std::size_t row = 0; row < m_prompts.size(); ++row) {
            if (m_isComplete[row] || places[row] + 1 != std::ssize(m_histories[row]))
                continue;
            if (!std::isfinite(numbers.data_ptr<double>()[row]))
                throw Failure(badInput("The model gives no numbers on the prompts. Is a file damaged?"));
            m_histories[row].push_back(chosen.data_ptr<std::int64_t>()[row]);
            m_isComplete[row] = isComplete(historyOf(row), m_settings);
            rows.push_back(row);
        }
        addCopies(recorder, rows);
    }

    using OfLayer = std::function<void(const AttentionSpec &attention, int layer, const torch::Tensor &probabilities)>;
    /// `visit` gets the attention of the last step [B, H, S] layer by layer.
    void inLayers(const Recorder &recorder, const OfLayer &visit) const
    {
        for (const SubLayer &sub : m_model.spec().decoder->subLayers) {
            const AttentionSpec *attention = sub.attention();
            if (attention && !attention->heads.empty())
                visit(*attention, sub.layer, recorder.at(attention->kind, sub.layer, "probabilities").squeeze(2));
        }
    }

    void addQuestion(const Recorder &recorder, std::size_t row, const TokenRange &question, double NeedleHead::*sum)
    {
        const TokenRange &needle = m_prompts[row]->needle;
        inLayers(recorder, [&](const AttentionSpec &attention, int layer, const torch::Tensor &probabilities) {
            const auto ofNeedle = probabilities[static_cast<std::int64_t>(row)]
                                      .narrow(1, needle.first, needle.size())
                                      .to(torch::kCPU, torch::kFloat64)
                                      .sum(1);
            for (std::size_t h = 0; h < attention.heads.size(); ++h)
                m_heads[row].at({attention.kind, layer, attention.heads[h]}).*sum
                    += ofNeedle.data_ptr<double>()[h] / static_cast<double>(question.size());
        });
    }

    /// Looks where heads have their largest weights, and whether the token that was just said is there.
    void addCopies(const Recorder &recorder, const std::vector<std::size_t> &rows)
    {
        inLayers(recorder, [&](const AttentionSpec &attention, int layer, const torch::Tensor &probabilities) {
            const auto keys = probabilities.argmax(-1).cpu().contiguous(); // [B, H]
            const std::size_t heads = attention.heads.size();
            for (const std::size_t row : rows) {
                const NeedlePrompt &prompt = *m_prompts[row];
                for (std::size_t h = 0; h < heads; ++h) {
                    const std::int64_t key = keys.data_ptr<std::int64_t>()[row * heads + h];
                    if (!prompt.answer.contains(key)
                        || prompt.ids[static_cast<std::size_t>(key)] != m_histories[row].back())
                        continue;
                    NeedleHead &head = m_heads[row].at({attention.kind, layer, attention.heads[h]});
                    head.copied[static_cast<std::size_t>(key - prompt.answer.first)] = 1;
                    ++head.steps;
                }
            }
        });
    }

    const Transformer &m_model;
    const GenerationSettings &m_settings;
    ScoreProcessor m_processor;
    const JobControl &m_control;
    std::vector<const NeedlePrompt *> m_prompts;
    std::vector<std::int64_t> m_shared;                 ///< tokens before both questions
    std::vector<std::vector<std::int64_t>> m_histories; ///< prompts and what is said behind them
    std::vector<bool> m_isComplete;
    std::vector<HeadTable<NeedleHead>> m_heads;
    DecodeCache m_cache;
};

/// Runs `work` on batches of prompts (their places), the shortest first. Which prompts are together is a matter of the
/// prompts and the model alone, as sums of floats depend on the size of a batch.
void inBatches(const Transformer &model, const Execution &execution, const std::vector<NeedlePrompt> &prompts,
               const std::function<void(std::span<const std::size_t>)> &work)
{
    std::vector<std::size_t> order(prompts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return prompts[i].ids.size(); });
    std::int64_t heads = 1;
    for (const SubLayer &sub : model.spec().decoder->subLayers)
        heads = std::max(heads, sub.attention() ? sub.attention()->headCount() : 0);
    constexpr std::int64_t kScores = std::int64_t{1} << 25; // of a layer
    constexpr std::size_t kTogether = 16;
    std::vector<std::span<const std::size_t>> batches;
    for (std::size_t first = 0; first < order.size();) {
        const std::int64_t shortest = std::ssize(prompts[order[first]].ids);
        std::size_t end = first + 1;
        while (end < order.size() && end - first < kTogether) {
            const std::int64_t length = std::ssize(prompts[order[end]].ids);
            if (length * 4 > shortest * 5
                || static_cast<std::int64_t>(end + 1 - first) * heads * length * length > kScores)
                break;
            ++end;
        }
        batches.push_back(std::span(order).subspan(first, end - first));
        first = end;
    }
    execution.parallelFor(std::ssize(batches), [&](std::int64_t batch) {
        const torch::NoGradGuard noGrad;
        work(batches[static_cast<std::size_t>(batch)]);
    });
}

} // namespace

std::vector<NeedleRun> needleRuns(const Transformer &model, const Execution &execution,
                                  const std::vector<NeedlePrompt> &prompts, const GenerationSettings &settings,
                                  const NeedlesDone &done, const JobControl &control)
{
    std::vector<NeedleRun> runs(prompts.size());
    inBatches(model, execution, prompts, [&](std::span<const std::size_t> places) {
        std::vector<const NeedlePrompt *> some;
        for (const std::size_t place : places)
            some.push_back(&prompts[place]);
        auto found = NeedleBatch(model, std::move(some), settings, control).run();
        for (std::size_t i = 0; i < places.size(); ++i)
            runs[places[i]] = std::move(found[i]);
        if (done)
            done(std::ssize(places));
    });
    return runs;
}

std::vector<std::vector<std::int64_t>> needleAnswers(const Transformer &model, const Execution &execution,
                                                     const std::vector<NeedlePrompt> &prompts,
                                                     const GenerationSettings &settings, const HeadMask &masked,
                                                     const NeedlesDone &done, const JobControl &control)
{
    const HeadGates gates = HeadGates::fromMask(masked, model.layout(), model.options());
    std::vector<std::vector<std::int64_t>> said(prompts.size());
    inBatches(model, execution, prompts, [&](std::span<const std::size_t> places) {
        Prompts some;
        for (const std::size_t place : places)
            some.push_back(prompts[place].ids);
        auto found = continuations(model, some, settings, gates, false, control);
        for (std::size_t i = 0; i < places.size(); ++i)
            said[places[i]] = std::move(found[i].tokens);
        if (done)
            done(std::ssize(places));
    });
    return said;
}

} // namespace headscope
