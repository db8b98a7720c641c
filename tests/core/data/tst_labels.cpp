#include "core/data/labels.h"

#include <QTest>

using namespace headscope;

namespace {

using Names = std::vector<std::string>;
using Classes = std::vector<std::vector<int>>;

const Names kSentiment = {"NEGATIVE", "POSITIVE"};
const Names kNli = {"CONTRADICTION", "ENTAILMENT", "NEUTRAL"};
const Names kFour = {"joy", "anger", "fear", "love"};

Dataset withLabels(const Names &labels, const std::string &map = {})
{
    Dataset dataset;
    dataset.name = "set";
    dataset.origin.labelMap = map;
    for (const std::string &label : labels) {
        dataset.examples.emplace_back().source = "text";
        dataset.examples.back().reference = label;
    }
    return dataset;
}

Dataset withNumbers(const std::vector<std::vector<std::int64_t>> &labels)
{
    Dataset dataset;
    for (const auto &numbers : labels)
        dataset.examples.emplace_back().labels = numbers;
    return dataset;
}

LabelReading read(const Dataset &dataset, const Names &model, ProblemType problem = ProblemType::SingleLabel)
{
    return readLabels(dataset, problem, model).valueOrThrow();
}

Error errorOf(const Dataset &dataset, const Names &model, ProblemType problem = ProblemType::SingleLabel)
{
    const auto reading = readLabels(dataset, problem, model);
    return reading.isError() ? reading.error() : Error{ErrorCode::Internal, "no error"};
}

bool has(const std::string &text, const std::string &part)
{
    if (text.find(part) != std::string::npos)
        return true;
    qWarning("\"%s\" is not in \"%s\"", part.c_str(), text.c_str());
    return false;
}

} // namespace

