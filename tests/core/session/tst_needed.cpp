// Minimal sets of heads of one example: against all sets there are, single evaluations from scratch, and what must hold
// of models that are built for it.
#include "core/analysis/minimalset.h"
#include "core/analysis/needed.h"
#include "core/base/random.h"
#include "tests/support/decidingheads.h"
#include "tests/support/opentask.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinylanguagemodel.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

namespace {

struct Opened
{
    std::shared_ptr<const Task> task;
    std::shared_ptr<const Tokenizer> tokenizer;
    Dataset dataset;

    Opened(const fs::path &folder, const DataSource &source) : task(openTask(folder, source))
    {
        const LoadedModel model = loadModel(folder, torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
        tokenizer = openTokenizer(folder, model.config).valueOrThrow();
        dataset = readDataset(source, {}).valueOrThrow();
        if (!model.transformer->spec().encoder)
            dataset = inWindows(std::move(dataset), model.transformer->spec(), tokenizer.get(), {}).valueOrThrow();
    }

    NeededResult needed(const NeededSpec &spec) const
    {
        return headscope::needed(*task, dataset, tokenizer.get(), spec, {}, {});
    }

    ExampleOutput without(const HeadMask &mask, std::int64_t example) const
    {
        return task->plainOutputs({example}, mask, {}, false, {}).front();
    }

    /// Whether the set has its goal, by evaluations from scratch. `isSame`: of the whole model's output and another.
    template<typename IsSame>
    bool hasGoal(const NeededResult &result, NeededGoal goal, const std::vector<HeadRef> &heads, IsSame isSame) const
    {
        HeadMask removed(heads);
        if (goal == NeededGoal::Keep) {
            for (const HeadNeed &head : result.heads)
                removed.toggle(head.head);
        }
        return isSame(without({}, result.example), without(removed, result.example)) == (goal == NeededGoal::Keep);
    }
    bool hasGoal(const NeededResult &result, NeededGoal goal, const std::vector<HeadRef> &heads) const
    {
        return hasGoal(result, goal, heads, [&](const ExampleOutput &a, const ExampleOutput &b) {
            return task->measure().samePrediction(a, b);
        });
    }
};

HeadRef head(int layer, int number)
{
    return {HeadKind::Encoder, layer, number};
}

std::vector<HeadRef> without(std::vector<HeadRef> heads, const HeadRef &one)
{
    std::erase(heads, one);
    return heads;
}

} // namespace

class TestNeeded : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    fs::path path(const char *name) const { return fs::path(m_folder.path().toStdString()) / name; }
    DataSource table(const char *name) const
    {
        DataSource source;
        source.table = path(name).string();
        return source;
    }
    DataSource deciding() const
    {
        std::ofstream(path("texts.tsv")) << "sentence\tlabel\nthe good film\t1\na dull park\t1\n";
        return table("texts.tsv");
    }
    /// All 1-minimal, by evaluations from scratch, and counted as they are.
    static void checkSets(const Opened &model, const NeededResult &result)
    {
        std::int64_t keeping = 0;
        for (const NeededSet &set : result.sets) {
            keeping += set.goal == NeededGoal::Keep;
            QVERIFY(model.hasGoal(result, set.goal, set.heads));
            for (const HeadRef &one : set.heads)
                QVERIFY(!model.hasGoal(result, set.goal, without(set.heads, one)));
            QCOMPARE(set.output == result.output, set.goal == NeededGoal::Keep);
        }
        QCOMPARE(result.keeping, keeping);
        for (const HeadNeed &one : result.heads) {
            const auto in = [&](NeededGoal goal) {
                return std::ranges::count_if(result.sets, [&](const NeededSet &set) {
                    return set.goal == goal && std::ranges::find(set.heads, one.head) != set.heads.end();
                });
            };
            QCOMPARE(one.keeping, in(NeededGoal::Keep));
            QCOMPARE(one.flipping, in(NeededGoal::Flip));
            QCOMPARE(one.alone, model.hasGoal(result, NeededGoal::Flip, {one.head}));
        }
    }

private Q_SLOTS:
    void setsOfAnyProperty();
    void fewTestsFindFewOfMany();
    void decidingHeads_data();
    void decidingHeads();
    void smallestAmongAllSets();
    void outputsOfAllTasks_data();
    void outputsOfAllTasks();
    void oneGuessOfALanguageModel();
    void replacedMaskedAndByKind();
    void whatCannotBeAskedIsSaid();
};

