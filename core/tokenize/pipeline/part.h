#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::pipeline {

/// One component of a tokenizer.json, read with errors that name the file and the place. All functions throw Failure.
class Part
{
public:
    /// `json` must outlive it.
    Part(const nlohmann::json &json, std::string place);

    const std::string &place() const { return m_place; }
    const nlohmann::json &json() const { return m_json; }
    bool has(const char *key) const; ///< and is not null
    /// The value of "type".
    std::string type() const { return text("type"); }

    std::string text(const char *key) const;
    std::string text(const char *key, const std::string &fallback) const;
    bool flag(const char *key, bool fallback) const;
    std::int64_t number(const char *key, std::int64_t fallback) const;
    /// An object or list.
    Part inner(const char *key) const;
    /// The members of the list `key`, at most 64: more is no tokenizer but an attack.
    std::vector<Part> list(const char *key) const;

    [[noreturn]] void fail(const std::string &why) const;
    /// Throws the error that its type is none of ours.
    [[noreturn]] void unsupported() const;

private:
    const nlohmann::json &m_json;
    std::string m_place;
};

/// A whole number from 0 to `largest`, -1 for anything else.
std::int64_t wholeNumber(const nlohmann::json &json, std::int64_t largest);

/// Finds a type's maker in a table of {name, function}.
template<typename Table>
auto factoryOf(const Part &part, const Table &table)
{
    const std::string type = part.type();
    for (const auto &[name, make] : table)
        if (type == name)
            return make;
    part.unsupported();
}

} // namespace headscope::pipeline
