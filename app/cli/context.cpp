#include "app/cli/context.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>

namespace headscope::cli {

JobControl Context::control()
{
    if (!m_progress)
        m_progress = std::make_unique<ProgressLine>(!m_quiet, m_form);
    return JobControl(m_stop, [line = m_progress.get()](const Progress &progress) { line->show(progress); });
}

void Context::note(const std::string &text)
{
    if (m_progress)
        m_progress->clear();
    if (m_quiet)
        return;
    if (m_form == ProgressForm::Json)
        writeJsonLine({{"note", text}});
    else
        fmt::print(stderr, "note: {}\n", text);
}

void Context::writeProgramLine(const char *name, const nlohmann::json &value)
{
    if (m_form == ProgressForm::Json && !m_quiet)
        writeJsonLine({{name, value}});
}

std::shared_ptr<Session> Context::open(const ModelArguments &model)
{
    ModelOptions options = model.options;
    options.workFolder = model.workFolder.empty() ? usualWorkFolder() : std::filesystem::path(model.workFolder);
    if (model.workFolder == kNoWorkFolder)
        options.workFolder.clear();
    auto session = Session::open(model.folder, options, control()).valueOrThrow();
    for (const std::string &warning : session->card().warnings)
        note(warning);
    return session;
}

DataCard Context::load(Session &session, const DataSource &data, Domain domain)
{
    auto card = session.setData(domain, data, control()).valueOrThrow();
    for (const std::string &warning : card.warnings)
        note(warning);
    return card;
}

} // namespace headscope::cli
