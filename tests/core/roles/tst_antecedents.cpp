// Choosing antecedents: what rules choose, and heads that were built by hand on documents that were made up.
#include "core/analysis/coreferencespec.h"
#include "core/formats/atomicfile.h"
#include "core/roles/antecedents.h"
#include "core/session/session.h"
#include "tests/core/roles/onehotworld.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

namespace {

struct Word
{
    const char *form;
    const char *tag;
    int entity = -1; ///< a mention of one word
};

Coreference made(const std::vector<Word> &words)
{
    Coreference document;
    for (const Word &word : words) {
        const int place = static_cast<int>(document.words.size());
        document.words.push_back({.form = word.form, .tag = word.tag, .relation = {}});
        if (word.entity >= 0)
            document.mentions.push_back(
                {place, place, place, word.entity,
                 std::string_view(word.tag) == "PRP" ? MentionForm::Pronoun : MentionForm::Nominal});
    }
    return document;
}

AntecedentTask taskOf(const std::vector<Word> &words)
{
    return antecedentTask(made(words), std::vector<std::uint8_t>(words.size(), 1));
}

std::string fileOf(const std::vector<std::vector<Word>> &documents)
{
    std::string text;
    for (const auto &document : documents) {
        text += "#begin document (made/up); part 000\n";
        int number = 0;
        for (const Word &word : document) {
            const std::string mention = word.entity < 0 ? "-" : '(' + std::to_string(word.entity) + ')';
            text += "made/up 0 " + std::to_string(number++) + ' ' + word.form + ' ' + word.tag + " * - - - - * "
                  + mention + '\n';
        }
        text += "\n#end document\n";
    }
    return text;
}

} // namespace

class TestAntecedents : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::string path(const char *name) const { return m_folder.filePath(QString::fromUtf8(name)).toStdString(); }

