#include "tests/core/model/fixturemodel.h"
#include "tests/support/shareddata.h"

#include "core/formats/jsonfile.h"
#include "core/model/family.h"

#include <QTest>

using namespace headscope;
using namespace headscope::testing;

namespace {

nlohmann::json golden()
{
    const auto file = sharedData("golden/model_golden_tf4.27.1.json");
    return file.empty() ? nlohmann::json() : readJsonFile(file).valueOrThrow().at("marian");
}

double distanceTo(const torch::Tensor &ours, const nlohmann::json &theirs)
{
    const auto values = theirs.get<std::vector<double>>();
    return distance(ours.reshape({-1}).to(torch::kFloat64), torch::tensor(values, torch::kFloat64));
}

} // namespace

class TestTransformer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void logitsAndAttentionEqualHuggingFace()
    {
        const nlohmann::json expected = golden();
        if (expected.is_null())
            QSKIP("No golden files: set HEADSCOPE_SHARED.");
        const Transformer model = fixtureModel();
        Recorder recorder;
        recorder.probabilities = true;
        const auto logits = forcedLogits(model, kSources, kTargets, {}, &recorder);
        QVERIFY(distanceTo(logits.select(1, 2), expected.at("logits_last")) < 2e-5);
        QVERIFY(distanceTo(recorder.at(HeadKind::Cross, 1, "probabilities")[0][2], expected.at("cross_l1_b0_h2"))
                < 2e-5);
        QVERIFY(distanceTo(recorder.at(HeadKind::Decoder, 0, "probabilities")[0][0], expected.at("dec_l0_b0_h0"))
                < 2e-5);
    }

    void masksEqualHuggingFaceHeadMasks()
    {
        const nlohmann::json expected = golden();
        if (expected.is_null())
            QSKIP("No golden files: set HEADSCOPE_SHARED.");
        const Transformer model = fixtureModel();
        const HeadMask mask{{HeadKind::Encoder, 0, 1}, {HeadKind::Decoder, 1, 2}, {HeadKind::Cross, 0, 0}};
        const auto gates = HeadGates::fromMask(mask, model.layout(), model.options());
        const auto logits = forcedLogits(model, kSources, kTargets, gates);
        QVERIFY(distanceTo(logits.select(1, 2), expected.at("logits_last_hm_enc0.1_dec1.2_cross0.0")) < 2e-5);
    }

    void sinusoidsAreMariansHalves()
    {
        // Marian's positions of width 8, rows 1 and 2. Read through an embedding of zeros and no layers' work.
        nlohmann::json config = marianConfig();
        config["d_model"] = 8;
        TransformerSpec spec = specOf(config);
        auto tensors = filledTensors(spec, config);
        tensors["encoder.embedding"].zero_();
        const Transformer model(spec, TransformerWeights::assemble(spec, tensors));
        const auto hidden = model.begin(Side::Encoder, TokenBatch::pad({{1, 1, 1}}, 0, torch::kCPU)).hidden[0];
        const auto expected
            = torch::tensor({0.841471, 0.099833, 0.01, 0.001, 0.540302, 0.995004, 0.99995, 1.0, 0.909297, 0.198669,
                             0.019999, 0.002, -0.416147, 0.980067, 0.9998, 0.999998},
                            torch::kFloat64)
                  .view({2, 8});
        QVERIFY(distance(hidden.narrow(0, 1, 2).to(torch::kFloat64), expected) < 1e-6);
    }

    void paddingChangesNothing() // T9
    {
        const Transformer model = fixtureModel();
        const auto together = forcedLogits(model, kSources, kTargets);
        for (std::size_t i = 0; i < kSources.size(); ++i) {
            const auto alone = forcedLogits(model, {kSources[i]}, {kTargets[i]});
            QVERIFY(distance(together[static_cast<std::int64_t>(i)], alone[0]) < 1e-5);
        }
    }

    void startTokenThatIsThePaddingTokenIsSeen()
    {
        // The decoder's first token has the id of padding; changing it must change what follows.
        const Transformer model = fixtureModel();
        const auto a = forcedLogits(model, {kSources[0]}, {{31, 4, 9}});
        const auto b = forcedLogits(model, {kSources[0]}, {{5, 4, 9}});
        QVERIFY(distance(a.select(1, 2), b.select(1, 2)) > 1e-3);
    }

    void enteringBetweenSubLayersGivesTheSame()
    {
        const Transformer model = fixtureModel();
        const TokenBatch source = TokenBatch::pad(kSources, 31, torch::kCPU);
        const HeadGates open;
        for (int place = 0; place <= 4; ++place) { // two layers of two sub-layers
            StackState state = model.begin(Side::Encoder, source);
            model.advance(state, place, {open});
            StackState copy = state;
            model.advanceToEnd(copy, {open});
            QCOMPARE(distance(model.finish(copy), model.encode(source, {}).hidden), 0.0);
            QCOMPARE(state.place, place);
            QVERIFY(model.isAtEnd(copy));
        }
    }

    void stepsEqualTheFullPassUnderMasks() // T13
    {
        const Transformer model = fixtureModel();
        for (const HeadMask &mask : {HeadMask{}, HeadMask{{HeadKind::Decoder, 0, 1}, {HeadKind::Cross, 1, 3}},
                                     HeadMask{{HeadKind::Encoder, 1, 0}, {HeadKind::Decoder, 1, 2}}}) {
            const auto gates = HeadGates::fromMask(mask, model.layout(), model.options());
            const auto full = forcedLogits(model, kSources, kTargets, gates);
            const Memory memory = model.encode(TokenBatch::pad(kSources, 31, torch::kCPU), gates);
            DecodeCache cache = model.beginDecoding(&memory, 2, 1);
            for (std::int64_t t = 0; t < 3; ++t) {
                std::vector<std::int64_t> tokens;
                for (const auto &target : kTargets)
                    tokens.push_back(target[static_cast<std::size_t>(t)]);
                const auto step = model.decodeStep(cache, torch::tensor(tokens, torch::kInt64), gates);
                QVERIFY(distance(step, full.select(1, t)) < 1e-5);
            }
        }
    }

    void rowsOfDifferentLengthsShareACache()
    {
        const Transformer model = fixtureModel();
        const Memory memory = model.encode(TokenBatch::pad(kSources, 31, torch::kCPU), {});
        DecodeCache cache = model.beginDecoding(&memory, 2, 1);
        model.decodeStep(cache, torch::tensor({31, 31}, torch::kInt64), {});
        model.decodeStep(cache, torch::tensor({4, 7}, torch::kInt64), {});
        cache.lengths = {2, 1}; // forget the second row's last token
        const auto step = model.decodeStep(cache, torch::tensor({9, 3}, torch::kInt64), {});
        const auto first = forcedLogits(model, {kSources[0]}, {{31, 4, 9}});
        const auto second = forcedLogits(model, {kSources[1]}, {{31, 3}});
        QVERIFY(distance(step[0], first[0][2]) < 1e-5);
        QVERIFY(distance(step[1], second[0][1]) < 1e-5);
    }

    void badConfigsAreRefused_data()
    {
        QTest::addColumn<QByteArray>("change");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("type") << QByteArray(R"({"d_model": "wide"})") << QByteArray("d_model");
        QTest::newRow("negative") << QByteArray(R"({"encoder_layers": -1})") << QByteArray("encoder_layers");
        QTest::newRow("heads") << QByteArray(R"({"decoder_attention_heads": 3})") << QByteArray("multiple");
        QTest::newRow("activation") << QByteArray(R"({"activation_function": "magic"})") << QByteArray("magic");
        QTest::newRow("huge") << QByteArray(R"({"max_position_embeddings": 4000000000})")
                              << QByteArray("max_position_embeddings");
    }

    void badConfigsAreRefused()
    {
        QFETCH(QByteArray, change);
        QFETCH(QByteArray, message);
        nlohmann::json config = marianConfig();
        config.update(nlohmann::json::parse(change.toStdString()));
        const auto spec = findFamily(config, "config.json").valueOrThrow()->makeSpec(config, {});
        QVERIFY(spec.isError());
        QVERIFY2(spec.error().message.find(message.toStdString()) != std::string::npos, spec.error().message.c_str());
    }

    void unknownFamiliesNameTheKnownOnes()
    {
        const auto family = findFamily({{"model_type", "gpt9"}}, "x/config.json");
        QVERIFY(family.isError());
        QVERIFY(family.error().message.find("gpt9") != std::string::npos);
        QVERIFY(family.error().message.find("marian") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestTransformer)
#include "tst_transformer.moc"
