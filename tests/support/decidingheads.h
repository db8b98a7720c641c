#pragma once

#include "tests/support/rewrittentensors.h"
#include "tests/support/tinyclassifier.h"

#include <torch/types.h>

#include <filesystem>
#include <string>

namespace headscope::testing {

/// When a model says label 1: of two heads that it has, …
enum class Deciding {
    Same,   ///< both or none
    Either, ///< one at least
    Both,
};

/// Writes a classifier of one layer with four heads, of which heads 0 and 1 alone decide, whatever it reads. A large
/// constant beside them keeps the norms from changing.
inline void writeDecidingHeads(const std::filesystem::path &folder, Deciding when)
{
    writeTinyClassifier(folder, {.layers = 1, .heads = 4, .width = 16});
    rewriteTensors(folder, [&](const std::string &name, torch::Tensor &tensor) {
        tensor.zero_();
        const auto is = [&](const char *end) { return name.ends_with(end); };
        if (is("embeddings.LayerNorm.bias")) { // what one head, or both, lift above zero; and the constant
            tensor[0] = when == Deciding::Either ? -0.5 : when == Deciding::Both ? -1.5 : -1.0;
            tensor[14] = 30;
            tensor[15] = -30;
        } else if (is("LayerNorm.weight") && !is("embeddings.LayerNorm.weight")) {
            tensor.fill_(1);
        } else if (is("self.value.bias")) {
            tensor[0] = 1;
            tensor[4] = 1;
        } else if (is("attention.output.dense.weight")) { // each head adds one
            tensor[0][0] = 1;
            tensor[0][4] = 1;
        } else if (is("intermediate.dense.weight")) { // what is above zero, or the absolute value
            tensor[0][0] = 100;
            if (when == Deciding::Same)
                tensor[1][0] = -100;
        } else if (is("layer.0.output.dense.weight")) {
            tensor[1][0] = 1;
            tensor[1][1] = 1;
        } else if (is("pooler.dense.weight")) {
            tensor[1][1] = 1;
        } else if (is("classifier.weight")) {
            tensor[1][1] = 10;
        } else if (is("classifier.bias")) {
            tensor[1] = -5;
        }
    });
}

} // namespace headscope::testing
