#include "ui/views/studypanel.h"

#include "ui/language/corewords.h"
#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"
#include "ui/models/plaintip.h"
#include "ui/models/tasktext.h"
#include "ui/state/windowwords.h"
#include "ui/views/elidedlabel.h"
#include "ui/views/errorlabel.h"
#include "ui/views/manifesttext.h"

#include <QClipboard>
#include <QDateTime>
#include <QDir>
#include <QGroupBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>
#include <vector>

namespace headscope {

namespace {
constexpr int kKeyRole = Qt::UserRole + 1;

QString text(const std::string &value)
{
    return QString::fromStdString(value);
}

/// "Name  value" lines as a small table that wraps.
QString rows(const QList<QPair<QString, QString>> &entries)
{
    QString html = QStringLiteral("<table cellspacing='0' cellpadding='1'>");
    for (const auto &[name, value] : entries) {
        if (!value.isEmpty())
            html += QStringLiteral("<tr><td style='padding-right:8px'>%1</td><td>%2</td></tr>")
                        .arg(name.toHtmlEscaped(), value.toHtmlEscaped());
    }
    return html + QStringLiteral("</table>");
}

/// What this study sets otherwise than the model's own generation settings; empty when nothing is.
QString decodingText(const Decoding &decoding)
{
    QStringList parts;
    if (decoding.beams)
        parts << (*decoding.beams == 1 ? StudyPanel::tr("greedy") : StudyPanel::tr("%1 beams").arg(*decoding.beams));
    if (decoding.lengthPenalty)
        parts << StudyPanel::tr("length penalty %1").arg(numberText(*decoding.lengthPenalty, 2));
    if (decoding.maxLength)
        parts << StudyPanel::tr("at most %Ln tokens", nullptr, static_cast<int>(*decoding.maxLength));
    return parts.join(QStringLiteral(", "));
}

QString layersText(const HeadLayout &layout)
{
    QStringList parts;
    for (const auto &block : layout.blocks()) {
        std::size_t fewest = block.layers.empty() ? 0 : block.layers.front().size();
        std::size_t most = fewest;
        for (const auto &heads : block.layers) {
            fewest = std::min(fewest, heads.size());
            most = std::max(most, heads.size());
        }
        const QString heads = fewest == most ? QString::number(most) : QStringLiteral("%1…%2").arg(fewest).arg(most);
        parts << QStringLiteral("%1 %2×%3").arg(headKindLabel(block.kind)).arg(block.layers.size()).arg(heads);
    }
    return parts.join(QStringLiteral(", "));
}

QString ageText(const std::string &created)
{
    const QDateTime time = QDateTime::fromString(text(created), Qt::ISODate);
    if (!time.isValid())
        return {};
    const qint64 minutes = time.secsTo(QDateTime::currentDateTimeUtc()) / 60;
    if (minutes < 1)
        return StudyPanel::tr("just now");
    if (minutes < 60)
        return StudyPanel::tr("%n min ago", "", static_cast<int>(minutes));
    if (minutes < 24 * 60)
        return StudyPanel::tr("%n h ago", "", static_cast<int>(minutes / 60));
    return QLocale().toString(time.toLocalTime().date(), QLocale::ShortFormat);
}

const Manifest *manifestOfWork(const Work &work)
{
    return work.result ? manifestOf(*work.result) : nullptr;
}

/// As it was given when the result was computed: tells rows of the list apart.
QString commandOfWork(const Work &work)
{
    const Manifest *manifest = manifestOfWork(work);
    return manifest ? text(manifest->command) : QString();
}
/// As it runs from any folder.
QString commandHereOfWork(const StudyState &state, const Work &work)
{
    const Manifest *manifest = manifestOfWork(work);
    return manifest ? commandText(state, work.domain, *manifest) : QString();
}
} // namespace

StudyPanel::StudyPanel(StudyState &state, StudyController &controller, QWidget *parent)
    : QScrollArea(parent), m_state(state), m_controller(controller)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Study"));
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMinimumWidth(24 * fontMetrics().averageCharWidth()); // what is narrower cannot be read, nor found again
    auto *content = new QWidget(this);
    auto *layout = new QVBoxLayout(content);
    layout->setContentsMargins(6, 6, 6, 6);
    setWidget(content);
    m_studyError = new ErrorLabel(content);
    layout->addWidget(m_studyError);
    layout->setSpacing(2);
    m_model = addCard(tr("Model"), QStringLiteral("open"), tr("Open…"), false);
    m_data[0] = addCard(tr("In-domain data"), QStringLiteral("data"), tr("Choose…"), true);
    m_data[1] = addCard(tr("Out-of-domain data"), QStringLiteral("data"), tr("Choose…"), true);
    setupResults();
    connectState();
    refreshModel();
    for (const Domain domain : kBothDomains)
        refreshData(domain);
    refreshErrors();
    refreshResults();
}

