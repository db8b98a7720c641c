#pragma once

#include "core/model/family.h"

namespace headscope {

/// Labels and kind of problem that config.json gives to a classifier; the rest as ClassifierSpec has it.
ClassifierSpec readClassifier(const nlohmann::json &config, ConfigReader &keys);

/// How a family that generates classifies texts where it was trained for that.
enum class DecoderHead {
    None,   ///< not at all
    Linear, ///< "score", of the last token that is no padding
    Dense,  ///< "classification_head": a dense layer, tanh and another, of the decoder's state at the last end token
};

/// Puts the head on the decoder that "architectures" speaks of: a classifier, or none, so that it generates. Fails the
/// reader for heads of other tasks.
void readDecoderHead(const nlohmann::json &config, DecoderHead classifies, TransformerSpec &spec, ConfigReader &keys);

} // namespace headscope
