#include "ui/pages/attention/sentencelist.h"

#include "ui/models/numbertext.h"
#include "ui/models/tasktext.h"
#include "ui/views/flowlayout.h"
#include "ui/views/pageparts.h"
#include "ui/views/plainlabel.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QVBoxLayout>

#include <utility>

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
                                     {SentenceModel::ChangeRole, Qt::DescendingOrder},
                                     {SentenceModel::LossRole, Qt::DescendingOrder}};
} // namespace

/// Search text and one of the marks.
class SentenceFilter final : public QSortFilterProxyModel
{
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    void setMark(std::optional<int> role)
    {
        m_role = role;
        invalidateFilter();
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override
    {
        if (m_role && sourceModel()->index(row, 0, parent).data(*m_role).toInt() == 0)
            return false;
        return QSortFilterProxyModel::filterAcceptsRow(row, parent);
    }

private:
    std::optional<int> m_role;
};

SentenceList::SentenceList(StudyState &state, QWidget *parent)
    : QWidget(parent), m_state(state), m_model(new SentenceModel(this)), m_proxy(new SentenceFilter(this)),
      m_domain(new QComboBox(this)), m_sort(new QComboBox(this)), m_filter(new QComboBox(this)),
      m_search(new QLineEdit(this)), m_list(new QListView(this)), m_count(new PlainLabel(this))
{
    m_proxy->setSourceModel(m_model);
    m_proxy->setFilterRole(SentenceModel::SearchRole);
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_proxy->setSortRole(SentenceModel::RowRole);
    setupUi();
    connectAll();
}

void SentenceList::setupUi()
{
    m_domain->setAccessibleName(tr("Data set"));
    for (const Domain domain : kBothDomains)
        m_domain->addItem(domainName(domain), static_cast<int>(domain));
    m_sort->setAccessibleName(tr("Order of the sentences"));
    m_sort->addItems({tr("in file order"), tr("shortest first"), tr("longest first"),
                      tr("most changed by the masks first"), tr("largest loss first")});
    m_filter->setAccessibleName(tr("Which sentences"));
    for (QComboBox *box : {m_sort, m_filter}) // their texts depend on the model
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_search->setAccessibleName(tr("Search sentences"));
    m_search->setClearButtonEnabled(true);
    m_list->setModel(m_proxy);
    m_list->setUniformItemSizes(true);
    m_list->setTextElideMode(Qt::ElideRight);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setResizeMode(QListView::Adjust);
    m_list->setAccessibleName(tr("Sentences"));
    m_count->setWordWrap(true);
    reserveLines(*m_count, 2);
    auto *boxes = new FlowLayout; // every text is whole
    boxes->addWidget(m_domain);
    boxes->addWidget(m_sort);
    boxes->addWidget(m_filter);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 6, 0);
    layout->addLayout(boxes);
    layout->addWidget(m_search);
    layout->addWidget(m_list, 1);
    layout->addWidget(m_count);
}

void SentenceList::connectAll()
{
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_proxy->setFilterFixedString(text);
        refreshCount();
    });
    connect(m_filter, &QComboBox::currentIndexChanged, this, [this] {
        const QVariant role = m_filter->currentData();
        m_proxy->setMark(role.isValid() ? std::optional(role.toInt()) : std::nullopt);
        refreshCount();
    });
    connect(m_sort, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_proxy->setSortRole(kOrders[index].role);
        m_proxy->sort(0, kOrders[index].order);
    });
    connect(m_domain, &QComboBox::activated, this, [this] {
        const auto domain = static_cast<Domain>(m_domain->currentData().toInt());
        m_left = false;
        Q_EMIT picked();
        m_state.setSentence(domain, m_state.data(domain) ? 0 : -1);
    });
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, &SentenceList::onCurrentChanged);
}

void SentenceList::forgetModel()
{
    m_left = false;
    m_otherModel = true;
}

/// What can be wrong or right depends on the model.
void SentenceList::refreshFilters()
{
    const bool classifies = m_state.model() && isClassifier(*m_state.model());
    const bool translates = !m_state.model() || isTranslator(*m_state.model());
    m_search->setPlaceholderText(translates ? tr("Search source, reference, output") : tr("Search texts and labels"));
    m_sort->setItemText(m_sort->count() - 1, translates ? tr("least certain output first") : tr("largest loss first"));
    m_sort->setItemData(m_sort->count() - 1,
                        translates   ? tr("By −ln p of the model's own output, for each token")
                        : classifies ? tr("By −ln p of the right label")
                                     : tr("By −ln p of the text, for each token"),
                        Qt::ToolTipRole);
    m_filter->clear();
    m_filter->addItem(translates ? tr("all sentences") : tr("all examples"));
    if (classifies && m_state.model()->problem != ProblemType::Regression)
        m_filter->addItem(tr("wrong only (✗)"), SentenceModel::WrongRole);
    m_filter->addItem(tr("changed under the masks (≠)"), SentenceModel::ChangedRole);
}