private Q_SLOTS:
    void rulesChoose_data()
    {
        QTest::addColumn<QByteArray>("hits"); // nearest, head match, sieves: of the last mention
        using Words = std::vector<Word>;
        QTest::addColumn<Words>("words");
        const auto row = [](const char *name, const char *hits, const Words &words) {
            QTest::newRow(name) << QByteArray(hits) << words;
        };
        row("nearest is right", "101", {{"dog", "NN", 2}, {"Mary", "NNP", 1}, {"she", "PRP", 1}});
        row("same word farther away", "011", {{"dog", "NN", 1}, {"Mary", "NNP", 2}, {"Dog", "NN", 1}});
        row("number agrees", "001", {{"dogs", "NNS", 1}, {"cat", "NN", 2}, {"they", "PRP", 1}});
        row("gender agrees", "001", {{"she", "PRP", 1}, {"he", "PRP", 2}, {"her", "PRP", 1}});
        row("person agrees", "001", {{"I", "PRP", 1}, {"dog", "NN", 2}, {"my", "PRP$", 1}});
        row("nothing agrees", "101", {{"dogs", "NNS", 2}, {"cats", "NNS", 1}, {"it", "PRP", 1}});
    }
    void rulesChoose()
    {
        QFETCH(QByteArray, hits);
        QFETCH(std::vector<Word>, words);
        const AntecedentTask task = taskOf(words);
        QCOMPARE(task.choices.size(), 1U);
        for (std::size_t rule = 0; rule < kAntecedentRules; ++rule)
            QCOMPARE(task.choices[0].ruleHits[rule], hits[static_cast<qsizetype>(rule)] == '1');
    }

    void firstMentionsHaveNoAntecedent()
    {
        const AntecedentTask task
            = taskOf({{"a", "NN", 1}, {"b", "NN", 2}, {"a", "NN", 1}, {"c", "NN", 3}, {"a", "NN", 1}});
        QCOMPARE(task.choices.size(), 2U);
        const std::vector<int> candidates{0, 1, 2, 3};
        const std::vector<std::uint8_t> right{1, 0, 1, 0};
        QVERIFY(task.choices[1].candidates == candidates && task.choices[1].isAntecedent == right);
    }

    void wordsWithoutTokensAreLeftOut()
    {
        const AntecedentTask task = antecedentTask(made({{"a", "NN", 1}, {"b", "NN", 2}, {"a", "NN", 1}}), {1, 1, 0});
        QCOMPARE(task.leftOut, std::int64_t{1});
        QVERIFY(task.choices.empty());
    }

    void theLargestWeightChooses()
    {
        const AntecedentTask task = taskOf({{"a", "NN", 1}, {"b", "NN", 2}, {"it", "PRP", 1}});
        const auto hits = [&](double onFirst, double onSecond) {
            std::vector<double> words(9, 0.0);
            words[6] = onFirst;
            words[7] = onSecond;
            words[8] = 0.9; // itself is no candidate
            return antecedentHits(task, words)[static_cast<std::size_t>(MentionForm::Pronoun)];
        };
        QCOMPARE(hits(0.06, 0.04), 1.0);
        QCOMPARE(hits(0.04, 0.06), 0.0);
        QCOMPARE(hits(0.05, 0.05), 0.0); // no choice
    }

    void handmadeHeadsFindTheirs()
    {
        OneHotWorld::write(path("onehot"));
        const std::string file = fileOf(
            {{{"w112", "NN", 1}, {"w50", "VB"}, {"w113", "NN", 2}, {"w51", "VB"}, {"w112", "NN", 1}, {"w113", "NN", 2}},
             {{"w114", "NN", 1}, {"w115", "PRP", 1}, {"w60", "VB"}}});
        (void)writeFileAtomically(path("docs.conll"), file).valueOrThrow();
        const auto session = Session::open(path("onehot"), {}, {}).valueOrThrow();
        DataSource source;
        source.conllu = path("docs.conll");
        (void)session->setData(Domain::In, source, {}).valueOrThrow();
        const auto result = session->run(Domain::In, CoreferenceSpec{}, {}).valueOrThrow();
        QCOMPARE(result.mentions, std::int64_t{3});
        QCOMPARE(result.examples, std::int64_t{2});
        QCOMPARE(result.byForm[0], std::int64_t{1}); // a pronoun
        const auto near = [](double a, double b) { return std::abs(a - b) < 1e-9; };
        QVERIFY(near(result.baselines[0].accuracy.all, 1.0 / 3) && near(result.baselines[1].accuracy.all, 2.0 / 3)
                && near(result.baselines[2].accuracy.all, 1));
        QVERIFY(near(result.baselines[3].accuracy.all, (1.0 / 2 + 1.0 / 3 + 1) / 3)); // chance
        const auto &same = result.heads[OneHotWorld::SameToken].accuracy;
        QVERIFY(near(same.all, 2.0 / 3) || near(same.all, 1));
        QVERIFY(same.byForm[2] && near(*same.byForm[2], 1) && !same.byForm[1]); // nouns; there are no names
        const auto &previous = result.heads[OneHotWorld::Previous];
        QVERIFY(near(previous.accuracy.all, 1.0 / 3) && near(*previous.accuracy.byForm[0], 1));
        QVERIFY(previous.interval.low <= previous.accuracy.all && previous.accuracy.all <= previous.interval.high);
        QVERIFY(near(*result.heads[OneHotWorld::Uniform].accuracy.byForm[2], 0)); // equal weights are no choice
    }

    void dataWithoutCoreferenceIsRefused()
    {
        OneHotWorld::write(path("onehot"));
        (void)writeFileAtomically(path("lines.tsv"), "sentence\tlabel\nw30\tno\n").valueOrThrow();
        const auto session = Session::open(path("onehot"), {}, {}).valueOrThrow();
        DataSource source;
        source.table = path("lines.tsv");
        (void)session->setData(Domain::In, source, {}).valueOrThrow();
        const auto result = session->run(Domain::In, CoreferenceSpec{}, {});
        QVERIFY(!result.isOk() && result.error().message.find("CoNLL-2012") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestAntecedents)
#include "tst_antecedents.moc"
