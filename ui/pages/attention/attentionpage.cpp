#include "ui/pages/attention/attentionpage.h"

#include "ui/models/tasktext.h"
#include "ui/pages/attention/exampletext.h"
#include "ui/pages/attention/headlinesview.h"
#include "ui/pages/attention/headstrip.h"
#include "ui/pages/attention/mapsview.h"
#include "ui/pages/attention/neededbar.h"
#include "ui/pages/attention/neuronfeed.h"
#include "ui/pages/attention/neuronview.h"
#include "ui/pages/attention/outputfeed.h"
#include "ui/pages/attention/rolloutfeed.h"
#include "ui/views/errorlabel.h"
#include "ui/views/foldingside.h"
#include "ui/views/pageparts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QFrame>
#include <QLineEdit>
#include <QListView>
#include <QScopedValueRollback>
#include <QScreen>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTabWidget>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

/// The head to begin with: the one that loses most when it is ablated.
HeadRef firstHeadToShow(const StudyState &state)
{
    HeadRef best = state.layout().heads().front();
    double lowest = 0;
    if (const auto &ablation = state.results(Domain::In).ablation) {
        for (const HeadAblation &head : ablation->heads) {
            const double change = gain(ablation->baseline.better, head.delta);
            if (change < lowest) {
                lowest = change;
                best = head.head;
            }
        }
    }
    return best;
}

} // namespace

AttentionPage::AttentionPage(StudyState &state, StudyController &controller, QWidget *parent)
    : Page(state, controller, parent), m_sentences(new SentenceList(state, this))
{
    m_requestTimer.setSingleShot(true);
    m_requestTimer.setInterval(150);
    m_outputs = new OutputFeed(controller.queue(), this);
    auto *splitter = new QSplitter(this);
    splitter->addWidget(makeLeft(splitter));
    splitter->addWidget(makeRight());
    splitter->setChildrenCollapsible(false);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({270, 700});
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 8, 12, 8);
    layout->addWidget(splitter);
    connectControls();
    connectState();
    connectLists();
}

PageInfo AttentionPage::info()
{
    return {u"attention"_s, tr("&Attention")};
}

QWidget *AttentionPage::makeLeft(QWidget *parent)
{
    m_places = new PlaceSearch(m_state, m_controller, this);
    m_tabs = new QTabWidget(this);
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_sentences, tr("Sentences"));
    addTab(*m_tabs, m_places, tr("Find"),
           tr("Searches the data set for the sentences in which the head attends most to a token, a part of speech or "
              "an offset"));
    connect(m_places, &PlaceSearch::placeChosen, this, &AttentionPage::showPlace);
    connect(m_places, &PlaceSearch::found, this, &AttentionPage::exportableChanged);
    auto *side = new FoldingSide(tr("Sentences"), u"attentionSide"_s, u"panel"_s, FoldingSide::Edge::Left, parent);
    constexpr int kRoomForMap = 1000; // a map and its labels come before the list
    side->setRoomWanted(kRoomForMap);
    constexpr int kListWidth = 300;
    side->setUsualSize(kListWidth);
    auto *content = new QWidget(side);
    auto *layout = new QVBoxLayout(content);
    layout->setContentsMargins({});
    layout->addWidget(m_tabs, 1);
    layout->addWidget(makeTyped(content));
    side->setContent(content);
    return side;
}

/// The map at that place, with the cell marked.
void AttentionPage::showPlace(const ChosenPlace &place)
{
    m_place = place;
    m_typedRow = {};
    if (m_controls->view() != AttentionView::HeatMap)
        m_controls->setView(AttentionView::HeatMap);
    if (m_controls->measureBox().currentIndex() >= 2) // a rollout is of no single head
        m_controls->measureBox().setCurrentIndex(0);
    if (translates() && m_state.model())
        m_controls->targetBox().setCurrentIndex(place.ownOutput ? 0 : 1);
    m_state.selectHead(place.head);
    m_sentences->pick(place.domain, place.place.index);
    refreshPicture();
}

