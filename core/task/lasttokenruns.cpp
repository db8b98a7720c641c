#include "core/task/lasttokenruns.h"

#include "core/packed/rowexecutor.h"
#include "core/packed/rows.h"
#include "core/task/variantgates.h"
#include "core/tensor/indextensor.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace headscope {
namespace {

constexpr Side kSide = Side::Decoder;

int lastAttentionOf(const StackSpec &stack)
{
    int last = -1;
    for (int place = 0; place < stack.places(); ++place) {
        if (stack.at(place).attention())
            last = place;
    }
    return last;
}

/// The place before which the stream has all that a layer adds.
int placeBehind(const StackSpec &stack, int layer)
{
    int place = stack.places();
    while (place > 0 && stack.at(place - 1).layer > layer)
        --place;
    return place;
}

class PackedRuns : public LastTokenRuns
{
public:
    PackedRuns(const RowModel &model, const Execution &execution, std::vector<AskedPrompt> prompts,
               const HeadMask &masked, Keep keep, const JobControl &control)
        : m_model(model), m_execution(execution), m_control(control), m_prompts(std::move(prompts)), m_keep(keep),
          m_places(static_cast<std::size_t>(stack().places())), m_said(m_prompts.size())
    {
        const torch::NoGradGuard noGrad;
        const VariantGates gates({}, masked, model.transformer().layout(), nullptr);
        cutIntoParts();
        execution.runPieces(std::ssize(m_parts), [&](std::int64_t p) {
            runPart(m_parts[static_cast<std::size_t>(p)], masked.empty() ? nullptr : &gates);
        });
        m_hidden = joinedParts(&Part::hidden);
        m_context = joinedParts(&Part::context);
    }

    const std::vector<SaidToken> &said() const override { return m_said; }

    torch::Tensor contexts(HeadKind kind, int layer) const override
    {
        return m_context[static_cast<std::size_t>(m_model.spec().placeOf(kind, layer))].tensor().to(torch::kCPU,
                                                                                                    torch::kFloat64);
    }

    std::vector<SaidToken> withContexts(std::span<const ContextChange> changes,
                                        const std::vector<torch::Tensor> &contexts, const Done &done) const override
    {
        std::vector<int> places;
        for (const ContextChange &change : changes)
            places.push_back(m_model.spec().placeOf(change.head.kind, change.head.layer));
        return inPieces(places, done, [&](int place, std::span<const std::size_t> own) {
            const AttentionSpec &attention = *stack().at(place).attention();
            const int layer = stack().at(place).layer;
            const auto width = static_cast<std::size_t>(attention.headCount());
            const Rows instead
                = Rows::of(contexts[static_cast<std::size_t>(layer)].to(m_model.transformer().options()));
            // Row h: all heads as they are but h, which is replaced.
            std::vector<float> factors(width * width, 1);
            std::vector<float> shares(width * width, 0);
            for (std::size_t head = 0; head < width; ++head) {
                factors[head * width + head] = 0;
                shares[head * width + head] = 1;
            }
            RowGates gates;
            std::vector<std::int64_t> prompts;
            for (const std::size_t i : own) {
                const auto row = static_cast<std::size_t>(attention.columnOf(changes[i].head.head)) * width;
                gates.push_back(
                    {.factors = &factors[row], .shares = &shares[row], .instead = &instead, .first = changes[i].row});
                prompts.push_back(changes[i].prompt);
            }
            const auto at = static_cast<std::size_t>(place);
            WalkState<Rows> state{place, gatherRows(m_hidden[at], prompts)};
            state.context = gatherRows(m_context[at], prompts);
            return runLast(std::move(state), prompts,
                           [&](HeadKind, int ofLayer) { return ofLayer == layer ? gates : RowGates(); });
        });
    }

