#include "ui/pages/attention/outputfeed.h"

#include "ui/jobs/jobqueue.h"

namespace headscope {

OutputFeed::OutputFeed(JobQueue &queue, QObject *parent) : QObject(parent), m_queue(queue) { }

std::shared_ptr<const AttentionResult> OutputFeed::output(const Request &request)
{
    if (!request.session || m_asked == request)
        return m_output;
    m_asked = request;
    m_output.reset();
    const JobSpec spec{tr("Output without masks"), QStringLiteral("outputWithoutMasks"), JobLane::Interactive};
    m_queue.start<AttentionResult>(
        spec,
        [request](const JobControl &control) {
            return request.session->attention(request.source, request.pair, {}, request.run, control);
        },
        this,
        [this, request](const Result<AttentionResult> &result) {
            if (!(m_asked == request))
                return;
            if (result.isCancelled()) { // asked for again when it is looked at again
                m_asked.reset();
                return;
            }
            if (!result.isError())
                m_output = std::make_shared<const AttentionResult>(result.value());
            Q_EMIT ready();
        });
    return nullptr;
}

} // namespace headscope
