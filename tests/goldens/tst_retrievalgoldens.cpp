// Copies and attention of questions against plain loops over transformers (make_retrieval_goldens.py).
#include "core/formats/jsonfile.h"
#include "core/task/needleruns.h"
#include "core/tensor/execution.h"
#include "tests/goldens/goldens.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

namespace {

constexpr const char *kGolden = "retrieval.json";
constexpr double kTolerance = 1e-5;
constexpr int kNewTokens = 4;

TokenRange rangeOf(const nlohmann::json &range)
{
    return {range[0].get<std::int64_t>(), range[1].get<std::int64_t>()};
}

std::vector<NeedlePrompt> promptsOf(const nlohmann::json &golden)
{
    std::vector<NeedlePrompt> prompts;
    for (const nlohmann::json &prompt : golden["prompts"])
        prompts.push_back({.ids = prompt["ids"].get<std::vector<std::int64_t>>(),
                           .needle = rangeOf(prompt["needle"]),
                           .answer = rangeOf(prompt["answer"]),
                           .question = rangeOf(prompt["question"]),
                           .nullIds = prompt["null_ids"].get<std::vector<std::int64_t>>(),
                           .nullQuestion = rangeOf(prompt["null_question"])});
    return prompts;
}

GenerationSettings settingsOf(const LoadedModel &model)
{
    GenerationSettings settings = model.transformer->spec().generation;
    settings.beams = 1;
    settings.newTokens = kNewTokens;
    return settings;
}

} // namespace

class TestRetrievalGoldens : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void thereAreGoldens();
    void copiesAndQuestions_data();
    void copiesAndQuestions();
    void answersAreThoseOfContinuations_data() { copiesAndQuestions_data(); }
    void answersAreThoseOfContinuations();
};

void TestRetrievalGoldens::thereAreGoldens()
{
    QCOMPARE(std::ranges::count_if(goldenFolders("families"),
                                   [](const auto &folder) { return std::filesystem::exists(folder / kGolden); }),
             std::ptrdiff_t{4});
}

void TestRetrievalGoldens::copiesAndQuestions_data()
{
    QTest::addColumn<QString>("folder");
    for (const auto &folder : goldenFolders("families")) {
        if (std::filesystem::exists(folder / kGolden))
            QTest::addRow("%s", folder.filename().c_str()) << QString::fromStdString(folder.string());
    }
}

void TestRetrievalGoldens::copiesAndQuestions()
{
    QFETCH(QString, folder);
    const std::filesystem::path path = folder.toStdString();
    const auto golden = readJsonFile(path / kGolden).valueOrThrow();
    const LoadedModel model = loadGolden(path);
    const std::vector<NeedlePrompt> prompts = promptsOf(golden);
    std::atomic<std::int64_t> done = 0;
    const auto runs = needleRuns(*model.transformer, Execution(), prompts, settingsOf(model),
                                 [&](std::int64_t more) { done += more; }, {});
    QCOMPARE(done.load(), std::ssize(prompts));
    for (std::size_t i = 0; i < prompts.size(); ++i)
        QCOMPARE(runs[i].said, golden["prompts"][i]["said"].get<std::vector<std::int64_t>>());
    QCOMPARE(std::ssize(golden["heads"]), model.transformer->layout().size() * std::ssize(prompts));
    for (const nlohmann::json &expected : golden["heads"]) {
        const HeadRef head{HeadKind::Decoder, expected[0].get<int>(), expected[1].get<int>()};
        const NeedleHead &found = runs[expected[2].get<std::size_t>()].heads.at(head);
        QCOMPARE(found.copied, expected[3].get<std::vector<std::uint8_t>>());
        QCOMPARE(found.steps, expected[4].get<std::int64_t>());
        for (const auto &[value, number] :
             {std::pair(found.question, expected[5].get<double>()), {found.nullQuestion, expected[6].get<double>()}})
            QVERIFY2(std::abs(value - number) <= kTolerance,
                     (toText(head) + ": " + std::to_string(value) + ", not " + std::to_string(number)).c_str());
    }
}

void TestRetrievalGoldens::answersAreThoseOfContinuations()
{
    QFETCH(QString, folder);
    const std::filesystem::path path = folder.toStdString();
    const auto golden = readJsonFile(path / kGolden).valueOrThrow();
    const LoadedModel model = loadGolden(path);
    const std::vector<NeedlePrompt> prompts = promptsOf(golden);
    const auto said = needleAnswers(*model.transformer, Execution(), prompts, settingsOf(model), {}, {}, {});
    for (std::size_t i = 0; i < prompts.size(); ++i)
        QCOMPARE(said[i], golden["prompts"][i]["said"].get<std::vector<std::int64_t>>());
}

QTEST_GUILESS_MAIN(TestRetrievalGoldens)
#include "tst_retrievalgoldens.moc"
