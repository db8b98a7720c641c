#include "core/sharing/circuits.h"

#include "core/base/result.h"
#include "core/sharing/headmaps.h"
#include "core/tensor/indextensor.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace headscope {
namespace {

torch::Tensor asDouble(const torch::Tensor &tensor)
{
    return tensor.detach().to(torch::kCPU, torch::kFloat64);
}

/// A norm that a matrix reads through; null: none.
struct ReadNorm
{
    const Norm *norm = nullptr;
    bool centres = false;

    /// W [..., D] of what the norm gives, as one of what it is given, but for what it divides by.
    torch::Tensor folded(const torch::Tensor &weight) const
    {
        if (!norm)
            return weight;
        const auto weighted = weight * asDouble(norm->weight);
        return centres ? weighted - weighted.mean(-1, true) : weighted;
    }
    /// The norm of x [..., D] without its division and its bias.
    torch::Tensor applied(const torch::Tensor &x) const
    {
        return !norm ? x : (centres ? x - x.mean(-1, true) : x) * asDouble(norm->weight);
    }
    /// The norm's bias behind W [..., D]; undefined: it has none.
    torch::Tensor ofBias(const torch::Tensor &weight) const
    {
        return norm && norm->bias.defined() ? torch::matmul(weight, asDouble(norm->bias)) : torch::Tensor();
    }
};

/// The norm between the stream and what the sub-layer reads of its own stack.
ReadNorm readNorm(const Transformer &model, Side side, int place)
{
    const TransformerSpec &spec = model.spec();
    const StackWeights &weights = model.weights().stack(side);
    const bool centres = spec.norm.kind == NormKind::Layer;
    const NormPlacement placement = spec.norm.placement;
    if (normsInput(placement) && spec.stack(side)->at(place).normsInput)
        return {&weights.at(place).norm, centres};
    if (normsSum(placement) && place > 0)
        return {&weights.at(place - 1).norm, centres};
    const bool readsEmbeddings = place == 0 && !weights.projection.weight.defined();
    return readsEmbeddings && spec.embeddingNorm ? ReadNorm{&weights.embeddingNorm, centres} : ReadNorm();
}

/// The norm between the stream's end and what reads the stack's output.
ReadNorm endNorm(const Transformer &model, Side side)
{
    const TransformerSpec &spec = model.spec();
    const StackWeights &weights = model.weights().stack(side);
    const bool centres = spec.norm.kind == NormKind::Layer;
    if (spec.finalNorm)
        return {&weights.finalNorm, centres};
    const int places = spec.stack(side)->places();
    return normsSum(spec.norm.placement) && places > 0 ? ReadNorm{&weights.at(places - 1).norm, centres} : ReadNorm();
}

/// Rows [H·d, D] (or [H·d]) by head, of those heads alone that are there.
torch::Tensor byHead(const torch::Tensor &rows, std::int64_t width, const std::vector<std::int64_t> &places)
{
    const auto heads = rows.unflatten(0, {-1, width});
    return heads.index_select(0, indexTensor(places, torch::kCPU));
}

/// Where the heads' rows are among those that are projected.
std::vector<std::int64_t> queryRows(const AttentionSpec &attention)
{
    std::vector<std::int64_t> places;
    for (std::int64_t h = 0; h < attention.headCount(); ++h)
        places.push_back(
            attention.projectedQueries() == attention.headCount() ? h : attention.heads[static_cast<std::size_t>(h)]);
    return places;
}

std::vector<std::int64_t> keyRows(const AttentionSpec &attention)
{
    std::vector<std::int64_t> places = attention.keyPlaces();
    if (attention.projectedKeys() == attention.keyCount())
        return places;
    const std::vector<int> keys = attention.keyHeads();
    for (std::int64_t &place : places)
        place = keys[static_cast<std::size_t>(place)];
    return places;
}

/// [H·d, 1] of what the norm of queries or keys multiplies by.
torch::Tensor scaledByHeadNorm(const AttentionSpec &attention, const Norm &norm, const torch::Tensor &rows)
{
    if (!attention.headNorm || !norm.weight.defined())
        return rows;
    const auto weight = asDouble(norm.weight);
    const auto all = attention.headNorm->together ? weight : weight.repeat({rows.size(0) / weight.size(0)});
    return rows * (rows.dim() > 1 ? all.unsqueeze(1) : all);
}

torch::Tensor sumOf(const torch::Tensor &a, const torch::Tensor &b)
{
    return !a.defined() ? b : b.defined() ? a + b : a;
}

void setQueriesAndKeys(const AttentionSpec &attention, const AttentionWeights &weights, const ReadNorm &queries,
                       const ReadNorm &keys, HeadCircuits &circuits)
{
    if (attention.sharesProjections()) {
        const HeadMaps maps = headMaps(attention, weights);
        circuits.query = queries.folded(maps.query);
        circuits.key = keys.folded(maps.key);
        return;
    }
    const auto query = scaledByHeadNorm(attention, weights.queryNorm, asDouble(weights.query.weight));
    const auto key = scaledByHeadNorm(attention, weights.keyNorm, asDouble(weights.key.weight));
    circuits.query = byHead(queries.folded(query), attention.headWidth, queryRows(attention));
    circuits.key = byHead(keys.folded(key), attention.headWidth, keyRows(attention));
    torch::Tensor bias = weights.query.bias.defined()
                           ? scaledByHeadNorm(attention, weights.queryNorm, asDouble(weights.query.bias))
                           : torch::Tensor();
    bias = sumOf(bias, queries.ofBias(query));
    if (bias.defined())
        circuits.queryBias = byHead(bias, attention.headWidth, queryRows(attention));
}

void setValuesAndOutputs(const TransformerSpec &spec, const AttentionSpec &attention, const SubLayerWeights &own,
                         const ReadNorm &values, HeadCircuits &circuits)
{
    const AttentionWeights &weights = own.attention();
    const auto value = asDouble(weights.value.weight);
    circuits.value = byHead(values.folded(value), attention.headWidth, attention.valuePlaces());
    const auto bias
        = sumOf(weights.value.bias.defined() ? asDouble(weights.value.bias) : torch::Tensor(), values.ofBias(value));
    if (bias.defined())
        circuits.valueBias = byHead(bias, attention.headWidth, attention.valuePlaces());
    auto out = asDouble(weights.out.weight); // [D, H·Dh]
    if (normsOutput(spec.norm.placement))
        out = out * asDouble(own.outputNorm.weight).unsqueeze(1);
    if (spec.norm.kind == NormKind::Layer)
        out = out - out.mean(0, true);
    circuits.out = out.unflatten(1, {attention.headCount(), attention.headWidth}).transpose(0, 1).contiguous();
}

} // namespace

