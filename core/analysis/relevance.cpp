#include "core/analysis/relevance.h"

#include "core/analysis/analysisinfo.h"
#include "core/analysis/exampleencoding.h"
#include "core/analysis/forcedprefix.h"
#include "core/analysis/input.h"
#include "core/analysis/keptsums.h"
#include "core/analysis/throttle.h"
#include "core/engine/engine.h"
#include "core/model/removeheads.h"
#include "core/relevance/traversal.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>

namespace headscope {

template<typename Archive>
void visitSums(Archive &archive, ContributionPoint &point)
{
    archive(point.examples, point.source, point.sourceEntropy, point.prefixEntropy);
}
template<typename Archive>
void visitSums(Archive &archive, ExampleRelevance &example)
{
    archive(example.index, example.steps, example.heads, example.source, example.prefix);
}

namespace {

/// Sentences between two partial results; lengths differ, so a few for every thread.
constexpr std::int64_t kSlice = 32;

double entropy(const double *shares, std::int64_t count)
{
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i)
        sum += shares[i];
    double nats = 0;
    for (std::int64_t i = 0; i < count && sum > 0; ++i) {
        if (const double p = shares[i] / sum; p > 0)
            nats -= p * std::log(p);
    }
    return nats;
}

/// One sentence as the averages need it.
struct SentenceShares
{
    std::int64_t steps = 0;
    /// Per layer of the traversed model: shares [K, H]; a step without shares has NaN.
    std::map<std::pair<HeadKind, int>, torch::Tensor> heads;
    torch::Tensor source; ///< [K, S] shares of source and prefix together; undefined: there is no encoder
    torch::Tensor prefix; ///< [K, T]; undefined: there is no decoder
    torch::Tensor total;  ///< [K]
};

SentenceShares sharesOf(const RelevanceTrace &trace, bool absolute)
{
    SentenceShares result;
    result.steps = trace.total.size(0);
    result.total = trace.total.contiguous();
    for (const auto &[where, relevance] : trace.heads) {
        const auto values = absolute ? relevance.abs() : relevance;
        result.heads[where] = (values / values.sum(1, true)).contiguous(); // 0/0: no share
    }
    if (!trace.prefix.defined()) {
        if (trace.source.defined())
            result.source = (trace.source / trace.source.sum(1, true)).nan_to_num(0).contiguous();
        return result;
    }
    auto all = trace.prefix.sum(1, true);
    if (trace.source.defined()) {
        all = all + trace.source.sum(1, true);
        result.source = (trace.source / all).nan_to_num(0).contiguous();
    }
    result.prefix = (trace.prefix / all).nan_to_num(0).contiguous();
    return result;
}

std::vector<std::vector<double>> rowsOf(const torch::Tensor &matrix)
{
    std::vector<std::vector<double>> rows;
    for (std::int64_t r = 0; r < matrix.size(0); ++r) {
        const auto *row = matrix.data_ptr<double>() + r * matrix.size(1);
        rows.emplace_back(row, row + matrix.size(1));
    }
    return rows;
}

/// Σ v / Σ n over examples, v the sum of an example's n steps, and what its standard error needs.
struct StepMean
{
    double v = 0, vv = 0, vn = 0, n = 0, nn = 0, examples = 0;

    void add(double sum, double steps)
    {
        if (steps <= 0)
            return;
        v += sum;
        vv += sum * sum;
        vn += sum * steps;
        n += steps;
        nn += steps * steps;
        ++examples;
    }
    template<typename Archive>
    void visitSums(Archive &archive)
    {
        archive(v, vv, vn, n, nn, examples);
    }
    double mean() const { return n > 0 ? v / n : 0; }
    double standardError() const // delta method
    {
        if (examples < 2)
            return 0;
        const double squares = vv - 2 * mean() * vn + mean() * mean() * nn;
        return std::sqrt(std::max(squares, 0.0) * examples / (examples - 1)) / n;
    }
};

class RelevanceSums
{
public:
    RelevanceSums(const HeadLayout &layout, const RelevanceSpec &spec) : m_spec(&spec), m_means(layout) { }

