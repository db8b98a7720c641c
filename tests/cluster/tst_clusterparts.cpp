// What shards on a cluster and plans are made of: words of a shell, lines of squeue and of logs, heads that are needed.
#include "app/cli/childprocess.h"
#include "app/cli/cluster/slurm.h"
#include "app/cli/progresstext.h"
#include "core/analysis/ablationspec.h"
#include "core/analysis/allphases.h"
#include "core/base/result.h"
#include "core/base/shellwords.h"
#include "core/results/modelstable.h"

#include <QTest>

#include <chrono>
#include <cmath>
#include <iterator>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

using namespace headscope;
using namespace headscope::cli;
using Words = std::vector<std::string>;

class TestClusterParts : public QObject
{
    Q_OBJECT

    /// Scores are known to ± `half`.
    static std::optional<std::int64_t> needed(const std::vector<double> &scores, double half,
                                              Better better = Better::Higher, std::int64_t orders = 0)
    {
        PruningResult result;
        result.better = better;
        result.examples = result.manifest.totalExamples = 400;
        PruningCurve &made = result.curves.emplace_back();
        made.order = "importance";
        made.candidates = 8;
        made.randomOrders = orders;
        for (const double score : scores) {
            PruningPoint &point = made.points.emplace_back();
            point.pruned = 2 * (std::ssize(made.points) - 1);
            point.score = score;
            const double delta = score - scores.front();
            point.paired = PairedTest{{delta - half, delta + half}, 0.5, 10};
        }
        return headsNeeded(result, made, 0.01);
    }

private Q_SLOTS:
    void wordsAreThoseOfAShell()
    {
        QCOMPARE(shellWords("--partition gpu  --gres gpu:1", ""), (Words{"--partition", "gpu", "--gres", "gpu:1"}));
        QCOMPARE(shellWords("--a 'b c' \"d e\"f\\ g '' \"\\\"\\$\\x\"", ""),
                 (Words{"--a", "b c", "d ef g", "", "\"$\\x"}));
        QCOMPARE(shellWords("$(touch /tmp/x) `id` *; a|b", ""), (Words{"$(touch", "/tmp/x)", "`id`", "*;", "a|b"}));
        QCOMPARE(shellWords("  \t", ""), Words());
        QVERIFY_EXCEPTION_THROWN(shellWords("--a 'b", "--o"), Failure);
        // What is quoted comes back, also by sh itself.
        for (const std::string word : {"", "a b", "it's", "$HOME `id` \"x\" \\", "-n\n*"}) {
            QCOMPARE(shellWords(shellQuoted(word), ""), Words{word});
            QCOMPARE(runProgram({"sh", "-c", "printf %s " + shellQuoted(word)}, std::chrono::seconds(60)).out, word);
        }
    }

    void programsAnswerAndAreEnded()
    {
        const ProgramAnswer answer
            = runProgram({"sh", "-c", "echo out; echo err >&2; exit 7"}, std::chrono::seconds(60));
        QCOMPARE(answer.code, 7);
        QCOMPARE(answer.out, std::string("out\n"));
        QCOMPARE(answer.err, std::string("err\n"));
        QVERIFY_EXCEPTION_THROWN((void)runProgram({"no-such-program-anywhere"}, std::chrono::seconds(60)), Failure);
        QVERIFY_EXCEPTION_THROWN((void)runProgram({"sleep", "600"}, std::chrono::seconds(1)), Failure);
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_EXCEPTION_THROWN((void)runProgram({"sleep", "600"}, std::chrono::seconds(600), stop.get_token()),
                                 Cancelled);
    }