HeadCircuits headCircuits(const Transformer &model, HeadKind kind, int layer)
{
    const TransformerSpec &spec = model.spec();
    const Side side = sideOf(kind);
    const int place = spec.placeOf(kind, layer);
    const AttentionSpec &attention = spec.attention(kind, layer);
    const SubLayerWeights &own = model.weights().stack(side).at(place);
    HeadCircuits circuits{.kind = kind, .layer = layer, .heads = attention.heads};
    const ReadNorm queries = readNorm(model, side, place);
    const ReadNorm keys = attention.readsMemory() ? endNorm(model, Side::Encoder) : queries;
    setQueriesAndKeys(attention, own.attention(), queries, keys, circuits);
    setValuesAndOutputs(spec, attention, own, keys, circuits);
    for (const torch::Tensor &map : {circuits.query, circuits.key, circuits.value, circuits.out}) {
        if (!torch::isfinite(map).all().item<bool>())
            throw Failure(badInput("The weights of " + std::string(headKindName(kind)) + " attention in layer "
                                   + std::to_string(layer)
                                   + " are no numbers, so that nothing is computed. Is the file damaged?"));
    }
    return circuits;
}

namespace {

/// Whether no head's lengths [H, r, r], upper triangles, lose a dimension.
bool haveFullRank(const torch::Tensor &lengths, double tolerance)
{
    if (lengths.size(1) != lengths.size(2))
        return false;
    const auto inverses = torch::linalg_solve_triangular(
        lengths, torch::eye(lengths.size(1), lengths.options()).expand_as(lengths), /*upper=*/true);
    const auto conditions = lengths.norm(2, {1, 2}) * inverses.norm(2, {1, 2}); // no less than those of norm 2
    return (conditions < 1 / tolerance).all().item<bool>();                     // false: no numbers
}

} // namespace

