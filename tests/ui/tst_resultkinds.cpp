#include "core/analysis/ablationspec.h"
#include "core/analysis/analyses.h"
#include "core/analysis/analysisinfo.h"
#include "core/analysis/anyspec.h"
#include "core/analysis/collaboratespec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/importancespec.h"
#include "core/analysis/interactionsspec.h"
#include "core/analysis/patchspec.h"
#include "core/analysis/pruningspec.h"
#include "core/analysis/shapleyspec.h"
#include "core/base/phase.h"
#include "core/results/ablationresult.h"
#include "core/results/anyresult.h"
#include "core/results/compareresult.h"
#include "core/results/energyresult.h"
#include "ui/state/resultkinds.h"

#include "core/analysis/workload.h"
#include "tests/core/results/sampleresults.h"
#include "tests/support/madeupstate.h"
#include "tests/support/tinymodel.h"
#include "ui/language/language.h"
#include "ui/pages/pageregistry.h"
#include "ui/state/domainjobs.h"
#include "ui/views/studypanel.h"

#include <QCoreApplication>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <QTranslator>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>

#include <algorithm>
#include <set>

using namespace Qt::StringLiterals;
using namespace headscope;

namespace {
/// Every text of the program is another one.
class EveryTextRenamed : public QTranslator
{
public:
    QString translate(const char *, const char *, const char *, int) const override { return u"another"_s; }
    bool isEmpty() const override { return false; }
};
} // namespace

/// The table of kinds of results says what the core's table of analyses says, and everything goes by it.
class TestResultKinds : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanup() { useLanguage(u"en"_s); }
    void rowsAreThoseOfTheCore();
    void requestsAreOfTheirKind();
    void manyMasksLetAllElsePass();
    void everyResultHasItsPlace();
    void metricHidesWhatItJudges();
    void metricSwitchStopsWhatItJudges_data();
    void metricSwitchStopsWhatItJudges();
    void offersGoByReferences();
    void tagsAreNoTexts();

private:
    QTemporaryDir m_folder;
};

void TestResultKinds::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    testing::writeTinyModel(m_folder.filePath(u"model"_s).toStdString());
    const std::string data = m_folder.filePath(u"in"_s).toStdString();
    testing::writeTinyCorpus(data + ".en", data + ".fr", 200, 7);
}

void TestResultKinds::rowsAreThoseOfTheCore()
{
    std::set<QString> pages;
    for (const PageEntry &entry : pageRegistry())
        pages.insert(entry.info.id);
    std::set<std::string> ids;
    ResultKinds kinds;
    for (const ResultKindInfo &info : resultKinds()) {
        QVERIFY2(pages.contains(QLatin1String(info.page)), info.page);
        QVERIFY2(ids.insert(info.id).second, info.id);
        QVERIFY2(!kinds.testFlag(info.kind), info.id);
        kinds.setFlag(info.kind);
        QCOMPARE(infoOf(info.kind).id, info.id);
        QVERIFY2(*info.name && info.isOf, info.id);
    }
    QCOMPARE(kinds, kAllResultKinds);
    int withRow = 0;
    forEachAnalysis([&](const auto &spec) {
        using Entry = AnalysisOf<std::decay_t<decltype(spec)>>;
        const ResultKindInfo &info = infoOf(kindOf(AnySpec(spec)).kind);
        if (info.kind == ResultKind::Other)
            return;
        ++withRow;
        QVERIFY2(info.analysis.info, info.id);
        QCOMPARE(info.analysis.info->name, Entry::kInfo.name);
        QCOMPARE(info.analysis.needsReferences(), Entry::kInfo.needsReferences);
        QCOMPARE(info.analysis.goesByMetric(), traitsOf(AnySpec(spec)).goesByMetric());
        QCOMPARE(info.analysis.runsManyMasks(), traitsOf(AnySpec(spec)).runsManyMasks());
    });
    QVERIFY(withRow >= 17);
}

void TestResultKinds::requestsAreOfTheirKind()
{
    RunOptions run;
    run.metric = "chrF2";
    int asked = 0;
    for (const ResultKindInfo &info : resultKinds()) {
        if (!info.request)
            continue;
        for (const HeadUnit unit : {HeadUnit::Head, HeadUnit::KeyGroup}) {
            if (unit == HeadUnit::KeyGroup && !info.hasUnits())
                continue;
            const AnySpec spec = info.request(run, unit);
            QVERIFY2(kindOf(spec) == UnitKind(info.kind, unit), info.id);
            QCOMPARE(traitsOf(spec).info, info.analysis.info);
            spec.visit([](const auto &one) { QCOMPARE(one.run.metric, std::string("chrF2")); });
            ++asked;
        }
    }
    QVERIFY(asked >= 12);
}

