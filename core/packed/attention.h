#pragma once

#include "core/base/keywindow.h"

#include <cstdint>

namespace headscope::kernels {

/// Attention of consecutive queries to the keys of one sequence, for all heads (Vaswani et al. 2017, eq. 1).
struct Attention
{
    std::int64_t heads = 0;
    std::int64_t scoreWidth = 0; ///< of a head's queries and keys
    std::int64_t headWidth = 0;  ///< of its values
    float scale = 1;
    const float *query = nullptr;       ///< row i: [heads · scoreWidth]
    const float *const *rows = nullptr; ///< of every position, wherever they lie: [keys · scoreWidth]
    std::int64_t valueOffset = 0;       ///< where its values begin: [values · headWidth]
    /// Positions that are read next, like `rows`: brought near head by head, as they lie too far apart for a processor
    /// to guess, and all at once are more than it can wait for.
    const float *const *nextRows = nullptr;
    std::int64_t nextKeys = 0;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    bool causal = false; ///< query i sees keys 0 … keys − queries + i only, and is at the last one's position
    const KeyWindow *windows = nullptr;      ///< [heads], what each sees; null: everything
    std::int64_t reach = -1;                 ///< a query sees no keys further away than so many positions; −1: all
    float cap = 0;                           ///< c: scores s become c·tanh(s/c) before anything is added; 0: they stay
    const std::int64_t *keyPlaces = nullptr; ///< of every head among the keys of a position; null: its own
    const std::int64_t *valuePlaces = nullptr; ///< of every head among the values of a position; null: its own
    /// Added to the scores of head h by key position − query position d: relative[h · relativeStride + relativeCenter +
    /// d].
    const float *relative = nullptr;
    std::int64_t relativeStride = 0;
    std::int64_t relativeCenter = 0;
    const float *sinks = nullptr; ///< [heads], scores that take part in the softmax without a value; null: none do
    const float *added = nullptr; ///< to scores, before any cap: [heads, queries, keys]; null: nothing
    float *context = nullptr;     ///< row i: [heads · headWidth]
};
/// `scratch`: attentionScratch() floats.
void attend(const Attention &attention, float *scratch);
std::int64_t attentionScratch(std::int64_t keys, std::int64_t scoreWidth, std::int64_t headWidth);

} // namespace headscope::kernels
