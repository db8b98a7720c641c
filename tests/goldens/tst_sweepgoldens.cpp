// Sweeps of language models against Hugging Face: tiny models of every family, made soft so that heads move what tokens
// cost and hardly ever which token is the best; the loss of every example without every head (make_family_goldens.py
// --sweeps), and without every key that is neither among the first nor near the query (make_window_goldens.py).
#include "core/analysis/ablation.h"
#include "core/data/dataset.h"
#include "core/formats/jsonfile.h"
#include "core/io/checkpoint.h"
#include "core/io/checkpointwriter.h"
#include "core/task/replacements.h"
#include "core/task/tasks.h"
#include "core/task/textwindows.h"
#include "tests/goldens/goldens.h"

#include <ATen/core/grad_mode.h>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

namespace {

/// Of a loss, relative; of losses below 1 absolute.
constexpr double kTolerance = 1e-5;

/// Its rotary positions are stretched as Llama 3.1's, which is refused so far.
constexpr const char *kRefused = "llama3-rope";

/// The folder's model with the weights that the sweep is of.
void writeSoftModel(const std::filesystem::path &folder, const nlohmann::json &sweep,
                    const std::filesystem::path &target)
{
    const Checkpoint checkpoint = Checkpoint::open(folder).valueOrThrow();
    const auto &factors = sweep.at("factors");
    std::vector<std::pair<std::string, torch::Tensor>> tensors;
    for (const std::string &name : checkpoint.names())
        tensors.emplace_back(name,
                             checkpoint.tensor(name).valueOrThrow().to(torch::kFloat32) * factors.value(name, 1.0));
    nlohmann::json config = readJsonFile(folder / "config.json").valueOrThrow();
    config["torch_dtype"] = "float32";
    std::filesystem::create_directories(target);
    std::ofstream(target / "config.json") << config.dump();
    (void)writeSafetensors(target / "model.safetensors", tensors).valueOrThrow();
}

/// A tokenizer of words that are numbers, of which one is the mask.
void writeNumberTokenizer(const std::filesystem::path &folder, std::int64_t size, std::int64_t mask)
{
    nlohmann::json vocabulary = nlohmann::json::object();
    for (std::int64_t id = 0; id < size; ++id)
        vocabulary[id == mask ? "[MASK]" : std::to_string(id)] = id;
    const nlohmann::json added{{"id", mask},      {"content", "[MASK]"}, {"special", true},    {"single_word", false},
                               {"lstrip", false}, {"rstrip", false},     {"normalized", false}};
    const nlohmann::json tokenizer{{"version", "1.0"},
                                   {"added_tokens", nlohmann::json::array({added})},
                                   {"normalizer", nullptr},
                                   {"pre_tokenizer", {{"type", "Whitespace"}}},
                                   {"post_processor", nullptr},
                                   {"decoder", nullptr},
                                   {"model", {{"type", "WordLevel"}, {"vocab", vocabulary}, {"unk_token", "0"}}}};
    std::ofstream(folder / "tokenizer.json") << tokenizer.dump();
}

} // namespace

class TestSweepGoldens : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    LargestDifferences m_differences;
    std::size_t m_compared = 0;

    /// Of the soft model, which open() has written.
    std::shared_ptr<const Task> taskOf(const std::filesystem::path &folder, const Dataset &data) const
    {
        const LoadedModel model = loadGolden(std::filesystem::path(m_folder.path().toStdString()) / folder.filename());
        return makeTask({model.transformer, nullptr, Execution()}, data, {}).valueOrThrow();
    }

    std::shared_ptr<const Task> open(const std::filesystem::path &folder, const nlohmann::json &sweep) const
    {
        const auto target = std::filesystem::path(m_folder.path().toStdString()) / folder.filename();
        writeSoftModel(folder, sweep, target);
        const LoadedModel model = loadGolden(target);
        std::shared_ptr<const Tokenizer> tokenizer;
        if (sweep.contains("mask_id")) {
            writeNumberTokenizer(target, model.transformer->spec().encoder->vocabulary,
                                 sweep.at("mask_id").get<std::int64_t>());
            tokenizer = openTokenizer(target, model.config).valueOrThrow();
        }
        Dataset data;
        for (const auto &row : sweep.at("rows")) {
            Example example;
            if (row.is_object()) {
                row.at("source").get_to(example.inputIds);
                row.at("target").get_to(example.labels);
            } else {
                row.get_to(example.inputIds);
            }
            data.examples.push_back(std::move(example));
        }
        return makeTask({model.transformer, tokenizer, Execution()}, data, {}).valueOrThrow();
    }