/// What scores the model under many masks takes minutes to hours: it runs where clicks, and importance, overtake it.
void TestResultKinds::manyMasksLetAllElsePass()
{
    const HeadLayout layout = madeup::layout();
    forEachAnalysis([&](const auto &spec) {
        const AnySpec any(spec);
        const bool many = std::ranges::any_of(workloadOf(any, layout, 100, 100),
                                              [](const Workload &one) { return one.cost != MaskCost::Whole; });
        QVERIFY2(!many || traitsOf(any).runsManyMasks(), traitsOf(any).info->name);
        const JobLane lane = jobOf(any, Domain::In, false, true).lane;
        QVERIFY2(lane == (traitsOf(any).runsManyMasks() ? JobLane::Sweep : JobLane::Batch), traitsOf(any).info->name);
    });
    for (const AnySpec &spec : {AnySpec(ShapleySpec()), AnySpec(InteractionsSpec()), AnySpec(PatchSpec())})
        QCOMPARE(jobOf(spec, Domain::In, true, true).lane, JobLane::Sweep);
    QCOMPARE(jobOf(EvaluationSpec{.mask = {{HeadKind::Encoder, 0, 1}}}, Domain::In, false, true).lane,
             JobLane::Interactive);
}

void TestResultKinds::everyResultHasItsPlace()
{
    StudyState state;
    ModelCard card;
    card.primaryMetric = "BLEU";
    card.layout = madeup::layout();
    state.setModel(card, nullptr);
    for (const AnyResult &result : samples::all()) {
        const UnitKind kind = resultKind(result);
        const ResultKindInfo &info = infoOf(kind.kind);
        QVERIFY2(info.isOf(result), info.id);
        if (!info.put)
            continue;
        DomainResults shown;
        QVERIFY(info.isSame(shown, {}));
        info.put(shown, kind.unit, result);
        for (const ResultKindInfo &other : resultKinds()) // and nothing else
            QVERIFY2(!other.isSame || other.isSame(shown, {}) == (other.kind != kind.kind), other.id);
    }
    // Of key groups beside those of heads.
    AblationResult groups = samples::ablation();
    groups.allButOne = groups.rescaled = false;
    groups.window = 0;
    AblationResult heads = groups;
    groups.manifest.spec = R"({"by":"key-group"})";
    QCOMPARE(resultKind(AnyResult(groups)).unit, HeadUnit::KeyGroup);
    state.showMetric(QString::fromStdString(heads.baseline.name));
    state.addResult(Domain::In, AnyResult(heads));
    state.addResult(Domain::In, AnyResult(groups));
    QVERIFY(state.results(Domain::In).ablation && state.results(Domain::In).groups.ablation);
    QVERIFY(state.results(Domain::In).ablation != state.results(Domain::In).groups.ablation);
}

/// Judged results are shown by their metric only: of McNemar's test and interactions as of ablation.
void TestResultKinds::metricHidesWhatItJudges()
{
    int judged = 0;
    for (const AnyResult &result : samples::all()) {
        const std::string metric = metricOf(result);
        const Json fields = toJson(result);
        const bool names = fields.contains("metric") || fields.contains("baseline") || fields.contains("metrics");
        // Of energies the parts of scores alone are of a metric; comparisons are of two results.
        if (!result.is<EnergyResult>() && !result.is<CompareResult>())
            QVERIFY2(!names || !metric.empty(), kindOf(result).c_str());
        if (metric.empty() || resultKind(result).kind == ResultKind::Masked)
            continue;
        ++judged;
        StudyState state;
        ModelCard card;
        card.primaryMetric = metric;
        card.metrics = {metric, "another"};
        card.layout = madeup::layout();
        state.setModel(card, nullptr);
        state.addResult(Domain::In, result);
        QCOMPARE(state.shownResults(Domain::In).size(), 1U);
        state.showMetric(u"another"_s);
        QVERIFY2(state.shownResults(Domain::In).empty(), kindOf(result).c_str());
        state.showMetric(QString::fromStdString(metric));
        QCOMPARE(state.shownResults(Domain::In).size(), 1U);
    }
    QVERIFY(judged >= 8);
    QVERIFY(!metricOf(AnyResult(samples::contingencySample())).empty());
    QVERIFY(metricOf(AnyResult(samples::importance())).empty());
}

void TestResultKinds::metricSwitchStopsWhatItJudges_data()
{
    QTest::addColumn<AnySpec>("spec");
    RunOptions run;
    run.plain = true;
    run.decoding.beams = 1;
    QTest::newRow("Shapley values") << AnySpec(ShapleySpec{.run = run});
    QTest::newRow("interactions") << AnySpec(InteractionsSpec{.run = run});
    QTest::newRow("shared projections") << AnySpec(CollaborateSpec{.run = run});
    QTest::newRow("ablation") << AnySpec(AblationSpec{.run = run});
}

