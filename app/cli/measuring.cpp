#include "app/cli/measuring.h"

#include "app/cli/forecast.h"
#include "core/analysis/analyses.h"

#include <nlohmann/json.hpp>

namespace headscope::cli {

Measuring::Measuring(const CommonArguments &arguments, Context &context, const Requirements &requirements)
    : m_context(context), m_output(arguments.output), m_data(drawn(arguments.data, arguments.run)),
      m_secondReading(arguments.secondReading), m_dryRun(arguments.dryRun)
{
    context.setQuiet(arguments.output.quiet);
    if (requirements.data)
        checkData(m_data, requirements.references);
    std::vector<std::string> inputs = inputsOf(arguments);
    inputs.insert(inputs.end(), requirements.inputs.begin(), requirements.inputs.end());
    checkWritable(m_output, inputs);
    ModelArguments model = arguments.model;
    if (m_dryRun) // what it computes is no result's
        model.workFolder = kNoWorkFolder;
    m_session = context.open(model);
    checkDecoding(arguments.run, m_session->card());
    m_data = withTaskPrefix(std::move(m_data), arguments.run, m_session->card());
    m_mask = maskOf(arguments.mask, "--mask");
    if (requirements.data)
        context.load(*m_session, m_data);
}

void Measuring::loadSecond(const std::vector<std::string> &files, const char *option) const
{
    checkWritable(m_output, files);
    if (!files.empty())
        m_context.load(*m_session,
                       secondData(files, readBy(m_secondReading, m_data), ("--" + std::string(option)).c_str()),
                       Domain::Out);
}

void Measuring::writeForecast(const AnySpec &spec) const
{
    const AnySpec keepingNothing = spec.changed([](auto &own) {
        if constexpr (requires { own.journal; })
            own.journal.clear();
        if constexpr (requires { own.keep; })
            own.keep.clear();
    });
    const Forecast found = forecast(*m_session, keepingNothing, *m_dryRun, m_context.stop());
    m_context.note(textOf(found));
    writeText(m_output, jsonText(toJson(found)) + "\n");
}

HeadMask Measuring::maskOf(const std::string &text, const char *option) const
{
    return checkedMask(text, m_session->card().layout, option);
}

} // namespace headscope::cli