    /// `layout`: of the model without the masked heads.
    void add(std::int64_t id, const SentenceShares &sentence, const HeadLayout &layout)
    {
        ExampleRelevance example{id, sentence.steps, {}, {}, {}};
        HeadTable<double> own(m_means.layout());
        for (const auto &[where, shares] : sentence.heads) {
            const auto &heads = layout.block(where.first)->layers[static_cast<std::size_t>(where.second)];
            const auto *share = shares.data_ptr<double>();
            std::vector<double> sums(heads.size());
            double steps = 0;
            for (std::int64_t k = 0; k < sentence.steps; ++k, share += heads.size()) {
                if (!std::isfinite(share[0]))
                    continue;
                ++steps;
                for (std::size_t h = 0; h < heads.size(); ++h)
                    sums[h] += share[h];
            }
            for (std::size_t h = 0; h < heads.size(); ++h) {
                const HeadRef head{where.first, where.second, heads[h]};
                m_means.at(head).add(sums[h], steps);
                own.at(head) = steps > 0 ? sums[h] / steps : 0;
            }
        }
        for (std::int64_t k = 0; k < sentence.steps; ++k) {
            const double total = sentence.total.data_ptr<double>()[k];
            m_conserved += total;
            m_deviation = std::max(m_deviation, std::abs(total - 1));
        }
        m_steps += sentence.steps;
        ++m_examples;
        if (sentence.source.defined() && sentence.prefix.defined())
            addContributions(sentence);
        if (m_spec->sentences || m_spec->example) {
            example.heads = own.values();
            addTokens(sentence, example);
            m_sentences.push_back(std::move(example));
        }
    }

    template<typename Archive>
    void visitSums(Archive &archive)
    {
        archive(m_means.values(), m_points, m_sentences, m_examples, m_steps, m_conserved, m_deviation);
    }

    void fill(RelevanceResult &result) const
    {
        result.examples = m_examples;
        result.steps = m_steps;
        result.conserved = m_steps > 0 ? m_conserved / static_cast<double>(m_steps) : 0;
        result.largestDeviation = m_deviation;
        result.heads.clear();
        for (const HeadRef &head : m_means.layout().heads())
            result.heads.push_back({head, m_means.at(head).mean(), m_means.at(head).standardError()});
        result.contributions.clear();
        for (std::size_t i = 0; i < m_points.size(); ++i) {
            ContributionPoint point = m_points[i];
            const auto examples = static_cast<double>(point.examples);
            point.position = static_cast<std::int64_t>(i) + 1;
            point.source /= examples;
            point.sourceEntropy /= examples;
            point.prefixEntropy /= examples;
            result.contributions.push_back(point);
        }
        result.sentences = m_sentences;
        std::ranges::sort(result.sentences, {}, &ExampleRelevance::index);
    }

private:
    static void addTokens(const SentenceShares &sentence, ExampleRelevance &example)
    {
        if (sentence.source.defined())
            example.source = rowsOf(sentence.source);
        if (!sentence.prefix.defined())
            return;
        example.prefix = rowsOf(sentence.prefix);
        std::size_t read = static_cast<std::size_t>(sentence.prefix.size(1) - sentence.steps);
        for (auto &shares : example.prefix)
            shares.resize(++read); // what comes later has no part
    }

    void addContributions(const SentenceShares &sentence)
    {
        for (std::int64_t k = 1; k < sentence.steps; ++k) {
            if (std::ssize(m_points) < k)
                m_points.emplace_back();
            ContributionPoint &point = m_points[static_cast<std::size_t>(k - 1)];
            const std::int64_t length = sentence.source.size(1);
            const auto *source = sentence.source.data_ptr<double>() + k * length;
            const auto *prefix = sentence.prefix.data_ptr<double>() + k * sentence.prefix.size(1);
            ++point.examples;
            for (std::int64_t s = 0; s < length; ++s)
                point.source += source[s];
            point.sourceEntropy += entropy(source, length);
            point.prefixEntropy += entropy(prefix, k + 1);
        }
    }

