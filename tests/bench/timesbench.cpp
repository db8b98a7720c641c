/// Whether the times that the window says before work begins are true: ten jobs on the first ROWS sentences, each with
/// what was said of it before, how long it took, and how far these are apart. Ends with 1 where one is apart by more
/// than a factor of two.
///
///     headscope-timesbench MODEL_DIR SOURCE REFERENCE BEAMS [ROWS]
///     headscope-timesbench MODEL_DIR TABLE "" 1 [ROWS]
#include "core/analysis/analyses.h"
#include "core/base/process.h"
#include "tests/bench/waitfor.h"
#include "ui/state/studycontroller.h"

#include <QGuiApplication>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

using namespace headscope;

namespace {

constexpr int kLongest = 3'600'000;

/// Of one job, by itself: seconds in which it was at work.
double secondsOfNewest(const JobQueue &queue)
{
    const JobInfo job = queue.jobs().back();
    return job.seconds - job.waited;
}

std::vector<std::pair<std::string, AnySpec>> jobsOf(const RunOptions &run)
{
    PruningSpec random{.run = run, .order = "random", .randomOrders = 3};
    PruningSpec greedy{.run = run, .order = "greedy", .greedyStep = 24};
    InteractionsSpec pairs{.run = run};
    pairs.most = 20;
    return {
        {"sweep", AblationSpec{.run = run}},
        {"one head a layer", AblationSpec{.run = run, .allButOne = true}},
        {"curve by importance", PruningSpec{.run = run, .order = "importance"}},
        {"curve by ablation", PruningSpec{.run = run, .order = "ablation"}},
        {"curves, 3 random", random},
        {"curve, greedy", greedy},
        {"sweep, means", AblationSpec{.run = run, .replacement = Replacement::Mean}},
        {"mask search", SearchSpec{.run = run}},
        {"interactions", pairs},
    };
}

/// Whether what is said of it is within a factor of two.
bool isTrue(StudyController &controller, const std::string &name, const StudyController::Request &request)
{
    JobQueue &queue = controller.queue();
    controller.times().measurePace(std::vector{request});
    waitFor([&] { return !controller.times().isMeasuringPace(); }, kLongest);
    const auto said = controller.times().secondsOf(std::vector{request});
    controller.start(request.domain, request.spec);
    waitFor([&] { return queue.isIdle(); }, kLongest);
    const double took = secondsOfNewest(queue);
    const JobInfo job = queue.jobs().back();
    if (!said || *said <= 0 || job.state != JobState::Done) {
        std::printf("%-22s %9s %9.1f %7s  %s\n", name.c_str(), said ? "0" : "?", took, "", qPrintable(job.error));
        return false;
    }
    const double ratio = *said / took;
    std::printf("%-22s %9.1f %9.1f %7.2f\n", name.c_str(), *said, took, ratio);
    std::fflush(stdout);
    return ratio <= 2 && ratio >= 0.5;
}

int run(int argc, char **argv)
{
    const QGuiApplication application(argc, argv);
    if (argc < 5) {
        std::fprintf(stderr, "headscope-timesbench MODEL_DIR SOURCE REFERENCE BEAMS [ROWS]\n");
        return 2;
    }
    StudyState state;
    StudyController controller(state);
    controller.setAutomatic(false);
    RunOptions options;
    options.decoding.beams = std::atoi(argv[4]);
    DataSource data;
    const bool isTable = std::string(argv[3]).empty();
    (isTable ? data.table : data.source) = argv[2];
    data.reference = argv[3];
    data.limit = argc > 5 ? std::atoi(argv[5]) : 100;
    if (isTable)
        options.decoding.beams.reset();
    controller.setRunOptions(options);
    controller.setData(Domain::In, data);
    controller.openModel(QString::fromLocal8Bit(argv[1]));
    JobQueue &queue = controller.queue();
    waitFor([&] { return state.rows(Domain::In) && queue.isIdle(); }, kLongest);
    if (!state.rows(Domain::In)) {
        std::fprintf(stderr, "%s\n", qPrintable(state.error(ErrorPlace::Model) + state.error(ErrorPlace::InData)));
        return 2;
    }
    // As the window does: the first examples of score and sweep, then what else is cheap; nothing goes on unasked.
    controller.setPatience(0);
    controller.startMissing();
    waitFor(
        [&] {
            for (const JobInfo &job : queue.jobs()) {
                if (job.isActive() && job.spec.lane == JobLane::Sweep)
                    queue.cancel(job.id);
            }
            return queue.isIdle();
        },
        kLongest);
    data.limit *= 2;
    controller.setData(Domain::Out, data);
    waitFor([&] { return state.rows(Domain::Out) && queue.isIdle(); }, kLongest);
    std::printf("%-22s %9s %9s %7s\n", "job", "said, s", "took, s", "ratio");
    int apart = isTrue(controller, "score, other set", {Domain::Out, EvaluationSpec{.run = options}}) ? 0 : 1;
    for (const auto &[name, spec] : jobsOf(options))
        apart += isTrue(controller, name, {Domain::In, spec}) ? 0 : 1;
    return apart > 0 ? 1 : 0;
}

} // namespace

int main(int argc, char **argv)
{
    setUpProcess();
    endProcess(run(argc, argv));
}
