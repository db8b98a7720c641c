// Tables of questions: which layouts are recognised, what the model reads of a row, and how bad rows are refused.
#include "tests/core/data/files.h"

#include <QTest>

#include <string>

using namespace headscope;
using namespace headscope::testing;

class TestQuestions : public QObject
{
    Q_OBJECT

    const Files m_files;

    DataSource lines(const std::string &text) const { return m_files.table("exam.jsonl", text); }

private Q_SLOTS:
    void answersAreTextsLettersOrNumbers_data()
    {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<int>("place");
        QTest::newRow("number") << QByteArray("2") << 2;
        QTest::newRow("letter") << QByteArray("\"B\"") << 1;
        QTest::newRow("text") << QByteArray("\"a dog\"") << 0;
        QTest::newRow("text of a number") << QByteArray("\"1\"") << 2;
        QTest::newRow("number as text") << QByteArray("\"0\"") << 0;
    }
    void answersAreTextsLettersOrNumbers()
    {
        QFETCH(QByteArray, answer);
        QFETCH(int, place);
        const Dataset data = read(lines(R"({"context": "I see", "choices": ["a dog", "a cat", "1"], "answer": )"
                                        + answer.toStdString() + "}\n"));
        QVERIFY(data.columns.questions);
        QCOMPARE(data.examples.front().answer, place);
        QCOMPARE(data.examples.front().reference, data.examples.front().choices[static_cast<std::size_t>(place)]);
    }

    void spreadsheetsHaveAColumnForEachChoice()
    {
        const Dataset data = read(m_files.table("exam.csv", "question,choice_1,choice_2,choice_3,answer,subject\n"
                                                            "\"Who, then?\",Ann,Bob,,B,history\nWhat?,a,b,c,c,art\n"));
        QCOMPARE(data.examples[0].source, std::string("Who, then?"));
        QCOMPARE(data.examples[0].choices, (std::vector<std::string>{"Ann", "Bob"}));
        QCOMPARE(data.examples[0].answer, 1);
        QCOMPARE(data.examples[1].answer, 2);
        QCOMPARE(data.examples[1].paradigm, std::string("art"));
    }

    void promptsNameColumns()
    {
        DataSource source = lines("{\"q\": \"Who?\", \"hint\": 3, \"choices\": [\"a\", \"b\"], \"answer\": 0}\n");
        source.prompt = "Q: {q} ({hint})\\nA:";
        QCOMPARE(read(source).examples.front().source, std::string("Q: Who? (3)\nA:"));
        source.prompt = "Q: {nothing}";
        QVERIFY(has(errorOf(source), "\"nothing\""));
    }

    void shotsStandBeforeEveryQuestion()
    {
        DataSource source = lines("{\"context\": \"C\", \"choices\": [\"x\", \"y\"], \"answer\": 1}\n");
        source.shotsFile
            = m_files.write("dev.jsonl", "{\"context\": \"A\", \"choices\": [\"x\", \"y\"], \"answer\": 0}\n"
                                         "{\"context\": \"B\", \"choices\": [\"x\", \"y\"], \"answer\": 1}\n");
        const std::string none = read(source).hash; // a file without a number changes nothing
        source.shots = 2;
        const Dataset data = read(source);
        QCOMPARE(data.examples.front().source, std::string("A x\n\nB y\n\nC"));
        QVERIFY(data.hash != none);
        source.shots = 3;
        QVERIFY(has(errorOf(source), "has 2 questions"));
        source.shotsFile.clear();
        QVERIFY(has(errorOf(source), "--shots-file"));
    }

