#pragma once

#include "ui/state/studystate.h"

#include <QWidget>

#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QSlider;
class QSpinBox;

namespace headscope {

/// Sliders that update the labels of heads while they move; a drag is one undo step.
class RoleThresholdsBox final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RoleThresholdsBox)
public:
    explicit RoleThresholdsBox(StudyState &state, QWidget *parent = nullptr);

    void refresh(); ///< the study's thresholds have changed

private:
    struct Field
    {
        double RoleThresholds::*value;
        QSlider *slider = nullptr;
        QLabel *number = nullptr;
    };
    void addSlider(double RoleThresholds::*value, const QString &name, const QString &tip);
    void addChoices();
    void change(const RoleThresholds &thresholds, bool dragged);

    StudyState &m_state;
    std::vector<Field> m_fields;
    QSpinBox *m_instances = nullptr;
    QComboBox *m_relations = nullptr;
    QPushButton *m_defaults = nullptr;
    bool m_updating = false;
};

} // namespace headscope
