// Similarity of heads over a data set against what the attention maps of one sentence after the other say, and on heads
// that were built by hand.
#include "core/analysis/similarityspec.h"
#include "core/formats/atomicfile.h"
#include "core/results/attentionresult.h"
#include "core/results/similarityresult.h"
#include "core/roles/divergence.h"
#include "core/session/session.h"
#include "tests/core/roles/onehotworld.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <span>

using namespace headscope;
using namespace headscope::testing;

class TestSimilarity : public QObject
{
    Q_OBJECT

    static constexpr int kLines = 30;

    QTemporaryDir m_folder;
    std::shared_ptr<Session> m_session;
    SimilarityResult m_result;

    std::string path(const char *name) const { return m_folder.filePath(QString::fromUtf8(name)).toStdString(); }

    SimilarityResult similarity(const SimilaritySpec &spec = {}) const
    {
        return m_session->run(Domain::In, spec, {}).valueOrThrow();
    }

    std::vector<AttentionMap> maps(std::int64_t line) const
    {
        const DataRow row = m_session->rows(Domain::In)->at(line);
        return m_session->attention(row.source, row.reference, {}, {}, {}).valueOrThrow().maps;
    }

private Q_SLOTS:
    void initTestCase()
    {
        writeTinyModel(path("model"));
        writeTinyCorpus(path("in.src"), path("in.ref"), kLines, 1);
        DataSource source;
        source.source = path("in.src");
        source.reference = path("in.ref");
        m_session = Session::open(path("model"), {}, {}).valueOrThrow();
        (void)m_session->setData(Domain::In, source, {}).valueOrThrow();
        m_result = similarity();
    }

    void divergencesAreThoseOfTheMaps()
    {
        QCOMPARE(m_result.examples, kLines);
        QCOMPARE(m_result.kinds.size(), 3U);
        for (const KindSimilarity &kind : m_result.kinds) {
            PairTable sums(kind.heads.size());
            std::int64_t queries = 0;
            for (std::int64_t line = 0; line < kLines; ++line) {
                std::vector<AttentionMap> all = maps(line);
                std::erase_if(all, [&](const AttentionMap &map) { return map.head.kind != kind.kind; });
                QCOMPARE(all.size(), kind.heads.size());
                for (std::int64_t query = 0; query < all.front().queries; ++query) {
                    const auto keys = static_cast<std::size_t>(all.front().keys);
                    const auto rowOf = [&](std::size_t i) {
                        return std::span(all[i].weights).subspan(static_cast<std::size_t>(query) * keys, keys);
                    };
                    for (std::size_t i = 0; i < all.size(); ++i) {
                        QCOMPARE(all[i].head, kind.heads[i]);
                        for (std::size_t j = i + 1; j < all.size(); ++j)
                            sums.at(i, j) += jensenShannon(rowOf(i), rowOf(j));
                    }
                    ++queries;
                }
            }
            QCOMPARE(kind.queries, queries);
            for (std::size_t i = 0; i < sums.values().size(); ++i) {
                const double divergence = kind.divergences.values()[i];
                QVERIFY(std::abs(divergence - sums.values()[i] / static_cast<double>(queries)) < 5e-6);
                QVERIFY(divergence >= 0 && divergence <= std::numbers::ln2);
            }
            QVERIFY(std::ranges::max(kind.divergences.values()) > 1e-3); // or nothing was compared
        }
    }

    void spreadIsTheMeanOfALayer()
    {
        QVERIFY(!m_result.layers.empty());
        const SimilarityResult plain = similarity({.distance = HeadDistance::Divergence});
        for (std::size_t l = 0; l < m_result.layers.size(); ++l) {
            const LayerSpread &layer = m_result.layers[l];
            const auto kind = std::ranges::find(m_result.kinds, layer.kind, &KindSimilarity::kind);
            double sum = 0;
            double pairs = 0;
            for (std::size_t i = 0; i < kind->heads.size(); ++i) {
                for (std::size_t j = i + 1; j < kind->heads.size(); ++j) {
                    if (kind->heads[i].layer != layer.layer || kind->heads[j].layer != layer.layer)
                        continue;
                    sum += kind->divergences.at(i, j);
                    ++pairs;
                }
            }
            QVERIFY(std::abs(plain.layers[l].spread - sum / pairs) < 1e-9);
            QVERIFY(std::abs(layer.spread - std::sqrt(sum / pairs)) < 1e-9);
            QVERIFY(layer.interval.low < layer.spread && layer.spread < layer.interval.high);
        }
    }

