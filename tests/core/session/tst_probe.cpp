// Probes through the whole path, on heads that were built by hand and trees that these find.
#include "core/analysis/probespec.h"
#include "core/base/random.h"
#include "core/results/proberesult.h"
#include "core/session/session.h"
#include "tests/core/roles/onehotworld.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>

using namespace headscope;
using namespace headscope::testing;

class TestProbe : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::shared_ptr<Session> m_session;

    std::string path(const char *name) const { return m_folder.filePath(QString::fromUtf8(name)).toStdString(); }

    /// Chains: the head of every word is the one before it, and the first has none. Every fifth word is punctuation.
    void writeTreebank(const char *name, int sentences, std::uint64_t seed) const
    {
        Random random(seed);
        std::string text;
        for (int i = 0; i < sentences; ++i) {
            const int words = 5 + static_cast<int>(random.below(7));
            for (int word = 0; word < words; ++word)
                text += std::to_string(word + 1) + "\tw" + std::to_string(30 + random.below(200)) + "\t_\t"
                      + (word % 5 == 4 ? "PUNCT" : "X") + "\t_\t_\t" + std::to_string(word) + '\t'
                      + (word == 0 ? "root" : "dep") + "\t_\t_\n";
            text += '\n';
        }
        (void)writeFileAtomically(path(name), text).valueOrThrow();
    }

    void setTrees(Domain domain, const char *name)
    {
        DataSource source;
        source.conllu = path(name);
        (void)m_session->setData(domain, source, {}).valueOrThrow();
    }

    static const ProbeScore &of(const ProbeResult &result, ProbeKind kind)
    {
        return *std::ranges::find(result.probes, kind, &ProbeScore::kind);
    }

