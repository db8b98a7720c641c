#include "ui/views/scorebar.h"

#include "ui/jobs/jobmodel.h"
#include "ui/models/numbertext.h"
#include "ui/state/maskedscore.h"
#include "ui/views/elidedlabel.h"
#include "ui/views/pageparts.h"
#include "ui/views/plainlabel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QProgressBar>
#include <QTextDocument>
#include <QToolButton>

#include <algorithm>

namespace headscope {

ScoreBar::ScoreBar(StudyState &state, StudyController &controller, QWidget *parent)
    : QWidget(parent), m_state(state), m_controller(controller), m_scores(new QLabel(this)),
      m_jobName(new ElidedLabel(this)), m_progress(new QProgressBar(this)), m_jobCount(new PlainLabel(this)),
      m_cancel(new QToolButton(this))
{
    m_scores->setTextFormat(Qt::RichText);
    m_scores->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_scores->installEventFilter(this);
    m_scores->setMinimumWidth(1);
    m_jobName->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_progress->setFixedWidth(120);
    m_progress->setTextVisible(false);
    m_cancel->setText(tr("Cancel"));
    m_cancel->setObjectName(QStringLiteral("cancelJob"));
    m_cancel->setToolTip(tr("Stops this job; its partial results stay"));
    setToolTip(tr("Click to see all jobs"));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 1, 8, 1);
    layout->addWidget(m_scores);
    layout->addWidget(m_jobName, 1);
    addWidgets(*layout, {m_progress, m_jobCount, m_cancel});
    for (const auto signal : {&StudyState::modelChanged, &StudyState::maskChanged, &StudyState::domainViewChanged})
        connect(&m_state, signal, this, &ScoreBar::refreshScores);
    connect(&m_state, &StudyState::resultsChanged, this, &ScoreBar::refreshScores);
    connect(&m_state, &StudyState::staleChanged, this, &ScoreBar::refreshScores);
    connect(&m_state, &StudyState::dataChanged, this, &ScoreBar::refreshScores);
    connect(&m_controller.works(), &WorkList::changed, this, &ScoreBar::refreshScores);
    JobQueue &queue = controller.queue();
    for (const auto signal : {&JobQueue::jobAdded, &JobQueue::jobChanged, &JobQueue::jobFinished})
        connect(&queue, signal, this, &ScoreBar::refreshJob);
    connect(m_cancel, &QToolButton::clicked, this, [this] { m_controller.queue().cancel(m_jobId); });
    refreshScores();
    refreshJob();
}

int ScoreBar::wholeHeight() const
{
    const QMargins margins = layout()->contentsMargins();
    return std::max({m_scores->fontMetrics().height(), m_progress->sizeHint().height(), m_cancel->sizeHint().height()})
         + margins.top() + margins.bottom() + 2;
}

/// Text that can be selected keeps the mouse for itself: a click on it is one on the bar, unless something was
/// selected.
bool ScoreBar::eventFilter(QObject *object, QEvent *event)
{
    const bool clicked = object == m_scores && event->type() == QEvent::MouseButtonRelease
                      && static_cast<QMouseEvent *>(event)->button() == Qt::LeftButton;
    if (clicked && !m_scores->hasSelectedText())
        Q_EMIT jobsRequested();
    return QWidget::eventFilter(object, event);
}

void ScoreBar::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        Q_EMIT jobsRequested();
}

QString ScoreBar::scoreText(Domain domain) const
{
    const auto score = maskedScore(m_state, domain);
    const auto work
        = m_controller.works().workOn(domain, m_state.mask().empty() ? ResultKind::Baseline : ResultKind::Masked);
    if (!score) {
        if (!m_state.session() || !m_state.data(domain) || !m_state.data(domain)->references)
            return {};
        return work && work->isLeft() ? stageText(*work) : tr("…");
    }
    const ValueFormat format = metricFormat(QString::fromStdString(score->metric));
    QStringList details;
    if (score->delta && score->deltaInterval)
        details << tr("Δ %1 %2").arg(format.difference(*score->delta), format.interval(*score->deltaInterval, true));
    else if (score->delta)
        details << tr("Δ %1").arg(format.difference(*score->delta));
    const QString examples = countText(score->examples);
    if (!score->partial)
        details << tr("n %1").arg(examples);
    else if (work && work->isActive())
        details << tr("%1 of %2 so far").arg(examples, countText(score->total));
    else
        details << tr("stopped at %1 of %2").arg(examples, countText(score->total));
    if (m_state.isStale(domain, score->manifest))
        details << tr("outdated");
    return tr("%1 (%2)").arg(format.score(score->value, score->interval), details.join(QStringLiteral(", ")));
}

