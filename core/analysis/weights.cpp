#include "core/analysis/weightsspec.h"

#include "core/analysis/input.h"

#include "core/metrics/bootstrap.h"
#include "core/sharing/circuits.h"
#include "core/sharing/energy.h"
#include "core/sharing/sharedmodel.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace headscope {
namespace {

using Places = std::vector<std::pair<HeadKind, int>>;

/// R of the orthogonal decompositions of matrices [..., n, d]: what is left of their products' lengths. [..., r, d].
torch::Tensor lengthsOf(const torch::Tensor &matrices)
{
    return std::get<1>(torch::linalg_qr(matrices, "r"));
}

/// Σλ / Σ|λ|; none where eigenvalues are nothing but rounding beside matrices of this `norm`.
std::optional<double> eigenvalueScore(const torch::Tensor &eigenvalues, double norm)
{
    constexpr double kRounding = 1e-6; // the square root of what is lost of a defective matrix in float64, and more
    const double sizes = eigenvalues.abs().sum().item<double>();
    if (!(sizes > kRounding * norm))
        return std::nullopt;
    return std::clamp(torch::real(eigenvalues).sum().item<double>() / sizes, -1.0, 1.0);
}

std::vector<double> numbersOf(const torch::Tensor &tensor)
{
    const auto values = tensor.to(torch::kCPU, torch::kFloat64).contiguous();
    return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

/// The factors of a bilinear map: what one side reads and the other writes: left · right, left [H, D, d], right [H, d,
/// D].
struct Factors
{
    torch::Tensor left, right;
};

/// Numbers of the maps left · right of all heads. `between` [D, D]: what stands between the map's end and its
/// beginning over the vocabulary, so that right · between · left has the eigenvalues of the map from tokens to tokens.
std::vector<CircuitNumbers> circuitNumbers(const Factors &factors, const torch::Tensor &between, bool values)
{
    const auto sizes = torch::linalg_svdvals(
        torch::matmul(lengthsOf(factors.left), lengthsOf(factors.right.transpose(1, 2)).transpose(1, 2)));
    const auto eigenvalues = torch::linalg_eigvals(torch::matmul(factors.right, factors.left));
    const auto setEigenvalues
        = [](const torch::Tensor &all, std::vector<double> &real, std::vector<double> &imaginary) {
              const auto order = std::get<1>(all.abs().sort(/*stable=*/true, 0, /*descending=*/true));
              const auto sorted = all.index_select(0, order);
              real = numbersOf(torch::real(sorted));
              imaginary = numbersOf(torch::imag(sorted));
          };
    torch::Tensor ofVocabulary, vocabularyNorms;
    if (between.defined()) {
        const auto product = torch::matmul(torch::matmul(factors.right, between), factors.left);
        ofVocabulary = torch::linalg_eigvals(product);
        vocabularyNorms = torch::linalg_norm(factors.right, 2, torch::IntArrayRef{1, 2})
                        * torch::linalg_norm(factors.left, 2, torch::IntArrayRef{1, 2})
                        * torch::linalg_norm(between, 2, torch::IntArrayRef{0, 1});
    }
    std::vector<CircuitNumbers> all;
    for (std::int64_t h = 0; h < factors.left.size(0); ++h) {
        CircuitNumbers &numbers = all.emplace_back();
        numbers.norm = std::sqrt(sizes[h].square().sum().item<double>());
        numbers.effectiveRank = spectrumOf(sizes[h]).effectiveRank;
        numbers.eigenvalueScore = eigenvalueScore(eigenvalues[h], numbers.norm);
        if (between.defined())
            numbers.vocabularyScore = eigenvalueScore(ofVocabulary[h], vocabularyNorms[h].item<double>());
        if (!values)
            continue;
        numbers.singularValues = numbersOf(sizes[h]);
        setEigenvalues(eigenvalues[h], numbers.eigenvaluesReal, numbers.eigenvaluesImaginary);
        if (between.defined())
            setEigenvalues(ofVocabulary[h], numbers.vocabularyReal, numbers.vocabularyImaginary);
    }
    return all;
}

/// Lengths of left · bias, head by head; undefined biases say nothing.
void setBiasNorms(std::vector<HeadWeightNumbers> &heads, CircuitNumbers HeadWeightNumbers::*circuit,
                  const torch::Tensor &left, const torch::Tensor &bias)
{
    if (!bias.defined())
        return;
    const auto norms = torch::matmul(left, bias.unsqueeze(2)).norm(2, {1, 2});
    for (std::size_t h = 0; h < heads.size(); ++h)
        (heads[h].*circuit).biasNorm = norms[static_cast<std::int64_t>(h)].item<double>();
}

std::vector<HeadWeightNumbers> headNumbers(const HeadCircuits &circuits, const TransformerSpec &spec,
                                           const VocabularyProducts &vocabulary, bool values)
{
    const bool isOfDecoder = circuits.kind == HeadKind::Decoder;
    const bool readsWords = isOfDecoder || (circuits.kind == HeadKind::Cross && spec.sharedEmbedding);
    const auto none = torch::Tensor();
    const auto tokens = readsWords && vocabulary.outputTimesInput.defined() ? vocabulary.outputTimesInput.t() : none;
    const auto ov = circuitNumbers({circuits.out, circuits.value}, tokens, values);
    const auto qk = circuitNumbers({circuits.query.transpose(1, 2), circuits.key},
                                   isOfDecoder ? vocabulary.inputTimesInput : none, values);
    std::vector<HeadWeightNumbers> heads;
    for (std::size_t h = 0; h < circuits.heads.size(); ++h)
        heads.push_back({{circuits.kind, circuits.layer, circuits.heads[h]}, ov[h], qk[h]});
    setBiasNorms(heads, &HeadWeightNumbers::ov, circuits.out, circuits.valueBias);
    setBiasNorms(heads, &HeadWeightNumbers::qk, circuits.key.transpose(1, 2), circuits.queryBias);
    return heads;
}

/// One side of a composition: the singular vectors of heads' maps on the side of the stream, in float32, and how much
/// of the map each has: σ² by their sum; zeros of a map that is nothing.
struct ComposedSide
{
    torch::Tensor vectors; ///< of a sender [D, H·r], of a receiver [H·r, D]
    torch::Tensor shares;  ///< [H, r]

    std::int64_t heads() const { return shares.size(0); }
    std::int64_t rank() const { return shares.size(1); }
};

torch::Tensor sharesOf(const torch::Tensor &values)
{
    const auto squares = values.square();
    const auto sums = squares.sum(1, true);
    return torch::where(sums > 0, squares / sums, torch::zeros_like(squares)).to(torch::kFloat32);
}

ComposedSide senderOf(const SingularFactors &factors)
{
    return {factors.left.permute({1, 0, 2}).flatten(1).to(torch::kFloat32).contiguous(), sharesOf(factors.values)};
}

/// `rows` [H, r, D].
ComposedSide receiverOf(const torch::Tensor &rows, const torch::Tensor &values)
{
    return {rows.flatten(0, 1).to(torch::kFloat32).contiguous(), sharesOf(values)};
}

/// Both [receivers, senders], float64.
struct PairScores
{
    torch::Tensor compositions; ///< ‖A B‖ / (‖A‖ ‖B‖)
    torch::Tensor kernels;      ///< ‖UᵀV‖²
};

/// With A's singular vectors V and values σ, and B's U and τ: ‖A B‖² = Σ σ_i² τ_j² (VᵀU)_ij².
PairScores pairScores(const ComposedSide &receiver, const ComposedSide &sender)
{
    const auto squares = torch::matmul(receiver.vectors, sender.vectors).square_();
    const auto weights = torch::stack({torch::ones_like(receiver.shares), receiver.shares}, 1); // [R, 2, r]
    const auto sums = torch::bmm(weights, squares.view({receiver.heads(), receiver.rank(), -1}))
                          .view({receiver.heads(), 2, sender.heads(), sender.rank()});
    const auto least = static_cast<double>(std::min(receiver.rank(), sender.rank()));
    return {(sums.select(1, 1) * sender.shares).sum(2).to(torch::kFloat64).clamp(0, 1).sqrt(),
            sums.select(1, 0).sum(2).to(torch::kFloat64).clamp(0, least)};
}

/// All pairs of heads of a model. The maps of a layer are made again when it receives: those of all layers at once
/// would be as large as the model twice over.
class CompositionPass
{
public:
    CompositionPass(const Transformer &model, const Places &places, const std::vector<ComposedSide> &senders,
                    const JobControl &control)
        : m_model(model), m_places(places), m_senders(senders), m_control(control)
    {
    }

    std::vector<HeadComposition> run(const Execution &execution) const
    {
        std::vector<std::vector<HeadComposition>> parts(m_places.size());
        std::atomic<std::int64_t> done = 0;
        const auto all = std::ssize(m_places);
        execution.parallelFor(all, [&](std::int64_t i) {
            const torch::NoGradGuard noGrad;
            const auto [kind, layer] = m_places[static_cast<std::size_t>(i)];
            parts[static_cast<std::size_t>(i)] = ofReceivers(headCircuits(m_model, kind, layer));
            m_control.progress({kPhaseComposing, "layers", ++done, all});
        });
        std::vector<HeadComposition> composition;
        for (std::vector<HeadComposition> &part : parts)
            std::ranges::move(part, std::back_inserter(composition));
        return composition;
    }

private:
    std::vector<HeadComposition> ofReceivers(const HeadCircuits &circuits) const
    {
        std::vector<HeadComposition> heads;
        for (const int head : circuits.heads)
            heads.push_back({.head = {circuits.kind, circuits.layer, head}});
        const SingularFactors qk = singularFactors(circuits.query.transpose(1, 2), circuits.key);
        const SingularFactors ov = singularFactors(circuits.out, circuits.value);
        add(CompositionInput::Query, receiverOf(qk.left.transpose(1, 2), qk.values), heads);
        add(CompositionInput::Key, receiverOf(qk.right, qk.values), heads);
        add(CompositionInput::Value, receiverOf(ov.right, ov.values), heads);
        return heads;
    }

    void add(CompositionInput input, const ComposedSide &receiver, std::vector<HeadComposition> &heads) const
    {
        for (std::size_t s = 0; s < m_places.size(); ++s) {
            const HeadRef any{m_places[s].first, m_places[s].second, 0};
            if (!composes(heads.front().head, input, any))
                continue;
            m_control.checkpoint();
            const PairScores scores = pairScores(receiver, m_senders[s]);
            for (std::size_t r = 0; r < heads.size(); ++r) {
                const auto row = static_cast<std::int64_t>(r);
                append(scores.compositions[row], heads[r].scores(input));
                append(scores.kernels[row], heads[r].kernels(input));
            }
        }
    }

    static void append(const torch::Tensor &row, std::vector<double> &scores)
    {
        std::ranges::transform(numbersOf(row), std::back_inserter(scores), [](double score) {
            return std::round(score * 1e6) / 1e6; // more digits would be those of float32
        });
    }

    const Transformer &m_model;
    const Places &m_places;
    const std::vector<ComposedSide> &m_senders; ///< by place
    const JobControl &m_control;
};

/// The composition of two maps of rank d with normal factors. Equal seeds give equal numbers with the same
/// LibTorch.
RandomComposition randomComposition(std::int64_t senderWidth, std::int64_t receiverWidth, std::int64_t width,
                                    std::uint64_t seed, const Execution &execution, const JobControl &control)
{
    constexpr std::int64_t kDraws = 200;
    std::vector<double> scores(kDraws);
    execution.parallelFor(kDraws, [&](std::int64_t draw) {
        const torch::NoGradGuard noGrad;
        control.checkpoint();
        const auto generator = at::detail::createCPUGenerator(seed + static_cast<std::uint64_t>(draw));
        const auto normal = [&](std::int64_t rows, std::int64_t columns) {
            return torch::randn({1, rows, columns}, generator, torch::kFloat32);
        };
        const auto sender = senderOf(singularFactors(normal(width, senderWidth), normal(senderWidth, width)));
        const auto read = singularFactors(normal(width, receiverWidth), normal(receiverWidth, width));
        const auto receiver = receiverOf(read.right, read.values);
        scores[static_cast<std::size_t>(draw)] = pairScores(receiver, sender).compositions.item<double>();
    });
    double sum = 0;
    for (const double score : scores)
        sum += score;
    // Subspaces of p and q dimensions that are uniformly random in D dimensions.
    const double p = static_cast<double>(std::min(senderWidth, width));
    const double q = static_cast<double>(std::min(receiverWidth, width));
    const double d = static_cast<double>(width);
    const double deviation = std::sqrt(2 * p * q * (d - p) * (d - q) / (d * d * std::max(1.0, d - 1) * (d + 2)));
    return {senderWidth, receiverWidth, sum / static_cast<double>(kDraws), percentileInterval(scores),
            p * q / d,   deviation};
}

/// The composition of normal factors for all pairs of head widths.
std::vector<RandomComposition> randomCompositions(const TransformerSpec &spec, const Places &places, std::uint64_t seed,
                                                  const Execution &execution, const JobControl &control)
{
    std::set<std::int64_t> widths;
    for (const auto &[kind, layer] : places)
        widths.insert(spec.attention(kind, layer).headWidth);
    std::vector<RandomComposition> random;
    for (const std::int64_t sender : widths) {
        for (const std::int64_t receiver : widths)
            random.push_back(randomComposition(sender, receiver, spec.width, seed, execution, control));
    }
    return random;
}

} // namespace

WeightsResult AnalysisOf<WeightsSpec>::compute(const WeightsSpec &spec, AnalysisInput &input, Manifest manifest,
                                               const JobControl &control, const Publish<WeightsResult> &)
{
    const Transformer &model = input.model();
    const Execution &execution = input.execution();
    const Places places = attentionsWithHeads(model.layout());
    const VocabularyProducts vocabulary = vocabularyProducts(model, execution, control);
    std::vector<ComposedSide> senders(places.size());
    std::vector<std::vector<HeadWeightNumbers>> numbers(places.size());
    std::atomic<std::int64_t> done = 0;
    execution.parallelFor(std::ssize(places), [&](std::int64_t i) {
        const torch::NoGradGuard noGrad;
        control.checkpoint();
        const auto at = static_cast<std::size_t>(i);
        const HeadCircuits circuits = headCircuits(model, places[at].first, places[at].second);
        numbers[at] = headNumbers(circuits, model.spec(), vocabulary, spec.values);
        if (!spec.withoutComposition)
            senders[at] = senderOf(singularFactors(circuits.out, circuits.value));
        control.progress({kPhaseWeights, "layers", ++done, std::ssize(places)});
    });
    WeightsResult result;
    result.manifest = std::move(manifest);
    for (std::size_t i = 0; i < places.size(); ++i) {
        result.rotary = result.rotary || model.spec().attention(places[i].first, places[i].second).rotary.has_value();
        std::ranges::move(numbers[i], std::back_inserter(result.heads));
    }
    if (!spec.withoutComposition) {
        result.composition = CompositionPass(model, places, senders, control).run(execution);
        result.random = randomCompositions(model.spec(), places, spec.run.seed, execution, control);
    }
    return result;
}

} // namespace headscope