private Q_SLOTS:
    void initTestCase()
    {
        OneHotWorld::write(path("model"));
        writeTreebank("train.conllu", 400, 1);
        writeTreebank("test.conllu", 60, 2);
        m_session = Session::open(path("model"), {}, {}).valueOrThrow();
        setTrees(Domain::In, "test.conllu");
        setTrees(Domain::Out, "train.conllu");
    }

    void chainsAreFoundByTheHeadThatLooksBack()
    {
        const ProbeSpec spec{.trainOnOther = true, .epochs = 3, .learningRate = 0.02};
        const ProbeResult result = m_session->run(Domain::In, spec, {}).valueOrThrow();
        QCOMPARE(result.examples, 60);
        QCOMPARE(result.trained, 400);
        QCOMPARE(result.left, 0);
        QCOMPARE(result.trainedOn, m_session->data(Domain::Out)->name);
        QVERIFY(of(result, ProbeKind::Attention).accuracy > 0.98);
        QVERIFY(of(result, ProbeKind::Attention).interval.low > 0.9);
        QVERIFY(of(result, ProbeKind::DistanceWords).accuracy > 0.98);
        QCOMPARE(of(result, ProbeKind::FixedOffset).chosen, std::string("-1"));
        // All but the roots, which no offset and no head can have: sentences' first words.
        const double links = 1 - 60.0 / static_cast<double>(result.words);
        for (const ProbeKind kind : {ProbeKind::FixedOffset, ProbeKind::Previous, ProbeKind::BestHead})
            QVERIFY(std::abs(of(result, kind).accuracy - links) < 1e-12);
        QCOMPARE(of(result, ProbeKind::Next).accuracy, 0);
        const auto most = std::ranges::max_element(result.heads, {}, &ProbeHead::fromDependent);
        QCOMPARE(most->head, (HeadRef{HeadKind::Encoder, 0, OneHotWorld::Previous}));
        QCOMPARE(of(result, ProbeKind::Attention).weights, 2 * OneHotWorld::kHeads + 2);
        const std::string &best
            = of(result, ProbeKind::BestHead).chosen; // or the one that looks ahead, from the other end
        QVERIFY2(best == "encoder.0.0, dependent to head" || best == "encoder.0.1, head to dependent", best.c_str());
    }

    // Attention of random weights finds less than that of heads which were made to find it. Word vectors of a file add
    // probes, and change nothing of the others but that of random weights and words.
    void baselinesOfARandomModelAndOfWordVectors()
    {
        ProbeSpec spec{.trainOnOther = true, .epochs = 3, .learningRate = 0.02, .randomModel = true};
        const ProbeResult plain = m_session->run(Domain::In, ProbeSpec{.trainOnOther = true}, {}).valueOrThrow();
        QCOMPARE(plain.probes.size(), 7U);
        const ProbeResult random = m_session->run(Domain::In, spec, {}).valueOrThrow();
        QCOMPARE(random.probes.size(), 9U);
        QVERIFY(of(random, ProbeKind::RandomAttention).accuracy < 0.4); // measured: 0.21
        QVERIFY(of(random, ProbeKind::Attention).accuracy > of(random, ProbeKind::RandomAttention).interval.high);
        QCOMPARE(of(random, ProbeKind::RandomAttention).weights, of(random, ProbeKind::Attention).weights);
        QVERIFY(random.vectors.empty() && random.wordsWithVector == 0);

        std::string text;
        for (int word = 30; word < 230; word += 2) // half of the words
            text += "w" + std::to_string(word) + (word % 4 == 0 ? " 1 0 0.5\n" : " 0 1 0.5\n");
        (void)writeFileAtomically(path("vectors.txt"), text).valueOrThrow();
        spec.vectors = path("vectors.txt");
        const ProbeResult both = m_session->run(Domain::In, spec, {}).valueOrThrow();
        QCOMPARE(both.probes.size(), 11U);
        QCOMPARE(both.vectorWidth, 3);
        QVERIFY(both.wordsWithVector > both.words / 3 && both.wordsWithVector < both.words * 2 / 3);
        // c, a and b of every head, both ways, and the roots' weights: as many as for embeddings of three numbers.
        QCOMPARE(of(both, ProbeKind::AttentionVectors).weights, 2 * OneHotWorld::kHeads * (1 + 2 * 3) + 2);
        QCOMPARE(of(both, ProbeKind::RandomWords).weights, of(both, ProbeKind::AttentionVectors).weights);
        QVERIFY(of(both, ProbeKind::AttentionVectors).accuracy > 0.95);
        // What does not look at vectors is what it was.
        for (const ProbeKind kind : {ProbeKind::Attention, ProbeKind::AttentionWords, ProbeKind::RandomAttention})
            QCOMPARE(of(both, kind).accuracy, of(random, kind).accuracy);

        spec.vectors = path("test.conllu");
        const auto refused = m_session->run(Domain::In, spec, {});
        QVERIFY(refused.isError() && refused.error().message.find("test.conllu, line 1") != std::string::npos);
        spec.vectors = path("nowhere.txt");
        QVERIFY(m_session->run(Domain::In, spec, {}).isError());
    }

    void aPartIsHeldOutWithoutOtherData()
    {
        const ProbeResult result = m_session->run(Domain::Out, ProbeSpec{.testShare = 0.25}, {}).valueOrThrow();
        QCOMPARE(result.examples, 100);
        QCOMPARE(result.trained, 300);
        QVERIFY(result.trainedOn.empty());
    }

    void threadsChangeNothing()
    {
        const ProbeSpec spec{.trainOnOther = true};
        const ProbeResult first = m_session->run(Domain::In, spec, {}).valueOrThrow();
        ModelOptions one;
        one.threads = 1;
        const auto other = Session::open(path("model"), one, {}).valueOrThrow();
        for (const auto &[domain, name] :
             {std::pair(Domain::In, "test.conllu"), std::pair(Domain::Out, "train.conllu")}) {
            DataSource source;
            source.conllu = path(name);
            (void)other->setData(domain, source, {}).valueOrThrow();
        }
        const ProbeResult second = other->run(Domain::In, spec, {}).valueOrThrow();
        for (std::size_t i = 0; i < first.heads.size(); ++i) {
            QCOMPARE(first.heads[i].fromDependent, second.heads[i].fromDependent);
            QCOMPARE(first.heads[i].fromHead, second.heads[i].fromHead);
        }
    }

    void dataWithoutTreesAreRefused()
    {
        (void)writeFileAtomically(path("plain.tsv"), "sentence\tlabel\nw40 w50\t0\nw60 w70\t1\n").valueOrThrow();
        const auto session = Session::open(path("model"), {}, {}).valueOrThrow();
        DataSource source;
        source.table = path("plain.tsv");
        (void)session->setData(Domain::In, source, {}).valueOrThrow();
        const auto result = session->run(Domain::In, ProbeSpec{}, {});
        QVERIFY(result.isError());
        QVERIFY(result.error().message.find("dependency trees") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestProbe)
#include "tst_probe.moc"
