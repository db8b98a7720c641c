#include "ui/state/clustercontroller.h"

#include "core/analysis/askedspec.h"
#include "core/base/programfolder.h"
#include "core/base/shellwords.h"
#include "core/results/manifestoptions.h"
#include "core/results/optionsjson.h"
#include "core/session/manifests.h"
#include "core/session/studyrecord.h"
#include "ui/state/domainjobs.h"
#include "ui/state/windowwords.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>
#include <variant>

namespace headscope {

namespace {

constexpr int kMostShards = 100000; // of headscope-cli
constexpr int kMostThreads = 100000;

QString sweepName(const AblationSpec &spec, Domain domain)
{
    return jobOf(spec, domain, false, false).name;
}

/// What options decide it beside those that every command has: "--replace mean".
QString detailOf(const AblationSpec &spec)
{
    nlohmann::json options = optionsOf(spec);
    options.erase("all-but-one");
    QStringList words;
    for (const auto &[name, value] : options.items())
        words << QStringLiteral("--%1 %2").arg(
            QString::fromStdString(name),
            QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump()));
    return words.join(u' ');
}

QString quoted(const QString &word)
{
    return QString::fromStdString(shellQuoted(word.toStdString()));
}

QString nameOf(ClusterRun::State state)
{
    switch (state) {
    case ClusterRun::State::Cancelled:
        return QStringLiteral("cancelled");
    case ClusterRun::State::Failed:
        return QStringLiteral("failed");
    default:
        return QStringLiteral("left");
    }
}

ClusterRun::State stateFrom(const QString &name)
{
    for (const auto state : {ClusterRun::State::Cancelled, ClusterRun::State::Failed}) {
        if (nameOf(state) == name)
            return state;
    }
    return ClusterRun::State::Left;
}

} // namespace

ClusterController::ClusterController(StudyState &state, StudyController &controller, QObject *parent)
    : QObject(parent), m_state(state), m_controller(controller)
{
    connect(&m_controller, &StudyController::leaving, this, [this] {
        leave();
        Q_EMIT runsChanged();
    });
}

ClusterController::~ClusterController()
{
    leave();
}

/// The cluster goes on without anybody who watches.
void ClusterController::leave()
{
    for (const ClusterRun &run : std::exchange(m_runs, {})) {
        if (run.state != ClusterRun::State::Watched)
            continue;
        run.child->leaves = true;
        m_controller.queue().cancel(run.job);
    }
}

std::vector<ClusterChoice> ClusterController::choices() const
{
    std::vector<ClusterChoice> choices;
    for (const Domain domain : kBothDomains) {
        const auto &data = m_state.data(domain);
        if (!m_state.model() || !data || !data->references)
            continue;
        std::set<std::string> known;
        const auto add = [&](const AblationSpec &spec, bool computed) {
            const std::string asked = decidingOptions(spec).dump() + (spec.referenceFromOther ? " of both" : "");
            if (spec.precision > 0 || !known.insert(asked).second) // precision needs the whole sweep
                return;
            const QString detail = detailOf(spec);
            choices.push_back(
                {domain, spec, sweepName(spec, domain) + (detail.isEmpty() ? QString() : u' ' + detail), computed});
        };
        for (const AnyResult &result : m_state.shownResults(domain)) {
            const auto ablation = result.as<AblationResult>();
            if (!ablation || ablation->manifest.partial)
                continue;
            try {
                add(specOf<AblationSpec>(optionsOf(ablation->manifest)), true);
            } catch (const Failure &) { // it cannot be asked for again
            }
        }
        for (const bool allButOne : {false, true})
            add({.run = m_controller.runOptions(), .allButOne = allButOne}, false);
        if (m_state.hasKeyGroups())
            add({.run = m_controller.runOptions(), .by = HeadUnit::KeyGroup}, false);
        // What is always there comes first.
        std::stable_sort(choices.begin(), choices.end(), [](const ClusterChoice &a, const ClusterChoice &b) {
            return std::pair(a.domain, !detailOf(a.spec).isEmpty()) < std::pair(b.domain, !detailOf(b.spec).isEmpty());
        });
    }
    return choices;
}

