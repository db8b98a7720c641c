// Paths between heads: of a model that was built to have one, against patching along one path, and what must hold of
// all.
#include "core/analysis/patching.h"
#include "core/analysis/paths.h"
#include "core/base/random.h"
#include "core/metrics/inference.h"
#include "core/model/loadmodel.h"
#include "tests/goldens/goldens.h"
#include "tests/support/againstplain.h"
#include "tests/support/inductionmodel.h"

#include <QTemporaryDir>
#include <QTest>
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
namespace fs = std::filesystem;

namespace {

constexpr HeadRef kPrevious{HeadKind::Decoder, 0, 0}, kInduction{HeadKind::Decoder, 1, 0};

std::unique_ptr<const Task> taskOn(const fs::path &folder)
{
    const LoadedModel model = loadModel(folder, torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
    Dataset data; // the task needs some
    data.examples.resize(1);
    data.examples[0].inputIds = {5, 6, 7};
    Examples examples = languageExamples(model.transformer->spec(), nullptr, data, {}).valueOrThrow();
    return std::make_unique<const Task>("test", model.transformer,
                                        TaskParts{std::move(examples),
                                                  std::make_unique<ScoringRunner>(std::nullopt, nullptr),
                                                  tokenMeasure(TokenContext::Before)},
                                        Execution());
}

/// Texts of different tokens, of which the last has been there before: the answer came after it. In the corrupt text
/// another token stands there.
PatchingPairs repeatedTokens(int count, std::int64_t vocabulary)
{
    PatchingPairs pairs;
    Random random(3);
    for (int i = 0; i < count; ++i) {
        std::vector<std::int64_t> tokens;
        for (std::int64_t token = 1; token < vocabulary; ++token)
            tokens.push_back(token);
        for (std::size_t left = tokens.size(); left > 1; --left)
            std::swap(tokens[left - 1],
                      tokens[static_cast<std::size_t>(random.below(static_cast<std::uint32_t>(left)))]);
        PatchingPairs::Text clean;
        clean.prefix.assign(tokens.begin(), tokens.begin() + 9);
        const std::size_t at = static_cast<std::size_t>(1 + i % 3);
        clean.prefix.push_back(clean.prefix[at]);
        PatchingPairs::Text corrupt = clean;
        corrupt.prefix[at] = tokens[10];
        pairs.answers.push_back(clean.prefix[at + 1]);
        pairs.wrongAnswers.push_back(clean.prefix[at + 3]);
        pairs.clean.push_back(clean);
        pairs.corrupt.push_back(corrupt);
        pairs.shown.emplace_back("right", "wrong");
    }
    return pairs;
}

const PathEffect *pathOf(const PathsResult &result, const HeadRef &from, const std::vector<HeadRef> &to,
                         PathInput input)
{
    const auto found = std::ranges::find_if(result.paths, [&](const PathEffect &path) {
        return path.head == from && path.together == to && path.input == input;
    });
    return found == result.paths.end() ? nullptr : &*found;
}

} // namespace

class TestPaths : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<const Task> m_induction, m_grouped;
private Q_SLOTS:
    void initTestCase()
    {
        const fs::path folder = fs::path(m_folder.path().toStdString()) / "induction";
        writeInductionModel(folder);
        m_induction = taskOn(folder);
        for (const fs::path &golden : goldenFolders("families")) {
            if (golden.filename() == "llama-grouped")
                m_grouped = taskOn(golden);
        }
        QVERIFY(m_grouped);
    }
    void theInductionHeadReadsKeys_data();
    void theInductionHeadReadsKeys();
    void fewResamplesHideNoPath();
    void patchingAlongOnePathIsASlice();
    void keysBelongToGroups();
    void equalTextsGiveNothing();
    void strongPathsAreVerified();
    void whatIsNoPathIsSaid();
    void workIsShared();
};

void TestPaths::theInductionHeadReadsKeys_data()
{
    QTest::addColumn<int>("method");
    QTest::addColumn<int>("feedForward");
    QTest::addColumn<bool>("plain");
    for (const bool plain : {false, true}) {
        for (const PathMethod method : {PathMethod::Exact}) { // gradients through norms see other ways as well
            for (const PathFeedForward feedForward : {PathFeedForward::Recomputed, PathFeedForward::Frozen})
                QTest::addRow("%s %s%s", std::string(toText(method)).c_str(), std::string(toText(feedForward)).c_str(),
                              plain ? ", plain" : "")
                    << static_cast<int>(method) << static_cast<int>(feedForward) << plain;
        }
    }
}