    const RelevanceSpec *m_spec;
    HeadTable<StepMean> m_means;
    std::vector<ContributionPoint> m_points; ///< sums; the first is of position 1
    std::vector<ExampleRelevance> m_sentences;
    std::int64_t m_examples = 0;
    std::int64_t m_steps = 0;
    double m_conserved = 0;
    double m_deviation = 0;
};

/// The tokens that the decoder reads for each of these examples; nothing where there is none.
std::vector<TokenBatch> decoderInputs(const Task &task, const std::vector<std::int64_t> &ids, const RelevanceSpec &spec,
                                      const ForcedPrefix &prefix, const JobControl &control)
{
    std::vector<TokenBatch> inputs;
    if (prefix.isOwnOutput()) {
        const OutputsById own = prefix.ownOutputs(ids, spec.mask, spec.run, control);
        for (const std::int64_t id : ids)
            inputs.push_back(headscope::decoderInputs({own.at(id)}, task.model()));
    } else if (task.hasDecoder()) {
        for (const std::int64_t id : ids)
            inputs.push_back(task.decoderInputs({id}));
    }
    return inputs;
}

RelevanceTrace traceOf(const Task &task, const Traversal &traversal, std::int64_t id, const TokenBatch *prefix)
{
    if (!task.model().spec().encoder) // what is context only has been traced in another example
        return traversal.run(nullptr, prefix, task.examples().firstCountedOf(id));
    const TokenBatch source = task.inputs({id});
    return traversal.run(&source, prefix);
}

/// Says how the tokens of an example are spelt, as far as its tokenizer knows.
void spell(ExampleRelevance &example, const RelevanceSpec &spec, const AnalysisInput &input, const JobControl &control)
{
    const AnalysisData data = input.data();
    const Task &task = data.task;
    const TransformerSpec &model = task.model().spec();
    const Tokenizer *tokenizer = input.tokenizer();
    const std::vector<std::int64_t> ids{example.index};
    const auto targets = decoderInputs(task, ids, spec, ForcedPrefix(task, spec.ownOutput), control);
    const TokenBatch *prefix = targets.empty() ? nullptr : &targets.front();
    const auto spelt = [&](std::int64_t id) {
        const std::string piece = tokenizer ? tokenizer->pieceText(id) : std::string();
        return piece.empty() ? std::to_string(id) : piece;
    };
    if (model.encoder) {
        const std::vector<std::int64_t> &source = task.examples().source(example.index);
        const Encoding encoding = encodingOf(data.dataset.examples[static_cast<std::size_t>(example.index)], source,
                                             std::vector<std::uint8_t>(source.size(), 1), tokenizer, model);
        for (std::size_t i = 0; i < source.size(); ++i)
            example.sourceTokens.push_back(i < encoding.pieces.size() ? encoding.pieces[i] : spelt(source[i]));
    }
    if (prefix) {
        const auto read = prefix->ids[0].to(torch::kCPU).contiguous();
        for (std::int64_t i = 0; i < read.numel(); ++i)
            example.prefixTokens.push_back(spelt(read[i].item<std::int64_t>()));
    }
    const auto rule = makePropagationRule(spec.rule, spec.attentionConstant, control);
    const Transformer left = withoutHeads(task.model(), spec.mask);
    for (const std::int64_t target : traceOf(task, Traversal(left, *rule, control), example.index, prefix).targets)
        example.targets.push_back(!model.classifier ? spelt(target)
                                  : static_cast<std::size_t>(target) < model.classifier->labels.size()
                                      ? model.classifier->labels[static_cast<std::size_t>(target)]
                                      : std::to_string(target));
}

} // namespace

void AnalysisOf<RelevanceSpec>::check(const RelevanceSpec &spec)
{
    if (spec.absolute && spec.signedShares)
        throw Failure(usageError("Shares are either absolute or signed, not both."));
    if (spec.attentionConstant && spec.rule != RelevanceRule::AlphaBeta)
        throw Failure(usageError("Constant attention is an option of the rule alpha-beta. (epsilon and cp-lrp always "
                                 "have it, attnlrp never.)"));
}

bool usesAbsoluteShares(const RelevanceSpec &spec)
{
    return spec.absolute || (spec.rule != RelevanceRule::AlphaBeta && !spec.signedShares);
}

namespace {

/// The examples that relevance is of, some at a time. Throws Failure.
std::vector<std::vector<std::int64_t>> slicesOf(const Task &task, const RelevanceSpec &spec)
{
    if (spec.example && *spec.example >= task.size())
        throw Failure(usageError(
            fmt::format("--example {}: the data set has {} examples, counted from 0.", *spec.example, task.size())));
    if (spec.example)
        return {{*spec.example}};
    return inSlices(visitingOrder(task, spec.run), kSlice);
}

/// Adds the shares of examples up, which are traced side by side.
class RelevancePass
{
public:
    /// Keeps references. `done`: examples that are added up already.
    RelevancePass(const Task &task, const RelevanceSpec &spec, std::int64_t done, const JobControl &control)
        : m_task(task), m_spec(spec), m_control(control), m_prefix(task, spec.ownOutput),
          m_model(withoutHeads(task.model(), spec.mask)),
          m_rule(makePropagationRule(spec.rule, spec.attentionConstant, control)),
          m_traversal(m_model, *m_rule, control), m_done(done)
    {
        if (done > 0)
            control.progress({kPhaseRelevance, "examples", done, task.size()});
    }