    std::vector<SaidToken> withVectors(std::span<const StreamChange> changes, const torch::Tensor &vectors,
                                       const Done &done) const override
    {
        std::vector<int> places;
        for (const StreamChange &change : changes)
            places.push_back(placeBehind(stack(), change.layer));
        return inPieces(places, done, [&](int place, std::span<const std::size_t> own) {
            std::vector<std::int64_t> prompts, rows;
            for (const std::size_t i : own) {
                prompts.push_back(changes[i].prompt);
                rows.push_back(changes[i].row);
            }
            Rows hidden = gatherRows(m_hidden[static_cast<std::size_t>(place)], prompts);
            hidden.tensor() += vectors.index_select(0, indexTensor(rows, vectors.device())).to(hidden.options());
            return runLast({place, std::move(hidden)}, prompts, {});
        });
    }

private:
    /// Prompts that were run together.
    struct Part
    {
        std::int64_t first = 0;
        Sequences sequences{};
        std::vector<Rows> hidden{}; ///< by place, and behind the last one: of the last positions
        std::vector<Rows> context{};
        std::vector<Rows> keyValues{}; ///< by place, of all positions
    };

    const StackSpec &stack() const { return *m_model.spec().stack(kSide); }
    std::int64_t lengthOf(std::int64_t prompt) const
    {
        return std::ssize(m_prompts[static_cast<std::size_t>(prompt)].ids);
    }

    void cutIntoParts()
    {
        const std::int64_t most = m_execution.workSizes().rowsOfPass;
        for (std::int64_t prompt = 0; prompt < std::ssize(m_prompts); ++prompt) {
            if (m_parts.empty() || m_parts.back().sequences.rows() + lengthOf(prompt) > most)
                m_parts.push_back({.first = prompt});
            m_parts.back().sequences.add(lengthOf(prompt));
            m_partOf.push_back(m_parts.size() - 1);
        }
    }

    void runPart(Part &part, const VariantGates *gates)
    {
        part.hidden.resize(m_places + 1);
        part.context.resize(m_places);
        part.keyValues.resize(m_places);
        std::vector<std::int64_t> tokens;
        for (std::int64_t s = 0; s < part.sequences.count(); ++s) {
            const auto &ids = m_prompts[static_cast<std::size_t>(part.first + s)].ids;
            tokens.insert(tokens.end(), ids.begin(), ids.end());
        }
        const std::vector<std::int64_t> last = part.sequences.lastRows();
        const auto ofLast
            = [&](const Rows &rows) { return rows.count() == part.sequences.count() ? rows : gatherRows(rows, last); };
        RowExecutor executor(m_model, kSide, part.sequences, m_control);
        executor.oneRowFrom = lastAttentionOf(stack());
        Rows passing;
        executor.keys = [&](int place, const AttentionSpec &, const Rows &x) {
            Rows &kept = m_keep == Keep::States ? part.keyValues[static_cast<std::size_t>(place)] : passing;
            kept = m_model.keysAndValues(kSide, place, x, executor.positions);
            return keysOfSequences(kept, part.sequences);
        };
        if (gates) {
            executor.gates = [&](HeadKind kind, int layer) {
                return RowGates(static_cast<std::size_t>(part.sequences.count()), gates->at(kind, layer, 0));
            };
        }
        if (m_keep == Keep::States) {
            executor.onHidden
                = [&](int place, const Rows &hidden) { part.hidden[static_cast<std::size_t>(place)] = ofLast(hidden); };
        }
        if (m_keep != Keep::Answers) {
            executor.onContext = [&](int place, const Rows &context) {
                part.context[static_cast<std::size_t>(place)] = ofLast(context);
            };
        }
        WalkState<Rows> state{0, m_model.embed(kSide, tokens, executor.positions)};
        walk(m_model.spec(), kSide, state, stack().places(), executor);
        Rows hidden = ofLast(state.hidden);
        if (m_keep == Keep::States)
            part.hidden[m_places] = hidden;
        std::vector<std::int64_t> prompts;
        for (std::int64_t s = 0; s < part.sequences.count(); ++s)
            prompts.push_back(part.first + s);
        std::ranges::copy(saidOf(std::move(hidden), prompts), m_said.begin() + part.first);
    }

    std::vector<Rows> joinedParts(std::vector<Rows> Part::*states)
    {
        std::vector<Rows> all(m_places + 1);
        for (std::size_t place = 0; place <= m_places && !m_parts.empty(); ++place) {
            std::vector<Rows> own;
            for (Part &part : m_parts) {
                if (place < (part.*states).size() && (part.*states)[place].count() > 0)
                    own.push_back(std::move((part.*states)[place]));
            }
            if (own.size() == m_parts.size())
                all[place] = joined(own);
        }
        return all;
    }

