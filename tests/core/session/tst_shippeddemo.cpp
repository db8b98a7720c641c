#include "core/analysis/evaluationspec.h"
#include "core/formats/textlines.h"
#include "core/results/ablationresult.h"
#include "core/results/anyresult.h"
#include "core/results/attentionresult.h"
#include "core/results/collaborateresult.h"
#include "core/results/confidenceresult.h"
#include "core/results/dynamicsresult.h"
#include "core/results/energyresult.h"
#include "core/results/evaluationresult.h"
#include "core/results/importanceresult.h"
#include "core/results/pruningresult.h"
#include "core/results/relevanceresult.h"
#include "core/results/roles.h"
#include "core/results/rolesresult.h"
#include "core/results/searchresult.h"
#include "core/results/similarityresult.h"
#include "core/results/study.h"
#include "core/session/demo.h"
#include "core/session/session.h"
#include "core/session/studyrecord.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace headscope;
namespace fs = std::filesystem;

namespace {

/// A line of CoNLL-U.
struct Word
{
    std::string form;
    std::string features;
    std::string relation;
    std::size_t head = 0;
    bool spaceAfter = true;
};

using Tree = std::vector<Word>;

/// The two columns of a table's line.
std::pair<std::string, std::string> cut(const std::string &line)
{
    const std::size_t tab = line.find('\t');
    return {line.substr(0, tab), line.substr(tab + 1)};
}

Word wordOf(const std::string &line)
{
    std::vector<std::string> columns;
    std::istringstream rest(line);
    for (std::string column; std::getline(rest, column, '\t');)
        columns.push_back(column);
    return {columns.at(1), columns.at(5), columns.at(7), std::stoul(columns.at(6)), columns.at(9) != "SpaceAfter=No"};
}

std::string spelled(const Tree &tree)
{
    std::string text;
    for (const Word &word : tree)
        text += word.form + (word.spaceAfter && &word != &tree.back() ? " " : "");
    return text;
}

/// One root, and every word reaches it.
bool isTree(const Tree &tree)
{
    for (const Word &word : tree) {
        std::size_t at = word.head;
        for (std::size_t steps = 0; at != 0; ++steps) {
            if (at > tree.size() || steps > tree.size())
                return false;
            at = tree[at - 1].head;
        }
    }
    return std::ranges::count(tree, std::size_t{0}, &Word::head) == 1;
}

/// How many the object of the main verb is.
std::string label(const Tree &tree)
{
    const auto dependent = [&](const Word &head, const char *relation) {
        const auto place = static_cast<std::size_t>(&head - tree.data()) + 1;
        return std::ranges::find_if(tree,
                                    [&](const Word &word) { return word.head == place && word.relation == relation; });
    };
    const auto root = std::ranges::find(tree, std::size_t{0}, &Word::head);
    const auto object = dependent(*root, "obj");
    if (object == tree.end())
        return "none";
    const bool isPlural = object->features.find("Number=Plur") != std::string::npos;
    return isPlural || dependent(*object, "conj") != tree.end() ? "several" : "one";
}

} // namespace

/// The demo in resources/demo is what its command makes, and is what the window promises.
class TestShippedDemo : public QObject
{
    Q_OBJECT

    fs::path m_folder = fs::path(qEnvironmentVariable("HEADSCOPE_SOURCE_DIR").toStdString()) / "resources" / "demo";
    LoadedStudy m_study;

    /// The sweep over single heads, or that over heads that are the only one of their layer.
    AblationResult ablationOf(Domain domain, bool allButOne = false) const
    {
        std::vector<AblationResult> sweeps = resultsOf<AblationResult>(domain);
        std::erase_if(sweeps, [allButOne](const AblationResult &sweep) { return sweep.allButOne != allButOne; });
        return sweeps.size() == 1 ? sweeps.front() : AblationResult{};
    }

    template<typename T>
    std::vector<T> resultsOf(Domain domain) const
    {
        std::vector<T> found;
        for (const AnyResult &result : m_study.results[static_cast<std::size_t>(domain)]) {
            if (const auto wanted = result.as<T>())
                found.push_back(*wanted);
        }
        return found;
    }