QString ClusterController::whyNot() const
{
    if (!m_state.model())
        return tr("Open a model first.");
    if (!m_state.model()->host.empty())
        return tr("The model is on another machine (%1), and so are its cluster's programs. Copy the command, and start it there in a "
                  "terminal.")
            .arg(QString::fromStdString(m_state.model()->host));
    return choices().empty() ? tr("Choose a data set with references first.") : QString();
}

QString ClusterController::whyNot(const ClusterTask &task) const
{
    if (const QString why = whyNot(); !why.isEmpty())
        return why;
    if (!QDir::isAbsolutePath(task.parent))
        return tr("Name a folder on a disk that all nodes see.");
    try {
        const auto words = shellWords(task.options.toStdString(), "Options of sbatch");
        if (!words.empty() && !words.front().starts_with('-'))
            return tr("Options of sbatch: \"%1\" is none; they begin with a dash.")
                .arg(QString::fromStdString(words.front()));
    } catch (const Failure &failure) {
        return QString::fromStdString(failure.error().message);
    }
    if (!m_state.data(task.domain))
        return tr("Choose %1 data first.").arg(domainName(task.domain));
    if (wantsSecond(task.spec) && !m_state.data(otherDomain(task.domain)))
        return tr("This needs the other data set, too: choose it first.");
    const QString folder = folderOf(task);
    const auto known = std::ranges::find(m_runs, folder, &ClusterRun::folder);
    return known != m_runs.end() && known->isActive() ? tr("This sweep is already running.") : QString();
}

QString ClusterController::folderOf(const ClusterTask &task) const
{
    const ModelCard &model = *m_state.model();
    QCryptographicHash hash(QCryptographicHash::Sha256);
    const auto add = [&](const std::string &part) { hash.addData(QByteArray::fromStdString(part + '\n')); };
    add(model.weightsHash);
    add(settingsHash(model));
    add(m_state.data(task.domain)->hash);
    if (wantsSecond(task.spec))
        add(m_state.data(otherDomain(task.domain))->hash);
    add(decidingOptions(task.spec).dump());
    add(model.dtype);
    add(std::to_string(task.shards) + ' ' + std::to_string(task.threads));
    const QString kind = task.spec.allButOne ? QStringLiteral("one-head-a-layer") : QStringLiteral("ablation");
    return QDir(task.parent)
        .filePath(QStringLiteral("%1-%2-%3")
                      .arg(kind, domainName(task.domain), QString::fromLatin1(hash.result().toHex().left(8))));
}

QString ClusterController::commandOf(const ClusterTask &task) const
{
    const ModelCard &model = *m_state.model();
    const bool here = model.host.empty();
    const auto pathsOf = [here](const DataSource &data) { return here ? withAbsolutePaths(data) : data; };
    const std::string folder = here ? std::filesystem::absolute(model.folder).string() : model.folder.string();
    std::string command
        = commandLine(AnalysisOf<AblationSpec>::kInfo.name, folder, pathsOf(m_state.data(task.domain)->origin),
                      withLanguages(decidingOptions(task.spec), model.sourceLanguage, model.targetLanguage));
    if (wantsSecond(task.spec) && m_state.data(otherDomain(task.domain)))
        command
            += secondDataOption(secondOption<AblationSpec>(), pathsOf(m_state.data(otherDomain(task.domain))->origin),
                                m_state.data(task.domain)->origin);
    QString text = QString::fromStdString(command);
    if (model.dtype != ModelOptions().dtype)
        text += QStringLiteral(" --dtype ") + QString::fromStdString(model.dtype);
    if (task.threads > 0)
        text += QStringLiteral(" --threads %1").arg(task.threads);
    const QString own = folderOf(task);
    text += QStringLiteral(" --cluster slurm --shards %1 --cluster-folder %2").arg(task.shards).arg(quoted(own));
    if (!task.options.trimmed().isEmpty())
        text += QStringLiteral(" --cluster-options=") + quoted(task.options.trimmed());
    return text + QStringLiteral(" --out ") + quoted(own + QStringLiteral("/result.json"));
}

