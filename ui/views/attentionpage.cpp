#include "ui/views/attentionpage.h"

#include "ui/delegates/headgridgeometry.h"
#include "ui/models/numbertext.h"
#include "ui/views/manifesttext.h"
#include "ui/views/worddiff.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTextBrowser>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

/// How the list can be ordered.
struct SentenceOrder
{
    int role;
    Qt::SortOrder order;
};
constexpr SentenceOrder kOrders[] = {{SentenceModel::RowRole, Qt::AscendingOrder},
                                     {SentenceModel::WordsRole, Qt::AscendingOrder},
                                     {SentenceModel::WordsRole, Qt::DescendingOrder},
                                     {SentenceModel::ChangedRole, Qt::DescendingOrder}};

/// The head to begin with: the one that loses most when it is ablated.
HeadRef firstHeadToShow(const StudyState &state)
{
    HeadRef best = state.layout().heads().front();
    double lowest = 0;
    if (const auto &ablation = state.results(Domain::In).ablation) {
        for (const HeadAblation &head : ablation->heads) {
            if (head.delta < lowest) {
                lowest = head.delta;
                best = head.head;
            }
        }
    }
    return best;
}

} // namespace

AttentionPage::AttentionPage(StudyState &state, StudyController &controller, QWidget *parent)
    : QWidget(parent), m_state(state), m_controller(controller), m_model(new SentenceModel(this)),
      m_proxy(new QSortFilterProxyModel(this))
{
    m_requestTimer.setSingleShot(true);
    m_requestTimer.setInterval(150);
    m_proxy->setSourceModel(m_model);
    m_proxy->setFilterRole(SentenceModel::SearchRole);
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_proxy->setSortRole(SentenceModel::RowRole);
    auto *splitter = new QSplitter(this);
    splitter->addWidget(makeLeft());
    splitter->addWidget(makeRight());
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({270, 700});
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->addWidget(splitter);
    connectControls();
    connectState();
    refreshHeads();
    refreshSentences();
    refreshPicture();
}

QWidget *AttentionPage::makeLeft()
{
    auto *left = new QWidget(this);
    m_domain = new QComboBox(left);
    m_domain->setAccessibleName(tr("Data set"));
    m_domain->addItem(domainName(Domain::In), static_cast<int>(Domain::In));
    m_domain->addItem(domainName(Domain::Out), static_cast<int>(Domain::Out));
    m_sort = new QComboBox(left);
    m_sort->setAccessibleName(tr("Order of the sentences"));
    m_sort->addItems({tr("in file order"), tr("shortest first"), tr("longest first"), tr("changed by the masks first")});
    m_sort->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_sort->setMinimumContentsLength(8);
    m_search = new QLineEdit(left);
    m_search->setPlaceholderText(tr("Search source, reference, output"));
    m_search->setAccessibleName(tr("Search sentences"));
    m_search->setClearButtonEnabled(true);
    m_list = new QListView(left);
    m_list->setModel(m_proxy);
    m_list->setUniformItemSizes(true);
    m_list->setTextElideMode(Qt::ElideRight);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setResizeMode(QListView::Adjust);
    m_list->setAccessibleName(tr("Sentences"));
    m_count = new QLabel(left);
    m_count->setWordWrap(true);
    auto *boxes = new QHBoxLayout;
    boxes->addWidget(m_domain);
    boxes->addWidget(m_sort, 1);
    auto *layout = new QVBoxLayout(left);
    layout->setContentsMargins(0, 0, 6, 0);
    layout->addLayout(boxes);
    layout->addWidget(m_search);
    layout->addWidget(m_list, 1);
    layout->addWidget(m_count);
    return left;
}

