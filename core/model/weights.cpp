#include "core/model/weights.h"

namespace headscope {
namespace {

using Shape = std::vector<std::int64_t>;

class SlotList
{
public:
    explicit SlotList(const TransformerSpec &spec) : m_spec(spec) { }

    void add(std::string name, Shape shape) { m_slots.push_back({std::move(name), std::move(shape)}); }

    void addNorm(const std::string &name, std::int64_t width)
    {
        add(name + ".weight", {width});
        if (m_spec.norm.kind == NormKind::Layer)
            add(name + ".bias", {width});
    }

    void addLinear(const std::string &name, std::int64_t out, std::int64_t in, bool bias = true)
    {
        add(name + ".weight", {out, in});
        if (bias)
            add(name + ".bias", {out});
    }

    /// What scores are made with.
    void addProjections(const std::string &name, const AttentionSpec &attention)
    {
        const std::int64_t width = m_spec.width;
        if (!attention.sharesProjections()) {
            addLinear(name + ".query", attention.width(), width, attention.biases.query);
            addLinear(name + ".key", attention.keyWidth(), width, attention.biases.key);
            return;
        }
        const std::int64_t rows = attention.heads.empty() ? 0 : attention.sharedWidth;
        addLinear(name + ".query", rows, width, false);
        addLinear(name + ".key", rows, width, false);
        add(name + ".mixing", {attention.headCount(), attention.sharedWidth});
        if (attention.biases.query)
            addLinear(name + ".content", attention.headCount(), width, false);
    }

    void addSubLayer(const std::string &name, const SubLayer &sub)
    {
        const std::int64_t width = m_spec.width;
        if (const AttentionSpec *attention = sub.attention()) {
            addProjections(name, *attention);
            addLinear(name + ".value", attention->valueWidth(), width, attention->biases.value);
            addLinear(name + ".out", width, attention->width(), attention->biases.out);
        } else {
            const FeedForwardSpec &feedForward = *sub.feedForward();
            addLinear(name + ".in", feedForward.width, width, feedForward.biases);
            if (feedForward.gated)
                addLinear(name + ".gate", feedForward.width, width, feedForward.biases);
            addLinear(name + ".out", width, feedForward.width, feedForward.biases);
        }
        addNorm(name + ".norm", width);
    }

    void addStack(Side side, const StackSpec &stack)
    {
        const std::string name = sideName(side);
        if (side == Side::Encoder || !m_spec.encoder || !m_spec.sharedEmbedding)
            add(name + ".embedding", {stack.vocabulary, m_spec.embeddingSize()});
        if (m_spec.positions.table == PositionTable::Learned)
            add(name + ".positions", {m_spec.maxPositions + m_spec.positions.offset, m_spec.embeddingSize()});
        if (m_spec.tokenTypes > 0)
            add(name + ".types", {m_spec.tokenTypes, m_spec.embeddingSize()});
        if (m_spec.embeddingNorm)
            addNorm(name + ".embedding_norm", m_spec.embeddingSize());
        if (m_spec.embeddingSize() != m_spec.width)
            addLinear(name + ".projection", m_spec.width, m_spec.embeddingSize());
        if (m_spec.finalNorm)
            addNorm(name + ".norm", m_spec.width);
        if (const AttentionSpec *attention = stack.relative())
            add(name + ".relative_bias", {attention->relative->buckets, attention->allHeads});
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
    Assembler(const std::map<std::string, torch::Tensor> &tensors, const std::map<std::string, torch::Tensor> &halves)
        : m_tensors(tensors), m_halves(halves)
    {
    }

    torch::Tensor tensor(const std::string &name) const { return find(m_tensors, name); }
    torch::Tensor half(const std::string &name) const { return find(m_halves, name); }
    Linear linear(const std::string &name) const
    {
        return {tensor(name + ".weight"), tensor(name + ".bias"), half(name + ".weight")};
    }
    Norm norm(const std::string &name) const { return {tensor(name + ".weight"), tensor(name + ".bias")}; }

    SubLayerWeights subLayer(const std::string &name, const SubLayer &sub) const
    {
        SubLayerWeights weights;
        weights.norm = norm(name + ".norm");
        if (sub.attention())
            weights.part
                = AttentionWeights{linear(name + ".query"), linear(name + ".key"),    linear(name + ".value"),
                                   linear(name + ".out"),   tensor(name + ".mixing"), linear(name + ".content")};
        else
            weights.part = FeedForwardWeights{linear(name + ".in"), linear(name + ".gate"), linear(name + ".out")};
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
        weights.embeddingNorm = norm(name + ".embedding_norm");
        weights.finalNorm = norm(name + ".norm");
        weights.relativeBias = tensor(name + ".relative_bias");
        for (const SubLayer &sub : spec.subLayers)
            weights.subLayers.push_back(subLayer(subLayerName(side, sub), sub));
        return weights;
    }

private:
    static torch::Tensor find(const std::map<std::string, torch::Tensor> &tensors, const std::string &name)
    {
        const auto found = tensors.find(name);
        return found == tensors.end() ? torch::Tensor() : found->second;
    }

    const std::map<std::string, torch::Tensor> &m_tensors;
    const std::map<std::string, torch::Tensor> &m_halves;
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
        slots.addLinear("classifier.dense", spec.width, spec.width);
        slots.addLinear("classifier.out", std::ssize(spec.classifier->labels), spec.width);
    }
    if (spec.maskedLm) {
        slots.addLinear("masked_lm.dense", spec.embeddingSize(), spec.width);
        slots.addNorm("masked_lm.norm", spec.embeddingSize());
        if (!spec.maskedLm->tied)
            slots.add("masked_lm.out.weight", {spec.encoder->vocabulary, spec.embeddingSize()});
        slots.add("masked_lm.out.bias", {spec.encoder->vocabulary});
    }
    if (spec.decoder) {
        slots.addStack(Side::Decoder, *spec.decoder);
        if (!spec.tiedOutput)
            slots.add("output.weight", {spec.decoder->vocabulary, spec.width});
        if (spec.outputBias)
            slots.add("output.bias", {1, spec.decoder->vocabulary});
    }
    return slots.take();
}

TransformerWeights TransformerWeights::assemble(const TransformerSpec &spec,
                                                const std::map<std::string, torch::Tensor> &tensors,
                                                const std::map<std::string, torch::Tensor> &halves)
{
    const Assembler from(tensors, halves);
    TransformerWeights weights;
    if (spec.encoder)
        weights.encoder = from.stack(Side::Encoder, *spec.encoder);
    weights.classifierDense = from.linear("classifier.dense");
    weights.classifierOut = from.linear("classifier.out");
    weights.maskedDense = from.linear("masked_lm.dense");
    weights.maskedNorm = from.norm("masked_lm.norm");
    if (spec.maskedLm) {
        weights.outputWeight = spec.maskedLm->tied ? weights.encoder.embedding : from.tensor("masked_lm.out.weight");
        weights.outputBias = from.tensor("masked_lm.out.bias");
    }
    if (spec.decoder) {
        weights.decoder = from.stack(Side::Decoder, *spec.decoder);
        const bool shared = spec.encoder && spec.sharedEmbedding;
        if (shared)
            weights.decoder.embedding = weights.encoder.embedding;
        const char *output = !spec.tiedOutput ? "output.weight" : shared ? "encoder.embedding" : "decoder.embedding";
        weights.outputWeight = from.tensor(output);
        weights.outputHalf = from.half(output);
        if (spec.outputBias)
            weights.outputBias = from.tensor("output.bias").reshape({-1});
    }
    return weights;
}

} // namespace headscope