std::string ClusterController::program() const
{
    if (!m_program.isEmpty())
        return m_program.toStdString();
    const auto found = relativeToProgram({"headscope-cli"});
    return found.empty() ? std::string("headscope-cli") : found.front().string();
}

void ClusterController::start(const ClusterTask &task)
{
    if (!whyNot(task).isEmpty())
        return;
    const QString folder = folderOf(task);
    ClusterRun *run = find(folder);
    if (run == nullptr)
        run = &m_runs.emplace_back();
    *run = {.task = task, .name = sweepName(task.spec, task.domain), .folder = folder};
    watch(*run);
}

void ClusterController::resume(const QString &folder, const QString &options)
{
    ClusterRun *run = find(folder);
    if (run == nullptr || run->isActive())
        return;
    run->task.options = options;
    QString why = whyNot();
    if (why.isEmpty() && (!m_state.data(run->task.domain) || folderOf(run->task) != folder))
        why = tr("The model or the data have changed since it was begun. Start it again.");
    if (why.isEmpty())
        why = whyNot(run->task);
    run->error = why;
    if (why.isEmpty())
        return watch(*run);
    run->state = ClusterRun::State::Failed;
    Q_EMIT runsChanged();
}

/// As a job. The same sweep is not computed here at the same time.
void ClusterController::watch(ClusterRun &run)
{
    m_controller.queue().cancelTag(jobOf(run.task.spec, run.task.domain, false, false).tag);
    std::vector<std::string> words = shellWords(commandOf(run.task).toStdString(), "The command");
    words.front() = program();
    words.insert(words.begin() + 1, {"--progress", "json"});
    run.state = ClusterRun::State::Watched;
    run.error.clear();
    m_controller.works().setJobError(run.folder, {});
    run.report = {};
    run.child = std::make_shared<ClusterChild>();
    const std::filesystem::path own = run.folder.toStdString();
    const auto job = std::make_shared<JobId>(0); // known once it is started
    run.job = *job = m_controller.queue().start<ClusterReport>(
        {tr("%1, on the cluster").arg(run.name), {}, JobLane::Elsewhere},
        [words, own, child = run.child](const JobControl &control, const Publish<ClusterReport> &publish) {
            return watchCluster(words, own, own / "result.json", *child, control, publish);
        },
        this, [this, folder = run.folder, job](const Result<ClusterReport> &result) { onEnded(folder, *job, result); },
        [this, folder = run.folder, job](const std::shared_ptr<const ClusterReport> &report) {
            if (ClusterRun *known = find(folder); known && known->job == *job) {
                known->report = *report;
                Q_EMIT runsChanged();
            }
        });
    changed();
}

void ClusterController::onEnded(const QString &folder, JobId job, const Result<ClusterReport> &result)
{
    ClusterRun *run = find(folder);
    if (run == nullptr || run->job != job)
        return;
    if (result.isOk()) {
        run->report = result.value();
        const AnyResult sweep = std::move(*std::exchange(run->report.result, {}));
        run->error = take(*run, sweep);
        run->state = run->error.isEmpty() ? ClusterRun::State::Done : ClusterRun::State::Failed;
    } else if (result.isError()) {
        run->state = ClusterRun::State::Failed;
        run->error = QString::fromStdString(result.error().message);
    } else {
        run->state = ClusterRun::State::Stopping;
        JobSpec spec{tr("Cancel %1 on the cluster").arg(run->name), {}, JobLane::Elsewhere};
        spec.mustFinish = true;
        m_controller.queue().start<Done>(
            spec, [child = run->child](const JobControl &) { return awaitEnd(*child); }, this,
            [this, folder, job](const Result<Done> &ended) {
                ClusterRun *stopped = find(folder);
                if (stopped == nullptr || stopped->job != job)
                    return;
                stopped->state = ClusterRun::State::Cancelled;
                if (ended.isError())
                    stopped->error = QString::fromStdString(ended.error().message);
                changed();
            });
    }
    if (!run->error.isEmpty())
        m_controller.works().setJobError(folder, tr("%1, on the cluster: %2").arg(run->name, run->error));
    changed();
}

