#pragma once

#include "ui/models/speedmodel.h"
#include "ui/state/studycontroller.h"

#include <QDialog>

#include <optional>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QRadioButton;
class QTableView;

namespace headscope {

class ErrorLabel;

/// How and where to save the model without its masked heads: in which form, whether compensated; its size; and its
/// speed, measured by a job on demand.
class SavePrunedDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SavePrunedDialog)
public:
    /// `startFolder`: in which the new folder is proposed. Precondition: a session, and at least one masked head.
    SavePrunedDialog(StudyState &state, StudyController &controller, const QString &startFolder,
                     QWidget *parent = nullptr);

    ExportForm form() const;
    std::optional<Domain> compensation() const;
    QString folder() const;

    void setForm(ExportForm form);
    QCheckBox &compensateBox() { return *m_compensate; }
    QLineEdit &folderEdit() { return *m_folder; }
    QPushButton &saveButton() { return *m_save; }
    QPushButton &measureButton() { return *m_measure; }
    SpeedModel &speedModel() { return m_speed; }
    QString summary() const;
    QString problem() const; ///< why it cannot be saved like this; empty: it can

Q_SIGNALS:
    /// The writing has been started.
    void saving(const QString &folder, headscope::ExportForm form);

public Q_SLOTS:
    void accept() override;

private:
    QWidget *makeForm();
    QWidget *makeTarget(const QString &startFolder);
    QWidget *makeSpeed();
    void askForCard();
    void connectAll();
    void browse();
    void measureOrCancel();
    void refresh();
    void refreshSpeed();
    const JobInfo *speedJob() const;
    bool isElsewhere() const; ///< the model is on another machine

    StudyState &m_state;
    StudyController &m_controller;
    PrunedCard m_card;
    SpeedModel m_speed;
    std::vector<JobInfo> m_jobs; ///< as last reported by the queue
    QLabel *m_summary = nullptr;
    QLabel *m_warnings = nullptr;
    QLabel *m_fullNote = nullptr;
    QLabel *m_smallNote = nullptr;
    QRadioButton *m_small = nullptr;
    QRadioButton *m_full = nullptr;
    QCheckBox *m_compensate = nullptr;
    QComboBox *m_reference = nullptr;
    QLineEdit *m_folder = nullptr;
    ErrorLabel *m_problem = nullptr;
    QTableView *m_table = nullptr;
    QLabel *m_speedNote = nullptr;
    ErrorLabel *m_speedError = nullptr;
    QComboBox *m_speedData = nullptr;
    QPushButton *m_measure = nullptr;
    QPushButton *m_save = nullptr;
};

} // namespace headscope
