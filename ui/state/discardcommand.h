#pragma once

#include "ui/state/studycontroller.h"

#include <QUndoCommand>

#include <array>
#include <vector>

namespace headscope {

/// Removes the results that are stale; undone, they are back where nothing newer has taken their places.
class DiscardCommand final : public QUndoCommand
{
public:
    DiscardCommand(StudyController &controller, const QString &text);

    void undo() override;
    void redo() override;

private:
    StudyController &m_controller;
    std::array<std::vector<AnyResult>, 2> m_removed;
};

} // namespace headscope
