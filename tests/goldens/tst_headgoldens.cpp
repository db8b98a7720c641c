// Detectors and weights of heads against plain loops over transformers, and TransformerLens (make_head_goldens.py).
#include "core/analysis/detectspec.h"
#include "core/analysis/headtokensspec.h"
#include "core/analysis/weightsspec.h"
#include "core/formats/jsonfile.h"
#include "core/results/detectresult.h"
#include "core/results/headtokensresult.h"
#include "core/results/weightsresult.h"
#include "core/session/session.h"
#include "tests/goldens/goldens.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

namespace {

constexpr const char *kGolden = "heads.json";

HeadRef headOf(const nlohmann::json &golden)
{
    return {parseHeadKind(golden.at(0).get<std::string>()).valueOrThrow(), golden.at(1).get<int>(),
            golden.at(2).get<int>()};
}

void compare(const std::string &what, std::optional<double> value, const nlohmann::json &golden, double tolerance)
{
    QVERIFY2(value.has_value() == golden.is_number(), what.c_str());
    if (!value)
        return;
    const double expected = golden.get<double>();
    QVERIFY2(std::abs(*value - expected) <= tolerance * std::max(1.0, std::abs(expected)),
             (what + ": " + std::to_string(*value) + ", not " + std::to_string(expected)).c_str());
}

void compareCircuit(const std::string &what, const CircuitNumbers &circuit, const nlohmann::json &golden)
{
    compare(what + " norm", circuit.norm, golden["norm"], 1e-4);
    compare(what + " rank", circuit.effectiveRank, golden["effective_rank"], 1e-4);
    compare(what + " eigenvalues", circuit.eigenvalueScore, golden["eigenvalue_score"], 1e-4);
    compare(what + " vocabulary", circuit.vocabularyScore, golden["vocabulary_score"], 1e-4);
    compare(what + " bias", circuit.biasNorm.value_or(0), golden["bias_norm"], 1e-4);
    QCOMPARE(circuit.singularValues.size(), golden["singular"].size());
    for (std::size_t i = 0; i < circuit.singularValues.size(); ++i)
        compare(what + " singular value", circuit.singularValues[i], golden["singular"][i], 1e-4);
    QCOMPARE(circuit.vocabularyReal.size(), golden["vocabulary"].is_null() ? 0 : golden["vocabulary"].size());
    for (std::size_t i = 0; i < circuit.vocabularyReal.size(); ++i)
        compare(what + " eigenvalue over the vocabulary",
                std::hypot(circuit.vocabularyReal[i], circuit.vocabularyImaginary[i]), golden["vocabulary"][i], 1e-4);
}

/// Tokens with the same values; where two values are the same to rounding, either may come first.
void compareExtremes(const std::string &what, const TokenExtremes &tokens, const nlohmann::json &golden)
{
    for (const auto &[side, ranked] : {std::pair("highest", &tokens.highest), std::pair("lowest", &tokens.lowest)}) {
        QCOMPARE(ranked->size(), golden[side].size());
        for (std::size_t i = 0; i < ranked->size(); ++i) {
            const RankedToken &token = (*ranked)[i];
            const double value = golden[side][i][1].get<double>();
            compare(what + ' ' + side, token.value, golden[side][i][1], 1e-4);
            const auto same = std::ranges::find_if(golden[side], [&](const nlohmann::json &other) {
                return other[0] == token.id && std::abs(other[1].get<double>() - value) < 1e-4;
            });
            const bool isLast = i + 1 == ranked->size(); // the one behind it is not in the golden
            QVERIFY2(same != golden[side].end() || isLast, what.c_str());
        }
    }
}

void compareEffect(const std::string &what, const std::vector<TokenEffect> &effects, const nlohmann::json &golden)
{
    QCOMPARE(effects.size(), golden.is_null() ? 0 : 1);
    if (effects.empty())
        return;
    compareExtremes(what, effects.front().tokens, golden);
    QVERIFY2(effects.front().rank == golden["rank"].get<std::int64_t>(), what.c_str());
}

void compareDirections(const std::string &what, const std::vector<DirectionTokens> &directions,
                       const nlohmann::json &golden)
{
    QCOMPARE(directions.size(), golden.size());
    for (std::size_t i = 0; i < directions.size(); ++i) {
        compare(what, directions[i].value, golden[i]["value"], 1e-4);
        compareExtremes(what + " from", directions[i].from, golden[i]["from"]);
        if (golden[i].contains("to"))
            compareExtremes(what + " to", directions[i].to, golden[i]["to"]);
        else
            QVERIFY2(directions[i].to.highest.empty() && directions[i].to.lowest.empty(), what.c_str());
    }
}

} // namespace

class TestHeadGoldens : public QObject
{
    Q_OBJECT

