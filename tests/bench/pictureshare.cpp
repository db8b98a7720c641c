/// The share of the window's pixels that each page's main picture takes: with the docks folded and the page as it is at
/// first, with everything folded (Ctrl+J), and with both docks open and the page as it is at first.
///
///     headscope-pictureshare [WIDTHxHEIGHT ...]
///
/// 960x600 is a screen of 1440 × 900 at scale 1.5. The main picture is the largest chart, grid, map or table of the
/// page, with those of its class that are at least half as large; after the stroke, all charts, grids and maps of the
/// page together with it. What is scrolled out of sight does not count.
#include "core/session/demo.h"
#include "tests/bench/waitfor.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/mainwindow/sidedock.h"
#include "ui/pages/pageregistry.h"
#include "ui/views/foldingside.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QRegularExpression>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <utility>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

void settle(MainWindow &window)
{
    waitFor([] { return false; }, 120); // pages that are shown first ask for more
    waitFor([&] { return window.controller().queue().isIdle(); }, 60'000);
    waitFor([] { return false; }, 120);
}

bool isPicture(const QWidget &widget)
{
    static const QRegularExpression names(u"^headscope::\\w+(View|Chart|Grid)$"_s);
    return qobject_cast<const QAbstractItemView *>(&widget)
        || names.match(QString::fromLatin1(widget.metaObject()->className())).hasMatch();
}

/// Its part in view, whatever scrolls around it.
double seenArea(const QWidget &widget)
{
    QRect seen = widget.rect();
    for (const QWidget *above = widget.parentWidget(); above; above = above->parentWidget()) {
        seen &= QRect(above->mapTo(widget.window(), QPoint()) - widget.mapTo(widget.window(), QPoint()), above->size());
        if (above->isWindow())
            break;
    }
    return seen.isEmpty() ? 0 : double(seen.width()) * seen.height();
}

struct Shares
{
    double main = 0;
    double all = 0;
};

Shares sharesOf(const Page &page)
{
    double largest = 0;
    QByteArray name;
    const auto pictures = page.findChildren<QWidget *>();
    for (const QWidget *widget : pictures) {
        if (widget->isVisible() && isPicture(*widget) && seenArea(*widget) > largest) {
            largest = seenArea(*widget);
            name = widget->metaObject()->className();
        }
    }
    double sum = 0;
    for (const QWidget *widget : pictures) {
        const double area = widget->isVisible() && widget->metaObject()->className() == name ? seenArea(*widget) : 0;
        if (area >= largest / 2)
            sum += area;
    }
    double all = 0;
    for (const QWidget *widget : pictures) {
        const bool isMain = widget->metaObject()->className() == name;
        const bool isTable = qobject_cast<const QAbstractItemView *>(widget) != nullptr;
        if (widget->isVisible() && (isMain || (isPicture(*widget) && !isTable)))
            all += seenArea(*widget);
    }
    const QWidget *window = page.window();
    const double whole = double(window->width()) * window->height();
    return {sum / whole, std::min(all / whole, 1.0)};
}

enum class Frame {
    DocksFolded, ///< and pages as they come
    AllFolded,
    AtFirst, ///< both docks open, and pages as they come
};

void arrange(MainWindow &window, Frame frame)
{
    for (const char *name : {"studyDock", "inspectorDock"})
        window.findChild<SideDock *>(QString::fromLatin1(name))->setFolded(frame != Frame::AtFirst);
    waitFor([] { return false; }, 60); // the page has its width
    for (FoldingSide *side : window.findChildren<FoldingSide *>()) {
        side->forgetChoices();
        if (frame == Frame::AllFolded)
            side->setFolded(true);
    }
}

} // namespace

int main(int argc, char **argv)
{
    QApplication app(argc, argv);
    QList<QSize> sizes;
    for (int i = 1; i < argc; ++i) {
        const QStringList parts = QString::fromLocal8Bit(argv[i]).split(u'x');
        sizes << QSize(parts.value(0).toInt(), parts.value(1).toInt());
    }
    if (sizes.isEmpty())
        sizes = {{680, 480}, {1024, 700}, {1280, 800}, {960, 600}, {2560, 1440}};
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    window.openDemo();
    waitFor([&] { return window.state().session() != nullptr; }, 60'000);
    settle(window);
    if (!window.state().session()) {
        for (const ErrorPlace place : kErrorPlaces)
            std::fprintf(stderr, "%s\n", qPrintable(window.state().error(place)));
        std::fprintf(stderr, "pictureshare: the demo does not open\n");
        return 1;
    }
    window.state().selectHead(window.state().layout().heads().front());
    for (const auto &[frame, title] :
         {std::pair(Frame::DocksFolded, "docks folded"), std::pair(Frame::AllFolded, "all folded"),
          std::pair(Frame::AtFirst, "docks open")}) {
        std::printf("%-14s", title);
        for (const QSize &size : sizes)
            std::printf(" %10s", qPrintable(u"%1x%2"_s.arg(size.width()).arg(size.height())));
        std::printf("\n");
        for (const PageEntry &entry : pageRegistry()) {
            if (!entry.info.needsModel)
                continue;
            std::printf("%-14s", qPrintable(entry.info.id));
            window.showView(entry.info.id);
            settle(window);
            for (const QSize &size : sizes) {
                window.resize(size);
                waitFor([] { return false; }, 60); // docks have a state for narrow windows
                arrange(window, frame);
                waitFor([] { return false; }, 120);
                const bool fits = window.size() == size;
                const Shares shares = sharesOf(*window.page(entry.info.id));
                std::printf(" %4.0f/%2.0f %%%s", 100 * shares.main, 100 * shares.all, fits ? " " : "!");
                std::fflush(stdout);
            }
            std::printf("\n");
        }
        std::printf("\n");
    }
    return 0;
}
