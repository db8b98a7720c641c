#pragma once

#include "core/session/session.h"

#include <string>

namespace headscope {

/// Throws Failure if the model has no head for `analysis` to measure.
inline void requireHeads(const ModelCard &model, const std::string &analysis)
{
    if (model.layout.size() == 0)
        throw Failure(badInput(model.folder.string()
                               + ": the model has no attention heads left, so there is nothing "
                                 "for "
                               + analysis + " to look at; evaluate and predict work"));
}

} // namespace headscope
