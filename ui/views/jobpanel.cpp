#include "ui/views/jobpanel.h"

#include "ui/views/errorlabel.h"
#include "ui/views/pageparts.h"

#include <QHeaderView>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

namespace headscope {

JobPanel::JobPanel(JobQueue &queue, QWidget *parent)
    : QWidget(parent), m_queue(queue), m_model(new JobModel(queue, this)), m_table(new QTableView(this)),
      m_cancel(new QPushButton(tr("Cancel job"), this)), m_cancelAll(new QPushButton(tr("Cancel all"), this)),
      m_error(new ErrorLabel(this))
{
    m_table->setModel(m_model);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(JobModel::PhaseColumn, QHeaderView::Stretch);
    m_table->setAccessibleName(tr("Jobs"));
    m_table->setTabKeyNavigation(false); // Tab leaves it
    auto *forget = new QPushButton(tr("Forget finished"), this);
    auto *buttons = new QHBoxLayout;
    addWidgets(*buttons, {m_cancel, m_cancelAll});
    buttons->addStretch();
    buttons->addWidget(forget);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_error);
    layout->addLayout(buttons);
    connect(forget, &QPushButton::clicked, &queue, &JobQueue::forgetFinished);
    connect(m_cancelAll, &QPushButton::clicked, &queue, &JobQueue::cancelAll);
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        const QModelIndex index = m_table->currentIndex();
        if (index.isValid())
            m_queue.cancel(index.data(JobModel::IdRole).toLongLong());
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &JobPanel::refresh);
    connect(m_model, &QAbstractItemModel::dataChanged, this, &JobPanel::refresh);
    connect(m_model, &QAbstractItemModel::rowsInserted, this, &JobPanel::refresh);
    connect(m_model, &QAbstractItemModel::modelReset, this, &JobPanel::refresh);
    refresh();
}

void JobPanel::refresh()
{
    const QModelIndex index = m_table->currentIndex();
    m_cancel->setEnabled(index.isValid() && index.data(JobModel::ActiveRole).toBool());
    m_cancelAll->setEnabled(!m_queue.isIdle());
    m_error->setError(index.isValid() ? index.data(JobModel::ErrorRole).toString() : QString());
}

} // namespace headscope
