#include "core/packed/rowmodel.h"

#include "core/packed/kernels.h"
#include "core/tensor/indextensor.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope {

ScoreEdits::ScoreEdits(const GenerationSettings &settings, const ScoreProcessor &processor,
                       std::span<const History> histories)
    : bannedLogits(settings.bannedLogits), banned(processor.alwaysBanned()), renormalize(settings.renormalize)
{
    changes.reserve(histories.size());
    for (const History &history : histories)
        changes.push_back(processor.after(history));
}

Rows RowModel::embed(Side side, std::span<const std::int64_t> tokens, std::span<const std::int64_t> positions,
                     std::span<const std::int64_t> types) const
{
    const auto tensor = [&](std::span<const std::int64_t> values) { return indexTensor(values, m_model->device()); };
    const auto embedded
        = m_model->embed(side, tensor(tokens), tensor(positions), types.empty() ? torch::Tensor() : tensor(types));
    Rows rows(embedded.size(0), embedded.size(1), m_model->options());
    rows.tensor().copy_(embedded);
    return rows;
}

std::vector<std::int64_t> RowModel::positionsOf(std::span<const std::int64_t> tokens, const Sequences &sequences) const
{
    std::vector<std::int64_t> positions = sequences.positions();
    if (!spec().positions.pastPadding)
        return positions;
    for (std::int64_t s = 0; s < sequences.count(); ++s) {
        std::int64_t next = 0;
        for (std::int64_t row = sequences.first(s); row < sequences.first(s + 1); ++row) {
            const auto i = static_cast<std::size_t>(row);
            positions[i] = tokens[i] == spec().generation.padId ? -1 : next++;
        }
    }
    return positions;
}

Rows RowModel::finish(Side side, Rows hidden) const
{
    return spec().finalNorm ? normalize(m_model->weights().stack(side).finalNorm, std::move(hidden)) : hidden;
}

Rows RowModel::outputHidden(const Rows &hidden) const
{
    if (!spec().maskedLm && spec().outputScale == 1 && !spec().projectsTokens)
        return hidden;
    const auto read = m_model->outputHidden(hidden.tensor());
    Rows rows(read.size(0), read.size(1), m_model->options()); // with the room that products ask for
    rows.tensor().copy_(read);
    return rows;
}

std::vector<RowModel::Choice> RowModel::choices(const Rows &hidden, const ScoreEdits &edits) const
{
    auto choices = choicesOfLogits(hidden, edits);
    for (std::size_t r = 0; r < edits.changes.size(); ++r) {
        if (const auto token = edits.changes[r].forced)
            choices[r] = {*token, std::numeric_limits<float>::infinity()};
    }
    return choices;
}

std::vector<std::vector<ScoredToken>> RowModel::likeliest(const Rows &hidden, std::int64_t count,
                                                          const ScoreEdits &edits) const
{
    auto tokens = likeliestOfLogits(hidden, count, edits);
    for (std::size_t r = 0; r < edits.changes.size(); ++r) {
        if (const auto token = edits.changes[r].forced)
            tokens[r] = {{0.0F, *token}};
    }
    return tokens;
}

std::vector<std::vector<ScoredToken>> RowModel::bestScores(const Rows &hidden, std::int64_t count,
                                                           const ScoreEdits &edits) const
{
    std::vector<kernels::Scored> top(static_cast<std::size_t>(hidden.count() * count), {kernels::kNothing, 0});
    forLogits(hidden, [&](torch::Tensor &logits, std::int64_t firstRow, std::int64_t firstColumn) {
        const auto scores = logits.to(torch::kCPU, torch::kFloat32).contiguous();
        for (const auto *banned : {&edits.bannedLogits, &edits.banned}) {
            for (const std::int64_t token : *banned) {
                if (token >= firstColumn && token < firstColumn + scores.size(1))
                    scores.select(1, token - firstColumn).fill_(kernels::kNothing);
            }
        }
        kernels::updateTop(scores.data_ptr<float>(), scores.size(0), scores.size(1), firstColumn, count,
                           top.data() + firstRow * count);
    });
    std::vector<std::vector<ScoredToken>> best(static_cast<std::size_t>(hidden.count()));
    for (std::size_t i = 0; i < top.size(); ++i) {
        if (top[i].score > kernels::kNothing)
            best[i / static_cast<std::size_t>(count)].push_back({top[i].score, top[i].index});
    }
    return best;
}

float RowModel::largestLogitDifference(const Rows &hidden, const torch::Tensor &logits) const
{
    float largest = 0;
    forLogits(hidden, [&](const torch::Tensor &own, std::int64_t row, std::int64_t column) {
        const auto given = logits.narrow(0, row, own.size(0)).narrow(1, column, own.size(1));
        const auto difference = (own - given).abs().max().item<float>();
        largest = std::isnan(difference) ? std::numeric_limits<float>::infinity() : std::max(largest, difference);
    });
    return largest;
}

std::vector<MarginError> RowModel::marginErrors(const Rows &hidden, const RowModel &other,
                                                const Rows &otherHidden) const
{
    // Parts of the vocabulary come one after the other: the best of each are put together, then looked up in the other.
    const auto near = likeliestOfLogits(hidden, kNear + 1, ScoreEdits(GenerationSettings(), ScoreProcessor({})));
    std::vector<std::int64_t>
        tokens; // [R, kNear + 1]; where there are fewer, the best again, which differs from itself by 0
    for (const auto &row : near) {
        for (std::size_t k = 0; k <= kNear; ++k)
            tokens.push_back(k < row.size() ? row[k].token : row.empty() ? 0 : row.front().token);
    }
    if (near.empty())
        return {};
    const auto wanted = indexTensor(tokens, m_model->device()).view({-1, kNear + 1});
    const auto differencesOf = [&](const RowModel &model, const Rows &rows) {
        auto found = torch::zeros(wanted.sizes(), wanted.options().dtype(torch::kFloat32));
        model.forLogits(rows, [&](const torch::Tensor &logits, std::int64_t firstRow, std::int64_t firstColumn) {
            const auto columns = wanted.narrow(0, firstRow, logits.size(0)) - firstColumn;
            const auto inside = columns.clamp(0, logits.size(1) - 1);
            auto own = found.narrow(0, firstRow, logits.size(0));
            own.copy_(torch::where(columns == inside, logits.gather(1, inside), own));
        });
        return found.narrow(1, 0, 1) - found;
    };
    constexpr float kNone = std::numeric_limits<float>::infinity();
    const auto own = differencesOf(*this, hidden);
    const auto isBest = wanted == wanted.narrow(1, 0, 1);
    const auto margins = own.masked_fill(isBest, kNone).amin(1).cpu().contiguous();
    const auto wrong = (own - differencesOf(other, otherHidden)).abs().amax(1);
    const auto largest = torch::where(torch::isnan(wrong), torch::full_like(wrong, kNone), wrong).cpu().contiguous();
    std::vector<MarginError> errors;
    for (std::int64_t r = 0; r < margins.size(0); ++r)
        errors.push_back({margins.data_ptr<float>()[r], largest.data_ptr<float>()[r]});
    return errors;
}

} // namespace headscope
