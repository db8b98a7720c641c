#pragma once

#include "core/results/attentionresult.h"
#include "core/results/neuronresult.h"
#include "core/session/session.h"

#include <QObject>

#include <memory>
#include <optional>

namespace headscope {

class JobQueue;

/// What the neuron view shows of a head and a sentence, as a job: a pass through the model up to the head.
class NeuronFeed final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(NeuronFeed)
public:
    NeuronFeed(JobQueue &queue, QObject *parent);

    struct Request
    {
        std::shared_ptr<Session> session;
        std::shared_ptr<const AttentionResult> attention; ///< of the sentence
        HeadRef head{};
        HeadMask mask{};

        bool operator==(const Request &) const = default;
    };
    /// Null: it is being computed now, and ready() follows; or there is nothing, as error() says.
    std::shared_ptr<const NeuronResult> neurons(const Request &request);
    /// The same without asking for them: null unless they are there.
    std::shared_ptr<const NeuronResult> known(const Request &request) const
    {
        return m_asked == request ? m_neurons : nullptr;
    }
    const QString &error() const { return m_error; }

Q_SIGNALS:
    void ready();

private:
    JobQueue &m_queue;
    std::optional<Request> m_asked;
    std::shared_ptr<const NeuronResult> m_neurons; ///< of m_asked
    QString m_error;                               ///< of m_asked
};

} // namespace headscope