/// From head to head there is one path: the previous-token head writes what the induction head finds by its keys.
void TestPaths::theInductionHeadReadsKeys()
{
    QFETCH(int, method);
    QFETCH(int, feedForward);
    QFETCH(bool, plain);
    PathsSpec spec;
    spec.method = static_cast<PathMethod>(method);
    spec.feedForward = static_cast<PathFeedForward>(feedForward);
    spec.direction = PatchDirection::Noise;
    spec.run.plain = plain;
    const PathsResult result = paths(*m_induction, repeatedTokens(12, inductionmodel::kTokens), spec, {}, {});
    QCOMPARE(result.paths.size(), 16U); // 2 senders × 2 heads × 3 inputs, 4 × logits
    const PathEffect *found = pathOf(result, kPrevious, {kInduction}, PathInput::Key);
    QVERIFY(found);
    QVERIFY(found->discoveryP <= kSignificanceLevel);
    QVERIFY(found->effect.deltaInterval.high < 0);
    for (const PathEffect &path : result.paths) {
        if (path.input == PathInput::Logits || &path == found)
            continue;
        QVERIFY2(!(path.discoveryP <= kSignificanceLevel),
                 qPrintable(QStringLiteral("%1 to %2 of %3: %4, p %5")
                                .arg(QString::fromStdString(toText(path.head)),
                                     QString::fromUtf8(std::string(toText(path.input)).c_str()),
                                     QString::fromStdString(toText(path.together.front())))
                                .arg(path.effect.delta)
                                .arg(path.p)));
        QVERIFY2(std::abs(path.effect.delta) < 1e-3 * std::abs(found->effect.delta),
                 qPrintable(QStringLiteral("%1 by %2").arg(path.effect.delta).arg(found->effect.delta)));
    }
    // Of the ways to the output the induction head's is the only one.
    for (const PathEffect &path : result.paths) {
        if (path.input == PathInput::Logits)
            QCOMPARE(path.discoveryP <= kSignificanceLevel, path.head == kInduction);
    }
    QVERIFY(found->effect.effect > 0.9); // all that there is comes along it
}

/// p of ten resamples is .18 at least: no path could be significant.
void TestPaths::fewResamplesHideNoPath()
{
    PathsSpec spec;
    spec.direction = PatchDirection::Noise;
    spec.resamples = 10;
    const PathsResult result = paths(*m_induction, repeatedTokens(12, inductionmodel::kTokens), spec, {}, {});
    const PathEffect *found = pathOf(result, kPrevious, {kInduction}, PathInput::Key);
    QVERIFY(found && found->discoveryP <= kSignificanceLevel);
    QVERIFY(found->p >= std::ldexp(1.0, -11)); // of twelve signs
    for (const PathEffect &path : result.paths) {
        if (path.input != PathInput::Logits && &path != found)
            QVERIFY(!(path.discoveryP <= kSignificanceLevel));
    }
}

void TestPaths::patchingAlongOnePathIsASlice()
{
    const PatchingPairs pairs = repeatedTokens(6, m_grouped->model().spec().decoder->vocabulary);
    const HeadRef last = m_grouped->layout().heads().back();
    for (const std::string &to : {toText(last), std::string("output")}) {
        PatchSpec patching;
        patching.pathsTo = to;
        const PatchResult slice = patch(*m_grouped, pairs, patching, {}, {}, {});
        PathsSpec spec;
        spec.inputs = {PathInput::All, PathInput::Logits};
        const PathsResult all = paths(*m_grouped, pairs, spec, {}, {});
        QVERIFY(!slice.heads.empty());
        for (const HeadPatch &head : slice.heads) {
            const bool isOutput = to == "output";
            const PathEffect *path = pathOf(all, head.head, isOutput ? std::vector<HeadRef>() : std::vector{last},
                                            isOutput ? PathInput::Logits : PathInput::All);
            QVERIFY(path);
            QVERIFY(std::abs(path->effect.delta - head.patch.delta) < 1e-6);
            QVERIFY(std::abs(path->effect.effect - head.patch.effect) < 1e-5);
        }
    }
}

void TestPaths::keysBelongToGroups()
{
    const PatchingPairs pairs = repeatedTokens(6, m_grouped->model().spec().decoder->vocabulary);
    const PathsResult result = paths(*m_grouped, pairs, {}, {}, {});
    const auto together
        = static_cast<std::size_t>(m_grouped->model().spec().attention(HeadKind::Decoder, 0).headsPerKey);
    QVERIFY(together > 1);
    for (const PathEffect &path : result.paths) {
        const bool isShared = path.input == PathInput::Key || path.input == PathInput::Value;
        QCOMPARE(path.together.size(), path.input == PathInput::Logits ? 0U : isShared ? together : 1U);
        QVERIFY(path.together.empty() || path.head.layer < path.together.front().layer);
    }
    const PatchResult keys = patch(*m_grouped, pairs, {.what = PatchWhat::Key}, {}, {}, {});
    QCOMPARE(keys.by, HeadUnit::KeyGroup);
    QCOMPARE(keys.heads.front().together.size(), together - 1);
    QCOMPARE(patch(*m_grouped, pairs, {.what = PatchWhat::Query}, {}, {}, {}).by, HeadUnit::Head);
}

