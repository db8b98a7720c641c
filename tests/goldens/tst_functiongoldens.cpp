// Changes at the last position of prompts against plain loops over transformers with hooks (make_function_goldens.py).
#include "core/formats/jsonfile.h"
#include "core/task/lasttokenruns.h"
#include "tests/goldens/goldens.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

namespace {

constexpr const char *kGolden = "functions.json";
constexpr double kTolerance = 1e-5;

void compare(const std::string &what, double value, const nlohmann::json &golden)
{
    const double expected = golden.get<double>();
    QVERIFY2(std::abs(value - expected) <= kTolerance * std::max(1.0, std::abs(expected)),
             (what + ": " + std::to_string(value) + ", not " + std::to_string(expected)).c_str());
}

std::vector<AskedPrompt> promptsOf(const nlohmann::json &golden)
{
    std::vector<AskedPrompt> prompts;
    for (const nlohmann::json &prompt : golden["prompts"])
        prompts.push_back({prompt["ids"].get<std::vector<std::int64_t>>(), prompt["answer"].get<std::int64_t>()});
    return prompts;
}

} // namespace

class TestFunctionGoldens : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void thereAreGoldens();
    void changesOfTheLastPosition_data();
    void changesOfTheLastPosition();
};

void TestFunctionGoldens::thereAreGoldens()
{
    int folders = 0;
    for (const auto &folder : goldenFolders("families"))
        folders += std::filesystem::exists(folder / kGolden) ? 1 : 0;
    QCOMPARE(folders, 4);
}

void TestFunctionGoldens::changesOfTheLastPosition_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<bool>("plain");
    for (const auto &folder : goldenFolders("families")) {
        if (!std::filesystem::exists(folder / kGolden))
            continue;
        for (const bool plain : {false, true})
            QTest::addRow("%s%s", folder.filename().c_str(), plain ? ", plain" : "")
                << QString::fromStdString(folder.string()) << plain;
    }
}

void TestFunctionGoldens::changesOfTheLastPosition()
{
    QFETCH(QString, folder);
    QFETCH(bool, plain);
    const std::filesystem::path path = folder.toStdString();
    const auto golden = readJsonFile(path / kGolden).valueOrThrow();
    const LoadedModel model = loadGolden(path);
    const Execution execution;
    const JobControl control;
    const RowModels models(model.transformer, execution);
    const std::vector<AskedPrompt> prompts = promptsOf(golden);
    const auto count = std::ssize(prompts);
    const auto runs
        = plain ? plainLastTokenRuns(*model.transformer, execution, prompts, {}, LastTokenRuns::Keep::States, control)
                : lastTokenRuns(models.exact({}), execution, prompts, {}, LastTokenRuns::Keep::States, control);
    QCOMPARE(std::ssize(runs->said()), count);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        compare("probability", runs->said()[at].probability, golden["prompts"][at]["probability"]);
        QCOMPARE(runs->said()[at].isRight, golden["prompts"][at]["right"].get<bool>());
    }

    std::vector<torch::Tensor> contexts; // by layer: row i is that of the prompt behind i
    for (int layer = 0; layer < model.transformer->spec().decoder->layers(); ++layer) {
        const torch::Tensor own = runs->contexts(HeadKind::Decoder, layer);
        for (std::int64_t i = 0; i < count; ++i) {
            const auto expected
                = numbers(golden["contexts"][static_cast<std::size_t>(i)][static_cast<std::size_t>(layer)]);
            const double scale = std::max(1.0, expected.abs().max().item<double>());
            const double difference = (own[i] - expected).abs().max().item<double>() / scale;
            QVERIFY2(difference <= kTolerance, std::to_string(difference).c_str());
        }
        contexts.push_back(own.roll(-1, 0).to(torch::kFloat32));
    }
    std::vector<ContextChange> replaced;
    for (const nlohmann::json &effect : golden["effects"])
        replaced.push_back({effect[2].get<std::int64_t>(),
                            {HeadKind::Decoder, effect[0].get<int>(), effect[1].get<int>()},
                            effect[2].get<std::int64_t>()});
    std::atomic<std::int64_t> done = 0;
    const auto changed = runs->withContexts(replaced, contexts, [&](std::int64_t more) { done += more; });
    QCOMPARE(done.load(), std::ssize(replaced));
    for (std::size_t i = 0; i < changed.size(); ++i)
        compare(toText(replaced[i].head), changed[i].probability, golden["effects"][i][3]);

    std::vector<StreamChange> added;
    for (const nlohmann::json &one : golden["added"])
        added.push_back({one[1].get<std::int64_t>(), one[0].get<int>(), 1});
    const auto vector = numbers(golden["vector"]).to(torch::kFloat32);
    const auto steered = runs->withVectors(added, torch::stack({torch::zeros_like(vector), vector}), {});
    for (std::size_t i = 0; i < steered.size(); ++i) {
        compare("behind layer " + std::to_string(added[i].layer), steered[i].probability, golden["added"][i][2]);
        QCOMPARE(steered[i].isRight, golden["added"][i][3].get<bool>());
    }
}

QTEST_GUILESS_MAIN(TestFunctionGoldens)
#include "tst_functiongoldens.moc"
