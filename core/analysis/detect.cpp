#include "core/analysis/detectspec.h"

#include "core/analysis/input.h"

#include "core/analysis/pairbootstrap.h"
#include "core/analysis/repeatedtokens.h"
#include "core/metrics/inference.h"
#include "core/metrics/multiplicity.h"
#include "core/metrics/pairedtests.h"
#include "core/model/paddedexecutor.h"
#include "core/tensor/indextensor.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();

/// The divisors of norms, [B, T, 1]: with these kept as they were in a run, everything behind a head's output is
/// linear.
torch::Tensor divisorOf(const torch::Tensor &x, const NormSpec &spec)
{
    const auto centred = spec.kind == NormKind::Rms ? x : x - x.mean(-1, true);
    return (centred.square().mean(-1, true) + spec.epsilon).sqrt();
}

/// A stack that keeps what the norms of sums and of outputs divide by, place by place.
class KeptDivisors : public PaddedExecutor
{
public:
    KeptDivisors(const Transformer &model, Side side, const WalkInputs &around, const StackState &state)
        : PaddedExecutor(
            model, side, around, state.scoreBias,
            torch::arange(state.hidden.size(1), torch::TensorOptions(torch::kInt64).device(model.device()))),
          ofSums(static_cast<std::size_t>(model.spec().stack(side)->places())), ofOutputs(ofSums.size()),
          m_spec(model.spec().norm)
    {
    }

    std::vector<torch::Tensor> ofSums, ofOutputs; ///< undefined: there is no such norm

    torch::Tensor normalize(int place, const torch::Tensor &x)
    {
        if (normsSum(m_spec.placement))
            ofSums[static_cast<std::size_t>(place)] = divisorOf(x, m_spec);
        return PaddedExecutor::normalize(place, x);
    }
    torch::Tensor normalizeOutput(int place, const torch::Tensor &x)
    {
        ofOutputs[static_cast<std::size_t>(place)] = divisorOf(x, m_spec);
        return PaddedExecutor::normalizeOutput(place, x);
    }

private:
    NormSpec m_spec;
};

/// A direction d [B, n, D] behind a norm, as one in front of it: d · norm(x) = d' · x and a constant.
torch::Tensor inFrontOf(const Norm &norm, const NormSpec &spec, const torch::Tensor &divisor,
                        const torch::Tensor &direction)
{
    const auto weighted = direction * norm.weight;
    return (spec.kind == NormKind::Rms ? weighted : weighted - weighted.mean(-1, true)) / divisor;
}

/// The measures of a head in every sequence. NaN: the sequence says nothing.
struct SequenceScores
{
    std::array<std::vector<double>, EnumNames<HeadDetector>::values.size()> detectors;
    std::vector<double> sinkQueries, copyingGain;
    std::vector<std::int64_t> keys; ///< of the first sequence
    std::vector<double> weights;

    std::vector<double> &of(HeadDetector detector) { return detectors[static_cast<std::size_t>(detector)]; }
};

/// Runs the model over the sequences. Batches write rows of their own sequences.
class DetectionPass
{
public:
    DetectionPass(const Transformer &model, const Execution &execution, const RepeatedTokens &tokens,
                  const JobControl &control)
        : m_model(model), m_execution(execution), m_tokens(tokens), m_control(control), m_side(model.spec().lastSide()),
          m_scores(model.layout(), emptyScores(tokens.sequences.size()))
    {
        if (model.spec().saysTokens())
            m_meanRow = meanRow();
    }

    HeadTable<SequenceScores> run();

private:
    static SequenceScores emptyScores(std::size_t sequences)
    {
        SequenceScores scores;
        for (auto &values : scores.detectors)
            values.assign(sequences, kNoScore);
        scores.sinkQueries.assign(sequences, kNoScore);
        scores.copyingGain.assign(sequences, kNoScore);
        return scores;
    }

