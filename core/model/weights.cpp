#include "core/model/weights.h"

namespace headscope {
namespace {

using Shape = std::vector<std::int64_t>;

class SlotList
{
public:
    explicit SlotList(const TransformerSpec &spec) : m_spec(spec) { }

    void add(std::string name, Shape shape) { m_slots.push_back({std::move(name), std::move(shape)}); }

    void addNorm(const std::string &name, std::int64_t width) { addNorm(name, width, m_spec.norm); }
    void addNorm(const std::string &name, std::int64_t width, const NormSpec &norm)
    {
        addNorm(name, Shape{width}, norm);
    }
    void addNorm(const std::string &name, const Shape &shape, const NormSpec &norm)
    {
        if (norm.weighted)
            add(name + ".weight", shape);
        if (norm.kind == NormKind::Layer && norm.biased)
            add(name + ".bias", shape);
    }

    void addLinear(const std::string &name, std::int64_t out, std::int64_t in, bool bias = true)
    {
        add(name + ".weight", {out, in});
        if (bias)
            add(name + ".bias", {out});
    }

    /// Weights that scores are made with.
    void addProjections(const std::string &name, const AttentionSpec &attention)
    {
        const std::int64_t width = m_spec.width;
        if (!attention.sharesProjections()) {
            const std::int64_t queries = attention.projectedQueries() * attention.headWidth;
            const std::int64_t keys = attention.projectedKeys() * attention.headWidth;
            addLinear(name + ".query", queries, width, attention.biases.query);
            addLinear(name + ".key", keys, width, attention.biases.key);
            if (const auto &distances = attention.disentangled; distances && !distances->shared) {
                if (distances->keysOfDistances)
                    addLinear(name + ".distance_key", keys, width);
                if (distances->queriesOfDistances)
                    addLinear(name + ".distance_query", queries, width);
            }
            if (const auto &norm = attention.headNorm) {
                const auto addHeads = [&](const std::string &part, std::int64_t columns, std::int64_t heads) {
                    if (norm->ownWeights)
                        addNorm(name + part, {heads, attention.headWidth}, norm->norm());
                    else
                        addNorm(name + part, norm->together ? columns : attention.headWidth, norm->norm());
                };
                addHeads(".query_norm", queries, attention.projectedQueries());
                addHeads(".key_norm", keys, attention.projectedKeys());
            }
            return;
        }
        const std::int64_t rows = attention.heads.empty() ? 0 : attention.sharedWidth;
        addLinear(name + ".query", rows, width, false);
        addLinear(name + ".key", rows, width, false);
        add(name + ".mixing", {attention.headCount(), attention.sharedWidth});
        if (attention.biases.query)
            addLinear(name + ".content", attention.headCount(), width, false);
    }

    void addFeedForward(const std::string &name, const FeedForwardSpec &feedForward)
    {
        const std::int64_t width = m_spec.width;
        if (feedForward.width > 0) {
            addLinear(name + ".in", feedForward.width, width, feedForward.biases);
            if (feedForward.gated)
                addLinear(name + ".gate", feedForward.width, width, feedForward.biases);
            addLinear(name + ".out", width, feedForward.width, feedForward.biases);
        }
        if (!feedForward.experts)
            return;
        addLinear(name + ".router", feedForward.experts->count, width, feedForward.experts->biasedRouter);
        if (feedForward.width > 0 && feedForward.experts->gatesShared)
            addLinear(name + ".shared_gate", 1, width, false);
        for (std::int64_t i = 0; i < feedForward.experts->count; ++i)
            addFeedForward(name + ".expert." + std::to_string(i), feedForward.expert());
    }

    void addSubLayer(const std::string &name, const SubLayer &sub)
    {
        const std::int64_t width = m_spec.width;
        if (const AttentionSpec *attention = sub.attention()) {
            addProjections(name, *attention);
            addLinear(name + ".value", attention->valueWidth(), width, attention->biases.value);
            addLinear(name + ".out", width, attention->width(), attention->biases.out);
            if (attention->sinks)
                add(name + ".sinks", {attention->headCount()});
        } else {
            addFeedForward(name, *sub.feedForward());
        }
        const NormPlacement norms = m_spec.norm.placement;
        if (normsSum(norms) || (normsInput(norms) && sub.normsInput && !sub.sharesNorm))
            addNorm(name + ".norm", width);
        if (normsOutput(norms))
            addNorm(name + ".output_norm", width);
    }