/// Against all sets of six things, for properties at random, and for those that more things never take away.
void TestNeeded::setsOfAnyProperty()
{
    constexpr std::size_t kThings = 6;
    constexpr unsigned kAll = (1U << kThings) - 1;
    Random random(5);
    for (int trial = 0; trial < 300; ++trial) {
        const bool isMonotone = trial % 3 == 0;
        std::vector<bool> holds(kAll + 1);
        const std::uint32_t rare = 2 + random.below(12);
        for (unsigned set = 0; set <= kAll; ++set) {
            holds[set] = set == kAll || random.below(rare) == 0;
            for (unsigned part = set; isMonotone && part > 0 && !holds[set]; part = (part - 1) & set)
                holds[set] = holds[part];
        }
        const auto bitsOf = [](const PlaceSet &places) {
            unsigned bits = 0;
            for (const std::size_t place : places)
                bits |= 1U << place;
            return bits;
        };
        const HasProperty property = [&](const std::vector<PlaceSet> &sets) {
            std::vector<bool> result;
            for (const PlaceSet &set : sets)
                result.push_back(holds[bitsOf(set)]);
            return result;
        };
        std::vector<std::size_t> order(kThings);
        std::iota(order.begin(), order.end(), std::size_t{0});
        shuffle(order, random);
        const auto smallest = smallestSet(kThings, property, 64);
        QVERIFY(smallest && holds[bitsOf(smallest->places)] && smallest->proof == MinimalityProof::Smallest);
        const auto ofTwo = smallestSet(kThings, property, 1 + 6 + 15);
        QCOMPARE(ofTwo.has_value(), smallest->places.size() <= 2);
        for (const std::int64_t most : {0, 20, 64}) {
            const MinimalSet found = minimalSet(order, kThings, property, most);
            const unsigned bits = bitsOf(found.places);
            QVERIFY(std::ranges::is_sorted(found.places));
            QVERIFY(holds[bits]);
            bool isPartFree = true;
            for (unsigned part = bits; part > 0;) {
                part = (part - 1) & bits;
                isPartFree = isPartFree && !holds[part];
            }
            bool isSmallest = true;
            for (unsigned other = 0; other <= kAll; ++other)
                isSmallest = isSmallest && (!holds[other] || std::popcount(other) >= std::popcount(bits));
            for (const std::size_t place : found.places)
                QVERIFY(!holds[bits & ~(1U << place)]);
            QVERIFY(isPartFree || found.proof == MinimalityProof::NoOne);
            QVERIFY(isPartFree || !isMonotone);
            QVERIFY(isSmallest || found.proof != MinimalityProof::Smallest);
            if (most == 64)
                QCOMPARE(found.proof, MinimalityProof::Smallest);
        }
    }
}

/// Of 1,000 things that a property needs four of, hundreds go at a time.
void TestNeeded::fewTestsFindFewOfMany()
{
    QVERIFY(areAllWithin(8, 256) && !areAllWithin(8, 255) && !areAllWithin(1000, 1'000'000));
    // Eight things, of which only these three together have the property, and no more.
    const PlaceSet only{1, 4, 6};
    const auto found3 = smallestSet(
        8,
        [&](const std::vector<PlaceSet> &sets) {
            std::vector<bool> result;
            for (const PlaceSet &set : sets)
                result.push_back(set == only);
            return result;
        },
        256);
    QVERIFY(found3 && found3->places == only);
    const PlaceSet wanted{17, 400, 401, 999};
    std::int64_t tested = 0;
    const HasProperty property = [&](const std::vector<PlaceSet> &sets) {
        std::vector<bool> result;
        for (const PlaceSet &set : sets)
            result.push_back(std::ranges::includes(set, wanted));
        tested += std::ssize(sets);
        return result;
    };
    std::vector<std::size_t> order(1000);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const MinimalSet found = minimalSet(order, order.size(), property, 0);
    QCOMPARE(found.places, wanted);
    QCOMPARE(found.proof, MinimalityProof::NoOne);
    QVERIFY(tested < 100);
    QCOMPARE(minimalSet(order, order.size(), property, 16).proof, MinimalityProof::NoPart);
}

void TestNeeded::decidingHeads_data()
{
    QTest::addColumn<int>("when");
    QTest::addColumn<int>("keep");
    QTest::addColumn<int>("flip");
    QTest::newRow("either") << static_cast<int>(Deciding::Either) << 1 << 2;
    QTest::newRow("both") << static_cast<int>(Deciding::Both) << 2 << 1;
    QTest::newRow("same") << static_cast<int>(Deciding::Same) << 0 << 1;
}

