#pragma once

#include "core/analysis/input.h"

namespace headscope {

/// Attention and direct contributions of every head on repeated random tokens (Elhage et al. 2021, Olsson et al. 2022).
/// Copying is measured of decoders that say tokens: what the head adds to the logits by itself, through the norms after
/// it as they were in the run and before a cap of logits; queries whose largest weight is on a special token are left
/// out. Refuses encoder-decoders. Nothing is published before the end.
DetectResult compute(const DetectSpec &spec, AnalysisInput &input, Manifest manifest, const JobControl &control,
                     const Publish<DetectResult> &publish);

} // namespace headscope