    std::int64_t sequencesOfBatch() const;
    torch::Tensor meanRow() const;
    void runBatch(std::int64_t begin, std::int64_t end);
    void addAttention(const HeadRef &head, const torch::Tensor &probabilities, std::int64_t begin);
    void addCopying(const HeadRef &head, int place, const KeptDivisors &run, const torch::Tensor &lastDivisor,
                    const torch::Tensor &probabilities, const torch::Tensor &context, std::int64_t column,
                    std::int64_t begin);
    void keepEvidence(const HeadRef &head, const torch::Tensor &probabilities);
    torch::Tensor directionBefore(int place, const KeptDivisors &run, const torch::Tensor &lastDivisor,
                                  torch::Tensor direction) const;
    torch::Tensor ofQueries(const torch::Tensor &rows) const
    {
        return rows.narrow(-2, m_tokens.second(), m_tokens.length);
    }
    static void put(std::vector<double> &values, const torch::Tensor &numbers, std::int64_t begin)
    {
        const auto here = numbers.to(torch::kCPU, torch::kFloat64).contiguous();
        std::copy_n(here.data_ptr<double>(), here.numel(), values.begin() + begin);
    }

    const Transformer &m_model;
    const Execution &m_execution;
    const RepeatedTokens &m_tokens;
    const JobControl &m_control;
    Side m_side;
    torch::Tensor m_meanRow; ///< of the output matrix; undefined: the model says no tokens
    HeadTable<SequenceScores> m_scores;
};

/// So many that their attention takes a quarter of a gigabyte at most: by the model alone, as sums of floats depend on
/// the size of a batch.
std::int64_t DetectionPass::sequencesOfBatch() const
{
    const std::int64_t square = m_tokens.positions() * m_tokens.positions();
    const std::int64_t bytes = 4 * square * std::max<std::int64_t>(1, m_model.layout().size());
    return std::clamp<std::int64_t>((std::int64_t{256} << 20) / std::max<std::int64_t>(1, bytes), 1, 8);
}

torch::Tensor DetectionPass::meanRow() const
{
    constexpr std::int64_t kBlock = 8192;
    const torch::Tensor &table = m_model.weights().outputWeight;
    auto sum = torch::zeros({table.size(1)}, torch::TensorOptions(torch::kFloat64).device(table.device()));
    for (std::int64_t row = 0; row < table.size(0); row += kBlock)
        sum += table.narrow(0, row, std::min(kBlock, table.size(0) - row)).to(torch::kFloat64).sum(0);
    return (sum / table.size(0)).to(m_model.dtype());
}

HeadTable<SequenceScores> DetectionPass::run()
{
    const std::int64_t sequences = std::ssize(m_tokens.sequences);
    const std::int64_t size = sequencesOfBatch();
    const std::int64_t batches = (sequences + size - 1) / size;
    std::atomic<std::int64_t> done = 0;
    m_control.progress({kPhaseRepeatedTokens, "sequences", 0, sequences});
    m_execution.parallelFor(batches, [&](std::int64_t batch) {
        const torch::NoGradGuard noGrad;
        m_control.checkpoint();
        const std::int64_t begin = batch * size;
        const std::int64_t end = std::min(sequences, begin + size);
        runBatch(begin, end);
        m_control.progress({kPhaseRepeatedTokens, "sequences", done += end - begin, sequences});
    });
    return std::move(m_scores);
}

