#pragma once

#include "core/data/dataset.h"
#include "core/model/loadmodel.h"
#include "core/session/session.h"
#include "core/task/task.h"
#include "core/tokenize/tokenizer.h"

/// Descriptions of the opened model and data sets.
namespace headscope {

/// `tokenizer`: null if the folder has none. The caller fills in folder, hashes and files.
ModelCard modelCard(const LoadedModel &model, const Tokenizer *tokenizer);

DataCard dataCard(const Dataset &dataset, const Task &task);

} // namespace headscope
