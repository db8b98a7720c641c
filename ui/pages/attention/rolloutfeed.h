#pragma once

#include "core/results/attentionresult.h"
#include "core/results/rolesresult.h"

#include <QObject>

#include <memory>
#include <optional>
#include <vector>

namespace headscope {

class JobQueue;

/// Attention rollout through the layers of a sentence, as a job: of 512 tokens it takes longer than a frame.
class RolloutFeed final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RolloutFeed)
public:
    RolloutFeed(JobQueue &queue, QObject *parent);

    struct Request
    {
        std::shared_ptr<const AttentionResult> attention;
        HeadKind kind = HeadKind::Encoder;
        AttentionMeasure measure = AttentionMeasure::Weights;
        int layers = 0; ///< the first ones

        bool operator==(const Request &) const = default;
    };
    /// [T · T], see attentionRollout(). Null: it is being computed now, and ready() follows.
    std::shared_ptr<const std::vector<float>> weights(const Request &request);

Q_SIGNALS:
    void ready();

private:
    JobQueue &m_queue;
    std::optional<Request> m_asked;
    std::shared_ptr<const std::vector<float>> m_weights; ///< of m_asked
};

} // namespace headscope
