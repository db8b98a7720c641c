#pragma once

#include "core/results/study.h"
#include "core/session/session.h"

#include <string>
#include <vector>

namespace headscope {

/// Cards as a study keeps them, and back.
StudyModel studyModel(const ModelCard &card, const ModelOptions &options);
ModelCard modelCard(const StudyModel &model);
StudyData studyData(const DataCard &card);
DataCard dataCard(const StudyData &data);

/// Of a model folder's files besides the weights; what a manifest says of them.
std::string settingsHash(const ModelCard &card);

/// What results of the study were computed from and is no longer the same in the model or data just opened: names of
/// files, with " (gone)" or " (new)" where it is that; "weights" for those. Empty: all is as it was, as far as an older
/// study can say.
std::vector<std::string> changedFiles(const StudyModel &then, const ModelCard &now);
std::vector<std::string> changedFiles(const StudyData &then, const DataCard &now);

/// Whether a result was computed from other weights or other configuration and tokenizer files than `model` has, or from
/// other data: it is to be marked as stale, not shown as if it were of these. Without `data` only the model is looked at.
bool isStale(const Manifest &result, const ModelCard &model, const DataCard *data = nullptr);

} // namespace headscope
