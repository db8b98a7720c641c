#include "core/packed/torchattention.h"

#include "core/model/experts.h"
#include "core/model/hiddenkeys.h"
#include "core/model/positions.h"
#include "core/model/transformer.h"
#include "core/packed/rowsegments.h"
#include "core/tensor/devicekernels.h"
#include "core/tensor/halfkernels.h"
#include "core/tensor/indextensor.h"

#include <torch/types.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>

namespace headscope {
namespace {

std::int64_t longestOf(const Sequences &sequences)
{
    std::int64_t longest = 1;
    for (std::int64_t s = 0; s < sequences.count(); ++s)
        longest = std::max(longest, sequences.length(s));
    return longest;
}

bool hasEmpty(const Sequences &sequences)
{
    return std::ranges::adjacent_find(sequences.begin) != sequences.begin.end();
}

/// Keys or values as every head reads them, stacked: [..., H, width]. `places`: of every head among them.
torch::Tensor forEveryHead(const torch::Tensor &rows, std::int64_t width, const std::vector<std::int64_t> &places)
{
    const auto heads = rows.unflatten(-1, {-1, width});
    return heads.size(-2) == std::ssize(places) ? heads : heads.index_select(-2, indexTensor(places, rows.device()));
}

/// Rows [..., K] → keys [..., H, Dq] and values [..., H, Dh] of every head.
std::pair<torch::Tensor, torch::Tensor> keysAndValues(const torch::Tensor &rows, const AttentionSpec &spec)
{
    return {forEveryHead(rows.narrow(-1, 0, spec.keyWidth()), spec.scoreWidth(), spec.keyPlaces()),
            forEveryHead(rows.narrow(-1, spec.keyWidth(), spec.valueWidth()), spec.headWidth, spec.valuePlaces())};
}

/// Sequences that are padded to one length.
struct Padded
{
    std::vector<std::int64_t> members;
    std::int64_t longestQueries = 1;
    std::int64_t longestKeys = 1;
};

/// Like lengths together where there is much to save; else all that fit, in their order.
std::vector<Padded> inParts(const TorchAttention &attention)
{
    const std::int64_t heads = attention.spec.headCount();
    const std::int64_t mostScores = std::int64_t(1) << (attention.queries.is_cpu() ? 25 : 27);
    constexpr std::int64_t kManyScores = std::int64_t(1) << 20;
    const Sequences &queries = attention.querySequences;
    const Sequences &keys = attention.keySequences;
    std::vector<std::int64_t> order(static_cast<std::size_t>(queries.count()));
    std::iota(order.begin(), order.end(), 0);
    const bool sorts = std::ssize(order) * heads * longestOf(queries) * longestOf(keys) > kManyScores;
    if (sorts) {
        std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) {
            return std::pair(keys.length(a), queries.length(a)) > std::pair(keys.length(b), queries.length(b));
        });
    }
    std::vector<Padded> parts;
    for (const std::int64_t s : order) {
        const auto scoresWith = [&](const Padded &part) {
            return (std::ssize(part.members) + 1) * heads * std::max(part.longestQueries, queries.length(s))
                 * std::max(part.longestKeys, keys.length(s));
        };
        const bool begins
            = parts.empty() || scoresWith(parts.back()) > mostScores
           || (sorts && 4 * keys.length(s) < 3 * parts.back().longestKeys && scoresWith(parts.back()) > kManyScores);
        Padded &part = begins ? parts.emplace_back() : parts.back();
        part.members.push_back(s);
        part.longestQueries = std::max(part.longestQueries, queries.length(s));
        part.longestKeys = std::max(part.longestKeys, keys.length(s));
    }
    return parts;
}

/// Beginnings and lengths of some sequences, [n] each, on the host and on the device.
struct Lengths
{
    std::vector<std::int64_t> first, count;
    torch::Tensor firstThere, countThere;

    Lengths(const Sequences &sequences, const std::vector<std::int64_t> &members, const torch::Device &device)
    {
        for (const std::int64_t s : members) {
            first.push_back(sequences.first(s));
            count.push_back(sequences.length(s));
        }
        firstThere = indexTensor(first, device);
        countThere = indexTensor(count, device);
    }

    /// Rows [n · longest] of the padded sequences: after their ends, their last rows again.
    torch::Tensor rows(std::int64_t longest, std::int64_t allRows) const
    {
        const auto steps = torch::arange(longest, firstThere.options()).unsqueeze(0);
        const auto inside = torch::minimum(steps, (countThere - 1).clamp_min(0).unsqueeze(1));
        return (firstThere.unsqueeze(1) + inside).clamp_max(allRows - 1).flatten();
    }
};

/// Scores' relative part [1 or n, H, T, S] for queries at `positions` [1 or n, T].
torch::Tensor relativePart(const TorchAttention &attention, const torch::Tensor &positions,
                           const torch::Tensor &columns)
{
    const std::int64_t keys = columns.size(0);
    const auto table = relativeScores(attention.relativeBias, attention.spec, keys, keys).to(columns.device());
    const auto distances = (columns - positions.unsqueeze(-1)).clamp(-keys, keys) + keys; // [·, T, S]
    return table.index_select(1, distances.flatten())
        .view({attention.spec.headCount(), distances.size(0), distances.size(1), keys})
        .transpose(0, 1);
}

/// Windows of the part's sequences.
std::vector<KeyWindow> windowsOf(const TorchAttention &attention, const Padded &part)
{
    std::vector<KeyWindow> windows;
    for (const std::int64_t s : part.members) {
        const auto own = attention.windows.begin() + static_cast<std::ptrdiff_t>(s * attention.spec.headCount());
        windows.insert(windows.end(), own, own + static_cast<std::ptrdiff_t>(attention.spec.headCount()));
    }
    return windows;
}

