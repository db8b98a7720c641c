#include "core/analysis/confidencespec.h"
#include "core/analysis/rolesspec.h"
#include "core/formats/atomicfile.h"
#include "core/model/loadmodel.h"
#include "core/model/transformer.h"
#include "core/results/attentionresult.h"
#include "core/results/roles.h"
#include "core/results/rolesresult.h"
#include "core/results/rollout.h"
#include "core/session/session.h"
#include "tests/support/tinymodel.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace headscope;
using namespace headscope::testing;

/// Roles on a small translation model, against what the attention maps of one sentence after the other say.
class TestRoles : public QObject
{
    Q_OBJECT

    static constexpr int kLines = 40;

    QTemporaryDir m_folder;
    std::shared_ptr<Session> m_session;

    std::string path(const char *name) const { return m_folder.filePath(QString::fromUtf8(name)).toStdString(); }

    DataSource source() const
    {
        DataSource data;
        data.source = path("in.src");
        data.reference = path("in.ref");
        return data;
    }

    RolesResult rolesOf(const RolesSpec &spec = {}, Domain domain = Domain::In) const
    {
        return m_session->run<RolesSpec>(domain, spec, {}).valueOrThrow();
    }

    static const std::vector<TokenLabel> &queriesOf(const AttentionResult &maps, HeadKind kind)
    {
        return kind == HeadKind::Encoder ? maps.sourceTokens : maps.targetTokens;
    }
    static const std::vector<TokenLabel> &keysOf(const AttentionResult &maps, HeadKind kind)
    {
        return kind == HeadKind::Decoder ? maps.targetTokens : maps.sourceTokens;
    }

private Q_SLOTS:
    void initTestCase()
    {
        writeTinyModel(path("model"));
        writeTinyCorpus(path("in.src"), path("in.ref"), kLines, 1);
        m_session = Session::open(path("model"), {}, {}).valueOrThrow();
        (void)m_session->setData(Domain::In, source(), {}).valueOrThrow();
    }

    void countsAreThoseOfTheMaps_data()
    {
        QTest::addColumn<int>("measure");
        QTest::newRow("weights") << 0;
        QTest::newRow("norms") << 1;
    }

    void countsAreThoseOfTheMaps()
    {
        QFETCH(int, measure);
        RolesSpec spec;
        spec.measure = static_cast<AttentionMeasure>(measure);
        const RolesResult result = rolesOf(spec);
        QCOMPARE(result.prefix, std::string("reference"));
        struct Sums
        {
            double confidence = 0;
            std::int64_t tokens = 0;
            std::int64_t previous = 0;
            double special = 0;
            std::int64_t specialQueries = 0;
        };
        std::map<HeadRef, Sums> sums;
        for (std::int64_t line = 0; line < kLines; ++line) {
            const DataRow row = m_session->rows(Domain::In)->at(line);
            const auto maps = m_session->attention(row.source, row.reference, {}, {}, {}).valueOrThrow();
            for (const AttentionMap &map : maps.maps) {
                const std::vector<float> weights = measuredWeights(map, spec.measure);
                const auto &queries = queriesOf(maps, map.head.kind);
                const auto &keys = keysOf(maps, map.head.kind);
                // The tokenizer's unknown token is no end token: it counts as a word.
                const auto isReal = [](const TokenLabel &token) { return !token.special || token.id == 1; };
                if (std::ranges::count_if(keys, isReal) < 2)
                    continue;
                Sums &sum = sums[map.head];
                for (std::int64_t t = 0; t < map.queries; ++t) {
                    if (!isReal(queries[static_cast<std::size_t>(t)]))
                        continue;
                    float most = 0;
                    float second = 0;
                    std::int64_t at = -1;
                    double special = 0;
                    bool hasSpecial = false;
                    std::int64_t candidates = 0;
                    for (std::int64_t s = 0; s < map.keys; ++s) {
                        const float weight = weights[static_cast<std::size_t>(t * map.keys + s)];
                        const bool visible = map.head.kind != HeadKind::Decoder || s <= t;
                        if (!isReal(keys[static_cast<std::size_t>(s)])) {
                            special += weight;
                            hasSpecial |= visible;
                        } else if (visible) {
                            ++candidates;
                            if (weight > most) {
                                second = most;
                                most = weight;
                                at = s;
                            } else {
                                second = std::max(second, weight);
                            }
                        }
                    }
                    sum.confidence += most;
                    ++sum.tokens;
                    if (hasSpecial) {
                        sum.special += special;
                        ++sum.specialQueries;
                    }
                    sum.previous += candidates > 1 && most > 1.0001F * second && at == t - 1 ? 1 : 0;
                }
            }
        }
        for (const HeadRoleScores &head : result.heads) {
            const Sums &sum = sums.at(head.head);
            QCOMPARE(head.tokens, sum.tokens);
            QVERIFY(std::abs(head.confidence - sum.confidence / static_cast<double>(sum.tokens)) < 1e-5);
            if (head.head.kind != HeadKind::Cross) // there, offsets are from the diagonal
                QCOMPARE(head.offsets.at(-1).hits, sum.previous);
            for (const PatternScore &pattern : head.patterns) {
                if (pattern.pattern != Pattern::Special)
                    continue;
                QCOMPARE(pattern.queries, sum.specialQueries);
                QVERIFY(std::abs(pattern.mass - sum.special / static_cast<double>(sum.specialQueries)) < 1e-5);
            }
        }
        const auto confidence = m_session->run<ConfidenceSpec>(Domain::In, {}, {}).valueOrThrow();
        for (std::size_t i = 0; measure == 0 && i < result.heads.size(); ++i)
            QCOMPARE(confidence.heads[i].confidence, result.heads[i].confidence);
    }

