#include "core/metrics/bootstrap.h"
#include "core/metrics/outcome.h"
#include "core/metrics/pairedtests.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

using namespace headscope;

namespace {

using Labels = std::vector<int>;
using Values = std::vector<double>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const std::vector<std::string> kTwo = {"negative", "positive"};
const std::vector<std::string> kFour = {"a", "b", "c", "d"};

const Values kWanted = {5, 4.2, 3.8, 0, 1.5, 2.5, 2.5, 4.2, 3, 0};
const Values kPredicted = {4.6, 4.4, 2.9, 0.3, 1.9, 2.2, 3.1, 4.4, 2.9, 1.0};

bool close(double found, double expected, double tolerance = 1e-14)
{
    if (std::abs(found - expected) <= tolerance)
        return true;
    qWarning("found %.17g, expected %.17g", found, expected);
    return false;
}

std::vector<Outcome> single(const Labels &labels, const Labels &predicted)
{
    std::vector<Outcome> outcomes;
    for (std::size_t i = 0; i < labels.size(); ++i)
        outcomes.push_back({{labels[i]}, {predicted[i]}, 0, 0, 0.5 * static_cast<double>(i)});
    return outcomes;
}

std::vector<Outcome> regression(const Values &wanted, const Values &values)
{
    std::vector<Outcome> outcomes;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        outcomes.push_back({{}, {}, wanted[i], values[i], (wanted[i] - values[i]) * (wanted[i] - values[i])});
    return outcomes;
}

StatisticsTable tableOf(const OutcomeMetric &metric, const std::vector<Outcome> &outcomes)
{
    StatisticsTable table(outcomes.size(), metric.statisticsSize());
    for (std::size_t i = 0; i < outcomes.size(); ++i)
        metric.statistics(outcomes[i], table.row(i));
    return table;
}

/// A metric by its name; the list keeps it alive.
class Metrics
{
public:
    Metrics(ProblemType problem, const std::vector<std::string> &classes) : m_all(outcomeMetrics(problem, classes)) { }

    const OutcomeMetric &operator[](const std::string &name) const
    {
        for (const auto &metric : m_all)
            if (metric->name() == name)
                return *metric;
        throw std::out_of_range(name);
    }
    std::vector<std::string> names() const
    {
        std::vector<std::string> names;
        for (const auto &metric : m_all)
            names.push_back(metric->name());
        return names;
    }
    double score(const std::string &name, const std::vector<Outcome> &outcomes) const
    {
        const OutcomeMetric &metric = (*this)[name];
        return metric.scoreOf(tableOf(metric, outcomes));
    }

private:
    std::vector<std::unique_ptr<OutcomeMetric>> m_all;
};

} // namespace

/// Expected values: scikit-learn 1.9.1 and scipy 1.17.1, run, by the functions that the comments name.
class TestOutcome : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void whichMetricsAProblemHas();
    void twoClasses();
    void fourClasses();
    void classesThatAreNeverRight();
    void onlyOneClass();
    void examplesWithoutLabelOrPrediction();
    void severalLabels();
    void regressionMetrics();
    void pearsonKeepsItsDigits();
    void correlationOfTheUndefined();
    void countsAreRepetitions();
    void nothingAtAll();
    void intervalsOfEveryMetric();
    void spearmanResamplesAsTheOthers();
    void nanIsNeverSignificant();
    void mcnemar_data();
    void mcnemar();
    void discordantExamples();
};

void TestOutcome::whichMetricsAProblemHas()
{
    using Names = std::vector<std::string>;
    const Metrics two(ProblemType::SingleLabel, kTwo);
    QCOMPARE(two.names(), (Names{"accuracy", "F1", "Matthews", "loss"}));
    QCOMPARE(two["F1"].signature(), std::string("classes:2|average:binary|positive:positive|zero:0|impl:headscope"));
    const Metrics four(ProblemType::SingleLabel, kFour);
    QCOMPARE(four["F1"].signature(), std::string("classes:4|average:macro|zero:0|impl:headscope"));
    QCOMPARE(four["Matthews"].statisticsSize(), std::size_t{12});
    const Metrics many(ProblemType::MultiLabel, kFour);
    QCOMPARE(many.names(), (Names{"F1", "macro-F1", "accuracy", "loss"}));
    QCOMPARE(many["accuracy"].signature(), std::string("classes:4|match:exact|impl:headscope"));
    const Metrics numbers(ProblemType::Regression, {"LABEL_0"});
    QCOMPARE(numbers.names(), (Names{"Pearson", "Spearman", "loss"}));
    QVERIFY(numbers["Pearson"].isFunctionOfSums() && !numbers["Spearman"].isFunctionOfSums());
    QVERIFY(two["accuracy"].isRightOrWrong() && !two["loss"].isRightOrWrong());
    QVERIFY(two["accuracy"].better() == Better::Higher && two["loss"].better() == Better::Lower);
}

