#include "core/metrics/answermetrics.h"
#include "core/metrics/bootstrap.h"
#include "core/metrics/groups.h"
#include "core/metrics/minimalpairs.h"
#include "core/metrics/pairedtests.h"
#include "core/metrics/tokenmetrics.h"

#include <QTest>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace headscope;

namespace {

using Names = std::vector<std::string>;

Names namesOf(const auto &metrics)
{
    Names names;
    for (const auto &metric : metrics)
        names.push_back(metric->name());
    return names;
}

StatisticsTable tableOf(const auto &metric, const auto &examples)
{
    StatisticsTable table(examples.size(), metric.statisticsSize());
    for (std::size_t i = 0; i < examples.size(); ++i)
        metric.statistics(examples[i], table.row(i));
    return table;
}

const std::vector<TokenSums> kTexts{{12, 4, 3}, {3, 6, 2}, {0, 0, 0}};

/// Two paradigms, of three pairs and of one: 2 of 3 and 0 of 1 are right.
const std::vector<PairLikelihoods> kPairs{{-10, -12, 0}, {-9, -8, 0}, {-20, -30, 0}, {-7, -7, 1}};

} // namespace

class TestLanguageMetrics : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// What each metric of answers ignores, and what it does not.
    void answersAreCompared_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("right"); // exact, normalized, contains
        QTest::newRow("itself") << QByteArray("St. Ann") << QByteArray("111");
        QTest::newRow("the second one") << QByteArray("Bob") << QByteArray("111");
        QTest::newRow("blanks around") << QByteArray(" St. Ann\t") << QByteArray("111");
        QTest::newRow("case and punctuation") << QByteArray("st ANN!") << QByteArray("010");
        QTest::newRow("inside") << QByteArray("It is st. ann, of course") << QByteArray("001");
        QTest::newRow("letters of other scripts") << QByteArray("\xc3\x89l\xc3\xa9onore") << QByteArray("111");
        QTest::newRow("their case") << QByteArray("\xc3\x89L\xc3\x89ONORE") << QByteArray("011");
        QTest::newRow("another") << QByteArray("Carl") << QByteArray("000");
        QTest::newRow("nothing") << QByteArray("") << QByteArray("000");
    }
    void answersAreCompared()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, right);
        const std::vector<std::string_view> accepted{"St. Ann", "Bob", "\xc3\x89l\xc3\xa9onore"};
        const auto metrics = answerMetrics();
        QCOMPARE(namesOf(metrics), (Names{"exact_match", "exact_match_normalized", "contains"}));
        for (std::size_t m = 0; m < metrics.size(); ++m) {
            std::vector<double> found(2);
            metrics[m]->statistics(text.toStdString(), *metrics[m]->prepare(accepted), found);
            QCOMPARE(found[0], right[static_cast<qsizetype>(m)] == '1' ? 1.0 : 0.0);
            QCOMPARE(metrics[m]->score(found), found[0]);
            QVERIFY(metrics[m]->isRightOrWrong() && metrics[m]->better() == Better::Higher);
        }
    }

    void namesAndDirections()
    {
        QCOMPARE(namesOf(tokenMetrics(TokenContext::Before)), (Names{"perplexity", "loss", "accuracy"}));
        QCOMPARE(namesOf(tokenMetrics(TokenContext::Around)), (Names{"pseudo-perplexity", "loss", "accuracy"}));
        QCOMPARE(namesOf(tokenMetrics(TokenContext::Reference)), (Names{"loss", "perplexity", "token-accuracy"}));
        for (const TokenContext context : {TokenContext::Before, TokenContext::Around, TokenContext::Reference}) {
            for (const auto &metric : tokenMetrics(context)) {
                QVERIFY(metric->better() == (metric->name().ends_with("accuracy") ? Better::Higher : Better::Lower));
                QVERIFY(metric->isFunctionOfSums() && !metric->isRightOrWrong());
            }
        }
    }

    /// 15 nats over 10 tokens, 5 of which are right: longer texts count more.
    void tokensCountAlike()
    {
        const auto metrics = tokenMetrics(TokenContext::Before);
        const double expected[] = {std::exp(1.5), 1.5, 0.5};
        for (std::size_t i = 0; i < metrics.size(); ++i) {
            const StatisticsTable table = tableOf(*metrics[i], kTexts);
            QVERIFY(std::abs(metrics[i]->scoreOf(table) - expected[i]) < 1e-12);
        }
    }

    void noTokensHaveNoScore()
    {
        for (const auto &metric : tokenMetrics(TokenContext::Around))
            QVERIFY(std::isnan(metric->scoreOf(tableOf(*metric, std::vector<TokenSums>{{}}))));
    }

    /// How a text is cut does not change its score.
    void cuttingChangesNothing()
    {
        const std::vector<TokenSums> whole{{15, 10, 5}};
        for (const auto &metric : tokenMetrics(TokenContext::Before))
            QCOMPARE(metric->scoreOf(tableOf(*metric, whole)), metric->scoreOf(tableOf(*metric, kTexts)));
    }

    /// A model that is worse on every text has a significant delta above zero, and an interval there.
    void aHigherPerplexityIsSignificant()
    {
        std::vector<TokenSums> base;
        std::vector<TokenSums> worse;
        for (int i = 0; i < 40; ++i) {
            base.push_back({20.0 + i % 5, 10, 4});
            worse.push_back({22.0 + i % 7, 10, 4});
        }
        const auto metrics = tokenMetrics(TokenContext::Before);
        const TokenMetric &perplexity = *metrics.front();
        const auto compared
            = PairedBootstrap(tableOf(perplexity, base), perplexity, 1000, 1).compare(tableOf(perplexity, worse));
        QVERIFY(isWorse(perplexity.better(), compared.delta) && compared.delta > 0);
        QVERIFY(compared.interval.low > 0 && compared.interval.low < compared.delta);
        QVERIFY(compared.interval.high > compared.delta && compared.p < 0.01);
        const double ofBase = std::exp(880.0 / 400); // 40 texts of 20 to 24 nats
        QVERIFY(std::abs(compared.score - compared.delta - ofBase) < 1e-9);
    }

    void minimalPairs()
    {
        const auto metrics = minimalPairMetrics(2);
        QCOMPARE(namesOf(metrics), (Names{"accuracy", "macro-accuracy"}));
        QCOMPARE(namesOf(minimalPairMetrics(1)), Names{"accuracy"});
        QCOMPARE(metrics[0]->scoreOf(tableOf(*metrics[0], kPairs)), 2.0 / 4); // the tie is wrong
        QCOMPARE(metrics[1]->scoreOf(tableOf(*metrics[1], kPairs)), (2.0 / 3 + 0) / 2);
        QVERIFY(!PairLikelihoods({std::nan(""), -1, 0}).isRight());
    }

    void aMacroMeanLeavesOutWhatDoesNotOccur()
    {
        const auto metrics = minimalPairMetrics(5);
        QCOMPARE(metrics[1]->scoreOf(tableOf(*metrics[1], kPairs)), (2.0 / 3 + 0) / 2);
    }

    /// Pairs are right or wrong: the tests of classifiers apply.
    void testsOfRightAndWrong()
    {
        const auto metrics = minimalPairMetrics(2);
        std::vector<PairLikelihoods> all(8, PairLikelihoods{-1, -2, 0});
        std::vector<PairLikelihoods> none(8, PairLikelihoods{-2, -1, 0});
        const auto right = tableOf(*metrics[0], all);
        const auto wrong = tableOf(*metrics[0], none);
        const auto p = mcnemarTest(*metrics[0], right, wrong);
        QVERIFY(p && std::abs(*p - 2.0 / 256) < 1e-12);
        QVERIFY(pairedTTest(*metrics[0], right, wrong));
        QVERIFY(!mcnemarTest(*metrics[1], tableOf(*metrics[1], all), tableOf(*metrics[1], none)));
    }

    void groupsByTheirNames()
    {
        const Names names{"b", "a", "b", ""};
        const ExampleGroups groups = ExampleGroups::of(names);
        QCOMPARE(groups.names, (Names{"b", "a", ""}));
        QCOMPARE(groups.members, (std::vector<std::size_t>{0, 1, 0, 2}));
    }

    /// Rows come in the order in which the engine visits examples, and a partial result lacks some.
    void scoresOfGroups()
    {
        const auto metrics = minimalPairMetrics(2);
        const Names names{"agreement", "agreement", "agreement", "islands"};
        const std::vector<std::int64_t> visited{3, 0, 1};
        std::vector<PairLikelihoods> pairs;
        for (const std::int64_t i : visited)
            pairs.push_back(kPairs[static_cast<std::size_t>(i)]);
        const auto scores
            = scoresByGroup(tableOf(*metrics[0], pairs), visited, *metrics[0], ExampleGroups::of(names), 200, 1);
        QCOMPARE(scores.size(), std::size_t{2});
        QCOMPARE(scores[0].name, std::string("agreement"));
        QCOMPARE(scores[0].examples, std::int64_t{2});
        QCOMPARE(scores[0].score, 0.5);
        QCOMPARE(scores[0].interval, (Interval{0, 1}));
        QCOMPARE(scores[1].examples, std::int64_t{1});
        QVERIFY(std::isnan(scores[1].interval.low) && std::isnan(scores[1].interval.high)); // of one pair there is none
    }

    void groupsWithoutRowsAreLeftOut()
    {
        const auto metrics = minimalPairMetrics(2);
        const Names names{"agreement", "islands"};
        const std::vector<std::int64_t> visited{1};
        const auto scores = scoresByGroup(tableOf(*metrics[0], std::vector<PairLikelihoods>{kPairs[3]}), visited,
                                          *metrics[0], ExampleGroups::of(names), 0, 1);
        QCOMPARE(scores.size(), std::size_t{1});
        QCOMPARE(scores[0].name, std::string("islands"));
    }
};

QTEST_GUILESS_MAIN(TestLanguageMetrics)
#include "tst_languagemetrics.moc"