QWidget *AttentionPage::makeTyped(QWidget *parent)
{
    auto *row = new QWidget(parent);
    m_typed = new QLineEdit(row);
    m_typed->setAccessibleName(tr("Text of your own"));
    m_typedPair = new QLineEdit(row);
    m_typedPair->setPlaceholderText(tr("second text, if there is one"));
    m_typedPair->setAccessibleName(tr("Second text of your own"));
    m_typedPair->hide(); // until a classifier is opened
    auto *layout = new QVBoxLayout(row);
    layout->setContentsMargins({});
    layout->setSpacing(4);
    addWidgets(*layout, {m_typed, m_typedPair});
    return row;
}

QWidget *AttentionPage::makeViews(QWidget *parent)
{
    auto *views = new QSplitter(Qt::Horizontal, parent);
    m_kept = new AttentionViews(m_controller.queue(), views);
    m_kept->hide();
    m_views = new AttentionViews(m_controller.queue(), views);
    views->setChildrenCollapsible(false);
    return views;
}

QWidget *AttentionPage::makeRight()
{
    auto *right = new QWidget(this);
    m_texts = new QTextBrowser(right);
    m_texts->setAccessibleName(tr("Texts and outputs"));
    m_texts->setOpenLinks(false);
    m_texts->setMinimumHeight(60);
    auto *split = new QSplitter(Qt::Vertical, right);
    split->addWidget(makeViews(right));
    split->addWidget(m_texts);
    split->setStretchFactor(0, 1);
    split->setSizes({600, 70});
    auto *layout = new QVBoxLayout(right);
    layout->setContentsMargins(6, 0, 0, 0);
    m_error = new ErrorLabel(right);
    layout->addWidget(m_error);
    m_controls = new AttentionControls(right);
    layout->addWidget(m_controls);
    m_needed = new NeededBar(m_state, m_controller, right);
    layout->addWidget(m_needed);
    layout->addWidget(split, 1);
    return right;
}

void AttentionPage::connectControls()
{
    for (QLineEdit *edit : {m_typed, m_typedPair})
        connect(edit, &QLineEdit::returnPressed, this, &AttentionPage::showTyped);
    connect(&m_controls->headBox(), &QComboBox::activated, this, [this](int index) {
        const auto &heads = m_state.layout().heads();
        if (index >= 0 && index < static_cast<int>(heads.size()))
            m_state.selectHead(heads[static_cast<std::size_t>(index)]);
    });
    connect(&m_controls->targetBox(), &QComboBox::activated, this, &AttentionPage::request);
    connect(&m_controls->targetBox(), &QComboBox::currentIndexChanged, this,
            [this](int index) { m_places->setOwnOutput(translates() && index == 0); });
    m_places->setOwnOutput(translates() && m_controls->targetBox().currentIndex() == 0);
    connect(m_controls, &AttentionControls::changed, this, &AttentionPage::refreshPicture);
    connect(m_controls, &AttentionControls::pickerRequested, this, &AttentionPage::showPicker);
    connect(m_needed, &NeededBar::changed, this, &AttentionPage::refreshMarks);
    connect(m_kept, &AttentionViews::ownHeadChanged, this, &AttentionPage::refreshPicture);
    follow(m_outputs, &OutputFeed::ready, &AttentionPage::refreshTexts);
    connect(m_controls, &AttentionControls::besideToggled, this, &AttentionPage::keepBeside);
    connectViews(*m_views);
    connectViews(*m_kept);
}

void AttentionPage::connectViews(AttentionViews &views)
{
    connect(&views.strip(), &HeadStrip::chosenByUser, &m_state, &StudyState::setSelection);
    connect(&views.maps(), &MapsView::selectionMade, &m_state, &StudyState::setSelection);
    connect(&views.maps(), &MapsView::hovered, &m_state, &StudyState::setHoveredHead);
    connect(&views.maps(), &MapsView::headActivated, this, [this, &views](const HeadRef &head) {
        m_state.selectHead(head);
        m_controls->setView(AttentionView::HeatMap);
        views.heatMap().setFocus();
    });
    follow(&views.rollouts(), &RolloutFeed::ready, &AttentionPage::refreshPicture);
    follow(&views.neuronFeed(), &NeuronFeed::ready, &AttentionPage::refreshPicture);
}

