#include "core/results/attentionresult.h"
#include "ui/heatmap/heatmapview.h"
#include "ui/pages/attention/headlinesview.h"
#include "ui/pages/attention/mapsview.h"

#include <QApplication>
#include <QMouseEvent>
#include <QScrollBar>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <time.h>
#include <vector>

/// Milliseconds a frame of the attention page's views of one long text, with 12 layers of 12 heads: the median and the
/// worst of many, a frame being what changes and the painting of it, in processor time of the window's thread, which
/// other programs do not lengthen. 16 is a sixtieth of a second.
///
///     headscope-framesbench [TOKENS] [FRAMES]
using namespace headscope;

namespace {

constexpr int kLayers = 12;
constexpr int kHeads = 12;

/// Heads of all kinds: sharp ones beside the query, to the ends, and broad ones.
std::shared_ptr<const AttentionResult> longText(int tokens)
{
    auto result = std::make_shared<AttentionResult>();
    for (int i = 0; i < tokens; ++i)
        result->sourceTokens.push_back({.text = i % 7 == 3 ? "##ing" : "word" + std::to_string(i),
                                        .id = i,
                                        .special = i == 0 || i + 1 == tokens,
                                        .word = i});
    for (int layer = 0; layer < kLayers; ++layer) {
        for (int head = 0; head < kHeads; ++head) {
            AttentionMap map{
                .head = {HeadKind::Encoder, layer, head}, .queries = tokens, .keys = tokens, .weights = {}};
            const double width = std::pow(1.6, head); // of the band around the query
            for (int query = 0; query < tokens; ++query) {
                double sum = 0;
                const std::size_t first = map.weights.size();
                for (int key = 0; key < tokens; ++key) {
                    const double weight
                        = std::exp(-std::abs(key - query + layer - 6) / width) + (key + 1 == tokens ? 0.5 : 0);
                    map.weights.push_back(static_cast<float>(weight));
                    sum += weight;
                }
                for (std::size_t i = first; i < map.weights.size(); ++i)
                    map.weights[i] /= static_cast<float>(sum);
            }
            result->maps.push_back(std::move(map));
        }
    }
    return result;
}

HeadLayout layoutOf12x12()
{
    HeadLayout::Block block{HeadKind::Encoder, {}};
    for (int layer = 0; layer < kLayers; ++layer) {
        block.layers.emplace_back();
        for (int head = 0; head < kHeads; ++head)
            block.layers.back().push_back(head);
    }
    return HeadLayout({block});
}

/// Processor time of this thread, in milliseconds.
double spent()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e6;
}

/// `change` gets the number of the frame and makes the next one different.
void measure(const char *what, QAbstractScrollArea &view, int frames, const std::function<void(int)> &change)
{
    std::vector<double> times;
    for (int i = 0; i < frames; ++i) {
        const double before = spent();
        change(i);
        view.viewport()->repaint();
        times.push_back(spent() - before);
        QApplication::processEvents(); // what is made between frames
    }
    std::ranges::sort(times);
    std::printf("%-38s %6.1f %7.1f\n", what, times[times.size() / 2], times.back());
    std::fflush(stdout);
}

void pan(QAbstractScrollArea &view, int frame)
{
    for (QScrollBar *bar : {view.horizontalScrollBar(), view.verticalScrollBar()}) {
        if (bar->maximum() > 0)
            bar->setValue(frame * 37 % bar->maximum());
    }
}

void moveMouse(QAbstractScrollArea &view, int frame)
{
    const QPointF at(10 + frame * 31 % (view.viewport()->width() - 20),
                     60 + frame * 17 % (view.viewport()->height() - 70));
    QMouseEvent event(QEvent::MouseMove, at, view.viewport()->mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                      Qt::NoModifier);
    QApplication::sendEvent(view.viewport(), &event);
}

void measureAll(const char *name, QAbstractScrollArea &view, int frames)
{
    view.resize(1200, 800);
    view.show();
    QApplication::processEvents();
    const auto title = [name](const char *what) { return std::string(name) + ", " + what; };
    measure(title("pan").c_str(), view, frames, [&](int frame) { pan(view, frame); });
    measure(title("zoom").c_str(), view, frames,
            [&](int frame) { view.resize(1200 - frame % 40 * 10, 800 - frame % 40 * 5); });
    measure(title("mouse").c_str(), view, frames, [&](int frame) { moveMouse(view, frame); });
    view.hide();
}

void run(int tokens, int frames)
{
    const auto text = longText(tokens);
    std::printf("%-38s median   worst  [ms of processor time a frame, %d tokens]\n", "", tokens);
    HeatMapView map;
    map.setPicture({.table = attentionTableOf(*text, {HeadKind::Encoder, 5, 4}, {}),
                    .scale = ColorScale::sequential(0, 1),
                    .title = QStringLiteral("map"),
                    .rowsTitle = {},
                    .columnsTitle = {},
                    .legendLabel = {}});
    measureAll("map", map, frames);
    for (const int heads : {1, kHeads}) {
        std::vector<HeadRef> shown;
        for (int head = 0; head < heads; ++head)
            shown.push_back({HeadKind::Encoder, 5, heads == 1 ? 4 : head});
        HeadLinesView lines;
        lines.setPicture({.lines = makeHeadLines(*text, shown, {})});
        measureAll(heads == 1 ? "lines of 1 head" : "lines of 12 heads", lines, frames);
    }
    MapsView maps;
    maps.setPicture({.attention = text, .layout = layoutOf12x12()});
    measureAll("144 heads", maps, frames);
}

} // namespace

int main(int argc, char **argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    run(argc > 1 ? std::atoi(argv[1]) : 512, argc > 2 ? std::atoi(argv[2]) : 120);
    return 0;
}
