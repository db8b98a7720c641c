#include "core/packed/tokenscreen.h"

#include "core/packed/kernels.h"
#include "core/packed/productspeed.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace headscope {

bool TokenScreen::isWorthIt(const RowModel &model)
{
    constexpr std::int64_t kFewestTokens = 2048;
    constexpr double kMostCost = 0.6; // of a product, as the scores that follow take time too
    return TokenScores::canUse(model) && model.transformer().weights().outputWeight.size(0) >= kFewestTokens
        && PackedLinear::canMake(Products::Byte)
        && productCosts(model.spec())[static_cast<std::size_t>(Products::Byte)] < kMostCost;
}

TokenScreen::TokenScreen(const RowModel &model, const Execution &execution) : m_scores(model)
{
    const torch::NoGradGuard noGrad;
    const torch::Tensor &weights = m_scores.weights();
    std::vector<std::function<void()>> works;
    m_bytes = VocabularyProduct(weights, m_scores.bias(), Products::Byte, works);
    auto lengths = torch::empty({2, weights.size(0)}); // of ŵ, and of w − ŵ
    for (std::int64_t first = 0; first < weights.size(0); first += VocabularyProduct::kPart) {
        works.emplace_back([&, first] {
            const std::int64_t count = std::min(VocabularyProduct::kPart, weights.size(0) - first);
            const auto exact = weights.narrow(0, first, count).to(torch::kFloat32);
            const auto seen = PackedLinear::seenByBytes(exact);
            lengths[0].narrow(0, first, count).copy_(seen.norm(2, 1));
            lengths[1].narrow(0, first, count).copy_((exact - seen).norm(2, 1));
        });
    }
    execution.parallelFor(std::ssize(works), [&](std::int64_t i) { works[static_cast<std::size_t>(i)](); });
    m_longest = lengths[0].max().item<float>(); // a NaN remains one: no bound holds then
    m_worst = lengths[1].max().item<float>();
    if (m_scores.bias().defined())
        m_largestBias = m_scores.bias().abs().max().item<float>();
}

/// The error of a token's score by products of bytes and all sums of floats.
float TokenScreen::errorAt(const float *read) const
{
    thread_local std::vector<std::uint8_t> bytes;
    const std::int64_t width = m_scores.width();
    bytes.resize(static_cast<std::size_t>(width));
    float scale = 0;
    kernels::quantize(read, 1, width, bytes.data(), &scale);
    double length = 0, changed = 0;
    for (std::int64_t i = 0; i < width; ++i) {
        const double difference = read[i] - scale * (static_cast<double>(bytes[static_cast<std::size_t>(i)]) - 128.0);
        length += static_cast<double>(read[i]) * read[i];
        changed += difference * difference;
    }
    length = std::sqrt(length);
    const double rounding = 2.0 * TokenScores::kRounding * ((m_longest + m_worst) * length + m_largestBias);
    return static_cast<float>(m_worst * length + m_longest * std::sqrt(changed) + rounding);
}

std::vector<std::optional<RowModel::Choice>> TokenScreen::choices(const Rows &read, const ScoreEdits &edits) const
{
    std::vector<kernels::Scored> top(static_cast<std::size_t>(read.count() * kNear), {kernels::kNothing, 0});
    m_bytes.forScores(read, [&](float *scores, std::int64_t firstRow, std::int64_t rows, std::int64_t firstColumn,
                                std::int64_t columns) {
        ban(edits.bannedLogits, scores, rows, firstColumn, columns);
        banChoices(edits, scores, firstRow, rows, firstColumn, columns);
        kernels::updateTop(scores, rows, columns, firstColumn, kNear, top.data() + firstRow * kNear);
    });
    std::vector<std::optional<RowModel::Choice>> choices(static_cast<std::size_t>(read.count()));
    for (std::int64_t r = 0; r < read.count(); ++r) {
        const kernels::Scored *near = top.data() + r * kNear;
        // The first two here score at least near[1].score − error, and so do the two best of all: a token that scores
        // less than that even with the error added is none of them.
        const float least = near[1].score - 2 * errorAt(read.row(r));
        if (!(near[kNear - 1].score < least)) // nor where there are numbers that are none
            continue;
        std::array<std::int32_t, kNear> tokens{};
        std::int64_t count = 0;
        for (; near[count].score >= least; ++count)
            tokens[static_cast<std::size_t>(count)] = static_cast<std::int32_t>(near[count].index);
        std::array<float, kNear> scores{};
        m_scores.scoresOf(read.row(r), tokens.data(), count, scores.data());
        kernels::Best best{kernels::kNothing, kernels::kNothing, 0};
        for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
            kernels::updateBest(scores[k], tokens[k], best);
        choices[static_cast<std::size_t>(r)] = {best.index, best.first - best.second};
    }
    return choices;
}

} // namespace headscope
