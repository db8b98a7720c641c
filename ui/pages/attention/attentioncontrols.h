#pragma once

#include <QJsonObject>
#include <QWidget>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;

namespace headscope {

/// How the attention of a sentence is shown.
enum class AttentionView {
    HeatMap, ///< of the current head
    Lines,   ///< of the selected heads (Vig 2019, head view)
    Maps,    ///< thumbnails of all heads (Vig 2019, model view)
    Neurons, ///< vectors and scores of the current head (Vig 2019, neuron view)
};

/// What the colours of a heat map go by.
enum class AttentionScale {
    One,     ///< 0 to 1
    Largest, ///< 0 to the largest weight that is shown
    Row,     ///< each row to its own largest
};

/// What is shown of attention and how: the boxes over the picture.
class AttentionControls final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AttentionControls)
public:
    explicit AttentionControls(QWidget *parent);

    AttentionView view() const;
    void setView(AttentionView view);
    /// The state for a study: what differs from a new window.
    QJsonObject arrangement() const;
    void setArrangement(const QJsonObject &arrangement);
    QComboBox &viewBox() { return *m_view; }
    QComboBox &headBox() { return *m_head; }
    QComboBox &targetBox() { return *m_target; }   ///< the decoder's output; for translation
    QComboBox &pairBox() { return *m_pair; }       ///< which text attends to which; for classifiers
    QComboBox &measureBox() { return *m_measure; } ///< weights, or norm-weighted
    QComboBox &scaleBox() { return *m_scale; }     ///< of the heat map
    AttentionScale scale() const;
    QDoubleSpinBox &leastBox() { return *m_least; } ///< weights below it have no line
    QCheckBox &joinBox() { return *m_join; }
    QCheckBox &hideBox() { return *m_hide; }
    QCheckBox &treeBox() { return *m_tree; } ///< where the source has a dependency tree
    bool isBeside() const;
    QCheckBox &besideBox() { return *m_beside; } ///< what is shown stays beside what comes next

Q_SIGNALS:
    /// The thumbnails of all heads are to be shown, to choose one.
    void pickerRequested();
    /// Another way to show the same attention.
    void changed();
    void besideToggled(bool on);

private:
    void makeBoxes();
    void makeChecks();
    void enableRelevantControls();

    QComboBox *m_view = nullptr;
    QComboBox *m_head = nullptr;
    QComboBox *m_target = nullptr;
    QComboBox *m_pair = nullptr;
    QComboBox *m_measure = nullptr;
    QComboBox *m_scale = nullptr;
    QLabel *m_leastLabel = nullptr;
    QDoubleSpinBox *m_least = nullptr;
    QCheckBox *m_join = nullptr;
    QCheckBox *m_hide = nullptr;
    QCheckBox *m_tree = nullptr;
    QCheckBox *m_beside = nullptr;
};

} // namespace headscope