QWidget *AttentionPage::makeRight()
{
    auto *right = new QWidget(this);
    m_typed = new QLineEdit(right);
    m_typed->setPlaceholderText(tr("Or type a sentence and press Enter"));
    m_typed->setAccessibleName(tr("Sentence of your own"));
    m_head = new QComboBox(right);
    m_head->setAccessibleName(tr("Head"));
    m_head->setToolTip(tr("The head whose attention is shown"));
    m_target = new QComboBox(right);
    m_target->setAccessibleName(tr("Target sentence"));
    m_target->addItems({tr("own output"), tr("reference")});
    m_target->setToolTip(tr("What the decoder is made to say while its attention is read: the model's own output, or the reference"));
    m_target->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_target->setMinimumContentsLength(10);
    m_join = new QCheckBox(tr("&Join words"), right);
    m_join->setToolTip(tr("Weights are summed over the pieces of a key word and averaged over those of a query word"));
    m_hide = new QCheckBox(tr("&Hide special"), right);
    m_hide->setToolTip(tr("Weights are not rescaled: what the hidden tokens get is shown in a column of its own"));
    m_heatMap = new HeatMapView(right);
    m_texts = new QTextBrowser(right);
    m_texts->setAccessibleName(tr("Source, reference and output"));
    m_texts->setOpenLinks(false);
    m_texts->setMinimumHeight(60);
    auto *controls = new QHBoxLayout;
    controls->addWidget(m_head);
    controls->addWidget(m_target);
    controls->addWidget(m_join);
    controls->addWidget(m_hide);
    controls->addStretch(1);
    auto *split = new QSplitter(Qt::Vertical, right);
    split->addWidget(m_heatMap);
    split->addWidget(m_texts);
    split->setStretchFactor(0, 1);
    split->setSizes({600, 120});
    auto *layout = new QVBoxLayout(right);
    layout->setContentsMargins(6, 0, 0, 0);
    layout->addWidget(m_typed);
    layout->addLayout(controls);
    layout->addWidget(split, 1);
    return right;
}

void AttentionPage::connectControls()
{
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_proxy->setFilterFixedString(text);
        refreshOutputs();
    });
    connect(m_sort, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_proxy->setSortRole(kOrders[index].role);
        m_proxy->sort(0, kOrders[index].order);
    });
    connect(m_domain, &QComboBox::activated, this, [this] {
        const auto domain = static_cast<Domain>(m_domain->currentData().toInt());
        m_typedSentence.clear();
        m_state.setSentence(domain, m_state.data(domain) ? 0 : -1);
    });
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, &AttentionPage::onSentenceClicked);
    connect(m_typed, &QLineEdit::returnPressed, this, &AttentionPage::showTyped);
    connect(m_head, &QComboBox::activated, this, [this](int index) {
        const auto &heads = m_state.layout().heads();
        if (index >= 0 && index < static_cast<int>(heads.size()))
            m_state.selectHead(heads[static_cast<std::size_t>(index)]);
    });
    connect(m_target, &QComboBox::activated, this, &AttentionPage::request);
    connect(m_join, &QCheckBox::toggled, this, &AttentionPage::refreshPicture);
    connect(m_hide, &QCheckBox::toggled, this, &AttentionPage::refreshPicture);
}

void AttentionPage::connectState()
{
    connect(&m_state, &StudyState::modelChanged, this, [this] {
        m_typedSentence.clear();
        refreshHeads();
        refreshSentences();
    });
    connect(&m_state, &StudyState::dataChanged, this, &AttentionPage::refreshSentences);
    connect(&m_state, &StudyState::sentenceChanged, this, &AttentionPage::onSentenceChanged);
    connect(&m_state, &StudyState::attentionChanged, this, &AttentionPage::refreshPicture);
    connect(&m_state, &StudyState::selectionChanged, this, &AttentionPage::refreshPicture);
    connect(&m_state, &StudyState::resultsChanged, this, &AttentionPage::refreshOutputs);
    connect(&m_state, &StudyState::maskChanged, this, [this] {
        refreshOutputs();
        refreshPicture();
        // Masks below change the attention above.
        m_requestTimer.start();
    });
    connect(&m_requestTimer, &QTimer::timeout, this, &AttentionPage::request);
}

void AttentionPage::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (!m_state.currentHead() && m_state.layout().size() > 0)
        m_state.selectHead(firstHeadToShow(m_state));
    if (m_stale)
        request();
}

void AttentionPage::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_texts)
        refreshTexts();
}

void AttentionPage::setSentences(Domain domain, std::int64_t count, SentenceModel::Reader reader)
{
    const QSignalBlocker blocker(m_list->selectionModel());
    m_model->setSentences(count, std::move(reader));
    m_domain->setCurrentIndex(m_domain->findData(static_cast<int>(domain)));
    refreshOutputs();
}

void AttentionPage::refreshSentences()
{
    const Domain domain = m_state.sentenceDomain();
    const auto &data = m_state.data(domain);
    const std::shared_ptr<Session> session = m_state.session();
    // A reopened study knows its data before the session has read them again.
    const bool readable = session && data && session->data(domain);
    const Session *from = readable ? session.get() : nullptr;
    const std::string hash = readable ? data->hash : std::string();
    if (from == m_readFrom && hash == m_readHash && (from || m_model->rowCount() == 0)) {
        refreshOutputs();
        return;
    }
    m_readFrom = from;
    m_readHash = hash;
    setSentences(domain, readable ? data->rows : 0,
                 [session, domain](std::int64_t row) { return session->row(domain, row); });
    // The page is never blank when there is something to show.
    if (readable && m_typedSentence.isEmpty()
        && (m_state.sentenceIndex() < 0 || m_state.sentenceIndex() >= data->rows))
        m_state.setSentence(domain, 0);
    else
        onSentenceChanged();
}