    /// `hidden` [n, D] behind the last sub-layer, of the last positions of `prompts`.
    std::vector<SaidToken> saidOf(Rows hidden, std::span<const std::int64_t> prompts) const
    {
        std::vector<std::int64_t> answers;
        for (const std::int64_t prompt : prompts)
            answers.push_back(m_prompts[static_cast<std::size_t>(prompt)].answer);
        std::vector<SaidToken> said;
        const auto forced = m_model.forced(m_model.finish(kSide, std::move(hidden)), answers);
        for (std::size_t i = 0; i < answers.size(); ++i)
            said.push_back({std::exp(forced[i].logProbability), forced[i].best == answers[i]});
        return said;
    }

    /// The last positions of `prompts`, one row each, from `state` to the end.
    std::vector<SaidToken> runLast(WalkState<Rows> state, std::span<const std::int64_t> prompts,
                                   std::function<RowGates(HeadKind, int)> gates) const
    {
        RowExecutor executor(m_model, kSide, Sequences::ofOneRow(std::ssize(prompts)), m_control);
        executor.gates = std::move(gates);
        std::int64_t longest = 0;
        for (std::size_t i = 0; i < prompts.size(); ++i) {
            executor.positions[i] = lengthOf(prompts[i]) - 1;
            longest = std::max(longest, lengthOf(prompts[i]));
        }
        Rows own;
        std::vector<RowRef> seen;
        executor.keys = [&](int place, const AttentionSpec &, const Rows &x) -> KeySource {
            own = m_model.keysAndValues(kSide, place, x, executor.positions);
            return {[&, place](std::int64_t s) -> KeyRows {
                        const std::int64_t prompt = prompts[static_cast<std::size_t>(s)];
                        const Part &part = m_parts[m_partOf[static_cast<std::size_t>(prompt)]];
                        const std::int64_t first = part.sequences.first(prompt - part.first);
                        seen.clear();
                        for (std::int64_t t = 0; t < lengthOf(prompt) - 1; ++t)
                            seen.push_back({&part.keyValues[static_cast<std::size_t>(place)], first + t});
                        seen.push_back({&own, s});
                        return {.scattered = seen};
                    },
                    longest};
        };
        walk(m_model.spec(), kSide, state, stack().places(), executor);
        return saidOf(std::move(state.hidden), prompts);
    }

    using RunPiece = std::function<std::vector<SaidToken>(int place, std::span<const std::size_t> own)>;
    /// Changes that begin at the same place run together; `places`: where each does.
    std::vector<SaidToken> inPieces(const std::vector<int> &places, const Done &done, const RunPiece &run) const
    {
        const torch::NoGradGuard noGrad;
        constexpr std::size_t kMostRows = 256; // whose logits over a whole vocabulary lie in memory together
        std::map<int, std::vector<std::size_t>> byPlace;
        for (std::size_t i = 0; i < places.size(); ++i)
            byPlace[places[i]].push_back(i);
        struct Piece
        {
            int place = 0;
            std::span<const std::size_t> own;
        };
        std::vector<Piece> pieces;
        for (const auto &[place, own] : byPlace) {
            for (std::size_t first = 0; first < own.size(); first += kMostRows)
                pieces.push_back({place, std::span(own).subspan(first, std::min(kMostRows, own.size() - first))});
        }
        std::vector<SaidToken> said(places.size());
        m_execution.runPieces(std::ssize(pieces), [&](std::int64_t p) {
            m_control.checkpoint();
            const Piece &piece = pieces[static_cast<std::size_t>(p)];
            const auto found = run(piece.place, piece.own);
            for (std::size_t i = 0; i < found.size(); ++i)
                said[piece.own[i]] = found[i];
            if (done)
                done(std::ssize(found));
        });
        return said;
    }