/// What is shown stays on the left.
void AttentionPage::keepBeside(bool on)
{
    m_kept->setAttention(on ? m_state.attention() : nullptr);
    m_kept->setHeads(m_state.layout());
    if (on && m_state.currentHead()) { // it keeps its head, too
        const QSignalBlocker blocker(m_kept->ownHeadBox());
        m_kept->ownHeadBox().setCurrentIndex(static_cast<int>(m_state.layout().indexOf(*m_state.currentHead())) + 1);
    }
    m_kept->setVisible(on);
    if (on) // both are as wide
        qobject_cast<QSplitter *>(m_kept->parentWidget())->setSizes({1000, 1000});
    refreshPicture();
}

/// All heads as thumbnails with their measures, below the box of heads.
void AttentionPage::showPicker()
{
    auto *popup = new QFrame(this, Qt::Popup);
    popup->setAttribute(Qt::WA_DeleteOnClose);
    popup->setFrameShape(QFrame::StyledPanel);
    popup->setObjectName(u"headPicker"_s);
    auto *maps = new MapsView(popup);
    auto *layout = new QVBoxLayout(popup);
    layout->setContentsMargins(1, 1, 1, 1);
    layout->addWidget(maps);
    const auto show = [this, maps] { maps->setPicture(mapsPicture(*m_views)); };
    show();
    maps->setEmptyText(whyEmpty(*m_views));
    connect(&m_state, &StudyState::selectionChanged, popup, show);
    connect(maps, &MapsView::selectionMade, &m_state, &StudyState::setSelection);
    connect(maps, &MapsView::headActivated, popup, [this, popup](const HeadRef &head) {
        m_state.selectHead(head);
        popup->close();
    });
    const QWidget &box = m_controls->headBox();
    const QRect room = screen() ? screen()->availableGeometry() : QRect(0, 0, 1280, 800);
    popup->resize(std::min(640, room.width() - 40), std::min(520, room.height() * 2 / 3));
    QPoint corner = box.mapToGlobal(QPoint(0, box.height()));
    corner.setX(std::clamp(corner.x(), room.left(), std::max(room.left(), room.right() - popup->width())));
    corner.setY(std::clamp(corner.y(), room.top(), std::max(room.top(), room.bottom() - popup->height())));
    popup->move(corner);
    popup->show();
    maps->setFocus();
}

std::optional<HeadRef> AttentionPage::headOf(const AttentionViews &views) const
{
    const auto own = views.ownHead();
    return own ? own : m_state.currentHead();
}

/// Of a typed text under masks, for comparison; null: it is not wanted, or not known yet.
std::shared_ptr<const AttentionResult> AttentionPage::unmaskedOutput() const
{
    if (!isTyped() || m_state.mask().empty() || (!translates() && !classifies()))
        return nullptr;
    const bool pair = classifies() && !m_typedRow.pair.empty();
    return m_outputs->output({m_state.session(), m_typedRow.source,
                              pair ? std::optional(m_typedRow.pair) : std::nullopt, m_controller.runOptions()});
}