void DetectionPass::runBatch(std::int64_t begin, std::int64_t end)
{
    const TransformerSpec &spec = m_model.spec();
    const StackSpec &stack = *spec.stack(m_side);
    const std::vector<std::vector<std::int64_t>> rows(m_tokens.sequences.begin() + begin,
                                                      m_tokens.sequences.begin() + end);
    const auto batch = TokenBatch::pad(rows, spec.generation.padId, m_model.device());
    StackState state = m_model.begin(m_side, batch);
    Recorder recorder;
    recorder.probabilities = recorder.contexts = true;
    const HeadGates gates;
    const WalkInputs around{gates, nullptr, &recorder};
    KeptDivisors run(m_model, m_side, around, state);
    walk(spec, m_side, state, stack.places(), run);
    const auto lastDivisor = spec.finalNorm ? divisorOf(state.hidden, spec.norm) : torch::Tensor();
    for (int place = 0; place < stack.places(); ++place) {
        const AttentionSpec *attention = stack.at(place).attention();
        if (!attention || attention->heads.empty())
            continue;
        m_control.checkpoint();
        const int layer = stack.at(place).layer;
        const auto probabilities = recorder.at(attention->kind, layer, "probabilities");
        const auto contexts = recorder.at(attention->kind, layer, "context");
        for (std::int64_t h = 0; h < attention->headCount(); ++h) {
            const HeadRef head{attention->kind, layer, attention->heads[static_cast<std::size_t>(h)]};
            const auto ofHead = probabilities.select(1, h);
            addAttention(head, ofHead, begin);
            if (begin == 0)
                keepEvidence(head, ofHead.select(0, 0));
            if (m_meanRow.defined())
                addCopying(head, place, run, lastDivisor, ofHead, contexts.select(1, h), h, begin);
        }
    }
}

/// `probabilities` [B, T, T].
void DetectionPass::addAttention(const HeadRef &head, const torch::Tensor &probabilities, std::int64_t begin)
{
    const auto back = [&](std::int64_t distance, std::int64_t firstQuery, std::int64_t queries) {
        return probabilities.diagonal(-distance, 1, 2).narrow(1, firstQuery - distance, queries).mean(1);
    };
    SequenceScores &scores = m_scores.at(head);
    const std::int64_t n = m_tokens.length;
    put(scores.of(HeadDetector::Induction), back(n - 1, m_tokens.second(), n), begin);
    put(scores.of(HeadDetector::DuplicateToken), back(n, m_tokens.second(), n), begin);
    put(scores.of(HeadDetector::PreviousToken), back(1, 1, m_tokens.positions() - 1), begin);
    const auto first = ofQueries(probabilities).select(2, 0);
    put(scores.of(HeadDetector::FirstToken), first.mean(1), begin);
    put(scores.sinkQueries, (first > kSinkAttention).to(torch::kFloat32).mean(1), begin);
}

void DetectionPass::keepEvidence(const HeadRef &head, const torch::Tensor &probabilities)
{
    const auto [weights, keys] = ofQueries(probabilities).max(1);
    const auto found = keys.cpu().contiguous();
    SequenceScores &scores = m_scores.at(head);
    scores.keys.assign(found.data_ptr<std::int64_t>(), found.data_ptr<std::int64_t>() + found.numel());
    scores.weights.resize(static_cast<std::size_t>(m_tokens.length));
    put(scores.weights, weights, 0);
}