OrthogonalFactors orthogonalFactors(const torch::Tensor &matrices)
{
    constexpr double kSinglePrecision = std::numeric_limits<float>::epsilon(); // of the weights in files
    const auto [basis, lengths] = torch::linalg_qr(matrices, "reduced");
    const double tolerance = static_cast<double>(std::max(matrices.size(1), matrices.size(2))) * kSinglePrecision;
    if (haveFullRank(lengths, tolerance))
        return {basis, lengths};
    const auto [left, values, right] = torch::linalg_svd(lengths, /*full_matrices=*/false);
    const auto isThere = (values > tolerance * values.amax(1, true)).to(matrices.scalar_type());
    return {torch::matmul(basis, left) * isThere.unsqueeze(1), (values * isThere).unsqueeze(2) * right};
}

SingularFactors singularFactors(const torch::Tensor &left, const torch::Tensor &right)
{
    const OrthogonalFactors write = orthogonalFactors(left);
    const OrthogonalFactors read = orthogonalFactors(right.transpose(1, 2));
    const auto [from, values, to]
        = torch::linalg_svd(torch::matmul(write.lengths, read.lengths.transpose(1, 2)), /*full_matrices=*/false);
    return {torch::matmul(write.basis, from), values, torch::matmul(to, read.basis.transpose(1, 2))};
}

torch::Tensor throughEndNorm(const Transformer &model, Side side, const torch::Tensor &directions)
{
    return endNorm(model, side).applied(directions);
}

namespace {

constexpr std::int64_t kTableBlock = 8192; ///< rows of a table that are widened at once
constexpr std::int64_t kTableParts = 4;    ///< of a table that are added up at once

/// Σ_v a_v b_vᵀ over rows of two tables, and their sums. Products are made in float32 block by block, and added up in
/// float64.
struct TableSums
{
    torch::Tensor products, left, right;

    void add(const TableSums &other)
    {
        products = sumOf(products, other.products);
        left = sumOf(left, other.left);
        right = sumOf(right, other.right);
    }
};

TableSums tableSums(const torch::Tensor &left, const torch::Tensor &right, const Execution &execution,
                    const JobControl &control)
{
    const std::int64_t rows = std::min(left.size(0), right.size(0));
    const std::int64_t blocks = (rows + kTableBlock - 1) / kTableBlock;
    std::vector<TableSums> parts(static_cast<std::size_t>(std::min(kTableParts, blocks)));
    execution.parallelFor(std::ssize(parts), [&](std::int64_t part) {
        const torch::NoGradGuard noGrad;
        for (std::int64_t block = part; block < blocks; block += std::ssize(parts)) {
            control.checkpoint();
            const std::int64_t begin = block * kTableBlock;
            const std::int64_t count = std::min(kTableBlock, rows - begin);
            const auto rowsOf = [&](const torch::Tensor &table) {
                return table.narrow(0, begin, count).to(torch::kCPU, torch::kFloat32);
            };
            const auto a = rowsOf(left);
            const auto b = left.is_same(right) ? a : rowsOf(right);
            parts[static_cast<std::size_t>(part)].add({torch::matmul(a.t(), b).to(torch::kFloat64),
                                                       a.sum(0, false, torch::kFloat64),
                                                       b.sum(0, false, torch::kFloat64)});
        }
    });
    TableSums all;
    for (const TableSums &part : parts)
        all.add(part);
    return all;
}

} // namespace

VocabularyProducts vocabularyProducts(const Transformer &model, const Execution &execution, const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    const TransformerSpec &spec = model.spec();
    if (!spec.saysTokens())
        return {};
    const TransformerWeights &weights = model.weights();
    const StackWeights &stack = weights.decoder;
    const torch::Tensor &input = stack.embedding;
    const torch::Tensor &output = weights.outputWeight;
    const auto projected = [](const Linear &linear, const torch::Tensor &rows) {
        return linear.weight.defined() ? torch::matmul(asDouble(linear.weight), rows) : rows;
    };
    const TableSums inputs = tableSums(input, input, execution, control);
    const bool isTied = output.is_same(input) || output.data_ptr() == input.data_ptr();
    const TableSums both = isTied ? inputs : tableSums(output, input, execution, control);
    VocabularyProducts products;
    const auto between = projected(stack.projection, projected(stack.projection, inputs.products).t());
    products.inputTimesInput = between;
    const double rows = static_cast<double>(output.size(0));
    auto mixed = both.products - torch::outer(both.left / rows, both.right);
    if (spec.projectsTokens && weights.outputProjection.weight.defined())
        mixed = torch::matmul(asDouble(weights.outputProjection.weight).t(), mixed);
    mixed = projected(stack.projection, mixed.t()).t(); // [D, D]
    products.outputTimesInput = endNorm(model, Side::Decoder).folded(mixed.t()).t().contiguous();
    return products;
}

} // namespace headscope
