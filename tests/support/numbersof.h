#pragma once

#include "core/results/json.h"

#include <string>

namespace headscope::testing {

/// A result as JSON, without when it was computed and how long it took: equal wherever it was.
inline std::string numbersOf(const AnyResult &result)
{
    Json json = toJson(result);
    json["manifest"].erase("created");
    json["manifest"].erase("seconds");
    json.erase("seconds");
    return jsonText(json);
}
template<ResultStruct T>
std::string numbersOf(const T &result)
{
    return numbersOf(borrowed(result));
}

} // namespace headscope::testing
