#pragma once

#include "core/tokenize/pipeline/piecemodel.h"

#include <memory>

namespace headscope::pipeline {

/// Wraps a model and caches the pieces of the first ten thousand short words it sees: most words of a text are among
/// them.
std::unique_ptr<PieceModel> makeCachedModel(std::unique_ptr<PieceModel> model);

} // namespace headscope::pipeline
