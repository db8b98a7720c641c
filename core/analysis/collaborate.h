#pragma once

#include "core/analysis/collaboratespec.h"
#include "core/sharing/sharedmodel.h"

#include <cstdint>

namespace headscope {

/// Refuses more shared columns than the heads of the model's widest attention have together. Throws Failure.
void checkWidths(const CollaborateSpec &spec, const Transformer &model);

/// How a spec asks for shared projections of `width` columns, by the first of its methods.
SharedProjections sharedProjections(const CollaborateSpec &spec, std::int64_t width);

} // namespace headscope
