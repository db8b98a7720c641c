// Models whose heads share their projections: identities (Cordonnier et al. 2020, section 3), and their folders.
#include "core/formats/atomicfile.h"
#include "core/formats/jsonfile.h"
#include "core/model/exportpruned.h"
#include "core/model/projections.h"
#include "core/model/removeheads.h"
#include "core/model/sharedconfig.h"
#include "core/sharing/sharedmodels.h"
#include "tests/core/model/fixturemodel.h"
#include "tests/support/tinymodel.h"
#include "tests/support/tinyspecs.h"

#include <QTemporaryDir>
#include <QTest>
#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace headscope;
using namespace headscope::testing;
using namespace Qt::StringLiterals;

namespace {

torch::Tensor logitsOf(const Transformer &model, const HeadMask &mask = {})
{
    return forcedLogits(model, kSources, kTargets, HeadGates::fromMask(mask, model.layout(), model.options()));
}

SharedModel shared(const Transformer &model, std::int64_t rank, SharedProjections how = {})
{
    how.cp.rank = rank;
    return withSharedProjections(model, how, Execution(), {});
}

/// The heads' own projections as shared ones: every column is one head's.
Transformer withBlocksOfOnes(const Transformer &model)
{
    TransformerSpec spec = model.spec();
    TransformerWeights weights = model.weights();
    for (const HeadLayout::Block &block : model.layout().blocks()) {
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            const AttentionSpec own = spec.attention(block.kind, layer);
            shareProjections(spec.attention(block.kind, layer), own.width());
            auto &attention = weights.stack(sideOf(block.kind)).at(spec.placeOf(block.kind, layer)).attention();
            const auto eye = torch::eye(own.headCount(), attention.query.weight.options());
            attention.mixing = eye.repeat_interleave(own.headWidth, 1);
            attention.content.weight = torch::matmul(attention.mixing * attention.query.bias, attention.key.weight);
            attention.query.bias = attention.key.bias = torch::Tensor();
        }
    }
    return Transformer(std::move(spec), std::move(weights));
}

nlohmann::json configOf(const char *type)
{
    nlohmann::json config{{"model_type", type}};
    const auto add = [&](const nlohmann::json &more) { config.update(more); };
    if (std::string(type) == "gpt2")
        add({{"n_embd", 12},
             {"n_layer", 2},
             {"n_head", 3},
             {"vocab_size", 20},
             {"n_positions", 16},
             {"bos_token_id", 1},
             {"eos_token_id", 1}});
    else if (std::string(type) == "t5")
        add({{"d_model", 12},
             {"d_kv", 4},
             {"num_layers", 2},
             {"num_heads", 3},
             {"d_ff", 16},
             {"vocab_size", 20},
             {"decoder_start_token_id", 0},
             {"eos_token_id", 1},
             {"pad_token_id", 0}});
    else if (std::string(type) == "distilbert")
        add({{"dim", 12}, {"n_layers", 2}, {"n_heads", 3}, {"hidden_dim", 16}, {"vocab_size", 20}});
    else if (std::string(type) == "bart")
        add({{"d_model", 12},
             {"encoder_layers", 2},
             {"decoder_layers", 2},
             {"encoder_attention_heads", 3},
             {"decoder_attention_heads", 3},
             {"encoder_ffn_dim", 16},
             {"decoder_ffn_dim", 16},
             {"vocab_size", 20},
             {"decoder_start_token_id", 2},
             {"eos_token_id", 2},
             {"pad_token_id", 1},
             {"bos_token_id", 0}});
    else
        add({{"hidden_size", 12},
             {"embedding_size", 12},
             {"num_hidden_layers", 2},
             {"num_attention_heads", 3},
             {"intermediate_size", 16},
             {"vocab_size", 20},
             {"pad_token_id", 0}});
    return config;
}

} // namespace

class TestSharedModel : public QObject
{
    Q_OBJECT

    const std::shared_ptr<const Transformer> m_random = randomModel(specOf(marianConfig()), 5, torch::kFloat64);
    const Transformer &m_model = *m_random;

private Q_SLOTS:
    void blocksOfOnesGiveTheSameAttention()
    {
        const Transformer blocks = withBlocksOfOnes(m_model);
        Recorder before, after;
        before.probabilities = after.probabilities = true;
        (void)forcedLogits(m_model, kSources, kTargets, {}, &before);
        (void)forcedLogits(blocks, kSources, kTargets, {}, &after);
        QCOMPARE(before.tensors.size(), 6U);
        for (const auto &[place, probabilities] : before.tensors)
            QVERIFY(distance(probabilities, after.tensors.at(place)) < 1e-12);
    }

