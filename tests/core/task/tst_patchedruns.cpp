// Patched runs of models of every shape: on top of one base run, against whole runs in padded batches, against what
// must hold of any model, and against a loop over Hugging Face's models with hooks (make_patching_goldens.py).
#include "core/formats/jsonfile.h"
#include "core/model/loadmodel.h"
#include "core/task/patchedruns.h"
#include "tests/goldens/goldens.h"
#include "tests/support/againstplain.h"

#include <QTest>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

namespace {

bool isNear(const AnswerScores &a, const AnswerScores &b, double tolerance)
{
    return std::abs(a.answer - b.answer) <= tolerance * std::max(1.0, std::abs(b.answer))
        && std::abs(a.wrong - b.wrong) <= tolerance * std::max(1.0, std::abs(b.wrong));
}

/// Random pairs whose texts differ in a token in front.
PatchingPairs randomPairs(const TransformerSpec &spec, int count)
{
    PatchingPairs pairs;
    Random random(5);
    for (int i = 0; i < count; ++i) {
        PatchingPairs::Text text;
        if (spec.encoder)
            text.source = randomTokens(random, 3, 9);
        if (spec.decoder)
            text.prefix = randomTokens(random, 3, 9);
        if (spec.tokenTypes > 0)
            text.types.assign(text.source.size(), 0);
        PatchingPairs::Text other = text;
        std::int64_t &changed = (spec.encoder ? other.source : other.prefix)[1];
        changed = changed == 3 ? 4 : changed - 1;
        pairs.clean.push_back(std::move(text));
        pairs.corrupt.push_back(std::move(other));
        pairs.answers.push_back(6 + i);
        pairs.wrongAnswers.push_back(20 + i);
        if (spec.maskedLm)
            pairs.asked.push_back(2);
    }
    return pairs;
}

/// Every head of the model by itself, with a list that stays where it is.
std::vector<std::vector<HeadRef>> singleHeads(const HeadLayout &layout)
{
    std::vector<std::vector<HeadRef>> heads;
    for (const HeadRef &head : layout.heads())
        heads.push_back({head});
    return heads;
}

/// Everywhere, then position by position.
std::vector<PatchCell> cellsOf(const PatchingPairs &pairs, const std::vector<std::vector<HeadRef>> &heads)
{
    std::vector<PatchCell> cells;
    for (std::int64_t pair = 0; pair < pairs.size(); ++pair) {
        for (const auto &own : heads) {
            cells.push_back({pair, &own});
            for (std::int64_t t = 0; t < pairs.positions(pair, own.front().kind); ++t)
                cells.push_back({pair, &own, t});
        }
    }
    return cells;
}

std::vector<std::int64_t> numbered(std::int64_t count)
{
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i < count; ++i)
        numbers.push_back(i);
    return numbers;
}

} // namespace

class TestPatchedRuns : public QObject
{
    Q_OBJECT

    static constexpr double kTolerance = 2e-5; ///< of float32 by other products
private Q_SLOTS:
    void sharedRunsEqualWholeOnes_data();
    void sharedRunsEqualWholeOnes();
    void patchingWithItselfChangesNothing();
    void allHeadsOfTheLastPositionAreTheDonor();
    void headsTogetherInSeveralLayers();
    void attributionIsTheSlope();
    void directContributionsSumUp();
    void pathsEqualWholeRuns_data();
    void pathsEqualWholeRuns();
    void pathsToTheOutput();
    void transformersSaysTheSame_data();
    void transformersSaysTheSame();
};

void TestPatchedRuns::sharedRunsEqualWholeOnes_data()
{
    QTest::addColumn<int>("spec");
    QTest::addColumn<bool>("onGpu");
    QTest::addColumn<bool>("masked");
    const auto specs = allSpecs();
    for (int i = 0; i < static_cast<int>(specs.size()); ++i) {
        const std::string &name = specs[static_cast<std::size_t>(i)].name;
        QTest::newRow((name + ", processor").c_str()) << i << false << false;
        QTest::newRow((name + ", as on a GPU").c_str()) << i << true << (i % 2 == 0);
    }
}

