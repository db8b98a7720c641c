#pragma once

#include "ui/pages/page.h"
#include "ui/pages/training/epochmodel.h"
#include "ui/state/trainingcontroller.h"

#include <QTimer>

#include <string>

class QLabel;
class QPushButton;
class QTableView;
class QTabWidget;

namespace headscope {

class ErrorLabel;
class ExperimentView;
class GateView;
class TrainingChart;
class TrainingSettings;

/// Trains a model: the form of the run, its curves while they grow, and a model folder for every epoch.
class TrainingPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TrainingPage)
public:
    TrainingPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();

    bool isOwn(const QString &path) const override;
    /// Shows the run of a folder and its configuration.
    void openPath(const QString &path) override;
    QString ownError() const override { return m_training.error(); }
    /// The experiment, if one has begun: its form, what is varied, and its values.
    QJsonObject arrangement() const override;
    void setArrangement(const QJsonObject &arrangement) override;
    TrainingController &training() { return m_training; }
    TrainingSettings &settings() { return *m_settings; }
    TrainingChart &chart() { return *m_chart; }
    GateView &gates() { return *m_gates; }
    /// The run, and experiments of several.
    QTabWidget &tabs() { return *m_tabs; }
    ExperimentView &experiment() { return *m_experiment; }
    EpochModel &epochs() { return m_epochs; }
    QTableView &table() { return *m_table; }
    QPushButton &startButton() { return *m_start; }
    QPushButton &stopButton() { return *m_stop; }
    /// Why Start is not enabled; empty when it is.
    QString reason() const;
    QString statusText() const;

    void loadConfig(const QString &file);
    void saveConfig(const QString &file);

public Q_SLOTS:
    void start();
    void showReport(const headscope::TrainingReport &report);

protected:
    void refreshNow() override;
    QList<ExportItem> makeExportItems() const override;

private:
    void setupUi();
    QWidget *makeSide();
    QWidget *makeFiles();
    QLayout *makeMain();
    QWidget *makeRun();
    QWidget *makeTable();
    void connectAll();
    void onFormChanged();
    /// An epoch was opened: its run is shown unless there is another one to show.
    void showRunOfModel();
    void refreshReport();
    void refreshState();
    void refreshMessages();
    void onRowChosen();
    void openEpoch();
    void chooseRun();
    void chooseConfig();
    void chooseWhereToSave();
    QString folderShown() const;
    DataSource openData() const;
    QList<ExportItem> gateItems(const std::string &manifestJson) const;

    TrainingController m_training;
    EpochModel m_epochs;
    TrainingSettings *m_settings = nullptr;
    TrainingChart *m_chart = nullptr;
    GateView *m_gates = nullptr;
    QTabWidget *m_tabs = nullptr;
    ExperimentView *m_experiment = nullptr;
    QTableView *m_table = nullptr;
    QPushButton *m_start = nullptr;
    QPushButton *m_stop = nullptr;
    QPushButton *m_open = nullptr;
    QLabel *m_reason = nullptr;
    QLabel *m_status = nullptr;
    QLabel *m_detail = nullptr;
    QLabel *m_warnings = nullptr;
    ErrorLabel *m_error = nullptr;
    QList<QWidget *> m_whenIdle; ///< what a running training does not allow
    QTimer m_lookTimer;
    QString m_fileError;
    bool m_epochAsked = false; ///< an error of the model is about what was asked for here
};

} // namespace headscope