/// Heads 2 and 3 do nothing, and are in no set. Where one of two heads is enough, either is found, but not both.
void TestNeeded::decidingHeads()
{
    QFETCH(int, when);
    QFETCH(int, keep);
    QFETCH(int, flip);
    writeDecidingHeads(path("deciding"), static_cast<Deciding>(when));
    const Opened model(path("deciding"), deciding());
    for (const bool plain : {false, true}) {
        NeededSpec spec{.example = 1, .orders = 20, .most = 0};
        spec.run.plain = plain;
        const NeededResult result = model.needed(spec);
        QCOMPARE(result.output, std::string("positive"));
        checkSets(model, result);
        QVERIFY(!result.sets.empty());
        for (const NeededSet &set : result.sets) {
            QCOMPARE(static_cast<int>(set.heads.size()), set.goal == NeededGoal::Keep ? keep : flip);
            for (const HeadRef &one : set.heads)
                QVERIFY(one == head(0, 0) || one == head(0, 1));
        }
        // One of two, whichever comes first: twenty orders find both.
        QCOMPARE(result.keeping, keep == 1 ? 2 : 1);
        QCOMPARE(std::ssize(result.sets) - result.keeping, flip == 1 ? 2 : 1);
        QCOMPARE(AnalysisOf<NeededSpec>::remarks(result).size(), keep == 0 ? 1U : 0U);
    }
}

void TestNeeded::smallestAmongAllSets()
{
    writeTinyClassifier(path("deep"), {.layers = 2, .heads = 4, .width = 16});
    writeTinyTable(path("table.tsv"), 12, 3);
    const Opened model(path("deep"), table("table.tsv"));
    int sets = 0;
    int larger = 0;
    for (std::int64_t example = 0; example < 12; ++example) {
        const NeededResult result = model.needed({.example = example, .most = 256});
        const NeededResult greedy = model.needed({.example = example, .most = 0});
        checkSets(model, result);
        checkSets(model, greedy);
        for (const NeededGoal goal : {NeededGoal::Keep, NeededGoal::Flip}) {
            std::size_t least = 9;
            for (unsigned bits = 0; bits < 256; ++bits) {
                std::vector<HeadRef> heads;
                for (std::size_t place = 0; place < 8; ++place) {
                    if (bits & (1U << place))
                        heads.push_back(result.heads[place].head);
                }
                if (heads.size() < least && model.hasGoal(result, goal, heads))
                    least = heads.size();
            }
            const auto found = std::ranges::find(result.sets, goal, &NeededSet::goal);
            const auto byGreed = std::ranges::find(greedy.sets, goal, &NeededSet::goal);
            QCOMPARE(found == result.sets.end(), least == 9U); // nothing is missed where all sets may be tested
            if (byGreed == greedy.sets.end())
                continue;
            QCOMPARE(found->proof, MinimalityProof::Smallest);
            QCOMPARE(found->heads.size(), least);
            QVERIFY(byGreed->heads.size() >= least);
            larger += byGreed->heads.size() > least;
            ++sets;
        }
    }
    QVERIFY(sets >= 12);
    QVERIFY(2 * larger < sets); // what goes by single heads is mostly the smallest
}

void TestNeeded::outputsOfAllTasks_data()
{
    QTest::addColumn<QString>("task");
    for (const char *task : {"translation", "causal", "masked", "pairs"})
        QTest::newRow(task) << task;
}

void TestNeeded::outputsOfAllTasks()
{
    QFETCH(QString, task);
    DataSource source;
    const fs::path folder = path(task.toUtf8());
    if (task == u"translation") {
        writeTinyModel(folder);
        writeTinyCorpus(path("source"), path("reference"), 6, 7);
        source.source = path("source").string();
        source.reference = path("reference").string();
    } else {
        writeTinyLanguageModel(folder, {.causal = task != u"masked", .headsAmplitude = 0.3});
        if (task == u"pairs") {
            writeTinyPairs(path("minimal.jsonl"), 6, 4);
            source.table = path("minimal.jsonl").string();
        } else {
            writeTinyText(path("text"), 5, 9);
            source.text = path("text").string();
        }
    }
    const Opened model(folder, source);
    for (const std::int64_t example : {0, 3}) {
        NeededSpec spec{.example = example, .orders = 2, .most = 0};
        const NeededResult fast = model.needed(spec);
        spec.run.plain = true;
        const NeededResult plain = model.needed(spec);
        checkSets(model, fast);
        QVERIFY(!fast.sets.empty());
        QVERIFY(!fast.output.empty());
        QCOMPARE(fast.text, model.dataset.examples[static_cast<std::size_t>(example)].source);
        QCOMPARE(plain.output, fast.output);
        QCOMPARE(plain.sets.size(), fast.sets.size());
        for (std::size_t i = 0; i < fast.sets.size(); ++i) {
            QCOMPARE(plain.sets[i].heads, fast.sets[i].heads);
            QCOMPARE(plain.sets[i].output, fast.sets[i].output);
        }
    }
}