    static void addFolders()
    {
        QTest::addColumn<QString>("folder");
        for (const auto &folder : goldenFolders("families")) {
            if (std::filesystem::exists(folder / kGolden))
                QTest::newRow(folder.filename().c_str()) << QString::fromStdString(folder.string());
        }
    }
    static nlohmann::json goldenOf(const QString &folder)
    {
        return readJsonFile(std::filesystem::path(folder.toStdString()) / kGolden).valueOrThrow();
    }

private Q_SLOTS:
    void thereAreGoldens()
    {
        int folders = 0;
        int byLens = 0;
        for (const auto &folder : goldenFolders("families")) {
            if (!std::filesystem::exists(folder / kGolden))
                continue;
            ++folders;
            byLens += readJsonFile(folder / kGolden).valueOrThrow().contains("transformer_lens") ? 1 : 0;
        }
        QCOMPARE(folders, 9);
        QCOMPARE(byLens, 3);
    }

    void detectors_data() { addFolders(); }
    void detectors()
    {
        QFETCH(QString, folder);
        const auto golden = goldenOf(folder);
        if (!golden.contains("detect"))
            QSKIP("an encoder-decoder");
        const auto session = Session::open(folder.toStdString(), {}, {}).valueOrThrow();
        DetectSpec spec;
        spec.length = golden["length"];
        spec.sequences = golden["sequences"];
        spec.run.seed = golden["seed"];
        const DetectResult result = session->run(Domain::In, spec, {}).valueOrThrow();
        QCOMPARE(result.ids, golden["detect"]["ids"][0].get<std::vector<std::int64_t>>());
        QCOMPARE(result.heads.size(), golden["detect"]["heads"].size());
        for (const nlohmann::json &expected : golden["detect"]["heads"]) {
            const HeadRef address = headOf(expected["head"]);
            const auto head = std::ranges::find(result.heads, address, &HeadDetection::head);
            QVERIFY(head != result.heads.end());
            for (const std::string_view name : EnumNames<HeadDetector>::values) {
                const DetectorScore *score = scoreOf(*head, parseName<HeadDetector>(name).valueOrThrow());
                const std::string what = toText(address) + ' ' + std::string(name);
                compare(what, score ? std::optional(score->score) : std::nullopt,
                        expected.value(std::string(name), nlohmann::json()), 1e-5);
            }
            compare("sink queries", head->sinkQueries, expected["sink_queries"], 1e-5);
            compare("gain", head->copyingGain, expected.value("copying_gain", nlohmann::json()), 1e-4);
        }
    }

    void weights_data() { addFolders(); }
    void weights()
    {
        QFETCH(QString, folder);
        const auto golden = goldenOf(folder);
        const auto session = Session::open(folder.toStdString(), {}, {}).valueOrThrow();
        const WeightsResult result = session->run(Domain::In, WeightsSpec{.values = true}, {}).valueOrThrow();
        QCOMPARE(result.heads.size(), golden["weights"].size());
        for (const nlohmann::json &expected : golden["weights"]) {
            const HeadRef address = headOf(expected["head"]);
            const auto head = std::ranges::find(result.heads, address, &HeadWeightNumbers::head);
            QVERIFY(head != result.heads.end());
            compareCircuit(toText(address) + " OV", head->ov, expected["ov"]);
            compareCircuit(toText(address) + " QK", head->qk, expected["qk"]);
        }
        std::size_t pairs = 0;
        for (const HeadComposition &head : result.composition)
            pairs += head.of[0].size() + head.of[1].size() + head.of[2].size();
        QCOMPARE(pairs, golden["composition"].size());
        for (const nlohmann::json &expected : golden["composition"]) {
            const auto input = parseName<CompositionInput>(expected[0].get<std::string>()).valueOrThrow();
            const auto score = compositionOf(result, headOf(expected[1]), input, headOf(expected[2]));
            compare(expected.dump(), score, expected[3], 1e-4);
            const auto kernel = kernelOf(result, headOf(expected[1]), input, headOf(expected[2]));
            compare(expected.dump(), kernel, expected[4], 1e-4);
        }
    }

    void tokens_data() { addFolders(); }
    void tokens()
    {
        QFETCH(QString, folder);
        const auto golden = goldenOf(folder)["tokens"];
        const auto session = Session::open(folder.toStdString(), {}, {}).valueOrThrow();
        HeadTokensSpec spec;
        spec.tokenId = golden["token"].get<std::int64_t>();
        spec.top = golden["top"];
        spec.directions = golden["directions"];
        const HeadTokensResult result = session->run(Domain::In, spec, {}).valueOrThrow();
        QCOMPARE(result.heads.size(), golden["heads"].size());
        for (const nlohmann::json &expected : golden["heads"]) {
            const HeadRef address = headOf(expected["head"]);
            const auto head = std::ranges::find(result.heads, address, &HeadTokens::head);
            QVERIFY(head != result.heads.end());
            const std::string name = toText(address);
            compareEffect(name + " writes", head->writes, expected.value("writes", nlohmann::json()));
            compareEffect(name + " matches", head->matches, expected["matches"]);
            compareDirections(name + " OV", head->ov, expected["ov"]);
            compareDirections(name + " QK", head->qk, expected["qk"]);
        }
    }
};

QTEST_GUILESS_MAIN(TestHeadGoldens)
#include "tst_headgoldens.moc"
