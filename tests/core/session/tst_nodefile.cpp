// Effects of heads as the node file of the MIB benchmark: every node of the graph, scores of the heads.
#include "core/session/nodefile.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinylanguagemodel.h"

#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

namespace {

/// Of eight heads in two layers: scores 0.5, 1.5, …, estimates their negatives.
PatchResult eightEffects()
{
    PatchResult result;
    double value = 0.5;
    for (int layer = 0; layer < 2; ++layer) {
        for (int head = 0; head < 4; ++head) {
            HeadPatch &patch = result.heads.emplace_back();
            patch.head = {HeadKind::Decoder, layer, head};
            patch.patch.delta = value;
            patch.patch.attribution = -value;
            value += 1;
        }
    }
    return result;
}

} // namespace

class TestNodeFile : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    fs::path path(const char *name) const { return fs::path(m_folder.path().toStdString()) / name; }

private Q_SLOTS:
    void initTestCase()
    {
        writeTinyLanguageModel(path("gpt2"), {});
        writeTinyClassifier(path("classifier"), {});
    }

    void everyNodeIsThere()
    {
        PatchResult result = eightEffects();
        const auto json = nlohmann::json::parse(nodeFile(result, CircuitOrder::Patching, path("gpt2")).valueOrThrow());
        QCOMPARE(json.at("cfg").at("n_layers").get<int>(), 2);
        QCOMPARE(json.at("cfg").at("n_heads").get<int>(), 4);
        QCOMPARE(json.at("cfg").at("parallel_attn_mlp").get<bool>(), false);
        QVERIFY(json.at("cfg").at("d_model").get<int>() > 0);
        QVERIFY(json.at("edges").is_object());
        const auto &nodes = json.at("nodes");
        QCOMPARE(nodes.size(), 12U); // input, eight heads, two feed-forward layers, logits
        for (const char *name : {"input", "m0", "m1", "logits"})
            QVERIFY(!nodes.at(name).contains("score") && nodes.at(name).at("in_graph").get<bool>());
        QCOMPARE(nodes.at("a0.h0").at("score").get<double>(), 0.5);
        QCOMPARE(nodes.at("a1.h3").at("score").get<double>(), 7.5);
        // A head that helps has a score above zero, from whichever side it is patched.
        result.direction = PatchDirection::Noise;
        const auto noise = nlohmann::json::parse(nodeFile(result, CircuitOrder::Patching, path("gpt2")).valueOrThrow());
        QCOMPARE(noise.at("nodes").at("a0.h1").at("score").get<double>(), -1.5);
        const auto other
            = nlohmann::json::parse(nodeFile(result, CircuitOrder::Attribution, path("gpt2")).valueOrThrow());
        QCOMPARE(other.at("nodes").at("a0.h1").at("score").get<double>(), 1.5);
        // A group that was patched together has one score.
        result.heads.erase(result.heads.begin() + 1);
        result.heads[0].together = {{HeadKind::Decoder, 0, 1}};
        const auto groups
            = nlohmann::json::parse(nodeFile(result, CircuitOrder::Patching, path("gpt2")).valueOrThrow());
        QCOMPARE(groups.at("nodes").at("a0.h1").at("score").get<double>(), -0.5);
        // A head without a score stays in every circuit.
        result.heads[0].together.clear();
        const auto one = nlohmann::json::parse(nodeFile(result, CircuitOrder::Patching, path("gpt2")).valueOrThrow());
        QVERIFY(!one.at("nodes").at("a0.h1").contains("score"));
    }

    void whatHasNoGraphIsSaid()
    {
        PatchResult result = eightEffects();
        const auto refusal = [&](const char *model) {
            const auto made = nodeFile(result, CircuitOrder::Patching, path(model));
            return made.isOk() ? QString() : QString::fromStdString(made.error().message);
        };
        QVERIFY(refusal("classifier").contains(QLatin1String("decoder only")));
        QVERIFY(!refusal("nowhere").isEmpty());
        result.heads.back().head.layer = 7;
        QVERIFY(refusal("gpt2").contains(QLatin1String("decoder.7.3")));
        result = eightEffects();
        result.pathsTo = "output";
        QVERIFY(refusal("gpt2").contains(QLatin1String("paths")));
    }
};

QTEST_APPLESS_MAIN(TestNodeFile)
#include "tst_nodefile.moc"
