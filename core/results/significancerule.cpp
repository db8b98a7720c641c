#include "core/results/significancerule.h"

#include <fmt/format.h>

namespace headscope {

std::string SignificanceRule::fileText() const
{
    const char *name = correction == Correction::Holm ? "Holm"
                     : correction == Correction::None ? "not adjusted"
                                                      : "Benjamini-Hochberg";
    return fmt::format("p ≤ {:.2f}, {}", level, name);
}

} // namespace headscope