    void addStack(Side side, const StackSpec &stack)
    {
        const std::string name = sideName(side);
        if (side == Side::Encoder || !m_spec.encoder || !m_spec.sharedEmbedding)
            add(name + ".embedding", {stack.vocabulary, m_spec.embeddingSize()});
        if (m_spec.positions.table == PositionTable::Learned)
            add(name + ".positions", {m_spec.maxPositions + m_spec.positions.offset,
                                      m_spec.projectsTokens ? m_spec.width : m_spec.embeddingSize()});
        if (m_spec.tokenTypes > 0)
            add(name + ".types", {m_spec.tokenTypes, m_spec.embeddingSize()});
        if (m_spec.embeddingNorm)
            addNorm(name + ".embedding_norm", m_spec.embeddingSize());
        if (m_spec.embeddingSize() != m_spec.width)
            addLinear(name + ".projection", m_spec.width, m_spec.embeddingSize(), !m_spec.projectsTokens);
        if (m_spec.finalNorm)
            addNorm(name + ".norm", m_spec.width);
        if (const AttentionSpec *attention = stack.relative())
            add(name + ".relative_bias", {attention->relative->buckets, attention->allHeads});
        if (const AttentionSpec *attention = stack.disentangled()) {
            add(name + ".distances", {2 * attention->disentangled->span, m_spec.width});
            if (attention->disentangled->normed)
                addNorm(name + ".distance_norm", m_spec.width);
        }
        for (const SubLayer &sub : stack.subLayers)
            addSubLayer(subLayerName(side, sub), sub);
    }

    std::vector<WeightSlot> take() { return std::move(m_slots); }

private:
    const TransformerSpec &m_spec;
    std::vector<WeightSlot> m_slots;
};

class Assembler
{
public:
    Assembler(const TransformerSpec &spec, const std::map<std::string, torch::Tensor> &tensors,
              const std::map<std::string, torch::Tensor> &halves, const torch::TensorOptions &options)
        : m_spec(spec), m_tensors(tensors), m_halves(halves), m_options(options)
    {
    }

    torch::Tensor tensor(const std::string &name) const { return find(m_tensors, name); }
    torch::Tensor half(const std::string &name) const { return find(m_halves, name); }
    Linear linear(const std::string &name) const
    {
        return {tensor(name + ".weight"), tensor(name + ".bias"), half(name + ".weight")};
    }
    /// The tensors of a norm in the checkpoint.
    Norm storedNorm(const std::string &name) const { return {tensor(name + ".weight"), tensor(name + ".bias")}; }
    /// A norm over the model's or the embeddings' width that is there.
    Norm norm(const std::string &name, std::int64_t width) const
    {
        Norm norm = storedNorm(name);
        if (!m_spec.norm.weighted)
            norm.weight = torch::ones({width}, m_options);
        if (m_spec.norm.kind == NormKind::Layer && !m_spec.norm.biased)
            norm.bias = torch::zeros({width}, m_options);
        return norm;
    }

    SubLayerWeights subLayer(const std::string &name, const SubLayer &sub) const
    {
        const NormPlacement norms = m_spec.norm.placement;
        SubLayerWeights weights;
        if (normsSum(norms) || (normsInput(norms) && sub.normsInput))
            weights.norm = norm(name + ".norm", m_spec.width);
        if (normsOutput(norms))
            weights.outputNorm = norm(name + ".output_norm", m_spec.width);
        if (sub.attention())
            weights.part = AttentionWeights{linear(name + ".query"),          linear(name + ".key"),
                                            linear(name + ".value"),          linear(name + ".out"),
                                            tensor(name + ".mixing"),         linear(name + ".content"),
                                            storedNorm(name + ".query_norm"), storedNorm(name + ".key_norm"),
                                            linear(name + ".distance_key"),   linear(name + ".distance_query"),
                                            tensor(name + ".sinks")};
        else
            weights.part = feedForward(name, *sub.feedForward());
        return weights;
    }

    FeedForwardWeights feedForward(const std::string &name, const FeedForwardSpec &spec) const
    {
        FeedForwardWeights weights{linear(name + ".in"), linear(name + ".gate"), linear(name + ".out")};
        if (!spec.experts)
            return weights;
        weights.router = linear(name + ".router");
        weights.sharedGate = linear(name + ".shared_gate");
        for (std::int64_t i = 0; i < spec.experts->count; ++i)
            weights.experts.push_back(feedForward(name + ".expert." + std::to_string(i), spec.expert()));
        return weights;
    }

    StackWeights stack(Side side, const StackSpec &spec) const
    {
        const std::string name = sideName(side);
        StackWeights weights;
        weights.embedding = tensor(name + ".embedding");
        weights.positionEmbedding = tensor(name + ".positions");
        weights.typeEmbedding = tensor(name + ".types");
        weights.projection = linear(name + ".projection");
        if (m_spec.embeddingNorm)
            weights.embeddingNorm = norm(name + ".embedding_norm", m_spec.embeddingSize());
        if (m_spec.finalNorm)
            weights.finalNorm = norm(name + ".norm", m_spec.width);
        weights.relativeBias = tensor(name + ".relative_bias");
        weights.distances = tensor(name + ".distances");
        if (const AttentionSpec *attention = spec.disentangled(); attention && attention->disentangled->normed)
            weights.distanceNorm = norm(name + ".distance_norm", m_spec.width);
        for (const SubLayer &sub : spec.subLayers) {
            const Norm before = sub.sharesNorm ? weights.subLayers.back().norm : Norm();
            weights.subLayers.push_back(subLayer(subLayerName(side, sub), sub));
            if (sub.sharesNorm)
                weights.subLayers.back().norm = before;
        }
        return weights;
    }

private:
    static torch::Tensor find(const std::map<std::string, torch::Tensor> &tensors, const std::string &name)
    {
        const auto found = tensors.find(name);
        return found == tensors.end() ? torch::Tensor() : found->second;
    }

