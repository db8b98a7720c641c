#include "app/gui/headless.h"

#include "core/session/studyrecord.h"
#include "ui/jobs/jobmodel.h"
#include "ui/mainwindow/exportall.h"
#include "ui/pages/pageregistry.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QPixmap>
#include <QTimer>

#include <cstdio>
#include <utility>

namespace headscope {

namespace {
constexpr int kSettleMs = 150; ///< for layouts and the requests that pages make when they get results

/// The head that loses most when it is ablated: the one worth looking at.
std::optional<HeadRef> mostNeededHead(const StudyState &state)
{
    const auto &ablation = state.results(Domain::In).ablation;
    std::optional<HeadRef> best;
    double lowest = 0;
    for (const HeadAblation &entry : ablation ? ablation->heads : std::vector<HeadAblation>()) {
        const double change = gain(ablation->baseline.better, entry.delta);
        if (!best || change < lowest) {
            best = entry.head;
            lowest = change;
        }
    }
    if (!best && state.layout().size() > 0)
        best = state.layout().heads().front();
    return best;
}
} // namespace

HeadlessRun::HeadlessRun(MainWindow &window, const GuiOptions &options, QObject *parent)
    : QObject(parent), m_window(window), m_options(options)
{
    // Only what is shown is computed, not all that the window would go on with.
    m_window.controller().setAutomatic(false);
    auto *timer = new QTimer(this);
    timer->setInterval(kSettleMs);
    connect(timer, &QTimer::timeout, this, &HeadlessRun::check);
    timer->start();
}

void HeadlessRun::check()
{
    report();
    if (!m_window.controller().queue().isIdle())
        return;
    if (const auto error = fatalError())
        return finish(error);
    switch (m_step) {
    case Step::Opening:
        if (const auto foreign = foreignStudy())
            return finish(foreign);
        m_step = Step::Computing;
        startComputing();
        break;
    case Step::Computing:
        if (m_options.exportFolder.isEmpty())
            showView();
        m_step = Step::Painting; // one more round: pages that are shown first ask for more
        break;
    case Step::Painting:
        paint();
        break;
    case Step::Saving:
        finish(std::nullopt);
        break;
    }
}

void HeadlessRun::showView()
{
    // Without a model there are the start page and pages that need none, for the training run that was opened for
    // instance.
    const PageInfo *page = findPage(m_options.view);
    if (m_window.state().model() || (page && !page->needsModel))
        m_window.showView(m_options.view);
}

void HeadlessRun::startComputing()
{
    if (!m_window.state().model())
        return;
    StudyState &state = m_window.state();
    const PageInfo *page = findPage(m_options.view);
    if (!(page && page->needsModel) && m_options.exportFolder.isEmpty())
        return;
    m_window.controller().startMissing();
    for (const Domain domain : kBothDomains)
        computeDomain(domain);
    if (state.sentenceIndex() < 0 && state.data(Domain::In) && state.data(Domain::In)->rows > 0)
        state.setSentence(Domain::In, 0);
}

void HeadlessRun::computeDomain(Domain domain)
{
    const Page *shown = m_window.page(m_options.view);
    const bool exportsAll = !m_options.exportFolder.isEmpty();
    for (Page *page : m_window.pages()) {
        if (page == shown || exportsAll)
            page->computeMissing(domain, true);
    }
}

QString HeadlessRun::exportedStudy() const
{
    return QDir(m_options.exportFolder).filePath(QStringLiteral("study.headscope"));
}

/// Before anything is computed: another model's study is not written over.
std::optional<Error> HeadlessRun::foreignStudy() const
{
    if (m_options.exportFolder.isEmpty() || !m_window.state().model() || !QFileInfo::exists(exportedStudy()))
        return std::nullopt;
    const auto there = loadStudy(exportedStudy().toStdString());
    const bool same = there.isOk() && there.value().study.model
                   && there.value().study.model->weightsHash == m_window.state().model()->weightsHash
                   && there.value().study.model->layout == m_window.state().layout();
    if (same)
        return std::nullopt;
    return badInput(exportedStudy().toStdString()
                    + " is a study of another model, or cannot be read. It is not replaced: "
                      "choose another folder for --export-all, or delete it.");
}

/// Errors that the program gives up for. An export goes on without what cannot be computed of a model and its data.
std::optional<Error> HeadlessRun::fatalError() const
{
    const bool exportsAll = !m_options.exportFolder.isEmpty() && m_step != Step::Opening;
    for (const ErrorPlace place : kErrorPlaces) {
        const bool isOfAnalysis = place == ErrorPlace::Analysis || place == ErrorPlace::Attention;
        const QString text = m_window.state().error(place);
        if (!text.isEmpty() && !(exportsAll && isOfAnalysis))
            return badInput(text.toStdString());
    }
    if (const QStringList texts = pageErrors(); !texts.isEmpty() && !exportsAll)
        return badInput(texts.front().toStdString());
    return std::nullopt;
}

QStringList HeadlessRun::pageErrors() const
{
    QStringList texts;
    for (const Page *page : m_window.pages()) {
        if (const QString text = page->ownError(); !text.isEmpty())
            texts << text;
    }
    return texts;
}

/// On stderr: which pictures and tables are missing, and why.
void HeadlessRun::reportLeftOut() const
{
    QStringList texts = pageErrors();
    for (const ErrorPlace place : {ErrorPlace::Analysis, ErrorPlace::Attention})
        texts << m_window.state().error(place).split(u'\n', Qt::SkipEmptyParts);
    for (const QString &text : texts)
        std::fprintf(stderr, "%s\n", qPrintable(tr("Not exported: %1").arg(text)));
}

void HeadlessRun::paint()
{
    StudyState &state = m_window.state();
    if (!state.currentHead()) {
        if (const auto head = mostNeededHead(state)) {
            state.selectHead(*head);
            return; // pages may compute for it: painted at the next round
        }
    }
    if (!m_options.exportFolder.isEmpty() && !std::exchange(m_isForExport, true)) {
        for (Page *page : m_window.pages())
            page->computeForExport();
        return;
    }
    if (!m_options.exportFolder.isEmpty()) {
        const auto files = plannedFiles(m_window, m_options.exportFolder);
        const auto written = writeFiles(files, m_options.exportFolder, {});
        if (written.isError())
            return finish(written.error());
        std::printf("%s\n",
                    qPrintable(tr("%Ln files written to %1", nullptr, written.value()).arg(m_options.exportFolder)));
        reportLeftOut();
        m_step = Step::Saving;
        m_window.saveStudyAs(exportedStudy());
    }
    if (!m_options.screenshot.isEmpty() && !m_window.grab().save(m_options.screenshot))
        return finish(resourceError("Cannot write the picture " + m_options.screenshot.toStdString()
                                    + ". Choose a folder that exists and can be written, and a name ending in .png."));
    if (m_step == Step::Painting)
        finish(std::nullopt);
}

void HeadlessRun::finish(const std::optional<Error> &error)
{
    if (error)
        std::fprintf(stderr, "headscope: %s\n", error->message.c_str());
    const int badInputExit = 3;
    QCoreApplication::exit(!error ? 0 : error->code == ErrorCode::Internal ? 1 : badInputExit);
}

/// Names of jobs as they begin, and now and then how far a long one is.
void HeadlessRun::report()
{
    constexpr int kBetweenMs = 5000;
    const JobInfo *job = m_window.controller().queue().current();
    if (!job)
        return m_reported.clear();
    const bool begins = job->spec.name != m_reported;
    const QString text = begins ? job->spec.name : jobLineText(*job);
    if (!begins && (m_sinceReport.elapsed() < kBetweenMs || text == job->spec.name))
        return;
    std::fprintf(stderr, "%s\n", qPrintable(text));
    m_reported = job->spec.name;
    m_sinceReport.start();
}

} // namespace headscope