void TestNeeded::oneGuessOfALanguageModel()
{
    writeTinyLanguageModel(path("guessing"), {.headsAmplitude = 0.3});
    writeTinyText(path("text"), 5, 9);
    DataSource source;
    source.text = path("text").string();
    const Opened model(path("guessing"), source);
    const NeededResult last = model.needed({.example = 3, .token = -1});
    const ExampleOutput whole = model.without({}, 3);
    QCOMPARE(last.output, model.tokenizer->pieceText(whole.tokens.back()));
    const NeededResult sameToken = model.needed({.example = 3, .token = std::ssize(whole.tokens) - 1});
    QCOMPARE(sameToken.sets.size(), last.sets.size());
    const auto sameLast
        = [](const ExampleOutput &a, const ExampleOutput &b) { return a.tokens.back() == b.tokens.back(); };
    QVERIFY(!last.sets.empty());
    for (const NeededSet &set : last.sets) {
        QVERIFY(model.hasGoal(last, set.goal, set.heads, sameLast));
        for (const HeadRef &one : set.heads)
            QVERIFY(!model.hasGoal(last, set.goal, without(set.heads, one), sameLast));
    }
    // One guess needs no more heads than all of them do.
    const NeededResult all = model.needed({.example = 3});
    QVERIFY(last.sets.front().heads.size() <= all.sets.front().heads.size());
}

void TestNeeded::replacedMaskedAndByKind()
{
    writeTinyModel(path("marian"));
    writeTinyCorpus(path("source"), path("reference"), 6, 7);
    DataSource source;
    source.source = path("source").string();
    source.reference = path("reference").string();
    const Opened model(path("marian"), source);
    const NeededResult cross = model.needed({.example = 2, .kinds = {HeadKind::Cross}});
    QCOMPARE(cross.heads.size(), 8U);
    for (const NeededSet &set : cross.sets) {
        for (const HeadRef &one : set.heads)
            QCOMPARE(one.kind, HeadKind::Cross);
    }
    const HeadMask mask{{HeadKind::Cross, 1, 2}};
    const NeededResult masked = model.needed({.mask = mask, .example = 2});
    QCOMPARE(masked.heads.size(), 23U);
    QVERIFY(std::ranges::find(masked.heads, HeadRef{HeadKind::Cross, 1, 2}, &HeadNeed::head) == masked.heads.end());
    NeededSpec mean{.example = 2, .replacement = Replacement::Mean, .most = 0};
    const NeededResult fast = model.needed(mean);
    mean.run.plain = true;
    const NeededResult plain = model.needed(mean);
    QCOMPARE(fast.replacement, Replacement::Mean);
    QCOMPARE(plain.sets.size(), fast.sets.size());
    for (std::size_t i = 0; i < fast.sets.size(); ++i)
        QCOMPARE(plain.sets[i].heads, fast.sets[i].heads);
}

void TestNeeded::whatCannotBeAskedIsSaid()
{
    writeDecidingHeads(path("asked"), Deciding::Both);
    const Opened model(path("asked"), deciding());
    const auto message = [&](const NeededSpec &spec) -> std::string {
        try {
            AnalysisOf<NeededSpec>::check(spec);
            (void)model.needed(spec);
        } catch (const Failure &failure) {
            return failure.error().message;
        }
        return {};
    };
    QVERIFY(message({}).find("--example 12") != std::string::npos);
    QVERIFY(message({.example = 2}).find("2 examples") != std::string::npos);
    QVERIFY(message({.example = 0, .replacement = Replacement::Resample}).find("resample") != std::string::npos);
    QVERIFY(message({.example = 0, .replacement = Replacement::Window}).find("of ablate") != std::string::npos);
    QVERIFY(message({.example = 0, .kinds = {HeadKind::Cross}}).find("no head") != std::string::npos);
    QVERIFY(message({.example = 0, .token = 1}).find("--token") != std::string::npos);
    QVERIFY(message({.example = 0}).empty());
}

QTEST_APPLESS_MAIN(TestNeeded)
#include "tst_needed.moc"
