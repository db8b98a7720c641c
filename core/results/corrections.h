#pragma once

namespace headscope {

struct Manifest;
struct ModelCard;

/// How many corrections of the program's own errors concern the numbers of an analysis of this model. A result with
/// fewer (Manifest::corrections) was written by a version that computed them wrongly: it has another key, and is
/// outdated.
int correctionsOf(const Manifest &result, const ModelCard &model);

} // namespace headscope