    void withoutReferencesTheModelSpeaks()
    {
        DataSource alone = source();
        alone.reference.clear();
        (void)m_session->setData(Domain::Out, alone, {}).valueOrThrow();
        const RolesResult without = rolesOf({}, Domain::Out);
        QCOMPARE(without.prefix, std::string("own output"));
        RolesSpec own;
        own.ownOutput = true;
        const RolesResult asked = rolesOf(own);
        QCOMPARE(asked.prefix, std::string("own output"));
        for (std::size_t i = 0; i < asked.heads.size(); ++i)
            QVERIFY(asked.heads[i].offsets == without.heads[i].offsets);
        // Encoder heads do not hear what the decoder says.
        const RolesResult reference = rolesOf();
        QVERIFY(reference.heads.front().offsets == without.heads.front().offsets);
        QVERIFY(reference.heads.back().offsets.queries != without.heads.back().offsets.queries);
        const auto confidence
            = [this](Domain domain) { return m_session->run<ConfidenceSpec>(domain, {}, {}).valueOrThrow(); };
        QVERIFY(
            std::abs(confidence(Domain::Out).heads.front().confidence - confidence(Domain::In).heads.front().confidence)
            < 1e-6);
        QVERIFY(confidence(Domain::Out).heads.back().confidence != confidence(Domain::In).heads.back().confidence);
    }

    void alignmentsGiveErrorRates()
    {
        // The diagonal, word by word, as far as both sentences go; not of sentences whose words the maps cannot number.
        std::string text;
        std::vector<std::int64_t> lines;
        for (std::int64_t line = 0; line < kLines; ++line) {
            const DataRow row = m_session->rows(Domain::In)->at(line);
            const auto maps = m_session->attention(row.source, row.reference, {}, {}, {}).valueOrThrow();
            if (std::ranges::find(maps.targetTokens, 1, &TokenLabel::id) != maps.targetTokens.end()) {
                text += '\n';
                continue;
            }
            lines.push_back(line);
            const auto words = [](const std::string &sentence) { return 1 + std::ranges::count(sentence, ' '); };
            for (std::int64_t word = 0; word < std::min(words(row.source), words(row.reference)); ++word)
                text += std::to_string(word) + '-' + std::to_string(word) + ' ';
            text += '\n';
        }
        (void)writeFileAtomically(path("align.txt"), text).valueOrThrow();
        RolesSpec spec;
        spec.alignments = path("align.txt");
        const RolesResult result = rolesOf(spec);
        QVERIFY(lines.size() > 20);
        QCOMPARE(result.alignments, std::ssize(lines));
        for (const HeadRoleScores &head : result.heads) {
            QCOMPARE(head.alignment.has_value(), head.head.kind == HeadKind::Cross);
            if (head.alignment)
                QVERIFY(head.alignment->whenPredicted >= 0 && head.alignment->whenPredicted <= 1);
        }
        // By hand, for one head
        const HeadRef head{HeadKind::Cross, 1, 2};
        AlignmentError expected;
        double links = 0;
        double hits = 0;
        double readLinks = 0;
        double readHits = 0;
        double sure = 0;
        for (const std::int64_t line : lines) {
            const DataRow row = m_session->rows(Domain::In)->at(line);
            const auto maps = m_session->attention(row.source, row.reference, {}, {}, {}).valueOrThrow();
            const auto &map = *std::ranges::find(maps.maps, head, &AttentionMap::head);
            // Row t reads token t of the decoder's input, and predicts the one after it.
            std::map<int, std::vector<std::int64_t>> predicting;
            std::map<int, std::vector<std::int64_t>> reading;
            for (std::int64_t t = 1; t < map.queries; ++t) {
                const int word = maps.targetTokens[static_cast<std::size_t>(t)].word;
                reading[word].push_back(t);
                predicting[word].push_back(t - 1);
            }
            const auto best = [&](const std::vector<std::int64_t> &rows) {
                std::map<int, double> words;
                for (const std::int64_t t : rows) {
                    for (std::int64_t s = 0; s < map.keys; ++s)
                        words[maps.sourceTokens[static_cast<std::size_t>(s)].word]
                            += map.weights[static_cast<std::size_t>(t * map.keys + s)];
                }
                words.erase(-1);
                return std::ranges::max_element(words, {}, [](const auto &word) { return word.second; })->first;
            };
            const auto gold = static_cast<int>(
                std::min(1 + std::ranges::count(row.source, ' '), 1 + std::ranges::count(row.reference, ' ')));
            sure += gold;
            for (const auto &[word, rows] : predicting) {
                ++links;
                hits += best(rows) == word && word < gold ? 1 : 0;
            }
            for (const auto &[word, rows] : reading) {
                ++readLinks;
                readHits += best(rows) == word && word < gold ? 1 : 0;
            }
        }
        const auto found = std::ranges::find(result.heads, head, &HeadRoleScores::head);
        QVERIFY(std::abs(found->alignment->whenPredicted - (1 - 2 * hits / (links + sure))) < 1e-9);
        QVERIFY(std::abs(found->alignment->whenRead - (1 - 2 * readHits / (readLinks + sure))) < 1e-9);

        (void)writeFileAtomically(path("align.txt"), text + "\n").valueOrThrow();
        (void)writeFileAtomically(path("far.txt"), "99-0\n" + text.substr(text.find('\n') + 1)).valueOrThrow();
        spec.alignments = path("far.txt");
        const auto far = m_session->run<RolesSpec>(Domain::In, spec, {});
        QVERIFY(far.error().message.find("far.txt: line 1 links the words 99 and 0") != std::string::npos);
        (void)writeFileAtomically(path("few.txt"), "0-0\n").valueOrThrow();
        spec.alignments = path("few.txt");
        QVERIFY(m_session->run<RolesSpec>(Domain::In, spec, {}).isError());
    }

