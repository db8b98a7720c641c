// Physical removal of heads: what has to stay the same, on a model of fixed weights, and
// what config.json says about removed heads.
#include "core/base/random.h"
#include "core/model/family.h"
#include "core/model/generate.h"
#include "core/model/prunedheads.h"
#include "core/model/removeheads.h"
#include "tests/core/model/fixturemodel.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <QTest>
#include <torch/types.h>

using namespace headscope;
using namespace headscope::testing;

namespace {

constexpr double kTolerance = 1e-6; ///< float32, logits of order 1, sums over 16 columns

torch::Tensor logitsOf(const Transformer &model, const HeadMask &mask = {})
{
    return forcedLogits(model, kSources, kTargets, HeadGates::fromMask(mask, model.layout(), model.options()));
}

HeadMask randomMask(const HeadLayout &layout, std::size_t count, Random &random)
{
    auto heads = layout.heads();
    shuffle(heads, random);
    heads.resize(std::min(count, heads.size()));
    return HeadMask(heads);
}

HeadMask allOf(const HeadLayout &layout, HeadKind kind, std::optional<int> layer = {})
{
    HeadMask mask;
    for (const HeadRef &head : layout.heads())
        mask.set(head, mask.isMasked(head) || (head.kind == kind && (!layer || head.layer == *layer)));
    return mask;
}

HeadMask joined(const HeadMask &a, const HeadMask &b)
{
    HeadMask mask = a;
    for (const HeadRef &head : b)
        mask.set(head, true);
    return mask;
}

std::string messageOf(const std::function<void()> &work)
{
    try {
        work();
    } catch (const Failure &failure) {
        return failure.what();
    }
    return {};
}

std::vector<std::vector<std::int64_t>> tokensOf(const Transformer &model, const HeadMask &mask, int beams)
{
    const torch::NoGradGuard noGrad;
    GenerationSettings settings = model.spec().generation;
    settings.beams = beams;
    const HeadGates gates = HeadGates::fromMask(mask, model.layout(), model.options());
    const Memory memory = model.encode(TokenBatch::pad(kSources, 31, torch::kCPU), gates);
    const auto generated = generate(model, memory, settings, gates, false, {});
    std::vector<std::vector<std::int64_t>> tokens;
    for (const Generated &output : generated)
        tokens.push_back(output.tokens);
    return tokens;
}

/// All weights of an attention, one after the other.
std::vector<torch::Tensor> weightsOf(const AttentionWeights &attention)
{
    std::vector<torch::Tensor> tensors;
    for (const Linear *linear : {&attention.query, &attention.key, &attention.value, &attention.out}) {
        tensors.push_back(linear->weight);
        tensors.push_back(linear->bias);
    }
    return tensors;
}

nlohmann::json bertConfig()
{
    return {{"model_type", "bert"},   {"vocab_size", 9},          {"hidden_size", 8},
            {"num_hidden_layers", 2}, {"num_attention_heads", 4}, {"intermediate_size", 6}};
}

} // namespace

class TestRemoveHeads : public QObject
{
    Q_OBJECT

    const Transformer m_model = fixtureModel();

private Q_SLOTS:
    void removedHeadsEqualMaskedHeads() // T2
    {
        Random random(3);
        for (const std::size_t count : {1, 2, 5, 9, 16, 23, 24}) {
            for (int draw = 0; draw < 4; ++draw) {
                const HeadMask mask = randomMask(m_model.layout(), count, random);
                const Transformer smaller = withoutHeads(m_model, mask);
                QCOMPARE(smaller.layout().size(), 24 - static_cast<std::int64_t>(count));
                QVERIFY(distance(logitsOf(smaller), logitsOf(m_model, mask)) < kTolerance);
            }
        }
        QVERIFY(distance(logitsOf(m_model, allOf(m_model.layout(), HeadKind::Cross)), logitsOf(m_model)) > 1e-3);
    }

    void removedHeadsEqualMaskedHeadsInDouble() // T2, 1e-10
    {
        const TransformerSpec spec = specOf(marianConfig());
        auto tensors = filledTensors(spec, marianConfig());
        for (auto &[name, tensor] : tensors)
            tensor = tensor.to(torch::kFloat64);
        const Transformer model(spec, TransformerWeights::assemble(spec, tensors));
        Random random(4);
        const HeadMask mask = randomMask(model.layout(), 11, random);
        const HeadGates gates = HeadGates::fromMask(mask, model.layout(), model.options());
        const auto hiddenOf = [](const Transformer &m, const HeadGates &g) { // logits would be rounded to float
            const torch::NoGradGuard noGrad;
            const Memory memory = m.encode(TokenBatch::pad(kSources, 31, torch::kCPU), g);
            return m.decode(TokenBatch::pad(kTargets, 31, torch::kCPU), &memory, g);
        };
        QVERIFY(distance(hiddenOf(withoutHeads(model, mask), {}), hiddenOf(model, gates)) < 1e-10);
    }

