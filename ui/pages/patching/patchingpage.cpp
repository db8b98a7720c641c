#include "ui/pages/patching/patchingpage.h"

#include "core/exporting/csv.h"
#include "ui/models/numbertext.h"
#include "ui/models/plaintip.h"
#include "ui/models/tasktext.h"
#include "ui/pages/patching/pathsview.h"
#include "ui/pages/patching/takeoverbar.h"
#include "ui/views/captionlabel.h"
#include "ui/views/errorlabel.h"
#include "ui/views/flowlayout.h"
#include "ui/views/gridexport.h"
#include "ui/views/headgridview.h"
#include "ui/views/manifesttext.h"
#include "ui/views/pageparts.h"

#include <QComboBox>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QStringList>
#include <QTabBar>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {

QStringList textsOf(const std::vector<std::string> &tokens)
{
    QStringList texts;
    for (const std::string &token : tokens)
        texts << QString::fromStdString(token).trimmed();
    return texts;
}

} // namespace

PatchingPage::PatchingPage(StudyState &state, StudyController &controller, QWidget *parent)
    : Page(state, controller, parent), m_model(new HeadGridModel(this))
{
    setupUi();
    connectState();
    connectViews();
}

PageInfo PatchingPage::info()
{
    return {u"patching"_s, tr("Pa&tching")};
}

void PatchingPage::setupUi()
{
    m_title = makeTitle(this);
    m_domain = makeMeasuredChoice(this);
    m_compute = new QPushButton(tr("&Compute"), this);
    makeChoices();
    m_takeover = new TakeoverBar(m_state, m_controller, this);
    m_summary = new CaptionLabel(this);
    m_note = makeNote(this);
    m_error = new ErrorLabel(this);
    m_tabs = new QTabBar(this);
    m_tabs->setDrawBase(false);
    m_tabs->addTab(tr("Heads"));
    m_tabs->addTab(tr("Paths"));
    m_tabs->setTabToolTip(0, tr("What every head carries of the answer, by whatever way"));
    m_tabs->setTabToolTip(1, tr("The direct ways from head to head: by queries, keys and values, and to the output"));
    m_tabs->setAccessibleName(tr("Heads, or paths between them"));
    auto *heads = new QWidget(this);
    m_pair = new PairChart(heads);
    m_grid = new HeadGridView(m_state, *m_model, heads);
    m_paths = new PathsView(m_state, m_controller, this);
    m_stack = new QStackedWidget(this);
    m_stack->addWidget(heads);
    m_stack->addWidget(m_paths);
    auto *ofHeads = new QVBoxLayout(heads);
    ofHeads->setContentsMargins(0, 0, 0, 0);
    ofHeads->addWidget(m_pair);
    ofHeads->addWidget(m_grid, 1);
    auto *top = new QWidget(this);
    auto *flow = new FlowLayout(top); // in two rows where the page is narrow
    addWidgets(*flow, {m_tabs, m_title, m_domain, m_compute, m_measure, m_direction, m_what, m_values, m_pairs});
    layOutPage(*this, {top, m_takeover, m_summary, m_note, m_error}, m_stack);
}

/// What is patched and measured, and what is shown of it.
void PatchingPage::makeChoices()
{
    const QString measured = tr("What is measured of the answer");
    m_measure = makeChoice<PatchMeasure>(this, measured, measured,
                                         {{tr("Logit difference"), PatchMeasure::LogitDifference},
                                          {tr("Probability"), PatchMeasure::Probability},
                                          {tr("Loss"), PatchMeasure::Loss},
                                          {tr("Accuracy"), PatchMeasure::Accuracy}});
    m_direction = makeChoice<PatchDirection>(
        this, tr("Direction of patching"),
        tr("Clean into corrupt: is the head enough to restore the answer? Corrupt into clean: is it "
           "needed?"),
        {{tr("Clean into corrupt"), PatchDirection::Denoise}, {tr("Corrupt into clean"), PatchDirection::Noise}});
    m_what = makeChoice<PatchWhat>(
        this, tr("Part of a head that is patched"),
        tr("Context: all that a head makes of the text. Query, key, value: what it makes that of, each by itself; keys "
           "and values that heads share are patched for all heads of the group. Pattern: the attention weights, with the "
           "values of the base text"),
        {{tr("Context"), PatchWhat::Context},
         {tr("Query"), PatchWhat::Query},
         {tr("Key"), PatchWhat::Key},
         {tr("Value"), PatchWhat::Value},
         {tr("Pattern"), PatchWhat::Pattern}});
    m_values = makeChoice<Values>(
        this, tr("What the grid shows"),
        tr("Effect: the share of the difference between the texts that patching a head brings over. Attribution: what "
           "gradients estimate the change to be. Direct contribution: what a head adds to the difference of the logits by "
           "itself, clean minus corrupt. What takes over: how these contributions change without the selected head"),
        {{tr("Effect"), Values::Effect},
         {tr("Attribution"), Values::Attribution},
         {tr("Direct contribution"), Values::Direct},
         {tr("What takes over"), Values::Takeover}});
    m_pairs = new QComboBox(this);
    m_pairs->setAccessibleName(tr("Pair of texts"));
    letShrink(*m_pairs, 18);
}

