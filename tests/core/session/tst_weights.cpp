// What weights of heads say: of a model that was made by hand, and what must not change it.
#include "core/analysis/headtokensspec.h"
#include "core/analysis/weightsspec.h"
#include "core/results/headtokensresult.h"
#include "core/results/weightsresult.h"
#include "core/session/session.h"
#include "tests/support/inductionmodel.h"
#include "tests/support/rewrittentensors.h"
#include "tests/support/tinylanguagemodel.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

class TestWeights : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    std::filesystem::path path(const char *name) const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    static WeightsResult weightsOf(const std::filesystem::path &folder, const WeightsSpec &spec = {.values = true})
    {
        const auto session = Session::open(folder, {}, {}).valueOrThrow();
        return session->run(Domain::In, spec, {}).valueOrThrow();
    }
    static HeadRef decoder(int layer, int head) { return {HeadKind::Decoder, layer, head}; }
    static const HeadWeightNumbers &headOf(const WeightsResult &result, int layer, int head)
    {
        return *std::ranges::find(result.heads, decoder(layer, head), &HeadWeightNumbers::head);
    }
    static bool isNear(double a, double b)
    {
        return std::abs(a - b) < 1e-5 * std::max({1.0, std::abs(a), std::abs(b)});
    }

    static void compareNumbers(const CircuitNumbers &a, const CircuitNumbers &b)
    {
        QVERIFY(isNear(a.norm, b.norm));
        QVERIFY(isNear(a.effectiveRank, b.effectiveRank));
        QCOMPARE(a.eigenvalueScore.has_value(), b.eigenvalueScore.has_value());
        QVERIFY(isNear(a.eigenvalueScore.value_or(0), b.eigenvalueScore.value_or(0)));
        QVERIFY(isNear(a.vocabularyScore.value_or(0), b.vocabularyScore.value_or(0)));
        QVERIFY(isNear(a.biasNorm.value_or(0), b.biasNorm.value_or(0)));
        for (std::size_t i = 0; i < a.singularValues.size(); ++i)
            QVERIFY(isNear(a.singularValues[i], b.singularValues[i]));
    }
    static void compareResults(const WeightsResult &a, const WeightsResult &b)
    {
        QCOMPARE(a.heads.size(), b.heads.size());
        for (std::size_t h = 0; h < a.heads.size(); ++h) {
            compareNumbers(a.heads[h].ov, b.heads[h].ov);
            compareNumbers(a.heads[h].qk, b.heads[h].qk);
            for (std::size_t input = 0; input < 3; ++input) {
                const auto &ours = a.composition[h].of[input];
                const auto &theirs = b.composition[h].of[input];
                QCOMPARE(ours.size(), theirs.size());
                for (std::size_t i = 0; i < ours.size(); ++i)
                    QVERIFY(std::abs(ours[i] - theirs[i]) < 1e-5);
            }
        }
    }

