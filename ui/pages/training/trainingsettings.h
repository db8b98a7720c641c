#pragma once

#include "core/session/session.h"
#include "ui/jobs/jobqueue.h"
#include "ui/pages/training/trainingfields.h"

#include <QList>
#include <QScrollArea>

#include <cstdint>
#include <initializer_list>
#include <optional>

class QFormLayout;
class QGroupBox;
class QLabel;
class QToolButton;

namespace headscope {

class DataSlotEdit;
class GateSettings;

/// Roughly how many parameters a new model of these sizes has.
std::int64_t approximateParameters(const ModelSizes &model, const VocabularyConfig &vocabulary);

/// The form of a training run: everything a TrainingConfig says.
class TrainingSettings final : public QScrollArea
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TrainingSettings)
public:
    explicit TrainingSettings(JobQueue &queue, QWidget *parent = nullptr);

    void setConfig(const TrainingConfig &config);
    TrainingConfig config() const;
    /// What is wrong with the form before the configuration is looked at; empty when nothing is.
    QString problem() const;
    /// The model that is open in the window and its data, offered to go on from and to validate on; none: nothing is
    /// open.
    void setOpenModel(const std::optional<ModelCard> &model, const DataSource &data);
    /// While a run goes on its configuration is only read.
    void setLocked(bool locked);

    QSize minimumSizeHint() const override;

    QLineEdit &outputEdit() { return *m_output; }
    DataSlotEdit &trainData() { return *m_train; }
    DataSlotEdit &validationData() { return *m_validation; }
    QComboBox &presetBox() { return *m_preset; }
    QComboBox &beginBox() { return *m_begin; }
    QToolButton &useOpenButton() { return *m_useOpen; }
    GateSettings &gates() { return *m_gates; }

Q_SIGNALS:
    void changed();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QWidget *makeRunGroup();
    QWidget *makeDataGroups();
    QWidget *makeModelGroup();
    QWidget *makeLearningGroup();
    QWidget *makeMoreButton();
    QWidget *makeMore();
    void addOptimizer(QFormLayout &form);
    void addRunning(QFormLayout &form);
    QFormLayout *makeForm(QWidget *parent) const;
    QWidget *makeFolderRow(QLineEdit *edit, const QString &dialogTitle);
    QWidget *inRow(std::initializer_list<QWidget *> widgets);
    void alignLabels();
    void onEdited();
    void usePreset(int index);
    void useOpen();
    void refreshModel();

    JobQueue &m_queue;
    TrainingFields m_fields;
    TrainingConfig m_given; ///< as set: what has no field stays
    bool m_updating = false;
    std::optional<ModelCard> m_openModel;
    DataSource m_openData;
    QWidget *m_content = nullptr;
    QLineEdit *m_output = nullptr;
    QComboBox *m_begin = nullptr; ///< a new model, a trained one, or its shape
    QLineEdit *m_startFrom = nullptr;
    QWidget *m_startRow = nullptr;
    QToolButton *m_useOpen = nullptr;
    DataSlotEdit *m_train = nullptr;
    DataSlotEdit *m_validation = nullptr;
    QGroupBox *m_model = nullptr;
    GateSettings *m_gates = nullptr;
    QList<QWidget *> m_ofTranslation; ///< fields that classifiers have no use for
    QComboBox *m_preset = nullptr;
    QLabel *m_parameters = nullptr;
    QToolButton *m_more = nullptr;
};

} // namespace headscope
