#include "ui/pages/attention/attentionpage.h"

#include "ui/models/kindtext.h"
#include "ui/models/roletext.h"
#include "ui/models/tasktext.h"
#include "ui/pages/attention/exampletext.h"
#include "ui/pages/attention/rolloutfeed.h"
#include "ui/views/errorlabel.h"
#include "ui/views/manifesttext.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QLineEdit>
#include <QListView>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTextBrowser>
#include <QVBoxLayout>

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
    : Page(state, controller, parent), m_sentences(new SentenceList(state, this)),
      m_rollout(new RolloutFeed(controller.queue(), this))
{
    m_requestTimer.setSingleShot(true);
    m_requestTimer.setInterval(150);
    auto *splitter = new QSplitter(this);
    splitter->addWidget(m_sentences);
    splitter->addWidget(makeRight());
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({270, 700});
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->addWidget(splitter);
    connectControls();
    connectState();
}

PageInfo AttentionPage::info()
{
    return {u"attention"_s, tr("&Attention")};
}

QWidget *AttentionPage::makeTyped(QWidget *parent)
{
    auto *row = new QWidget(parent);
    m_typed = new QLineEdit(row);
    m_typed->setAccessibleName(tr("Text of your own"));
    m_typedPair = new QLineEdit(row);
    m_typedPair->setPlaceholderText(tr("second text, if there is one"));
    m_typedPair->setAccessibleName(tr("Second text of your own"));
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins({});
    layout->addWidget(m_typed, 3);
    layout->addWidget(m_typedPair, 2);
    return row;
}

QWidget *AttentionPage::makeControls(QWidget *parent)
{
    auto *row = new QWidget(parent);
    m_head = new QComboBox(row);
    m_head->setAccessibleName(tr("Head"));
    m_head->setToolTip(tr("The head whose attention is shown"));
    m_head->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_target = new QComboBox(row);
    m_target->setAccessibleName(tr("Target sentence"));
    m_target->addItems({tr("own output"), tr("reference")});
    m_target->setToolTip(tr("What the decoder is made to say while its attention is read: the model's own output, or the reference"));
    m_target->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_target->setMinimumContentsLength(10);
    m_pair = new QComboBox(row);
    m_pair->setAccessibleName(tr("Texts of the pair"));
    m_pair->addItems({tr("all tokens"), tr("A → A"), tr("A → B"), tr("B → A"), tr("B → B")});
    m_join = new QCheckBox(tr("&Join words"), row);
    m_join->setToolTip(tr("Weights are summed over the pieces of a key word and averaged over those of a query word"));
    m_hide = new QCheckBox(tr("&Hide special"), row);
    m_hide->setToolTip(tr("Weights are not rescaled: what the hidden tokens get is shown in a column of its own"));
    m_measure = new QComboBox(row);
    m_measure->setAccessibleName(tr("Weights or norms"));
    m_measure->addItems({tr("weights"), tr("norms"), tr("rollout"), tr("rollout of norms")});
    m_measure->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_measure->setMinimumContentsLength(6);
    m_tree = new QCheckBox(tr("&Tree"), row);
    m_tree->setChecked(true);
    m_tree->setToolTip(
        tr("Parts of speech and dependencies of the source. Arrows point to heads; those of the word under the "
           "mouse stand out"));
    // What is shown, and below it how: a single row would not fit beside open docks.
    auto *what = new QHBoxLayout;
    for (QWidget *widget : std::initializer_list<QWidget *>{m_head, m_target, m_pair, m_measure})
        what->addWidget(widget);
    what->addStretch(1);
    auto *how = new QHBoxLayout;
    for (QWidget *widget : std::initializer_list<QWidget *>{m_join, m_hide, m_tree})
        how->addWidget(widget);
    how->addStretch(1);
    auto *layout = new QVBoxLayout(row);
    layout->setContentsMargins({});
    layout->setSpacing(2);
    layout->addLayout(what);
    layout->addLayout(how);
    return row;
}

QWidget *AttentionPage::makeRight()
{
    auto *right = new QWidget(this);
    m_heatMap = new HeatMapView(right);
    m_texts = new QTextBrowser(right);
    m_texts->setAccessibleName(tr("Texts and outputs"));
    m_texts->setOpenLinks(false);
    m_texts->setMinimumHeight(60);
    auto *split = new QSplitter(Qt::Vertical, right);
    split->addWidget(m_heatMap);
    split->addWidget(m_texts);
    split->setStretchFactor(0, 1);
    split->setSizes({600, 120});
    auto *layout = new QVBoxLayout(right);
    layout->setContentsMargins(6, 0, 0, 0);
    layout->addWidget(makeTyped(right));
    m_error = new ErrorLabel(right);
    layout->addWidget(m_error);
    layout->addWidget(makeControls(right));
    layout->addWidget(split, 1);
    return right;
}

