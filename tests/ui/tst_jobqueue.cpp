#include "ui/jobs/jobmodel.h"
#include "ui/jobs/jobqueue.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <QThread>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <semaphore>
#include <thread>

using namespace headscope;
using namespace std::chrono_literals;

namespace {
JobSpec batch(const QString &name = QStringLiteral("batch"), const QString &tag = {})
{
    return {name, tag, JobLane::Batch, false};
}

JobSpec interactive(const QString &name = QStringLiteral("click"), const QString &tag = {})
{
    return {name, tag, JobLane::Interactive, false};
}

/// Runs until cancelled, as a sweep does.
Result<int> runForever(const JobControl &control)
{
    for (;;) {
        control.checkpoint();
        std::this_thread::sleep_for(1ms);
    }
}
} // namespace

class TestJobQueue : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void resultArrivesOnTheGuiThread();
    void errorAndExceptionBecomeErrors();
    void cancelIsNotAFailure();
    void cancelOfAQueuedJobDelivers();
    void enoughIsDone();
    void shareOfTheWorkIsCounted();
    void destroyedReceiverGetsNothing();
    void queueMayGoWhileJobsRun();
    void whatMustFinishIsNotCancelled();
    void longJobsStayInTheList();
    void newestOfATagWins();
    void interactiveOvertakesBatch();
    void sweepLetsAllOthersPass();
    void filesWaitForNobody();
    void whatIsElsewhereHoldsNobodyUp();
    void urgentBatchGoesFirst();
    void progressIsThrottled();
    void partialResultsArriveNewestOnly();
    void modelFollowsTheQueue();
    void wordsForProgress();
};

void TestJobQueue::resultArrivesOnTheGuiThread()
{
    JobQueue queue;
    QThread *worker = nullptr;
    QThread *receiver = nullptr;
    int value = 0;
    queue.start<int>(
        batch(),
        [&](const JobControl &) -> Result<int> {
            worker = QThread::currentThread();
            return 42;
        },
        this,
        [&](const Result<int> &result) {
            receiver = QThread::currentThread();
            value = result.value();
        });
    QTRY_COMPARE(value, 42);
    QCOMPARE(receiver, thread());
    QVERIFY(worker != thread());
    QVERIFY(queue.isIdle());
}

void TestJobQueue::errorAndExceptionBecomeErrors()
{
    JobQueue queue;
    std::vector<std::string> messages;
    const auto note = [&](const Result<int> &result) { messages.push_back(result.error().message); };
    queue.start<int>(
        batch(), [](const JobControl &) -> Result<int> { return badInput("no file"); }, this, note);
    queue.start<int>(
        batch(), [](const JobControl &) -> Result<int> { throw std::runtime_error("broken"); }, this, note);
    queue.start<int>(
        batch(), [](const JobControl &) -> Result<int> { throw Failure(badInput("no shape")); }, this, note);
    QTRY_COMPARE(messages.size(), std::size_t(3));
    QCOMPARE(messages[0], std::string("no file"));
    QCOMPARE(messages[1], std::string("broken"));
    QCOMPARE(messages[2], std::string("no shape"));
    QCOMPARE(queue.jobs().front().state, JobState::Failed);
    QCOMPARE(queue.jobs().front().error, QStringLiteral("no file"));
}

void TestJobQueue::cancelIsNotAFailure()
{
    JobQueue queue;
    int cancelled = 0;
    const JobId id = queue.start<int>(batch(), runForever, this,
                                      [&](const Result<int> &result) { cancelled += result.isCancelled(); });
    QTRY_COMPARE(queue.jobs().front().state, JobState::Running);
    QElapsedTimer timer;
    timer.start();
    queue.cancel(id);
    QTRY_COMPARE(cancelled, 1);
    QVERIFY2(timer.elapsed() < 200, "a cancel must act within 200 ms");
    QCOMPARE(queue.jobs().front().state, JobState::Cancelled);
    QVERIFY(queue.jobs().front().error.isEmpty());
}

