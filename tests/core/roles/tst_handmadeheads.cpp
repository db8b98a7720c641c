#include "core/analysis/confidencespec.h"
#include "core/analysis/rolesspec.h"
#include "core/base/random.h"
#include "core/results/roles.h"
#include "core/results/rolesresult.h"
#include "core/session/session.h"
#include "tests/core/roles/onehotworld.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace headscope;
using namespace headscope::testing;

/// Heads built by hand through the whole path: text, trees and word counts from files, a model folder, the session.
class TestHandmadeHeads : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::shared_ptr<Session> m_session;
    RolesResult m_result;
    std::vector<HeadRoles> m_roles;

    std::string path(const char *name) const { return m_folder.filePath(QString::fromUtf8(name)).toStdString(); }

    /// Sentences of 6 to 12 words with one subject and one verb anywhere, one word twice in some of them.
    static std::vector<std::vector<int>> sentences()
    {
        Random random(7);
        std::vector<std::vector<int>> sentences;
        for (int i = 0; i < 120; ++i) {
            std::vector<int> words;
            for (std::uint32_t length = 6 + random.below(7); length > 0; --length)
                words.push_back(OneHotWorld::kFirstOther + static_cast<int>(random.below(200)));
            std::vector<std::size_t> places(words.size());
            std::iota(places.begin(), places.end(), 0U);
            for (std::size_t j = places.size() - 1; j > 0; --j)
                std::swap(places[j], places[random.below(static_cast<std::uint32_t>(j + 1))]);
            words[places[0]] = OneHotWorld::kFirstSubject + static_cast<int>(random.below(10));
            words[places[1]] = OneHotWorld::kFirstVerb + static_cast<int>(random.below(10));
            words[places[2]] = words[places[3]];
            sentences.push_back(std::move(words));
        }
        return sentences;
    }

    void writeTreebank() const
    {
        std::string text;
        for (const std::vector<int> &words : sentences()) {
            const auto verb = std::ranges::find_if(words, OneHotWorld::isVerb) - words.begin() + 1;
            for (std::size_t i = 0; i < words.size(); ++i) {
                const bool isVerb = OneHotWorld::isVerb(words[i]);
                const char *relation = isVerb ? "root" : OneHotWorld::isSubject(words[i]) ? "nsubj:pass" : "dep";
                text += std::to_string(i + 1) + "\tw" + std::to_string(words[i]) + "\t_\tX\t_\t_\t"
                      + std::to_string(isVerb ? 0 : verb) + '\t' + relation + "\t_\t_\n";
            }
            text += '\n';
        }
        (void)writeFileAtomically(path("trees.conllu"), text).valueOrThrow();
    }

    /// 600 words that do not occur, then those that do: a higher number is a rarer word.
    void writeWordCounts() const
    {
        std::string text;
        for (int i = 0; i < 600; ++i)
            text += "frequent" + std::to_string(i) + ' ' + std::to_string(5000 - i) + '\n';
        for (int word = 5; word < OneHotWorld::kVocabulary; ++word)
            text += "W" + std::to_string(word) + '\t' + std::to_string(1000 - word) + '\n';
        (void)writeFileAtomically(path("words.txt"), text).valueOrThrow();
    }

    RolesSpec spec() const
    {
        RolesSpec spec;
        spec.frequencies = path("words.txt");
        return spec;
    }

    const HeadRoleScores &scores(OneHotWorld::Head head) const { return m_result.heads[head]; }
    QString shown(OneHotWorld::Head head) const
    {
        std::string text;
        for (const RoleLabel &label : m_roles[head].labels)
            text += (text.empty() ? "" : ", ") + claimOf(label);
        return QString::fromStdString(text);
    }

