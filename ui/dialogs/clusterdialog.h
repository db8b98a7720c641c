#pragma once

#include "ui/state/clustercontroller.h"

#include <QDialog>
#include <QList>

#include <vector>

class QComboBox;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;
class QTreeWidget;

namespace headscope {

class ErrorLabel;
class FileEdit;

/// Starts sweeps on a cluster: analysis, options and command; and lists the sweeps that the study has begun.
class ClusterDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ClusterDialog)
public:
    ClusterDialog(StudyState &state, ClusterController &cluster, QWidget *parent = nullptr);

    QListWidget &sweeps() { return *m_sweeps; }
    QSpinBox &shardsBox() { return *m_shards; }
    QLineEdit &optionsEdit() { return *m_options; }
    FileEdit &folderEdit() { return *m_folder; }
    QPushButton &startButton() { return *m_start; }
    QPushButton &resumeButton() { return *m_resume; }
    QPushButton &cancelButton() { return *m_cancel; }
    QTreeWidget &runs() { return *m_runs; }
    QString command() const; ///< what is run, a line for every sweep
    QString problem() const; ///< why nothing can be started; empty: it can
    QString said() const;    ///< by the run that is selected

private:
    QWidget *makeSweeps();
    QWidget *makeCluster();
    QWidget *makeRuns();
    void connectAll();
    void remember() const;
    void fillSweeps();
    void refresh();
    void refreshRuns();
    void refreshRun();
    void start();
    std::vector<ClusterTask> tasks() const;
    QString selectedFolder() const;
    const ClusterRun *selectedRun() const;

    StudyState &m_state;
    ClusterController &m_cluster;
    std::vector<ClusterChoice> m_choices;
    QListWidget *m_sweeps = nullptr;
    QComboBox *m_scheduler = nullptr;
    QSpinBox *m_shards = nullptr;
    QSpinBox *m_threads = nullptr;
    QLineEdit *m_options = nullptr;
    FileEdit *m_folder = nullptr;
    QPlainTextEdit *m_command = nullptr;
    QPushButton *m_copy = nullptr;
    ErrorLabel *m_problem = nullptr;
    QPushButton *m_start = nullptr;
    QTreeWidget *m_runs = nullptr;
    QPlainTextEdit *m_said = nullptr;
    ErrorLabel *m_runError = nullptr;
    QPushButton *m_resume = nullptr;
    QPushButton *m_cancel = nullptr;
    QPushButton *m_forget = nullptr;
};

} // namespace headscope
