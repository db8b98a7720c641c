#pragma once

#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/base/headscales.h"
#include "core/base/result.h"
#include "core/results/jsonread.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Visitors of resultfields.h that write and read results as JSON.
namespace headscope {

using Json = nlohmann::ordered_json;

template<typename T>
inline constexpr bool kIsVector = false;
template<typename T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template<typename T>
inline constexpr bool kIsOptional = false;
template<typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

class FieldWriter;

template<typename T>
Json fieldsJson(const T &value);

/// The JSON that a value of a field is written as.
template<typename T>
Json fieldJson(const T &value)
{
    if constexpr (NamedEnum<T>) {
        return toText(value);
    } else if constexpr (std::same_as<T, HeadRef> || std::same_as<T, HeadMask>) {
        return toText(value);
    } else if constexpr (std::same_as<T, HeadScales>) {
        Json object = Json::object();
        for (const auto &[head, scale] : value)
            object[toText(head)] = scale;
        return object;
    } else if constexpr (kIsOptional<T>) {
        return fieldJson(*value);
    } else if constexpr (kIsVector<T>) {
        Json list = Json::array();
        for (const auto &item : value)
            list.push_back(fieldJson(item));
        return list;
    } else if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
        return value;
    } else {
        return fieldsJson(value);
    }
}

class FieldWriter
{
public:
    static constexpr bool kReads = false;

    template<typename T>
    void field(const char *key, const T &value, const char *)
    {
        m_json[key] = fieldJson(value);
    }
    template<typename T>
    void added(const char *key, const T &value, const char *help)
    {
        field(key, value, help);
    }
    template<typename T, typename U>
    void rare(const char *key, const T &value, const U &defaultValue, const char *help)
    {
        if (!(value == defaultValue))
            field(key, value, help);
    }
    template<typename T>
    void rare(const char *key, const T &value, const char *help)
    {
        if constexpr (kIsVector<T> || std::same_as<T, std::string> || std::same_as<T, HeadScales>) {
            if (!value.empty())
                field(key, value, help);
        } else if constexpr (kIsOptional<T>) {
            if (value)
                field(key, value, help);
        } else {
            rare(key, value, T{}, help);
        }
    }
    template<typename T>
    void when(bool wanted, const char *key, const T &value, const char *help)
    {
        if (wanted)
            field(key, value, help);
    }
    template<typename Describe>
    void part(const char *key, const char *, Describe describePart)
    {
        FieldWriter inner;
        describePart(inner);
        m_json[key] = std::move(inner.m_json);
    }
    template<typename T>
    void merge(const T &value)
    {
        describe(*this, value);
    }
    template<typename T>
    void mergeIfAny(const char *, const std::optional<T> &value)
    {
        if (value)
            describe(*this, *value);
    }
    template<typename T, typename Describe>
    void list(const char *key, const std::vector<T> &items, const char *, Describe describeItem)
    {
        Json list = Json::array();
        for (std::size_t i = 0; i < items.size(); ++i) {
            FieldWriter inner;
            describeItem(inner, items[i], i);
            list.push_back(std::move(inner.m_json));
        }
        m_json[key] = std::move(list);
    }
    template<typename First, typename Second>
    void either(const char *, bool first, First describeFirst, Second describeSecond)
    {
        if (first)
            describeFirst(*this);
        else
            describeSecond(*this);
    }
    template<typename Make>
    void derived(const char *key, const char *, Make make)
    {
        Json value = make();
        if (!value.is_discarded())
            m_json[key] = std::move(value);
    }
    template<typename T, typename Write, typename Read>
    void form(const char *key, const T &value, const char *help, Write write, Read, bool = false)
    {
        derived(key, help, [&] { return write(value); });
    }

    Json take() { return std::move(m_json); }

private:
    Json m_json = Json::object();
};

/// The value for which derived() and form() write nothing.
inline Json nothing()
{
    return Json(Json::value_t::discarded);
}

template<typename T>
Json fieldsJson(const T &value)
{
    FieldWriter writer;
    describe(writer, value);
    return writer.take();
}

