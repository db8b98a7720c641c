#pragma once

#include "core/results/study.h"
#include "core/session/session.h"

#include <QString>

#include <map>
#include <memory>

namespace headscope {

/// The finished results of one data slot by kind and settings: what is saved, partial ones are not.
using FinishedResults = std::map<QString, std::shared_ptr<const AnyResult>>;

/// Cards as a study keeps them, and back.
StudyModel studyModel(const ModelCard &card, const ModelOptions &options);
ModelCard modelCard(const StudyModel &model);
StudyData studyData(const DataCard &card);
DataCard dataCard(const StudyData &data);

std::vector<AnyResult> resultList(const FinishedResults &finished);

} // namespace headscope