/// Contexts of one part, its sequences one after the other without padding.
torch::Tensor attendPart(const TorchAttention &attention, const Padded &part)
{
    const AttentionSpec &spec = attention.spec;
    const auto device = attention.queries.device();
    const std::int64_t count = std::ssize(part.members);
    const Lengths queries(attention.querySequences, part.members, device);
    const Lengths keys(attention.keySequences, part.members, device);
    const auto query = attention.queries.index_select(0, queries.rows(part.longestQueries, attention.queries.size(0)))
                           .view({count, part.longestQueries, -1, spec.scoreWidth()})
                           .transpose(1, 2); // [n, H, T, Dq]
    const auto keyValue = attention.keyValues.index_select(0, keys.rows(part.longestKeys, attention.keyValues.size(0)))
                              .view({count, part.longestKeys, spec.keyValueWidth()});
    const auto [ownKeys, ownValues] = keysAndValues(keyValue, spec);
    const auto key = ownKeys.transpose(1, 2);
    const auto value = ownValues.transpose(1, 2);
    const auto scaled = spec.scale != 1 ? query * spec.scale : query;
    auto scores = capped(matrixProduct(scaled, key.transpose(2, 3)), spec.scoreCap); // [n, H, T, S]
    if (spec.disentangled) {
        const auto rows = distanceRows(*spec.disentangled, std::max(part.longestQueries, part.longestKeys)).to(device);
        scores = scores + distanceScores(spec, attention.distances.selectRows(rows), scaled, key);
    }
    const auto columns = torch::arange(part.longestKeys, keys.countThere.options());
    auto positions = torch::arange(part.longestQueries, columns.options()).unsqueeze(0); // [1 or n, T]
    if (spec.causal)
        positions = positions + (keys.countThere - queries.countThere).unsqueeze(1);
    if (spec.addsDistances())
        scores = scores + relativePart(attention, positions, columns).to(scores.scalar_type());
    auto hidden = (columns >= keys.countThere.unsqueeze(1)).view({count, 1, 1, part.longestKeys});
    if (spec.causal)
        hidden = hidden.logical_or((columns > positions.unsqueeze(-1)).unsqueeze(1));
    if (spec.reach)
        hidden = hidden.logical_or(((columns - positions.unsqueeze(-1)).abs() > *spec.reach).unsqueeze(1));
    if (!attention.windows.empty())
        hidden = hidden.logical_or(
            hiddenByWindows(windowsOf(attention, part), spec.headCount(), positions, part.longestKeys));
    const double lowest = hiddenScore(scores.scalar_type());
    auto context = matrixProduct(attentionWeights(scores.masked_fill(hidden, lowest), attention.sinks), value);
    if (hasEmpty(attention.keySequences))
        context = context.masked_fill((keys.countThere == 0).view({count, 1, 1, 1}), 0);
    std::vector<std::int64_t> begins;
    for (std::int64_t i = 0; i < count; ++i)
        begins.push_back(i * part.longestQueries);
    return context.transpose(1, 2)
        .reshape({count * part.longestQueries, spec.width()})
        .index_select(0, segmentIndices(begins, queries.count, device));
}

torch::Tensor beginsOf(const Sequences &sequences, const torch::Device &device, KeptIndices *kept)
{
    const auto make = [&] { return indexTensor(sequences.begin, device).to(torch::kInt32); };
    return kept ? kept->of(KeptIndices::Kind::Begins, sequences.begin, make) : make();
}

} // namespace

bool canFuse(const TorchAttention &attention)
{
    const AttentionSpec &spec = attention.spec;
    const bool seesAll = !spec.reach || longestOf(attention.keySequences) <= *spec.reach + 1;
    return seesAll && attention.windows.empty() && spec.scoreCap == 0 && !spec.addsDistances() && !spec.disentangled
        && !spec.sinks && spec.scoreWidth() == spec.headWidth && !hasEmpty(attention.keySequences)
        && canAttendPacked(attention.queries.options(), spec.headWidth);
}

torch::Tensor attendFused(const TorchAttention &attention)
{
    const AttentionSpec &spec = attention.spec;
    const auto device = attention.queries.device();
    PackedAttention packed;
    packed.queries = attention.queries.unflatten(1, {-1, spec.scoreWidth()});
    std::tie(packed.keys, packed.values) = keysAndValues(attention.keyValues, spec);
    packed.queryBegins = beginsOf(attention.querySequences, device, attention.kept);
    packed.keyBegins = beginsOf(attention.keySequences, device, attention.kept);
    packed.longestQueries = longestOf(attention.querySequences);
    packed.longestKeys = longestOf(attention.keySequences);
    packed.scale = spec.scale;
    packed.causal = spec.causal;
    return attendPacked(packed).flatten(1);
}

torch::Tensor attendPadded(const TorchAttention &attention)
{
    if (attention.keyValues.size(0) == 0)
        return torch::zeros({attention.queries.size(0), attention.spec.width()}, attention.queries.options());
    const std::vector<Padded> parts = inParts(attention);
    if (parts.size() == 1 && std::ranges::is_sorted(parts.front().members))
        return attendPart(attention, parts.front());
    auto contexts = torch::empty({attention.queries.size(0), attention.spec.width()}, attention.queries.options());
    for (const Padded &part : parts) {
        std::vector<std::int64_t> first, count;
        for (const std::int64_t s : part.members) {
            first.push_back(attention.querySequences.first(s));
            count.push_back(attention.querySequences.length(s));
        }
        contexts.index_copy_(0, segmentIndices(first, count, contexts.device()), attendPart(attention, part));
    }
    return contexts;
}

} // namespace headscope