void AttentionPage::connectState()
{
    // What is shown belongs to another model, sentence or mask; that alone costs nothing while the page is hidden.
    connect(&m_state, &StudyState::modelChanged, this, [this] {
        m_typedRow = {};
        m_place.reset();
        m_sentences->forgetModel();
        m_controls->besideBox().setChecked(false);
        m_stale = true;
    });
    connect(&m_state, &StudyState::dataChanged, this, [this] { m_stale = true; });
    for (const auto signal : {&StudyState::sentenceChanged, &StudyState::maskChanged})
        connect(&m_state, signal, this, [this] { m_stale = true; });
    follow(&m_state, &StudyState::modelChanged, [this] {
        refreshNow();
        request();
    });
    follow(&m_state, &StudyState::dataChanged, [this] { m_sentences->refresh(); });
    follow(&m_state, &StudyState::sentenceChanged, [this] { m_sentences->follow(); });
    followResults(ResultKind::Needed, &AttentionPage::refreshNeeded);
    follow(&m_controller.works(), &WorkList::changed, &AttentionPage::refreshNeeded);
    follow(&m_state, &StudyState::errorChanged, [this] {
        refreshNeeded();
        m_sentences->refreshCount();
        m_error->setError(m_state.error(ErrorPlace::Attention));
    });
    follow(&m_state, &StudyState::attentionChanged, [this] {
        refreshPairs();
        refreshPicture();
    });
    for (const auto signal : {&StudyState::selectionChanged, &StudyState::rolesChanged})
        follow(&m_state, signal, &AttentionPage::refreshPicture);
    follow(&m_state, &StudyState::hoverChanged, &AttentionPage::refreshMarks);
    follow(&m_state, &StudyState::maskChanged, [this] {
        m_sentences->refreshOutputs();
        refreshPicture();
        // Masks below change the attention above.
        m_requestTimer.start();
    });
    connect(&m_requestTimer, &QTimer::timeout, this, &AttentionPage::request);
}

/// The lists at the left: the sentences of the data, and the places in them that are searched for.
void AttentionPage::connectLists()
{
    followResults(ResultKinds(ResultKind::Baseline) | ResultKind::Masked, [this] { m_sentences->refreshOutputs(); });
    connect(m_sentences, &SentenceList::picked, this, [this] { m_typedRow = {}; });
    connect(m_sentences, &SentenceList::followed, this, [this] {
        if (!m_refreshing)
            request();
        refreshNeeded();
        refreshTexts();
    });
    connect(m_sentences, &SentenceList::outputsChanged, this, &AttentionPage::refreshTexts);
    const auto refreshPlaces = [this] {
        if (isVisible()) // else with all of the page
            m_places->refresh();
    };
    for (const auto signal : {&StudyState::selectionChanged, &StudyState::sentenceChanged, &StudyState::modelChanged})
        connect(&m_state, signal, this, refreshPlaces);
    connect(&m_state, &StudyState::dataChanged, this, refreshPlaces);
}

QJsonObject AttentionPage::arrangement() const
{
    return m_controls->arrangement();
}

void AttentionPage::setArrangement(const QJsonObject &arrangement)
{
    m_controls->setArrangement(arrangement);
}

void AttentionPage::showEvent(QShowEvent *event)
{
    if (!m_state.currentHead() && m_state.layout().size() > 0)
        m_state.selectHead(firstHeadToShow(m_state));
    Page::showEvent(event);
    if (m_stale)
        request();
}

void AttentionPage::refreshNow()
{
    refreshControls();
    m_places->refresh();
    {
        const QScopedValueRollback refreshing(m_refreshing, true);
        m_sentences->refresh();
    }
    m_error->setError(m_state.error(ErrorPlace::Attention));
    refreshPicture();
}

void AttentionPage::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_texts)
        refreshTexts();
}

void AttentionPage::setSentences(Domain domain, std::int64_t count, SentenceModel::Reader reader)
{
    bringUpToDate();
    m_sentences->setSentences(domain, count, std::move(reader));
}

bool AttentionPage::translates() const
{
    return !m_state.model() || isTranslator(*m_state.model());
}

bool AttentionPage::classifies() const
{
    return m_state.model() && isClassifier(*m_state.model());
}

/// What there is to choose depends on the model.
void AttentionPage::refreshControls()
{
    const QSignalBlocker blocker(m_controls->headBox());
    m_controls->headBox().clear();
    for (const HeadRef &head : m_state.layout().heads())
        m_controls->headBox().addItem(QString::fromStdString(toText(head)));
    m_controls->headBox().setEnabled(m_controls->headBox().count() > 0);
    m_kept->setHeads(m_state.layout());
    m_controls->targetBox().setVisible(translates());
    m_controls->pairBox().setVisible(classifies());
    m_typedPair->setVisible(classifies());
    m_typed->setPlaceholderText(translates() ? tr("Or type a sentence and press Enter")
                                             : tr("Or type a text and press Enter"));
    refreshPairs();
}