    std::vector<std::string> lines(const std::string &file) const
    {
        return readLines(m_folder / "corpus" / file).valueOrThrow();
    }

    std::vector<Tree> treebank(const std::string &file) const
    {
        std::vector<Tree> trees(1);
        for (const std::string &line : lines(file)) {
            if (line.empty())
                trees.emplace_back();
            else if (!line.starts_with('#'))
                trees.back().push_back(wordOf(line));
        }
        trees.pop_back(); // an empty line ends every sentence
        return trees;
    }

private Q_SLOTS:
    void initTestCase()
    {
        auto loaded = loadStudy(m_folder / "demo.headscope");
        QVERIFY2(loaded.isOk(), loaded.isError() ? loaded.error().message.c_str() : "");
        m_study = std::move(loaded).value();
    }

    /// Every split in both languages, sentence by sentence; and no sentence of one split in another.
    void corpusIsComplete()
    {
        const std::map<std::string, std::size_t> sizes
            = {{"train", 40000}, {"validation", 400}, {"in_domain", 500}, {"out_of_domain", 400}};
        std::set<std::string> seen;
        for (const auto &[split, size] : sizes) {
            const std::vector<std::string> english = lines(split + ".en");
            QCOMPARE(english.size(), size);
            QCOMPARE(lines(split + ".fr").size(), size);
            const std::vector<std::string> table = lines(split + ".objects.tsv");
            QCOMPARE(table.size(), size + 1);
            QCOMPARE(table.front(), std::string("sentence\tlabel"));
            for (std::size_t i = 0; i < size; ++i) {
                QVERIFY2(seen.insert(english[i]).second, english[i].c_str());
                const auto [sentence, label] = cut(table[i + 1]);
                QCOMPARE(sentence, english[i]);
                QVERIFY2(label == "none" || label == "one" || label == "several", label.c_str());
            }
        }
    }

    /// The trees spell the text, each has one root and no cycle, and the label is what the tree says.
    void treesBelongToTheText()
    {
        for (const std::string split : {"in_domain", "out_of_domain"}) {
            for (const std::string language : {"en", "fr"}) {
                const std::vector<std::string> text = lines(split + '.' + language);
                const std::vector<std::string> table = lines(split + ".objects.tsv");
                const std::vector<Tree> trees = treebank(split + '.' + language + ".conllu");
                QCOMPARE(trees.size(), text.size());
                for (std::size_t i = 0; i < trees.size(); ++i) {
                    QCOMPARE(spelled(trees[i]), text[i]);
                    QVERIFY2(isTree(trees[i]), text[i].c_str());
                    if (language == "en")
                        QCOMPARE(cut(table[i + 1]).second, label(trees[i]));
                }
            }
        }
    }

    /// Words that are not beside punctuation or an apostrophe in the text are tokens of their own.
    void frequenciesAreTrains()
    {
        std::map<std::string, std::int64_t> counts;
        for (const std::string &line : lines("train.en")) {
            std::istringstream words(line);
            for (std::string word; words >> word;)
                ++counts[word];
        }
        const std::vector<std::string> rows = lines("frequencies.en.tsv");
        std::int64_t last = std::numeric_limits<std::int64_t>::max();
        std::int64_t compared = 0;
        for (const std::string &row : rows) {
            const auto [word, count] = cut(row);
            QVERIFY2(std::stoll(count) <= last, row.c_str());
            last = std::stoll(count);
            if (word == "the" || word == "is" || word == "and" || word == "that") {
                QCOMPARE(last, counts[word]);
                ++compared;
            }
        }
        QCOMPARE(compared, 4);
    }

