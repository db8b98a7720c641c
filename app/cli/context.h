#pragma once

#include "app/cli/options.h"
#include "app/cli/progressline.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace headscope::cli {

/// The environment of a running command: cancellation, progress, notes.
class Context
{
public:
    /// `words`: of the call, without the program's name.
    Context(std::stop_token stop, std::vector<std::string> words, ProgressForm form = ProgressForm::Text)
        : m_stop(std::move(stop)), m_words(std::move(words)), m_form(form)
    {
    }

    const std::vector<std::string> &words() const { return m_words; }
    const std::stop_token &stop() const { return m_stop; }

    void setQuiet(bool quiet) { m_quiet = quiet; }
    JobControl control();
    /// A line on standard error that is no error.
    void note(const std::string &text);
    /// A fact for programs that read this one's progress: a line {"name": value}, nothing in the form for
    /// people.
    void writeProgramLine(const char *name, const nlohmann::json &value);

    /// Opens the model, and prints its warnings.
    std::shared_ptr<Session> open(const ModelArguments &model);
    /// Fills a slot, and prints warnings.
    DataCard load(Session &session, const DataSource &data, Domain domain = Domain::In);

private:
    std::stop_token m_stop;
    std::vector<std::string> m_words;
    ProgressForm m_form;
    bool m_quiet = false;
    std::unique_ptr<ProgressLine> m_progress;
};

} // namespace headscope::cli
