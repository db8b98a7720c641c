// Patched runs of models of every shape: on top of one base run, against whole runs in padded batches, against what
// must hold of any model, and against a loop over Hugging Face's models with hooks (make_patching_goldens.py).
#include "core/formats/jsonfile.h"
#include "core/model/loadmodel.h"
#include "core/task/patchedruns.h"
#include "core/task/pathruns.h"
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

/// Everywhere, then position by position: of queries, or of keys.
std::vector<PatchCell> cellsOf(const PatchingPairs &pairs, const std::vector<std::vector<HeadRef>> &heads,
                               PatchWhat what = PatchWhat::Context)
{
    const bool ofKeys = what == PatchWhat::Key || what == PatchWhat::Value;
    std::vector<PatchCell> cells;
    for (std::int64_t pair = 0; pair < pairs.size(); ++pair) {
        for (const auto &own : heads) {
            cells.push_back({pair, &own});
            const HeadKind kind = own.front().kind;
            const HeadKind of = ofKeys && kind == HeadKind::Cross ? HeadKind::Encoder : kind;
            for (std::int64_t t = 0; t < pairs.positions(pair, of); ++t)
                cells.push_back({pair, &own, t});
        }
    }
    return cells;
}

/// Paths from the contexts of cells to one end.
std::vector<PathSender> sendersOf(const std::vector<PatchCell> &cells)
{
    std::vector<PathSender> senders;
    for (const PatchCell &cell : cells)
        senders.push_back({*cell.heads, cell.position});
    return senders;
}

std::vector<PathCell> pathsOf(const std::vector<PatchCell> &cells, const std::vector<PathSender> &senders,
                              const PathReceiver &receiver)
{
    std::vector<PathCell> paths;
    for (std::size_t i = 0; i < cells.size(); ++i)
        paths.push_back({cells[i].pair, &senders[i], &receiver});
    return paths;
}

/// The output, and every input of the last head of each kind; of keys and values of its group.
std::vector<PathReceiver> receiversOf(const TransformerSpec &spec)
{
    std::vector<PathReceiver> receivers{{}};
    const HeadLayout layout = spec.layout();
    for (const HeadLayout::Block &block : layout.blocks()) {
        int layer = static_cast<int>(block.layers.size()) - 1;
        while (layer > 0 && block.layers[static_cast<std::size_t>(layer)].empty())
            --layer;
        const auto &last = block.layers[static_cast<std::size_t>(layer)];
        if (last.empty())
            continue;
        const auto together = static_cast<int>(spec.attention(block.kind, layer).headsPerKey);
        std::vector<HeadRef> group;
        for (const int head : last) {
            if (head / together == last.back() / together)
                group.push_back({block.kind, layer, head});
        }
        for (const PathInput input : {PathInput::Query, PathInput::Key, PathInput::Value, PathInput::All}) {
            const bool shared = input == PathInput::Key || input == PathInput::Value;
            receivers.push_back({shared ? group : std::vector{group.back()}, input});
        }
    }
    return receivers;
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
    void partsEqualWholeRuns_data();
    void partsEqualWholeRuns();
    void partsOfEqualTextsChangeNothing();
    void attributionIsTheSlope();
    void directContributionsSumUp();
    void pathsEqualWholeRuns_data();
    void pathsEqualWholeRuns();
    void pathsToTheOutput();
    void estimatesOfPathsAddUp_data();
    void estimatesOfPathsAddUp();
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

void TestPatchedRuns::partsEqualWholeRuns_data()
{
    QTest::addColumn<int>("spec");
    QTest::addColumn<bool>("onGpu");
    const auto specs = allSpecs();
    for (int i = 0; i < static_cast<int>(specs.size()); ++i)
        QTest::newRow(specs[static_cast<std::size_t>(i)].name.c_str()) << i << (i % 2 == 0);
}

void TestPatchedRuns::partsEqualWholeRuns()
{
    QFETCH(int, spec);
    QFETCH(bool, onGpu);
    const TransformerSpec shape = allSpecs()[static_cast<std::size_t>(spec)].spec;
    const auto task = taskOf(shape, randomDataset(2), onGpu ? Execution::asOnGpu() : Execution());
    const PatchingPairs pairs = randomPairs(shape, 3);
    const auto heads = singleHeads(task->layout());
    double largest = 0;
    for (const PatchWhat what : {PatchWhat::Query, PatchWhat::Key, PatchWhat::Value, PatchWhat::Pattern}) {
        const PatchedRuns runs(*task, pairs, numbered(3), onGpu, {}, {}, {}, what);
        const auto cells = cellsOf(pairs, heads, what);
        const auto shared = runs.patched(cells);
        const auto whole = runs.patchedPlainly(cells);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            QVERIFY2(isNear(shared[i], whole[i], kTolerance),
                     qPrintable(QStringLiteral("%1 of %2 at %3: %4, by itself %5")
                                    .arg(QString::fromUtf8(std::string(toText(what)).c_str()))
                                    .arg(QString::fromStdString(toText(cells[i].heads->front())))
                                    .arg(cells[i].position)
                                    .arg(shared[i].answer, 0, 'g', 10)
                                    .arg(whole[i].answer, 0, 'g', 10)));
            const AnswerScores &base = runs.base()[static_cast<std::size_t>(cells[i].pair)];
            largest = std::max(largest, std::abs(shared[i].answer - base.answer));
        }
    }
    QVERIFY(largest > 1e-4); // or nothing was patched
}

