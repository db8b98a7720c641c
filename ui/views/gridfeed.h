#pragma once

#include "ui/models/headgridmodel.h"
#include "ui/state/studystate.h"

#include <optional>

namespace headscope {

/// The value of each head for `measure` on `view`; without values where nothing is computed.
GridContent gridContent(const StudyState &state, Measure measure, DomainView view);
/// What grids show: the same, or the ablation of key groups where cells are these (StudyState::gridUnit()).
GridContent shownContent(const StudyState &state, Measure measure, DomainView view);

/// Makes a model show the study as it is: its measure and mask, and its domain view or a fixed one, for grids side by
/// side.
void feedGrid(const StudyState &state, HeadGridModel &model, std::optional<DomainView> fixedView = {});

} // namespace headscope