    void theCorpusIsCopied()
    {
        const QTemporaryDir temporary;
        const fs::path made = fs::path(temporary.path().toStdString()) / "made" / "here";
        qputenv("HEADSCOPE_DEMO", QByteArray::fromStdString(m_folder.string()));
        QVERIFY(copyDemoCorpus(made).isOk());
        int compared = 0;
        for (const auto &entry : fs::directory_iterator(m_folder / "corpus")) {
            QVERIFY2(readBytes(entry.path()).value() == readBytes(made / entry.path().filename()).value(),
                     entry.path().c_str());
            ++compared;
        }
        // 4 splits as text in two languages and with labels, 2 as trees, 2 lists of frequencies, pairs of texts,
        // coreference, and the description; 4 splits of spelt words, and a list of frequencies.
        QCOMPARE(compared, 4 * 3 + 2 * 2 + 2 + 1 + 1 + 1 + 4 * 2 + 1);
        const auto below = copyDemoCorpus(made / "train.en" / "below");
        QVERIFY(below.isError());
        QVERIFY2(below.error().message.find("train.en/below") != std::string::npos, below.error().message.c_str());
    }

    // Or nobody could tell what was computed before somebody edited the model's folder.
    void everyResultSaysItsFiles()
    {
        const ModelCard &card = m_study.study.model.value();
        QVERIFY(!card.files.empty());
        ModelCard edited = card;
        edited.files.at("config.json") = "another";
        for (const auto &slot : m_study.results) {
            for (const AnyResult &result : slot) {
                const Manifest &manifest = *manifestOf(result);
                QCOMPARE(manifest.settingsHash, settingsHash(card));
                QVERIFY(!isStale(manifest, card) && isStale(manifest, edited));
            }
        }
    }

    void everythingIsStored()
    {
        QVERIFY(m_study.problems.empty());
        for (const Domain domain : {Domain::In, Domain::Out}) {
            QCOMPARE(resultsOf<EvaluationResult>(domain).size(), std::size_t{1});
            QCOMPARE(ablationOf(domain).heads.size(), std::size_t{72});
            QCOMPARE(ablationOf(domain, true).heads.size(), std::size_t{72});
            QCOMPARE(resultsOf<ImportanceResult>(domain).size(), std::size_t{1});
            QCOMPARE(resultsOf<ConfidenceResult>(domain).size(), std::size_t{1});
            QCOMPARE(resultsOf<PruningResult>(domain).size(), std::size_t{3});
            QCOMPARE(resultsOf<RolesResult>(domain).size(), std::size_t{1});
            QCOMPARE(resultsOf<RelevanceResult>(domain).size(), std::size_t{1});
            QCOMPARE(resultsOf<SimilarityResult>(domain).size(), std::size_t{1});
        }
        QCOMPARE(resultsOf<DynamicsResult>(Domain::In).size(), std::size_t{1});
        QCOMPARE(resultsOf<EnergyResult>(Domain::In).size(), std::size_t{1});
        QCOMPARE(resultsOf<CollaborateResult>(Domain::In).size(), std::size_t{1});
        QCOMPARE(resultsOf<SearchResult>(Domain::In).size(), std::size_t{1});
        QCOMPARE(resultsOf<AttentionResult>(Domain::In).size(), std::size_t{1});
    }

    void headsMeanSomething()
    {
        const double in = resultsOf<EvaluationResult>(Domain::In).front().primary().value;
        const double out = resultsOf<EvaluationResult>(Domain::Out).front().primary().value;
        QVERIFY2(in >= 60, qPrintable(QString::number(in)));
        QVERIFY2(out <= in - 10, qPrintable(QString::number(out)));
        int vital = 0;
        int redundant = 0;
        for (const HeadAblation &head : ablationOf(Domain::In).heads) {
            vital += head.delta < -3;
            redundant += head.delta > -1;
        }
        QVERIFY2(vital >= 3, qPrintable(QString::number(vital)));
        QVERIFY2(redundant >= 30, qPrintable(QString::number(redundant)));
    }