    const RowModel &m_model;
    const Execution &m_execution;
    const JobControl &m_control;
    std::vector<AskedPrompt> m_prompts;
    Keep m_keep;
    std::size_t m_places;
    std::vector<Part> m_parts;
    std::vector<std::size_t> m_partOf;     ///< of each prompt
    std::vector<Rows> m_hidden, m_context; ///< by place, [prompts, ·]
    std::vector<SaidToken> m_said;
};

class PlainRuns : public LastTokenRuns
{
public:
    PlainRuns(const Transformer &model, const Execution &execution, std::vector<AskedPrompt> prompts,
              const HeadMask &masked, Keep keep, const JobControl &control)
        : m_model(model), m_execution(execution), m_control(control), m_prompts(std::move(prompts)),
          m_said(m_prompts.size())
    {
        const HeadGates gates = HeadGates::fromMask(masked, model.layout(), model.options());
        std::vector<std::map<std::string, torch::Tensor>> found(m_prompts.size());
        inBatches(m_prompts.size(), {}, [&](std::size_t first, std::size_t count) {
            std::vector<std::int64_t> own;
            for (std::size_t i = first; i < first + count; ++i)
                own.push_back(static_cast<std::int64_t>(i));
            Recorder recorder;
            recorder.contexts = keep != Keep::Answers;
            std::ranges::copy(run(own, gates, &recorder), m_said.begin() + static_cast<std::ptrdiff_t>(first));
            for (const auto &[place, context] : recorder.tensors) { // [B, H, T, Dh]
                for (std::size_t i = 0; i < count; ++i)
                    found[first + i][place]
                        = context[static_cast<std::int64_t>(i)].select(1, lastOf(own[i])).flatten().to(torch::kFloat64);
            }
        });
        for (const auto &one : found) {
            for (const auto &[place, context] : one)
                m_contexts[place].push_back(context);
        }
    }

    const std::vector<SaidToken> &said() const override { return m_said; }

    torch::Tensor contexts(HeadKind kind, int layer) const override
    {
        return torch::stack(m_contexts.at(Recorder::place(kind, layer, "context"))).cpu();
    }

    std::vector<SaidToken> withContexts(std::span<const ContextChange> changes,
                                        const std::vector<torch::Tensor> &contexts, const Done &done) const override
    {
        std::vector<SaidToken> said(changes.size());
        inBatches(changes.size(), done, [&](std::size_t first, std::size_t count) {
            std::vector<std::int64_t> own;
            std::int64_t longest = 0;
            for (const ContextChange &change : changes.subspan(first, count)) {
                own.push_back(change.prompt);
                longest = std::max(longest, lastOf(change.prompt) + 1);
            }
            HeadGates gates;
            for (std::size_t i = 0; i < count; ++i) {
                const ContextChange &change = changes[first + i];
                const AttentionSpec &attention = m_model.spec().attention(change.head.kind, change.head.layer);
                const std::int64_t heads = attention.headCount();
                LayerGate &gate = gates.edit(change.head.kind, change.head.layer);
                if (!gate.gate.defined()) {
                    const auto rows = static_cast<std::int64_t>(count);
                    gate.gate = torch::ones({rows, heads, longest}, m_model.options());
                    gate.replacement = torch::zeros({rows, heads, longest, attention.headWidth}, m_model.options());
                }
                const auto row = static_cast<std::int64_t>(i);
                const std::int64_t column = attention.columnOf(change.head.head);
                const auto &ofLayer = contexts[static_cast<std::size_t>(change.head.layer)];
                gate.gate[row][column][lastOf(change.prompt)] = 0;
                gate.replacement[row][column][lastOf(change.prompt)].copy_(
                    ofLayer[change.row].view({heads, -1})[column]);
            }
            std::ranges::copy(run(own, gates, nullptr), said.begin() + static_cast<std::ptrdiff_t>(first));
        });
        return said;
    }

    std::vector<SaidToken> withVectors(std::span<const StreamChange> changes, const torch::Tensor &vectors,
                                       const Done &done) const override
    {
        std::vector<SaidToken> said(changes.size());
        const HeadGates gates;
        inBatches(changes.size(), done, [&](std::size_t first, std::size_t count) {
            for (std::size_t i = first; i < first + count; ++i) {
                const StreamChange &change = changes[i];
                const int place = placeBehind(*m_model.spec().stack(kSide), change.layer);
                said[i] = run({change.prompt}, gates, nullptr, place, vectors[change.row]).front();
            }
        });
        return said;
    }

private:
    std::int64_t lastOf(std::int64_t prompt) const
    {
        return std::ssize(m_prompts[static_cast<std::size_t>(prompt)].ids) - 1;
    }

