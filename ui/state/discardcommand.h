#pragma once

#include "ui/state/studystate.h"

#include <QUndoCommand>

#include <array>
#include <functional>
#include <vector>

namespace headscope {

/// Removes the results that are stale; undone, they are back where nothing newer has taken their places.
class DiscardCommand final : public QUndoCommand
{
public:
    /// `modified` hears of every change.
    DiscardCommand(StudyState &state, std::function<void()> modified, const QString &text);

    void undo() override;
    void redo() override;

private:
    StudyState &m_state;
    std::function<void()> m_modified;
    std::array<std::vector<AnyResult>, 2> m_removed;
};

} // namespace headscope