void TestPaths::equalTextsGiveNothing()
{
    PatchingPairs pairs = repeatedTokens(8, inductionmodel::kTokens);
    pairs.corrupt = pairs.clean;
    for (const PathMethod method : {PathMethod::Exact, PathMethod::Linear}) {
        const PathsResult result = paths(*m_induction, pairs, {.method = method}, {}, {});
        for (const PathEffect &path : result.paths) {
            QCOMPARE(path.effect.delta, 0.0);
            QCOMPARE(path.effect.attribution, 0.0);
            QVERIFY(std::isnan(path.effect.effect)); // of no difference
            QVERIFY(!(path.discoveryP <= kSignificanceLevel));
        }
    }
}

void TestPaths::strongPathsAreVerified()
{
    const PatchingPairs pairs = repeatedTokens(6, m_grouped->model().spec().decoder->vocabulary);
    const PathsResult exact = paths(*m_grouped, pairs, {}, {}, {});
    const PathsResult linear = paths(*m_grouped, pairs, {.method = PathMethod::Linear, .verify = 5}, {}, {});
    QCOMPARE(linear.paths.size(), exact.paths.size());
    QCOMPARE(exact.agreement.count, std::ssize(exact.paths));
    QCOMPARE(linear.agreement.count, 5);
    QCOMPARE(linear.runs, 5 * 6);
    int verified = 0;
    double weakest = 1e9;
    double strongest = 0;
    for (const PathEffect &path : linear.paths) {
        const PathEffect *same = pathOf(exact, path.head, path.together, path.input);
        QVERIFY(same && same->exact);
        QVERIFY(std::abs(path.effect.attribution - same->effect.attribution) < 1e-9);
        if (path.exact) {
            ++verified;
            QVERIFY(std::abs(path.effect.delta - same->effect.delta) < 1e-6);
            weakest = std::min(weakest, std::abs(path.effect.attribution));
        } else {
            QCOMPARE(path.effect.delta, path.effect.attribution);
            strongest = std::max(strongest, std::abs(path.effect.attribution));
        }
    }
    QCOMPARE(verified, 5);
    QVERIFY(weakest >= strongest);
}

void TestPaths::whatIsNoPathIsSaid()
{
    const PatchingPairs pairs = repeatedTokens(2, inductionmodel::kTokens);
    const auto refusal = [&](const PathsSpec &spec) {
        try {
            (void)paths(*m_induction, pairs, spec, {}, {});
        } catch (const Failure &failure) {
            return QString::fromStdString(failure.error().message);
        }
        return QString();
    };
    QVERIFY(refusal({.from = "decoder.1.0", .to = "decoder.0.0"}).contains(QLatin1String("No path leads")));
    QVERIFY(refusal({.from = "decoder.1.0", .to = "decoder.1.1"}).contains(QLatin1String("No path leads")));
    QVERIFY(refusal({.from = "decoder.7.0"}).contains(QLatin1String("decoder.7.0")));
    QVERIFY(refusal({.from = "nonsense"}).contains(QLatin1String("--from")));
    QVERIFY(refusal({.mask = HeadMask{kPrevious}, .from = "decoder.0.0"}).contains(QLatin1String("masked")));
    QVERIFY(refusal({.verify = 3}).contains(QLatin1String("--verify")));
    QVERIFY(refusal({.measure = PatchMeasure::Accuracy, .method = PathMethod::Linear})
                .contains(QLatin1String("--measure")));
}

/// The work that is shared, counted: rows times sub-layers against two whole runs a path.
void TestPaths::workIsShared()
{
    const PatchingPairs pairs = repeatedTokens(6, m_grouped->model().spec().decoder->vocabulary);
    const PathsResult exact = paths(*m_grouped, pairs, {}, {}, {});
    QVERIFY(exact.work < 0.3);
    const PathsResult none = paths(*m_grouped, pairs, {.method = PathMethod::Linear}, {}, {});
    QCOMPARE(none.runs, 0);
    QVERIFY(std::isnan(none.work));
    qInfo("work of exact paths: %g", exact.work);
}

QTEST_APPLESS_MAIN(TestPaths)
#include "tst_paths.moc"
