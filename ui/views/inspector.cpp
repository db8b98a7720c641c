#include "ui/views/inspector.h"

#include "ui/heatmap/focusframe.h"
#include "ui/models/gridcontent.h"
#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"
#include "ui/models/roletext.h"
#include "ui/models/tasktext.h"
#include "ui/views/captionlabel.h"
#include "ui/views/gridfeed.h"
#include "ui/views/pageparts.h"
#include "ui/views/plainlabel.h"

#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QStringList>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope {

SmallHeatMap::SmallHeatMap(QWidget *parent) : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Attention of the selected head on one sentence"));
}

void SmallHeatMap::setTable(AttentionTable table, bool masked)
{
    m_table = std::move(table);
    m_masked = masked;
    setVisible(!m_table.empty());
    setAccessibleDescription(tr("%1 × %2 tokens. Space or Enter shows them on the page Attention.")
                                 .arg(m_table.rows.size())
                                 .arg(m_table.columns.size()));
    update();
}

void SmallHeatMap::paintEvent(QPaintEvent *)
{
    if (m_table.empty())
        return;
    QPainter painter(this);
    const ViewPalette &colors = ViewPalette::matching(palette());
    const double rows = static_cast<double>(m_table.rows.size());
    const double columns = static_cast<double>(m_table.columns.size());
    const double cell = std::min(width() / columns, height() / rows);
    const ColorScale scale = ColorScale::sequential(0, 1);
    if (m_masked)
        painter.setOpacity(0.45);
    for (std::size_t row = 0; row < m_table.rows.size(); ++row) {
        for (std::size_t column = 0; column < m_table.columns.size(); ++column) {
            const QRectF rect(static_cast<double>(column) * cell, static_cast<double>(row) * cell, cell, cell);
            painter.fillRect(rect, scale.color(m_table.weight(row, column), colors.appearance));
        }
    }
    painter.setPen(colors.line);
    painter.drawRect(QRectF(0, 0, columns * cell - 1, rows * cell - 1));
    painter.setOpacity(1);
    if (hasFocus())
        paintFocusFrame(painter, rect(), colors);
}

void SmallHeatMap::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        Q_EMIT clicked();
}

void SmallHeatMap::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Space || event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        Q_EMIT clicked();
    else
        QWidget::keyPressEvent(event);
}

Inspector::Inspector(StudyState &state, StudyController &controller, QWidget *parent)
    : QWidget(parent), m_state(state), m_controller(controller)
{
    setAccessibleName(tr("Selected head"));
    setMinimumWidth(33 * fontMetrics().averageCharWidth()); // a value with its interval, and both buttons
    m_title = new PlainLabel(this);
    QFont bold = font();
    bold.setBold(true);
    bold.setPointSizeF(bold.pointSizeF() * 1.15);
    m_title->setFont(bold);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_mask = new QPushButton(this);
    m_showAttention = new QPushButton(tr("Show attention"), this);
    m_more = new QToolButton(this);
    m_more->setCheckable(true);
    m_more->setAutoRaise(true);
    m_more->setArrowType(Qt::RightArrow);
    m_more->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_more->setText(tr("Tests, ranks and counts"));
    m_more->setToolTip(tr("p-values, ranks, and how many examples each number rests on"));
    QWidget *numbers = makeNumbers();
    m_exampleTitle = new CaptionLabel(this);
    m_example = new SmallHeatMap(this);
    auto *buttons = new QHBoxLayout;
    addWidgets(*buttons, {m_mask, m_showAttention});
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(9, 9, 3, 9);
    layout->addWidget(m_title);
    layout->addLayout(buttons);
    layout->addWidget(m_more);
    layout->addWidget(numbers, 1);
    addWidgets(*layout, {m_exampleTitle, m_example});
    connectState();
    refresh();
}