void PatchingPage::connectState()
{
    follow(&m_state, &StudyState::modelChanged, &PatchingPage::refreshNow);
    followResults(ResultKind::Patching, &PatchingPage::refreshNow);
    followResults(ResultKind::Takeover, &PatchingPage::refreshTakeover);
    followResults(ResultKind::Paths, &PatchingPage::refreshPaths);
    follow(&m_controller.works(), &WorkList::changed, &PatchingPage::refreshTakeover);
    follow(&m_state, &StudyState::significanceChanged, [this] {
        refreshGrid();
        refreshPaths();
    });
    follow(&m_state, &StudyState::domainViewChanged, &PatchingPage::refreshNow);
    follow(&m_state, &StudyState::selectionChanged, [this] {
        refreshPair();
        refreshTakeover();
        if (showsPaths())
            m_paths->refreshSelection();
    });
    follow(&m_state, &StudyState::staleChanged, &PatchingPage::refreshTexts);
    follow(&m_state, &StudyState::errorChanged, &PatchingPage::refreshTexts);
    for (const auto signal : {&JobQueue::jobAdded, &JobQueue::jobFinished})
        follow(&m_controller.queue(), signal, &PatchingPage::refreshTexts);
    connect(&m_state, &StudyState::maskChanged, this, [this] { m_model->setMask(m_state.mask()); });
}

void PatchingPage::connectViews()
{
    connect(m_tabs, &QTabBar::currentChanged, this, &PatchingPage::refreshNow);
    connect(m_paths, &PathsView::headActivated, this, &PatchingPage::headActivated);
    connect(m_takeover, &TakeoverBar::changed, this, [this] {
        refreshGrid();
        refreshTexts();
    });
    followDomainSwitch(*m_domain, m_state);
    connect(m_compute, &QPushButton::clicked, this, &PatchingPage::compute);
    connect(m_pairs, &QComboBox::activated, this, [this] {
        m_position.reset();
        refreshGrid();
        refreshPair();
    });
    connect(m_values, &QComboBox::currentIndexChanged, this, [this] {
        refreshTakeover();
        refreshGrid();
        refreshPair();
        refreshTexts();
    });
    connect(m_pair, &PairChart::positionChosen, this, [this](int position) {
        m_position = position < 0 ? std::nullopt : std::optional(position);
        refreshGrid();
        refreshPair();
    });
    connect(m_grid, &HeadGridView::headActivated, this, &PatchingPage::headActivated);
}

PatchSpec PatchingPage::spec() const
{
    PatchSpec spec;
    spec.run = m_controller.runOptions();
    spec.measure = static_cast<PatchMeasure>(m_measure->currentData().toInt());
    spec.direction = static_cast<PatchDirection>(m_direction->currentData().toInt());
    spec.what = static_cast<PatchWhat>(m_what->currentData().toInt());
    spec.positions = true;
    return spec;
}

AnySpec PatchingPage::asked() const
{
    const PatchSpec heads = spec();
    return showsPaths() ? AnySpec(m_paths->spec(heads.measure, heads.direction)) : AnySpec(heads);
}

void PatchingPage::compute()
{
    if (whyNot().isEmpty())
        m_controller.start(shown(), asked());
}

bool PatchingPage::showsPaths() const
{
    return m_tabs->currentIndex() == 1;
}

void PatchingPage::refreshPaths()
{
    if (showsPaths()) // a large model has 100,000 of them
        m_paths->refresh();
    refreshTexts();
}