void TestJobQueue::cancelOfAQueuedJobDelivers()
{
    JobQueue queue;
    queue.start<int>(batch(), runForever, this, {});
    bool cancelled = false;
    bool ran = false;
    const JobId second = queue.start<int>(
        batch(),
        [&](const JobControl &) -> Result<int> {
            ran = true;
            return 1;
        },
        this, [&](const Result<int> &result) { cancelled = result.isCancelled(); });
    queue.cancel(second);
    QTRY_VERIFY(cancelled);
    QVERIFY(!ran);
}

/// A job that has come far enough is done; one that is cancelled after all is cancelled.
void TestJobQueue::enoughIsDone()
{
    JobQueue queue;
    int stopped = 0;
    for (const bool cancelled : {false, true}) {
        const JobId id = queue.start<int>(batch(), runForever, this,
                                          [&](const Result<int> &result) { stopped += result.isCancelled(); });
        QTRY_COMPARE(queue.jobs().back().state, JobState::Running);
        queue.finishEarly(id);
        if (cancelled)
            queue.cancel(id);
        QTRY_VERIFY(queue.isIdle());
        QCOMPARE(queue.jobs().back().state, cancelled ? JobState::Cancelled : JobState::Done);
    }
    QCOMPARE(stopped, 2);
}

void TestJobQueue::shareOfTheWorkIsCounted()
{
    JobQueue queue;
    JobSpec spec = batch();
    spec.share = 0.024;
    const JobId id = queue.start<int>(spec,
                                      [](const JobControl &control) -> Result<int> {
                                          control.progress({Phase("counting"), "things", 1000, 97000});
                                          return runForever(control);
                                      },
                                      this, {});
    QTRY_COMPARE(queue.jobs().front().progress.total, std::int64_t(2328));
    QCOMPARE(queue.jobs().front().progress.done, std::int64_t(1000));
    queue.setShare(id, 1);
    QCOMPARE(queue.jobs().front().progress.total, std::int64_t(97000));
    queue.setShare(id, 0.005);
    QCOMPARE(queue.jobs().front().progress.total, std::int64_t(485));
    QCOMPARE(queue.jobs().front().progress.done, std::int64_t(485));
    queue.cancel(id);
    QTRY_VERIFY(queue.isIdle());
}

void TestJobQueue::destroyedReceiverGetsNothing()
{
    JobQueue queue;
    std::binary_semaphore go(0);
    bool called = false;
    auto receiver = std::make_unique<QObject>();
    queue.start<int>(
        batch(),
        [&](const JobControl &) -> Result<int> {
            go.acquire();
            return 1;
        },
        receiver.get(), [&](const Result<int> &) { called = true; });
    receiver.reset();
    go.release();
    QTRY_VERIFY(queue.isIdle());
    QVERIFY(!called);
}

void TestJobQueue::queueMayGoWhileJobsRun()
{
    std::atomic<int> running = 0;
    bool called = false;
    {
        JobQueue queue;
        const auto work = [&](const JobControl &control) {
            ++running;
            return runForever(control);
        };
        queue.start<int>(batch(), work, this, [&](const Result<int> &) { called = true; });
        queue.start<int>(batch(), work, this, [&](const Result<int> &) { called = true; });
        queue.start<int>(interactive(), work, this, [&](const Result<int> &) { called = true; });
        QTRY_VERIFY(running >= 1);
    }
    QCoreApplication::sendPostedEvents();
    QVERIFY(!called);
}

void TestJobQueue::whatMustFinishIsNotCancelled()
{
    std::atomic<int> written = 0;
    {
        JobQueue queue;
        JobSpec save = interactive(QStringLiteral("save"));
        save.mustFinish = true;
        const auto write = [&](const JobControl &control) -> Result<int> {
            std::this_thread::sleep_for(20ms);
            control.checkpoint();
            return ++written;
        };
        int arrived = 0;
        queue.start<int>(save, write, this, [&](const Result<int> &result) { arrived += result.isOk() ? 1 : 0; });
        queue.start<int>(batch(), runForever, this, {});
        queue.cancelAll();
        QTRY_VERIFY(queue.isIdle());
        QCOMPARE(arrived, 1);
        // The queue goes away with one running and two waiting.
        for (int i = 0; i < 3; ++i)
            queue.start<int>(save, write, this, {});
        queue.start<int>(interactive(), [](const JobControl &) -> Result<int> { return 1; }, this, {});
    }
    QCOMPARE(written.load(), 4);
}