/// The values and what they rest on; they scroll.
QWidget *Inspector::makeNumbers()
{
    auto *numbers = new QScrollArea(this);
    numbers->setWidgetResizable(true);
    numbers->setFrameShape(QFrame::NoFrame);
    numbers->setAccessibleName(tr("Numbers of the selected head"));
    auto *content = new QWidget(numbers);
    for (QLabel **label : {&m_values, &m_details}) {
        *label = new QLabel(content);
        (*label)->setWordWrap(true);
        (*label)->setAlignment(Qt::AlignTop | Qt::AlignLeft);
        (*label)->installEventFilter(this);
        (*label)->setTextFormat(Qt::RichText);
        (*label)->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    m_details->hide();
    auto *layout = new QVBoxLayout(content);
    layout->setContentsMargins({});
    addWidgets(*layout, {m_values, m_details});
    layout->addStretch(1);
    numbers->setWidget(content);
    return numbers;
}

/// The example leaves most of a low panel to the numbers.
void Inspector::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_example->setMaximumHeight(std::max(height() / 3, 60));
}

void Inspector::connectState()
{
    for (const auto signal : {&StudyState::selectionChanged, &StudyState::maskChanged})
        connect(&m_state, signal, this, &Inspector::refresh);
    for (const auto signal : {&StudyState::modelChanged, &StudyState::rolesChanged, &StudyState::significanceChanged,
                              &StudyState::metricChanged, &StudyState::staleChanged, &StudyState::gridUnitChanged})
        connect(&m_state, signal, this, &Inspector::remeasure);
    connect(&m_state, &StudyState::resultsChanged, this, &Inspector::remeasure);
    connect(&m_state, &StudyState::dataChanged, this, &Inspector::remeasure);
    connect(&m_controller.works(), &WorkList::changed, this, &Inspector::refresh);
    connect(&m_state, &StudyState::attentionChanged, this, &Inspector::refreshExample);
    connect(m_mask, &QPushButton::clicked, this, [this] {
        if (m_state.currentHead())
            m_state.toggleMasks(chosenHeads());
    });
    connect(m_showAttention, &QPushButton::clicked, this, &Inspector::attentionRequested);
    connect(m_more, &QToolButton::toggled, this, [this](bool on) {
        m_more->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
        m_details->setVisible(on);
        keepValuesWhole();
    });
    connect(m_example, &SmallHeatMap::clicked, this, &Inspector::attentionRequested);
}

/// The selection that the head is part of, else the head; whole key groups where cells are these. Precondition: there
/// is a current head.
std::set<HeadRef> Inspector::chosenHeads() const
{
    const HeadRef &head = *m_state.currentHead();
    std::set<HeadRef> heads = shownContent(m_state, m_state.measure(), m_state.domainView()).whole(head);
    if (m_state.selection().contains(head))
        heads.insert(m_state.selection().begin(), m_state.selection().end());
    return heads;
}

void Inspector::remeasure()
{
    m_measured.reset();
    refresh();
}

void Inspector::refresh()
{
    const auto &head = m_state.currentHead();
    const bool known = head && m_state.layout().contains(*head);
    m_mask->setVisible(known);
    m_showAttention->setVisible(known);
    m_more->setVisible(known);
    m_details->setVisible(known && m_more->isChecked());
    if (!known) {
        m_title->setText(m_state.model() ? tr("No head selected") : QString());
        m_values->setText(m_state.model()
                              ? tr("Click a cell, or move with the arrow keys: all results of the head appear "
                                   "here.")
                              : tr("Open a model to inspect its heads."));
        refreshExample();
        return;
    }
    const std::set<HeadRef> chosen = chosenHeads();
    const bool areMasked
        = std::ranges::all_of(chosen, [this](const HeadRef &one) { return m_state.mask().isMasked(one); });
    m_title->setText(QString::fromStdString(toText(*head)));
    m_mask->setText(chosen.size() > 1 ? (areMasked ? tr("Unmask %1") : tr("Mask %1")).arg(headsText(std::ssize(chosen)))
                    : areMasked       ? tr("Unmask")
                                      : tr("Mask"));
    const std::vector<DomainMeasures> &all = measured();
    m_values->setText(factsHtml(*head, all));
    m_details->setText(detailsHtml(*head, all));
    keepValuesWhole();
    refreshExample();
}

