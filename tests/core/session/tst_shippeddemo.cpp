#include "core/demo/democorpus.h"
#include "core/formats/textlines.h"
#include "core/results/roles.h"
#include "core/results/study.h"
#include "core/session/demo.h"
#include "core/session/session.h"
#include "core/session/studyrecord.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

using namespace headscope;
namespace fs = std::filesystem;

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
            if (const auto *wanted = std::get_if<T>(&result))
                found.push_back(*wanted);
        }
        return found;
    }

private Q_SLOTS:
    void initTestCase()
    {
        auto loaded = loadStudy(m_folder / "demo.headscope");
        QVERIFY2(loaded.isOk(), loaded.isError() ? loaded.error().message.c_str() : "");
        m_study = std::move(loaded).value();
    }

    void corpusIsTheGenerators()
    {
        QTemporaryDir temporary;
        const fs::path made = fs::path(temporary.path().toStdString());
        const DemoCorpusSpec spec;
        QVERIFY(writeDemoCorpus(makeDemoCorpus(spec), spec, made, {}).isOk());
        int compared = 0;
        for (const auto &entry : fs::directory_iterator(m_folder / "corpus")) {
            const std::string shipped = readBytes(entry.path()).value();
            QVERIFY2(shipped == readBytes(made / entry.path().filename()).value(), entry.path().c_str());
            ++compared;
        }
        QCOMPARE(compared,
                 12); // two test sets in two languages as text and as trees, their labels, two lists of frequencies
    }

    // Or nobody could tell what was computed before somebody edited the model's folder.
    void everyResultSaysItsFiles()
    {
        const ModelCard card = modelCard(m_study.study.model.value());
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
        const auto data = session->setData(Domain::In, m_study.study.data[0]->source, {}).valueOrThrow();
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
                QVERIFY(!isStale(*manifestOf(result), modelCard(study.study.model.value())));
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
            (void)session->setData(domain, study.study.data[slot]->source, {}).valueOrThrow();
            QVERIFY(session->rows(domain)->at(0).tree.size() > 2);
            scores[slot] = session->run<EvaluationSpec>(domain, {}, {}).valueOrThrow().primary().value;
            for (const AnyResult &result : study.results[slot]) {
                if (const auto *stored = std::get_if<EvaluationResult>(&result))
                    QVERIFY(std::abs(stored->primary().value - scores[slot]) < 0.006); // processors round differently
            }
        }
        QVERIFY2(scores[0] > 0.9, qPrintable(QString::number(scores[0])));
        QVERIFY2(scores[1] < scores[0], qPrintable(QString::number(scores[1])));
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