    /// Two relations at least that a head finds more often than the best fixed offset, by ten points; and the labels.
    void headsHaveRoles()
    {
        const RolesResult roles = resultsOf<RolesResult>(Domain::In).front();
        std::set<std::string> found;
        for (std::size_t i = 0; i < roles.relations.size(); ++i) {
            const RelationDirection &relation = roles.relations[i];
            const HeadRoleScores *best = bestHeadOf(roles, i);
            if (best && relation.instances >= RoleThresholds{}.instances
                && accuracyOf(roles, *best, i) >= relation.baseline + 0.1)
                found.insert(relation.relation);
        }
        QVERIFY2(found.size() >= 2, qPrintable(QString::number(found.size())));
        std::set<Role> named;
        for (const HeadRoles &head : assignRoles(roles)) {
            if (const RoleLabel *label = head.first())
                named.insert(label->role);
        }
        QVERIFY(named.contains(Role::Syntactic) && named.contains(Role::Diagonal));
    }

    void storedIsComputedAgain()
    {
        const auto session = Session::open(m_study.study.model->folder, {}, {}).valueOrThrow();
        QCOMPARE(session->card().weightsHash, m_study.study.model->weightsHash);
        QVERIFY(!m_study.study.model->files.empty());
        QVERIFY(changedFiles(*m_study.study.model, session->card()).empty());
        const auto data = session->setData(Domain::In, m_study.study.data[0]->origin, {}).valueOrThrow();
        QCOMPARE(data.hash, m_study.study.data[0]->hash);
        const auto stored = resultsOf<EvaluationResult>(Domain::In).front();
        const auto again = session->run<EvaluationSpec>(Domain::In, {}, {}).valueOrThrow();
        QVERIFY(std::abs(again.primary().value - stored.primary().value) < 0.2); // processors round differently
        const AblationResult ablation = ablationOf(Domain::In);
        const HeadAblation &needed
            = *std::ranges::min_element(ablation.heads, {}, [](const HeadAblation &head) { return head.delta; });
        EvaluationSpec masked;
        masked.mask.set(needed.head, true);
        const auto without = session->run<EvaluationSpec>(Domain::In, masked, {}).valueOrThrow();
        QVERIFY(std::abs(without.primary().value - needed.score) < 0.2);
    }

    /// The same of the classifier, as far as it is another kind of model.
    void classifierMeansSomething()
    {
        const LoadedStudy study = loadStudy(m_folder / demoFile(Demo::Classifier)).valueOrThrow();
        QVERIFY(study.problems.empty());
        QCOMPARE(study.study.model->family, std::string("bert"));
        for (const auto &slot : study.results) {
            std::map<std::string, int> kinds;
            for (const AnyResult &result : slot) {
                QVERIFY(!isStale(*manifestOf(result), study.study.model.value()));
                ++kinds[std::string(kindOf(result))];
            }
            QCOMPARE(kinds["ablate"] + kinds["importance"] + kinds["confidence"] + kinds["prune"], 7);
            QCOMPARE(kinds["roles"] + kinds["relevance"] + kinds["similarity"], 3);
        }
        const auto session = Session::open(study.study.model->folder, {}, {}).valueOrThrow();
        QVERIFY(session->card().labels == (std::vector<std::string>{"none", "one", "several"}));
        double scores[2] = {};
        for (const Domain domain : {Domain::In, Domain::Out}) {
            const auto slot = static_cast<std::size_t>(domain);
            (void)session->setData(domain, study.study.data[slot]->origin, {}).valueOrThrow();
            QVERIFY(session->rows(domain)->at(0).tree.size() > 2);
            scores[slot] = session->run<EvaluationSpec>(domain, {}, {}).valueOrThrow().primary().value;
            for (const AnyResult &result : study.results[slot]) {
                if (const auto stored = result.as<EvaluationResult>())
                    QVERIFY(std::abs(stored->primary().value - scores[slot]) < 0.006); // processors round differently
            }
        }
        QVERIFY2(scores[0] > 0.9, qPrintable(QString::number(scores[0])));
        QVERIFY2(scores[1] < scores[0], qPrintable(QString::number(scores[1])));
    }

