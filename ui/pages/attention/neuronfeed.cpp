#include "ui/pages/attention/neuronfeed.h"

#include "ui/jobs/jobqueue.h"

namespace headscope {

NeuronFeed::NeuronFeed(JobQueue &queue, QObject *parent) : QObject(parent), m_queue(queue) { }

std::shared_ptr<const NeuronResult> NeuronFeed::neurons(const Request &request)
{
    if (!request.session || m_asked == request)
        return m_neurons;
    m_asked = request;
    m_neurons.reset();
    m_error.clear();
    const JobSpec spec{tr("Neurons of %1").arg(QString::fromStdString(toText(request.head))), QStringLiteral("neurons"),
                       JobLane::Interactive};
    m_queue.start<NeuronResult>(
        spec,
        [request](const JobControl &control) {
            return request.session->neurons(*request.attention, request.head, request.mask, control);
        },
        this,
        [this, request](const Result<NeuronResult> &result) {
            if (m_asked != request)
                return;
            if (result.isCancelled()) { // asked for again when it is looked at again
                m_asked.reset();
                return;
            }
            if (result.isError())
                m_error = QString::fromStdString(result.error().message);
            else
                m_neurons = std::make_shared<const NeuronResult>(result.value());
            Q_EMIT ready();
        });
    return nullptr;
}

} // namespace headscope