    const ForcedPrefix &prefix() const { return m_prefix; }

    void add(const std::vector<std::int64_t> &ids, RelevanceSums &sums)
    {
        m_control.checkpoint();
        const auto targets = decoderInputs(m_task, ids, m_spec, m_prefix, m_control);
        std::vector<SentenceShares> sentences(ids.size());
        m_task.execution().parallelFor(std::ssize(ids), [&](std::int64_t i) {
            const auto place = static_cast<std::size_t>(i);
            const TokenBatch *target = targets.empty() ? nullptr : &targets[place];
            sentences[place] = sharesOf(traceOf(m_task, m_traversal, ids[place], target), usesAbsoluteShares(m_spec));
            m_control.progress({kPhaseRelevance, "examples", ++m_done, m_task.size()});
        });
        for (std::size_t i = 0; i < ids.size(); ++i) // in a fixed order, so that sums repeat to the last bit
            sums.add(ids[i], sentences[i], m_model.layout());
    }

private:
    const Task &m_task;
    const RelevanceSpec &m_spec;
    const JobControl &m_control;
    ForcedPrefix m_prefix;
    Transformer m_model;
    std::unique_ptr<const PropagationRule> m_rule;
    Traversal m_traversal;
    std::atomic<std::int64_t> m_done;
};

} // namespace

RelevanceResult relevance(const Task &task, const RelevanceSpec &spec, Manifest manifest, const JobControl &control,
                          const Publish<RelevanceResult> &publish, const KeptWork &kept)
{
    AnalysisOf<RelevanceSpec>::check(spec);
    const torch::NoGradGuard noGrad;
    RelevanceResult result;
    result.manifest = std::move(manifest);
    result.rule = spec.rule;
    result.absolute = usesAbsoluteShares(spec);
    RelevanceSums accumulator(task.layout(), spec);
    Throttle throttle(std::chrono::milliseconds(200));
    const std::vector<std::vector<std::int64_t>> slices = slicesOf(task, spec);
    KeptSums keptSums(kept);
    const std::int64_t before = keptSums.resume(accumulator, slices);
    RelevancePass pass(task, spec, before, control);
    result.prefix = pass.prefix().name();
    const auto show = [&] {
        if (publish && throttle.isDue()) {
            accumulator.fill(result);
            publish(result);
        }
    };
    keptSums.addRest(
        accumulator, slices, before, [&](const auto &ids) { pass.add(ids, accumulator); }, show);
    accumulator.fill(result);
    return result;
}

RelevanceResult AnalysisOf<RelevanceSpec>::compute(const RelevanceSpec &spec, AnalysisInput &input, Manifest manifest,
                                                   const JobControl &control, const Publish<RelevanceResult> &publish)
{
    const KeptWork kept = input.keptWork(manifest.key());
    RelevanceResult result = relevance(input.data().task, spec, std::move(manifest), control,
                                       spec.example ? Publish<RelevanceResult>() : publish, kept);
    if (spec.example)
        spell(result.sentences.front(), spec, input, control);
    return result;
}

RelevanceSpec AnalysisOf<RelevanceSpec>::canonical(RelevanceSpec spec)
{
    const bool absolute = usesAbsoluteShares(spec);
    spec.signedShares = spec.rule != RelevanceRule::AlphaBeta && !absolute;
    spec.absolute = absolute;
    return spec;
}

std::vector<std::string> AnalysisOf<RelevanceSpec>::remarks(const RelevanceResult &result)
{
    constexpr double kConserved = 0.1; // how much may get lost without a word
    if (std::abs(result.conserved - 1) <= kConserved)
        return {};
    return {fmt::format(
        "on this model {} does not conserve relevance: of the 1 that it starts from, {:.2f} arrives at the "
        "embeddings (mean; \"conserved\"). Shares of heads refer to the relevance that reaches their layer; "
        "another --rule may conserve more",
        toText(result.rule), result.conserved)};
}

} // namespace headscope