    void rareTokensFromACorpus()
    {
        RolesSpec spec;
        spec.corpus = path("in.src");
        const RolesResult result = rolesOf(spec);
        QCOMPARE(result.rarityFrom, std::string("tokens of in.src"));
        QVERIFY(!result.rarityApproximate);
        QCOMPARE(result.raritySentences, std::int64_t{0}); // twenty words are all among the 500 most frequent
        QVERIFY(!result.heads.front().twoRarest);
        QVERIFY(rolesOf().rarityApproximate);
    }

    void partialResultsGrowAndCancelIsHeard()
    {
        std::int64_t seen = 0;
        std::stop_source stop;
        RolesSpec spec;
        spec.run.seed = 77; // not answered from before
        const auto result
            = m_session->run<RolesSpec>(Domain::In, spec, JobControl(stop.get_token()), [&](const RolesResult &part) {
                  seen = part.examples;
                  stop.request_stop();
              });
        QVERIFY(seen > 0);
        QVERIFY(result.isCancelled() || seen == kLines);
    }

    void normsAreOfWhatIsAdded()
    {
        const torch::NoGradGuard noGrad;
        const LoadedModel loaded
            = loadModel(path("model"), torch::TensorOptions().dtype(torch::kFloat64), {}).valueOrThrow();
        const Transformer &model = *loaded.transformer;
        Recorder recorder;
        recorder.probabilities = recorder.values = recorder.contexts = true;
        (void)model.encode(TokenBatch::pad({{3, 4, 5, 0}}, 0, model.device()), {}, &recorder);
        const auto values = recorder.at(HeadKind::Encoder, 1, "value"); // [1, H, S, Dh]
        const AttentionWeights &weights = model.attention(HeadKind::Encoder, 1);
        const auto out = weights.out.weight.view({weights.out.weight.size(0), values.size(1), -1}); // [D, H, Dh]
        const auto transformed = torch::einsum("bhsi,dhi->bhsd", {values, out});
        const auto norms = model.valueNorms(HeadKind::Encoder, 1, values);
        QVERIFY(torch::allclose(norms, transformed.norm(2, 3), 1e-9, 1e-12));
        // Σ P·f over keys and heads, and the bias: what attention gives.
        const auto sum
            = torch::einsum("bhts,bhsd->btd", {recorder.at(HeadKind::Encoder, 1, "probabilities"), transformed});
        const auto context = recorder.at(HeadKind::Encoder, 1, "context").transpose(1, 2).reshape({1, 4, -1});
        QVERIFY(torch::allclose(sum + weights.out.bias, weights.out(context), 1e-9, 1e-9));
    }
};

QTEST_GUILESS_MAIN(TestRoles)
#include "tst_roles.moc"
