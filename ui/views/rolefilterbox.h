#pragma once

#include "ui/state/studystate.h"

#include <QComboBox>

namespace headscope {

/// "All heads", "Positional (5)", …: dims or leaves out the others everywhere. The roles that the heads have.
class RoleFilterBox final : public QComboBox
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RoleFilterBox)
public:
    explicit RoleFilterBox(StudyState &state, QWidget *parent = nullptr);

    /// Call it when roles, the filter or the domain have changed.
    void refresh();

private:
    StudyState &m_state;
};

} // namespace headscope
