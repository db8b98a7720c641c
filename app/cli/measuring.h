#pragma once

#include "app/cli/output.h"
#include "core/analysis/anyspec.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::cli {

/// The conditions that a command puts on its arguments before it reads anything.
struct Requirements
{
    bool data = true; ///< false: the model alone is measured
    bool references = true;
    std::vector<std::string> inputs{}; ///< files that the result must not replace, beside data and model
};

/// The first steps of commands that measure a model over a data set: check what can be checked without reading, open
/// the model, read the mask, read the data.
class Measuring
{
public:
    /// Throws Failure.
    Measuring(const CommonArguments &arguments, Context &context, const Requirements &requirements = {});

    Session &session() const { return *m_session; }
    const HeadMask &mask() const { return m_mask; }
    const OutputArguments &output() const { return m_output; }
    /// Whether the time of a result is wanted in its place.
    bool dryRun() const { return m_dryRun.has_value(); }
    Context &context() const { return m_context; }
    /// A mask of another option. Throws Failure.
    HeadMask maskOf(const std::string &text, const char *option) const;

    /// Reads a second data set, given by its files after --`option`, into the other slot; without files there is none.
    /// Throws Failure.
    void loadSecond(const std::vector<std::string> &files, const char *option) const;

    /// Writes the time and memory that the analysis takes. Throws Failure.
    void writeForecast(const AnySpec &spec) const;

    /// `run(control, publish)` is the analysis; its result is written, also the part that there is when it is
    /// cancelled.
    template<typename T, typename Run>
    T write(Run run) const
    {
        T result = runAndWrite<T>(m_context, m_output,
                                  [&](const Publish<T> &publish) { return run(m_context.control(), publish); });
        m_session->release({result.manifest.key()}); // it is written down
        return result;
    }

private:
    Context &m_context;
    const OutputArguments &m_output;
    DataSource m_data;
    std::vector<std::string> m_secondReading;
    std::shared_ptr<Session> m_session;
    HeadMask m_mask;
    std::optional<double> m_dryRun;
};

} // namespace headscope::cli