class TestLabels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void oneLabel_data()
    {
        QTest::addColumn<QByteArrayList>("labels");
        QTest::newRow("names") << QByteArrayList{"NEGATIVE", "POSITIVE"};
        QTest::newRow("any case of letters") << QByteArrayList{"Negative", " positive "};
        QTest::newRow("numbers") << QByteArrayList{"0", "1"};
        QTest::newRow("numbers with a fraction") << QByteArrayList{"0.0", "1."};
        QTest::newRow("nameless") << QByteArrayList{"LABEL_0", "label_1"};
        QTest::newRow("mixed") << QByteArrayList{"0", "POSITIVE"};
    }

    void oneLabel()
    {
        QFETCH(QByteArrayList, labels);
        Names names;
        for (const QByteArray &label : labels)
            names.push_back(label.toStdString());
        const LabelReading reading = read(withLabels(names), kSentiment);
        QVERIFY(reading.known);
        QCOMPARE(reading.classes, kSentiment);
        QCOMPARE(reading.modelLabels, (Classes{{0}, {1}}));
        QCOMPARE(reading.exampleClasses, (Classes{{0}, {1}}));
        const bool byNumber = labels[0][0] == '0';
        QCOMPARE(reading.warnings.size(), std::size_t{byNumber ? 1U : 0U});
        QVERIFY(reading.exampleValues.empty());
    }

    void numbersThatAreNames()
    {
        const Names stars = {"1", "2", "3"};
        QCOMPARE(read(withLabels({"1", "3", "2"}), stars).exampleClasses, (Classes{{0}, {2}, {1}}));
        QVERIFY(has(errorOf(withLabels({"1", "0"}), stars).message, "row 2: the label \"0\""));
    }

    void labelsAsJsonNumbers()
    {
        QCOMPARE(read(withNumbers({{1}, {0}}), kSentiment).exampleClasses, (Classes{{1}, {0}}));
        QVERIFY(has(errorOf(withNumbers({{1}, {0, 1}}), kSentiment).message, "row 2 has 2 labels"));
    }

    void rowsWithoutLabel()
    {
        const LabelReading reading = read(withLabels({"0", "", "1", "-1"}), kSentiment);
        QVERIFY(reading.known);
        QCOMPARE(reading.exampleClasses, (Classes{{0}, {}, {1}, {}}));
        QCOMPARE(reading.warnings.front(), std::string("2 rows without a label, the first is row 2"));
        for (const Names &hidden : {Names{"", ""}, Names{"-1"}}) {
            const LabelReading none = read(withLabels(hidden), kSentiment);
            QVERIFY(!none.known);
            QVERIFY(none.warnings.empty());
            QCOMPARE(none.classes, kSentiment);
        }
    }

    void labelsNeverSeen()
    {
        const auto names = read(withLabels({"neutral", "entailment"}), kNli);
        QCOMPARE(names.warnings, Names{"no row has the label CONTRADICTION"});
        const auto numbers = read(withLabels({"0", "1"}), kNli);
        QCOMPARE(numbers.warnings.at(0), std::string("no row has the label NEUTRAL"));
    }

    void numbersAreNamed()
    {
        Dataset data = withLabels({"0", "2", "1"});
        QCOMPARE(read(data, kNli).warnings,
                 Names{"the labels are numbers and are read as places in the model's list, from 0: 0 is read as "
                       "CONTRADICTION, 1 is read as ENTAILMENT, 2 is read as NEUTRAL; if they mean otherwise, say so "
                       "with --label-map"});
        // Columns as SNLI and MNLI have them, which count from entailment.
        data.columns = {.names = {}, .text = "premise", .pair = "hypothesis", .label = "label"};
        const std::string known = read(data, kNli).warnings.at(0);
        QVERIFY(has(known, "SNLI"));
        QVERIFY(has(known, "0 entailment, 1 neutral, 2 contradiction"));
        QVERIFY(has(known, "--label-map 0=ENTAILMENT,1=NEUTRAL,2=CONTRADICTION"));
        data.origin.labelMap = "0=ENTAILMENT,1=NEUTRAL,2=CONTRADICTION";
        QVERIFY(read(data, kNli).warnings.empty());
        // The same order, and labels that nobody has named: nothing to say.
        data.origin.labelMap.clear();
        QVERIFY(read(data, {"entailment", "neutral", "contradiction"}).warnings.empty());
        QVERIFY(read(data, {"LABEL_0", "LABEL_1", "LABEL_2"}).warnings.empty());
        // In other columns, and of other labels, the numbers are their owner's.
        data.columns.pair.clear();
        QVERIFY(!has(read(data, kNli).warnings.at(0), "SNLI"));
        data.columns.pair = "hypothesis";
        QVERIFY(!has(read(data, {"a", "b", "c"}).warnings.at(0), "SNLI"));
    }

    void mapComesFirst()
    {
        const auto reading = read(withLabels({"0", "1", "2"}, "0=entailment, 1 = NEUTRAL,2=0"), kNli);
        QCOMPARE(reading.exampleClasses, (Classes{{1}, {2}, {0}}));
        QCOMPARE(reading.classes, kNli);
        QVERIFY(reading.warnings.empty());
        // In any case of letters, unless another entry is exact.
        QCOMPARE(read(withLabels({"GOOD", "good", "Bad"}, "good=1,GOOD=0,bad=0"), kSentiment).exampleClasses,
                 (Classes{{0}, {1}, {0}}));
        QCOMPARE(read(withLabels({"x=y", "p"}, "x=y=1,p=0"), kSentiment).exampleClasses, (Classes{{1}, {0}}));
    }

    void severalModelLabelsCountAsOne()
    {
        const auto reading = read(withLabels({"other", "anger", "LOVE", "fear"}, "other=joy+love"), kFour);
        QCOMPARE(reading.classes, (Names{"other", "anger", "fear"}));
        QCOMPARE(reading.modelLabels, (Classes{{0, 3}, {1}, {2}}));
        QCOMPARE(reading.exampleClasses, (Classes{{0}, {1}, {0}, {2}}));
        // The same set twice is one class; order and repetition do not matter.
        const auto same = read(withLabels({"a", "b", "c"}, "a=fear+love,b=love+fear+love,c=0"), kFour);
        QCOMPARE(same.classes, (Names{"joy", "anger", "a"}));
        QCOMPARE(same.exampleClasses, (Classes{{2}, {2}, {0}}));
    }

    void mapsThatCannotBe_data()
    {
        QTest::addColumn<QByteArray>("map");
        QTest::addColumn<QByteArray>("reason");
        QTest::newRow("no =") << QByteArray("a=joy,b") << QByteArray("\"b\" has no \"=\"");
        QTest::newRow("trailing comma") << QByteArray("a=joy,") << QByteArray("\"\" has no \"=\"");
        QTest::newRow("no data label") << QByteArray("=joy") << QByteArray("names no label of the data");
        QTest::newRow("twice") << QByteArray("a=joy,a=fear") << QByteArray("\"a\" is there twice");
        QTest::newRow("unknown") << QByteArray("a=joy+hate")
                                 << QByteArray("\"hate\" is none of the model's labels: joy");
        QTest::newRow("nothing") << QByteArray("a=") << QByteArray("\"\" is none of");
        QTest::newRow("overlap") << QByteArray("a=joy+fear,b=fear+love")
                                 << QByteArray("fear is part of both \"a\" and \"b\"");
        QTest::newRow("name of another") << QByteArray("joy=love+fear") << QByteArray("\"joy\" cannot mean other");
    }

    void mapsThatCannotBe()
    {
        QFETCH(QByteArray, map);
        QFETCH(QByteArray, reason);
        const Error error = errorOf(withLabels({"a"}, map.toStdString()), kFour);
        QCOMPARE(error.code, ErrorCode::Usage);
        QVERIFY(has(error.message, "--label-map: "));
        QVERIFY(has(error.message, reason.toStdString()));
    }

    void mapEntriesThatDoNotOccur()
    {
        QCOMPARE(read(withLabels({"0", "1"}, "positiv=1"), kSentiment).warnings.back(),
                 std::string("no row has the label \"positiv\" of --label-map"));
    }

    void entailmentAgainstAllElse_data()
    {
        QTest::addColumn<QByteArray>("label");
        QTest::newRow("HANS") << QByteArray("non-entailment");
        QTest::newRow("RTE") << QByteArray("not_entailment");
        QTest::newRow("other") << QByteArray("Non_Entailment");
    }

    void entailmentAgainstAllElse()
    {
        QFETCH(QByteArray, label);
        const std::string other = label.toStdString();
        const LabelReading reading = read(withLabels({other, "entailment", other}), kNli);
        QCOMPARE(reading.classes, (Names{other, "ENTAILMENT"}));
        QCOMPARE(reading.modelLabels, (Classes{{0, 2}, {1}}));
        QCOMPARE(reading.exampleClasses, (Classes{{0}, {1}, {0}}));
        QCOMPARE(reading.warnings, Names{"the label \"" + other
                                         + "\" is read as CONTRADICTION or NEUTRAL of the model, which count as one "
                                           "(McCoy et al. 2019)"});
        const auto ordered = read(withLabels({other, "entailment"}), {"entailment", "neutral", "contradiction"});
        QCOMPARE(ordered.classes, (Names{"entailment", other}));
        QCOMPARE(ordered.exampleClasses, (Classes{{1}, {0}}));
    }

    void entailmentIsNotGuessed()
    {
        // A third label; another model; the user knows better.
        QVERIFY(has(errorOf(withLabels({"non-entailment", "neutral"}), kNli).message, "\"non-entailment\" is none of"));
        QVERIFY(has(errorOf(withLabels({"non-entailment"}), kFour).message, "none of the model's: joy, anger"));
        const Names two = {"entailment", "not_entailment"};
        QVERIFY(has(errorOf(withLabels({"non-entailment"}), two).message, "--label-map"));
        const auto mapped = read(withLabels({"non-entailment", "entailment"}, "non-entailment=neutral"), kNli);
        QCOMPARE(mapped.classes, kNli);
        QCOMPARE(mapped.exampleClasses, (Classes{{2}, {1}}));
    }

    void unreadableLabelsAreExplained()
    {
        const std::string unknown = errorOf(withLabels({"positive", "happy"}), kSentiment).message;
        QCOMPARE(unknown,
                 std::string("set: row 2: the label \"happy\" is none of the model's: NEGATIVE, POSITIVE. Map it "
                             "with --label-map, e.g. \"happy=NEGATIVE\"; labels joined by + count as one."));
        QVERIFY(has(errorOf(withLabels({"2"}), kSentiment).message, "\"2\" is none of"));
        QVERIFY(has(errorOf(withLabels({"1.5"}), kSentiment).message, "\"1.5\" is none of"));
        const std::string nameless = errorOf(withLabels({"happy"}), {"LABEL_0", "LABEL_1"}).message;
        QCOMPARE(nameless,
                 std::string("set: row 1: which of the model's labels is \"happy\"? They have no names (LABEL_0, "
                             "LABEL_1). Use --label-map, e.g. \"happy=0\" if it is the first."));
        QVERIFY(has(errorOf(withLabels({"2"}), {"LABEL_0", "LABEL_1"}).message, "\"2\" is none of"));
    }

    void severalLabels_data()
    {
        QTest::addColumn<QByteArray>("first");
        QTest::newRow("commas") << QByteArray("joy, fear");
        QTest::newRow("semicolons") << QByteArray("FEAR;joy;joy");
        QTest::newRow("bars") << QByteArray("joy|2");
        QTest::newRow("JSON names") << QByteArray("[\"joy\", \"fear\"]");
        QTest::newRow("JSON numbers") << QByteArray("[2, 0]");
        QTest::newRow("numbers") << QByteArray("0,2");
    }

    void severalLabels()
    {
        QFETCH(QByteArray, first);
        const auto reading = read(withLabels({first.toStdString(), "love", ""}), kFour, ProblemType::MultiLabel);
        QCOMPARE(reading.exampleClasses, (Classes{{0, 2}, {3}, {}}));
        QVERIFY(reading.known);
        QCOMPARE(reading.warnings.front(), std::string("no row has the label anger"));
    }

    void namesMayHoldCommas()
    {
        const Names names = {"joy, love", "fear"};
        const auto reading
            = read(withLabels({"joy, love", "[\"fear\", \"joy, love\"]"}), names, ProblemType::MultiLabel);
        QCOMPARE(reading.exampleClasses, (Classes{{0}, {0, 1}}));
    }

    void zerosAndOnes()
    {
        const auto problem = ProblemType::MultiLabel;
        QCOMPARE(read(withNumbers({{0, 1, 1, 0}, {0, 0, 0, 0}, {1, 0, 0, 1}}), kFour, problem).exampleClasses,
                 (Classes{{1, 2}, {}, {0, 3}}));
        QCOMPARE(read(withLabels({"0,1,1,0", "[1.0, 0.0, 0.0, 0.0]"}), kFour, problem).exampleClasses,
                 (Classes{{1, 2}, {0}}));
        // One row that is otherwise makes all of them places.
        QCOMPARE(read(withNumbers({{0, 1}, {1}, {}}), kSentiment, problem).exampleClasses, (Classes{{0, 1}, {1}, {}}));
        QCOMPARE(read(withNumbers({{3, 0}, {0, 1}}), kFour, problem).exampleClasses, (Classes{{0, 3}, {0, 1}}));
    }

    void numbersAsLabels()
    {
        const auto reading = read(withLabels({"2.5", " -1 ", "1e-3"}), {"LABEL_0"}, ProblemType::Regression);
        QCOMPARE(reading.exampleValues, (std::vector<double>{2.5, -1, 0.001}));
        QCOMPARE(reading.exampleClasses, (Classes{{}, {}, {}}));
        QVERIFY(reading.known);
        QCOMPARE(read(withNumbers({{3}}), {"LABEL_0"}, ProblemType::Regression).exampleValues, std::vector<double>{3});
        const auto none = read(withLabels({"", ""}), {"LABEL_0"}, ProblemType::Regression);
        QVERIFY(!none.known && none.exampleValues.empty());
        for (const char *bad : {"", "good", "1,5", "nan", "inf", "1e999"}) {
            const Error error = errorOf(withLabels({"1", bad}), {"LABEL_0"}, ProblemType::Regression);
            QVERIFY(has(error.message, "set: row 2: the model gives a number, but the label is \"" + std::string(bad)));
        }
    }
};

QTEST_APPLESS_MAIN(TestLabels)
#include "tst_labels.moc"
