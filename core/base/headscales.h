#pragma once

#include "core/base/headref.h"

#include <map>

namespace headscope {

/// Factors of heads that are neither off nor left as they are: what multiplies a head's context. A head that is not
/// listed has 1.
using HeadScales = std::map<HeadRef, double>;

/// The factor of a head's context: 0 where it is masked, else its factor.
inline float headFactor(const HeadRef &head, const HeadMask &mask, const HeadScales &scales)
{
    if (mask.isMasked(head))
        return 0;
    const auto found = scales.find(head);
    return found == scales.end() ? 1.0F : static_cast<float>(found->second);
}

} // namespace headscope
