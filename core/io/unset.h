#pragma once

#include <nlohmann/json.hpp>

namespace headscope {

/// A setting that asks for nothing: null, false, an empty list or object.
inline bool isUnset(const nlohmann::json &value)
{
    return value.is_null() || value == false || (value.is_structured() && value.empty());
}

} // namespace headscope