    const TransformerSpec &m_spec;
    const std::map<std::string, torch::Tensor> &m_tensors;
    const std::map<std::string, torch::Tensor> &m_halves;
    torch::TensorOptions m_options;
};

} // namespace

std::string subLayerName(Side side, const SubLayer &sub)
{
    const AttentionSpec *attention = sub.attention();
    const char *part = !attention ? ".feed_forward" : attention->readsMemory() ? ".cross" : ".self";
    return std::string(sideName(side)) + '.' + std::to_string(sub.layer) + part;
}

std::vector<WeightSlot> weightSlots(const TransformerSpec &spec)
{
    SlotList slots(spec);
    if (spec.encoder)
        slots.addStack(Side::Encoder, *spec.encoder);
    if (spec.classifier) {
        if (spec.classifier->dense)
            slots.addLinear("classifier.dense", spec.width, spec.width, spec.classifier->biased);
        if (spec.classifier->normed)
            slots.addNorm("classifier.norm", spec.width);
        slots.addLinear("classifier.out", std::ssize(spec.classifier->labels), spec.width, spec.classifier->outBiased);
    }
    if (spec.maskedLm) {
        slots.addLinear("masked_lm.dense", spec.embeddingSize(), spec.width, spec.maskedLm->biased);
        slots.addNorm("masked_lm.norm", spec.embeddingSize());
        if (!spec.maskedLm->tied)
            slots.add("masked_lm.out.weight", {spec.encoder->vocabulary, spec.embeddingSize()});
        slots.add("masked_lm.out.bias", {spec.encoder->vocabulary});
    }
    if (spec.decoder) {
        slots.addStack(Side::Decoder, *spec.decoder);
        if (!spec.classifier && !spec.tiedOutput)
            slots.add("output.weight", {spec.decoder->vocabulary, spec.outputSize()});
        if (!spec.classifier && spec.projectsTokens)
            slots.addLinear("output.projection", spec.embeddingSize(), spec.width, false);
        if (!spec.classifier && spec.outputBias)
            slots.add("output.bias", spec.encoder ? std::vector{std::int64_t{1}, spec.decoder->vocabulary}
                                                  : std::vector{spec.decoder->vocabulary});
    }
    return slots.take();
}

bool isLargeMatrix(const WeightSlot &slot)
{
    return slot.shape.size() == 2 && !slot.name.ends_with("norm.weight")
        && (slot.name.ends_with(".weight") || slot.name.ends_with(".embedding"));
}

TransformerWeights TransformerWeights::assemble(const TransformerSpec &spec,
                                                const std::map<std::string, torch::Tensor> &tensors,
                                                const std::map<std::string, torch::Tensor> &halves,
                                                const std::optional<torch::TensorOptions> &computed)
{
    TransformerWeights weights;
    weights.options = computed.value_or(tensors.begin()->second.options()).requires_grad(false);
    const Assembler from(spec, tensors, halves, weights.options);
    if (spec.encoder)
        weights.encoder = from.stack(Side::Encoder, *spec.encoder);
    weights.classifierDense = from.linear("classifier.dense");
    if (spec.classifier && spec.classifier->normed)
        weights.classifierNorm = from.norm("classifier.norm", spec.width);
    weights.classifierOut = from.linear("classifier.out");
    weights.maskedDense = from.linear("masked_lm.dense");
    if (spec.maskedLm) {
        weights.maskedNorm = from.norm("masked_lm.norm", spec.embeddingSize());
        weights.outputWeight = spec.maskedLm->tied ? weights.encoder.embedding : from.tensor("masked_lm.out.weight");
        weights.outputBias = from.tensor("masked_lm.out.bias");
    }
    if (spec.decoder) {
        weights.decoder = from.stack(Side::Decoder, *spec.decoder);
        const bool shared = spec.encoder && spec.sharedEmbedding;
        if (shared)
            weights.decoder.embedding = weights.encoder.embedding;
        if (spec.classifier)
            return weights;
        const char *output = !spec.tiedOutput ? "output.weight" : shared ? "encoder.embedding" : "decoder.embedding";
        weights.outputWeight = from.tensor(output);
        weights.outputProjection = from.linear("output.projection");
        weights.outputHalf = from.half(output);
        if (spec.outputBias)
            weights.outputBias = from.tensor("output.bias").reshape({-1});
    }
    return weights;
}

} // namespace headscope
