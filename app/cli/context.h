#pragma once

#include "app/cli/options.h"
#include "app/cli/progressline.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace headscope::cli {

/// What a running command has at hand: cancellation, progress, notes.
class Context
{
public:
    explicit Context(std::stop_token stop) : m_stop(std::move(stop)) {}

    void setQuiet(bool quiet) { m_quiet = quiet; }
    JobControl control();
    /// A line on standard error that is no error.
    void note(const std::string &text);

    /// Opens the model, and prints its warnings.
    std::shared_ptr<Session> open(const ModelArguments &model);
    /// Fills a slot, and prints warnings.
    DataCard load(Session &session, const DataSource &data, Domain domain = Domain::In);

private:
    std::stop_token m_stop;
    bool m_quiet = false;
    std::unique_ptr<ProgressLine> m_progress;
};

} // namespace headscope::cli