    /// What each letter is said as depends on the letter after it and on the village, which is a rare word.
    void pronunciationHasThePositionalAndTheRareWordHead()
    {
        const LoadedStudy study = loadStudy(m_folder / demoFile(Demo::Pronunciation)).valueOrThrow();
        QVERIFY(study.problems.empty());
        std::set<Role> named;
        double scores[2] = {};
        for (const Domain domain : {Domain::In, Domain::Out}) {
            for (const AnyResult &result : study.results[static_cast<std::size_t>(domain)]) {
                QVERIFY(!isStale(*manifestOf(result), study.study.model.value()));
                if (const auto score = result.as<EvaluationResult>())
                    scores[domain == Domain::In ? 0 : 1] = score->primary().value;
                const auto roles = result.as<RolesResult>();
                if (!roles || domain == Domain::Out)
                    continue;
                QVERIFY(!roles->rarityApproximate && roles->raritySentences >= 100);
                for (const HeadRoles &head : assignRoles(*roles)) { // by the thresholds that everybody starts with
                    if (const RoleLabel *label = head.first(); label && head.head.kind == HeadKind::Encoder)
                        named.insert(label->role);
                }
            }
        }
        QVERIFY(named.contains(Role::Positional) && named.contains(Role::RareWord));
        QVERIFY2(scores[0] > 95, qPrintable(QString::number(scores[0])));
        QVERIFY2(scores[1] < scores[0] - 30, qPrintable(QString::number(scores[1]))); // nobody knows how they speak
    }

    /// Villages of one set are in training, those of the other are not; and no line of one split is in another.
    void villagesAreKnownOrNot()
    {
        std::set<std::string> seen;
        std::set<std::string> names;
        const auto nameOf = [](const std::string &line) { // at either end, the only word of several letters
            const std::string first = line.substr(0, line.find(' '));
            return first.size() > 2 ? first : line.substr(line.rfind(' ') + 1);
        };
        for (const auto &[split, size] : {std::pair("train", 12000), std::pair("validation", 200),
                                          std::pair("known", 400), std::pair("unknown", 300)}) {
            const std::string file = std::string("villages_") + split;
            const std::string end = split == std::string("train") ? ".gz" : "";
            const std::vector<std::string> spelt = lines(file + ".spelt" + end);
            const std::vector<std::string> said = lines(file + ".said" + end);
            QCOMPARE(spelt.size(), static_cast<std::size_t>(size));
            QCOMPARE(said.size(), spelt.size());
            for (std::size_t i = 0; i < spelt.size(); ++i) {
                QVERIFY2(seen.insert(spelt[i]).second, spelt[i].c_str());
                QCOMPARE(std::ranges::count(spelt[i], ' ') - 1, std::ranges::count(said[i], ' ')); // sounds as letters
                if (split == std::string("train"))
                    names.insert(nameOf(spelt[i]));
                else if (split == std::string("unknown"))
                    QVERIFY2(!names.contains(nameOf(spelt[i])), spelt[i].c_str());
                else
                    QVERIFY2(names.contains(nameOf(spelt[i])), spelt[i].c_str());
            }
        }
        QCOMPARE(names.size(), std::size_t{900});
    }

    void fiveEpochsOpen_data()
    {
        QTest::addColumn<QString>("run");
        QTest::newRow("translation") << QStringLiteral("training");
        QTest::newRow("classifier") << QStringLiteral("classifier");
    }
    void fiveEpochsOpen()
    {
        QFETCH(QString, run);
        int epochs = 0;
        std::uintmax_t largest = 0;
        for (const auto &entry : fs::directory_iterator(m_folder / run.toStdString())) {
            if (!entry.is_directory())
                continue;
            QVERIFY2(Session::open(entry.path(), {}, {}).isOk(), entry.path().c_str());
            largest = std::max(largest, fs::file_size(entry.path() / "model.safetensors"));
            ++epochs;
        }
        QVERIFY(epochs >= 5);
        QVERIFY(largest < 6'000'000);
    }
};

QTEST_GUILESS_MAIN(TestShippedDemo)
#include "tst_shippeddemo.moc"