/// The logits' gains of attended tokens by what the head adds itself. `context` [B, T, Dh].
void DetectionPass::addCopying(const HeadRef &head, int place, const KeptDivisors &run,
                               const torch::Tensor &lastDivisor, const torch::Tensor &probabilities,
                               const torch::Tensor &context, std::int64_t column, std::int64_t begin)
{
    const TransformerWeights &weights = m_model.weights();
    const auto keys = std::get<1>(ofQueries(probabilities).max(2)); // [B, n]
    std::vector<std::int64_t> flat;
    for (std::int64_t b = 0; b < keys.size(0); ++b)
        flat.insert(flat.end(), m_tokens.sequences[static_cast<std::size_t>(begin + b)].begin(),
                    m_tokens.sequences[static_cast<std::size_t>(begin + b)].end());
    const auto ids = indexTensor(flat, m_model.device()).view({keys.size(0), -1}).gather(1, keys);
    auto direction = weights.outputWeight.index_select(0, ids.flatten()).to(m_model.dtype()) - m_meanRow;
    direction = direction.view({keys.size(0), keys.size(1), -1}) * m_model.spec().outputScale;
    if (m_model.spec().projectsTokens)
        direction = torch::matmul(direction, weights.outputProjection.weight.to(m_model.dtype()));
    direction = directionBefore(place, run, lastDivisor, std::move(direction));
    const std::int64_t width = context.size(2);
    const auto out = weights.stack(m_side).at(place).attention().out.weight.narrow(1, column * width, width);
    const auto columns = out.to(m_model.dtype());
    const auto read = ofQueries(context);
    const auto gains = (torch::matmul(direction, columns) * read).sum(-1); // [B, n]
    const auto lengthOf = [](const torch::Tensor &rows) { return rows.square().sum(-1).sqrt(); };
    // A head whose output the logits do not depend on gains by rounding alone.
    const auto rounding = lengthOf(direction) * lengthOf(read) * (columns.square().sum().sqrt() * 1e-6);
    const auto isCounted = (keys >= m_tokens.first).logical_and(keys < m_tokens.first + 2 * m_tokens.length);
    const auto counted = isCounted.to(torch::kFloat64).sum(1); // none: 0 / 0
    const auto gained = gains.to(torch::kFloat64);
    SequenceScores &scores = m_scores.at(head);
    put(scores.of(HeadDetector::Copying),
        (gains > rounding).logical_and(isCounted).to(torch::kFloat64).sum(1) / counted, begin);
    put(scores.copyingGain, gained.masked_fill(isCounted.logical_not(), 0).sum(1) / counted, begin);
}

/// A direction of the stack's output as one of what the attention at `place` adds.
torch::Tensor DetectionPass::directionBefore(int place, const KeptDivisors &run, const torch::Tensor &lastDivisor,
                                             torch::Tensor direction) const
{
    const NormSpec &norm = m_model.spec().norm;
    const StackWeights &weights = m_model.weights().stack(m_side);
    if (lastDivisor.defined())
        direction = inFrontOf(weights.finalNorm, norm, ofQueries(lastDivisor), direction);
    for (int later = static_cast<int>(run.ofSums.size()) - 1; normsSum(norm.placement) && later >= place; --later)
        direction = inFrontOf(weights.at(later).norm, norm, ofQueries(run.ofSums[static_cast<std::size_t>(later)]),
                              direction);
    if (normsOutput(norm.placement))
        direction = inFrontOf(weights.at(place).outputNorm, norm,
                              ofQueries(run.ofOutputs[static_cast<std::size_t>(place)]), direction);
    return direction;
}

/// Scores of all heads from their sequences, with intervals and tests.
class DetectionTests
{
public:
    explicit DetectionTests(const DetectSpec &spec) : m_spec(spec) { }

    /// A detector says nothing of a head that fewer than two sequences say something of.
    HeadDetection tested(const HeadRef &head, SequenceScores &scores)
    {
        HeadDetection found{.head = head};
        for (std::size_t d = 0; d < scores.detectors.size(); ++d) {
            const auto detector = static_cast<HeadDetector>(d);
            const std::vector<double> values = known(scores.of(detector));
            if (values.size() < 2)
                continue;
            const PatchScore mean = bootstrapOf(values.size()).share(values);
            DetectorScore score{.detector = detector, .score = mean.score, .interval = mean.interval};
            score.sequences = std::ssize(values);
            score.p = oneSidedTTest(mean.score - thresholdOf(detector), standardErrorOf(values, mean.score),
                                    score.sequences);
            found.detectors.push_back(score);
        }
        found.sinkQueries = meanOf(known(scores.sinkQueries));
        found.copyingGain = meanOf(known(scores.copyingGain));
        found.keys = std::move(scores.keys);
        found.weights = std::move(scores.weights);
        return found;
    }

