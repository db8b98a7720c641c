#pragma once

#include "core/tokenize/tokenizer.h"

#include <memory>

namespace headscope {

/// T5, mT5, Flan-T5: tokenizer.json, or the pieces of spiece.model with <extra_id_99> … <extra_id_0> after them.
Result<std::unique_ptr<Tokenizer>> openT5Tokenizer(const TokenizerFiles &files);

} // namespace headscope
