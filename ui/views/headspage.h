#pragma once

#include "ui/state/studycontroller.h"
#include "ui/views/headgridview.h"

#include <QWidget>

class QLabel;
class QStackedLayout;
class QTableView;
class QToolButton;

namespace headscope {

/// Which heads matter? The grid of the chosen measure, or the same as a table that can be sorted.
class HeadsPage final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HeadsPage)
public:
    HeadsPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);

    HeadGridView &grid() { return *m_grid; }
    HeadGridModel &model() { return *m_model; }
    QList<ExportItem> exportItems() const;

Q_SIGNALS:
    void headActivated(const headscope::HeadRef &head);
    void exportRequested();

private:
    void setupHeader(QWidget *header);
    void setupTable();
    void connectState();
    void refreshText();
    QString emptyText() const;

    StudyState &m_state;
    StudyController &m_controller;
    HeadGridModel *m_model = nullptr;
    HeadGridView *m_grid = nullptr;
    QTableView *m_table = nullptr;
    QLabel *m_title = nullptr;
    QLabel *m_summary = nullptr;
    QLabel *m_empty = nullptr;
    QToolButton *m_asTable = nullptr;
    QStackedLayout *m_stack = nullptr;
};

} // namespace headscope
