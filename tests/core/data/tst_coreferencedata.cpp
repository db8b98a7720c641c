// Documents with coreference as CoNLL-2012 writes them: what is read, and what strangers may write.
#include "core/data/dataset.h"
#include "core/data/readers.h"
#include "core/formats/atomicfile.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstddef>
#include <string>

using namespace headscope;

namespace {

/// A line of a word: its number, form, tag and mentions.
std::string line(int number, const char *form, const char *tag, const char *mentions)
{
    return "bc/x 0 " + std::to_string(number) + ' ' + form + ' ' + tag + " * - - - speaker * " + mentions + '\n';
}

std::string document()
{
    return "#begin document (bc/x); part 000\n" + line(0, "Mary", "NNP", "(1)") + line(1, "saw", "VBD", "-")
         + line(2, "the", "DT", "(2") + line(3, "president", "NN", "-") + line(4, "of", "IN", "-")
         + line(5, "France", "NNP", "2)|(3)") + line(6, "/.", ".", "-") + '\n' + line(0, "She", "PRP", "(1)")
         + line(1, "greeted", "VBD", "-") + line(2, "his", "PRP$", "(4|(2)") + line(3, "wife", "NN", "4)")
         + "\n#end document\n";
}

} // namespace

class TestCoreferenceData : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    Result<Dataset> read(const std::string &text, std::int64_t words = 0)
    {
        const std::string file = m_folder.filePath(QStringLiteral("docs.conll")).toStdString();
        (void)writeFileAtomically(file, text).valueOrThrow();
        DataSource source;
        source.conllu = file;
        source.documentWords = words;
        return readDataset(source, {});
    }