void TestJobQueue::longJobsStayInTheList()
{
    JobQueue queue;
    std::binary_semaphore go(0);
    const JobId longJob = queue.start<int>(batch(),
                                           [&](const JobControl &) -> Result<int> {
                                               go.acquire();
                                               return 1;
                                           },
                                           this, {});
    const JobId failed
        = queue.start<int>(interactive(), [](const JobControl &) -> Result<int> { return badInput("no"); }, this, {});
    int done = 0;
    for (int i = 0; i < 80; ++i)
        queue.start<int>(
            interactive(), [](const JobControl &) -> Result<int> { return 1; }, this,
            [&](const Result<int> &) { ++done; });
    QTRY_COMPARE(done, 80);
    go.release();
    QTRY_VERIFY(queue.isIdle());
    const auto jobs = queue.jobs();
    QCOMPARE(jobs.size(), std::size_t(50));
    QVERIFY(std::ranges::find(jobs, longJob, &JobInfo::id) != jobs.end());
    QVERIFY(std::ranges::find(jobs, failed, &JobInfo::id) != jobs.end());
}

void TestJobQueue::newestOfATagWins()
{
    JobQueue queue;
    QStringList order;
    const auto tagged = interactive(QStringLiteral("mask"), QStringLiteral("mask"));
    for (int i = 0; i < 4; ++i) {
        queue.start<int>(
            tagged, [i](const JobControl &control) { return i < 3 ? runForever(control) : Result<int>(i); }, this,
            [&order, i](const Result<int> &result) {
                order << (result.isCancelled() ? QStringLiteral("x%1").arg(i) : QString::number(result.value()));
            });
        QTest::qWait(5);
    }
    QTRY_COMPARE(order.size(), 4);
    QVERIFY(order.contains(QStringLiteral("3")));
    QCOMPARE(order.filter(QStringLiteral("x")).size(), 3);
}

void TestJobQueue::interactiveOvertakesBatch()
{
    JobQueue queue;
    std::atomic<std::int64_t> steps = 0;
    queue.start<int>(batch(),
                     [&](const JobControl &control) -> Result<int> {
                         for (;;) {
                             control.checkpoint();
                             ++steps;
                             std::this_thread::sleep_for(1ms);
                         }
                     },
                     this, {});
    QTRY_VERIFY(steps > 2);
    std::int64_t before = -1;
    std::int64_t after = -1;
    bool done = false;
    queue.start<int>(
        interactive(),
        [&](const JobControl &) -> Result<int> {
            std::this_thread::sleep_for(20ms); // the batch job reaches its next checkpoint
            before = steps;
            std::this_thread::sleep_for(60ms);
            after = steps;
            return 1;
        },
        this, [&](const Result<int> &) { done = true; });
    QTRY_VERIFY(done);
    QCOMPARE(after, before);
    const std::int64_t then = steps;
    QTRY_VERIFY(steps > then); // and goes on where it was
}