    void inBatches(std::size_t count, const Done &done,
                   const std::function<void(std::size_t first, std::size_t count)> &batch) const
    {
        const torch::NoGradGuard noGrad;
        constexpr std::size_t kTogether = 32;
        m_execution.parallelFor(static_cast<std::int64_t>((count + kTogether - 1) / kTogether), [&](std::int64_t b) {
            m_control.checkpoint();
            const std::size_t first = static_cast<std::size_t>(b) * kTogether;
            const std::size_t own = std::min(kTogether, count - first);
            batch(first, own);
            if (done)
                done(static_cast<std::int64_t>(own));
        });
    }

    /// `added` is added to the last positions before `place`; −1: nothing is.
    std::vector<SaidToken> run(const std::vector<std::int64_t> &own, const HeadGates &gates, Recorder *recorder,
                               int place = -1, const torch::Tensor &added = {}) const
    {
        std::vector<std::vector<std::int64_t>> rows;
        std::vector<std::int64_t> answers;
        for (const std::int64_t prompt : own) {
            rows.push_back(m_prompts[static_cast<std::size_t>(prompt)].ids);
            answers.push_back(m_prompts[static_cast<std::size_t>(prompt)].answer);
        }
        const auto batch = TokenBatch::pad(rows, m_model.spec().generation.padId, m_model.device());
        StackState state = m_model.begin(kSide, batch);
        const WalkInputs around{gates, nullptr, recorder};
        if (place >= 0) {
            m_model.advance(state, place, around);
            state.hidden = state.hidden.clone();
            for (std::size_t i = 0; i < own.size(); ++i)
                state.hidden[static_cast<std::int64_t>(i)][lastOf(own[i])] += added.to(m_model.options());
        }
        m_model.advanceToEnd(state, around);
        const auto read = m_model.classifiedPosition(m_model.finish(state), batch.lengths);
        const auto logits = m_model.logits(read).to(torch::kCPU, torch::kFloat64);
        const auto probabilities = torch::softmax(logits, -1);
        const auto best = logits.argmax(-1);
        std::vector<SaidToken> said;
        for (std::size_t i = 0; i < own.size(); ++i) {
            const auto row = static_cast<std::int64_t>(i);
            said.push_back(
                {probabilities[row][answers[i]].item<double>(), best[row].item<std::int64_t>() == answers[i]});
        }
        return said;
    }

    const Transformer &m_model;
    const Execution &m_execution;
    const JobControl &m_control;
    std::vector<AskedPrompt> m_prompts;
    std::map<std::string, std::vector<torch::Tensor>> m_contexts; ///< by place, prompt by prompt [A]
    std::vector<SaidToken> m_said;
};

} // namespace

std::unique_ptr<LastTokenRuns> lastTokenRuns(const RowModel &model, const Execution &execution,
                                             std::vector<AskedPrompt> prompts, const HeadMask &masked,
                                             LastTokenRuns::Keep keep, const JobControl &control)
{
    return std::make_unique<PackedRuns>(model, execution, std::move(prompts), masked, keep, control);
}

std::unique_ptr<LastTokenRuns> plainLastTokenRuns(const Transformer &model, const Execution &execution,
                                                  std::vector<AskedPrompt> prompts, const HeadMask &masked,
                                                  LastTokenRuns::Keep keep, const JobControl &control)
{
    return std::make_unique<PlainRuns>(model, execution, std::move(prompts), masked, keep, control);
}

std::int64_t bytesOfStates(const TransformerSpec &spec, std::int64_t tokens)
{
    std::int64_t floats = 0;
    for (const SubLayer &sub : spec.stack(kSide)->subLayers) {
        floats += spec.width;
        if (const AttentionSpec *attention = sub.attention())
            floats += tokens * attention->keyValueWidth() + attention->width();
    }
    return floats * static_cast<std::int64_t>(sizeof(float));
}

} // namespace headscope