private Q_SLOTS:
    // The demo's documents: every one has a mention with an antecedent, and the nearest mention before a pronoun is of
    // its entity less often than not.
    void theDemosDocumentsCannotBeGuessed()
    {
        DataSource source;
        source.conllu = qEnvironmentVariable("HEADSCOPE_SOURCE_DIR").toStdString()
                      + "/resources/demo/corpus/coreference.en.conll";
        const Dataset data = readDataset(source, {}).valueOrThrow();
        QCOMPARE(data.examples.size(), 128U);
        int pronouns = 0, nearest = 0;
        for (const Example &document : data.examples) {
            const auto &mentions = document.coreference.mentions;
            bool hasAntecedent = false;
            for (std::size_t i = 1; i < mentions.size(); ++i) {
                bool known = false;
                for (std::size_t j = 0; j < i; ++j)
                    known = known || mentions[j].entity == mentions[i].entity;
                hasAntecedent = hasAntecedent || known;
                if (!known || mentions[i].form != MentionForm::Pronoun)
                    continue;
                ++pronouns;
                std::size_t last = i - 1; // by the word that a mention ends with
                for (std::size_t j = 0; j < i; ++j)
                    last = mentions[j].last < mentions[i].first && mentions[j].last >= mentions[last].last ? j : last;
                nearest += mentions[last].entity == mentions[i].entity ? 1 : 0;
            }
            QVERIFY2(hasAntecedent, document.source.c_str());
        }
        QCOMPARE(pronouns, 136);
        QCOMPARE(nearest, 54);
    }

    void documentsAreRows()
    {
        const Dataset data = read(document() + document()).valueOrThrow();
        QCOMPARE(data.examples.size(), 2U);
        const Example &row = data.examples[0];
        QCOMPARE(row.source, std::string("Mary saw the president of France . She greeted his wife"));
        const Coreference &found = row.coreference;
        QCOMPARE(found.words.size(), 11U);
        for (const TreeWord &word : found.words)
            QCOMPARE(row.source.substr(word.begin, word.end - word.begin), word.form);
        const std::vector<Mention> wanted{{0, 0, 0, 1, MentionForm::Proper},  {2, 5, 3, 2, MentionForm::Nominal},
                                          {5, 5, 5, 3, MentionForm::Proper},  {7, 7, 7, 1, MentionForm::Pronoun},
                                          {9, 9, 9, 2, MentionForm::Pronoun}, {9, 10, 10, 4, MentionForm::Nominal}};
        QVERIFY(found.mentions == wanted);
    }

    /// As people have them: the words and mentions are those of the usual columns.
    void otherKindsAreRead_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("hasTags");
        const auto row = [](const char *name, const std::string &text, bool hasTags) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << hasTags;
        };
        const std::string begin = "#begin document (x); part 000\n";
        row("a comment before it", "# made by a tool\n" + document(), true);
        row("no end", begin + line(0, "Mary", "NNP", "(1)") + line(1, "saw", "VBD", "-") + line(2, "her", "PRP", "(1)"),
            true);
        row("no end before another", begin + line(0, "Mary", "NNP", "(1)") + document(), true);
        row("counted from 1",
            begin + line(1, "Mary", "NNP", "(1)") + line(2, "saw", "VBD", "-") + line(3, "her", "PRP", "(1)"), true);
        row("stars", begin + line(0, "Mary", "NNP", "(1)") + line(1, "saw", "VBD", "*") + line(2, "her", "PRP", "(1)"),
            true);
        row("five columns", begin + "x\t0\t0\tMary\t(1)\nx\t0\t1\tsaw\t-\nx\t0\t2\ther\t(1)\n", false);
        row("three columns", begin + "0 Mary (1)\n1 saw -\n2 her (1)\n", false);
        row("LitBank",
            begin
                + "x\t0\t0\tMary\t_\t_\t_\t_\t_\t_\t_\t_\t(1)\nx\t0\t1\tsaw\t_\t_\t_\t_\t_\t_\t_\t_\t\n"
                  "x\t0\t2\ther\t_\t_\t_\t_\t_\t_\t_\t_\t(1)\n",
            false);
    }
    void otherKindsAreRead()
    {
        QFETCH(QByteArray, text);
        QFETCH(bool, hasTags);
        const Dataset data = read(text.toStdString()).valueOrThrow();
        const Coreference &found = data.examples[0].coreference;
        QCOMPARE(found.words[0].form, std::string("Mary"));
        QCOMPARE(found.mentions[0].entity, 1);
        QVERIFY(found.words.size() == 1 || found.words[1].form == "saw");
        const auto isNote
            = [](const std::string &note) { return note.find("no part-of-speech tags") != std::string::npos; };
        QCOMPARE(std::ranges::any_of(data.warnings, isNote), !hasTags);
    }

    void longDocumentsAreCut()
    {
        const Dataset data = read(document(), 5).valueOrThrow();
        QCOMPARE(data.examples[0].source, std::string("Mary saw the president of"));
        QCOMPARE(data.examples[0].coreference.mentions.size(), 1U); // the other reaches beyond
        QVERIFY(data.hash != read(document()).valueOrThrow().hash);
    }

    void headsOfMentions_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<int>("head");
        QTest::newRow("in front of a preposition") << QStringLiteral("the/DT old/JJ city/NN of/IN Rome/NNP") << 2;
        QTest::newRow("in front of a comma") << QStringLiteral("Obama/NNP ,/, the/DT president/NN") << 0;
        QTest::newRow("the last noun") << QStringLiteral("Hong/NNP Kong/NNP Disneyland/NNP") << 2;
        QTest::newRow("relative clause") << QStringLiteral("those/DT who/WP came/VBD") << 0;
        QTest::newRow("possessive") << QStringLiteral("his/PRP$ own/JJ house/NN") << 2;
        QTest::newRow("number after a noun") << QStringLiteral("room/NN 5/CD") << 0;
        QTest::newRow("no noun at all") << QStringLiteral("very/RB well/RB") << 1;
    }
    void headsOfMentions()
    {
        QFETCH(QString, words);
        QFETCH(int, head);
        const QStringList all = words.split(u' ');
        std::string text = "#begin document (x); part 000\n";
        for (int i = 0; i < all.size(); ++i) {
            const QStringList parts = all[i].split(u'/');
            text += line(i, qPrintable(parts[0]), qPrintable(parts[1]),
                         i == 0                ? "(1"
                         : i + 1 == all.size() ? "1)"
                                               : "-");
        }
        const Dataset data = read(text + "#end document\n").valueOrThrow();
        QCOMPARE(data.examples[0].coreference.mentions.at(0).head, head);
    }

    void strangersFilesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("says");
        const std::string begin = "#begin document (x); part 000\n";
        const std::string end = "#end document\n";
        const auto row = [](const char *name, const std::string &text, const char *says) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QByteArray(says);
        };
        row("few columns", begin + "0 word\n" + end, "line 2: a line of 2 columns");
        row("word out of turn", begin + line(2, "a", "DT", "-") + end, "word 0 was expected");
        row("no number", begin + line(0, "a", "DT", "(x)") + end, "\"x\" where a number was expected");
        row("negative", begin + line(0, "a", "DT", "(-1)") + end, "\"-1\" where a number");
        row("too large", begin + line(0, "a", "DT", "(99999999999)") + end, "where a number");
        row("no brackets", begin + line(0, "a", "DT", "7") + end, "(N, N), (N) or -");
        row("empty part", begin + line(0, "a", "DT", "(1)||(2)") + end, "(N, N), (N) or -");
        row("bracket alone", begin + line(0, "a", "DT", "(") + end, "where a number");
        row("ends first", begin + line(0, "a", "DT", "7)") + end, "mention 7 ends");
        row("never ends", begin + line(0, "a", "DT", "(7") + end, "never ended");
        row("nothing before another", begin + begin + end, "no document with words");
        row("open at the end of the file", begin + line(0, "a", "DT", "(1"), "never ended");
        row("end first", begin + end + end, "had not begun");
        row("word outside", begin + end + line(0, "a", "DT", "-"), "outside of a document");
        row("nothing", begin + end, "no document with words");
    }
    void strangersFilesAreRefused()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, says);
        const auto found = read(text.toStdString());
        QVERIFY(!found.isOk());
        QVERIFY2(found.error().message.find(says.toStdString()) != std::string::npos, found.error().message.c_str());
    }

    void documentsGoWithNothingElse()
    {
        const std::string file = m_folder.filePath(QStringLiteral("docs.conll")).toStdString();
        (void)writeFileAtomically(file, document()).valueOrThrow();
        const std::string lines = m_folder.filePath(QStringLiteral("lines")).toStdString();
        (void)writeFileAtomically(lines, "Mary\n").valueOrThrow();
        DataSource source;
        source.conllu = file;
        source.source = lines;
        QVERIFY(!readDataset(source, {}).isOk());
    }
};

QTEST_APPLESS_MAIN(TestCoreferenceData)
#include "tst_coreferencedata.moc"