/// Puts the result into the slot whose data it is of; what is wrong with it otherwise.
QString ClusterController::take(const ClusterRun &run, const AnyResult &result)
{
    const auto ablation = result.as<AblationResult>();
    if (!ablation || ablation->manifest.partial || ablation->allButOne != run.task.spec.allButOne)
        return tr("The file from the cluster is not the requested result. Its folder is %1.").arg(run.folder);
    QStringList changed;
    for (const Domain domain : {run.task.domain, otherDomain(run.task.domain)}) {
        if (!m_state.data(domain))
            continue;
        const QStringList differs = m_state.changedSince(domain, ablation->manifest);
        if (differs.isEmpty() && ablation->manifest.dataHash == m_state.data(domain)->hash) {
            m_controller.addResult(domain, result);
            return {};
        }
        if (changed.isEmpty())
            changed = differs;
    }
    return tr("The result is of another model or other data than are open now (changed: %1). It is in %2.")
        .arg(changed.isEmpty() ? tr("the data") : changed.join(QStringLiteral(", ")),
             run.folder + QStringLiteral("/result.json"));
}

void ClusterController::cancel(const QString &folder)
{
    ClusterRun *run = find(folder);
    if (run == nullptr || run->state != ClusterRun::State::Watched)
        return;
    run->state = ClusterRun::State::Stopping;
    m_controller.queue().cancel(run->job);
    Q_EMIT runsChanged();
}

void ClusterController::forget(const QString &folder)
{
    if (std::erase_if(m_runs, [&](const ClusterRun &run) { return run.folder == folder && !run.isActive(); }) > 0)
        changed();
}

QJsonArray ClusterController::remembered() const
{
    QJsonArray runs;
    for (const ClusterRun &run : m_runs) {
        if (run.state == ClusterRun::State::Done)
            continue;
        const std::string options = decidingOptions(run.task.spec).dump();
        runs << QJsonObject{
            {QStringLiteral("domain"), static_cast<int>(run.task.domain)},
            {QStringLiteral("options"), QJsonDocument::fromJson(QByteArray::fromStdString(options)).object()},
            {QStringLiteral("other"), run.task.spec.referenceFromOther},
            {QStringLiteral("shards"), run.task.shards},
            {QStringLiteral("threads"), run.task.threads},
            {QStringLiteral("folder"), run.folder},
            {QStringLiteral("stand"), nameOf(run.state)}};
    }
    return runs;
}

/// Studies are not trusted: only values are taken from them, never words of a command.
void ClusterController::takeUp(const QJsonArray &runs)
{
    constexpr int kMostRuns = 1000;
    m_runs.clear();
    for (const QJsonValue &value : runs) {
        const QJsonObject object = value.toObject();
        ClusterTask task;
        task.domain = object[QStringLiteral("domain")].toInt() == 0 ? Domain::In : Domain::Out;
        task.shards = object[QStringLiteral("shards")].toInt();
        task.threads = object[QStringLiteral("threads")].toInt();
        const QString folder = object[QStringLiteral("folder")].toString();
        task.parent = QFileInfo(folder).path();
        const bool valid = QDir::isAbsolutePath(folder) && task.shards >= 2 && task.shards <= kMostShards
                        && task.threads >= 0 && task.threads <= kMostThreads && std::ssize(m_runs) < kMostRuns;
        if (!valid)
            continue;
        try {
            const QByteArray options = QJsonDocument(object[QStringLiteral("options")].toObject()).toJson();
            task.spec = specOf<AblationSpec>(nlohmann::json::parse(options.toStdString(), nullptr, false));
        } catch (const Failure &) {
            continue;
        }
        task.spec.referenceFromOther = object[QStringLiteral("other")].toBool();
        m_runs.push_back({.task = task,
                          .name = sweepName(task.spec, task.domain),
                          .folder = folder,
                          .state = stateFrom(object[QStringLiteral("stand")].toString())});
    }
    Q_EMIT runsChanged();
}

ClusterRun *ClusterController::find(const QString &folder)
{
    const auto found = std::ranges::find(m_runs, folder, &ClusterRun::folder);
    return found == m_runs.end() ? nullptr : &*found;
}

void ClusterController::changed()
{
    m_controller.files().setModified();
    Q_EMIT runsChanged();
}

} // namespace headscope