void TestJobQueue::sweepLetsAllOthersPass()
{
    JobQueue queue;
    const JobId sweep = queue.start<int>({QStringLiteral("sweep"), {}, JobLane::Sweep}, runForever, this, {});
    const auto info = [&](JobId id) {
        const auto jobs = queue.jobs();
        return *std::ranges::find(jobs, id, &JobInfo::id);
    };
    QTRY_COMPARE(info(sweep).state, JobState::Running);
    std::binary_semaphore go(0);
    std::atomic<bool> begun = false;
    const JobId cheap = queue.start<int>(batch(),
                                         [&](const JobControl &) -> Result<int> {
                                             begun = true;
                                             go.acquire();
                                             return 1;
                                         },
                                         this, {});
    QTRY_VERIFY(begun);
    QTRY_VERIFY(info(sweep).paused);
    QCOMPARE(info(sweep).state, JobState::Running);
    QCOMPARE(jobStateText(info(sweep)), QStringLiteral("paused"));
    QCOMPARE(queue.current()->id, cheap);
    bool clicked = false;
    queue.start<int>(
        interactive(), [](const JobControl &) -> Result<int> { return 1; }, this,
        [&](const Result<int> &) { clicked = true; });
    QTRY_VERIFY(clicked);
    QVERIFY(info(sweep).paused); // for the other one
    go.release();
    QTRY_COMPARE(info(cheap).state, JobState::Done);
    QTRY_VERIFY(!info(sweep).paused);
    QCOMPARE(queue.current()->id, sweep);
    queue.cancel(sweep);
    QTRY_VERIFY(queue.isIdle());
}

void TestJobQueue::filesWaitForNobody()
{
    JobQueue queue;
    std::atomic<int> running = 0;
    for (const JobLane lane : {JobLane::Sweep, JobLane::Batch, JobLane::Interactive})
        queue.start<int>({QStringLiteral("work"), {}, lane},
                         [&](const JobControl &control) {
                             ++running;
                             while (!control.cancelled())
                                 std::this_thread::sleep_for(1ms);
                             return Result<int>::cancelled();
                         },
                         this, {});
    QTRY_COMPARE(running.load(), 3);
    std::vector<int> written; // in the order in which they were asked for
    for (int i = 0; i < 3; ++i)
        queue.start<int>(
            {QStringLiteral("save"), {}, JobLane::Files},
            [i](const JobControl &) -> Result<int> {
                std::this_thread::sleep_for(std::chrono::milliseconds(10 * (3 - i)));
                return i;
            },
            this, [&](const Result<int> &result) { written.push_back(result.value()); });
    QTRY_COMPARE(written, (std::vector{0, 1, 2}));
    QCOMPARE(queue.current()->spec.lane, JobLane::Batch);
    queue.cancelAll();
    QTRY_VERIFY(queue.isIdle());
}

void TestJobQueue::whatIsElsewhereHoldsNobodyUp()
{
    JobQueue queue;
    int ended = 0;
    const auto count = [&](const Result<int> &) { ++ended; };
    const JobSpec elsewhere{QStringLiteral("cluster"), {}, JobLane::Elsewhere};
    const JobId first = queue.start<int>(elsewhere, runForever, this, count);
    queue.start<int>(elsewhere, runForever, this, count);
    const auto answer = [](const JobControl &control) -> Result<int> {
        control.checkpoint();
        return 1;
    };
    queue.start<int>(batch(), answer, this, count);
    queue.start<int>(interactive(), answer, this, count);
    QTRY_COMPARE(ended, 2);
    QTRY_COMPARE(queue.jobs()[1].state, JobState::Running);
    QCOMPARE(queue.jobs()[0].state, JobState::Running);
    const JobId here = queue.start<int>(batch(), runForever, this, count);
    QTRY_COMPARE(queue.current()->id, here);
    queue.cancelAllExcept({}); // what is computed here
    QTRY_COMPARE(ended, 3);
    QCOMPARE(queue.current()->id, first);
    queue.cancelAll();
    QTRY_COMPARE(ended, 5);
    QVERIFY(queue.isIdle());
}

void TestJobQueue::urgentBatchGoesFirst()
{
    JobQueue queue;
    std::binary_semaphore go(0);
    QStringList order;
    queue.start<int>(batch(),
                     [&](const JobControl &) -> Result<int> {
                         go.acquire();
                         return 0;
                     },
                     this, {});
    const auto add = [&](const QString &name, bool urgent) {
        JobSpec spec = batch(name);
        spec.urgent = urgent;
        queue.start<int>(
            spec, [](const JobControl &) -> Result<int> { return 1; }, this,
            [&order, name](const Result<int> &) { order << name; });
    };
    add(QStringLiteral("a"), false);
    add(QStringLiteral("b"), true);
    go.release();
    QTRY_COMPARE(order.size(), 2);
    QCOMPARE(order.front(), QStringLiteral("b"));
}