/// A label that wraps would be cut, not scrolled, where the panel is low.
void Inspector::keepValuesWhole()
{
    for (QLabel *label : {m_values, m_details}) {
        if (const int least = std::max(label->heightForWidth(label->width()), 0); least != label->minimumHeight())
            label->setMinimumHeight(least);
    }
}

bool Inspector::eventFilter(QObject *object, QEvent *event)
{
    const bool handled = QWidget::eventFilter(object, event);
    if ((object == m_values || object == m_details) && event->type() == QEvent::Resize)
        keepValuesWhole();
    return handled;
}

/// "Δ BLEU" or the measure's name.
QString Inspector::nameOf(Measure measure, const GridContent &content) const
{
    const QString name = measure == Measure::AblationDelta ? tr("Δ %1").arg(m_state.metricName())
                                                           : measureName(measure, m_state.metricName());
    return content.byKeyGroup ? tr("%1 of its key group").arg(name) : name;
}

/// "not computed yet", or how far it is.
QString Inspector::missingHtml(Domain domain, Measure measure) const
{
    const auto work = m_controller.works().workOn(domain, kindOf(measure, m_state.gridUnit()));
    const QString stage = work && !work->isWhole() ? stageText(*work) : QString();
    return stage.isEmpty() ? tr("not computed yet") : stage.toHtmlEscaped();
}

/// What the grids of each data set show; attention by kinds of keys has a row of its own. It is the same for every head
/// that is clicked.
const std::vector<Inspector::DomainMeasures> &Inspector::measured()
{
    if (m_measured)
        return *m_measured;
    std::vector<DomainMeasures> &all = m_measured.emplace();
    for (const DomainView view : {DomainView::In, DomainView::Out}) {
        const Domain domain = view == DomainView::In ? Domain::In : Domain::Out;
        if (!m_state.data(domain))
            continue;
        DomainMeasures &one = all.emplace_back(DomainMeasures{domain, {}});
        for (const MeasureInfo &info : measures()) {
            if (info.isSurface || info.isOfModel)
                continue;
            GridContent content = shownContent(m_state, info.measure, view);
            if (!info.isRare || content.valueCount() > 0)
                one.contents.emplace_back(info.measure, std::move(content));
        }
    }
    DomainMeasures ofModel{.isOfModel = true};
    for (const MeasureInfo &info : measures()) {
        if (!info.isOfModel)
            continue;
        if (GridContent content = shownContent(m_state, info.measure, DomainView::In); content.valueCount() > 0)
            ofModel.contents.emplace_back(info.measure, std::move(content));
    }
    if (!ofModel.contents.empty())
        all.push_back(std::move(ofModel));
    return all;
}

QString Inspector::tableBegin(const DomainMeasures &part) const
{
    const QString name = part.isOfModel ? tr("Without data") : domainName(part.domain);
    const QString of = part.isOfModel ? tr("the model alone") : QString::fromStdString(m_state.data(part.domain)->name);
    return QStringLiteral("<p><b>%1</b> <small>%2</small></p><table cellspacing='0' cellpadding='2'>")
        .arg(name, of.toHtmlEscaped());
}

/// On a line of its own, in grey: what a number rests on.
QString Inspector::mutedLine(const QString &text) const
{
    return QStringLiteral("<br><span style='color:%1'>%2</span>")
        .arg(ViewPalette::matching(palette()).muted.name(), text.toHtmlEscaped());
}

/// What one measure says of the head.
QString Inspector::factOf(const HeadRef &head, Domain domain, Measure measure, const GridContent &content) const
{
    const HeadCell *cell = content.cell(head);
    if (!cell || !cell->value)
        return infoOf(measure).isOfModel ? tr("none") : missingHtml(domain, measure);
    const bool partial = content.isPartial(*cell);
    QString value = (partial ? QStringLiteral("%1") : QStringLiteral("<b>%1</b>")).arg(content.valueText(*cell->value));
    if (cell->interval)
        value += QStringLiteral(" ") + content.intervalText(*cell->interval).replace(u' ', QChar::Nbsp);
    if (partial)
        value += mutedLine(content.examplesText(*cell));
    if (const QString alike = content.alikeText(*cell); !alike.isEmpty())
        value += mutedLine(alike);
    if (cell->significant && !*cell->significant)
        value += QStringLiteral("<br>") + tr("may be chance");
    if (measure == Measure::Windowed)
        value += QStringLiteral("<br>") + windowText(domain);
    return value;
}