    void searchesGiveTheSameTokens()
    {
        Random random(5);
        bool different = false;
        for (const int beams : {1, 3}) {
            const auto whole = tokensOf(m_model, {}, beams);
            for (int draw = 0; draw < 8; ++draw) {
                const HeadMask mask = randomMask(m_model.layout(), 4 + 2 * static_cast<std::size_t>(draw), random);
                const auto masked = tokensOf(m_model, mask, beams);
                QCOMPARE(tokensOf(withoutHeads(m_model, mask), {}, beams), masked);
                different = different || masked != whole;
            }
        }
        QVERIFY(different); // or equality would say little
    }

    // The original program used original numbers on shrunken layers from the second step on (its issue 3).
    void twoStepsEqualOne()
    {
        Random random(6);
        for (int draw = 0; draw < 8; ++draw) {
            const HeadMask first = randomMask(m_model.layout(), 8, random);
            const Transformer once = withoutHeads(m_model, first);
            const HeadMask second = randomMask(once.layout(), 7, random);
            const Transformer twice = withoutHeads(once, second);
            const Transformer atOnce = withoutHeads(m_model, joined(first, second));
            QVERIFY(twice.layout() == atOnce.layout());
            for (int layer = 0; layer < 2; ++layer) {
                for (const HeadKind kind : kAllHeadKinds) {
                    const auto left = weightsOf(twice.attention(kind, layer));
                    const auto right = weightsOf(atOnce.attention(kind, layer));
                    for (std::size_t i = 0; i < left.size(); ++i)
                        QVERIFY(torch::equal(left[i], right[i]));
                }
            }
            QVERIFY(torch::equal(logitsOf(twice), logitsOf(atOnce)));
        }
    }

    void headsKeepTheirAddresses() // T26
    {
        const Transformer once = withoutHeads(m_model, {{HeadKind::Encoder, 1, 0}, {HeadKind::Encoder, 1, 2}});
        QCOMPARE(once.layout().block(HeadKind::Encoder)->layers[1], (std::vector<int>{1, 3}));
        QCOMPARE(once.layout().block(HeadKind::Encoder)->layers[0], (std::vector<int>{0, 1, 2, 3}));
        // Masking one of those that are left, by its old name, is masking it in the full model.
        const HeadMask last{{HeadKind::Encoder, 1, 3}};
        const HeadMask all{{HeadKind::Encoder, 1, 0}, {HeadKind::Encoder, 1, 2}, {HeadKind::Encoder, 1, 3}};
        QVERIFY(distance(logitsOf(once, last), logitsOf(m_model, all)) < kTolerance);
    }

    void headsThatAreNotThereAreRefused()
    {
        const HeadMask head{{HeadKind::Encoder, 1, 2}};
        const Transformer once = withoutHeads(m_model, head);
        QVERIFY(messageOf([&] { (void)withoutHeads(once, head); }).find("encoder.1.2") != std::string::npos);
        QVERIFY(messageOf([&] {
                    (void)withoutHeads(m_model, {{HeadKind::Cross, 7, 0}});
                }).find("cross.7.0")
                != std::string::npos);
    }

    void layersWithoutHeadsAddTheirBias() // T4
    {
        for (const HeadKind kind : kAllHeadKinds) {
            for (const auto layer : {std::optional<int>(0), std::optional<int>(1), std::optional<int>()}) {
                const HeadMask mask = allOf(m_model.layout(), kind, layer);
                const auto logits = logitsOf(withoutHeads(m_model, mask));
                QVERIFY(torch::isfinite(logits).all().item<bool>());
                QVERIFY(distance(logits, logitsOf(m_model, mask)) < kTolerance);
                QCOMPARE(tokensOf(withoutHeads(m_model, mask), {}, 2), tokensOf(m_model, mask, 2));
            }
        }
    }

    void parametersFollowTheFormula()
    {
        // 3·D·Dh + 3·Dh + D·Dh each (the guide's numbers.md, Removed heads): D = 16, Dh = 4.
        constexpr std::int64_t kEach = 3 * 16 * 4 + 3 * 4 + 16 * 4;
        const std::int64_t whole = parameterCount(m_model.spec());
        Random random(7);
        for (const std::size_t count : {0, 1, 5, 24}) {
            const HeadMask mask = randomMask(m_model.layout(), count, random);
            QCOMPARE(parameterCount(specWithout(m_model.spec(), mask)),
                     whole - static_cast<std::int64_t>(count) * kEach);
            std::int64_t tensors = 0; // and the model really has so many less
            const Transformer smaller = withoutHeads(m_model, mask);
            for (int layer = 0; layer < 2; ++layer) {
                for (const HeadKind kind : kAllHeadKinds) {
                    for (const torch::Tensor &tensor : weightsOf(smaller.attention(kind, layer)))
                        tensors += tensor.numel();
                }
            }
            QCOMPARE(tensors, 24 * kEach + 6 * 16 - static_cast<std::int64_t>(count) * kEach); // 6 output biases
        }
    }

