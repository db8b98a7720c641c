#include "ui/state/discardcommand.h"

#include "ui/state/domainjobs.h"

#include <utility>

namespace headscope {

DiscardCommand::DiscardCommand(StudyState &state, std::function<void()> modified, const QString &text)
    : QUndoCommand(text), m_state(state), m_modified(std::move(modified))
{
}

void DiscardCommand::undo()
{
    for (const Domain domain : kBothDomains)
        m_state.putBack(domain, std::exchange(m_removed[slotOf(domain)], {}));
    m_modified();
}

void DiscardCommand::redo()
{
    for (const Domain domain : kBothDomains)
        m_removed[slotOf(domain)] = m_state.takeStaleResults(domain);
    m_modified();
}

} // namespace headscope