/// What the head is labelled as; empty: that is not computed.
QString Inspector::detectedHtml(const HeadRef &head) const
{
    const auto &result = m_state.results(Domain::In).detected;
    if (!result)
        return {};
    const auto found = std::ranges::find(result->heads, head, &HeadDetection::head);
    if (found == result->heads.end())
        return {};
    QStringList labels;
    for (const HeadDetector label : found->labels)
        labels << detectorName(label);
    return labels.isEmpty() ? tr("none") : QStringLiteral("<b>%1</b>").arg(labels.join(QStringLiteral(", ")));
}

/// A line for each measure, on each data set.
QString Inspector::factsHtml(const HeadRef &head, const std::vector<DomainMeasures> &all) const
{
    QString html = tr("%1, layer %2, head %3").arg(headKindTitle(head.kind)).arg(head.layer).arg(head.head);
    if (m_state.mask().isMasked(head))
        html += tr(" – <b>masked</b>");
    const auto count = m_state.selection().size();
    if (count > 1)
        html += QStringLiteral("<br>") + tr("(%1 selected)").arg(headsText(static_cast<std::int64_t>(count)));
    const QString row = QStringLiteral("<tr><td style='padding-right:10px'>%1</td><td>%2</td></tr>");
    for (const DomainMeasures &part : all) {
        const Domain domain = part.domain;
        html += tableBegin(part);
        for (const auto &[measure, content] : part.contents)
            html += row.arg(nameOf(measure, content), factOf(head, domain, measure, content));
        if (part.isOfModel) {
            if (const QString text = detectedHtml(head); !text.isEmpty())
                html += row.arg(tr("On repeated tokens"), text);
            html += QStringLiteral("</table>");
            continue;
        }
        if (const QString text = gatedRoleText(head, domain); !text.isEmpty())
            html += row.arg(tr("By gates"), text);
        if (const QString text = takeoverText(head, domain); !text.isEmpty())
            html += row.arg(tr("Taken over"), text.toHtmlEscaped());
        const auto assigned = m_state.assignedRoles(domain);
        if (const HeadRoles *roles = assigned ? findRoles(*assigned, head) : nullptr) {
            const QString text = rolesText(roles->supported());
            html += row.arg(tr("Role"),
                            text.isEmpty() ? tr("none") : QStringLiteral("<b>%1</b>").arg(text.toHtmlEscaped()));
        }
        html += QStringLiteral("</table>");
    }
    return html;
}

/// "facilitating (4 of 5 seeds)"; empty: that is not computed.
QString Inspector::gatedRoleText(const HeadRef &head, Domain domain) const
{
    const auto &result = m_state.results(domain).gating;
    if (!result)
        return {};
    const auto found = std::ranges::find(result->heads, head, &HeadGating::head);
    if (found == result->heads.end())
        return {};
    const QString role = found->role == GatedRole::Facilitating ? tr("helps the task")
                       : found->role == GatedRole::Interfering  ? tr("interferes with the task")
                                                                : tr("does not matter");
    const auto seeds = static_cast<std::int64_t>(result->seeds.size());
    return tr("%1 (%2 of %3 seeds)")
        .arg(role, countText(std::llround(found->agreement * static_cast<double>(seeds))), countText(seeds));
}

/// "45 %, most by encoder.3.1 (+0.31)": what was made good when the head was removed; empty: that is not computed.
QString Inspector::takeoverText(const HeadRef &head, Domain domain) const
{
    const auto &all = m_state.results(domain).takeovers;
    const auto found = std::ranges::find_if(all, [&](const auto &one) {
        return one->replacement == Replacement::Zero
            && (one->head == head || std::ranges::find(one->together, head) != one->together.end());
    });
    if (found == all.end() || (*found)->heads.empty())
        return {};
    const TakeoverResult &result = **found;
    const HeadTakeover &most = *std::ranges::max_element(result.heads, {}, [&](const HeadTakeover &one) {
        return result.own >= result.instead ? one.change : -one.change;
    });
    const QString by
        = tr("most by %1 (%2)").arg(QString::fromStdString(toText(most.head)), ValueFormat().difference(most.change));
    return std::isnan(result.repaired) ? by : tr("%1 %, %2").arg(numberText(100 * result.repaired, 0), by);
}

