#pragma once

#include "core/data/dataset.h"
#include "core/model/spec.h"
#include "core/tokenize/tokenizer.h"

#include <cstdint>
#include <vector>

namespace headscope {

/// The tokens of an example's text as the model reads them, `ids`, of which `real` are no special ones; where there is
/// no text or tokenizer, the ids alone. Throws Failure.
Encoding encodingOf(const Example &example, const std::vector<std::int64_t> &ids, const std::vector<std::uint8_t> &real,
                    const Tokenizer *tokenizer, const TransformerSpec &spec);

} // namespace headscope