void AttentionPage::connectControls()
{
    for (QLineEdit *edit : {m_typed, m_typedPair})
        connect(edit, &QLineEdit::returnPressed, this, &AttentionPage::showTyped);
    connect(m_head, &QComboBox::activated, this, [this](int index) {
        const auto &heads = m_state.layout().heads();
        if (index >= 0 && index < static_cast<int>(heads.size()))
            m_state.selectHead(heads[static_cast<std::size_t>(index)]);
    });
    connect(m_target, &QComboBox::activated, this, &AttentionPage::request);
    connect(m_pair, &QComboBox::currentIndexChanged, this, &AttentionPage::refreshPicture);
    connect(m_measure, &QComboBox::currentIndexChanged, this, &AttentionPage::refreshPicture);
    connect(m_tree, &QCheckBox::toggled, this, &AttentionPage::refreshPicture);
    connect(m_join, &QCheckBox::toggled, this, &AttentionPage::refreshPicture);
    connect(m_hide, &QCheckBox::toggled, this, &AttentionPage::refreshPicture);
}

void AttentionPage::connectState()
{
    // What is shown belongs to another model, sentence or mask; that alone costs nothing while the page is hidden.
    connect(&m_state, &StudyState::modelChanged, this, [this] {
        m_typedRow = {};
        m_sentences->forgetModel();
        m_stale = true;
    });
    connect(&m_state, &StudyState::dataChanged, this, [this] { m_stale = true; });
    for (const auto signal : {&StudyState::sentenceChanged, &StudyState::maskChanged})
        connect(&m_state, signal, this, [this] { m_stale = true; });
    follow(&m_state, &StudyState::modelChanged, [this] {
        refreshNow();
        request();
    });
    follow(m_rollout, &RolloutFeed::ready, &AttentionPage::refreshPicture);
    follow(&m_state, &StudyState::dataChanged, [this] { m_sentences->refresh(); });
    follow(&m_state, &StudyState::sentenceChanged, [this] { m_sentences->follow(); });
    followResults(ResultKinds(ResultKind::Baseline) | ResultKind::Masked, [this] { m_sentences->refreshOutputs(); });
    follow(&m_state, &StudyState::errorChanged, [this] {
        m_sentences->refreshCount();
        m_error->setError(m_state.error(ErrorPlace::Attention));
    });
    connect(m_sentences, &SentenceList::picked, this, [this] { m_typedRow = {}; });
    connect(m_sentences, &SentenceList::followed, this, [this] {
        if (!m_refreshing)
            request();
        refreshTexts();
    });
    connect(m_sentences, &SentenceList::outputsChanged, this, &AttentionPage::refreshTexts);
    follow(&m_state, &StudyState::attentionChanged, [this] {
        refreshPairs();
        refreshPicture();
    });
    for (const auto signal : {&StudyState::selectionChanged, &StudyState::rolesChanged})
        follow(&m_state, signal, &AttentionPage::refreshPicture);
    follow(&m_state, &StudyState::maskChanged, [this] {
        m_sentences->refreshOutputs();
        refreshPicture();
        // Masks below change the attention above.
        m_requestTimer.start();
    });
    connect(&m_requestTimer, &QTimer::timeout, this, &AttentionPage::request);
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
    const QSignalBlocker blocker(m_head);
    m_head->clear();
    for (const HeadRef &head : m_state.layout().heads())
        m_head->addItem(QString::fromStdString(toText(head)));
    m_head->setEnabled(m_head->count() > 0);
    m_target->setVisible(translates());
    m_pair->setVisible(classifies());
    m_typedPair->setVisible(classifies());
    m_typed->setPlaceholderText(translates() ? tr("Or type a sentence and press Enter") : tr("Or type a text and press Enter"));
    refreshPairs();
}

void AttentionPage::refreshPairs()
{
    const bool pair = classifies() && m_state.attention() && !m_state.attention()->target.empty();
    m_pair->setEnabled(pair);
    m_pair->setToolTip(pair ? tr("Which tokens look (→) at which: A is the first text, B the second. What goes elsewhere is "
                                 "shown in a column of its own.")
                            : tr("This example has one text only"));
    if (!pair)
        m_pair->setCurrentIndex(0);
}

