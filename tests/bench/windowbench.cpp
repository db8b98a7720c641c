#include "core/base/process.h"
#include "ui/mainwindow/mainwindow.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <vector>

/// What somebody waits for at the window, in milliseconds: the first picture, the model, scores, and the score under a
/// mask after a click, while the sweep goes on.
///
///     headscope-windowbench MODEL_DIR SOURCE REFERENCE [CLICKS]
using namespace headscope;

namespace {

/// Since the process was started, as the kernel counts it: hundredths of a second.
double sinceStart()
{
    QFile stat(QStringLiteral("/proc/self/stat")), uptime(QStringLiteral("/proc/uptime"));
    if (!stat.open(QIODevice::ReadOnly) || !uptime.open(QIODevice::ReadOnly))
        return 0;
    const QByteArray line = stat.readAll();
    const auto fields = line.mid(line.lastIndexOf(')') + 2).split(' '); // the name before may hold spaces
    constexpr int kStartField = 19;
    return 1000
         * (uptime.readAll().split(' ').front().toDouble()
            - fields.at(kStartField).toDouble() / static_cast<double>(sysconf(_SC_CLK_TCK)));
}

class FirstPaint final : public QObject
{
public:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::Paint && !m_seen) {
            m_seen = true;
            QTimer::singleShot(0, this, [] { std::printf("first picture          %7.0f\n", sinceStart()); });
        }
        return QObject::eventFilter(watched, event);
    }

private:
    bool m_seen = false;
};

/// One click after the other, each when the one before has its first estimate.
class Clicks final : public QObject
{
public:
    Clicks(MainWindow &window, int clicks) : m_window(window), m_state(window.state()), m_left(clicks)
    {
        connect(&m_state, &StudyState::modelChanged, this, [this] { say("model", m_model); });
        connect(&m_state, &StudyState::resultsChanged, this, &Clicks::onResults);
        connect(&m_turns, &QTimer::timeout, this, [this] { m_longest = std::max(m_longest, m_turn.restart()); });
        m_turns.start(1);
    }

private:
    static void say(const char *what, bool &said)
    {
        if (!said)
            std::printf("%-22s %7.0f\n", what, sinceStart());
        said = true;
    }

    void onResults(Domain domain, ResultKinds kinds)
    {
        const DomainResults &results = m_state.results(domain);
        if (results.baseline)
            say("first score", m_score);
        if (!results.ablation)
            return;
        if (!m_sweep) {
            say("first deltas of heads", m_sweep);
            m_turn.start();
            m_longest = 0;
            click();
        } else if (kinds.testFlag(ResultKind::Masked) && results.masked && m_waiting) {
            m_waiting = false;
            m_times.push_back(static_cast<double>(m_clicked.nsecsElapsed()) / 1e6);
            if (!results.ablation->manifest.partial
                && results.ablation->manifest.examples == results.ablation->manifest.totalExamples)
                std::printf("(the sweep has ended before)\n");
            QTimer::singleShot(100, this, &Clicks::click);
        }
    }

    void click()
    {
        if (m_left-- == 0) {
            std::ranges::sort(m_times);
            std::printf("score after a click    %7.0f  (median; worst %.0f, %zu clicks)\n", m_times[m_times.size() / 2],
                        m_times.back(), m_times.size());
            std::printf("longest without events %7lld  (the window's own thread, with its timer of 1 ms)\n",
                        static_cast<long long>(m_longest));
            QApplication::exit();
            return;
        }
        const auto heads = m_state.layout().heads();
        m_waiting = true;
        m_clicked.start();
        m_state.toggleMask(heads[static_cast<std::size_t>(m_left * 7) % heads.size()]);
    }

    MainWindow &m_window;
    StudyState &m_state;
    int m_left;
    bool m_model = false, m_score = false, m_sweep = false, m_waiting = false;
    QElapsedTimer m_clicked, m_turn;
    QTimer m_turns;
    qint64 m_longest = 0;
    std::vector<double> m_times;
};

int run(int argc, char **argv)
{
    if (argc < 4) {
        std::fprintf(stderr, "headscope-windowbench MODEL_DIR SOURCE REFERENCE [CLICKS]\n");
        return 2;
    }
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    FirstPaint painted;
    application.installEventFilter(&painted);
    MainWindow window;
    window.resize(1280, 800);
    const Clicks clicks(window, argc > 4 ? std::atoi(argv[4]) : 20);
    DataSource data;
    data.source = argv[2];
    data.reference = argv[3];
    window.controller().setData(Domain::In, data);
    window.openPaths({QString::fromLocal8Bit(argv[1])});
    window.show();
    return QApplication::exec();
}

} // namespace

int main(int argc, char **argv)
{
    setUpProcess();
    endProcess(run(argc, argv));
}