void TestPatchedRuns::sharedRunsEqualWholeOnes()
{
    QFETCH(int, spec);
    QFETCH(bool, onGpu);
    QFETCH(bool, masked);
    const TransformerSpec shape = allSpecs()[static_cast<std::size_t>(spec)].spec;
    const auto task = taskOf(shape, randomDataset(2), onGpu ? Execution::asOnGpu() : Execution());
    const PatchingPairs pairs = randomPairs(shape, 3);
    const auto heads = singleHeads(task->layout());
    HeadMask mask;
    if (masked)
        mask.set(heads.back().front(), true);
    for (const bool baseIsClean : {true, false}) {
        const PatchedRuns runs(*task, pairs, numbered(3), baseIsClean, mask, {}, {});
        const auto cells = cellsOf(pairs, heads);
        const auto shared = runs.patched(cells);
        const auto whole = runs.patchedPlainly(cells);
        double largest = 0;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            QVERIFY2(isNear(shared[i], whole[i], kTolerance),
                     qPrintable(QStringLiteral("%1 at %2: %3, by itself %4")
                                    .arg(QString::fromStdString(toText(cells[i].heads->front())))
                                    .arg(cells[i].position)
                                    .arg(shared[i].answer, 0, 'g', 10)
                                    .arg(whole[i].answer, 0, 'g', 10)));
            const AnswerScores &base = runs.base()[static_cast<std::size_t>(cells[i].pair)];
            largest = std::max(largest, std::abs(shared[i].answer - base.answer));
            if (mask.isMasked(cells[i].heads->front()))
                QVERIFY(isNear(shared[i], base, kTolerance));
        }
        QVERIFY(largest > 1e-3); // or nothing was patched
        QVERIFY(runs.rowsRun() < runs.rowsOfWholeRuns());
    }
}

void TestPatchedRuns::patchingWithItselfChangesNothing()
{
    for (const NamedSpec &named : allSpecs()) {
        const auto task = taskOf(named.spec, randomDataset(2));
        PatchingPairs pairs = randomPairs(named.spec, 2);
        pairs.corrupt = pairs.clean;
        const PatchedRuns runs(*task, pairs, numbered(2), false, {}, {}, {});
        const auto heads = singleHeads(task->layout());
        const auto cells = cellsOf(pairs, heads);
        const auto scores = runs.patched(cells);
        for (std::size_t i = 0; i < cells.size(); ++i)
            QVERIFY(isNear(scores[i], runs.base()[static_cast<std::size_t>(cells[i].pair)], kTolerance));
        for (const auto &[place, values] :
             runs.attribution({0, 1}, [](const auto &answer, const auto &) { return answer; }))
            QCOMPARE(values.abs().max().item<double>(), 0.0);
    }
}

/// What a position says is its own token and what its heads brought: with all of these from the donor, whose token
/// there is the same, it says what the donor's says.
void TestPatchedRuns::allHeadsOfTheLastPositionAreTheDonor()
{
    int tried = 0;
    for (const NamedSpec &named : causalSpecs()) {
        const auto task = taskOf(named.spec, randomDataset(2));
        const PatchingPairs pairs = randomPairs(named.spec, 3);
        const std::vector<HeadRef> all = task->layout().heads();
        const PatchedRuns runs(*task, pairs, numbered(3), false, {}, {}, {});
        std::vector<PatchCell> cells;
        for (std::int64_t pair = 0; pair < 3; ++pair)
            cells.push_back({pair, &all, pairs.positions(pair, HeadKind::Decoder) - 1});
        for (const bool plainly : {false, true}) {
            const auto scores = plainly ? runs.patchedPlainly(cells) : runs.patched(cells);
            for (std::size_t i = 0; i < cells.size(); ++i) {
                QVERIFY(isNear(scores[i], runs.donor()[i], kTolerance));
                tried += isNear(runs.base()[i], runs.donor()[i], 1e-3) ? 0 : 1; // out of a short attention's reach
            }
        }
    }
    QVERIFY(tried > 10);
}

void TestPatchedRuns::headsTogetherInSeveralLayers()
{
    for (const NamedSpec &named : allSpecs()) {
        const auto task = taskOf(named.spec, randomDataset(2));
        const PatchingPairs pairs = randomPairs(named.spec, 3);
        const std::vector<HeadRef> &all = task->layout().heads();
        const std::vector<std::vector<HeadRef>> some{all, {all.front(), all.back()}};
        const PatchedRuns runs(*task, pairs, numbered(3), true, {}, {}, {});
        std::vector<PatchCell> cells;
        for (std::int64_t pair = 0; pair < 3; ++pair) {
            for (const auto &heads : some) {
                cells.push_back({pair, &heads});
                cells.push_back({pair, &heads, 1});
            }
        }
        const auto shared = runs.patched(cells);
        const auto whole = runs.patchedPlainly(cells);
        for (std::size_t i = 0; i < cells.size(); ++i)
            QVERIFY2(isNear(shared[i], whole[i], kTolerance), named.name.c_str());
    }
}