void AttentionPage::refreshPairs()
{
    const bool pair = classifies() && m_state.attention() && !m_state.attention()->target.empty();
    m_controls->pairBox().setEnabled(pair);
    m_controls->pairBox().setToolTip(
        pair ? tr("Which tokens attend (→) to which: A is the first text, B the second. Attention to other "
                  "tokens is shown in a separate column.")
             : tr("This example has one text only"));
    if (!pair)
        m_controls->pairBox().setCurrentIndex(0);
}

const AttentionMap *AttentionPage::currentMap(const AttentionViews &views) const
{
    const auto head = headOf(views);
    return views.attention() && head ? attentionMapOf(*views.attention(), *head) : nullptr;
}

bool AttentionPage::showsTree(const AttentionViews &views) const
{
    return m_controls->treeBox().isChecked() && views.attention() && !views.attention()->sourceTree.empty();
}

bool AttentionPage::showsNorms(const AttentionViews &views) const
{
    const AttentionMap *map = currentMap(views);
    return m_controls->measureBox().currentIndex() % 2 == 1 && map && hasValueNorms(*map);
}

bool AttentionPage::showsRollout(const AttentionViews &views) const
{
    const auto head = headOf(views);
    return m_controls->measureBox().currentIndex() >= 2 && head && head->kind != HeadKind::Cross;
}

/// What the sentence that is shown allows.
void AttentionPage::refreshChoices()
{
    const auto &attention = m_state.attention();
    m_controls->treeBox().setVisible(attention && !attention->sourceTree.empty());
    const AttentionMap *map = currentMap(*m_views);
    const bool norms = map && hasValueNorms(*map);
    m_controls->besideBox().setEnabled(attention || m_controls->isBeside());
    m_controls->measureBox().setToolTip(
        tr("Norms: every weight times the length of the value vector that it lets through, divided by their sum "
           "(Kobayashi et al. 2020). Rollout: what reaches a token of self-attention through all heads of this layer "
           "and those before it (Abnar and Zuidema 2020)")
        + (norms || !map ? QString() : u' ' + tr("The lengths of the value vectors are not known for this map.")));
}

QString AttentionPage::whyEmpty(const AttentionViews &views) const
{
    if (!m_state.model())
        return tr("No model is open. Open a model folder to see what its heads attend to.");
    if (!views.attention()) {
        if (!m_state.session())
            return m_controller.whyNotReady();
        if (m_sentences->model().rowCount() == 0 && !isTyped())
            return tr("Choose a data set, or type a text above and press Enter.");
        return m_state.error(ErrorPlace::Attention).isEmpty()
                 ? tr("Choose an example on the left, or type one above and press Enter.")
                 : m_state.error(ErrorPlace::Attention);
    }
    if (!headOf(views))
        return tr("Choose a head above, or click one in the grid.");
    if (m_controls->view() == AttentionView::Neurons && currentMap(views)) {
        if (!m_state.session())
            return m_controller.whyNotReady();
        const QString &error = views.neuronFeed().error();
        return error.isEmpty() ? tr("Computing the neurons…") : error;
    }
    if (showsRollout(views) && currentMap(views))
        return tr("Computing the rollout…");
    return tr("There is no attention map of %1 for this example.").arg(QString::fromStdString(toText(*headOf(views))));
}

/// Null: none is shown, or it is still being computed.
std::shared_ptr<const std::vector<float>> AttentionPage::rollout(const AttentionViews &views) const
{
    const auto head = headOf(views);
    if (!showsRollout(views) || !currentMap(views))
        return nullptr;
    const auto measure = showsNorms(views) ? AttentionMeasure::Norms : AttentionMeasure::Weights;
    return views.rollouts().weights({views.attention(), head->kind, measure, head->layer + 1});
}