/// Few data sets have pairs: only for who looks at the page.
std::vector<StudyController::Request> PatchingPage::missing(Domain domain, bool shown)
{
    const DomainResults &results = m_state.results(domain);
    const bool isThere = showsPaths() ? results.paths != nullptr : results.patching != nullptr;
    if (!shown || domain != this->shown() || isThere || !whyNot().isEmpty())
        return {};
    return {{domain, asked()}};
}

void PatchingPage::refreshNow()
{
    showDomainChoice(*m_domain, m_state);
    const auto before = m_result;
    m_result = m_state.results(shown()).patching;
    if (m_result != before) {
        const QSignalBlocker blocker(m_pairs);
        const int now = std::max(0, m_pairs->currentIndex());
        m_pairs->clear();
        for (std::size_t i = 0; m_result && i < m_result->pairs.size(); ++i)
            m_pairs->addItem(tr("%1: %2").arg(countText(static_cast<std::int64_t>(i) + 1),
                                              textsOf(m_result->pairs[i].clean).join(u' ')));
        m_pairs->setCurrentIndex(std::min(now, m_pairs->count() - 1));
        m_position.reset();
    }
    m_stack->setCurrentIndex(showsPaths() ? 1 : 0);
    refreshTakeover();
    refreshGrid();
    refreshPair();
    refreshPaths();
}

/// Either the settings of patching are seen, or those of removing a head.
void PatchingPage::refreshTakeover()
{
    const bool isShown = showsTakeover();
    m_takeover->setVisible(isShown);
    for (QWidget *widget : std::initializer_list<QWidget *>{m_compute, m_measure, m_direction, m_pair})
        widget->setVisible(!isShown);
    m_what->setVisible(!isShown && !showsPaths());
    m_values->setVisible(!showsPaths());
    m_pairs->setVisible(!isShown && !showsPaths() && m_pairs->count() > 0);
    m_takeover->refresh();
}

PatchingPage::Values PatchingPage::shownValues() const
{
    return static_cast<Values>(m_values->currentData().toInt());
}

const PatchPair *PatchingPage::chosenPair() const
{
    const int index = m_pairs->currentIndex();
    return m_result && index >= 0 && index < static_cast<int>(m_result->pairs.size())
             ? &m_result->pairs[static_cast<std::size_t>(index)]
             : nullptr;
}

bool PatchingPage::showsWritten() const
{
    const PatchPair *pair = chosenPair();
    const auto &head = m_state.currentHead();
    return pair && !pair->written.empty() && head && isOfWritten(head->kind);
}

/// Keys and values have the positions of what is attended to.
bool PatchingPage::isOfWritten(HeadKind kind) const
{
    const bool ofKeys = m_result && (m_result->what == PatchWhat::Key || m_result->what == PatchWhat::Value);
    return kind == HeadKind::Decoder || (kind == HeadKind::Cross && !ofKeys);
}

/// The head that a result names the head's unit by.
HeadRef PatchingPage::unitOf(const HeadRef &head) const
{
    for (const HeadPatch &unit : m_result->heads) {
        if (std::ranges::find(unit.together, head) != unit.together.end())
            return unit.head;
    }
    return head;
}

std::int64_t PatchingPage::counted(int position, qsizetype tokens) const
{
    return m_result->alignment == PatchAlignment::Start ? position : position - static_cast<std::int64_t>(tokens);
}

/// What the grid says before it has numbers.
GridContent PatchingPage::emptyGrid(Values values) const
{
    GridContent content = emptyContent(m_state.layout());
    content.measure = values == Values::Effect      ? tr("Effect of patching")
                    : values == Values::Attribution ? tr("Attribution by gradients")
                    : values == Values::Takeover    ? tr("Change without a head")
                                                    : tr("Direct contribution to the logits");
    content.symbol = values == Values::Effect      ? tr("effect")
                   : values == Values::Attribution ? tr("attribution")
                                                   : tr("direct");
    content.diverging = true;
    content.format.decimals = values == Values::Effect ? 2 : 3;
    return content;
}

/// Everywhere, or at the chosen position.
std::map<HeadRef, PatchingPage::ShownEffect> PatchingPage::shownEffects() const
{
    std::map<HeadRef, ShownEffect> found;
    const PatchPair *pair = chosenPair();
    if (!m_position || !pair) {
        for (const HeadPatch &head : m_result->heads)
            found[head.head] = {head.patch, head.directClean - head.directCorrupt, m_result->examples};
        return found;
    }
    const bool written = showsWritten();
    const auto tokens = static_cast<qsizetype>(written ? pair->written.size() : pair->clean.size());
    for (const CellPatch &cell : m_result->cells) {
        const bool isOfText = pair->written.empty() || isOfWritten(cell.head.kind) == written;
        if (isOfText && cell.position == counted(*m_position, tokens))
            found[cell.head] = {.effect = cell.patch, .pairs = cell.pairs};
    }
    return found;
}

