#include "core/formats/atomicfile.h"
#include "core/results/roles.h"
#include "core/results/rollout.h"
#include "core/roles/headcounts.h"
#include "core/roles/treewords.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <optional>

using namespace headscope;

namespace {

constexpr KeyWindow kUsual{4, 64};

/// Tokens 0 … n−1 are 10, 11, …; the last is special, as in a source with its end token.
AttentionTokens selfTokens(std::vector<std::int64_t> ids, HeadKind kind = HeadKind::Encoder)
{
    AttentionTokens tokens;
    tokens.kind = kind;
    tokens.realQueries.assign(ids.size(), 1);
    tokens.realQueries[kind == HeadKind::Decoder ? 0 : ids.size() - 1] = 0;
    tokens.realKeys = tokens.realQueries;
    tokens.queryIds = ids;
    tokens.keyIds = std::move(ids);
    return tokens;
}

const std::vector<std::vector<int>> &keysOf(const AttentionTemplate &tokens, Pattern pattern)
{
    for (const PatternKeys &keys : tokens.patterns) {
        if (keys.pattern == pattern)
            return keys.keys;
    }
    throw std::logic_error("no such pattern");
}

/// A head whose weights are given row by row.
struct Head
{
    std::vector<float> weights;
    std::int64_t keys;

    Head(std::initializer_list<std::initializer_list<float>> rows)
        : keys(static_cast<std::int64_t>(rows.begin()->size()))
    {
        for (const auto &row : rows)
            weights.insert(weights.end(), row);
    }
    HeadAttention attention() const { return {weights.data(), keys}; }
};

SentenceTree tree(std::initializer_list<TreeWord> words)
{
    return words;
}

} // namespace

class TestRoleParts : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string write(const char *name, const std::string &text) const
    {
        const std::string path = m_folder.filePath(QString::fromUtf8(name)).toStdString();
        (void)writeFileAtomically(path, text).valueOrThrow();
        return path;
    }

