#pragma once

#include "core/base/jobcontrol.h"
#include "core/packed/rowmodel.h"
#include "core/packed/rowsegments.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace headscope {

/// Keys and values of a stack's attention to itself, in rows as the queries' sequences lie.
inline KeySource keysOfSequences(const Rows &keyValues, const Sequences &sequences)
{
    std::int64_t longest = 0;
    for (std::int64_t s = 0; s < sequences.count(); ++s)
        longest = std::max(longest, sequences.length(s));
    return {[&keyValues, sequences](std::int64_t s) -> KeyRows {
                return {&keyValues, sequences.first(s), sequences.length(s)};
            },
            longest, nullptr};
}

/// The walk over rows of many sequences. Functions say what differs between its uses: the source of keys, the gates,
/// and who records states.
class RowExecutor
{
public:
    using Matrix = Rows;

    RowExecutor(const RowModel &rowModel, Side ofSide, Sequences rows, const JobControl &jobControl)
        : model(rowModel), side(ofSide), control(jobControl), sequences(std::move(rows)),
          positions(sequences.positions())
    {
        attendToOwnRows();
    }
    RowExecutor(const RowExecutor &) = delete;
    RowExecutor &operator=(const RowExecutor &) = delete;

    const RowModel &model;
    Side side;
    const JobControl &control;
    Sequences sequences;
    std::vector<std::int64_t> positions; ///< of all rows, in their sequences
    KeptIndices kept{};
    /// The keys and values of an attention: of the stack itself, made from its input x [R, D], or of the memory. At
    /// first every sequence attends to its own rows.
    std::function<KeySource(int place, const AttentionSpec &attention, const Rows &x)> keys{};
    std::function<RowGates(HeadKind kind, int layer)> gates{};
    /// Called with every sub-layer's input, and with contexts before their gate.
    std::function<void(int place, const Rows &hidden)> onHidden{};
    std::function<void(int place, const Rows &context)> onContext{};
    /// From this attention on only one row of every sequence is computed, an encoder's first, a decoder's last; −1:
    /// all.
    int oneRowFrom = -1;
    bool recordsAllRows = false; ///< onHidden gets them of that attention too, which reads them for its keys

    void arrive(int place, const Rows &hidden) const
    {
        control.checkpoint();
        if (onHidden && (place != oneRowFrom || recordsAllRows))
            onHidden(place, hidden);
    }
    Rows normalize(int place, Rows x) const
    {
        return model.normalize(model.transformer().weights().stack(side).at(place).norm, std::move(x));
    }
    Rows normalizeOutput(int place, Rows x) const
    {
        return model.normalize(model.transformer().weights().stack(side).at(place).outputNorm, std::move(x));
    }
    Rows attend(int place, const AttentionSpec &attention, const Rows &x, Rows &hidden)
    {
        KeySource source = keys(place, attention, x);
        source.kept = &kept;
        const RowGates ownGates = gatesAt(place, attention);
        Rows context;
        if (place == oneRowFrom) {
            const auto single = side == Side::Encoder ? sequences.firstRows() : sequences.lastRows();
            keepOneRow();
            hidden = gatherRows(hidden, single);
            if (onHidden && !recordsAllRows)
                onHidden(place, hidden);
            context = model.attend(side, place, model.queries(side, place, gatherRows(x, single), positions), sequences,
                                   source, ownGates);
        } else {
            context = model.attend(side, place, model.queries(side, place, x, positions), sequences, source, ownGates);
        }
        if (onContext)
            onContext(place, context);
        return context;
    }
    Rows gate(int place, const AttentionSpec &attention, Rows context) const
    {
        return model.gate(attention, std::move(context), sequences, positions, gatesAt(place, attention));
    }
    Rows close(int place, const AttentionSpec &, const Rows &context, const Rows &) const
    {
        return model.close(side, place, context);
    }
    Rows feedForward(int place, const FeedForwardSpec &, const Rows &x) const
    {
        return model.feedForward(side, place, x);
    }
    Rows scale(Rows output, double by) const { return model.scale(std::move(output), by); }
    Rows add(const Rows &hidden, Rows output) const { return model.add(hidden, std::move(output)); }

    RowGates gatesAt(int place, const AttentionSpec &attention) const
    {
        return gates ? gates(attention.kind, model.spec().stack(side)->at(place).layer) : RowGates();
    }
    /// Makes every sequence attend to its own rows in any stack.
    void attendToOwnRows()
    {
        keys = [this](int place, const AttentionSpec &, const Rows &x) {
            m_ownKeys = model.keysAndValues(side, place, x, positions);
            return keysOfSequences(m_ownKeys, sequences);
        };
    }
    /// Records the hidden states that attentions add to, and their contexts, by place.
    void recordActivations(std::vector<Rows> &hiddenByPlace, std::vector<Rows> &contextByPlace)
    {
        onHidden = [this, &hiddenByPlace](int place, const Rows &hidden) {
            if (model.spec().stack(side)->at(place).attention())
                hiddenByPlace[static_cast<std::size_t>(place)] = hidden;
        };
        onContext = [&contextByPlace](int place, const Rows &context) {
            contextByPlace[static_cast<std::size_t>(place)] = context;
        };
    }

    /// Runs the stack from `state` to its end → hidden states after it [R, D], with the norm that may follow.
    Rows runToEnd(WalkState<Rows> state)
    {
        walk(model.spec(), side, state, model.spec().stack(side)->places(), *this);
        return model.finish(side, std::move(state.hidden));
    }
    /// The cut to one row of every sequence, none of which is empty.
    void keepOneRow()
    {
        std::vector<std::int64_t> kept;
        for (const std::int64_t row : side == Side::Encoder ? sequences.firstRows() : sequences.lastRows())
            kept.push_back(positions[static_cast<std::size_t>(row)]);
        positions = std::move(kept);
        sequences = Sequences::ofOneRow(sequences.count());
    }

    Rows m_ownKeys{}; ///< of attendToOwnRows()
};

} // namespace headscope
