#include "core/base/process.h"
#include "ui/state/studycontroller.h"

#include <QElapsedTimer>
#include <QGuiApplication>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

/// How long somebody waits, after a model and two data sets are chosen, for each of the results that start by
/// themselves: in seconds since the beginning, with the load of the machine. Ends when every head of both sets has a
/// value and the rest is put off or SECONDS are over.
///
///     headscope-firstvaluesbench MODEL_DIR SOURCE REFERENCE OTHER_SOURCE OTHER_REFERENCE BEAMS [SECONDS]
using namespace headscope;

namespace {

class Watch final : public QObject
{
public:
    explicit Watch(StudyController &controller, StudyState &state) : m_controller(controller), m_state(state)
    {
        m_timer.start();
        connect(&state, &StudyState::resultsChanged, this, &Watch::look);
        connect(&controller.works(), &WorkList::changed, this, &Watch::endIfDone);
    }

    void look()
    {
        for (const Domain domain : kBothDomains) {
            const DomainResults &results = m_state.results(domain);
            const auto whole = [](const auto &result) { return result && !result->manifest.partial; };
            const auto heads = static_cast<std::size_t>(m_state.layout().size());
            say(domain, "first score", results.baseline != nullptr);
            say(domain, "score", whole(results.baseline));
            say(domain, "importance", whole(results.importance));
            say(domain, "confidence", whole(results.confidence));
            say(domain, "roles", whole(results.roles));
            say(domain, "value in every cell", results.ablation && results.ablation->heads.size() == heads);
            say(domain, "sweep", whole(results.ablation));
        }
    }

private:
    void say(Domain domain, const char *what, bool isThere)
    {
        if (!isThere || std::exchange(m_said[{domain, what}], true))
            return;
        const auto &sweep = m_state.results(domain).ablation;
        double load = 0;
        (void)getloadavg(&load, 1);
        const auto &score = m_state.results(domain).baseline;
        std::printf("%-14s %-20s %7.1f s   (load %.1f, sweep at %lld examples, score at %lld)\n",
                    qPrintable(domainName(domain)), what, static_cast<double>(m_timer.elapsed()) / 1000, load,
                    static_cast<long long>(sweep ? sweep->examples : 0),
                    static_cast<long long>(score ? score->examples : 0));
        std::fflush(stdout);
    }
    void endIfDone()
    {
        const bool done = std::ranges::all_of(kBothDomains, [&](Domain domain) {
            const auto sweep = m_controller.works().workOn(domain, ResultKind::Ablation);
            return sweep && (sweep->isWhole() || sweep->isPutOff);
        });
        if (!done)
            return;
        for (const Domain domain : kBothDomains) {
            const auto sweep = m_controller.works().workOn(domain, ResultKind::Ablation);
            if (sweep->isPutOff)
                std::printf("%-14s put off at %lld examples, the rest measured as %.0f s\n",
                            qPrintable(domainName(domain)), static_cast<long long>(sweep->examples),
                            sweep->secondsLeft);
        }
        QCoreApplication::quit();
    }

    StudyController &m_controller;
    StudyState &m_state;
    QElapsedTimer m_timer;
    std::map<std::pair<Domain, std::string>, bool> m_said;
};

} // namespace

int main(int argc, char **argv)
{
    setUpProcess();
    const QGuiApplication application(argc, argv);
    if (argc < 7) {
        std::fprintf(stderr, "headscope-firstvaluesbench MODEL_DIR SOURCE REFERENCE OTHER_SOURCE OTHER_REFERENCE BEAMS "
                             "[SECONDS]\n");
        return 2;
    }
    StudyState state;
    StudyController controller(state);
    RunOptions run;
    run.decoding.beams = std::atoi(argv[6]);
    controller.setRunOptions(run);
    DataSource in;
    in.source = argv[2];
    in.reference = argv[3];
    DataSource out;
    out.source = argv[4];
    out.reference = argv[5];
    controller.setData(Domain::In, in);
    controller.setData(Domain::Out, out);
    Watch watch(controller, state);
    controller.openModel(QString::fromLocal8Bit(argv[1]));
    QTimer::singleShot(1000 * (argc > 7 ? std::atoi(argv[7]) : 600), qApp, &QCoreApplication::quit);
    return QGuiApplication::exec();
}
