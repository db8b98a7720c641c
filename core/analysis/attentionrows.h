#pragma once

#include "core/model/spec.h"
#include "core/roles/headcounts.h"
#include "core/task/task.h"

#include <functional>

namespace headscope {

/// Which tokens example `row` of a batch has, as attention of a kind sees them.
AttentionTokens attentionTokens(const AttentionBatch &batch, HeadKind kind, std::size_t row);

/// Calls `visit` for every head of every example of a batch with its attention in float32 on the processor, by
/// `measure`. Norms need batch.kinds[…].valueNorms.
using VisitAttention = std::function<void(const HeadRef &head, std::size_t row, const HeadAttention &attention)>;
void forEachHead(const AttentionBatch &batch, const HeadLayout &layout, AttentionMeasure measure,
                 const VisitAttention &visit);

} // namespace headscope
