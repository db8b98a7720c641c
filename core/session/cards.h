#pragma once

#include "core/data/dataset.h"
#include "core/model/loadmodel.h"
#include "core/session/session.h"
#include "core/task/task.h"
#include "core/tokenize/tokenizer.h"

/// What a session tells of what it has opened.
namespace headscope {

/// `tokenizer`: null: the folder has none. Folder, hashes and files are left to the caller.
ModelCard modelCard(const LoadedModel &model, const Tokenizer *tokenizer);

DataCard dataCard(const Dataset &dataset, const Task &task);

} // namespace headscope