StudyPanel::Card StudyPanel::addCard(const QString &title, const QString &icon, const QString &buttonText,
                                     bool canClear)
{
    Card card;
    auto *box = new QWidget(widget());
    card.fold = new QToolButton(box);
    card.fold->setCheckable(true);
    card.fold->setAutoRaise(true);
    card.fold->setArrowType(Qt::RightArrow);
    card.fold->setAccessibleName(tr("%1: details").arg(title));
    card.fold->setToolTip(tr("Shows or hides details"));
    card.line = new ElidedLabel(box);
    card.line->setAccessibleName(title);
    card.details = new QWidget(box);
    card.text = new QLabel(card.details);
    card.text->setWordWrap(true);
    card.text->setTextFormat(Qt::RichText);
    card.text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    card.error = new ErrorLabel(box);
    card.change = new QToolButton(box);
    card.change->setAutoRaise(true);
    card.change->setIcon(QIcon(QStringLiteral(":/icons/%1.svg").arg(icon)));
    card.change->setToolTip(tr("%1: %2").arg(title, buttonText));
    card.change->setAccessibleName(card.change->toolTip());
    auto *line = new QHBoxLayout;
    line->setSpacing(4);
    line->addWidget(card.fold);
    line->addWidget(card.line, 1);
    line->addWidget(card.change);
    auto *details = new QVBoxLayout(card.details);
    details->setContentsMargins(20, 0, 0, 6);
    details->addWidget(card.text);
    if (canClear) {
        card.clear = new QToolButton(card.details);
        card.clear->setText(tr("Remove"));
        card.clear->setAccessibleName(tr("%1: remove").arg(title));
        details->addWidget(card.clear, 0, Qt::AlignLeft);
    }
    card.details->hide();
    connect(card.fold, &QToolButton::toggled, this, [fold = card.fold, shown = card.details](bool open) {
        fold->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
        shown->setVisible(open);
    });
    auto *layout = new QVBoxLayout(box);
    layout->setContentsMargins({});
    layout->setSpacing(2);
    layout->addLayout(line);
    layout->addWidget(card.details);
    layout->addWidget(card.error);
    widget()->layout()->addWidget(box);
    return card;
}

QStringList StudyPanel::summary() const
{
    return {m_model.line->text(), m_data[0].line->text(), m_data[1].line->text()};
}

void StudyPanel::setupResults()
{
    auto *box = new QGroupBox(tr("Results"), widget());
    auto *layout = new QVBoxLayout(box);
    m_analysisError = new ErrorLabel(box);
    m_analysisError->setDismissable(true);
    connect(m_analysisError, &ErrorLabel::dismissed, &m_controller, &StudyController::dismissErrors);
    m_results = new QTreeWidget(box);
    m_results->setColumnCount(2);
    m_results->setHeaderHidden(true);
    m_results->setRootIsDecorated(false);
    m_results->setIndentation(8);
    m_results->setAccessibleName(tr("Computed results"));
    m_results->setMinimumHeight(150);
    m_results->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_results->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_results->header()->setStretchLastSection(false);
    m_copy = new QToolButton(box);
    m_copy->setText(tr("Copy as command"));
    m_copy->setToolTip(tr("Copies the command line that computes the selected result"));
    m_copy->setEnabled(false);
    layout->addWidget(m_analysisError);
    m_resume = new QToolButton(box);
    m_resume->setText(tr("Resume"));
    m_resume->setObjectName(QStringLiteral("resume"));
    m_results->setContextMenuPolicy(Qt::CustomContextMenu);
    layout->addWidget(m_results, 1);
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(m_resume);
    buttons->addWidget(m_copy);
    buttons->addStretch();
    layout->addLayout(buttons);
    static_cast<QVBoxLayout *>(widget()->layout())->addWidget(box, 1);
}