private Q_SLOTS:
    void initTestCase()
    {
        OneHotWorld::write(path("model"));
        writeTreebank();
        writeWordCounts();
        m_session = Session::open(path("model"), {}, {}).valueOrThrow();
        DataSource source;
        source.conllu = path("trees.conllu");
        const DataCard card = m_session->setData(Domain::In, source, {}).valueOrThrow();
        QVERIFY(card.trees);
        QVERIFY(!card.references);
        m_result = m_session->run<RolesSpec>(Domain::In, spec(), {}).valueOrThrow();
        m_roles = assignRoles(m_result);
    }

    void everyHeadGetsItsLabelAndNoOther()
    {
        QCOMPARE(m_result.examples, std::int64_t{120});
        QCOMPARE(m_result.trees, std::int64_t{120});
        QCOMPARE(m_result.wordsNotAligned, std::int64_t{0});
        QCOMPARE(m_result.raritySentences, std::int64_t{120});
        QCOMPARE(shown(OneHotWorld::Previous), QString(QLatin1String("offset -1")));
        QCOMPARE(shown(OneHotWorld::Next), QString(QLatin1String("offset 1")));
        QCOMPARE(shown(OneHotWorld::SubjectToVerb), QString(QLatin1String("nsubj dependent to head")));
        QCOMPARE(shown(OneHotWorld::VerbToSubject), QString(QLatin1String("nsubj head to dependent")));
        QCOMPARE(shown(OneHotWorld::Rarest), QString(QLatin1String("rare word")));
        QCOMPARE(shown(OneHotWorld::SameToken), QString(QLatin1String("same token")));
        QCOMPARE(shown(OneHotWorld::Separator), QString(QLatin1String("separator")));
        QCOMPARE(shown(OneHotWorld::Uniform), QString());
        for (const HeadRoles &head : m_roles)
            QVERIFY2(!head.isAmbiguous(), toText(head.head).c_str());
    }

    // One score for syntactic, local and delimiter roles (Pande et al. 2021): by hand for heads of known attention.
    void sievesAreExact()
    {
        const auto of = [&](OneHotWorld::Head head, RoleDetector detector) {
            return *std::ranges::find(scores(head).detectors, detector, &RoleDetectorScore::detector);
        };
        double tokens = 0; // what all of a sentence's attention on its two special tokens comes to, mean over sentences
        for (const std::vector<int> &words : sentences())
            tokens += static_cast<double>(words.size() + 2) / 2;
        tokens /= static_cast<double>(sentences().size());
        // Separator: everything on [SEP], which is one of the two delimiters.
        QVERIFY(std::abs(of(OneHotWorld::Separator, RoleDetector::Delimiter).score - tokens) < 1e-4);
        QVERIFY(of(OneHotWorld::Separator, RoleDetector::Delimiter).pAdjusted < 1e-6);
        for (const RoleDetector detector : {RoleDetector::Syntactic, RoleDetector::Local, RoleDetector::Delimiter}) {
            QVERIFY(std::abs(of(OneHotWorld::Uniform, detector).score - 1) < 1e-4);
            QVERIFY(of(OneHotWorld::Uniform, detector).p > 0.99);
            QCOMPARE(of(OneHotWorld::Uniform, detector).sentences, std::int64_t{120});
        }
        for (const OneHotWorld::Head head : {OneHotWorld::Previous, OneHotWorld::Next}) {
            QVERIFY(of(head, RoleDetector::Local).pAdjusted < 1e-6);
            QVERIFY(of(head, RoleDetector::Local).score > 1.5);
        }
        QVERIFY(of(OneHotWorld::Separator, RoleDetector::Local).p > 0.99);
        QVERIFY(
            std::ranges::none_of(scores(OneHotWorld::Next).detectors, // there are no pairs
                                 [](const RoleDetectorScore &score) { return score.detector == RoleDetector::Block; }));
        QCOMPARE(m_result.sieveThreshold, 1.5);
        for (const HeadRoleScores &head : m_result.heads) {
            for (const RoleDetectorScore &score : head.detectors)
                QVERIFY(score.pAdjusted >= score.p);
        }
    }

    void scoresAreExact()
    {
        QCOMPARE(scores(OneHotWorld::Previous).offsets.at(-1).value(), 1.0);
        QCOMPARE(scores(OneHotWorld::Next).offsets.at(1).value(), 1.0);
        // The first word has no word before it: it is not in the denominator.
        const std::int64_t queries = scores(OneHotWorld::Previous).offsets.queries;
        QCOMPARE(scores(OneHotWorld::Previous).offsets.at(-1).instances, queries - 120);
        QCOMPARE(scores(OneHotWorld::Rarest).rarest->value(), 1.0);
        QCOMPARE(scores(OneHotWorld::Rarest).twoRarest->value(), 1.0);
        const auto relation = std::ranges::find(m_result.relations, std::string("nsubj"), &RelationDirection::relation);
        QVERIFY(relation != m_result.relations.end());
        QCOMPARE(relation->instances, std::int64_t{120});
        QVERIFY(relation->baseline < 0.3);
        const auto place = static_cast<std::size_t>(relation - m_result.relations.begin());
        QCOMPARE(scores(OneHotWorld::SubjectToVerb).relationHits[place], std::int64_t{120});
        QCOMPARE(scores(OneHotWorld::VerbToSubject).relationHits[place + 1], std::int64_t{120});
    }

    void uniformHeadPointsNowhere()
    {
        const HeadRoleScores &head = scores(OneHotWorld::Uniform);
        QCOMPARE(head.offsets.ties, head.offsets.queries);
        QCOMPARE(head.offsets.at(-1).hits, std::int64_t{0});
        QCOMPARE(head.twoRarest->hits, std::int64_t{0});
        for (const std::int64_t hits : head.relationHits)
            QCOMPARE(hits, std::int64_t{0});
        for (const PatternScore &pattern : head.patterns)
            QVERIFY(std::abs(pattern.mass - pattern.expected) < 1e-6);
    }

    void confidenceIsTheClosedForm()
    {
        // n keys, of which the one meant has e^λ and the others 1; [CLS] and [SEP] are keys, but do not count.
        double previous = 0;
        double uniform = 0;
        double renormalized = 0;
        std::int64_t tokens = 0;
        for (const auto &words : sentences()) {
            const auto real = static_cast<double>(words.size());
            const double sum = std::exp(OneHotWorld::kSharpness) + real + 1;
            previous += (real - 1) * std::exp(OneHotWorld::kSharpness) / sum + 1 / sum; // the first attends to [CLS]
            uniform += real / (real + 2);
            renormalized += 1;
            tokens += std::ssize(words);
        }
        const auto mean = [&](double value) { return value / static_cast<double>(tokens); };
        QVERIFY(std::abs(scores(OneHotWorld::Previous).confidence - mean(previous)) < 1e-6);
        QVERIFY(std::abs(scores(OneHotWorld::Uniform).confidence - mean(uniform)) < 1e-6);
        QCOMPARE(scores(OneHotWorld::Uniform).tokens, tokens);
        const auto measure = m_session->run<ConfidenceSpec>(Domain::In, {}, {}).valueOrThrow();
        QCOMPARE(measure.heads[OneHotWorld::Previous].confidence, scores(OneHotWorld::Previous).confidence);

        RolesSpec other = spec();
        other.renormalize = true;
        const auto again = m_session->run<RolesSpec>(Domain::In, other, {}).valueOrThrow();
        QVERIFY(std::abs(again.heads[OneHotWorld::Uniform].confidence - mean(renormalized)) < 1e-6);
        other = spec();
        other.specialTokens = SpecialTokens::Counted;
        const auto counted = m_session->run<RolesSpec>(Domain::In, other, {}).valueOrThrow();
        QCOMPARE(counted.heads[OneHotWorld::Uniform].tokens, tokens + 2 * 120);
    }

    void batchesChangeNothing()
    {
        for (const std::int64_t tokens : {8, 100, 4096}) {
            RolesSpec other = spec();
            other.run.batchTokens = tokens;
            const auto again = m_session->run<RolesSpec>(Domain::In, other, {}).valueOrThrow();
            for (std::size_t i = 0; i < m_result.heads.size(); ++i) {
                HeadRoleScores scores = again.heads[i];
                // Hand-made scores are large: float32 products of other shapes round them by some 1e-5 on some
                // processors.
                QVERIFY(std::abs(scores.confidence - m_result.heads[i].confidence) < 5e-5);
                for (std::size_t p = 0; p < scores.patterns.size(); ++p)
                    QVERIFY(std::abs(scores.patterns[p].mass - m_result.heads[i].patterns[p].mass) < 5e-5);
                QCOMPARE(scores.offsets.offsets.at(6).hits, m_result.heads[i].offsets.offsets.at(6).hits);
                // Rows that look nowhere in particular have their largest weight where rounding puts it.
                for (std::size_t r = 0; r < scores.relationHits.size(); ++r)
                    QVERIFY(std::abs(scores.relationHits[r] - m_result.heads[i].relationHits[r])
                            <= m_result.relations[r].instances / 50 + 1);
                if (scores.relationHits == m_result.heads[i].relationHits)
                    QVERIFY(scores.evidence == m_result.heads[i].evidence); // whatever the order of visiting
            }
        }
    }

    void evidenceNamesSentences()
    {
        const RoleEvidence *evidence
            = evidenceFor(scores(OneHotWorld::SubjectToVerb), m_roles[OneHotWorld::SubjectToVerb].labels.front());
        QVERIFY(evidence);
        QCOMPARE(evidence->best.size(), std::size_t{5});
        QCOMPARE(evidence->best.front(), (SentenceShare{0, 1, 1}));
        const RoleEvidence *against
            = evidenceFor(scores(OneHotWorld::Uniform),
                          {.role = Role::Syntactic, .relation = "nsubj", .direction = ArcDirection::DependentToHead});
        QVERIFY(!against || against->worst.front().hits == 0);
    }

    void thresholdsRelabelWithoutComputing()
    {
        RoleThresholds strict;
        strict.instances = 121;
        QVERIFY(!assignRoles(m_result, strict)[OneHotWorld::SubjectToVerb].first()); // 120 instances do not support it
        QCOMPARE(assignRoles(m_result, strict)[OneHotWorld::SubjectToVerb].labels.size(), std::size_t{1});
        RoleThresholds others;
        others.relations = {"obj"};
        QVERIFY(assignRoles(m_result, others)[OneHotWorld::SubjectToVerb].labels.empty());
    }

    void normsLeaveOutWhatAddsNothing()
    {
        // All value vectors are zero: no key adds anything, nothing can be said.
        RolesSpec norms = spec();
        norms.measure = AttentionMeasure::Norms;
        const auto result = m_session->run<RolesSpec>(Domain::In, norms, {}).valueOrThrow();
        for (const HeadRoles &head : assignRoles(result))
            QVERIFY(head.labels.empty());
    }

    void wrongFilesAreNamed()
    {
        (void)writeFileAtomically(path("bad.txt"), "house 12\nmouse\n").valueOrThrow();
        RolesSpec bad = spec();
        bad.frequencies = path("bad.txt");
        const auto counts = m_session->run<RolesSpec>(Domain::In, bad, {});
        QVERIFY(counts.isError());
        QVERIFY(counts.error().message.find("bad.txt: line 2 is \"mouse\"") != std::string::npos);
        bad = spec();
        bad.corpus = path("words.txt");
        QCOMPARE(m_session->run<RolesSpec>(Domain::In, bad, {}).error().code, ErrorCode::Usage);
        bad = {};
        bad.alignments = path("words.txt");
        QCOMPARE(m_session->run<RolesSpec>(Domain::In, bad, {}).error().code,
                 ErrorCode::Usage); // a classifier has none
    }
};

QTEST_GUILESS_MAIN(TestHandmadeHeads)
#include "tst_handmadeheads.moc"