/// What a head with a window sees. Precondition: the sweep is there.
QString Inspector::windowText(Domain domain) const
{
    const AblationResult &sweep = *m_state.results(domain).windowed;
    return tr("sees the first %1 tokens and those nearer than %2").arg(countText(sweep.sinks), countText(sweep.window));
}

namespace {
/// Each in a line of its own.
QString testsHtml(const HeadCell &cell, const Significance &significance)
{
    QStringList lines;
    if (cell.p && !cell.pAdjusted && cell.discoveryP)
        lines << Inspector::tr("p %1 (Benjamini–Hochberg %2)")
                     .arg(probabilityText(*cell.p), probabilityText(*cell.discoveryP));
    else if (cell.p && cell.discoveryP)
        lines << Inspector::tr("p %1 (Holm %2, Benjamini–Hochberg %3)")
                     .arg(probabilityText(*cell.p), probabilityText(cell.pAdjusted.value_or(1)),
                          probabilityText(*cell.discoveryP));
    else if (cell.p)
        lines << Inspector::tr("p %1 (Holm %2)")
                     .arg(probabilityText(*cell.p), probabilityText(cell.pAdjusted.value_or(1)));
    if (cell.significant)
        lines << (*cell.significant ? Inspector::tr("significant (%1)").arg(significance.text())
                                    : Inspector::tr("not significant (%1)").arg(significance.textOfOthers()));
    if (cell.mcnemar)
        lines << Inspector::tr("McNemar p %1").arg(probabilityText(*cell.mcnemar));
    QString html;
    for (const QString &line : std::as_const(lines))
        html += line.toHtmlEscaped() + QStringLiteral("<br>");
    return html;
}
} // namespace

/// What the facts rest on.
QString Inspector::detailsHtml(const HeadRef &head, const std::vector<DomainMeasures> &all) const
{
    QString html;
    for (const DomainMeasures &part : all) {
        html += tableBegin(part);
        for (const auto &[measure, content] : part.contents) {
            const HeadCell *cell = content.cell(head);
            if (!cell || !cell->value)
                continue;
            html += QStringLiteral("<tr><td style='padding-right:10px'>%1</td><td>").arg(nameOf(measure, content));
            html += testsHtml(*cell, content.significance);
            const QString examples
                = part.isOfModel && content.examples == 0 ? QString() : content.examplesText(*cell).toHtmlEscaped();
            const QString rank = countText(cell->rank);
            const QString count = countText(content.valueCount());
            html += cell->rank <= 0    ? examples
                  : examples.isEmpty() ? tr("rank %1 of %2").arg(rank, count)
                                       : tr("rank %1 of %2, %3").arg(rank, count, examples);
            if (!content.sum.isEmpty())
                html += QStringLiteral("<br>") + content.sum.toHtmlEscaped();
            html += QStringLiteral("</td></tr>");
        }
        if (!part.isOfModel)
            html += surfaceHtml(head, part.domain) + roleHtml(head, part.domain);
        html += QStringLiteral("</table>");
    }
    return html;
}