void TestOutcome::twoClasses()
{
    const Metrics metrics(ProblemType::SingleLabel, kTwo);
    const auto outcomes = single({0, 1, 1, 0, 1, 0, 0, 1, 1, 1}, {0, 1, 0, 0, 1, 1, 0, 1, 1, 0});
    QVERIFY(close(metrics.score("accuracy", outcomes), 0.7));
    QVERIFY(close(metrics.score("F1", outcomes), 0.7272727272727273));      // f1_score
    QVERIFY(close(metrics.score("Matthews", outcomes), 0.408248290463863)); // matthews_corrcoef
    QVERIFY(close(metrics.score("loss", outcomes), 2.25));
}

void TestOutcome::fourClasses()
{
    const Metrics metrics(ProblemType::SingleLabel, kFour);
    const auto outcomes = single({0, 1, 2, 2, 1, 0, 3, 3, 2, 1, 0, 2}, {0, 2, 2, 2, 1, 1, 3, 0, 2, 1, 0, 1});
    QVERIFY(close(metrics.score("accuracy", outcomes), 2.0 / 3));
    QVERIFY(close(metrics.score("F1", outcomes), 0.6636904761904762)); // f1_score(average="macro")
    QVERIFY(close(metrics.score("Matthews", outcomes), 0.5481782967803844));
}

void TestOutcome::classesThatAreNeverRight()
{
    // Class c is predicted but never right: it counts with 0. Class d does not occur: it does not count.
    const Metrics metrics(ProblemType::SingleLabel, kFour);
    const auto outcomes = single({0, 0, 1, 1, 0, 1}, {0, 2, 1, 2, 0, 1});
    QVERIFY(close(metrics.score("F1", outcomes), 0.5333333333333333)); // f1_score(average="macro")
    QVERIFY(close(metrics.score("Matthews", outcomes), 0.5773502691896257));
}

void TestOutcome::onlyOneClass()
{
    const Metrics two(ProblemType::SingleLabel, kTwo);
    QCOMPARE(two.score("F1", single({1, 1, 1}, {1, 1, 1})), 1.0);
    QCOMPARE(two.score("F1", single({0, 0, 0}, {0, 0, 0})), 0.0); // f1_score(zero_division=0)
    QCOMPARE(two.score("F1", single({1, 1, 0}, {0, 0, 0})), 0.0);
    QCOMPARE(two.score("Matthews", single({1, 1, 1}, {1, 1, 1})), 0.0);
    QCOMPARE(two.score("Matthews", single({1, 1, 0}, {1, 1, 1})), 0.0);
    const Metrics four(ProblemType::SingleLabel, kFour);
    QCOMPARE(four.score("F1", single({0, 0}, {0, 0})), 1.0);
}

void TestOutcome::examplesWithoutLabelOrPrediction()
{
    const Metrics metrics(ProblemType::SingleLabel, kTwo);
    auto outcomes = single({0, 1, 1, 0, 1, 0, 0, 1, 1, 1}, {0, 1, 0, 0, 1, 1, 0, 1, 1, 0});
    outcomes.push_back({{}, {1}, 0, 0, 100});
    for (const auto &[name, score] : {std::pair("accuracy", 0.7), {"Matthews", 0.408248290463863}, {"loss", 2.25}})
        QVERIFY(close(metrics.score(name, outcomes), score));
    // A prediction of neither class (logits that are NaN, a label that the data do not tell apart) is a wrong one:
    // matthews_corrcoef([0, 0, 1, 1, 0, 1], [0, 2, 1, 2, 0, 1])
    auto neither = single({0, 0, 1, 1, 0, 1}, {0, 0, 1, 1, 0, 1});
    neither[1].predicted.clear();
    neither[3].predicted.clear();
    QVERIFY(close(metrics.score("accuracy", neither), 4.0 / 6));
    QVERIFY(close(metrics.score("Matthews", neither), 0.5773502691896257));
}