GridContent PatchingPage::content() const
{
    if (showsTakeover() && m_takeover->result())
        return takeoverContent(m_state.layout(), *m_takeover->result(), m_state.significance());
    const Values values = m_position && shownValues() == Values::Direct ? Values::Effect : shownValues();
    if (values == Values::Effect && !m_position && m_result) {
        GridContent content = patchingContent(m_state.layout(), *m_result);
        content.dataName = QString::fromStdString(m_result->manifest.data);
        return content;
    }
    GridContent content = emptyGrid(values);
    if (!m_result || values == Values::Takeover)
        return content;
    if (values == Values::Attribution && isLowerBetter(m_result->measure))
        content.better = Better::Lower;
    content.examples = m_result->examples;
    content.totalExamples = m_result->manifest.totalExamples;
    content.partial = m_result->manifest.partial;
    content.manifests = {m_result->manifest};
    content.dataName = QString::fromStdString(m_result->manifest.data);
    const std::map<HeadRef, ShownEffect> found = shownEffects();
    for (HeadCell &cell : content.cells) {
        const auto at = found.find(unitOf(cell.head));
        if (at == found.end())
            continue;
        const auto &[effect, direct, pairs] = at->second;
        const double value = values == Values::Effect      ? effect.effect
                           : values == Values::Attribution ? effect.attribution
                                                           : direct;
        if (std::isnan(value))
            continue;
        cell.value = value;
        if (values == Values::Effect && !std::isnan(effect.interval.low))
            cell.interval = effect.interval;
        cell.examples = pairs;
    }
    return content;
}

void PatchingPage::refreshGrid()
{
    m_model->setContent(content());
    m_model->setMask(m_state.mask());
}

QString PatchingPage::effectText(const PatchEffect &effect, std::int64_t pairs) const
{
    const ValueFormat format;
    QString text
        = std::isnan(effect.effect) ? tr("effect not defined") : tr("effect %1").arg(format.number(effect.effect));
    if (!std::isnan(effect.interval.low))
        text += u' ' + format.interval(effect.interval, false);
    return tr("%1, %2 pairs, attribution %3").arg(text, countText(pairs), format.difference(effect.attribution));
}

PairPicture PatchingPage::pairPicture(QStringList *tips) const
{
    PairPicture picture;
    const PatchPair *pair = chosenPair();
    if (!pair)
        return picture;
    const bool written = showsWritten();
    picture.clean = textsOf(written ? pair->written : pair->clean);
    picture.corrupt = written ? picture.clean : textsOf(pair->corrupt);
    picture.effects.resize(static_cast<std::size_t>(picture.clean.size()));
    picture.chosen = m_position;
    // What heads contribute directly is not known by positions: these keep their effects.
    picture.scale = shownValues() == Values::Direct && !m_position ? ColorScale::diverging(1) : m_grid->scale();
    const auto &head = m_state.currentHead();
    picture.effectsTitle = head ? QString::fromStdString(toText(*head)) : tr("select a head");
    for (qsizetype i = 0; i < picture.clean.size(); ++i)
        *tips << tr("Position %1").arg(countText(i));
    if (!head)
        return picture;
    for (const CellPatch &cell : m_result->cells) {
        if (cell.head != unitOf(*head))
            continue;
        for (int i = 0; i < static_cast<int>(picture.clean.size()); ++i) {
            if (cell.position != counted(i, picture.clean.size()))
                continue;
            picture.effects[static_cast<std::size_t>(i)]
                = shownValues() == Values::Attribution ? cell.patch.attribution : cell.patch.effect;
            (*tips)[i] = tr("Position %1: %2").arg(countText(i), effectText(cell.patch, cell.pairs));
        }
    }
    return picture;
}

void PatchingPage::refreshPair()
{
    if (m_position && chosenPair()) { // a head of the other stack has other positions
        const auto tokens = showsWritten() ? chosenPair()->written.size() : chosenPair()->clean.size();
        if (*m_position >= static_cast<int>(tokens)) {
            m_position.reset();
            refreshGrid();
        }
    }
    QStringList tips;
    PairPicture picture = pairPicture(&tips);
    m_pair->setPicture(std::move(picture), std::move(tips), whyEmpty());
}