void AttentionPage::refreshPicture()
{
    const QSignalBlocker blocker(m_controls->headBox());
    if (m_state.currentHead())
        m_controls->headBox().setCurrentIndex(static_cast<int>(m_state.layout().indexOf(*m_state.currentHead())));
    else
        m_controls->headBox().setCurrentIndex(-1);
    m_views->setAttention(m_state.attention());
    refreshChoices();
    refreshHeadings();
    refreshNeeded();
    refreshViews(*m_views);
    if (m_controls->isBeside())
        refreshViews(*m_kept);
    refreshTexts();
}

void AttentionPage::refreshViews(AttentionViews &views)
{
    views.setView(m_controls->view());
    switch (m_controls->view()) {
    case AttentionView::HeatMap:
        views.heatMap().setPicture(picture(views));
        break;
    case AttentionView::Lines:
        views.lines().setPicture(linesPicture(views));
        refreshStrip(views);
        break;
    case AttentionView::Maps:
        views.maps().setPicture(mapsPicture(views));
        break;
    case AttentionView::Neurons:
        views.neurons().setPicture(neuronsPicture(views));
        break;
    }
    views.setEmptyText(whyEmpty(views));
}

/// Over the thumbnails, of the row that they show.
void AttentionPage::refreshNeeded()
{
    m_needed->setVisible(m_controls->view() == AttentionView::Maps);
    const std::int64_t row = m_sentences->row();
    m_needed->setExample(row >= 0 && !isTyped() ? row : -1);
}

/// Which of the two is which.
void AttentionPage::refreshHeadings()
{
    m_views->setHeading(m_controls->isBeside() ? headingOf(*m_views) : QString());
    m_kept->setHeading(m_controls->isBeside() ? headingOf(*m_kept) : QString());
}

void AttentionPage::refreshMarks()
{
    if (m_controls->view() != AttentionView::Maps)
        return;
    m_views->maps().setPicture(mapsPicture(*m_views));
    if (m_controls->isBeside())
        m_kept->maps().setPicture(mapsPicture(*m_kept));
}

bool AttentionPage::showsAttentionOf(const DataRow &row) const
{
    const auto &attention = m_state.attention();
    return attention && attention->source == row.source && (!classifies() || attention->target == row.pair);
}

QString AttentionPage::textsHtml() const
{
    if (!m_state.model())
        return {};
    ExampleFacts facts{*m_state.model()};
    facts.hasMasks = !m_state.mask().empty();
    facts.forced = m_controls->targetBox().currentIndex() == 1;
    facts.attention = m_state.attention().get();
    const auto unmasked = unmaskedOutput();
    facts.unmasked = unmasked.get();
    if (const std::int64_t row = m_sentences->row(); row >= 0 && !isTyped()) {
        const SentenceModel &model = m_sentences->model();
        facts.row = &model.sentence(row);
        facts.whole = model.wholeOutput(row);
        facts.masked = model.maskedOutput(row);
        if (!showsAttentionOf(*facts.row) || m_views->mask() != m_state.mask())
            facts.attention = nullptr;
    }
    return exampleHtml(facts, ViewPalette::matching(palette()));
}

void AttentionPage::refreshTexts()
{
    const QString html = textsHtml();
    m_texts->setHtml(html);
    m_texts->setVisible(!html.isEmpty());
}

void AttentionPage::showTyped()
{
    const QString text = m_typed->text().simplified();
    if (text.isEmpty())
        return;
    m_typedRow
        = {text.toStdString(), {}, classifies() ? m_typedPair->text().simplified().toStdString() : std::string()};
    m_sentences->leave();
    request();
}

void AttentionPage::request()
{
    m_stale = !isVisible();
    if (m_stale)
        return;
    m_controls->targetBox().setEnabled(!isTyped());
    if (isTyped())
        return m_controller.requestAttention(m_typedRow);
    if (const std::int64_t row = m_sentences->row(); row >= 0)
        m_controller.requestAttention(m_sentences->model().sentence(row), m_controls->targetBox().currentIndex() == 1);
}

} // namespace headscope