private Q_SLOTS:
    /// The previous-token head writes what it reads elsewhere, the induction head's keys read just that, and both heads
    /// of the second layer copy.
    void headsMadeByHandAreSeenInTheirWeights()
    {
        writeInductionModel(path("made"));
        const WeightsResult result = weightsOf(path("made"));
        QVERIFY(!result.rotary);
        for (const int head : {0, 1}) {
            QVERIFY(*headOf(result, 1, head).ov.eigenvalueScore > 0.99);
            QVERIFY(*headOf(result, 1, head).ov.vocabularyScore > 0.99);
        }
        QVERIFY(headOf(result, 0, 0).ov.eigenvalueScore.value_or(0) < 0.1);
        QVERIFY(headOf(result, 0, 0).ov.vocabularyScore.value_or(0) < 0.1);
        QVERIFY(!headOf(result, 0, 1).ov.eigenvalueScore); // nothing is written
        QCOMPARE(headOf(result, 0, 1).ov.norm, 0.0);
        const auto composition = [&](CompositionInput input, int receiver) {
            return *compositionOf(result, decoder(1, receiver), input, decoder(0, 0));
        };
        // Both sides are the same 24 dimensions: A and B are multiples of projections, so that ‖AB‖ = ‖A‖ ‖B‖ / √24
        // but for what centring takes.
        QVERIFY2(std::abs(composition(CompositionInput::Key, 0) - 1 / std::sqrt(24.0)) < 0.01,
                 std::to_string(composition(CompositionInput::Key, 0)).c_str());
        for (const CompositionInput input : {CompositionInput::Query, CompositionInput::Value})
            QVERIFY(composition(input, 0) < 0.02);
        for (const CompositionInput input : {CompositionInput::Query, CompositionInput::Key, CompositionInput::Value})
            QVERIFY(composition(input, 1) < 0.02);
        QVERIFY(composition(CompositionInput::Key, 0) > result.random.front().interval.high);
        QVERIFY(!compositionOf(result, decoder(0, 0), CompositionInput::Query, decoder(1, 0)));
    }

    /// A copying head writes the token that it attends to, and the induction head's keys are no present tokens.
    void headsMadeByHandWriteTheTokensThatTheyCopy()
    {
        const auto session = Session::open(path("made"), {}, {}).valueOrThrow();
        for (const std::int64_t token : {3, 17}) {
            const HeadTokensResult result
                = session->run(Domain::In, HeadTokensSpec{.tokenId = token, .directions = 0}, {}).valueOrThrow();
            for (const HeadTokens &head : result.heads) {
                const bool copies = head.head.layer == 1;
                QCOMPARE(head.writes.size(), std::size_t{1});
                QCOMPARE(head.writes.front().rank == 1, copies);
                if (copies)
                    QCOMPARE(head.writes.front().tokens.highest.front().id, token);
                // The others write beside the tokens, or nothing: no token is furthest.
                QCOMPARE(head.writes.front().tokens.highest.empty(), !copies);
            }
        }
    }

    void whatCannotBeLookedForIsSaid()
    {
        const auto session = Session::open(path("made"), {}, {}).valueOrThrow();
        const auto messageOf = [&](const HeadTokensSpec &spec) {
            const auto result = session->run(Domain::In, spec, {});
            return result.isOk() ? std::string() : result.error().message;
        };
        QVERIFY(messageOf({.directions = 0}).find("--token") != std::string::npos);
        QVERIFY(messageOf({.token = "a", .tokenId = 1}).find("one of them") != std::string::npos);
        QVERIFY(messageOf({.token = "a"}).find("no tokenizer") != std::string::npos);
        QVERIFY(messageOf({.tokenId = 24}).find("0 to 23") != std::string::npos);
        QVERIFY(messageOf({.heads = "decoder.7.0"}).find("decoder.7.0") != std::string::npos);
        const auto one = session->run(Domain::In, HeadTokensSpec{.heads = "decoder.1.1"}, {}).valueOrThrow();
        QCOMPARE(one.heads.size(), std::size_t{1});
        QVERIFY(one.heads.front().head == decoder(1, 1) && one.heads.front().writes.empty());
        QCOMPARE(one.heads.front().ov.size(), std::size_t{3});
    }

    /// W_Q → R W_Q, W_K → R W_K; W_V → S W_V, W_O → W_O Sᵀ with rotations R and S of a head's inner space.
    void rotationsOfTheInnerSpaceChangeNothing()
    {
        writeTinyLanguageModel(path("rotated"), {.layers = 3, .headsAmplitude = 0.5});
        const WeightsResult before = weightsOf(path("rotated"));
        constexpr std::int64_t kWidth = 16, kInner = 4;
        torch::manual_seed(1);
        const auto rotation = [] {
            return std::get<0>(torch::linalg_qr(torch::randn({kInner, kInner}, torch::kFloat64))).to(torch::kFloat32);
        };
        std::vector<torch::Tensor> scores, values;
        for (int head = 0; head < 4; ++head) {
            scores.push_back(rotation());
            values.push_back(rotation());
        }
        rewriteTensors(path("rotated"), [&](const std::string &name, torch::Tensor &tensor) {
            const bool isIn = name.find("attn.c_attn") != std::string::npos;
            if (!isIn && name.find("attn.c_proj.weight") == std::string::npos)
                return;
            for (std::int64_t head = 0; head < 4; ++head) {
                const auto at = static_cast<std::size_t>(head);
                if (!isIn) { // [in, out]
                    auto rows = tensor.narrow(0, head * kInner, kInner);
                    rows.copy_(torch::matmul(values[at].t(), rows.clone()));
                    continue;
                }
                for (std::int64_t part = 0; part < 3; ++part) {
                    const auto &turn = part == 2 ? values[at] : scores[at];
                    auto columns = tensor.narrow(-1, part * kWidth + head * kInner, kInner);
                    columns.copy_(torch::matmul(columns.clone(), turn));
                }
            }
        });
        compareResults(before, weightsOf(path("rotated")));
    }

    /// A head of rank 1 whose queries read the direction that another writes.
    void compositionOfOneDirectionIsOne()
    {
        writeTinyLanguageModel(path("rank"), {.layers = 2, .headsAmplitude = 0.5});
        torch::manual_seed(2);
        auto direction = torch::randn({16});
        direction -= direction.mean(); // which norms centre anyway
        rewriteTensors(path("rank"), [&](const std::string &name, torch::Tensor &tensor) {
            if (name.find("ln_1") != std::string::npos)
                tensor.fill_(name.ends_with("weight") ? 1 : 0);
            if (name == "transformer.h.0.attn.c_proj.weight") { // head 2 writes along it
                auto rows = tensor.narrow(0, 8, 4);
                rows.copy_(torch::outer(torch::randn({4}), direction));
            }
            if (name == "transformer.h.1.attn.c_attn.weight") { // queries of head 3 read along it
                auto columns = tensor.narrow(1, 12, 4);
                columns.copy_(torch::outer(direction, torch::randn({4})));
            }
        });
        const WeightsResult result = weightsOf(path("rank"));
        const auto score = compositionOf(result, decoder(1, 3), CompositionInput::Query, decoder(0, 2));
        QVERIFY2(std::abs(*score - 1) < 1e-5, std::to_string(*score).c_str());
        QVERIFY(*compositionOf(result, decoder(1, 3), CompositionInput::Key, decoder(0, 2)) < 0.95);
        const auto kernel = kernelOf(result, decoder(1, 3), CompositionInput::Query, decoder(0, 2));
        QVERIFY2(std::abs(*kernel - 1) < 1e-5, std::to_string(*kernel).c_str()); // of rank 1, both
        QVERIFY(std::abs(headOf(result, 1, 3).qk.effectiveRank - 1) < 1e-5);
    }

    /// Random matrices have what theory says: E‖AB‖² / (‖A‖² ‖B‖²) is near 1 / D for products of normal factors.
    void randomCompositionIsThatOfRandomMatrices()
    {
        const WeightsResult result = weightsOf(path("rank"), {});
        QCOMPARE(result.random.size(), std::size_t{1});
        const RandomComposition &random = result.random.front();
        QVERIFY(random.interval.low < random.mean && random.mean < random.interval.high);
        QVERIFY2(std::abs(random.mean - 0.25) < 0.03, std::to_string(random.mean).c_str()); // 1 / √16
        QVERIFY(result.heads.front().ov.singularValues.empty());                            // not asked for
        QCOMPARE(*random.kernel, 1.0);                                                      // 4 · 4 / 16
        QVERIFY(std::abs(*random.kernelDeviation - std::sqrt(2 * 16 * 144.0 / (256 * 15 * 18))) < 1e-12);
    }

    void compositionCanBeLeftOut()
    {
        const WeightsResult result = weightsOf(path("rank"), {.withoutComposition = true});
        QVERIFY(result.composition.empty());
        QVERIFY(result.random.empty());
        QCOMPARE(result.heads.size(), std::size_t{8});
    }

    /// Cross-attention's keys and values read the encoder, its queries the decoder.
    void encoderDecodersCompose()
    {
        writeTinyModel(path("translates"));
        const WeightsResult result = weightsOf(path("translates"));
        const HeadRef cross{HeadKind::Cross, 0, 0}, encoder{HeadKind::Encoder, 1, 0}, self{HeadKind::Decoder, 0, 0};
        QVERIFY(compositionOf(result, cross, CompositionInput::Value, encoder));
        QVERIFY(!compositionOf(result, cross, CompositionInput::Query, encoder));
        QVERIFY(compositionOf(result, cross, CompositionInput::Query, self));
        QVERIFY(!compositionOf(result, cross, CompositionInput::Key, self));
        QVERIFY(!compositionOf(result, self, CompositionInput::Key, cross)); // of the same layer: behind it
        for (const HeadComposition &head : result.composition)
            for (const auto &scores : head.of)
                QVERIFY(std::ranges::all_of(scores, [](double score) { return score >= 0 && score <= 1; }));
        const HeadTokensResult tokens = Session::open(path("translates"), {}, {})
                                            .valueOrThrow()
                                            ->run(Domain::In, HeadTokensSpec{}, {})
                                            .valueOrThrow();
        for (const HeadTokens &head : tokens.heads) { // an encoder's heads say no token by themselves
            QVERIFY(!head.ov.empty() && !head.qk.empty());
            QCOMPARE(head.ov.front().to.highest.empty(), head.head.kind == HeadKind::Encoder);
            QVERIFY(!head.ov.front().from.highest.empty() && !head.qk.front().to.highest.empty());
        }
    }
};

QTEST_GUILESS_MAIN(TestWeights)
#include "tst_weights.moc"