void StudyPanel::connectState()
{
    connect(&m_state, &StudyState::modelChanged, this, &StudyPanel::refreshModel);
    connect(&m_state, &StudyState::dataChanged, this, &StudyPanel::refreshData);
    connect(&m_state, &StudyState::resultsChanged, this, [this](Domain domain, ResultKinds kinds) {
        if (kinds.testFlag(ResultKind::Baseline))
            refreshData(domain);
    });
    connect(&m_controller, &StudyController::workChanged, this, &StudyPanel::refreshResults);
    connect(&m_state, &StudyState::errorChanged, this, &StudyPanel::refreshErrors);
    connect(m_model.change, &QToolButton::clicked, this, &StudyPanel::modelRequested);
    for (const Domain domain : kBothDomains) {
        const Card &card = m_data[domain == Domain::In ? 0 : 1];
        connect(card.change, &QToolButton::clicked, this, [this, domain] { Q_EMIT dataRequested(domain); });
        connect(card.clear, &QToolButton::clicked, this, [this, domain] { m_controller.clearData(domain); });
    }
    connect(m_results, &QTreeWidget::currentItemChanged, this, &StudyPanel::refreshButtons);
    connect(m_results, &QTreeWidget::customContextMenuRequested, this, &StudyPanel::openMenu);
    connect(m_resume, &QToolButton::clicked, this, &StudyPanel::resume);
    connect(m_copy, &QToolButton::clicked, this, &StudyPanel::copyCommand);
}

void StudyPanel::refreshModel()
{
    const ModelCard *model = m_state.model();
    m_model.fold->setEnabled(model);
    if (!model) {
        m_model.line->setText(tr("No model is open."));
        m_model.text->clear();
        m_model.fold->setChecked(false);
        return;
    }
    const QString warning = model->warnings.empty() ? QString() : QStringLiteral("⚠ ");
    m_model.line->setText(warning
                          + tr("%1 · %2").arg(QDir(text(model->folder.string())).dirName(),
                                              headsText(static_cast<std::int64_t>(model->layout.size()))));
    QString html = rows(
        {{tr("family"), text(model->family)},
         {tr("heads"), countText(model->layout.size())},
         {tr("layers × heads"), layersText(model->layout)},
         {tr("parameters"), countText(model->parameters)},
         {tr("width"), QString::number(model->width)},
         {tr("says"), problemText(*model)},
         {tr("labels"), labelNamesText(*model)},
         {tr("generation"), fromCore(model->generation)},
         {tr("here"), isTranslator(*model) ? decodingText(m_controller.runOptions().decoding) : QString()},
         {tr("runs on"), model->host.empty()
                             ? tr("%1, %2").arg(text(model->device), text(model->dtype))
                             : tr("%1, %2 on %3").arg(text(model->device), text(model->dtype), text(model->host))}});
    for (const std::string &warning : model->warnings)
        html += QStringLiteral("<p>⚠ %1</p>").arg(text(warning).toHtmlEscaped());
    m_model.text->setText(html);
    m_model.line->setToolTip(plainTip(m_model.line->text() + u'\n' + text(model->folder.string())));
}