    void fullRankGivesTheSameLogits()
    {
        const SharedModel same = shared(m_model, 16);
        QCOMPARE(same.attentions.size(), 6U);
        QVERIFY(distance(logitsOf(*same.model), logitsOf(m_model)) < 1e-5);
        const SharedModel coarse = shared(m_model, 3);
        QVERIFY(distance(logitsOf(*coarse.model), logitsOf(m_model)) > 1e-4);
        QVERIFY(same.attentions.front().error < 1e-6 && coarse.attentions.front().error > 0.01);
    }

    void sameModelsAreMadeOnce()
    {
        SharedModels models;
        const auto made = [&](const SharedProjections &how) { return models.made(m_model, how, Execution(), {}); };
        const SharedProjections first{.cp = {.rank = 2, .iterations = 2, .restarts = 0}};
        const auto kept = made(first);
        QVERIFY(logitsOf(*kept->model).equal(logitsOf(*withSharedProjections(m_model, first, Execution(), {}).model)));
        const auto another = [&](std::size_t i) {
            SharedProjections other = first;
            other.cp.seed += i;
            return made(other);
        };
        const auto second = another(1);
        QVERIFY(second != kept);
        for (std::size_t i = 2; i < SharedModels::kMost; ++i) {
            (void)another(i);
            QVERIFY(made(first) == kept);
        }
        // There are as many as are kept; with one more goes what nobody asked for longest.
        (void)another(SharedModels::kMost);
        QVERIFY(made(first) == kept && another(SharedModels::kMost - 1) == another(SharedModels::kMost - 1));
        QVERIFY(another(1) != second);
    }

    void chosenKindsAloneShare()
    {
        const SharedModel some = shared(m_model, 5, {.kinds = {HeadKind::Cross}});
        QCOMPARE(some.attentions.size(), 2U);
        QVERIFY(some.model->spec().attention(HeadKind::Cross, 1).sharesProjections());
        QVERIFY(!some.model->spec().attention(HeadKind::Encoder, 1).sharesProjections());
    }

    void keyBiasesDoNotMatter()
    {
        TransformerWeights weights = m_model.weights();
        for (const auto &[kind, layer] :
             {std::pair{HeadKind::Encoder, 0}, {HeadKind::Cross, 1}, {HeadKind::Decoder, 1}}) {
            auto &key = weights.stack(sideOf(kind)).at(m_model.spec().placeOf(kind, layer)).attention().key;
            key.bias = torch::linspace(-2, 3, key.bias.numel(), torch::kFloat64);
        }
        const Transformer other(m_model.spec(), weights);
        QVERIFY(distance(logitsOf(other), logitsOf(m_model)) < 1e-5);
        QVERIFY(distance(logitsOf(*shared(other, 6).model), logitsOf(*shared(m_model, 6).model)) < 1e-5);
    }

    // Executors over rows know linear maps alone.
    void mapsGiveTheSameQueriesAndKeys()
    {
        for (const NamedSpec &named : encoderDecoderSpecs()) {
            const auto model = randomModel(named.spec, 3);
            for (const HeadLayout::Block &block : model->layout().blocks()) {
                const AttentionSpec &spec = named.spec.attention(block.kind, 0);
                const AttentionWeights &weights = model->attention(block.kind, 0);
                if (spec.heads.empty())
                    continue;
                const auto x = torch::randn({2, 3, named.spec.width});
                const auto queries = preparedQueries(spec, weights, queryMap(spec, weights)(x));
                const auto keys = preparedKeys(spec, weights, keyMap(spec, weights)(x));
                QVERIFY(distance(headQueries(spec, weights, x), splitHeads(queries, spec.scoreWidth())) < 1e-5);
                QVERIFY(distance(headKeys(spec, weights, x), splitHeads(keys, spec.scoreWidth())) < 1e-5);
            }
        }
    }

