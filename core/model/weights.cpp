#include "core/model/weights.h"

namespace headscope {
namespace {

using Shape = std::vector<std::int64_t>;

class SlotList
{
public:
    explicit SlotList(const TransformerSpec &spec) : m_spec(spec) {}

    void add(std::string name, Shape shape) { m_slots.push_back({std::move(name), std::move(shape)}); }

    void addNorm(const std::string &name) { addNorm(name, m_spec.width); }

    void addNorm(const std::string &name, std::int64_t width)
    {
        add(name + ".weight", {width});
        add(name + ".bias", {width});
    }

    void addLinear(const std::string &name, std::int64_t out, std::int64_t in)
    {
        add(name + ".weight", {out, in});
        add(name + ".bias", {out});
    }

    void addAttention(const std::string &name, std::int64_t inner)
    {
        for (const char *part : {"query", "key", "value"})
            addLinear(name + '.' + part, inner, m_spec.width);
        addLinear(name + ".out", m_spec.width, inner);
        addNorm(name + ".norm");
    }

    void addStack(const std::string &name, const StackSpec &stack)
    {
        if (m_spec.positions != Positions::SinusoidalHalves)
            add(name + ".positions", {m_spec.maxPositions + m_spec.positionOffset, m_spec.embeddingSize()});
        if (m_spec.tokenTypes > 0)
            add(name + ".types", {m_spec.tokenTypes, m_spec.embeddingSize()});
        if (m_spec.embeddingNorm)
            addNorm(name + ".embedding_norm", m_spec.embeddingSize());
        if (m_spec.embeddingSize() != m_spec.width)
            addLinear(name + ".projection", m_spec.width, m_spec.embeddingSize());
        if (m_spec.finalNorm)
            addNorm(name + ".norm");
        for (int i = 0; i < stack.layers(); ++i) {
            const std::string layer = name + '.' + std::to_string(i);
            const auto index = static_cast<std::size_t>(i);
            addAttention(layer + ".self", stack.headWidth * static_cast<std::int64_t>(stack.heads[index].size()));
            if (stack.cross)
                addAttention(layer + ".cross",
                             stack.headWidth * static_cast<std::int64_t>(stack.crossHeads[index].size()));
            addLinear(layer + ".feed_forward.in", stack.feedForward, m_spec.width);
            addLinear(layer + ".feed_forward.out", m_spec.width, stack.feedForward);
            addNorm(layer + ".feed_forward.norm");
        }
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

    AttentionWeights attention(const std::string &name, const std::vector<int> &heads) const
    {
        return {linear(name + ".query"), linear(name + ".key"),  linear(name + ".value"),
                linear(name + ".out"),   norm(name + ".norm"), static_cast<std::int64_t>(heads.size())};
    }

    StackWeights stack(const std::string &name, const StackSpec &spec) const
    {
        StackWeights weights;
        weights.embedding = tensor(name + ".embedding");
        weights.positionEmbedding = tensor(name + ".positions");
        weights.typeEmbedding = tensor(name + ".types");
        weights.projection = linear(name + ".projection");
        weights.embeddingNorm = norm(name + ".embedding_norm");
        weights.finalNorm = norm(name + ".norm");
        for (int i = 0; i < spec.layers(); ++i) {
            const std::string layer = name + '.' + std::to_string(i);
            const auto index = static_cast<std::size_t>(i);
            LayerWeights out;
            out.self = attention(layer + ".self", spec.heads[index]);
            if (spec.cross)
                out.cross = attention(layer + ".cross", spec.crossHeads[index]);
            out.feedForwardIn = linear(layer + ".feed_forward.in");
            out.feedForwardOut = linear(layer + ".feed_forward.out");
            out.feedForwardNorm = norm(layer + ".feed_forward.norm");
            weights.layers.push_back(std::move(out));
        }
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

std::vector<WeightSlot> weightSlots(const TransformerSpec &spec)
{
    SlotList slots(spec);
    slots.add("encoder.embedding", {spec.encoder.vocabulary, spec.embeddingSize()});
    slots.addStack("encoder", spec.encoder);
    if (spec.classifier) {
        slots.addLinear("classifier.dense", spec.width, spec.width);
        slots.addLinear("classifier.out", std::ssize(spec.classifier->labels), spec.width);
    }
    if (spec.decoder) {
        if (!spec.sharedEmbedding)
            slots.add("decoder.embedding", {spec.decoder->vocabulary, spec.width});
        slots.addStack("decoder", *spec.decoder);
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
    weights.encoder = from.stack("encoder", spec.encoder);
    weights.classifierDense = from.linear("classifier.dense");
    weights.classifierOut = from.linear("classifier.out");
    if (spec.decoder) {
        weights.decoder = from.stack("decoder", *spec.decoder);
        if (spec.sharedEmbedding)
            weights.decoder.embedding = weights.encoder.embedding;
        const char *output = !spec.tiedOutput       ? "output.weight"
                             : spec.sharedEmbedding ? "encoder.embedding"
                                                    : "decoder.embedding";
        weights.outputWeight = from.tensor(output);
        weights.outputHalf = from.half(output);
        if (spec.outputBias)
            weights.outputBias = from.tensor("output.bias").reshape({-1});
    }
    return weights;
}

} // namespace headscope