/// Of contexts that hardly differ the first order is all: patching changes the score by what attribution says.
void TestPatchedRuns::attributionIsTheSlope()
{
    for (const NamedSpec &named : allSpecs()) {
        // The embeddings of all tokens are nearly alike, and so is what the two texts become.
        auto tensors = randomTensors(named.spec, 11, torch::kFloat64);
        for (auto &[name, values] : tensors) {
            if (name.ends_with(".embedding") && values.size(0) == tinyspec::kVocabulary) {
                const auto first = values[3].clone();
                values.copy_(first + 0.01 * (values - first));
            }
        }
        const auto model
            = std::make_shared<const Transformer>(named.spec, TransformerWeights::assemble(named.spec, tensors));
        if (named.spec.maskedLm)
            continue; // tasks of these are made otherwise
        const auto task = makeTask({model, nullptr, Execution(torch::kCPU, torch::kFloat64), {}}, randomDataset(2), {})
                              .valueOrThrow();
        const PatchingPairs pairs = randomPairs(named.spec, 2);
        RunOptions run;
        run.plain = true;
        const PatchedRuns runs(*task, pairs, numbered(2), false, {}, run, {});
        const auto attribution
            = runs.attribution({0, 1}, [](const auto &answer, const auto &wrong) { return answer - wrong; });
        const auto heads = singleHeads(task->layout());
        double largest = 0;
        double worst = 0;
        for (const PatchCell &cell : cellsOf(pairs, heads)) {
            if (cell.position == PatchCell::kEverywhere)
                continue;
            const HeadRef &head = cell.heads->front();
            const auto &numbers = task->layout().block(head.kind)->layers[static_cast<std::size_t>(head.layer)];
            const auto column = std::ranges::find(numbers, head.head) - numbers.begin();
            const double slope
                = attribution.at(Recorder::place(head.kind, head.layer, "context"))[cell.pair][column][cell.position]
                      .item<double>();
            const AnswerScores patched = runs.patchedPlainly({&cell, 1}).front();
            const AnswerScores &base = runs.base()[static_cast<std::size_t>(cell.pair)];
            const double delta = (patched.answer - patched.wrong) - (base.answer - base.wrong);
            largest = std::max(largest, std::abs(delta));
            worst = std::max(worst, std::abs(delta - slope));
        }
        QVERIFY2(
            worst <= 0.05 * largest + 2e-6,
            qPrintable(QStringLiteral("%1: %2 of %3").arg(QString::fromStdString(named.name)).arg(worst).arg(largest)));
    }
}

/// Heads and all else add up to the difference of the logits: nothing of either is a remainder.
void TestPatchedRuns::directContributionsSumUp()
{
    for (const NamedSpec &named : allSpecs()) {
        const auto task = taskOf(named.spec, randomDataset(2));
        const PatchingPairs pairs = randomPairs(named.spec, 3);
        const auto &layout = task->layout();
        for (const HeadMask &mask : {HeadMask(), HeadMask{layout.heads().back()}}) {
            const PatchedRuns runs(*task, pairs, numbered(3), true, mask, {}, {});
            for (const bool isBase : {true, false}) {
                const DirectEffects effects = runs.directEffects({0, 1, 2}, isBase);
                double largest = 0;
                for (std::size_t pair = 0; pair < 3; ++pair) {
                    const AnswerScores &scores = (isBase ? runs.base() : runs.donor())[pair];
                    double sum = effects.rest[pair];
                    double size = 1 + std::abs(sum); // of what is added up in float32
                    for (std::size_t i = 0; i < effects.heads[pair].size(); ++i) {
                        const HeadRef &head = layout.heads()[i];
                        const double effect = effects.heads[pair][i];
                        sum += effect;
                        size += std::abs(effect);
                        largest = std::max(largest, std::abs(effect));
                        if (mask.isMasked(head) || sideOf(head.kind) != named.spec.lastSide())
                            QCOMPARE(effect, 0.0);
                    }
                    QVERIFY2(std::abs(sum - (scores.answer - scores.wrong)) < 1e-5 * size,
                             qPrintable(QStringLiteral("%1: %2, not %3")
                                            .arg(QString::fromStdString(named.name))
                                            .arg(sum, 0, 'g', 10)
                                            .arg(scores.answer - scores.wrong, 0, 'g', 10)));
                }
                QVERIFY2(largest > 1e-3, named.name.c_str());
            }
        }
    }
}

void TestPatchedRuns::pathsEqualWholeRuns_data()
{
    sharedRunsEqualWholeOnes_data();
}

