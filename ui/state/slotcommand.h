#pragma once

#include "ui/state/studycontroller.h"

#include <QUndoCommand>

namespace headscope {

/// Other data in a slot, or none: undone, the old data come back with all that was computed on them.
class SlotCommand final : public QUndoCommand
{
public:
    /// After the change was made; `before` is what was there.
    SlotCommand(StudyController &controller, Domain domain, SlotContent before, const QString &text);

    void undo() override;
    void redo() override;

private:
    void exchange();

    StudyController &m_controller;
    Domain m_domain;
    SlotContent m_other; ///< what is not in the slot now
    bool m_made = true;  ///< pushing a command redoes it, but the change is there already
};

} // namespace headscope
