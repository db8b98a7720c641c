// Detectors and weights of heads against plain loops over transformers, and TransformerLens (make_head_goldens.py).
#include "core/analysis/detectspec.h"
#include "core/analysis/weightsspec.h"
#include "core/formats/jsonfile.h"
#include "core/results/detectresult.h"
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
        }
    }
};

QTEST_GUILESS_MAIN(TestHeadGoldens)
#include "tst_headgoldens.moc"
