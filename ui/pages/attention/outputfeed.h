#pragma once

#include "core/results/attentionresult.h"
#include "core/session/session.h"

#include <QObject>

#include <memory>
#include <optional>
#include <string>

namespace headscope {

class JobQueue;

/// What the full model makes of a typed text, as a job: rows of data have their outputs computed with the score.
class OutputFeed final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(OutputFeed)
public:
    OutputFeed(JobQueue &queue, QObject *parent);

    struct Request
    {
        std::shared_ptr<Session> session;
        std::string source;
        std::optional<std::string> pair; ///< second text
        RunOptions run;

        bool operator==(const Request &other) const
        {
            return session == other.session && source == other.source && pair == other.pair;
        }
    };
    /// Null: it is being computed now, and ready() follows; or it cannot be.
    std::shared_ptr<const AttentionResult> output(const Request &request);

Q_SIGNALS:
    void ready();

private:
    JobQueue &m_queue;
    std::optional<Request> m_asked;
    std::shared_ptr<const AttentionResult> m_output; ///< of m_asked
};

} // namespace headscope