AttentionTableOptions AttentionPage::tableOptions() const
{
    AttentionTableOptions options{m_join->isChecked(), m_hide->isChecked()};
    options.normWeighted = showsNorms();
    options.withTree = showsTree();
    if (const int choice = m_pair->currentIndex(); choice > 0) {
        options.querySegment = (choice - 1) / 2;
        options.keySegment = (choice - 1) % 2;
    }
    return options;
}

bool AttentionPage::showsTree() const
{
    return m_tree->isChecked() && m_state.attention() && !m_state.attention()->sourceTree.empty();
}

bool AttentionPage::showsNorms() const
{
    const auto &attention = m_state.attention();
    const AttentionMap *map
        = attention && m_state.currentHead() ? attentionMapOf(*attention, *m_state.currentHead()) : nullptr;
    return m_measure->currentIndex() % 2 == 1 && map && hasValueNorms(*map);
}

bool AttentionPage::showsRollout() const
{
    const auto &head = m_state.currentHead();
    return m_measure->currentIndex() >= 2 && head && head->kind != HeadKind::Cross;
}

/// What the sentence that is shown allows.
void AttentionPage::refreshChoices()
{
    const auto &attention = m_state.attention();
    m_tree->setVisible(attention && !attention->sourceTree.empty());
    const AttentionMap *map
        = attention && m_state.currentHead() ? attentionMapOf(*attention, *m_state.currentHead()) : nullptr;
    const bool norms = map && hasValueNorms(*map);
    m_measure->setToolTip(
        tr("Norms: every weight times the length of the value vector that it lets through, divided by their sum "
           "(Kobayashi et al. 2020). Rollout: what reaches a token of self-attention through all heads of this layer "
           "and those before it (Abnar and Zuidema 2020)")
        + (norms || !map ? QString() : u' ' + tr("The lengths of the value vectors are not known for this map.")));
}

/// "positional −1 (94 %)", with the data set; empty: none, or not computed.
QString AttentionPage::rolesOf(const HeadRef &head) const
{
    const Domain domain = m_state.roleDomain();
    const auto assigned = m_state.assignedRoles(domain);
    const HeadRoles *roles = assigned ? findRoles(*assigned, head) : nullptr;
    return roles ? rolesText(roles->supported()) : QString();
}

QString AttentionPage::whyEmpty() const
{
    if (!m_state.model())
        return tr("No model is open. Open a model folder to see what its heads look at.");
    if (!m_state.attention()) {
        if (!m_state.session())
            return m_controller.whyNotReady();
        if (m_sentences->model().rowCount() == 0 && !isTyped())
            return tr("Choose a data set, or type a text above and press Enter.");
        return m_state.error(ErrorPlace::Attention).isEmpty()
            ? tr("Choose an example on the left, or type one above and press Enter.")
            : m_state.error(ErrorPlace::Attention);
    }
    if (!m_state.currentHead())
        return tr("Choose a head above, or click one in the grid.");
    if (showsRollout() && attentionMapOf(*m_state.attention(), *m_state.currentHead()))
        return tr("Computing the rollout…");
    return tr("There is no attention map of %1 for this example.")
        .arg(QString::fromStdString(toText(*m_state.currentHead())));
}

/// Null: none is shown, or it is still being computed.
std::shared_ptr<const std::vector<float>> AttentionPage::rollout() const
{
    const auto &head = m_state.currentHead();
    if (!showsRollout() || !m_state.attention() || !attentionMapOf(*m_state.attention(), *head))
        return nullptr;
    const auto measure = showsNorms() ? AttentionMeasure::Norms : AttentionMeasure::Weights;
    return m_rollout->weights({m_state.attention(), head->kind, measure, head->layer + 1});
}

