// In which order what starts by itself is computed: every head has a value before anything is computed to its end.
#include "core/analysis/analyses.h"
#include "tests/support/nowarnings.h"
#include "tests/support/tinymodel.h"
#include "ui/state/studycontroller.h"

#include <QLoggingCategory>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {
constexpr int kWait = 120000;
constexpr int kRows = 1000;

QStringList s_log; ///< of the category headscope.jobs
QtMessageHandler s_before = nullptr;

void keepJobLog(QtMsgType type, const QMessageLogContext &context, const QString &text)
{
    if (qstrcmp(context.category, "headscope.jobs") == 0)
        s_log << text;
    else
        s_before(type, context, text);
}

/// Names of the jobs on data sets that have begun, in order.
QStringList begun()
{
    QStringList names;
    for (const QString &line : s_log) {
        const QString name = line.section(u": "_s, 1).section(u", "_s, 0, 1);
        if (line.startsWith(u"begun: "_s) && name.contains(u"-domain"_s))
            names << name.section(u", 0 of"_s, 0, 0);
    }
    return names;
}
} // namespace

class TestFirstValues : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();
    void everyCellComesFirst();
    void stoppedFirstValuesStayStopped();
    void fewExamplesAreCountedAsFew();

private:
    QString path(const char *name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    void open(StudyController &controller, const char *work, bool both);

    QTemporaryDir m_folder;
};

void TestFirstValues::initTestCase()
{
    testing::writeTinyModel(path("model").toStdString());
    for (const char *name : {"in", "out"})
        testing::writeTinyCorpus(path(name).toStdString() + ".en", path(name).toStdString() + ".fr", kRows,
                                 static_cast<std::uint64_t>(name[0]));
}

void TestFirstValues::init()
{
    failOnQtWarnings();
    s_log.clear();
    QLoggingCategory::setFilterRules(u"headscope.jobs.debug=true"_s);
    s_before = qInstallMessageHandler(keepJobLog);
}

void TestFirstValues::cleanup()
{
    qInstallMessageHandler(s_before);
    QLoggingCategory::setFilterRules({});
}

void TestFirstValues::open(StudyController &controller, const char *work, bool both)
{
    controller.setWorkFolder(path(work).toStdString());
    RunOptions run;
    run.decoding.beams = 1;
    run.plain = true; // so slow that a part is not everything
    controller.setRunOptions(run);
    for (const char *name : {"in", "out"}) {
        if (*name == 'o' && !both)
            continue;
        DataSource data;
        data.source = path(name).toStdString() + ".en";
        data.reference = path(name).toStdString() + ".fr";
        controller.setData(*name == 'i' ? Domain::In : Domain::Out, data);
    }
    controller.openModel(path("model"));
}