    /// Corrects for all tests; heads without a label need no evidence.
    static void label(std::vector<HeadDetection> &heads)
    {
        std::vector<DetectorScore *> all;
        for (HeadDetection &head : heads) {
            for (DetectorScore &score : head.detectors)
                all.push_back(&score);
        }
        const std::vector<double> adjusted = holmAdjusted(pValuesOf(all));
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i]->pAdjusted = adjusted[i];
        for (HeadDetection &head : heads) {
            std::vector<DetectorScore> held;
            std::ranges::copy_if(head.detectors, std::back_inserter(held),
                                 [](const DetectorScore &score) { return score.pAdjusted <= kSignificanceLevel; });
            std::ranges::stable_sort(held, std::ranges::greater{}, &DetectorScore::score);
            std::ranges::transform(held, std::back_inserter(head.labels), &DetectorScore::detector);
            if (head.labels.empty()) {
                head.keys.clear();
                head.weights.clear();
            }
        }
    }

private:
    static std::vector<double> known(const std::vector<double> &values)
    {
        std::vector<double> numbers;
        std::ranges::copy_if(values, std::back_inserter(numbers), [](double value) { return !std::isnan(value); });
        return numbers;
    }
    static std::optional<double> meanOf(const std::vector<double> &values)
    {
        double sum = 0;
        for (const double value : values)
            sum += value;
        return values.empty() ? std::nullopt : std::optional(sum / static_cast<double>(values.size()));
    }
    static double standardErrorOf(const std::vector<double> &values, double mean)
    {
        double squares = 0;
        for (const double value : values)
            squares += (value - mean) * (value - mean);
        const auto n = static_cast<double>(values.size());
        return std::sqrt(squares / (n - 1) / n);
    }
    double thresholdOf(HeadDetector detector) const
    {
        return detector == HeadDetector::Copying ? m_spec.copyingThreshold : m_spec.threshold;
    }
    const PairBootstrap &bootstrapOf(std::size_t sequences)
    {
        return m_bootstraps.try_emplace(sequences, sequences, m_spec.resamples, m_spec.run.seed).first->second;
    }

    const DetectSpec &m_spec;
    std::map<std::size_t, PairBootstrap> m_bootstraps;
};

/// Attention of a model whose weights are no usual numbers may be none.
void requireScores(const HeadTable<SequenceScores> &scores)
{
    for (const SequenceScores &head : scores.values()) {
        if (std::ranges::any_of(head.detectors.front(), [](double value) { return !std::isfinite(value); }))
            throw Failure(badInput("The model gives no numbers on random tokens, so that nothing is detected. Is a "
                                   "file damaged?"));
    }
}

} // namespace

DetectResult AnalysisOf<DetectSpec>::compute(const DetectSpec &spec, AnalysisInput &input, Manifest manifest,
                                             const JobControl &control, const Publish<DetectResult> &)
{
    const Transformer &model = input.model();
    if (model.spec().isEncoderDecoder())
        throw Failure(usageError("Heads are detected on tokens that a single stack reads: in language models and "
                                 "encoders, not in encoder-decoders."));
    const RepeatedTokens tokens
        = repeatedTokens(model.spec(), input.tokenizer(), spec.length, spec.sequences, spec.run.seed);
    DetectResult result;
    result.manifest = std::move(manifest);
    result.length = tokens.length;
    result.first = tokens.first;
    result.threshold = spec.threshold;
    result.copyingThreshold = spec.copyingThreshold;
    result.examples = spec.sequences;
    result.ids = tokens.sequences.front();
    for (const std::int64_t id : result.ids) {
        if (input.tokenizer())
            result.tokens.push_back(input.tokenizer()->pieceText(id));
    }
    HeadTable<SequenceScores> scores = DetectionPass(model, input.execution(), tokens, control).run();
    requireScores(scores);
    DetectionTests tests(spec);
    for (const HeadRef &head : model.layout().heads()) {
        control.checkpoint();
        result.heads.push_back(tests.tested(head, scores.at(head)));
    }
    DetectionTests::label(result.heads);
    return result;
}

} // namespace headscope