void AttentionPage::refreshOutputs()
{
    const DomainResults &results = m_state.results(m_state.sentenceDomain());
    const bool current = results.masked && results.masked->mask == m_state.mask() && !m_state.mask().empty();
    m_model->setOutputs(results.baseline.get(), current ? results.masked.get() : nullptr);
    QString count;
    if (m_model->rowCount() > 0) {
        count = tr("%1 of %2 sentences").arg(countText(m_proxy->rowCount()), countText(m_model->rowCount()));
        if (current)
            count += tr(", %1 with another output under the masks (≠)").arg(countText(m_model->changedCount()));
    } else {
        count = m_state.data(m_state.sentenceDomain()) ? tr("The data set is still being read.")
                                                       : tr("No data set is open in this slot.");
    }
    m_count->setText(count);
    refreshTexts();
}

void AttentionPage::refreshHeads()
{
    const QSignalBlocker blocker(m_head);
    m_head->clear();
    for (const HeadRef &head : m_state.layout().heads())
        m_head->addItem(QString::fromStdString(toText(head)));
    m_head->setEnabled(m_head->count() > 0);
    m_head->setSizeAdjustPolicy(QComboBox::AdjustToContents);
}

QString AttentionPage::whyEmpty() const
{
    if (!m_state.model())
        return tr("No model is open. Open a model folder to see what its heads look at.");
    if (!m_state.attention()) {
        if (!m_state.session())
            return tr("The model is still being read.");
        if (m_model->rowCount() == 0 && m_typedSentence.isEmpty())
            return tr("Choose a data set, or type a sentence above and press Enter.");
        return m_state.error(ErrorPlace::Analysis).isEmpty()
            ? tr("Choose a sentence on the left, or type one above and press Enter.")
            : m_state.error(ErrorPlace::Analysis);
    }
    if (!m_state.currentHead())
        return tr("Choose a head above, or click one in the grid.");
    return tr("There is no attention map of %1 for this sentence.")
        .arg(QString::fromStdString(toText(*m_state.currentHead())));
}

HeatMapPicture AttentionPage::picture() const
{
    HeatMapPicture picture;
    const auto &attention = m_state.attention();
    const auto &head = m_state.currentHead();
    if (!attention || !head)
        return picture;
    picture.table = attentionTableOf(*attention, *head, {m_join->isChecked(), m_hide->isChecked()});
    picture.scale = ColorScale::sequential(0, 1);
    picture.masked = m_state.mask().isMasked(*head);
    picture.title = u"%1 – %2"_s.arg(QString::fromStdString(toText(*head)), headKindTitle(head->kind));
    const QString source = tr("source");
    const QString target = tr("target (what the decoder has read)");
    picture.rowsTitle = tr("queries ↓ %1").arg(head->kind == HeadKind::Encoder ? source : target);
    picture.columnsTitle = tr("keys → %1").arg(head->kind == HeadKind::Decoder ? target : source);
    picture.legendLabel = tr("attention weight (each row sums to 1)");
    return picture;
}

void AttentionPage::refreshPicture()
{
    const QSignalBlocker blocker(m_head);
    if (m_state.currentHead())
        m_head->setCurrentIndex(static_cast<int>(m_state.layout().indexOf(*m_state.currentHead())));
    else
        m_head->setCurrentIndex(-1);
    m_heatMap->setEmptyText(whyEmpty());
    m_heatMap->setPicture(picture());
    refreshTexts();
}