void TestPatchedRuns::pathsEqualWholeRuns()
{
    QFETCH(int, spec);
    QFETCH(bool, onGpu);
    QFETCH(bool, masked);
    const TransformerSpec shape = allSpecs()[static_cast<std::size_t>(spec)].spec;
    const auto task = taskOf(shape, randomDataset(2), onGpu ? Execution::asOnGpu() : Execution());
    const PatchingPairs pairs = randomPairs(shape, 3);
    const auto heads = singleHeads(task->layout());
    HeadMask mask;
    if (masked)
        mask.set(heads.front().front(), true);
    std::vector<PathEnd> ends{{}};
    for (const HeadLayout::Block &block : task->layout().blocks()) {
        int layer = static_cast<int>(block.layers.size()) - 1;
        while (layer > 0 && block.layers[static_cast<std::size_t>(layer)].empty())
            --layer;
        const auto &last = block.layers[static_cast<std::size_t>(layer)];
        if (!last.empty())
            ends.push_back({{{block.kind, layer, last.back()}}});
    }
    double largest = 0;
    for (const PathEnd &end : ends) {
        const PatchedRuns runs(*task, pairs, numbered(3), masked, mask, {}, {});
        const auto cells = cellsOf(pairs, heads);
        const auto shared = runs.alongPaths(cells, end);
        const auto whole = runs.alongPathsPlainly(cells, end);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            QVERIFY2(isNear(shared[i], whole[i], kTolerance),
                     qPrintable(QStringLiteral("%1 at %2 to %3: %4, by itself %5")
                                    .arg(QString::fromStdString(toText(cells[i].heads->front())))
                                    .arg(cells[i].position)
                                    .arg(end.isOutput() ? QStringLiteral("output")
                                                        : QString::fromStdString(toText(end.heads.front())))
                                    .arg(shared[i].answer, 0, 'g', 10)
                                    .arg(whole[i].answer, 0, 'g', 10)));
            const AnswerScores &base = runs.base()[static_cast<std::size_t>(cells[i].pair)];
            largest = std::max(largest, std::abs(shared[i].answer - base.answer));
            if (!runs.reaches(cells[i], end))
                QVERIFY(isNear(whole[i], base, kTolerance));
        }
        QVERIFY(runs.rowsRun() < runs.rowsOfWholeRuns());
    }
    QVERIFY(largest > 1e-4); // or nothing went along a path
}

/// From heads of the last attention there is no other way than the direct one; and all direct ways of the last
/// position together make it the donor's, whose token there is the same.
void TestPatchedRuns::pathsToTheOutput()
{
    for (const NamedSpec &named : causalSpecs()) {
        const auto task = taskOf(named.spec, randomDataset(2));
        const PatchingPairs pairs = randomPairs(named.spec, 3);
        const PatchedRuns runs(*task, pairs, numbered(3), false, {}, {}, {});
        const std::vector<HeadRef> all = task->layout().heads();
        const auto single = singleHeads(task->layout());
        std::vector<PatchCell> whole, last;
        for (std::int64_t pair = 0; pair < 3; ++pair) {
            whole.push_back({pair, &all});
            for (const auto &heads : single) {
                if (heads.front().layer == all.back().layer)
                    last.push_back({pair, &heads});
            }
        }
        for (const bool plainly : {false, true}) {
            const auto along = [&](const std::vector<PatchCell> &cells) {
                return plainly ? runs.alongPathsPlainly(cells, {}) : runs.alongPaths(cells, {});
            };
            const auto ofAll = along(whole);
            for (std::size_t i = 0; i < whole.size(); ++i)
                QVERIFY2(isNear(ofAll[i], runs.donor()[i], kTolerance), named.name.c_str());
            const auto ofLast = along(last);
            const auto byAllWays = runs.patched(last);
            for (std::size_t i = 0; i < last.size(); ++i)
                QVERIFY2(isNear(ofLast[i], byAllWays[i], kTolerance), named.name.c_str());
        }
    }
}

void TestPatchedRuns::transformersSaysTheSame_data()
{
    QTest::addColumn<QString>("folder");
    for (const std::filesystem::path &folder : goldenFolders("families")) {
        if (std::filesystem::exists(folder / "patching.json"))
            QTest::newRow(folder.filename().c_str()) << QString::fromStdString(folder.string());
    }
}

