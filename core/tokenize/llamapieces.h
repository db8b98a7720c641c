#pragma once

#include "core/tokenize/spmfile.h"
#include "core/tokenize/tokenizersettings.h"

#include <nlohmann/json.hpp>

#include <string>

namespace headscope {

/// The tokenizer.json of Llama's pieces, all but what stands around a text; `file` has one unknown piece. Errors call
/// the pieces `name`.
Result<nlohmann::json> llamaJson(const TokenizerFiles &files, const SpmFile &file, const std::string &name);

} // namespace headscope