QString AttentionPage::textsHtml() const
{
    const auto &attention = m_state.attention();
    const std::int64_t row = m_state.sentenceIndex();
    const bool fromData = m_typedSentence.isEmpty() && row >= 0 && row < m_model->rowCount();
    if (!fromData && !attention)
        return {};
    const ViewPalette &colors = ViewPalette::matching(palette());
    QString html = u"<table cellspacing='0' cellpadding='3'>"_s;
    const auto line = [&](const QString &name, const QString &body) {
        html += u"<tr><td style='padding-right:10px;color:%1;white-space:nowrap'>%2</td><td>%3</td></tr>"_s.arg(
            colors.muted.name(), name, body);
    };
    if (fromData) {
        const DataRow &sentence = m_model->sentence(row);
        line(tr("Source"), QString::fromStdString(sentence.source).toHtmlEscaped());
        if (!sentence.reference.empty())
            line(tr("Reference"), QString::fromStdString(sentence.reference).toHtmlEscaped());
        const QString whole = m_model->wholeOutput(row);
        if (!whole.isEmpty())
            line(tr("Output"), whole.toHtmlEscaped());
        else if (attention && attention->source == sentence.source && m_target->currentIndex() == 0)
            line(m_state.mask().empty() ? tr("Output") : tr("With the masks"),
                 QString::fromStdString(attention->target).toHtmlEscaped());
        if (const auto masked = m_model->maskedOutput(row); masked && !whole.isEmpty())
            line(tr("With the masks"),
                 *masked == whole ? tr("unchanged") : diffHtml(wordDiff(whole, *masked), colors));
    } else {
        line(tr("Source"), QString::fromStdString(attention->source).toHtmlEscaped());
        line(m_state.mask().empty() ? tr("Output") : tr("With the masks"),
             QString::fromStdString(attention->target).toHtmlEscaped());
    }
    return html + u"</table>"_s;
}

void AttentionPage::refreshTexts()
{
    const QString html = textsHtml();
    m_texts->setHtml(html);
    m_texts->setVisible(!html.isEmpty());
}

void AttentionPage::onSentenceClicked(const QModelIndex &index)
{
    if (!index.isValid())
        return;
    m_typedSentence.clear();
    m_state.setSentence(static_cast<Domain>(m_domain->currentData().toInt()),
                        index.data(SentenceModel::RowRole).toLongLong());
    if (!m_state.attention() || m_stale)
        request();
}

void AttentionPage::showTyped()
{
    const QString text = m_typed->text().simplified();
    if (text.isEmpty())
        return;
    m_typedSentence = text;
    const QSignalBlocker blocker(m_list->selectionModel());
    m_list->clearSelection();
    request();
}

void AttentionPage::onSentenceChanged()
{
    if (m_state.sentenceDomain() != static_cast<Domain>(m_domain->currentData().toInt())) {
        m_domain->setCurrentIndex(m_domain->findData(static_cast<int>(m_state.sentenceDomain())));
        m_readFrom = nullptr;
        m_readHash.clear();
        return refreshSentences();
    }
    selectRow(m_state.sentenceIndex());
    request();
    refreshTexts();
}

void AttentionPage::selectRow(std::int64_t row)
{
    if (row < 0 || row >= m_model->rowCount())
        return;
    const QModelIndex shown = m_proxy->mapFromSource(m_model->index(static_cast<int>(row)));
    if (!shown.isValid() || shown == m_list->currentIndex())
        return;
    // Unblocked, so that the view paints it; onSentenceClicked then finds nothing new.
    m_list->setCurrentIndex(shown);
}

void AttentionPage::request()
{
    m_stale = !isVisible();
    if (m_stale)
        return;
    m_target->setEnabled(m_typedSentence.isEmpty());
    if (!m_typedSentence.isEmpty())
        return m_controller.requestAttention(m_typedSentence, QString());
    const std::int64_t row = m_state.sentenceIndex();
    if (row < 0 || row >= m_model->rowCount())
        return;
    const DataRow &sentence = m_model->sentence(row);
    const QString target = m_target->currentIndex() == 1 ? QString::fromStdString(sentence.reference) : QString();
    m_controller.requestAttention(QString::fromStdString(sentence.source), target);
}

QList<ExportItem> AttentionPage::exportItems() const
{
    const HeatMapPicture shown = picture();
    if (shown.table.empty())
        return {};
    ExportItem item;
    item.name = tr("Attention of %1").arg(QString::fromStdString(toText(*m_state.currentHead())));
    const AttentionResult &attention = *m_state.attention();
    item.caption = tr("Attention weights of %1%2 on “%3” → “%4”. Rows are queries, columns keys; each row sums to 1%5.")
                       .arg(shown.title, shown.masked ? tr(" (masked)") : QString(),
                            QString::fromStdString(attention.source), QString::fromStdString(attention.target),
                            shown.table.hidesKeys ? tr(" with the column of hidden tokens") : QString());
    QFont font;
    font.setPixelSize(12);
    item.size = HeatMapGeometry::sizeFor(shown, 30, QFontMetricsF(font));
    item.paint = [shown](QPainter &painter, const QRectF &rect) { paintHeatMap(painter, rect, shown); };
    item.csv = [table = shown.table] { return attentionCsv(table); };
    item.manifestJson = manifestsText({&attention.manifest});
    return {item};
}

} // namespace headscope
