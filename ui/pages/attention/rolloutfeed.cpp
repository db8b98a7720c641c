#include "ui/pages/attention/rolloutfeed.h"

#include "core/results/rollout.h"
#include "ui/jobs/jobqueue.h"

namespace headscope {

RolloutFeed::RolloutFeed(JobQueue &queue, QObject *parent) : QObject(parent), m_queue(queue) { }

std::shared_ptr<const std::vector<float>> RolloutFeed::weights(const Request &request)
{
    if (m_asked == request)
        return m_weights;
    m_asked = request;
    m_weights.reset();
    const JobSpec spec{tr("Attention rollout"), QStringLiteral("rollout"), JobLane::Interactive};
    m_queue.start<std::vector<float>>(
        spec,
        [request](const JobControl &) -> Result<std::vector<float>> {
            return attentionRollout(*request.attention, request.kind, request.measure, request.layers);
        },
        this,
        [this, request](const Result<std::vector<float>> &result) {
            if (m_asked != request)
                return;
            if (!result.isOk()) { // asked for again when it is looked at again
                m_asked.reset();
                return;
            }
            m_weights = std::make_shared<const std::vector<float>>(result.value());
            Q_EMIT ready();
        });
    return nullptr;
}

} // namespace headscope