void TestJobQueue::progressIsThrottled()
{
    JobQueue queue;
    QSignalSpy changed(&queue, &JobQueue::jobChanged);
    bool done = false;
    queue.start<int>(
        batch(),
        [](const JobControl &control) -> Result<int> {
            for (int i = 0; i < 400; ++i) {
                control.progress({Phase("counting"), "things", i + 1, 400});
                std::this_thread::sleep_for(1ms);
            }
            return 1;
        },
        this, [&](const Result<int> &) { done = true; });
    QTRY_VERIFY(done);
    // 400 ms and more: 20 Hz gives about 8 reports; a slow machine takes longer and gives more, never 400.
    QVERIFY(changed.count() >= 3);
    QVERIFY2(changed.count() < 100, qPrintable(QString::number(changed.count())));
}

void TestJobQueue::partialResultsArriveNewestOnly()
{
    JobQueue queue;
    std::vector<int> seen;
    int last = 0;
    queue.start<int>(
        batch(), JobQueue::Work<int>([](const JobControl &, const Publish<int> &publish) -> Result<int> {
            for (int i = 1; i <= 300; ++i) {
                publish(i);
                std::this_thread::sleep_for(1ms);
            }
            return 1000;
        }),
        this, [&](const Result<int> &result) { last = result.value(); },
        [&](const std::shared_ptr<const int> &value) { seen.push_back(*value); });
    QTRY_COMPARE(last, 1000);
    QVERIFY(!seen.empty());
    QVERIFY(seen.size() < 100);
    QVERIFY(std::is_sorted(seen.begin(), seen.end()));
    const auto count = seen.size();
    QTest::qWait(120);
    QCOMPARE(seen.size(), count); // nothing partial after the end
}

void TestJobQueue::modelFollowsTheQueue()
{
    JobQueue queue;
    JobModel model(queue);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    const JobId first = queue.start<int>(batch(QStringLiteral("sweep")), runForever, this, {});
    queue.start<int>(batch(), [](const JobControl &) -> Result<int> { return badInput("empty file"); }, this, {});
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0, JobModel::NameColumn).data().toString(), QStringLiteral("sweep"));
    queue.cancel(first);
    QTRY_VERIFY(queue.isIdle());
    QCOMPARE(model.index(0, JobModel::StateColumn).data().toString(), QStringLiteral("cancelled"));
    QCOMPARE(model.index(1, 0).data(JobModel::ErrorRole).toString(), QStringLiteral("empty file"));
    queue.forgetFinished();
    QCOMPARE(model.rowCount(), 0);
}

void TestJobQueue::wordsForProgress()
{
    QLocale::setDefault(QLocale::c());
    JobInfo job;
    job.state = JobState::Running;
    job.progress = {Phase("ablating heads"), "sentences", 412, 1000};
    job.rate = 35.24;
    job.secondsLeft = 2.2;
    QCOMPARE(jobCountText(job), QStringLiteral("412/1000 sentences"));
    QCOMPARE(jobRateText(job), QStringLiteral("35/s"));
    QCOMPARE(jobTimeLeftText(job), QStringLiteral("3 s left"));
    job.spec.name = QStringLiteral("Ablation");
    QCOMPARE(jobLineText(job), QStringLiteral("Ablation: 412/1000 sentences, 35/s, 3 s left"));
    JobInfo begun;
    begun.spec.name = QStringLiteral("Open model");
    QCOMPARE(jobLineText(begun), QStringLiteral("Open model"));
    job.secondsLeft = 610;
    QCOMPARE(jobTimeLeftText(job), QStringLiteral("10 min left"));
}

QTEST_GUILESS_MAIN(TestJobQueue)
#include "tst_jobqueue.moc"