/// What the head attends to, and how broadly, as far as it is computed.
QString Inspector::surfaceHtml(const HeadRef &head, Domain domain) const
{
    const auto &similarity = m_state.results(domain).similarity;
    if (!similarity)
        return {};
    const auto found
        = std::ranges::find_if(similarity->heads, [&](const HeadSurface &one) { return one.head == head; });
    if (found == similarity->heads.end())
        return {};
    QStringList shares;
    for (const auto &[name, measure] :
         {std::pair(tr("previous"), Measure::ToPrevious), std::pair(tr("next"), Measure::ToNext),
          std::pair(tr("itself"), Measure::ToItself), std::pair(tr("first token"), Measure::ToFirst),
          std::pair(tr("delimiters"), Measure::ToDelimiters), std::pair(tr("punctuation"), Measure::ToPunctuation)}) {
        if (const auto share = surfaceValue(*found, measure))
            shares << tr("%1 %2").arg(name, shareText(*share));
    }
    QString entropies = tr("%1 nats").arg(numberText(found->entropy, 2));
    if (found->firstEntropy)
        entropies += tr("; of the first token %1").arg(numberText(*found->firstEntropy, 2));
    const QString row = QStringLiteral("<tr><td style='padding-right:10px'>%1</td><td>%2</td></tr>");
    return row.arg(tr("Attention to"), shares.join(QStringLiteral(", ")).toHtmlEscaped())
         + row.arg(tr("Entropy"), entropies.toHtmlEscaped());
}

/// The head's role with what it rests on; nothing where roles are not computed.
QString Inspector::roleHtml(const HeadRef &head, Domain domain) const
{
    const auto assigned = m_state.assignedRoles(domain);
    const HeadRoles *roles = assigned ? findRoles(*assigned, head) : nullptr;
    if (!roles)
        return {};
    QString html = QStringLiteral("<tr><td style='padding-right:10px'>%1</td><td>").arg(tr("Role"));
    const std::vector<RoleLabel> labels = roles->supported();
    if (labels.empty())
        return html + tr("none passes the thresholds") + QStringLiteral("</td></tr>");
    const RoleLabel &first = labels.front();
    if (first.delta)
        html += tr("it needs distant tokens: %1 %2 with a window, p %3; attention to them:")
                    .arg(QString::fromStdString(m_state.results(domain).windowed->baseline.name),
                         signedText(*first.delta, 2), probabilityText(first.deltaP.value_or(1)))
              + QStringLiteral(" ") + shareText(first.score) + QStringLiteral("<br>");
    html += (first.role == Role::Syntactic
                 ? tr("best fixed offset %1, %Ln instances", nullptr, static_cast<int>(first.instances))
                 : tr("by chance %1, %Ln instances", nullptr, static_cast<int>(first.instances)))
                .arg(shareText(first.expected));
    if (isAmbiguous(labels))
        html += QStringLiteral("<br>") + tr("ambiguous: %1").arg(rolesText(labels).toHtmlEscaped());
    const auto &scores = m_state.results(domain).roles->heads[static_cast<std::size_t>(roles - assigned->data())];
    if (const RoleEvidence *evidence = evidenceFor(scores, first))
        html += QStringLiteral("<br>")
              + tr("%1 sentences for, %2 against: page Roles")
                    .arg(countText(std::ssize(evidence->best)), countText(std::ssize(evidence->worst)));
    return html + QStringLiteral("</td></tr>");
}

/// The beginning of long texts only: the attention page has the whole.
QString Inspector::exampleTitle(const AttentionResult &attention) const
{
    constexpr qsizetype kLongest = 120;
    const auto shortened = [](const std::string &text) {
        const QString whole = QString::fromStdString(text);
        return whole.size() > kLongest ? QString(whole.left(kLongest).trimmed() + u'…') : whole;
    };
    const bool pair = !attention.predicted.empty() && !attention.target.empty();
    QString title = pair ? tr("On “%1” and “%2”").arg(shortened(attention.source), shortened(attention.target))
                         : tr("On “%1”").arg(shortened(attention.source));
    if (!attention.predicted.empty())
        title += tr(": %1").arg(QString::fromStdString(attention.predicted));
    const QString cut = cutText(attention);
    return cut.isEmpty() ? title : QStringLiteral("%1 (%2)").arg(title, cut);
}

void Inspector::refreshExample()
{
    const auto &attention = m_state.attention();
    const auto &head = m_state.currentHead();
    AttentionTable table;
    if (attention && head)
        table = attentionTableOf(*attention, *head, {false, true});
    m_exampleTitle->setVisible(!table.empty());
    if (!table.empty())
        m_exampleTitle->setText(exampleTitle(*attention));
    m_example->setTable(std::move(table), head && m_state.mask().isMasked(*head));
}

} // namespace headscope