    void queueIsRead()
    {
        const auto tasks = parseQueue(
            "17|3|RUNNING|n[1-2]\n17|4|PENDING|\nslurm_load_jobs error\n18|N/A|RUNNING|n1\n17|5|CANCELLED by 0|n1\n");
        QCOMPARE(tasks.size(), 3U);
        QCOMPARE(tasks[0].job, 17);
        QCOMPARE(tasks[0].task, 3);
        QCOMPARE(tasks[0].node, std::string("n[1-2]"));
        QVERIFY(isUnderWay(tasks[0].state) && isWaiting(tasks[1].state));
        QCOMPARE(tasks[2].state, std::string("CANCELLED"));
        QVERIFY(!isWaiting("NODE_FAIL") && !isUnderWay("NODE_FAIL") && !isUnderWay("COMPLETED"));
        QVERIFY(isOver("NODE_FAIL") && isOver("COMPLETED") && !isOver("RUNNING") && !isOver("PENDING"));
    }

    /// At any byte: no task is taken for another, or for one that has ended.
    void answersThatAreCut()
    {
        const std::string whole = "17|3|RUNNING|n1\n17|14|COMPLETED|n2\n";
        for (std::size_t end = 0; end <= whole.size(); ++end) {
            for (const SlurmTask &task : parseQueue(whole.substr(0, end))) {
                QVERIFY(task.job == 17 && (task.task == 3 || task.task == 14));
                QCOMPARE(isOver(task.state), task.task == 14);
            }
        }
        // Cut by a program in between that ends its lines all the same, or a state of another version.
        for (const char *state : {"RUNN", "PEND", "COMPL", "EXPEDITING"})
            QVERIFY2(!isOver(state), state);
    }

    void optionsOfSbatch()
    {
        const auto excluded
            = [](const std::vector<std::string> &options) { return optionOfSbatch(options, "--exclude", "-x"); };
        QVERIFY(!excluded({}) && !excluded({"--exclusive", "--export=-x"}) && !excluded({"--exclude"}));
        for (const std::vector<std::string> &options :
             std::vector<std::vector<std::string>>{{"--exclude=n[1-2],n7"},
                                                   {"--exclude", "n[1-2],n7"},
                                                   {"-x", "n[1-2],n7"},
                                                   {"-xn[1-2],n7"},
                                                   {"-x", "n3", "-p", "gpu", "--exclude=n[1-2],n7"}})
            QCOMPARE(excluded(options).value_or(""), std::string("n[1-2],n7"));
    }

    void progressComesBackFromItsText()
    {
        const Progress progress{kPhaseAblating, "examples", 120, 960};
        for (const std::int64_t recently : {0, 100}) {
            const auto read = progressFrom(progressText(progress, recently, 3), allPhases());
            QVERIFY(read);
            QVERIFY(read->phase == progress.phase);
            QCOMPARE(read->unit, progress.unit);
            QCOMPARE(read->done, progress.done);
            QCOMPARE(read->total, progress.total);
        }
        QCOMPARE(progressFrom("note: batch: 3/12 analyses, ablate of a on b", allPhases())->unit,
                 std::string("analyses"));
        for (const char *line : {"", ": ", "note: done", "a: 3", "a: 3/", "a: 3/x b", "headscope-cli: 3/4"})
            QVERIFY2(!progressFrom(line, allPhases()), line);
    }

    void neededHeads()
    {
        QCOMPARE(needed({0.8, 0.82, 0.793, 0.5, 0.8}, 0.0005).value_or(-1), 4); // what comes back later is chance
        QCOMPARE(needed({0.8, 0.79, 0.5}, 0.0005).value_or(-1), 8);
        QCOMPARE(needed({10, 9, 10.05, 10.2}, 0.01, Better::Lower).value_or(-1), 4);
        QCOMPARE(needed({-2, -2.01, -2.5}, 0.001).value_or(-1), 6); // a correlation may be negative
        QVERIFY(!needed({0.8, std::nan("")}, 0.001));
        // The score is as high as before, but nobody knows it well enough.
        QVERIFY(!needed({0.8, 0.8, 0.79}, 0.05));
        QVERIFY(!needed({0.8, 0.8}, 0.001, Better::Higher, 5) && !needed({0.8}, 0.001));
    }
};

QTEST_GUILESS_MAIN(TestClusterParts)
#include "tst_clusterparts.moc"
