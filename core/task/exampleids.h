#pragma once

#include "core/data/dataset.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// Error for a token id outside a vocabulary, naming data set and row; nothing when all are inside.
Result<Done> checkIds(const std::vector<std::int64_t> &ids, std::int64_t vocabulary, const Dataset &dataset,
                      std::size_t row);
/// A row has a text but the model folder no tokenizer.
Error tokenizerMissing();
/// "NAME: 3 of 200 sources cut to the model's 512 positions."
std::string cutNote(const Dataset &dataset, std::int64_t count, const char *what, std::int64_t positions);

} // namespace headscope
