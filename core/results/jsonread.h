#pragma once

#include "core/base/headref.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

/// Reads values from untrusted JSON. These throw nlohmann's exceptions or Failure; the public functions turn both into
/// errors that name the file.
namespace headscope::jsonread {

using nlohmann::json;

/// null stands for NaN.
inline double number(const json &object, const char *key)
{
    const json &value = object.at(key);
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

inline double number(const json &object, const char *key, double missing)
{
    return object.contains(key) ? number(object, key) : missing;
}

/// A whole number; nlohmann alone would silently truncate a fraction.
inline std::int64_t integer(const json &object, const char *key, std::int64_t missing)
{
    if (!object.contains(key))
        return missing;
    if (!object[key].is_number_integer())
        throw Failure(badInput("\"" + std::string(key) + "\" is " + object[key].dump() + ", not a whole number"));
    return object[key].get<std::int64_t>();
}

inline std::string text(const json &object, const char *key)
{
    return object.value(key, std::string());
}

inline HeadMask mask(const json &object, const char *key)
{
    return parseHeadMask(text(object, key)).valueOrThrow();
}

/// The message of an exception, without nlohmann's "[json.exception.type_error.302] ".
inline std::string reason(const json::exception &error)
{
    const std::string what = error.what();
    const auto end = what.find("] ");
    return what.starts_with('[') && end != std::string::npos ? what.substr(end + 2) : what;
}

/// Runs `read`, whose errors get "NAME is not WHAT: " in front.
template<typename T, typename Read>
Result<T> guarded(const std::string &name, const std::string &what, Read read)
{
    try {
        return Result<T>(read());
    } catch (const json::exception &error) {
        return badInput(name + " is not " + what + ": " + reason(error));
    } catch (const Failure &failure) {
        return badInput(name + " is not " + what + ": " + failure.error().message);
    }
}

} // namespace headscope::jsonread
