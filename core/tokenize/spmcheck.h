#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace headscope {

/// Looks through a SentencePiece model (a serialized ModelProto) before the library gets it: lengths within bounds,
/// pieces that are non-empty UTF-8, exactly one unknown piece, and normalisation tables whose links stay
/// inside, which the library itself follows unchecked.
Result<Done> checkSentencePieceModel(std::string_view bytes, const std::string &name);

/// Whether every link of a normalisation table (precompiled_charsmap) stays inside; an empty one is fine.
bool isSafeCharsMap(std::string_view map);

} // namespace headscope