/// Throws as jsonread.h says.
class FieldReader
{
public:
    static constexpr bool kReads = true;
    using json = nlohmann::json;

    explicit FieldReader(const json &object) : m_json(object) { }

    template<typename T>
    void field(const char *key, T &value, const char *)
    {
        read(key, m_json.at(key), value);
    }
    template<typename T>
    void added(const char *key, T &value, const char *)
    {
        if (m_json.contains(key))
            read(key, m_json[key], value);
    }
    template<typename T, typename U>
    void rare(const char *key, T &value, const U &, const char *help)
    {
        added(key, value, help);
    }
    template<typename T>
    void rare(const char *key, T &value, const char *help)
    {
        added(key, value, help);
    }
    template<typename T>
    void when(bool, const char *key, T &value, const char *help)
    {
        added(key, value, help);
    }
    template<typename Describe>
    void part(const char *key, const char *, Describe describePart)
    {
        FieldReader inner(m_json.at(key));
        describePart(inner);
    }
    template<typename T>
    void merge(T &value)
    {
        describe(*this, value);
    }
    template<typename T>
    void mergeIfAny(const char *key, std::optional<T> &value)
    {
        if (m_json.contains(key))
            describe(*this, value.emplace());
    }
    template<typename T, typename Describe>
    void list(const char *key, std::vector<T> &items, const char *, Describe describeItem)
    {
        for (const json &one : listOf(m_json.at(key))) {
            FieldReader inner(one);
            const std::size_t place = items.size();
            describeItem(inner, items.emplace_back(), place);
        }
    }
    template<typename First, typename Second>
    void either(const char *key, bool, First describeFirst, Second describeSecond)
    {
        if (m_json.contains(key))
            describeFirst(*this);
        else
            describeSecond(*this);
    }
    template<typename Make>
    void derived(const char *, const char *, Make)
    {
    }
    template<typename T, typename Write, typename Read>
    void form(const char *key, T &value, const char *, Write, Read readForm, bool needed = false)
    {
        if (needed || m_json.contains(key))
            readForm(value, m_json.at(key));
    }

private:
    static const json &listOf(const json &list)
    {
        if (!list.is_array())
            throw Failure(badInput(std::string("expected a list, found ") + list.type_name()));
        return list;
    }

    template<typename T>
    static void read(const char *key, const json &found, T &value)
    {
        if constexpr (NamedEnum<T>) {
            value = parseName<T>(found.get_ref<const std::string &>()).valueOrThrow();
        } else if constexpr (std::same_as<T, HeadRef>) {
            value = parseHeadRef(found.get_ref<const std::string &>()).valueOrThrow();
        } else if constexpr (std::same_as<T, HeadMask>) {
            value = parseHeadMask(found.get_ref<const std::string &>()).valueOrThrow();
        } else if constexpr (std::same_as<T, HeadScales>) {
            for (const auto &scale : found.items())
                read(key, scale.value(), value[parseHeadRef(scale.key()).valueOrThrow()]);
        } else if constexpr (kIsOptional<T>) {
            read(key, found, value.emplace());
        } else if constexpr (kIsVector<T>) {
            value.clear();
            for (const json &item : listOf(found))
                read(key, item, value.emplace_back());
        } else if constexpr (std::floating_point<T>) {
            value = found.is_null() ? std::numeric_limits<T>::quiet_NaN() : found.get<T>();
        } else if constexpr (std::same_as<T, bool> || std::same_as<T, std::string>) {
            value = found.get<T>();
        } else if constexpr (std::integral<T>) {
            // nlohmann alone would silently truncate a fraction or a number that is too large.
            if (!found.is_number_integer() || !std::in_range<T>(found.get<std::int64_t>()))
                throw Failure(badInput('"' + std::string(key) + "\" is " + found.dump() + ", not a whole number"));
            value = found.get<T>();
        } else {
            FieldReader inner(found);
            describe(inner, value);
        }
    }

    const json &m_json;
};

/// The struct that the object tells of.
template<typename T>
T fieldsFrom(const nlohmann::json &object)
{
    T value{};
    FieldReader reader(object);
    describe(reader, value);
    return value;
}

} // namespace headscope
