#pragma once

#include "ui/models/headgridmodel.h"
#include "ui/state/studystate.h"

#include <optional>

namespace headscope {

/// What the grid shows for `measure` on `view`; without values where nothing is computed.
GridContent gridContent(const StudyState &state, Measure measure, DomainView view);

/// Keeps a HeadGridModel showing the study: its measure and mask, and its domain view or a fixed one.
class GridFeed final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(GridFeed)
public:
    /// A fixed view never follows the domain switch: for grids side by side.
    GridFeed(StudyState &state, HeadGridModel &model, std::optional<DomainView> fixedView = {},
             QObject *parent = nullptr);

private:
    void refresh();

    StudyState &m_state;
    HeadGridModel &m_model;
    std::optional<DomainView> m_fixedView;
};

} // namespace headscope