    void compensatedRemovalIsMeanAblation() // T24
    {
        torch::manual_seed(1);
        Random random(8);
        for (int draw = 0; draw < 6; ++draw) {
            const HeadMask mask = randomMask(m_model.layout(), 3 + 3 * static_cast<std::size_t>(draw), random);
            MeanContexts means;
            HeadGates gates = HeadGates::fromMask(mask, m_model.layout(), m_model.options());
            for (const HeadKind kind : kAllHeadKinds) {
                for (int layer = 0; layer < 2; ++layer) {
                    const auto mean = torch::randn({4, 4});
                    means[Recorder::place(kind, layer, "context")] = mean;
                    gates.edit(kind, layer).replacement = mean; // does nothing where no gate is
                }
            }
            const auto removed = logitsOf(withoutHeads(m_model, mask, means));
            QVERIFY(distance(removed, forcedLogits(m_model, kSources, kTargets, gates)) < kTolerance * 4);
            QVERIFY(distance(removed, logitsOf(m_model, mask)) > 1e-3);
        }
    }

    void originalIsUntouched()
    {
        const auto before = logitsOf(m_model).clone();
        (void)withoutHeads(m_model, allOf(m_model.layout(), HeadKind::Encoder));
        QVERIFY(torch::equal(logitsOf(m_model), before));
    }

    void blindCrossAttentionWarns()
    {
        const auto warningsWithout
            = [&](const HeadMask &mask) { return headWarnings(specWithout(m_model.spec(), mask).layout()); };
        QVERIFY(warningsWithout({}).empty());
        QVERIFY(warningsWithout(allOf(m_model.layout(), HeadKind::Encoder)).empty());
        QVERIFY(warningsWithout({{HeadKind::Cross, 1, 0}, {HeadKind::Cross, 1, 1}, {HeadKind::Cross, 1, 2}}).empty());
        const auto one = warningsWithout(allOf(m_model.layout(), HeadKind::Cross, 1));
        QCOMPARE(one.size(), std::size_t(1));
        QVERIFY(one[0].find("layer 1") != std::string::npos);
        QVERIFY(one[0].find("source becomes invisible") != std::string::npos);
        const auto all = warningsWithout(allOf(m_model.layout(), HeadKind::Cross));
        QCOMPARE(all.size(), std::size_t(1));
        QVERIFY(all[0].find("every translation") != std::string::npos);
    }

    void configSaysWhatWasRemoved() // T26
    {
        Random random(9);
        for (const nlohmann::json &config : {marianConfig(), bertConfig()}) {
            const TransformerSpec whole = specOf(config);
            const PrunedLoading loading = findFamily(config, "config.json").valueOrThrow()->prunedLoading;
            for (const std::size_t count : {0, 1, 3, 8}) {
                const HeadMask mask = randomMask(whole.layout(), count, random);
                const TransformerSpec smaller = specWithout(whole, mask);
                const nlohmann::json written = withPrunedHeads(nlohmann::ordered_json(config), smaller, loading);
                QVERIFY(specOf(written).layout() == smaller.layout());
                QVERIFY(unprunedSpec(smaller).layout() == whole.layout());
                QVERIFY(nlohmann::json(withPrunedHeads(nlohmann::ordered_json(written), whole, loading))
                        == config); // and back
            }
        }
    }

    void badLists_data()
    {
        QTest::addColumn<bool>("translation");
        QTest::addColumn<QByteArray>("list");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char *name, bool translation, const char *list, const char *message) {
            QTest::newRow(name) << translation << QByteArray(list) << QByteArray(message);
        };
        row("no object", false, "[1]", "expected an object");
        row("no layer", false, R"({"2": [0]})", "\"2\"");
        row("no number", false, R"({"x": [0]})", "\"x\"");
        row("no head", false, R"({"0": [4]})", "4 of layer 0");
        row("twice", false, R"({"0": [1, 1]})", "named twice");
        row("kind missing", true, R"({"0": [1]})", "found \"0\"");
        row("no such kind", true, R"({"middle": {"0": [1]}})", "middle");
        row("layers no object", true, R"({"cross": [1]})", "cross");
        row("no head in cross", true, R"({"cross": {"1": [9]}})", "headscope_pruned_heads.cross");
    }

    void badLists()
    {
        QFETCH(bool, translation);
        QFETCH(QByteArray, list);
        QFETCH(QByteArray, message);
        nlohmann::json config = translation ? marianConfig() : bertConfig();
        config[translation ? "headscope_pruned_heads" : "pruned_heads"] = nlohmann::json::parse(list.toStdString());
        const auto spec = findFamily(config, "config.json").valueOrThrow()->makeSpec(config, {});
        QVERIFY(spec.isError());
        QVERIFY2(spec.error().message.find(message.toStdString()) != std::string::npos, spec.error().message.c_str());
    }
};

QTEST_GUILESS_MAIN(TestRemoveHeads)
#include "tst_removeheads.moc"

#include <algorithm>