private Q_SLOTS:
    void initTestCase() { QVERIFY(m_folder.isValid()); }
    void cleanupTestCase()
    {
        qInfo("%zu losses compared. Largest differences from Hugging Face:\n%s", m_compared,
              m_differences.report().c_str());
    }

    void everyExampleWithoutEveryHead_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<bool>("plain");
        int folders = 0;
        for (const auto &folder : goldenFolders("families")) {
            if (!std::filesystem::exists(folder / "sweep.json") || folder.filename() == kRefused)
                continue;
            ++folders;
            for (const bool plain : {false, true})
                QTest::addRow("%s%s", folder.filename().c_str(), plain ? " plain" : "")
                    << QString::fromStdString(folder.string()) << plain;
        }
        QVERIFY2(folders >= 14, "tests/goldens/families is not where it should be");
    }

    void everyExampleWithoutEveryHead()
    {
        QFETCH(QString, folder);
        QFETCH(bool, plain);
        const std::filesystem::path path = folder.toStdString();
        const nlohmann::json sweep = readJsonFile(path / "sweep.json").valueOrThrow();
        const auto task = open(path, sweep);
        RunOptions run;
        run.metric = "loss";
        run.plain = plain;

        EngineRequest request{.base = {}, .variants = {}, .run = run};
        for (const auto &entry : sweep.at("heads")) {
            const auto &at = entry.at("head");
            HeadMask mask;
            mask.set(
                {parseHeadKind(at.at(0).get<std::string>()).valueOrThrow(), at.at(1).get<int>(), at.at(2).get<int>()},
                true);
            request.variants.push_back({mask, Replacement::Zero, 0, {}});
        }
        std::vector<std::int64_t> visited;
        StatisticsTable whole;
        std::vector<StatisticsTable> without(request.variants.size());
        (void)runVariants(*task, request, {}, [&](const EngineState &state) {
            if (state.done < state.total)
                return;
            visited = state.visited;
            whole = state.baseline;
            for (std::size_t v = 0; v < without.size(); ++v)
                without[v] = state.variants[v].table(state.baseline);
        });
        QCOMPARE(visited.size(), sweep.at("rows").size());
        const auto compare = [&](const char *what, const StatisticsTable &ours, const nlohmann::json &losses) {
            std::vector<double> found, expected;
            for (std::size_t i = 0; i < visited.size(); ++i) {
                const double loss = losses.at(static_cast<std::size_t>(visited[i])).get<double>();
                found.push_back(ours.row(i)[0] / std::max(1.0, loss)); // Σ −ln p
                expected.push_back(loss / std::max(1.0, loss));
            }
            m_compared += found.size();
            return m_differences.within(kTolerance, what, path.filename(), torch::tensor(found, torch::kFloat64),
                                        torch::tensor(expected, torch::kFloat64));
        };
        QVERIFY2(compare("losses of the full model, relative", whole, sweep.at("losses")),
                 m_differences.failure().c_str());
        for (std::size_t v = 0; v < without.size(); ++v)
            QVERIFY2(compare("losses without a head, relative", without[v], sweep.at("heads")[v].at("losses")),
                     (m_differences.failure() + " " + sweep.at("heads")[v].at("head").dump()).c_str());
    }

    void headsThatSeeWindows_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<ProductChoice>("products");
        int folders = 0;
        for (const auto &folder : goldenFolders("families")) {
            if (!std::filesystem::exists(folder / "windows.json"))
                continue;
            ++folders;
            QTest::addRow("%s rows", folder.filename().c_str())
                << QString::fromStdString(folder.string()) << ProductChoice::Exact;
            QTest::addRow("%s rows by LibTorch", folder.filename().c_str())
                << QString::fromStdString(folder.string()) << ProductChoice::Library;
            QTest::addRow("%s plain", folder.filename().c_str())
                << QString::fromStdString(folder.string()) << ProductChoice::Half; // no products, in fact
        }
        QVERIFY2(folders >= 6, "tests/goldens/families is not where it should be");
    }

    void headsThatSeeWindows()
    {
        QFETCH(QString, folder);
        QFETCH(ProductChoice, products);
        const std::filesystem::path path = folder.toStdString();
        const nlohmann::json windows = readJsonFile(path / "windows.json").valueOrThrow();
        std::vector<Variant> variants;
        for (const auto &wanted : windows.at("cases")) {
            Variant &variant = variants.emplace_back();
            variant.replacement = Replacement::Window;
            variant.window = {wanted.at("sinks").get<std::int64_t>(), wanted.at("window").get<std::int64_t>()};
            for (const auto &at : wanted.at("heads"))
                variant.mask.set({parseHeadKind(at.at(0).get<std::string>()).valueOrThrow(), at.at(1).get<int>(),
                                  at.at(2).get<int>()},
                                 true);
        }
        const auto compare = [&](const char *what, const std::vector<double> &found, const nlohmann::json &losses) {
            std::vector<double> ours, theirs;
            for (std::size_t i = 0; i < found.size(); ++i) {
                const double loss = losses.at(i).get<double>();
                ours.push_back(found[i] / std::max(1.0, loss));
                theirs.push_back(loss / std::max(1.0, loss));
            }
            m_compared += found.size();
            return m_differences.within(kTolerance, what, path.filename(), torch::tensor(ours, torch::kFloat64),
                                        torch::tensor(theirs, torch::kFloat64));
        };
        const auto task = open(path, windows);
        std::vector<std::int64_t> ids(static_cast<std::size_t>(task->size()));
        std::iota(ids.begin(), ids.end(), 0);
        std::atomic<std::size_t> compared = 0; // several variants may come at once
        const auto check = [&](std::size_t v, const std::vector<double> &losses) {
            const auto &wanted = windows.at("cases")[v];
            QVERIFY2(compare("losses of heads that see windows, relative", losses, wanted.at("losses")),
                     (m_differences.failure() + " " + wanted.dump()).c_str());
            ++compared;
        };
        if (task->generates()) { // forced to the rows' targets, which rows are not
            if (products != ProductChoice::Half)
                QSKIP("What is generated is the same by rows: tst_executors.");
            const torch::NoGradGuard noGrad;
            for (std::size_t v = 0; v < variants.size(); ++v) {
                const auto losses
                    = task->loss(ids, gatesFor(variants[v], {}, task->layout(), task->tensorOptions(), {}))
                          .loss.to(torch::kFloat64)
                          .contiguous();
                check(v, {losses.data_ptr<double>(), losses.data_ptr<double>() + losses.numel()});
            }
            QCOMPARE(compared.load(), variants.size());
            return;
        }
        RunOptions run;
        run.metric = "loss";
        run.products = products;
        run.plain = products == ProductChoice::Half;
        const auto block = task->prepare(ids, {}, Replacement::Window, run, {});
        const auto lossesOf = [](const std::vector<ExampleOutput> &outputs) {
            std::vector<double> losses;
            for (const ExampleOutput &output : outputs)
                losses.push_back(-output.score);
            return losses;
        };
        QVERIFY2(compare("losses of the full model, relative", lossesOf(block->baseline()), windows.at("losses")),
                 m_differences.failure().c_str());
        (void)block->outputsOfAll(
            variants, [&](std::size_t v, const std::vector<ExampleOutput> &outputs) { check(v, lossesOf(outputs)); },
            JobControl());
        QCOMPARE(compared.load(), variants.size());
    }

    void windowsOfHuggingFacesGuide_data()
    {
        QTest::addColumn<QString>("folder");
        for (const auto &folder : goldenFolders("families")) {
            if (std::filesystem::exists(folder / "sweep.json") && folder.filename() != kRefused
                && readJsonFile(folder / "sweep.json").valueOrThrow().contains("windows"))
                QTest::addRow("%s", folder.filename().c_str()) << QString::fromStdString(folder.string());
        }
    }
    void windowsOfHuggingFacesGuide()
    {
        QFETCH(QString, folder);
        const std::filesystem::path path = folder.toStdString();
        const nlohmann::json sweep = readJsonFile(path / "sweep.json").valueOrThrow();
        const auto model = open(path, sweep);
        for (const auto &wanted : sweep.at("windows").at("cases")) {
            Dataset data;
            data.examples.emplace_back();
            sweep.at("windows").at("text").get_to(data.examples.back().inputIds);
            data.origin.windowPredictions = WindowPredictions::Hf;
            data.origin.stride = wanted.at("stride").get<std::int64_t>();
            const auto tokens = wanted.at("tokens").get<std::vector<std::int64_t>>();
            const Dataset cut = inWindows(data, model->model().spec(), nullptr, {}).valueOrThrow();
            QCOMPARE(cut.examples.size(), tokens.size());
            const auto task = taskOf(path, cut);
            std::vector<std::int64_t> ids(tokens.size());
            std::iota(ids.begin(), ids.end(), 0);
            const auto outputs = task->plainOutputs(ids, HeadMask(), {}, true, {});
            for (std::size_t w = 0; w < tokens.size(); ++w) {
                QCOMPARE(std::ssize(outputs[w].tokens), tokens[w]);
                const double loss = wanted.at("losses").at(w).get<double>();
                QVERIFY(std::abs(-outputs[w].score - loss) < kTolerance * std::max(1.0, loss));
            }
            QVERIFY(task->metrics()[0]->signature().find("|windows:hf|") != std::string::npos);
            // As usual there is one prediction more in a window.
            data.origin.windowPredictions = WindowPredictions::All;
            const Dataset usual = inWindows(data, model->model().spec(), nullptr, {}).valueOrThrow();
            QCOMPARE(usual.examples[0].inputIds.size(), cut.examples[0].inputIds.size() + 1);
            QVERIFY(taskOf(path, usual)->metrics()[0]->signature().find("|windows:all|") != std::string::npos);
        }
    }

    void ablateSaysTheMeanLoss_data() { everyExampleWithoutEveryHead_data(); }
    void ablateSaysTheMeanLoss()
    {
        QFETCH(QString, folder);
        QFETCH(bool, plain);
        const std::filesystem::path path = folder.toStdString();
        const nlohmann::json sweep = readJsonFile(path / "sweep.json").valueOrThrow();
        const auto task = open(path, sweep);
        AblationSpec spec;
        spec.run.metric = "loss";
        spec.run.plain = plain;
        spec.resamples = 0;
        const AblationResult result = ablate(*task, spec, {}, nullptr, {}, {});
        double tokens = 0; // causal models do not predict the first
        for (const auto &row : sweep.at("rows"))
            tokens += static_cast<double>(row.size()) - (sweep.contains("mask_id") ? 0 : 1);
        QCOMPARE(result.heads.size(), sweep.at("heads").size());
        for (std::size_t h = 0; h < result.heads.size(); ++h) {
            const auto losses = sweep.at("heads")[h].at("losses").get<std::vector<double>>();
            const double mean = std::accumulate(losses.begin(), losses.end(), 0.0) / tokens;
            QVERIFY2(std::abs(result.heads[h].score - mean) < kTolerance * std::max(1.0, mean),
                     qPrintable(QStringLiteral("%1: %2, Hugging Face %3")
                                    .arg(QString::fromStdString(toText(result.heads[h].head)))
                                    .arg(result.heads[h].score, 0, 'g', 9)
                                    .arg(mean, 0, 'g', 9)));
        }
    }
};

QTEST_APPLESS_MAIN(TestSweepGoldens)
#include "tst_sweepgoldens.moc"
