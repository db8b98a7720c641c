#pragma once

#include "ui/jobs/jobmodel.h"

#include <QWidget>

class QPushButton;
class QTableView;

namespace headscope {

class ErrorLabel;

/// All jobs, running and done; cancel; what went wrong, in words that can be copied.
class JobPanel final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(JobPanel)
public:
    explicit JobPanel(JobQueue &queue, QWidget *parent = nullptr);

private:
    void refresh();

    JobQueue &m_queue;
    JobModel *m_model = nullptr;
    QTableView *m_table = nullptr;
    QPushButton *m_cancel = nullptr;
    QPushButton *m_cancelAll = nullptr;
    ErrorLabel *m_error = nullptr;
};

} // namespace headscope
