#pragma once

#include "core/results/study.h"
#include "core/session/session.h"

namespace headscope {

/// Cards as a study keeps them, and back.
StudyModel studyModel(const ModelCard &card, const ModelOptions &options);
ModelCard modelCard(const StudyModel &model);
StudyData studyData(const DataCard &card);
DataCard dataCard(const StudyData &data);

} // namespace headscope