    void promptsHaveAcceptedAnswers_data()
    {
        QTest::addColumn<QByteArray>("row");
        QTest::addColumn<QByteArray>("prompt");
        QTest::addColumn<QByteArray>("accepted");
        QTest::newRow("one") << QByteArray(R"({"prompt": "2 + 2 =", "answer": 4})") << QByteArray("2 + 2 =")
                             << QByteArray("4");
        QTest::newRow("several") << QByteArray(R"({"question": "Who?", "answers": ["Ann", "Bob", "Ann"]})")
                                 << QByteArray("Who?") << QByteArray("Ann|Bob");
        QTest::newRow("SQuAD") << QByteArray(
            R"({"title": "T", "context": "C.", "question": "Q?", "answers": {"text": ["a"], "answer_start": [0]}})")
                               << QByteArray("Title: T\n\nBackground: C.\n\nQuestion: Q?\n\nAnswer:")
                               << QByteArray("a");
        QTest::newRow("SQuAD 2, no answer")
            << QByteArray(R"({"context": "C.", "question": "Q?", "answers": {"text": []}})")
            << QByteArray("Background: C.\n\nQuestion: Q?\n\nAnswer:") << QByteArray("unanswerable");
        QTest::newRow("TriviaQA") << QByteArray(
            R"({"question": "Q?", "answer": {"value": "a", "aliases": ["a", "A"]}})")
                                  << QByteArray("Q?") << QByteArray("a|A");
    }
    void promptsHaveAcceptedAnswers()
    {
        QFETCH(QByteArray, row);
        QFETCH(QByteArray, prompt);
        QFETCH(QByteArray, accepted);
        const Dataset data = read(lines(row.toStdString() + "\n"));
        QVERIFY(data.columns.questions && data.examples.front().choices.empty());
        QCOMPARE(QByteArray::fromStdString(data.examples.front().source), prompt);
        QByteArrayList found;
        for (const std::string &one : data.examples.front().accepted)
            found << QByteArray::fromStdString(one);
        QCOMPARE(found.join('|'), accepted);
        QCOMPARE(data.examples.front().reference, data.examples.front().accepted.front());
    }

    /// Tables whose rows are to be classified stay what they were.
    void labelsAreNoAnswers()
    {
        QVERIFY(!read(m_files.table("qa.csv", "question,answer,label\nWho?,Ann,1\n")).columns.questions);
    }

    void badRowsAreNamed_data()
    {
        QTest::addColumn<QByteArray>("row");
        QTest::addColumn<QByteArray>("message");
        const auto add = [](const char *name, const char *row, const char *message) {
            QTest::newRow(name) << QByteArray(row) << QByteArray(message);
        };
        add("beyond", R"({"context": "a", "choices": ["b", "c"], "answer": 2})", "none of the 2 choices");
        add("empty choice", R"({"context": "a", "choices": ["b", " "], "answer": 0})", "choice 1 is empty");
        add("equal", R"({"context": "a", "choices": ["b", "b"], "answer": 0})", "two choices are");
        add("one", R"({"context": "a", "choices": ["b"], "answer": 0})", "two choices or more");
        add("no answer", R"({"context": "a", "choices": ["b", "c"], "answer": null})", "has no \"answer\"");
        add("no list", R"({"context": "a", "choices": "b", "answer": 0})", "no list of texts");
        add("choices of lists", R"({"context": "a", "choices": [["b"], "c"], "answer": 0})", "a list or an object");
        add("ARC without labels", R"({"question": "a", "choices": {"text": ["b", "c"]}, "answerKey": "A"})",
            "no lists \"text\" and \"label\"");
        add("HellaSwag", R"({"ctx_a": "a", "ctx_b": "b", "activity_label": "c", "endings": ["d", "e"], "label": "x"})",
            "not the number of one of the endings");
        add("BoolQ", R"({"passage": "a", "question": "b", "label": "perhaps"})", "neither yes nor no");
    }
    void badRowsAreNamed()
    {
        QFETCH(QByteArray, row);
        QFETCH(QByteArray, message);
        const std::string error = errorOf(lines(row.toStdString() + "\n"));
        QVERIFY(has(error, message.toStdString()));
        QVERIFY(has(error, "line 1"));
    }

    void clozeAsksForTheLastWord()
    {
        DataSource source = lines("{\"text\": \"The cat sat on the mat\"}\n");
        source.cloze = true;
        const Example example = read(source).examples.front();
        QCOMPARE(example.source, std::string("The cat sat on the"));
        QCOMPARE(example.choices, (std::vector<std::string>{"mat"}));
        source = lines("{\"text\": \"Mat\"}\n");
        source.cloze = true;
        QVERIFY(has(errorOf(source), "last word"));
    }

    /// Other tables are what they were, and prompts are refused for them.
    void otherTablesAreNone()
    {
        DataSource source = m_files.table("t.tsv", "question\tsentence\tlabel\na\tb\t1\n"); // QNLI
        QVERIFY(!read(source).columns.questions);
        source.prompt = "{question}";
        QVERIFY(has(errorOf(source), "no questions"));
    }
};

QTEST_APPLESS_MAIN(TestQuestions)
#include "tst_questions.moc"