std::int64_t SentenceList::row() const
{
    const std::int64_t row = m_state.sentenceIndex();
    return !m_left && row < m_model->rowCount() ? row : -1;
}

void SentenceList::leave()
{
    m_left = true;
    const QSignalBlocker blocker(m_list->selectionModel());
    m_list->clearSelection();
}

void SentenceList::setSentences(Domain domain, std::int64_t count, SentenceModel::Reader reader)
{
    const QSignalBlocker blocker(m_list->selectionModel());
    m_model->setSentences(count, std::move(reader));
    m_rowsOf = domain;
    m_domain->setCurrentIndex(m_domain->findData(static_cast<int>(domain)));
    refreshOutputs();
}

void SentenceList::refresh()
{
    if (std::exchange(m_otherModel, false))
        refreshFilters();
    const Domain domain = m_state.sentenceDomain();
    const auto &rows = m_state.rows(domain);
    if (rows == m_rows && (rows || m_model->rowCount() == 0) && domain == m_rowsOf) {
        refreshOutputs();
        return selectRow(m_state.sentenceIndex());
    }
    m_rows = rows;
    setSentences(domain, rows ? rows->size() : 0, [rows](std::int64_t row) { return rows->at(row); });
    // The page is never blank when there is something to show.
    if (rows && !m_left && (m_state.sentenceIndex() < 0 || m_state.sentenceIndex() >= rows->size()))
        m_state.setSentence(domain, 0);
    else
        follow();
}

void SentenceList::refreshOutputs()
{
    const DomainResults &results = m_state.results(m_state.sentenceDomain());
    // Outputs of other rows or of another model would be shown beside the wrong texts.
    const auto holds = [this](const std::shared_ptr<const EvaluationResult> &result) {
        return result && !m_state.isStale(m_state.sentenceDomain(), result->manifest);
    };
    const bool current = holds(results.masked) && results.masked->mask == m_state.mask() && !m_state.mask().empty();
    m_model->setOutputs(holds(results.baseline) ? results.baseline : nullptr, current ? results.masked : nullptr,
                        m_state.model() ? m_state.model()->problem : ProblemType::SingleLabel);
    refreshCount();
    Q_EMIT outputsChanged();
}

void SentenceList::refreshCount()
{
    if (m_model->rowCount() == 0) {
        const bool in = m_state.sentenceDomain() == Domain::In;
        const bool failed = !m_state.error(ErrorPlace::Model).isEmpty()
                         || !m_state.error(in ? ErrorPlace::InData : ErrorPlace::OutData).isEmpty();
        m_count->setText(!m_state.data(m_state.sentenceDomain()) ? tr("No data set is open in this slot.")
                         : failed ? tr("The data set could not be read: the study panel says why.")
                                  : tr("The data set is still being read."));
        return;
    }
    QString count = tr("%1 of %2 examples").arg(countText(m_proxy->rowCount()), countText(m_model->rowCount()));
    if (m_model->hasCorrectness())
        count += tr(", %1 wrong (✗)").arg(countText(m_model->wrongCount()));
    if (!m_state.mask().empty())
        count += u", "_s + changesText();
    m_count->setText(count);
}

QString SentenceList::count() const
{
    return m_count->text();
}

/// Under the masks. While they are being computed, of those that are.
QString SentenceList::changesText() const
{
    const std::int64_t compared = m_model->comparedCount();
    if (compared == 0)
        return tr("not known yet how many have another output under the masks (≠)");
    const QString changed = countText(m_model->changedCount());
    return compared == m_model->rowCount()
             ? tr("%1 with another output under the masks (≠)").arg(changed)
             : tr("%1 of %2 so far with another output under the masks (≠)").arg(changed, countText(compared));
}

void SentenceList::follow()
{
    if (m_state.sentenceDomain() != m_rowsOf) {
        m_rowsOf = m_state.sentenceDomain();
        m_domain->setCurrentIndex(m_domain->findData(static_cast<int>(m_rowsOf)));
        m_rows.reset();
        return refresh();
    }
    selectRow(m_state.sentenceIndex());
    Q_EMIT followed();
}

void SentenceList::selectRow(std::int64_t row)
{
    if (m_left || row < 0 || row >= m_model->rowCount())
        return;
    const QModelIndex shown = m_proxy->mapFromSource(m_model->index(static_cast<int>(row)));
    if (!shown.isValid() || shown == m_list->currentIndex())
        return;
    // Not blocked, so that the view paints it.
    const QScopedValueRollback following(m_following, true);
    m_list->setCurrentIndex(shown);
}

void SentenceList::pick(Domain domain, std::int64_t row)
{
    m_left = false;
    Q_EMIT picked();
    const bool same = m_state.sentenceDomain() == domain && m_state.sentenceIndex() == row;
    m_state.setSentence(domain, row);
    if (!same)
        return;
    selectRow(row);
    Q_EMIT followed();
}

void SentenceList::onCurrentChanged(const QModelIndex &index)
{
    if (!index.isValid() || m_following)
        return;
    pick(m_rowsOf, index.data(SentenceModel::RowRole).toLongLong());
}

} // namespace headscope
