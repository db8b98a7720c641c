#include "ui/models/numbertext.h"
#include "ui/models/tasktext.h"

#include <QTest>

using namespace headscope;
using namespace Qt::StringLiterals;

/// What classifiers say, in words, and how their scores are shown.
class TestTaskText : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void scores_data();
    void scores();
    void predictions_data();
    void predictions();
    void problems();
    void labelCounts();
};

namespace {
ModelCard card(ProblemType problem)
{
    ModelCard model;
    model.task = "classification";
    model.problem = problem;
    model.labels = {"neg", "neutral", "pos"};
    return model;
}
} // namespace

void TestTaskText::scores_data()
{
    QTest::addColumn<QString>("metric");
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("score");
    QTest::addColumn<QString>("difference");
    QTest::newRow("accuracy") << u"accuracy"_s << 706.0 / 872 << u"80.96 % ±2.50"_s << u"+80.96"_s;
    QTest::newRow("F1") << u"F1"_s << 0.5 << u"50.00 % ±2.50"_s << u"+50.00"_s;
    QTest::newRow("macro-F1") << u"macro-F1"_s << 0.5 << u"50.00 % ±2.50"_s << u"+50.00"_s;
    QTest::newRow("Matthews") << u"Matthews"_s << -0.25 << u"−0.2500 ±0.0250"_s << u"−0.2500"_s;
    QTest::newRow("BLEU") << u"BLEU"_s << 56.9 << u"56.90 ±0.02"_s << u"+56.90"_s;
}

void TestTaskText::scores()
{
    QFETCH(QString, metric);
    QFETCH(double, value);
    const ValueFormat format = metricFormat(metric);
    QTEST(format.score(value, Interval{value - 0.025, value + 0.025}), "score");
    QTEST(format.difference(value), "difference");
}

void TestTaskText::predictions_data()
{
    QTest::addColumn<int>("problem");
    QTest::addColumn<std::vector<int>>("predicted");
    QTest::addColumn<std::vector<int>>("labels");
    QTest::addColumn<QString>("says");
    QTest::addColumn<QString>("right");
    QTest::addColumn<int>("rightness"); // −1: cannot be told
    const auto row = [](const char *name, ProblemType problem, std::vector<int> predicted, std::vector<int> labels,
                        const QString &says, const QString &right, int rightness) {
        QTest::newRow(name) << static_cast<int>(problem) << predicted << labels << says << right << rightness;
    };
    row("right", ProblemType::SingleLabel, {2}, {2}, u"pos 0.84"_s, u"pos"_s, 1);
    row("wrong", ProblemType::SingleLabel, {2}, {0}, u"pos 0.84"_s, u"neg"_s, 0);
    row("counts as one", ProblemType::SingleLabel, {2}, {1, 2}, u"pos 0.84"_s, u"neutral or pos"_s, 1);
    row("no label", ProblemType::SingleLabel, {2}, {}, u"pos 0.84"_s, u""_s, -1);
    row("some of many", ProblemType::MultiLabel, {2}, {0, 2}, u"pos 0.88"_s, u"neg, pos"_s, 0);
    row("none of many", ProblemType::MultiLabel, {}, {}, u"no label"_s, u""_s, 1);
    row("number", ProblemType::Regression, {}, {}, u"−1.00"_s, u""_s, -1);
}

void TestTaskText::predictions()
{
    QFETCH(int, problem);
    QFETCH(std::vector<int>, predicted);
    QFETCH(std::vector<int>, labels);
    ExampleOutput output;
    output.logits = {-1, 0, 2};
    output.predicted = predicted;
    output.labels = labels;
    const ModelCard model = card(static_cast<ProblemType>(problem));
    QTEST(predictionText(output, model), "says");
    QTEST(rightLabelsText(output, model), "right");
    const auto right = isRight(output, model.problem);
    QTEST(right ? static_cast<int>(*right) : -1, "rightness");
}

void TestTaskText::problems()
{
    QCOMPARE(problemText(card(ProblemType::SingleLabel)), u"one of 3 labels"_s);
    QCOMPARE(problemText(card(ProblemType::MultiLabel)), u"any of 3 labels"_s);
    QCOMPARE(problemText(card(ProblemType::Regression)), u"a number (regression)"_s);
    QCOMPARE(labelNamesText(card(ProblemType::MultiLabel)), u"neg, neutral, pos"_s);
    QVERIFY(problemText({}).isEmpty());
    QVERIFY(labelNamesText({}).isEmpty());
    QVERIFY(!isClassifier({}));
}

void TestTaskText::labelCounts()
{
    QCOMPARE(labelCountsText({{"pos", 444}, {"neg", 428}}), u"pos: 444 · neg: 428"_s);
    QVERIFY(labelCountsText(std::vector<LabelCount>(30, {"x", 1})).endsWith(u"…"_s));
}

QTEST_GUILESS_MAIN(TestTaskText)
#include "tst_tasktext.moc"