void TestFirstValues::everyCellComesFirst()
{
    StudyState state;
    StudyController controller(state);
    std::array<std::int64_t, 2> decoded{-1, -1}; // for the scores, when all heads of that set have a value
    bool isTooEarly = false;
    connect(&state, &StudyState::resultsChanged, this, [&](Domain domain, ResultKinds) {
        const DomainResults &results = state.results(domain);
        std::int64_t &there = decoded[domain == Domain::In ? 0 : 1];
        if (there >= 0 || !results.ablation || std::ssize(results.ablation->heads) < state.layout().size())
            return;
        there = results.baseline ? results.baseline->examples : 0;
        isTooEarly = isTooEarly || results.importance || results.confidence || results.roles;
    });
    open(controller, "order", true);
    const auto isDone = [&] {
        return std::ranges::all_of(kBothDomains, [&](Domain domain) {
            const auto &sweep = state.results(domain).ablation;
            return sweep && !sweep->manifest.partial;
        });
    };
    QTRY_VERIFY_WITH_TIMEOUT(isDone() && controller.queue().isIdle(), kWait);
    for (const std::int64_t examples : decoded)
        QVERIFY2(examples > 0 && examples <= kRows / 10, qPrintable(QString::number(examples)));
    QVERIFY(!isTooEarly);
    for (const Domain domain : kBothDomains) {
        QCOMPARE(state.results(domain).baseline->examples, std::int64_t(kRows));
        QVERIFY(!state.results(domain).baseline->manifest.partial);
    }
    const QStringList order = begun();
    const auto place = [&](const QString &name) { return order.indexOf(name); };
    for (const QString &set : {u"in-domain"_s, u"out-of-domain"_s}) {
        const QStringList wanted{u"Score, "_s + set + u": first 64 examples"_s,
                                 u"Ablation, "_s + set + u": first 8 examples"_s,
                                 u"Importance, "_s + set,
                                 u"Confidence, "_s + set,
                                 u"Roles, "_s + set,
                                 u"Score, "_s + set};
        for (qsizetype i = 0; i < wanted.size(); ++i) {
            QVERIFY2(order.contains(wanted[i]), qPrintable(wanted[i] + u" in "_s + order.join(u" | "_s)));
            QVERIFY2(i == 0 || place(wanted[i - 1]) < place(wanted[i]), qPrintable(order.join(u" | "_s)));
        }
    }
    // Of both sets before anything else is.
    QVERIFY2(place(u"Ablation, out-of-domain: first 8 examples"_s) < place(u"Confidence, in-domain"_s),
             qPrintable(order.join(u" | "_s)));
}

/// What somebody cancels does not go on by itself.
void TestFirstValues::stoppedFirstValuesStayStopped()
{
    StudyState state;
    StudyController controller(state);
    open(controller, "stopped", false);
    const auto isAtFirst = [&] {
        const JobInfo *job = controller.queue().current();
        return job && job->spec.name.contains(u": first"_s) && job->state == JobState::Running;
    };
    QTRY_VERIFY_WITH_TIMEOUT(isAtFirst(), kWait);
    controller.queue().cancelAll();
    QTRY_VERIFY_WITH_TIMEOUT(controller.queue().isIdle(), kWait);
    QTest::qWait(50);
    QVERIFY(controller.queue().isIdle());
    QVERIFY(!state.results(Domain::In).ablation || state.results(Domain::In).ablation->manifest.partial);
    controller.startMissing();
    QTRY_VERIFY_WITH_TIMEOUT(state.results(Domain::In).ablation && !state.results(Domain::In).ablation->manifest.partial
                                 && controller.queue().isIdle(),
                             kWait);
}

/// Whoever asks for 24 examples sees a bar of 24 examples, under every mask.
void TestFirstValues::fewExamplesAreCountedAsFew()
{
    StudyState state;
    StudyController controller(state);
    controller.setAutomatic(false);
    open(controller, "few", false);
    QTRY_VERIFY_WITH_TIMEOUT(state.rows(Domain::In) && controller.queue().isIdle(), kWait);
    std::int64_t most = 0;
    connect(&controller.queue(), &JobQueue::jobChanged, this, [&](qint64) {
        for (const JobInfo &job : controller.queue().jobs()) {
            if (job.spec.lane == JobLane::Sweep)
                most = std::max(most, job.progress.total);
        }
    });
    RunOptions run = controller.runOptions();
    controller.works().startAll({{Domain::In, AblationSpec{.run = run}}}, 24);
    QTRY_VERIFY_WITH_TIMEOUT(state.results(Domain::In).ablation && controller.queue().isIdle(), kWait);
    QCOMPARE(most, 24 * (state.layout().size() + 1));
    QVERIFY(state.results(Domain::In).ablation->examples >= 24);
    QVERIFY(state.results(Domain::In).ablation->manifest.partial);
    QCOMPARE(controller.queue().jobs().back().state, JobState::Done);
}

QTEST_GUILESS_MAIN(TestFirstValues)
#include "tst_firstvalues.moc"
