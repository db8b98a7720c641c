#include "ui/state/slotcommand.h"

#include <utility>

namespace headscope {

SlotCommand::SlotCommand(StudyController &controller, Domain domain, SlotContent before, const QString &text)
    : QUndoCommand(text), m_controller(controller), m_domain(domain), m_other(std::move(before))
{
}

void SlotCommand::undo()
{
    exchange();
}

void SlotCommand::redo()
{
    if (!std::exchange(m_made, false))
        exchange();
}

void SlotCommand::exchange()
{
    m_other = m_controller.exchangeSlot(m_domain, std::move(m_other));
}

} // namespace headscope
