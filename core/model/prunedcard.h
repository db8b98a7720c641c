#pragma once

#include "core/base/enumnames.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// How a model without some of its heads is written.
enum class ExportForm {
    Full,  ///< in the shape of the unpruned model, those heads giving nothing: every library loads it
    Small, ///< without them: fewer parameters, less work, but few programs know layers of unequal width
};

template<>
struct EnumNames<ExportForm>
{
    static constexpr std::array<std::string_view, 2> values{"full", "small"};
    static constexpr const char *what = "form";
};

/// A model after removing heads, before anything is written.
struct PrunedCard
{
    std::int64_t heads = 0;
    std::int64_t headsLeft = 0;
    std::int64_t parameters = 0;
    std::int64_t parametersLeft = 0; ///< in the small form; the full form has as many as the unpruned model
    std::string smallOpensIn;        ///< which programs load the small form
    std::string fullOpensIn;
    std::vector<std::string> warnings; ///< e.g. cross-attention without heads
};

} // namespace headscope