QString PatchingPage::title() const
{
    if (showsPaths())
        return tr("<b>Along which ways heads carry the answer</b>, %1").arg(domainName(shown()));
    if (showsTakeover())
        return tr("<b>What takes over when a head is removed</b>, %1").arg(domainName(shown()));
    return tr("<b>Which heads carry the answer</b>, %1").arg(domainName(shown()));
}

QString PatchingPage::summary() const
{
    if (showsPaths())
        return m_paths->summary();
    if (showsTakeover())
        return m_takeover->summary();
    if (!m_result)
        return {};
    const ValueFormat format;
    QString text = staleText(m_state, shown(), m_result->manifest);
    if (!text.isEmpty())
        text += u' ';
    text += tr("Clean texts score %1, corrupt ones %2 (%3 pairs).")
                .arg(format.number(m_result->clean.score), format.number(m_result->corrupt.score),
                     countText(m_result->examples));
    if (m_result->what != PatchWhat::Context)
        text += u' ' + tr("Patched: %1.").arg(m_what->itemText(m_what->findData(static_cast<int>(m_result->what))));
    const PatchAgreement &agreement = m_result->cellAgreement;
    if (agreement.count > 0 && !std::isnan(agreement.pearson))
        text += u' '
              + tr("Gradients (attribution) agree with patching: r = %1 over %2 cells.")
                    .arg(QLocale().toString(agreement.pearson, 'f', 2), countText(agreement.count));
    return text + u' '
         + (m_position ? tr("The grid shows heads at position %1; click it again for all positions together.")
                             .arg(countText(*m_position))
                       : tr("Click a head for its positions, a token for its heads."));
}

QString PatchingPage::whyNot() const
{
    if (const QString why = m_controller.whyNotReady(); !why.isEmpty())
        return why;
    const auto &data = m_state.data(shown());
    if (!data)
        return tr("No data set is open. Choose one, then press Compute.");
    return whyNotPatched(*data);
}

QString PatchingPage::whyEmpty() const
{
    if (!m_state.model())
        return tr("No model is open. Open one to see which heads carry an answer.");
    if (m_controller.isComputing(ResultKind::Paths) && showsPaths())
        return tr("Computing: the direct paths between all heads.");
    if (showsPaths() && whyNot().isEmpty())
        return tr("Nothing has been computed yet. Press Compute.");
    if (m_controller.isComputing(ResultKind::Patching))
        return tr("Computing: every head is patched at every position of the pairs.");
    return tr("Open a table with the columns clean, corrupt, answer and wrong_answer, then press Compute.");
}

void PatchingPage::refreshTexts()
{
    m_title->setText(title());
    m_summary->setText(summary());
    const QString why = whyNot();
    const bool isFull = showsPaths() ? m_paths->result() != nullptr : m_result || showsTakeover();
    showNote(*m_note, isFull ? QString() : why);
    m_error->setError(m_controller.works().errorOn(info().id));
    m_paths->setEmptyText(whyEmpty());
    m_compute->setEnabled(why.isEmpty());
    m_compute->setToolTip(!why.isEmpty() ? plainTip(why)
                          : showsPaths() ? tr("Patches along every direct path from head to head")
                                         : tr("Patches every head, everywhere and at every position"));
}

QList<ExportItem> PatchingPage::makeExportItems() const
{
    if (showsPaths())
        return m_paths->exportItems();
    if (showsTakeover() && m_takeover->result()) {
        ExportItem grid = m_grid->exportItem();
        grid.csv = [result = m_takeover->result()] { return toCsv(*result); };
        return {grid};
    }
    if (!m_result)
        return {};
    ExportItem grid = m_grid->exportItem();
    grid.csv = [result = m_result] { return toCsv(*result); };
    QList<ExportItem> items{grid};
    QStringList tips;
    if (PairPicture picture = pairPicture(&tips); !picture.clean.isEmpty()) {
        ExportItem item;
        item.name = tr("Effects by position, %1").arg(domainName(shown()));
        item.caption = summary();
        item.size = QSizeF(860, 140);
        picture.chosen.reset();
        item.paint = [picture](QPainter &painter, const QRectF &rect) { paintPair(painter, rect, picture); };
        item.manifestJson = manifestsText(m_state, {&m_result->manifest});
        items << item;
    }
    return items;
}

} // namespace headscope
