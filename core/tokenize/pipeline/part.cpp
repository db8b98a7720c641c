#include "core/tokenize/pipeline/part.h"

#include <fmt/format.h>

namespace headscope::pipeline {
namespace {

constexpr std::size_t kMostParts = 64;

} // namespace

std::int64_t wholeNumber(const nlohmann::json &json, std::int64_t largest)
{
    const std::int64_t number = json.is_number_integer() ? json.get<std::int64_t>() : -1;
    return number >= 0 && number <= largest ? number : -1;
}

Part::Part(const nlohmann::json &json, std::string place) : m_json(json), m_place(std::move(place)) { }

bool Part::has(const char *key) const
{
    const auto found = m_json.is_object() ? m_json.find(key) : m_json.end();
    return found != m_json.end() && !found->is_null();
}

std::string Part::text(const char *key) const
{
    if (!has(key) || !m_json[key].is_string())
        fail(fmt::format("\"{}\" must be a text", key));
    return m_json[key].get<std::string>();
}

std::string Part::text(const char *key, const std::string &fallback) const
{
    return has(key) ? text(key) : fallback;
}

bool Part::flag(const char *key, bool fallback) const
{
    if (!has(key))
        return fallback;
    if (!m_json[key].is_boolean())
        fail(fmt::format("\"{}\" must be true or false", key));
    return m_json[key].get<bool>();
}

std::int64_t Part::number(const char *key, std::int64_t fallback) const
{
    constexpr std::int64_t kLargest = std::int64_t{1} << 53;
    if (!has(key))
        return fallback;
    const std::int64_t number = wholeNumber(m_json[key], kLargest);
    if (number < 0)
        fail(fmt::format("\"{}\" must be a whole number", key));
    return number;
}

Part Part::inner(const char *key) const
{
    if (!has(key) || !m_json[key].is_structured())
        fail(fmt::format("\"{}\" is missing or no object", key));
    return {m_json[key], m_place + "." + key};
}

std::vector<Part> Part::list(const char *key) const
{
    if (!has(key) || !m_json[key].is_array())
        fail(fmt::format("\"{}\" must be a list", key));
    if (m_json[key].size() > kMostParts)
        fail(fmt::format("\"{}\" has more than {} members", key, kMostParts));
    std::vector<Part> parts;
    for (const nlohmann::json &member : m_json[key])
        parts.emplace_back(member, fmt::format("{}.{}[{}]", m_place, key, parts.size()));
    return parts;
}

void Part::fail(const std::string &why) const
{
    throw Failure(badInput(fmt::format("{}: {}", m_place, why)));
}

void Part::unsupported() const
{
    fail(fmt::format("the component {} is not supported yet; give the data as JSON lines with input_ids instead",
                     m_json.contains("type") ? m_json["type"].dump() : m_json.dump().substr(0, 60)));
}

} // namespace headscope::pipeline