void TestPatchedRuns::partsOfEqualTextsChangeNothing()
{
    for (const NamedSpec &named : causalSpecs()) {
        const auto task = taskOf(named.spec, randomDataset(2));
        PatchingPairs pairs = randomPairs(named.spec, 2);
        pairs.corrupt = pairs.clean;
        for (const PatchWhat what : {PatchWhat::Query, PatchWhat::Key, PatchWhat::Value, PatchWhat::Pattern}) {
            const PatchedRuns runs(*task, pairs, numbered(2), false, {}, {}, {}, what);
            const auto heads = singleHeads(task->layout());
            const auto cells = cellsOf(pairs, heads, what);
            const auto scores = runs.patched(cells);
            for (std::size_t i = 0; i < cells.size(); ++i)
                QVERIFY(isNear(scores[i], runs.base()[static_cast<std::size_t>(cells[i].pair)], kTolerance));
            for (const auto &[place, values] :
                 runs.attribution({0, 1}, [](const auto &answer, const auto &) { return answer; }))
                QCOMPARE(values.abs().max().item<double>(), 0.0);
        }
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
            const double slope = attribution
                                     .at({sideOf(head.kind),
                                          named.spec.placeOf(head.kind, head.layer)})[cell.pair][column][cell.position]
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
    double largest = 0;
    const PatchedRuns runs(*task, pairs, numbered(3), masked, mask, {}, {});
    const auto cells = cellsOf(pairs, heads);
    const auto senders = sendersOf(cells);
    const auto receivers = receiversOf(shape);
    for (const PathFeedForward feedForward : {PathFeedForward::Recomputed, PathFeedForward::Frozen}) {
        const PathRuns along(runs, feedForward);
        std::vector<PathCell> paths;
        for (const PathReceiver &receiver : receivers) {
            for (const PathCell &path : pathsOf(cells, senders, receiver)) {
                if (reaches(shape, *path.sender, receiver))
                    paths.push_back(path);
            }
        }
        const auto shared = along.scores(paths);
        const auto whole = along.scoresPlainly(paths);
        for (std::size_t i = 0; i < paths.size(); ++i) {
            const PathReceiver &to = *paths[i].receiver;
            QVERIFY2(isNear(shared[i], whole[i], kTolerance),
                     qPrintable(QStringLiteral("%1 at %2 to %3 of %4: %5, by itself %6")
                                    .arg(QString::fromStdString(toText(paths[i].sender->heads.front())))
                                    .arg(paths[i].sender->position)
                                    .arg(QString::fromUtf8(std::string(toText(to.input)).c_str()))
                                    .arg(to.isOutput() ? QString() : QString::fromStdString(toText(to.heads.front())))
                                    .arg(shared[i].answer, 0, 'g', 10)
                                    .arg(whole[i].answer, 0, 'g', 10)));
            const AnswerScores &base = runs.base()[static_cast<std::size_t>(paths[i].pair)];
            largest = std::max(largest, std::abs(shared[i].answer - base.answer));
        }
    }
    QVERIFY(runs.rowsRun() < runs.rowsOfWholeRuns());
    QVERIFY(largest > 1e-4);                         // or nothing went along a path
    for (const PathReceiver &receiver : receivers) { // what comes behind a receiver does not reach it
        if (!receiver.isOutput())
            QVERIFY(!reaches(shape, {receiver.heads}, receiver));
    }
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
                const auto senders = sendersOf(cells);
                const PathReceiver output;
                const auto paths = pathsOf(cells, senders, output);
                const PathRuns ways(runs, PathFeedForward::Recomputed);
                return plainly ? ways.scoresPlainly(paths) : ways.scores(paths);
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

void TestPatchedRuns::estimatesOfPathsAddUp_data()
{
    partsEqualWholeRuns_data();
}

/// All that a head does goes to a next head, query, key or value, or to the output without one: what gradients estimate
/// of these paths adds up to what they estimate of the head.
void TestPatchedRuns::estimatesOfPathsAddUp()
{
    QFETCH(int, spec);
    QFETCH(bool, onGpu);
    const NamedSpec named = allSpecs()[static_cast<std::size_t>(spec)];
    const auto task = taskOf(named.spec, randomDataset(2));
    const PatchingPairs pairs = randomPairs(named.spec, 4);
    RunOptions run;
    run.plain = onGpu;
    const PatchedRuns runs(*task, pairs, numbered(4), false, {}, run, {});
    const PatchedRuns::OfScores of = [](const auto &answer, const auto &wrong) { return answer - wrong; };
    const auto whole = runs.attribution(numbered(4), of);
    const auto heads = singleHeads(task->layout());
    std::vector<PathReceiver> receivers{{}};
    for (const auto &own : heads) {
        for (const PathInput input : {PathInput::Query, PathInput::Key, PathInput::Value})
            receivers.push_back({own, input});
    }
    std::vector<PathSender> senders;
    for (const auto &own : heads)
        senders.push_back({own});
    std::vector<PathCell> paths;
    for (const PathSender &sender : senders) {
        for (const PathReceiver &receiver : receivers) {
            if (reaches(named.spec, sender, receiver))
                paths.push_back({0, &sender, &receiver});
        }
    }
    const auto estimates = PathRuns(runs, PathFeedForward::Recomputed).estimates(numbered(4), paths, of);
    double largest = 0;
    for (const PathSender &sender : senders) {
        const HeadRef &head = sender.heads.front();
        const auto &numbers = task->layout().block(head.kind)->layers[static_cast<std::size_t>(head.layer)];
        const auto column = std::ranges::find(numbers, head.head) - numbers.begin();
        const auto &wanted = whole.at({sideOf(head.kind), named.spec.placeOf(head.kind, head.layer)});
        for (std::int64_t pair = 0; pair < 4; ++pair) {
            double sum = 0;
            double size = 0;
            for (std::size_t i = 0; i < paths.size(); ++i) {
                if (paths[i].sender == &sender) {
                    sum += estimates[static_cast<std::size_t>(pair)][i];
                    size += std::abs(estimates[static_cast<std::size_t>(pair)][i]);
                }
            }
            const double is = wanted[pair][column].sum().item<double>();
            QVERIFY2(std::abs(sum - is) < 1e-5 * (1 + size), qPrintable(QStringLiteral("%1: %2, not %3")
                                                                            .arg(QString::fromStdString(toText(head)))
                                                                            .arg(sum, 0, 'g', 10)
                                                                            .arg(is, 0, 'g', 10)));
            largest = std::max(largest, std::abs(is));
        }
    }
    QVERIFY(largest > 1e-4);
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
            PathReceiver end;
            if (const auto &to = path.at("to"); to.is_array())
                end = {{{parseHeadKind(to.at(0).get<std::string>()).value(), to.at(1), to.at(2)}}, PathInput::All};
            std::vector<PatchCell> whole;
            for (std::int64_t pair = 0; pair < pairs.size(); ++pair) {
                for (const auto &own : heads)
                    whole.push_back({pair, &own});
            }
            const auto senders = sendersOf(whole);
            std::vector<PathCell> paths;
            std::vector<std::size_t> numbers;
            for (std::size_t i = 0; i < whole.size(); ++i) {
                if (reaches(spec, senders[i], end)) {
                    paths.push_back({whole[i].pair, &senders[i], &end});
                    numbers.push_back(i);
                }
            }
            const auto found = PathRuns(runs, PathFeedForward::Recomputed).scores(paths);
            std::vector<AnswerScores> along;
            for (const PatchCell &cell : whole)
                along.push_back(runs.base()[static_cast<std::size_t>(cell.pair)]);
            for (std::size_t i = 0; i < numbers.size(); ++i)
                along[numbers[i]] = found[i];
            for (std::size_t i = 0; i < whole.size(); ++i) {
                const auto &wanted = path.at(baseIsClean ? "noise" : "denoise")[i / heads.size()][i % heads.size()];
                QVERIFY(isNear(along[i], {wanted[0].get<double>(), wanted[1].get<double>()}, 1e-5));
                ++compared;
            }
        }
        for (const auto &[name, part] : golden.at("parts").items()) {
            const PatchWhat what = parseName<PatchWhat>(name).value();
            const bool ofKeys = what == PatchWhat::Key || what == PatchWhat::Value;
            std::vector<std::vector<HeadRef>> units;
            for (const auto &own : heads) {
                const HeadRef &head = own.front();
                const auto together = static_cast<int>(spec.attention(head.kind, head.layer).headsPerKey);
                if (ofKeys && head.head % together != 0)
                    units.back().push_back(head);
                else
                    units.push_back(own);
            }
            const PatchedRuns ofPart(task, pairs, numbered(pairs.size()), baseIsClean, {}, {}, {}, what);
            const auto own = cellsOf(pairs, units, what);
            const auto found = ofPart.patched(own);
            std::size_t cell = 0;
            for (const auto &pair : part.at(baseIsClean ? "noise" : "denoise")) {
                for (const auto &unit : pair) {
                    for (const auto &wanted : unit) {
                        QVERIFY2(isNear(found[cell], {wanted[0].get<double>(), wanted[1].get<double>()}, 1e-5),
                                 name.c_str());
                        ++cell;
                        ++compared;
                    }
                }
            }
            QCOMPARE(cell, found.size());
        }
        for (const auto &edge : golden.at("edges")) {
            const auto &to = edge.at("to");
            const HeadRef end{parseHeadKind(to.at(0).get<std::string>()).value(), to.at(1), to.at(2)};
            PathReceiver receiver{{end}, parseName<PathInput>(edge.at("input").get<std::string>()).value()};
            const auto together = static_cast<int>(spec.attention(end.kind, end.layer).headsPerKey);
            for (const auto &own : heads) {
                const HeadRef &head = own.front();
                if (receiver.input != PathInput::Query && head != end && head.kind == end.kind
                    && head.layer == end.layer && head.head / together == end.head / together)
                    receiver.heads.push_back(head);
            }
            const PathRuns along(runs, parseName<PathFeedForward>(edge.at("feed_forward").get<std::string>()).value());
            std::vector<PathSender> senders;
            for (const auto &own : heads)
                senders.push_back({own});
            for (std::size_t pair = 0; pair < pairs.clean.size(); ++pair) {
                for (std::size_t i = 0; i < senders.size(); ++i) {
                    const PathCell cell{static_cast<std::int64_t>(pair), &senders[i], &receiver};
                    const bool isWay = reaches(spec, senders[i], receiver);
                    const AnswerScores score = isWay ? along.scores({&cell, 1}).front() : runs.base()[pair];
                    const auto &wanted = edge.at(baseIsClean ? "noise" : "denoise")[pair][i];
                    QVERIFY2(isNear(score, {wanted[0].get<double>(), wanted[1].get<double>()}, 1e-5),
                             qPrintable(QString::fromStdString(edge.at("input").get<std::string>() + " from "
                                                               + toText(heads[i].front()))));
                    ++compared;
                }
            }
        }
        const DirectEffects direct = runs.directEffects(numbered(pairs.size()), true);
        for (std::size_t pair = 0; pair < golden.at("direct").size(); ++pair) {
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
