#include "ui/state/discardcommand.h"

#include <utility>

namespace headscope {

DiscardCommand::DiscardCommand(StudyController &controller, const QString &text)
    : QUndoCommand(text), m_controller(controller)
{
}

void DiscardCommand::undo()
{
    m_controller.putBack(std::exchange(m_removed, {}));
}

void DiscardCommand::redo()
{
    m_removed = m_controller.takeStale();
}

} // namespace headscope
