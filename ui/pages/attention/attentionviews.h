#pragma once

#include "core/results/attentionresult.h"
#include "ui/pages/attention/attentioncontrols.h"

#include <QWidget>

#include <memory>
#include <optional>

class QComboBox;
class QLabel;
class QStackedWidget;

namespace headscope {

class HeadLinesView;
class HeadStrip;
class HeatMapView;
class JobQueue;
class MapsView;
class NeuronFeed;
class NeuronView;
class RolloutFeed;

/// All views of the attention of one sentence, one of which is seen, and what has to be computed for them.
class AttentionViews final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AttentionViews)
public:
    AttentionViews(JobQueue &queue, QWidget *parent);

    /// Null: none was computed yet.
    const std::shared_ptr<const AttentionResult> &attention() const { return m_attention; }
    void setAttention(std::shared_ptr<const AttentionResult> attention) { m_attention = std::move(attention); }
    /// The heads that were masked while it was computed.
    HeadMask mask() const;
    void setView(AttentionView view);
    /// Over the views; empty: nothing.
    void setHeading(const QString &text);
    QString heading() const;
    void setEmptyText(const QString &text);
    /// The heads that it can show whatever head is current; empty: it always shows that one.
    void setHeads(const HeadLayout &layout);
    /// Of its own; nothing: the current one.
    std::optional<HeadRef> ownHead() const;
    QComboBox &ownHeadBox() const { return *m_ownHead; }

    HeatMapView &heatMap() const { return *m_heatMap; }
    HeadStrip &strip() const { return *m_strip; }
    HeadLinesView &lines() const { return *m_lines; }
    MapsView &maps() const { return *m_maps; }
    NeuronView &neurons() const { return *m_neurons; }
    RolloutFeed &rollouts() const { return *m_rollouts; }
    NeuronFeed &neuronFeed() const { return *m_neuronFeed; }

Q_SIGNALS:
    void ownHeadChanged();

private:
    std::shared_ptr<const AttentionResult> m_attention;
    HeadLayout m_heads;
    QComboBox *m_ownHead = nullptr;
    QLabel *m_heading = nullptr;
    QStackedWidget *m_views = nullptr; ///< in the order of AttentionView
    HeatMapView *m_heatMap = nullptr;
    HeadStrip *m_strip = nullptr;
    HeadLinesView *m_lines = nullptr;
    MapsView *m_maps = nullptr;
    NeuronView *m_neurons = nullptr;
    RolloutFeed *m_rollouts = nullptr;
    NeuronFeed *m_neuronFeed = nullptr;
};

} // namespace headscope