HeatMapPicture AttentionPage::picture() const
{
    HeatMapPicture picture;
    const auto &attention = m_state.attention();
    const auto &head = m_state.currentHead();
    if (!attention || !head)
        return picture;
    const AttentionTableOptions options = tableOptions();
    const auto rollout = this->rollout();
    if (showsRollout() && !rollout)
        return picture;
    picture.table = attentionTableOf(*attention, *head, options, rollout.get());
    picture.scale = ColorScale::sequential(0, 1);
    picture.masked = !rollout && m_state.mask().isMasked(*head);
    picture.title = u"%1 – %2"_s.arg(QString::fromStdString(toText(*head)), headKindTitle(head->kind));
    if (rollout)
        picture.title = tr("%1, rollout through layers 0 to %2").arg(headKindTitle(head->kind)).arg(head->layer);
    else if (const QString roles = rolesOf(*head); !roles.isEmpty())
        picture.title += u" – "_s + roles;
    if (!attention->predicted.empty())
        picture.title += u" – "_s + tr("model says %1").arg(QString::fromStdString(attention->predicted));
    const auto sideName = [&](bool target, const std::optional<int> &segment) {
        if (translates())
            return target ? tr("target (what the decoder has read)") : tr("source");
        return !segment ? tr("text") : *segment == 0 ? tr("text A") : tr("text B");
    };
    picture.rowsTitle = tr("queries ↓ %1").arg(sideName(head->kind != HeadKind::Encoder, options.querySegment));
    picture.columnsTitle = tr("keys → %1").arg(sideName(head->kind == HeadKind::Decoder, options.keySegment));
    picture.legendLabel = rollout ? tr("attention rollout (each row sums to 1)")
        : options.normWeighted            ? tr("weight × value norm (each row sums to 1)")
                                          : tr("attention weight (each row sums to 1)");
    if (options.withTree && head->kind != HeadKind::Decoder)
        picture.arcs = makeTreeArcs(attention->sourceTree, picture.table.columns);
    return picture;
}

void AttentionPage::refreshPicture()
{
    const QSignalBlocker blocker(m_head);
    if (m_state.currentHead())
        m_head->setCurrentIndex(static_cast<int>(m_state.layout().indexOf(*m_state.currentHead())));
    else
        m_head->setCurrentIndex(-1);
    refreshChoices();
    m_heatMap->setEmptyText(whyEmpty());
    m_heatMap->setPicture(picture());
    refreshTexts();
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
    facts.forced = m_target->currentIndex() == 1;
    facts.attention = m_state.attention().get();
    if (const std::int64_t row = m_sentences->row(); row >= 0 && !isTyped()) {
        const SentenceModel &model = m_sentences->model();
        facts.row = &model.sentence(row);
        facts.whole = model.wholeOutput(row);
        facts.masked = model.maskedOutput(row);
        if (!showsAttentionOf(*facts.row))
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
    m_typedRow = {text.toStdString(), {}, classifies() ? m_typedPair->text().simplified().toStdString() : std::string()};
    m_sentences->leave();
    request();
}

void AttentionPage::request()
{
    m_stale = !isVisible();
    if (m_stale)
        return;
    m_target->setEnabled(!isTyped());
    if (isTyped())
        return m_controller.requestAttention(m_typedRow);
    if (const std::int64_t row = m_sentences->row(); row >= 0)
        m_controller.requestAttention(m_sentences->model().sentence(row), m_target->currentIndex() == 1);
}

QList<ExportItem> AttentionPage::makeExportItems() const
{
    const HeatMapPicture shown = picture();
    if (shown.table.empty())
        return {};
    ExportItem item;
    item.name = tr("Attention of %1").arg(QString::fromStdString(toText(*m_state.currentHead())));
    const AttentionResult &attention = *m_state.attention();
    const QString second = attention.target.empty() ? QString()
        : (classifies() ? tr(" and “%1”") : tr(" → “%1”")).arg(QString::fromStdString(attention.target));
    item.caption
        = (showsRollout() ? tr("Attention rollout: %1%2 on “%3”%4. Rows are queries, columns keys; each row sums to 1%5.")
           : showsNorms() ? tr("Norm-weighted attention of %1%2 on “%3”%4. Rows are queries, columns keys; each row "
                             "sums to 1%5.")
                        : tr("Attention weights of %1%2 on “%3”%4. Rows are queries, columns keys; each row sums to "
                             "1%5."))
              .arg(shown.title, shown.masked ? tr(" (masked)") : QString(), QString::fromStdString(attention.source),
                  second, shown.table.hidesKeys ? tr(" with the column of hidden tokens") : QString());
    QFont font;
    font.setPixelSize(12);
    item.size = HeatMapGeometry::sizeFor(shown, 30, QFontMetricsF(font));
    item.paint = [shown](QPainter &painter, const QRectF &rect) { paintHeatMap(painter, rect, shown); };
    item.csv = [table = shown.table] { return attentionCsv(table); };
    item.manifestJson = manifestsText(m_state, {&attention.manifest});
    return {item};
}

} // namespace headscope
