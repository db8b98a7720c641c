#include "app/cli/measuring.h"

namespace headscope::cli {

Measuring::Measuring(const CommonArguments &arguments, Context &context, bool needsReferences)
    : m_context(context), m_output(arguments.output), m_data(arguments.data)
{
    context.setQuiet(arguments.output.quiet);
    checkData(arguments.data, needsReferences);
    checkWritable(arguments.output);
    m_session = context.open(arguments.model);
    m_mask = maskOf(arguments.mask, "--mask");
    context.load(*m_session, arguments.data);
}

void Measuring::loadSecond(const std::vector<std::string> &files, const char *option) const
{
    if (!files.empty())
        m_context.load(*m_session, secondData(files, m_data, option), Domain::Out);
}

HeadMask Measuring::maskOf(const std::string &text, const char *option) const
{
    return checkedMask(text, m_session->card().layout, option);
}

} // namespace headscope::cli
