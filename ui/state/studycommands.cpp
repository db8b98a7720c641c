#include "ui/state/studycommands.h"

#include "ui/state/studystate.h"

#include <utility>

namespace headscope {

SetMaskCommand::SetMaskCommand(StudyState &state, HeadMask mask, const QString &text, int drag)
    : QUndoCommand(text), m_state(state), m_before(state.mask()), m_after(std::move(mask)), m_drag(drag)
{
}

bool SetMaskCommand::mergeWith(const QUndoCommand *other)
{
    const auto *next = static_cast<const SetMaskCommand *>(other); // same id()
    if (m_drag == 0 || next->m_drag != m_drag)
        return false;
    m_after = next->m_after;
    setText(next->text());
    setObsolete(m_after == m_before);
    return true;
}

void SetMaskCommand::undo()
{
    m_state.showMask(m_before);
}

void SetMaskCommand::redo()
{
    m_state.showMask(m_after);
}

SetPinsCommand::SetPinsCommand(StudyState &state, std::set<HeadRef> pins, const QString &text)
    : QUndoCommand(text), m_state(state), m_before(state.pins()), m_after(std::move(pins))
{
}

void SetPinsCommand::undo()
{
    m_state.showPins(m_before);
}

void SetPinsCommand::redo()
{
    m_state.showPins(m_after);
}

SetMetricCommand::SetMetricCommand(StudyState &state, QString metric, const QString &text)
    : QUndoCommand(text), m_state(state), m_before(state.metricName()), m_after(std::move(metric))
{
}

void SetMetricCommand::undo()
{
    m_state.showMetric(m_before);
}

void SetMetricCommand::redo()
{
    m_state.showMetric(m_after);
}

SetRoleThresholdsCommand::SetRoleThresholdsCommand(StudyState &state, RoleThresholds thresholds, const QString &text,
                                                   int drag)
    : QUndoCommand(text), m_state(state), m_before(state.roleThresholds()), m_after(std::move(thresholds)), m_drag(drag)
{
}

bool SetRoleThresholdsCommand::mergeWith(const QUndoCommand *other)
{
    const auto *next = static_cast<const SetRoleThresholdsCommand *>(other); // same id()
    if (next->m_drag != m_drag)
        return false;
    m_after = next->m_after;
    setObsolete(m_after == m_before);
    return true;
}

void SetRoleThresholdsCommand::undo()
{
    m_state.showRoleThresholds(m_before);
}

void SetRoleThresholdsCommand::redo()
{
    m_state.showRoleThresholds(m_after);
}

} // namespace headscope