void TestOutcome::severalLabels()
{
    const Metrics metrics(ProblemType::MultiLabel, kFour);
    std::vector<Outcome> outcomes(5);
    const Labels right[] = {{0, 2}, {}, {1, 0}, {2}, {1}};
    const Labels predicted[] = {{0}, {}, {0, 1, 2}, {2}, {0}};
    for (std::size_t i = 0; i < outcomes.size(); ++i)
        outcomes[i] = {right[i], predicted[i], 0, 0, 1};
    QVERIFY(close(metrics.score("F1", outcomes), 2.0 / 3));                  // f1_score(average="micro")
    QVERIFY(close(metrics.score("macro-F1", outcomes), 0.4916666666666667)); // of all four columns, one is empty
    QVERIFY(close(metrics.score("accuracy", outcomes), 0.4));                // accuracy_score of the matrices
    outcomes[2].predicted = {0, 1, 0};
    QVERIFY(close(metrics.score("accuracy", outcomes), 0.6)); // sets: in any order, however often
}

void TestOutcome::regressionMetrics()
{
    const Metrics metrics(ProblemType::Regression, {"score"});
    const auto outcomes = regression(kWanted, kPredicted);
    QVERIFY(close(metrics.score("Pearson", outcomes), 0.9571646112080675));  // pearsonr
    QVERIFY(close(metrics.score("Spearman", outcomes), 0.9415429185569093)); // spearmanr, ties
    QVERIFY(close(metrics.score("loss", outcomes), 0.276));                  // mean_squared_error
    const OutcomeMetric &pearson = metrics["Pearson"];
    QVERIFY(close(pearson.score(tableOf(pearson, outcomes).sums()), 0.9571646112080675, 1e-13));
}

void TestOutcome::pearsonKeepsItsDigits()
{
    const Metrics metrics(ProblemType::Regression, {"score"});
    const Values x{1e8 + 1, 1e8 + 2, 1e8 + 3, 1e8 + 4, 1e8 + 5};
    const Values y{2e-4, 1e-4, 4e-4, 3e-4, 7e-4};
    QVERIFY(close(metrics.score("Pearson", regression(x, y)), 0.8241633836921339));
    // By sums, as resamples are scored, such an offset is near the end of what doubles hold; usual ones are not.
    const OutcomeMetric &pearson = metrics["Pearson"];
    const Values offset{1001, 1002, 1003, 1004, 1005};
    QVERIFY(close(pearson.score(tableOf(pearson, regression(offset, y)).sums()), 0.8241633836921339, 1e-8));
}

void TestOutcome::correlationOfTheUndefined()
{
    const Metrics metrics(ProblemType::Regression, {"score"});
    for (const char *name : {"Pearson", "Spearman"}) {
        QCOMPARE(metrics.score(name, regression({1, 2, 3, 4}, {0.1, 0.1, 0.1, 0.1})), 0.0);
        QCOMPARE(metrics.score(name, regression({2}, {1})), 0.0);
        QVERIFY(std::isnan(metrics.score(name, regression({1, 2, 3}, {1, kNan, 2}))));
    }
    const OutcomeMetric &pearson = metrics["Pearson"];
    QCOMPARE(pearson.score(tableOf(pearson, regression({1, 2, 3, 4}, {0.1, 0.1, 0.1, 0.1})).sums()), 0.0);
    QCOMPARE(metrics.score("Pearson", regression({1, 2, 3}, {2, 4, 6})), 1.0);
    QCOMPARE(metrics.score("Spearman", regression({1, 2, 3}, {9, 4, 1})), -1.0);
}

void TestOutcome::countsAreRepetitions()
{
    const Metrics metrics(ProblemType::Regression, {"score"});
    const auto outcomes = regression(kWanted, kPredicted);
    const std::vector<std::uint8_t> counts{1, 0, 1, 1, 0, 1, 2, 1, 2, 1};
    const auto score = [&](const char *name) {
        const OutcomeMetric &metric = metrics[name];
        return metric.scoreOf(tableOf(metric, outcomes), counts);
    };
    QVERIFY(close(score("Spearman"), 0.7523547938632786)); // spearmanr of the repeated examples
    QVERIFY(close(score("Pearson"), 0.9463538776398588));
    double loss = 0;
    for (std::size_t i = 0; i < counts.size(); ++i)
        loss += counts[i] * outcomes[i].loss / 10;
    QVERIFY(close(score("loss"), loss));
}

void TestOutcome::nothingAtAll()
{
    for (const ProblemType problem : {ProblemType::SingleLabel, ProblemType::MultiLabel, ProblemType::Regression})
        for (const auto &metric : outcomeMetrics(problem, kTwo)) {
            const StatisticsTable none(0, metric->statisticsSize());
            QCOMPARE(metric->scoreOf(none), 0.0);
            QVERIFY(std::isnan(bootstrapInterval(none, *metric, 100, 1).low));
        }
}