    void removedHeadsEqualMaskedHeads()
    {
        const SharedModel model = shared(m_model, 6);
        const HeadMask mask{{HeadKind::Encoder, 0, 1}, {HeadKind::Encoder, 0, 3}, {HeadKind::Cross, 1, 0},
                            {HeadKind::Decoder, 0, 0}, {HeadKind::Decoder, 0, 1}, {HeadKind::Decoder, 0, 2},
                            {HeadKind::Decoder, 0, 3}};
        const Transformer smaller = withoutHeads(*model.model, mask);
        QVERIFY(distance(logitsOf(smaller), logitsOf(*model.model, mask)) < 1e-5);
        // A row of the mixing matrix, a content vector, value and output; with the last head the shared projections
        // too.
        const AttentionSpec &left = smaller.spec().attention(HeadKind::Encoder, 0);
        QCOMPARE(left.headCount(), 2);
        QCOMPARE(smaller.attention(HeadKind::Encoder, 0).mixing.size(0), 2);
        QCOMPARE(smaller.attention(HeadKind::Decoder, 0).query.weight.size(0), 0);
        const std::int64_t head = 6 + 16 + 4 * 16 + 4 + 16 * 4;
        QCOMPARE(parameterCount(model.model->spec()) - parameterCount(smaller.spec()), 7 * head + 2 * 6 * 16);
        for (const WeightSlot &slot : weightSlots(smaller.spec())) {
            if (slot.name == "encoder.0.self.mixing")
                QCOMPARE(slot.shape, smaller.attention(HeadKind::Encoder, 0).mixing.sizes().vec());
        }
    }

    void sharedProjectionsCanBeSharedAgain()
    {
        const SharedModel once = shared(m_model, 8);
        const SharedModel twice = shared(*once.model, 32); // as many as all heads have together
        QVERIFY(twice.attentions.front().error < 1e-6);
        QVERIFY(distance(logitsOf(*twice.model), logitsOf(*once.model)) < 1e-5);
    }

    void thePublishedScaleIsAFactor()
    {
        const SharedModel kept = shared(m_model, 4), published = shared(m_model, 4, {.publishedScale = true});
        const AttentionWeights &a = kept.model->attention(HeadKind::Encoder, 1);
        const AttentionWeights &b = published.model->attention(HeadKind::Encoder, 1);
        QVERIFY(distance(a.mixing * 2, b.mixing) < 1e-6); // √(16/4)
        QVERIFY(distance(a.content.weight * 2, b.content.weight) < 1e-6);
        QVERIFY(a.key.weight.equal(b.key.weight));
    }

    void rotaryPositionsAreRefused()
    {
        const auto rotary = randomModel(causalSpecs()[1].spec, 3);
        QVERIFY_EXCEPTION_THROWN((void)shared(*rotary, 4), Failure);
    }

    void costsAreThoseOfTheFormula() // BERT-base
    {
        AttentionSpec own;
        own.heads = headNumbers(12);
        own.allHeads = 12;
        own.headWidth = 64;
        own.biases.query = own.biases.key = false;
        QCOMPARE(scoreParameters(own, 768), 1179648);
        for (const auto &[width, parameters, length] :
             {std::tuple{384, 594432, 150.0}, std::tuple{256, 396288, 336.0}, std::tuple{128, 198144, 1266.0}}) {
            AttentionSpec sharing = own;
            shareProjections(sharing, width);
            QCOMPARE(scoreParameters(sharing, 768), parameters);
            sharing.biases.query = true; // content vectors cost as well
            const double even = breakEvenLength(own, sharing, 768);
            QVERIFY2(std::abs(even - length) < 1, qPrintable(QString::number(even)));
            QVERIFY(std::abs(scoreProducts(own, 768, even) - scoreProducts(sharing, 768, even)) < 1);
        }
        AttentionSpec wide = own;
        shareProjections(wide, 900);
        QCOMPARE(breakEvenLength(own, wide, 768), 0.0);
        own.heads = {0};
        AttentionSpec one = own;
        shareProjections(one, 20);
        QVERIFY(std::isinf(breakEvenLength(own, one, 768)));
    }

