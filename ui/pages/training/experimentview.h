#pragma once

#include "ui/exporting/exporter.h"
#include "ui/pages/training/experimentmodel.h"
#include "ui/state/studystate.h"

#include <QWidget>

#include <functional>
#include <vector>

class QComboBox;
class QLabel;
class QLayout;
class QLineEdit;
class QPushButton;
class QTableView;

namespace headscope {

class ErrorLabel;
class LineChart;

/// Several runs that differ in one thing, trained one after the other: what is varied, a chart and a table that grow.
/// What is not varied is what the form of the page says.
class ExperimentView final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ExperimentView)
public:
    /// `form`: the form's configuration.
    ExperimentView(StudyState &state, JobQueue &queue, std::function<TrainingConfig()> form, QWidget *parent = nullptr);

    /// The form changed: shows the runs that are in its output folder already. `problem`: why it cannot be trained;
    /// empty: it can.
    void refreshForm(const QString &problem);

    Varied varied() const;
    void setVaried(Varied varied);
    QLineEdit &values() { return *m_values; }
    QPushButton &startButton() { return *m_start; }
    QPushButton &stopButton() { return *m_stop; }
    /// Whether there is anything of its runs.
    bool hasBegun() const;
    ExperimentController &experiment() { return m_experiment; }
    ExperimentModel &model() { return m_model; }
    LineChart &chart() { return *m_chart; }
    QList<ExportItem> exportItems() const;

Q_SIGNALS:
    /// The epoch that a run is judged by is to be opened.
    void openRequested(const QString &folder);
    void changed();

protected:
    void showEvent(QShowEvent *event) override;

private:
    QLayout *makeChoices();
    QWidget *makeResults();
    void connectAll();
    void lookAgain();
    void refresh();
    QString numberName() const;
    Result<std::vector<ExperimentRun>> wanted() const;

    StudyState &m_state;
    std::function<TrainingConfig()> m_form;
    ExperimentController m_experiment;
    ExperimentModel m_model;
    QString m_problem;
    QComboBox *m_varied = nullptr;
    QLineEdit *m_values = nullptr;
    QPushButton *m_start = nullptr;
    QPushButton *m_stop = nullptr;
    QLabel *m_reason = nullptr;
    ErrorLabel *m_error = nullptr;
    LineChart *m_chart = nullptr;
    LineChart *m_spread = nullptr; ///< of runs whose heads begin differently
    QTableView *m_table = nullptr;
};

} // namespace headscope
