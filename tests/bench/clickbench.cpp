/// From a click to the screen: how long it takes until what was asked for is painted, in milliseconds.
///
///     headscope-clickbench [ROUNDS]
///
/// Opens the demo at 1280 × 800, then changes pages, clicks heads beside the inspector, and moves the pruning slider
/// over measured points, ROUNDS (20) times each.
#include "core/base/process.h"
#include "core/session/demo.h"
#include "tests/bench/waitfor.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/pages/heads/headspage.h"
#include "ui/pages/pageregistry.h"
#include "ui/pages/pruning/pruningchart.h"
#include "ui/pages/pruning/pruningpage.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QSlider>
#include <QTest>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

/// Until everything that is to be done has been done, and painted.
double timed(const std::function<void()> &action, QWidget &painted)
{
    QElapsedTimer timer;
    timer.start();
    action();
    QCoreApplication::sendPostedEvents();
    QCoreApplication::processEvents();
    painted.repaint();
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

void say(const char *what, std::vector<double> times)
{
    if (times.empty())
        return;
    std::ranges::sort(times);
    std::printf("%-34s median %6.1f   worst %6.1f   (%zu)\n", what, times[times.size() / 2], times.back(),
                times.size());
}

int run(int argc, char **argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const int rounds = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 20;
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    window.openDemo();
    waitFor([&] { return window.state().session() && window.controller().queue().isIdle(); }, 120'000);
    if (!window.state().session()) {
        std::fprintf(stderr, "clickbench: the demo does not open\n");
        return 1;
    }
    const auto &heads = window.state().layout().heads();
    window.state().selectHead(heads.front());
    std::vector<double> first, again;
    for (int round = 0; round <= rounds / 5; ++round) {
        for (const PageEntry &entry : pageRegistry()) {
            if (!entry.info.needsModel)
                continue;
            const double time = timed([&] { window.showView(entry.info.id); }, window);
            (round == 0 ? first : again).push_back(time);
            waitFor([&] { return window.controller().queue().isIdle(); }, 60'000);
        }
    }
    say("page, seen for the first time", first);
    say("page, seen before", again);
    window.showView(u"heads"_s);
    waitFor([&] { return window.controller().queue().isIdle(); }, 60'000);
    HeadGridView &grid = window.page<HeadsPage>().grid();
    std::vector<double> clicks;
    for (int round = 0; round < rounds; ++round) {
        const HeadRef head = heads[static_cast<std::size_t>(round * 7 + 3) % heads.size()];
        const QPoint place = grid.cellRect(head).center();
        clicks.push_back(timed([&] { QTest::mouseClick(grid.viewport(), Qt::LeftButton, {}, place); }, window));
        waitFor([] { return false; }, 20);
    }
    say("head clicked → inspector", clicks);
    window.showView(u"pruning"_s);
    waitFor([&] { return window.controller().queue().isIdle(); }, 60'000);
    auto &pruning = window.page<PruningPage>();
    const auto *chart = pruning.findChild<PruningChart *>();
    auto *slider = pruning.findChild<QSlider *>();
    std::vector<double> slides;
    if (chart && slider && !chart->picture().series.curves.empty()) {
        const auto &points = chart->picture().series.curves.back().points;
        for (int round = 0; round < rounds && !points.empty(); ++round) {
            const auto &point = points[static_cast<std::size_t>(round) % points.size()];
            slides.push_back(timed([&] { slider->setValue(static_cast<int>(point.removed)); }, window));
            waitFor([] { return false; }, 20);
        }
    }
    say("slider on a measured point", slides);
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    setUpProcess();
    endProcess(run(argc, argv));
}