void TestPatchedRuns::transformersSaysTheSame()
{
    QFETCH(QString, folder);
    const std::filesystem::path path = folder.toStdString();
    const nlohmann::json golden = readJsonFile(path / "patching.json").valueOrThrow();
    const LoadedModel model = loadModel(path, torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
    const TransformerSpec &spec = model.transformer->spec();
    PatchingPairs pairs;
    for (const auto &pair : golden.at("pairs")) {
        for (const bool isClean : {true, false}) {
            const auto &json = pair.at(isClean ? "clean" : "corrupt");
            PatchingPairs::Text text;
            text.source = json.value("source", std::vector<std::int64_t>());
            text.prefix = json.value("prefix", std::vector<std::int64_t>());
            if (spec.tokenTypes > 0)
                text.types.assign(text.source.size(), 0);
            (isClean ? pairs.clean : pairs.corrupt).push_back(std::move(text));
        }
        pairs.answers.push_back(pair.at("answer"));
        pairs.wrongAnswers.push_back(pair.at("wrong"));
        if (spec.maskedLm)
            pairs.asked.push_back(pair.at("asked"));
    }
    Dataset data; // the task needs some
    data.examples.resize(1);
    data.examples[0].inputIds = {5, 6, 7};
    data.examples[0].labels = {5, 6};
    Examples examples = (spec.isEncoderDecoder() ? translationExamples(spec, nullptr, data, {})
                         : spec.encoder          ? textExamples(spec, nullptr, data, {})
                                                 : languageExamples(spec, nullptr, data, {}))
                            .valueOrThrow();
    TaskParts parts{std::move(examples), std::make_unique<ScoringRunner>(std::nullopt, nullptr),
                    tokenMeasure(TokenContext::Before)};
    const Task task("golden", model.transformer, std::move(parts), Execution());
    std::vector<std::vector<HeadRef>> heads;
    for (const auto &head : golden.at("heads"))
        heads.push_back({{parseHeadKind(head.at(0).get<std::string>()).value(), head.at(1), head.at(2)}});
    int compared = 0;
    for (const bool baseIsClean : {false, true}) {
        const PatchedRuns runs(task, pairs, numbered(pairs.size()), baseIsClean, {}, {}, {});
        const auto cells = cellsOf(pairs, heads);
        const auto scores = runs.patched(cells);
        std::size_t next = 0;
        for (std::size_t pair = 0; pair < pairs.clean.size(); ++pair) {
            const auto clean = golden.at("pairs")[pair].at("clean_scores").get<std::vector<double>>();
            const AnswerScores &ours = (baseIsClean ? runs.base() : runs.donor())[pair];
            QVERIFY(isNear(ours, {clean[0], clean[1]}, 1e-5));
            for (std::size_t head = 0; head < heads.size(); ++head) {
                for (const auto &wanted : golden.at(baseIsClean ? "noise" : "denoise")[pair][head]) {
                    QVERIFY(isNear(scores[next++], {wanted[0].get<double>(), wanted[1].get<double>()}, 1e-5));
                    ++compared;
                }
            }
        }
        QCOMPARE(next, scores.size());
        for (const auto &path : golden.at("paths")) {
            PathEnd end;
            if (const auto &to = path.at("to"); to.is_array())
                end.heads.push_back({parseHeadKind(to.at(0).get<std::string>()).value(), to.at(1), to.at(2)});
            std::vector<PatchCell> whole;
            for (std::int64_t pair = 0; pair < pairs.size(); ++pair) {
                for (const auto &own : heads)
                    whole.push_back({pair, &own});
            }
            const auto along = runs.alongPaths(whole, end);
            for (std::size_t i = 0; i < whole.size(); ++i) {
                const auto &wanted = path.at(baseIsClean ? "noise" : "denoise")[i / heads.size()][i % heads.size()];
                QVERIFY(isNear(along[i], {wanted[0].get<double>(), wanted[1].get<double>()}, 1e-5));
                ++compared;
            }
        }
        const DirectEffects direct = runs.directEffects(numbered(pairs.size()), true);
        for (std::size_t pair = 0; pair < pairs.clean.size(); ++pair) {
            const auto &wanted = golden.at("direct")[pair].at(baseIsClean ? "clean" : "corrupt");
            for (std::size_t head = 0; head < heads.size(); ++head) {
                const auto place = static_cast<std::size_t>(task.layout().indexOf(heads[head].front()));
                QVERIFY(std::abs(direct.heads[pair][place] - wanted[head].get<double>()) < 1e-5);
                ++compared;
            }
        }
    }
    QVERIFY(compared > 50);
}

QTEST_APPLESS_MAIN(TestPatchedRuns)
#include "tst_patchedruns.moc"