/// A job by the old metric would compute for nothing, and its result would be shown under the new name.
void TestResultKinds::metricSwitchStopsWhatItJudges()
{
    QFETCH(AnySpec, spec);
    StudyState state;
    StudyController controller(state);
    controller.setAutomatic(false);
    DataSource data;
    data.source = m_folder.filePath(u"in.en"_s).toStdString();
    data.reference = m_folder.filePath(u"in.fr"_s).toStdString();
    controller.setData(Domain::In, data);
    controller.openModel(m_folder.filePath(u"model"_s));
    QTRY_VERIFY_WITH_TIMEOUT(state.rows(Domain::In), 60000);
    // Something more urgent keeps it waiting.
    controller.queue().start<int>({u"Endless"_s, {}, JobLane::Interactive},
                                  [](const JobControl &control) -> Result<int> {
                                      while (!control.cancelled())
                                          QThread::msleep(2);
                                      return Result<int>::cancelled();
                                  },
                                  this, {});
    controller.start(Domain::In, spec);
    controller.start(Domain::In, ImportanceSpec());
    QVERIFY(controller.isComputing(kindOf(spec)) && controller.isComputing(ResultKind::Importance));
    state.setMetric(state.metricNames().back());
    QVERIFY(!controller.isComputing(kindOf(spec)));
    QVERIFY(!controller.works().workOn(Domain::In, kindOf(spec))); // nor is it offered to go on with
    QVERIFY(controller.isComputing(ResultKind::Importance));
    controller.queue().cancelAll();
    QTRY_VERIFY_WITH_TIMEOUT(controller.queue().isIdle(), 60000);
}

/// Relevance needs no references, sharing does: as their commands say.
void TestResultKinds::offersGoByReferences()
{
    for (const bool references : {true, false}) {
        MadeUp study(false);
        DataCard data;
        data.name = "texts";
        data.hash = "other";
        data.rows = 10;
        data.references = references;
        study.state.setData(Domain::In, data);
        StudyPanel panel(study.state, study.controller);
        QStringList offered;
        for (QTreeWidgetItemIterator at(panel.findChild<QTreeWidget *>()); *at; ++at)
            offered << (*at)->text(0);
        QVERIFY2(offered.contains(u"Relevance"_s), qPrintable(offered.join(u'|')));
        QVERIFY2(offered.contains(u"Roles"_s), qPrintable(offered.join(u'|')));
        QCOMPARE(offered.contains(u"Shared projections"_s), references);
        QCOMPARE(offered.contains(u"Ablation"_s), references);
    }
}

/// Jobs, and what was asked for, are known by values: the same in every language, different for different work.
void TestResultKinds::tagsAreNoTexts()
{
    const auto tags = [] {
        std::vector<QString> all;
        for (const Domain domain : kBothDomains) {
            forEachAnalysis([&](const auto &spec) { all.push_back(tagOf(keyOf(domain, AnySpec(spec)))); });
            for (const char *order : {"importance", "greedy"})
                all.push_back(tagOf(keyOf(domain, PruningSpec{.order = order})));
            for (const HeadUnit unit : {HeadUnit::Head, HeadUnit::KeyGroup})
                all.push_back(tagOf(keyOf(domain, AblationSpec{.mask = {{HeadKind::Encoder, 0, 1}}, .by = unit})));
            for (const AnyResult &result : samples::all())
                all.push_back(tagOf(keyOf(domain, result)));
        }
        return all;
    };
    const std::vector<QString> english = tags();
    useLanguage(u"fr"_s);
    QVERIFY(resultKindName(ResultKind::Pruning) != u"pruning"_s); // the names are French
    QCOMPARE(tags(), english);
    useLanguage(u"en"_s);
    EveryTextRenamed renamed;
    QCoreApplication::installTranslator(&renamed);
    QCOMPARE(resultKindName(ResultKind::Pruning), u"another"_s);
    QCOMPARE(tags(), english);
    QCoreApplication::removeTranslator(&renamed);
    // A result, and the request that it is the answer to, have one key.
    AblationResult sweep = samples::ablation();
    sweep.allButOne = sweep.rescaled = false;
    sweep.window = 0;
    sweep.manifest.spec = R"({"by":"key-group","mask":"encoder.0.1"})";
    QVERIFY(keyOf(Domain::Out, AnyResult(sweep))
            == keyOf(Domain::Out, AblationSpec{.mask = {{HeadKind::Encoder, 0, 1}}, .by = HeadUnit::KeyGroup}));
    std::set<QString> different;
    int count = 0;
    for (const Domain domain : kBothDomains) {
        for (const ResultKindInfo &info : resultKinds()) {
            for (const HeadUnit unit : {HeadUnit::Head, HeadUnit::KeyGroup}) {
                if (unit == HeadUnit::KeyGroup && !info.hasUnits())
                    continue;
                different.insert(tagOf({domain, {info.kind, unit}}));
                const bool again = domain == Domain::Out && !info.analysis.needsData(); // of the model alone: one job
                count += again ? 0 : 1;
            }
        }
    }
    QCOMPARE(static_cast<int>(different.size()), count);
}

QTEST_MAIN(TestResultKinds)
#include "tst_resultkinds.moc"