void TestOutcome::intervalsOfEveryMetric()
{
    const auto labelled = single({0, 1, 1, 0, 1, 0, 0, 1, 1, 1}, {0, 1, 0, 0, 1, 1, 0, 1, 1, 0});
    const auto numbers = regression(kWanted, kPredicted);
    for (const ProblemType problem : {ProblemType::SingleLabel, ProblemType::MultiLabel, ProblemType::Regression})
        for (const auto &metric : outcomeMetrics(problem, kTwo)) {
            const auto table = tableOf(*metric, problem == ProblemType::Regression ? numbers : labelled);
            const double score = metric->scoreOf(table);
            const Interval interval = bootstrapInterval(table, *metric, 1000, 12345);
            QVERIFY2(interval.low < score && score < interval.high, metric->name().c_str());
        }
}

/// The same examples are drawn whether a metric is a function of sums or not.
void TestOutcome::spearmanResamplesAsTheOthers()
{
    const Metrics metrics(ProblemType::Regression, {"score"});
    // Of ranks Pearson's correlation is Spearman's, except for the ties that drawing makes: two values have none.
    const auto outcomes = regression({0, 1, 1, 0, 1, 0, 0, 1, 1, 1}, {0, 1, 0, 0, 1, 1, 0, 1, 1, 0});
    const auto variant = regression({0, 1, 1, 0, 1, 0, 0, 1, 1, 1}, {0, 1, 1, 0, 1, 0, 0, 1, 1, 0});
    const auto compare = [&](const char *name) {
        const OutcomeMetric &metric = metrics[name];
        return PairedBootstrap(tableOf(metric, outcomes), metric, 500, 3).compare(tableOf(metric, variant));
    };
    const PairedComparison pearson = compare("Pearson");
    const PairedComparison spearman = compare("Spearman");
    QVERIFY(close(spearman.delta, pearson.delta));
    QVERIFY(close(spearman.interval.low, pearson.interval.low, 1e-12));
    QVERIFY(close(spearman.interval.high, pearson.interval.high, 1e-12));
    QCOMPARE(spearman.changed, 2);
    QCOMPARE(spearman.p, 0.5); // two signs agree by chance half the time
}

void TestOutcome::nanIsNeverSignificant()
{
    const Metrics metrics(ProblemType::Regression, {"score"});
    Values broken = kPredicted;
    broken[3] = kNan;
    for (const char *name : {"Pearson", "Spearman", "loss"}) {
        const OutcomeMetric &metric = metrics[name];
        const PairedComparison result
            = PairedBootstrap(tableOf(metric, regression(kWanted, kPredicted)), metric, 200, 1)
                  .compare(tableOf(metric, regression(kWanted, broken)));
        QVERIFY(std::isnan(result.score) && std::isnan(result.interval.low));
        QVERIFY2(result.p > 0.2, name);
    }
}

void TestOutcome::mcnemar_data()
{
    QTest::addColumn<int>("b");
    QTest::addColumn<int>("c");
    QTest::addColumn<double>("p");
    const auto row = [](int b, int c, double p) { QTest::addRow("%d against %d", b, c) << b << c << p; };
    row(0, 0, 1);
    row(0, 1, 1); // scipy.stats.binomtest(min(b, c), b + c).pvalue
    row(1, 9, 0.021484375);
    row(10, 4, 0.1795654296875);
    row(5, 5, 1);
    row(0, 6, 0.03125);
    row(120, 170, 0.00393333651282517);
    row(50500, 49500, 0.0015823598788515154);
}

void TestOutcome::mcnemar()
{
    QFETCH(int, b);
    QFETCH(int, c);
    QFETCH(double, p);
    QVERIFY(close(mcnemarP({b, c}), p, 1e-10 * p));
    QCOMPARE(mcnemarP({c, b}), mcnemarP({b, c}));
}

void TestOutcome::discordantExamples()
{
    const Metrics metrics(ProblemType::SingleLabel, kTwo);
    const OutcomeMetric &accuracy = metrics["accuracy"];
    const Labels right{0, 1, 1, 0, 1};
    const auto first = tableOf(accuracy, single(right, {0, 0, 1, 0, 0}));
    const auto second = tableOf(accuracy, single(right, {0, 1, 0, 0, 1}));
    const auto counts = discordantCounts(first, second);
    QCOMPARE(counts.onlyFirst, 1);
    QCOMPARE(counts.onlySecond, 2);
    QCOMPARE(mcnemarTest(accuracy, first, second), std::optional(1.0));
    QVERIFY(!mcnemarTest(metrics["loss"], first, second));
}

QTEST_APPLESS_MAIN(TestOutcome)
#include "tst_outcome.moc"
