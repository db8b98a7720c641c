#pragma once

#include <QJsonObject>
#include <QWidget>

class QCheckBox;
class QComboBox;

namespace headscope {

/// How the attention of a sentence is shown.
enum class AttentionView {
    HeatMap, ///< of the current head
    Lines,   ///< of the selected heads (Vig 2019, head view)
    Maps,    ///< thumbnails of all heads (Vig 2019, model view)
    Neurons, ///< vectors and scores of the current head (Vig 2019, neuron view)
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
    QCheckBox &joinBox() { return *m_join; }
    QCheckBox &hideBox() { return *m_hide; }
    QCheckBox &treeBox() { return *m_tree; }     ///< where the source has a dependency tree
    QCheckBox &besideBox() { return *m_beside; } ///< what is shown stays beside what comes next

Q_SIGNALS:
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
    QCheckBox *m_join = nullptr;
    QCheckBox *m_hide = nullptr;
    QCheckBox *m_tree = nullptr;
    QCheckBox *m_beside = nullptr;
};

} // namespace headscope