void ScoreBar::refreshScores()
{
    QStringList parts;
    for (const Domain domain : kBothDomains) {
        const QString score = scoreText(domain);
        if (!score.isEmpty())
            parts << QStringLiteral("%1&nbsp;<b>%2</b>").arg(domainName(domain), score.toHtmlEscaped());
    }
    m_forms.clear();
    if (parts.isEmpty()) { // blanks alone would be shown as they are written
        m_scores->clear();
        return fitScores();
    }
    QString lead;
    if (m_state.model()) {
        lead = m_state.mask().empty()
                 ? tr("Full model, %1:").arg(m_state.metricName())
                 : tr("With these masks (%1), %2:").arg(headsText(m_state.mask().size()), m_state.metricName());
    }
    const QString blanks = QStringLiteral("&nbsp;&nbsp;");
    const QString shown = parts[m_state.shownDomain() == Domain::Out ? parts.size() - 1 : 0];
    m_forms << lead + blanks + parts.join(QStringLiteral("&nbsp;&nbsp;&nbsp;"));
    if (parts.size() > 1)
        m_forms << lead + blanks + shown;
    m_forms << shown;
    m_scores->setToolTip(m_forms.front() + QStringLiteral("<br>")
                         + toolTip()); // all of it where the window is too narrow
    fitScores();
}

int ScoreBar::roomForScores() const
{
    const QMargins margins = layout()->contentsMargins();
    int room = width() - margins.left() - margins.right() - layout()->spacing();
    for (const QWidget *widget : std::initializer_list<const QWidget *>{m_progress, m_jobCount, m_cancel})
        room -= widget->isHidden() ? 0
                                   : std::max(widget->sizeHint().width(), widget->minimumWidth()) + layout()->spacing();
    return room - (m_jobId == 0 ? m_jobName->fontMetrics().horizontalAdvance(m_jobName->text()) : 0);
}

/// No score is cut: where there is no room for all of them beside the job, that of the data set that is shown stands
/// there, at last without the words before it; and the job's words get fewer before that one is cut.
void ScoreBar::fitScores()
{
    QTextDocument document;
    document.setDefaultFont(m_scores->font());
    document.setDocumentMargin(0);
    const auto fits = [&](const QString &form) {
        document.setHtml(form);
        return document.idealWidth() <= roomForScores();
    };
    for (const QString &words : m_jobForms) {
        m_jobCount->setText(words);
        if (m_forms.isEmpty() || fits(m_forms.back()))
            break;
    }
    if (m_forms.isEmpty())
        return;
    const auto form = std::ranges::find_if(m_forms, fits);
    const QString &text = form == m_forms.end() ? m_forms.back() : *form;
    if (m_scores->text() != text)
        m_scores->setText(text);
}

void ScoreBar::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fitScores();
}

void ScoreBar::refreshJob()
{
    const JobInfo *job = m_controller.queue().current();
    m_jobId = job ? job->id : 0;
    for (QWidget *widget : std::initializer_list<QWidget *>{m_progress, m_jobCount, m_cancel})
        widget->setVisible(job);
    m_jobForms.clear();
    if (!job) {
        m_jobName->setText(m_state.model() ? tr("Ready") : QString());
        return fitScores();
    }
    m_jobName->setText(job->paused ? tr("%1 (paused)").arg(job->spec.name) : job->spec.name);
    const Progress &progress = job->progress;
    m_progress->setRange(0, static_cast<int>(progress.total));
    m_progress->setValue(static_cast<int>(progress.done));
    const QString count = jobCountText(*job);
    const QString left = jobTimeLeftText(*job);
    for (QStringList words : {QStringList{count, jobRateText(*job), left}, QStringList{count, left},
                              QStringList{left.isEmpty() ? count : left}}) {
        words.removeAll(QString());
        m_jobForms << words.join(QStringLiteral(" · "));
    }
    if (job->cancelling)
        m_jobForms = {tr("stopping")};
    m_cancel->setEnabled(!job->cancelling);
    m_progress->setAccessibleName(tr("%1: %2").arg(job->spec.name, m_jobForms.front()));
    fitScores();
}

} // namespace headscope