    void foldersComeBack()
    {
        QTemporaryDir dir;
        const std::filesystem::path folder = dir.path().toStdString();
        writeTinyModel(folder / "model");
        const LoadedModel model = loadModel(folder / "model", torch::kFloat32, {}).valueOrThrow();
        const SharedModel made = shared(*model.transformer, 6, {.kinds = {HeadKind::Encoder, HeadKind::Cross}});
        (void)saveShared(model, folder / "model", *made.model, folder / "shared", {}).valueOrThrow();
        QVERIFY(
            saveShared(model, folder / "model", *made.model, folder / "shared", {}).isError()); // not empty any more
        const LoadedModel back = loadModel(folder / "shared", torch::kFloat32, {}).valueOrThrow();
        QCOMPARE(back.warnings.size(), model.warnings.size());
        QCOMPARE(back.parameters, parameterCount(made.model->spec()));
        const std::vector<std::vector<std::int64_t>> rows{{3, 4, 5, 0}, {6, 7, 0}};
        const auto logits = [&](const Transformer &one, const HeadMask &mask = {}) {
            return forcedLogits(one, rows, rows, HeadGates::fromMask(mask, one.layout(), one.options()));
        };
        QVERIFY(logits(*back.transformer).equal(logits(*made.model)));
        QVERIFY(std::filesystem::exists(folder / "shared" / "source.spm"));

        const HeadMask mask{{HeadKind::Encoder, 1, 2}, {HeadKind::Cross, 0, 0}, {HeadKind::Decoder, 1, 3}};
        for (const ExportForm form : {ExportForm::Small, ExportForm::Full}) {
            const auto target = folder / (form == ExportForm::Small ? "small" : "full");
            const PrunedCard card
                = exportPruned(back, folder / "shared", {.mask = mask, .form = form}, target, {}).valueOrThrow();
            QVERIFY(card.fullOpensIn.starts_with("Headscope only") && card.smallOpensIn == card.fullOpensIn);
            const LoadedModel pruned = loadModel(target, torch::kFloat32, {}).valueOrThrow();
            QVERIFY(distance(logits(*pruned.transformer), logits(*made.model, mask)) < 1e-5);
            QCOMPARE(pruned.transformer->layout().size(), form == ExportForm::Small ? 21 : 24);
        }
        const LoadedModel small = loadModel(folder / "small", torch::kFloat32, {}).valueOrThrow();
        (void)exportPruned(small, folder / "small", {.mask = {}, .form = ExportForm::Full}, folder / "again", {})
            .valueOrThrow();
        const LoadedModel again = loadModel(folder / "again", torch::kFloat32, {}).valueOrThrow();
        QVERIFY(distance(logits(*again.transformer), logits(*made.model, mask)) < 1e-5);
    }

    void everyFamilyHasAPlaceForThem_data()
    {
        QTest::addColumn<QString>("type");
        for (const char *type : {"bert", "roberta", "distilbert", "electra", "bart", "gpt2", "t5"})
            QTest::newRow(type) << QString::fromUtf8(type);
    }
    void everyFamilyHasAPlaceForThem()
    {
        QFETCH(QString, type);
        nlohmann::json config = configOf(type.toUtf8().constData());
        const Family &family = *findFamily(config, "config.json").valueOrThrow();
        const TransformerSpec whole = family.makeSpec(config, {}).valueOrThrow();
        const HeadKind kind = whole.encoder ? HeadKind::Encoder : HeadKind::Decoder;
        config["headscope_shared_projections"] = {{std::string(headKindName(kind)), {{"1", 5}}}};
        const TransformerSpec spec = family.makeSpec(config, {}).valueOrThrow();
        QVERIFY(spec.attention(kind, 1).sharesProjections() && !spec.attention(kind, 0).sharesProjections());
        const auto tensors = randomTensors(spec, 3);
        const StoredSlots slots = storedSlots(family, spec);
        const auto stored = checkpointTensors(slots, tensors);
        for (const auto &[slot, tensor] : tensors) {
            QVERIFY(slots.contains(slot));
            QVERIFY2(slotTensor(stored.at(slots.at(slot).name), slots.at(slot)).equal(tensor), slot.c_str());
            QCOMPARE(stored.at(slots.at(slot).name).sizes().vec(), slots.at(slot).storedShape);
        }
        const auto written = withSharedProjections(nlohmann::ordered_json{{"model_type", "x"}}, spec);
        QVERIFY(nlohmann::json(written["headscope_shared_projections"]) == config["headscope_shared_projections"]);
        QVERIFY(!withSharedProjections(written, whole).contains("headscope_shared_projections"));
    }

    void wrongConfigurationsAreRefused_data()
    {
        QTest::addColumn<QString>("value");
        QTest::newRow("no object") << u"[1]"_s;
        QTest::newRow("unknown kind") << uR"({"middle": {"0": 4}})"_s;
        QTest::newRow("no such kind") << uR"({"cross": {"0": 4}})"_s;
        QTest::newRow("no such layer") << uR"({"encoder": {"7": 4}})"_s;
        QTest::newRow("no layer") << uR"({"encoder": {"first": 4}})"_s;
        QTest::newRow("no width") << uR"({"encoder": {"0": 0}})"_s;
        QTest::newRow("no number") << uR"({"encoder": {"0": "4"}})"_s;
    }
    void wrongConfigurationsAreRefused()
    {
        QFETCH(QString, value);
        nlohmann::json config = configOf("bert");
        config["headscope_shared_projections"] = nlohmann::json::parse(value.toStdString());
        const auto spec = findFamily(config, "config.json").valueOrThrow()->makeSpec(config, {});
        QVERIFY(spec.isError());
        QVERIFY(spec.error().message.find("headscope_shared_projections") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestSharedModel)
#include "tst_sharedmodel.moc"