    void mapAndDendrogramAreOfAllHeads()
    {
        for (const KindSimilarity &kind : m_result.kinds) {
            std::vector<std::int64_t> leaves = kind.order;
            std::ranges::sort(leaves);
            for (std::size_t i = 0; i < leaves.size(); ++i)
                QCOMPARE(leaves[i], static_cast<std::int64_t>(i));
            QCOMPARE(kind.merges.size(), kind.heads.size() - 1);
            QCOMPARE(kind.x.size(), kind.heads.size());
            QVERIFY(kind.stress >= 0 && kind.stress < 0.5);
        }
        const SimilarityResult single = similarity({.linkage = Linkage::Single});
        for (std::size_t k = 0; k < single.kinds.size(); ++k) {
            QVERIFY(single.kinds[k].divergences == m_result.kinds[k].divergences); // to the last bit
            QVERIFY(single.kinds[k].merges.back().height <= m_result.kinds[k].merges.back().height);
        }
    }

    void batchesDoNotMatter()
    {
        SimilaritySpec spec;
        spec.run.batchTokens = 40;
        const SimilarityResult small = similarity(spec);
        for (std::size_t k = 0; k < small.kinds.size(); ++k) {
            for (std::size_t i = 0; i < small.kinds[k].divergences.values().size(); ++i)
                QVERIFY(std::abs(small.kinds[k].divergences.values()[i] - m_result.kinds[k].divergences.values()[i])
                        < 5e-6);
        }
        for (std::size_t i = 0; i < small.heads.size(); ++i)
            QVERIFY(std::abs(small.heads[i].entropy - m_result.heads[i].entropy) < 1e-5);
    }

    void decoderSaysItsOwnOutputWithoutReferences()
    {
        const auto session = Session::open(path("model"), {}, {}).valueOrThrow();
        DataSource source;
        source.source = path("in.src");
        (void)session->setData(Domain::In, source, {}).valueOrThrow();
        const auto result = session->run(Domain::In, SimilaritySpec{}, {}).valueOrThrow();
        QCOMPARE(result.prefix, std::string("own output"));
        QCOMPARE(m_result.prefix, std::string("reference"));
    }

    void handmadeHeadsDoWhatTheyWereMadeFor()
    {
        OneHotWorld::write(path("onehot"));
        std::string table = "sentence\tlabel\n";
        for (int i = 0; i < 40; ++i)
            table += QStringLiteral("w%1 w%2 w%3 w%4 w%1\tno\n")
                         .arg(30 + i)
                         .arg(80 + i)
                         .arg(10 + i % 10)
                         .arg(20 + i % 10)
                         .toStdString();
        (void)writeFileAtomically(path("table.tsv"), table).valueOrThrow();
        const auto session = Session::open(path("onehot"), {}, {}).valueOrThrow();
        DataSource source;
        source.table = path("table.tsv");
        (void)session->setData(Domain::In, source, {}).valueOrThrow();
        const auto result = session->run(Domain::In, SimilaritySpec{}, {}).valueOrThrow();
        const auto &heads = result.heads;
        QCOMPARE(heads[OneHotWorld::Previous].behaviour, Behaviour::Previous);
        QCOMPARE(heads[OneHotWorld::Next].behaviour, Behaviour::Next);
        QCOMPARE(heads[OneHotWorld::Separator].behaviour, Behaviour::Delimiter);
        QCOMPARE(heads[OneHotWorld::Uniform].behaviour, Behaviour::Broad);
        QVERIFY(std::abs(*heads[OneHotWorld::Previous].previous - 1) < 1e-5);
        QVERIFY(std::abs(*heads[OneHotWorld::Separator].delimiter - 1) < 1e-5);
        QVERIFY(std::abs(*heads[OneHotWorld::Separator].otherToDelimiter - 1) < 1e-5);
        QVERIFY(std::abs(heads[OneHotWorld::Uniform].entropy - std::log(7.0)) < 1e-5); // five words, [CLS] and [SEP]
        QVERIFY(std::abs(result.kinds[0].meanLogKeys - std::log(7.0)) < 1e-9);
        QVERIFY(std::abs(heads[OneHotWorld::Uniform].normalizedEntropy - 1) < 1e-6);
        // Heads with one key each, never the same, are as far from each other as can be: of 7 queries one has no
        // neighbour.
        QVERIFY(result.kinds[0].divergences.at(OneHotWorld::Previous, OneHotWorld::Next)
                > std::numbers::ln2 * 5 / 7 - 1e-5);
        const auto clark
            = session->run(Domain::In, SimilaritySpec{.average = SurfaceAverage::Clark}, {}).valueOrThrow();
        QVERIFY(std::abs(*clark.heads[OneHotWorld::Separator].delimiterToDelimiter - 0.5) < 1e-5);
    }
};

QTEST_APPLESS_MAIN(TestSimilarity)
#include "tst_similarity.moc"
