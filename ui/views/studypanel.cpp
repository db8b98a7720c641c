#include "ui/views/studypanel.h"

#include "ui/language/corewords.h"
#include "ui/models/kindtext.h"
#include "ui/models/modelname.h"
#include "ui/models/numbertext.h"
#include "ui/models/plaintip.h"
#include "ui/models/tasktext.h"
#include "ui/state/resultkinds.h"
#include "ui/state/windowwords.h"
#include "ui/views/elidedlabel.h"
#include "ui/views/errorlabel.h"
#include "ui/views/manifesttext.h"
#include "ui/views/pageparts.h"
#include "ui/views/waysbutton.h"

#include <QClipboard>
#include <QDateTime>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

namespace headscope {

namespace {
constexpr int kKeyRole = Qt::UserRole + 1;
constexpr int kKindRole = Qt::UserRole + 2;
constexpr int kDomainRole = Qt::UserRole + 3;
constexpr int kNameRole = Qt::UserRole + 4;
constexpr int kUnitRole = Qt::UserRole + 5;
const QString kMissing = QStringLiteral("missing "); ///< begins the keys of what nobody has computed

UnitKind kindOfItem(const QTreeWidgetItem &item)
{
    return {static_cast<ResultKind>(item.data(0, kKindRole).toUInt()),
            static_cast<HeadUnit>(item.data(0, kUnitRole).toInt())};
}

Domain domainOfItem(const QTreeWidgetItem &item)
{
    return static_cast<Domain>(item.data(0, kDomainRole).toInt());
}

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
    const QDate date = time.toLocalTime().date();
    return date.year() == QDate::currentDate().year() ? QLocale().toString(date, QStringLiteral("d MMM"))
                                                      : QLocale().toString(date, QLocale::ShortFormat);
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
    return manifest ? commandText(state, work.key.domain, *manifest) : QString();
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
    card.line->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    card.line->setAccessibleName(title);
    card.details = new QWidget(box);
    card.error = new ErrorLabel(box);
    card.change = new QToolButton(box);
    card.change->setAutoRaise(true);
    card.change->setIcon(QIcon(QStringLiteral(":/icons/%1.svg").arg(icon)));
    setNameAndTip(*card.change, tr("%1: %2").arg(title, buttonText));
    auto *line = new QHBoxLayout;
    line->setSpacing(4);
    line->addWidget(card.fold);
    line->addWidget(card.line, 1);
    line->addWidget(card.change);
    fillDetails(card, title, canClear);
    auto *layout = new QVBoxLayout(box);
    layout->setContentsMargins({});
    layout->setSpacing(2);
    layout->addLayout(line);
    layout->addWidget(card.details);
    layout->addWidget(card.error);
    widget()->layout()->addWidget(box);
    return card;
}

/// What unfolds, with the button that removes what the card is of.
void StudyPanel::fillDetails(Card &card, const QString &title, bool canClear)
{
    card.text = makeRichText(card.details);
    auto *layout = new QVBoxLayout(card.details);
    layout->setContentsMargins(20, 0, 0, 6);
    layout->addWidget(card.text);
    if (canClear) {
        card.clear = new QToolButton(card.details);
        card.clear->setText(tr("Remove"));
        card.clear->setAccessibleName(tr("%1: remove").arg(title));
        layout->addWidget(card.clear, 0, Qt::AlignLeft);
    }
    card.details->hide();
    connect(card.fold, &QToolButton::toggled, this, [fold = card.fold, shown = card.details](bool open) {
        fold->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
        shown->setVisible(open);
    });
}

QStringList StudyPanel::summary() const
{
    return {m_model.line->text(), m_data[0].line->text(), m_data[1].line->text()};
}

void StudyPanel::setupResults()
{
    auto *box = new QWidget(widget());
    auto *layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 8, 0, 0);
    auto *title = new QLabel(tr("Results"), box);
    makeBold(*title);
    layout->addWidget(title);
    m_analysisError = new ErrorLabel(box);
    m_analysisError->setDismissable(true);
    connect(m_analysisError, &ErrorLabel::dismissed, &m_controller.works(), &WorkList::dismissErrors);
    m_results = new QTreeWidget(box);
    m_results->setColumnCount(2);
    m_results->setHeaderHidden(true);
    m_results->setRootIsDecorated(true);
    m_results->setIndentation(10);
    m_results->setFrameShape(QFrame::NoFrame);
    m_results->setUniformRowHeights(true);
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
    addWidgets(*buttons, {m_resume, m_copy});
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
    connect(&m_controller.works(), &WorkList::changed, this, &StudyPanel::refreshResults);
    connect(&m_state, &StudyState::errorChanged, this, &StudyPanel::refreshErrors);
    connect(m_model.change, &QToolButton::clicked, this, &StudyPanel::modelRequested);
    for (const Domain domain : kBothDomains) {
        const Card &card = m_data[domain == Domain::In ? 0 : 1];
        connect(card.change, &QToolButton::clicked, this, [this, domain] { Q_EMIT dataRequested(domain); });
        connect(card.clear, &QToolButton::clicked, this, [this, domain] { m_controller.clearData(domain); });
    }
    connect(m_results, &QTreeWidget::currentItemChanged, this, &StudyPanel::refreshButtons);
    connect(m_results, &QTreeWidget::itemClicked, this, &StudyPanel::openResult);
    connect(m_results, &QTreeWidget::itemActivated, this, &StudyPanel::openResult);
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
    m_model.line->setText(
        warning
        + tr("%1 · %2").arg(m_controller.files().isDemo() ? tr("Demo model") : modelName(text(model->folder.string())),
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

/// Of the whole model, with its interval; empty: not measured.
QString StudyPanel::scoreText(Domain domain) const
{
    const auto &baseline = m_state.results(domain).baseline;
    if (!baseline || baseline->metrics.empty())
        return {};
    const MetricValue &metric = baseline->primary();
    const ValueFormat format = metricFormat(text(metric.name));
    const QString score = format.score(metric.value);
    return metric.interval ? score + u' ' + format.interval(*metric.interval, false) : score;
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
                         {m_state.metricName(), scoreText(domain)}});
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
/// Of the list: a result, or one that is missing.
struct StudyPanel::Row
{
    QString key; // a name that stays
    Domain domain;
    std::optional<Work> work;
    UnitKind kind;

    QString group() const { return isOfModel(kind.kind) ? tr("the model alone") : domainName(domain); }
};

std::vector<StudyPanel::Row> StudyPanel::resultRows() const
{
    std::vector<Row> rows;
    for (const Domain domain : kBothDomains) {
        const std::vector<Work> there = m_controller.works().work(domain);
        for (const Work &work : there) {
            if (work.key.kind != ResultKind::Masked)
                rows.push_back({tagOf(work.key) + u'\n' + commandOfWork(work), domain, work, work.key.kind});
        }
        for (const ResultKind kind : missing(domain, there))
            rows.push_back({kMissing + tagOf({domain, kind}), domain, std::nullopt, kind});
    }
    // Those of the model alone are the same whatever the data.
    std::erase_if(rows, [](const Row &row) { return row.domain == Domain::Out && isOfModel(row.kind.kind); });
    // Each kind has its place, whether its results are there or only asked for.
    std::ranges::stable_sort(
        rows, {}, [](const Row &row) { return std::tuple(isOfModel(row.kind.kind), row.domain, row.kind.kind); });
    return rows;
}

/// New lines, with what was chosen and folded among the old ones.
void StudyPanel::fillResults(const std::vector<Row> &rows)
{
    const auto *chosen = m_results->currentItem();
    const QString current = chosen ? chosen->data(0, kKeyRole).toString() : QString();
    QStringList folded;
    for (int i = 0; i < m_results->topLevelItemCount(); ++i) {
        if (!m_results->topLevelItem(i)->isExpanded())
            folded << m_results->topLevelItem(i)->text(0);
    }
    m_results->clear();
    QTreeWidgetItem *group = nullptr;
    for (const Row &row : rows) {
        if (const QString name = row.group(); !group || group->text(0) != name) {
            group = new QTreeWidgetItem(m_results, {name});
            group->setFlags(Qt::ItemIsEnabled);
            QFont bold = m_results->font();
            bold.setBold(true);
            group->setFont(0, bold);
            group->setExpanded(!folded.contains(name));
        }
        auto *item = new QTreeWidgetItem(group);
        item->setData(0, kKeyRole, row.key);
        item->setData(0, kKindRole, static_cast<unsigned>(row.kind.kind));
        item->setData(0, kUnitRole, static_cast<int>(row.kind.unit));
        item->setData(0, kDomainRole, static_cast<int>(row.domain));
        item->setData(0, kNameRole, row.work && row.work->result ? resultName(*row.work->result) : QString());
    }
    if (rows.empty()) {
        auto *none = new QTreeWidgetItem(m_results, {tr("Nothing computed yet.")});
        none->setFlags(Qt::NoItemFlags);
    }
    for (QTreeWidgetItemIterator at(m_results); *at && !current.isEmpty(); ++at) {
        if ((*at)->data(0, kKeyRole).toString() == current)
            m_results->setCurrentItem(*at);
    }
}

void StudyPanel::refreshResults()
{
    const std::vector<Row> rows = resultRows();
    QStringList keys;
    for (const Row &row : rows)
        keys << row.key;
    if (keys != m_shown || m_results->topLevelItemCount() == 0) {
        m_shown = keys;
        fillResults(rows);
    }
    auto row = rows.begin();
    for (QTreeWidgetItemIterator at(m_results); *at && row != rows.end(); ++at) {
        if ((*at)->data(0, kKeyRole).toString().isEmpty())
            continue;
        if (row->work)
            showWork(**at, *row->work);
        else
            showMissing(**at);
        ++row;
    }
    refreshButtons();
}

/// What could be computed on the data and is not there.
QList<ResultKind> StudyPanel::missing(Domain domain, const std::vector<Work> &there) const
{
    const auto &data = m_state.data(domain);
    QList<ResultKind> kinds;
    for (const ResultKindInfo &info : resultKinds()) {
        const bool known = std::ranges::any_of(there, [&](const Work &work) { return work.key.kind == info.kind; });
        const bool possible = data && m_state.model() && (data->references || !info.analysis.needsReferences());
        if (info.isListed && possible && !known)
            kinds << info.kind;
    }
    return kinds;
}

void StudyPanel::showMissing(QTreeWidgetItem &item) const
{
    const Domain domain = domainOfItem(item);
    QString name = resultKindName(kindOfItem(item));
    name[0] = name[0].toUpper();
    item.setText(0, name);
    item.setText(1, tr("○ compute"));
    const QString tip = tr("%1, %2").arg(name, domainName(domain)) + u'\n'
                      + tr("Not computed. A click opens its page; the menu of the right button computes it.");
    for (const int column : {0, 1})
        item.setToolTip(column, plainTip(tip));
    item.setData(1, Qt::AccessibleTextRole, tr("not computed"));
}

void StudyPanel::showWork(QTreeWidgetItem &item, const Work &work) const
{
    const Manifest *manifest = manifestOfWork(work);
    const QString stage = shortStageText(work);
    item.setText(0, work.title);
    QString status = stage;
    if (work.stage == WorkStage::Complete)
        status = manifest ? tr("✓ %1").arg(ageText(manifest->created)) : QStringLiteral("✓");
    else if (work.stage == WorkStage::Stale)
        status = QStringLiteral("⚠ ") + stage;
    else if (work.stage == WorkStage::Failed)
        status = QStringLiteral("✗ ") + stage;
    else if (work.stage == WorkStage::Partial)
        status = stage.startsWith(u'◐') ? stage : QStringLiteral("◐ ") + stage;
    item.setText(1, status);
    QStringList tip{tr("%1, %2").arg(work.title, domainName(work.key.domain))};
    if (work.stage == WorkStage::Stale)
        tip << staleText(m_state, work.key.domain, *manifest);
    else if (work.stage == WorkStage::Failed)
        tip << work.error;
    else
        tip << stageText(work);
    if (work.stage == WorkStage::Partial)
        tip << tr("“Resume” computes the rest.");
    else if (work.isWhole())
        tip << tr("A click shows it.");
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
        for (Work &work : m_controller.works().work(domain)) {
            if (tagOf(work.key) + u'\n' + commandOfWork(work) == key)
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

/// `why` it cannot be run; empty: it can.
void StudyPanel::addCommand(QMenu &menu, const QString &text, const QString &why, const std::function<void()> &run)
{
    QAction *action = menu.addAction(text, this, run);
    action->setEnabled(why.isEmpty());
    action->setStatusTip(why);
}

/// Of what is missing.
void StudyPanel::addComputing(QMenu &menu)
{
    const UnitKind kind = kindOfItem(*m_results->currentItem());
    const Domain domain = domainOfItem(*m_results->currentItem());
    const auto seconds = m_timeSource ? m_timeSource(kind, domain) : std::nullopt;
    addCommand(menu, withTime(tr("Compute"), seconds, m_controller.patience()), m_controller.whyNotReady(),
               [this, kind, domain] { Q_EMIT computeRequested(kind, domain); });
}

void StudyPanel::addCommandsOf(QMenu &menu, const Work &work)
{
    const QString notReady = m_controller.whyNotReady();
    if (work.isActive())
        addCommand(menu, tr("Stop"), {}, [this, work] { m_controller.queue().cancelTag(tagOf(work.key)); });
    else if (work.isLeft())
        addCommand(menu, tr("Resume"), notReady, [this] { resume(); });
    else
        addCommand(menu, tr("Compute again"), notReady, [this, work] { m_controller.works().resume(work); });
    addCommand(menu, work.isWhole() ? tr("Discard") : tr("Remove what there is of it"),
               work.isActive() ? tr("It is being computed: stop it first") : QString(),
               [this, work] { m_controller.works().forget(work); });
    menu.addSeparator();
    addCommand(menu, tr("Copy as command"), m_copy->isEnabled() ? QString() : tr("There is nothing of it yet"),
               [this] { copyCommand(); });
    const QString file = fileOfStudy();
    addCommand(menu, tr("Show file"),
               !file.isEmpty() ? QString() : tr("Save the study first: its results are files beside it"),
               [file] { QDesktopServices::openUrl(QUrl::fromLocalFile(file)); });
}

void StudyPanel::openMenu(const QPoint &at)
{
    if (QTreeWidgetItem *item = m_results->itemAt(at))
        m_results->setCurrentItem(item);
    const auto work = chosenWork();
    const auto *chosen = m_results->currentItem();
    if (!work && !(chosen && chosen->data(0, kKeyRole).toString().startsWith(kMissing)))
        return;
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    addCommand(*menu, tr("Show"), {}, [this] { openResult(m_results->currentItem()); });
    menu->addSeparator();
    if (work)
        addCommandsOf(*menu, *work);
    else
        addComputing(*menu);
    menu->popup(m_results->viewport()->mapToGlobal(at));
}

/// The folder of the results; empty where the study was never saved.
QString StudyPanel::fileOfStudy() const
{
    const QString folder = m_state.studyFile() + QStringLiteral(".results");
    return !m_state.studyFile().isEmpty() && QFileInfo(folder).isDir() ? folder : QString();
}

void StudyPanel::openResult(const QTreeWidgetItem *item)
{
    if (!item || item->data(0, kKeyRole).toString().isEmpty())
        return;
    Q_EMIT resultRequested(kindOfItem(*item), domainOfItem(*item), item->data(0, kNameRole).toString());
}

void StudyPanel::resume()
{
    if (const auto work = chosenWork())
        m_controller.works().resume(*work);
}

void StudyPanel::copyCommand()
{
    if (const auto work = chosenWork()) {
        QGuiApplication::clipboard()->setText(commandHereOfWork(m_state, *work));
        Q_EMIT noted(tr("Copied: the command that computes it"));
    }
}

} // namespace headscope