void StudyPanel::refreshData(Domain domain)
{
    const Card &card = m_data[domain == Domain::In ? 0 : 1];
    const auto &data = m_state.data(domain);
    card.fold->setEnabled(data.has_value());
    if (!data) {
        card.line->setText(domain == Domain::In ? tr("No in-domain data") : tr("No out-of-domain data"));
        card.line->setToolTip(tr("Choose data at the right of this line, or drop files into the window."));
        card.text->clear();
        card.fold->setChecked(false);
        return;
    }
    QString score;
    if (const auto &baseline = m_state.results(domain).baseline; baseline && !baseline->metrics.empty()) {
        const MetricValue &metric = baseline->primary();
        const ValueFormat format = metricFormat(text(metric.name));
        score = format.score(metric.value);
        if (metric.interval)
            score += u' ' + format.interval(*metric.interval, false);
    }
    const QString warning = data->warnings.empty() ? QString() : QStringLiteral("⚠ ");
    const QString set = domain == Domain::In ? tr("In: %1 · %2") : tr("Out: %1 · %2");
    card.line->setText(warning + set.arg(text(data->name), countText(data->rows)));
    QString html = rows({{tr("data set"), domainName(domain)},
                         {tr("examples"), data->pairs ? tr("%Ln text pairs", nullptr, static_cast<int>(data->rows))
                                                      : countText(data->rows)},
                         {tr("mean length"), tr("%1 words").arg(numberText(data->meanWords, 1))},
                         {tr("labels"), labelCountsText(data->labels)},
                         {tr("trees"), data->trees ? tr("with the texts") : QString()},
                         {tr("references"), data->references ? QString() : tr("none: no scores")},
                         {m_state.metricName(), score}});
    for (const std::string &warning : data->warnings)
        html += QStringLiteral("<p>⚠ %1</p>").arg(inWindowWords(warning).toHtmlEscaped());
    card.text->setText(html);
    const DataSource &origin = data->origin;
    const std::string &file = !origin.source.empty() ? origin.source
                            : !origin.table.empty()  ? origin.table
                            : !origin.text.empty()   ? origin.text
                                                     : origin.conllu;
    card.line->setToolTip(plainTip(card.line->text() + u'\n' + text(file)));
}

void StudyPanel::refreshErrors()
{
    m_studyError->setError(m_state.error(ErrorPlace::Study));
    m_model.error->setError(m_state.error(ErrorPlace::Model));
    m_data[0].error->setError(m_state.error(ErrorPlace::InData));
    m_data[1].error->setError(m_state.error(ErrorPlace::OutData));
    m_analysisError->setError(m_state.error(ErrorPlace::Analysis));
}

/// The rows stay as long as the same results are listed: only what is said of them changes.
void StudyPanel::refreshResults()
{
    std::vector<std::pair<QString, Work>> rows; // by a name that stays
    for (const Domain domain : kBothDomains) {
        for (Work &work : m_controller.work(domain)) {
            if (work.kind == ResultKind::Masked)
                continue;
            QString key = work.tag + u'\n' + commandOfWork(work);
            rows.emplace_back(std::move(key), std::move(work));
        }
    }
    QStringList keys;
    for (const auto &[key, work] : rows)
        keys << key;
    if (keys != m_shown || m_results->topLevelItemCount() == 0) {
        const auto *chosen = m_results->currentItem();
        const QString current = chosen ? chosen->data(0, kKeyRole).toString() : QString();
        m_shown = keys;
        m_results->clear();
        QTreeWidgetItem *group = nullptr;
        for (const auto &[key, work] : rows) {
            if (const QString name = domainName(work.domain); !group || group->text(0) != name) {
                group = new QTreeWidgetItem(m_results, {name});
                group->setFlags(Qt::ItemIsEnabled);
                QFont bold = m_results->font();
                bold.setBold(true);
                group->setFont(0, bold);
            }
            auto *item = new QTreeWidgetItem(group);
            item->setData(0, kKeyRole, key);
        }
        if (rows.empty()) {
            auto *none = new QTreeWidgetItem(m_results, {tr("Nothing computed yet.")});
            none->setFlags(Qt::NoItemFlags);
        }
        m_results->expandAll();
        for (QTreeWidgetItemIterator at(m_results); *at && !current.isEmpty(); ++at) {
            if ((*at)->data(0, kKeyRole).toString() == current)
                m_results->setCurrentItem(*at);
        }
    }
    auto row = rows.begin();
    for (QTreeWidgetItemIterator at(m_results); *at && row != rows.end(); ++at) {
        if (!(*at)->data(0, kKeyRole).toString().isEmpty())
            showWork(**at, row++->second);
    }
    refreshButtons();
}