private Q_SLOTS:
    void patternsOfSelfAttention()
    {
        const AttentionTemplate tokens = attentionTemplate(selfTokens({10, 11, 10, 12, 0}), kUsual);
        QCOMPARE(keysOf(tokens, Pattern::Previous)[0], std::vector<int>{});
        QCOMPARE(keysOf(tokens, Pattern::Previous)[2], std::vector<int>{1});
        QCOMPARE(keysOf(tokens, Pattern::Next)[3], std::vector<int>{}); // the end token is no word
        QCOMPARE(keysOf(tokens, Pattern::Current)[1], std::vector<int>{1});
        QCOMPARE(keysOf(tokens, Pattern::SameToken)[0], std::vector<int>{2});
        QCOMPARE(keysOf(tokens, Pattern::SameToken)[1], std::vector<int>{});
        QCOMPARE(keysOf(tokens, Pattern::Induction)[2], std::vector<int>{1}); // 10 was followed by 11
        QCOMPARE(keysOf(tokens, Pattern::Induction)[0], std::vector<int>{});
        QCOMPARE(keysOf(tokens, Pattern::Special)[0], std::vector<int>{4});
        QCOMPARE(keysOf(tokens, Pattern::Special)[4], std::vector<int>{}); // special tokens ask nothing
    }

    void decodersSeeNothingAhead()
    {
        const AttentionTemplate tokens = attentionTemplate(selfTokens({9, 10, 11, 10}, HeadKind::Decoder), kUsual);
        QCOMPARE(keysOf(tokens, Pattern::SameToken)[1], std::vector<int>{});
        QCOMPARE(keysOf(tokens, Pattern::SameToken)[3], std::vector<int>{1});
        QCOMPARE(keysOf(tokens, Pattern::Previous)[1], std::vector<int>{}); // the start token
        QCOMPARE(tokens.visibleKeys(1), std::int64_t{2});
    }

    // First keys count with special tokens, of queries that see others too; distant ones are neither first nor near.
    void firstAndDistantKeys()
    {
        const AttentionTemplate encoder = attentionTemplate(selfTokens({10, 11, 12, 13, 14, 0}), {1, 2});
        QCOMPARE(keysOf(encoder, Pattern::FirstKeys)[2], std::vector<int>{0});
        QCOMPARE(keysOf(encoder, Pattern::Distant)[0], (std::vector<int>{2, 3, 4, 5}));
        QCOMPARE(keysOf(encoder, Pattern::Distant)[2], (std::vector<int>{4, 5}));
        const AttentionTemplate decoder = attentionTemplate(selfTokens({9, 10, 11, 12, 13}, HeadKind::Decoder), {1, 2});
        QCOMPARE(keysOf(decoder, Pattern::FirstKeys)[1], std::vector<int>{0});
        QCOMPARE(keysOf(decoder, Pattern::Distant)[2], std::vector<int>{});
        QCOMPARE(keysOf(decoder, Pattern::Distant)[4], (std::vector<int>{1, 2}));
        const AttentionTemplate shorter = attentionTemplate(selfTokens({9, 10, 11, 12}, HeadKind::Decoder), {2, 1});
        QCOMPARE(keysOf(shorter, Pattern::FirstKeys)[1], std::vector<int>{}); // it sees no others
        QCOMPARE(keysOf(shorter, Pattern::FirstKeys)[2], (std::vector<int>{0, 1}));
        const auto ofCross = patternsOf(HeadKind::Cross);
        QVERIFY(std::ranges::find(ofCross, Pattern::FirstKeys) == ofCross.end());
    }

    // Handmade heads over texts of eight tokens: one looks at the first, one at what is neither first nor near, one at
    // all alike; and what a sweep with windows says of them.
    void sinksAndRetrieval()
    {
        constexpr int kTokens = 8;
        const KeyWindow window{1, 2};
        ExampleTemplate example;
        example.tokens = attentionTemplate(selfTokens({9, 10, 11, 12, 13, 14, 15, 16}, HeadKind::Decoder), window);
        RolesResult result;
        result.sinks = window.sinks;
        result.window = window.neighbours;
        AblationResult sweep;
        sweep.sinks = window.sinks;
        sweep.window = window.neighbours;
        for (int h = 0; h < 3; ++h) {
            std::vector<float> weights(kTokens * kTokens, 0);
            for (int t = 0; t < kTokens; ++t) {
                for (int key = 0; key <= t; ++key) {
                    const bool distant = !window.shows(t, key);
                    const int others = std::max(0, t - 2); // distant ones
                    float &weight = weights[static_cast<std::size_t>(t * kTokens + key)];
                    if (h == 0)
                        weight = key == 0 ? 0.9F : 0.1F / static_cast<float>(t);
                    else if (h == 1)
                        weight = others == 0 ? 1.0F / static_cast<float>(t + 1)
                               : distant     ? 1.0F / static_cast<float>(others)
                                             : 0;
                    else
                        weight = 1.0F / static_cast<float>(t + 1);
                }
            }
            weights[0] = 1;
            HeadCounts counts({HeadKind::Decoder, 0, h}, 0, 3, {});
            for (int i = 0; i < 60; ++i) {
                example.index = i;
                counts.add({weights.data(), kTokens}, example);
            }
            result.heads.push_back(counts.scores(RelationNumbers({}), result));
            HeadAblation &entry = sweep.heads.emplace_back();
            entry.head = {HeadKind::Decoder, 0, h};
            entry.delta = h == 1 ? -3.5 : 0.5;
            entry.p = entry.pAdjusted = h == 1 ? 0.01 : 0.6;
        }
        const auto roleOfHead = [&](int head, const WindowedSweep &windowed) -> std::optional<Role> {
            const HeadRoles roles = assignRoles(result, {}, windowed)[static_cast<std::size_t>(head)];
            return roles.first() ? std::optional(roles.first()->role) : std::nullopt;
        };
        // Without a sweep a sink shows, and nobody is said to retrieve.
        QCOMPARE(roleOfHead(0, {}), std::optional(Role::Sink));
        QVERIFY(roleOfHead(1, {}) != Role::Retrieval);
        QVERIFY(!roleOfHead(2, {}));
        const RoleLabel sink = labelsOf(result, result.heads[0]).front();
        QVERIFY(std::abs(sink.score - 0.9) < 1e-6);
        QVERIFY(sink.expected > 0.1 && sink.expected < 0.3); // one of two to eight keys
        QCOMPARE(sink.instances, std::int64_t{60 * 7});
        // The sweep: who needs distant keys, with how much and how surely.
        const WindowedSweep windowed{&sweep, {}};
        QCOMPARE(roleOfHead(0, windowed), std::optional(Role::Sink));
        const auto labels = labelsOf(result, result.heads[1], {}, windowed);
        const auto retrieval = std::ranges::find(labels, Role::Retrieval, &RoleLabel::role);
        QVERIFY(retrieval != labels.end());
        QCOMPARE(*retrieval->delta, -3.5);
        QCOMPARE(*retrieval->deltaP, 0.01);
        QVERIFY(std::abs(retrieval->score - 1) < 1e-6);
        QCOMPARE(retrieval->instances, std::int64_t{60 * 5}); // queries 3 to 7
        QVERIFY(evidenceFor(result.heads[1], *retrieval));
        QVERIFY(!roleOfHead(2, windowed));
        // A head whose attention rests on the first keys, and which its window harms, is no sink.
        sweep.heads[0].delta = -1;
        sweep.heads[0].p = sweep.heads[0].pAdjusted = 0.02;
        QCOMPARE(roleOfHead(0, windowed), std::optional(Role::Retrieval));
        // Of a loss more is worse; gains are no need; and other windows say nothing.
        sweep.baseline.better = Better::Lower;
        QCOMPARE(roleOfHead(0, windowed), std::optional(Role::Sink));
        sweep.baseline.better = Better::Higher;
        sweep.window = 3;
        QCOMPARE(roleOfHead(0, windowed), std::optional(Role::Sink));
        sweep.window = 2;
        sweep.manifest.partial = true;
        QCOMPARE(roleOfHead(0, windowed), std::optional(Role::Sink));
        // Key groups speak for all of their heads.
        sweep.manifest.partial = false;
        sweep.heads.erase(sweep.heads.begin() + 1, sweep.heads.end());
        sweep.heads[0].together = {{HeadKind::Decoder, 0, 1}};
        const auto ofGroup = labelsOf(result, result.heads[1], {}, windowed);
        QVERIFY(std::ranges::find(ofGroup, Role::Retrieval, &RoleLabel::role) != ofGroup.end());
    }

    void patternsOfCrossAttention()
    {
        AttentionTokens cross;
        cross.kind = HeadKind::Cross;
        cross.queryIds = {9, 20, 21};
        cross.keyIds = {10, 11, 12, 13, 0};
        cross.realQueries = {0, 1, 1};
        cross.realKeys = {1, 1, 1, 1, 0};
        cross.keyTexts = {"▁Bob", "▁a", "▁vu", "▁Bob", "</s>"};
        cross.predictedTexts = {"▁Bob", "▁Bob", ""};
        const AttentionTemplate tokens = attentionTemplate(cross, kUsual);
        QCOMPARE(tokens.origin, (std::vector<int>{0, 2, 4}));
        QCOMPARE(keysOf(tokens, Pattern::Copy)[1], (std::vector<int>{0, 3}));
        QCOMPARE(keysOf(tokens, Pattern::Copy)[2], std::vector<int>{}); // what ends a sentence copies nothing
        QCOMPARE(keysOf(tokens, Pattern::Diagonal)[1], (std::vector<int>{1, 2, 3}));
        QCOMPARE(keysOf(tokens, Pattern::Diagonal)[2], std::vector<int>{3});
    }

    void inductionHeadGetsItsLabel()
    {
        const AttentionTokens tokens = selfTokens({10, 11, 10, 12, 0});
        ExampleTemplate example;
        example.tokens = attentionTemplate(tokens, kUsual);
        // Row 2 looks at the token after the first 10; the others attend alike.
        const Head head{{.2F, .2F, .2F, .2F, .2F},
                        {.2F, .2F, .2F, .2F, .2F},
                        {0, 1, 0, 0, 0},
                        {.2F, .2F, .2F, .2F, .2F},
                        {.2F, .2F, .2F, .2F, .2F}};
        HeadCounts counts({HeadKind::Encoder, 0, 0}, 0, 3, {});
        for (int i = 0; i < 60; ++i) {
            example.index = i;
            counts.add(head.attention(), example);
        }
        RolesResult result;
        result.heads = {counts.scores(RelationNumbers({}), result)};
        const auto labels = labelsOf(result, result.heads[0]);
        QCOMPARE(labels.size(), std::size_t{1});
        QVERIFY(labels[0].role == Role::Induction);
        QCOMPARE(labels[0].score, 1.0);
        QCOMPARE(labels[0].instances, std::int64_t{60});
        QVERIFY(std::abs(labels[0].expected - 0.2) < 1e-9);
        const RoleEvidence *evidence = evidenceFor(result.heads[0], labels[0]);
        QVERIFY(evidence);
        QCOMPARE(evidence->best.size(), std::size_t{3});
        QCOMPARE(evidence->best[2].index, std::int64_t{2});
    }

    void offsetsLeaveOutWhatCannotBe()
    {
        ExampleTemplate example;
        example.tokens = attentionTemplate(selfTokens({10, 11, 12, 0}), kUsual);
        // Always the word before; the first attends to the second.
        const Head head{{0, 1, 0, 0}, {1, 0, 0, 0}, {0, .6F, .4F, 0}, {0, 0, 0, 1}};
        HeadCounts counts({HeadKind::Encoder, 0, 0}, 0, 1, {});
        counts.add(head.attention(), example);
        const HeadRoleScores scores = counts.scores(RelationNumbers({}), {});
        QCOMPARE(scores.offsets.queries, std::int64_t{3});
        QCOMPARE(scores.offsets.at(-1).instances, std::int64_t{2});
        QCOMPARE(scores.offsets.at(-1).hits, std::int64_t{2});
        QCOMPARE(scores.offsets.at(1).hits, std::int64_t{1});
        QVERIFY(std::abs(scores.offsets.at(-1).expected - 1.0 / 3) < 1e-9);
        QVERIFY(std::abs(scores.confidence - 2.6 / 3) < 1e-6);
    }

    void sentencesWithOneWordSayNothing()
    {
        ExampleTemplate example;
        example.tokens = attentionTemplate(selfTokens({10, 0}), kUsual);
        const Head head{{1, 0}, {1, 0}};
        HeadCounts counts({HeadKind::Encoder, 0, 0}, 0, 1, {});
        counts.add(head.attention(), example);
        example.tokens = attentionTemplate(selfTokens({0}), kUsual);
        counts.add(head.attention(), example);
        const HeadRoleScores scores = counts.scores(RelationNumbers({}), {});
        QCOMPARE(scores.tokens, std::int64_t{0});
        QCOMPARE(scores.confidence, 0.0);
        QCOMPARE(scores.offsets.queries, std::int64_t{0});
    }

    void wordsAreSumsOverPieces()
    {
        // "walking dog" as walk ##ing dog: dog depends on walking.
        const SentenceTree words = tree({{"walking", "VERB", -1, "root", 0, 7}, {"dog", "NOUN", 0, "nsubj", 8, 11}});
        const RelationNumbers numbers({&words});
        Encoding encoding;
        encoding.ids = {10, 11, 12, 0};
        encoding.words = {0, 0, 1, -1};
        encoding.spans = {{0, 4}, {4, 7}, {8, 11}, {}};
        const auto wordOfToken = tokensInTree(encoding, words);
        QCOMPARE(wordOfToken, (std::vector<int>{0, 0, 1, -1}));
        const auto onTokens = treeTemplate(words, wordOfToken, numbers);
        QVERIFY(onTokens);
        QCOMPARE(onTokens->instances.size(), std::size_t{2});
        ExampleTemplate example;
        example.tokens = attentionTemplate(selfTokens({10, 11, 12, 0}), kUsual);
        example.tree = &*onTokens;
        // dog → itself has the single largest weight, but walking has more in sum.
        const Head head{{0, 0, 1, 0}, {0, 0, 1, 0}, {.3F, .3F, .4F, 0}, {0, 0, 0, 1}};
        HeadCounts counts({HeadKind::Encoder, 0, 0}, numbers.size(), 1, {});
        counts.add(head.attention(), example);
        const auto hits = counts.scores(numbers, {}).relationHits;
        QCOMPARE(hits[numbers.numberOf("nsubj", ArcDirection::DependentToHead)], std::int64_t{1});
        QCOMPARE(hits[numbers.numberOf("nsubj", ArcDirection::HeadToDependent)], std::int64_t{1});
    }

    void anyOfSeveralDependentsWillDo()
    {
        const SentenceTree words = tree(
            {{"big", "ADJ", 2, "amod", 0, 3}, {"red", "ADJ", 2, "amod", 4, 7}, {"dog", "NOUN", -1, "root", 8, 11}});
        const RelationNumbers numbers({&words});
        const auto onTokens = treeTemplate(words, {0, 1, 2, -1}, numbers);
        QCOMPARE(onTokens->instances.size(), std::size_t{3});
        ExampleTemplate example;
        example.tokens = attentionTemplate(selfTokens({10, 11, 12, 0}), kUsual);
        example.tree = &*onTokens;
        const Head head{{0, 1, 0, 0}, {0, 0, 1, 0}, {0, 1, 0, 0}, {0, 0, 0, 1}};
        HeadCounts counts({HeadKind::Encoder, 0, 0}, numbers.size(), 1, {});
        counts.add(head.attention(), example);
        const auto hits = counts.scores(numbers, {}).relationHits;
        QCOMPARE(hits[numbers.numberOf("amod", ArcDirection::HeadToDependent)], std::int64_t{1});
        QCOMPARE(hits[numbers.numberOf("amod", ArcDirection::DependentToHead)], std::int64_t{1});
    }

    void wordsWithoutTokensAreLeftOut()
    {
        // "du" is de + le: both are written there, and only the first has the token.
        const SentenceTree words
            = tree({{"de", "ADP", 2, "case", 0, 2}, {"le", "DET", 2, "det", 0, 2}, {"pain", "NOUN", -1, "root", 3, 7}});
        Encoding encoding;
        encoding.ids = {10, 11};
        encoding.words = {0, 1};
        encoding.spans = {{0, 2}, {3, 7}};
        const RelationNumbers numbers({&words});
        const auto onTokens = treeTemplate(words, tokensInTree(encoding, words), numbers);
        QCOMPARE(onTokens->words, std::int64_t{2});
        QCOMPARE(onTokens->notAligned, std::int64_t{1});
        QCOMPARE(onTokens->instances.size(), std::size_t{2}); // case in both directions, no det
        encoding.spans.clear();
        QVERIFY(!treeTemplate(words, tokensInTree(encoding, words), numbers));
    }

    void rarestTokensByRank()
    {
        const RarestTokens tokens = rarestTokens({3, 700, -1, 600, 700, 900}, {1, 1, 0, 1, 1, 0});
        QVERIFY(tokens.eligible);
        QCOMPARE(tokens.rarest, (std::vector<std::uint8_t>{0, 1, 0, 0, 1, 0}));
        QCOMPARE(tokens.twoRarest, (std::vector<std::uint8_t>{0, 1, 0, 1, 1, 0}));
        QVERIFY(!rarestTokens({3, 499}, {1, 1}).eligible);
        QVERIFY(!rarestTokens({}, {}).eligible);
        QVERIFY(!rarestTokens({-1}, {1}).eligible);
        QVERIFY(!rarestTokens({700}, {1}).eligible); // nothing to choose from
        QVERIFY(!rarestTokens({700, 700}, {1, 1}).eligible);
    }

    void wordCountsRankWholeWords()
    {
        const auto rarity = Rarity::fromWordCounts(write("w.txt", "the 100\ncat\t50\ndog 70\n"), {}).valueOrThrow();
        Encoding encoding;
        encoding.ids = {1, 2, 3, 4, 5, 0};
        encoding.words = {0, 1, 1, 2, 3, -1};
        encoding.spans = {{0, 3}, {4, 5}, {5, 8}, {9, 10}, {11, 17}, {}};
        // Known words by their rank, punctuation is frequent, unknown words are the rarest.
        QCOMPARE(rarity->ranks(encoding, "The Cat, - zebra."), (std::vector<std::int64_t>{0, 2, 2, 0, 3, -1}));
    }

    void alignmentErrorRate()
    {
        const auto read = readAlignments(write("a.txt", "0-0 1?1 1p0\n\n"), {}).valueOrThrow();
        QCOMPARE(read.size(), std::size_t{2});
        QVERIFY(read[0][0].sure && !read[0][1].sure && !read[0][2].sure);
        // Two target words; the first is right for sure, the second only possible.
        const Head head{{.9F, .1F, 0}, {.1F, .5F, .4F}};
        const AlignmentCounts counts = alignmentCounts(head.weights.data(), 3, {{0}, {1}}, {{0}, {1, 2}}, read[0]);
        QCOMPARE(counts.links, std::int64_t{2});
        QCOMPARE(counts.sure, std::int64_t{1});
        QVERIFY(std::abs(counts.errorRate() - (1 - (1 + 2) / (2.0 + 1))) < 1e-12);
        QCOMPARE(AlignmentCounts().errorRate(), 1.0);
        const auto bad = readAlignments(write("b.txt", "0-0\n1-\n"), {});
        QVERIFY(bad.error().message.find("line 2 has \"1-\"") != std::string::npos);
    }

    /// A query that sees no key that counts, or none with any weight, has no confidence: it is not one of 0.
    void queriesWithoutKeysDoNotCount()
    {
        AttentionTokens tokens;
        tokens.kind = HeadKind::Decoder;
        tokens.queryIds = tokens.keyIds = {0, 5, 6};
        tokens.realQueries = tokens.realKeys = {0, 1, 1};
        const AttentionTemplate decoder = plainTemplate(tokens);
        const std::vector<float> weights = {1, 0, 0, .4F, .6F, 0, .25F, .25F, .5F};
        const HeadAttention head{weights.data(), 3};
        const RunningMean mean = confidenceOf(head, decoder, {SpecialTokens::NoKeys, false});
        QCOMPARE(mean.count, std::int64_t{2});
        QVERIFY(std::abs(mean.value() - (.6 + .5) / 2) < 1e-6);
        const std::vector<float> onSpecial = {1, 0, 0, 1, 0, 0, .5F, .1F, .4F};
        const RunningMean left = confidenceOf({onSpecial.data(), 3}, decoder, {SpecialTokens::NoKeys, true});
        QCOMPARE(left.count, std::int64_t{1});
        QVERIFY(std::abs(left.value() - .8) < 1e-6);
        const std::vector<float> scales = {2, 3, 4};
        const RunningMean norms
            = confidenceOf({weights.data(), 3, scales.data()}, decoder, {SpecialTokens::NoKeys, false});
        QVERIFY(std::abs(norms.value() - (.6 * 3 + .5 * 4) / 2) < 1e-5);
    }

    void normsWeighWhatIsAdded()
    {
        AttentionMap map;
        map.queries = 2;
        map.keys = 2;
        map.weights = {.5F, .5F, 1, 0};
        map.valueNorms = {1, 3};
        QCOMPARE(measuredWeights(map, AttentionMeasure::Weights), map.weights);
        QCOMPARE(measuredWeights(map, AttentionMeasure::Norms), (std::vector<float>{.25F, .75F, 1, 0}));
        QCOMPARE(measuredWeights(map, AttentionMeasure::UnscaledNorms), (std::vector<float>{.5F, 1.5F, 1, 0}));
        map.valueNorms = {0, 0};
        QCOMPARE(measuredWeights(map, AttentionMeasure::Norms), (std::vector<float>{0, 0, 0, 0}));
    }

    void rolloutMultipliesLayers()
    {
        AttentionResult result;
        const auto add = [&](int layer, int head, std::vector<float> weights, bool masked = false) {
            AttentionMap map;
            map.head = {HeadKind::Encoder, layer, head};
            map.queries = map.keys = 2;
            map.weights = std::move(weights);
            map.masked = masked;
            result.maps.push_back(std::move(map));
        };
        add(0, 0, {0, 1, 0, 1});
        add(0, 1, {1, 0, 1, 0}, true); // is not there
        add(1, 0, {1, 0, 0, 1});
        add(2, 0, {1, 0, 1, 0});
        const auto weights = AttentionMeasure::Weights;
        QCOMPARE(attentionRollout(result, HeadKind::Encoder, weights, 1), (std::vector<float>{.5F, .5F, 0, 1}));
        QCOMPARE(attentionRollout(result, HeadKind::Encoder, weights, 2), (std::vector<float>{.5F, .5F, 0, 1}));
        QCOMPARE(attentionRollout(result, HeadKind::Encoder, weights, 3), (std::vector<float>{.5F, .5F, .25F, .75F}));
        QVERIFY(attentionRollout(result, HeadKind::Cross, weights, 1).empty());
    }

    void crossOffsetsMakeNoPositionalHead()
    {
        RolesResult result;
        HeadRoleScores head;
        head.head = {HeadKind::Cross, 0, 0};
        head.offsets.at(0) = {100, 100, 0.1};
        head.patterns = {{Pattern::Diagonal, 0.95, 0.2, 100}};
        const auto labels = labelsOf(result, head);
        QCOMPARE(labels.size(), std::size_t{1});
        QVERIFY(labels[0].role == Role::Diagonal);
    }

    void labelsAreOrderedAndMarked()
    {
        RolesResult result;
        result.relations = {{"obj", ArcDirection::DependentToHead, 80, 1, 0.4, 0.1},
                            {"amod", ArcDirection::DependentToHead, 20, 1, 0.1, 0.1},
                            {"det", ArcDirection::DependentToHead, 500, 1, 0.1, 0.1}};
        HeadRoleScores head;
        head.head = {HeadKind::Encoder, 1, 2};
        head.offsets.at(-1) = {95, 100, 0.1};
        head.offsets.at(-7) = {3, 3, 0.1}; // too few to be the best
        head.relationHits = {56, 20, 500};
        const auto labels = labelsOf(result, head);
        QCOMPARE(labels.size(), std::size_t{3});
        QCOMPARE(claimOf(labels[0]), std::string("offset -1"));
        QCOMPARE(claimOf(labels[1]), std::string("obj dependent to head"));
        QVERIFY(std::abs(labels[1].expected - 0.4) < 1e-12);
        QCOMPARE(claimOf(labels[2]), std::string("amod dependent to head"));
        QVERIFY(!labels[2].supported); // 20 instances, and after the supported ones
        result.heads = {head};
        QVERIFY(assignRoles(result)[0].isAmbiguous());
        RoleThresholds all;
        all.relations.clear();
        QCOMPARE(labelsOf(result, head, all).size(), std::size_t{4});
        QCOMPARE(bestLabels(result, head).size(), std::size_t{2});
    }
};

QTEST_GUILESS_MAIN(TestRoleParts)
#include "tst_roleparts.moc"