void StudyPanel::showWork(QTreeWidgetItem &item, const Work &work) const
{
    const Manifest *manifest = manifestOfWork(work);
    const QString stage = shortStageText(work);
    item.setText(0, work.title);
    item.setText(1, stage.isEmpty() && manifest ? ageText(manifest->created) : stage);
    QStringList tip{tr("%1, %2").arg(work.title, domainName(work.domain))};
    if (work.stage == WorkStage::Stale)
        tip << staleText(m_state, work.domain, *manifest);
    else if (work.stage == WorkStage::Failed)
        tip << work.error;
    else
        tip << stageText(work);
    if (work.stage == WorkStage::Partial)
        tip << tr("“Resume” computes the rest.");
    if (manifest && work.isWhole())
        tip << tr("%1 examples, %2 s").arg(countText(manifest->examples), numberText(manifest->seconds, 1));
    else if (work.examples > 0 && work.total > 0)
        tip << tr("%1 of %2 examples").arg(countText(work.examples), countText(work.total));
    tip << commandHereOfWork(m_state, work);
    tip.removeAll(QString());
    item.setToolTip(0, plainTip(tip.join(u'\n')));
    item.setToolTip(1, item.toolTip(0));
    item.setData(1, Qt::AccessibleTextRole, stageText(work));
}

std::optional<Work> StudyPanel::chosenWork() const
{
    const QTreeWidgetItem *item = m_results->currentItem();
    const QString key = item ? item->data(0, kKeyRole).toString() : QString();
    if (key.isEmpty())
        return std::nullopt;
    for (const Domain domain : kBothDomains) {
        for (Work &work : m_controller.work(domain)) {
            if (work.tag + u'\n' + commandOfWork(work) == key)
                return std::move(work);
        }
    }
    return std::nullopt;
}

void StudyPanel::refreshButtons()
{
    const auto work = chosenWork();
    const QString why = m_controller.whyNotReady();
    m_copy->setEnabled(work && !commandOfWork(*work).isEmpty());
    m_resume->setEnabled(work && work->isLeft() && why.isEmpty());
    m_resume->setToolTip(!why.isEmpty()           ? plainTip(why)
                         : work && work->isLeft() ? tr("Computes the rest of the selected result")
                                                  : tr("Select a result that was stopped"));
}

void StudyPanel::openMenu(const QPoint &at)
{
    if (QTreeWidgetItem *item = m_results->itemAt(at))
        m_results->setCurrentItem(item);
    const auto work = chosenWork();
    if (!work)
        return;
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Resume"), this, &StudyPanel::resume)->setEnabled(m_resume->isEnabled());
    menu->addAction(tr("Stop"), this, [this, work] { m_controller.queue().cancelTag(work->tag); })
        ->setEnabled(work->isActive());
    menu->addAction(tr("Remove what there is of it"), this, [this, work] { m_controller.forget(*work); })
        ->setEnabled(work->isLeft());
    menu->addSeparator();
    menu->addAction(tr("Copy as command"), this, &StudyPanel::copyCommand)->setEnabled(m_copy->isEnabled());
    menu->popup(m_results->viewport()->mapToGlobal(at));
}

void StudyPanel::resume()
{
    if (const auto work = chosenWork())
        m_controller.resume(*work);
}

void StudyPanel::copyCommand()
{
    if (const auto work = chosenWork())
        QGuiApplication::clipboard()->setText(commandHereOfWork(m_state, *work));
}

} // namespace headscope
