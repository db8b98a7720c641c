#pragma once

#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Visitors of specoptions.h that write and read options as JSON: numbers, names and lists of them.
namespace headscope {

class OptionsWriter
{
public:
    void mask(const char *name, const HeadMask &value) { m_json[name] = toText(value); }
    void mask(const char *name, const std::optional<HeadMask> &value)
    {
        if (value)
            mask(name, *value);
    }
    void flag(const char *name, bool value, const char *) { m_json[name] = value; }
    template<typename T, typename Bound>
    void integer(const char *name, const T &value, Bound, const char *)
    {
        put(name, value);
    }
    template<typename T, typename Range>
    void real(const char *name, const T &value, const Range &, const char *)
    {
        put(name, value);
    }
    template<typename T>
    void bytes(const char *name, const T &value, const char *)
    {
        put(name, value);
    }
    void text(const char *name, const std::string &value, const char *, const char *) { m_json[name] = value; }
    template<typename E>
    void choice(const char *name, E value, const char *)
    {
        m_json[name] = toText(value);
    }
    template<typename T, typename Bound>
    void integers(const char *name, const std::vector<T> &values, Bound, const char *)
    {
        m_json[name] = values;
    }
    template<typename E>
    void choices(const char *name, const std::vector<E> &values, const char *)
    {
        m_json[name] = nlohmann::json::array();
        for (const E value : values)
            m_json[name].push_back(toText(value));
    }

    nlohmann::json take() { return std::exchange(m_json, nlohmann::json::object()); }

private:
    template<typename T>
    void put(const char *name, const T &value)
    {
        m_json[name] = value;
    }
    template<typename T>
    void put(const char *name, const std::optional<T> &value)
    {
        if (value)
            m_json[name] = *value;
    }

    nlohmann::json m_json = nlohmann::json::object();
};

/// Reads what is there; what is not stays as it is. Throws Failure for a value of another kind.
class OptionsReader
{
public:
    explicit OptionsReader(const nlohmann::json &json) : m_json(json) { }

    template<typename Mask>
    void mask(const char *name, Mask &value)
    {
        if (const auto text = find<std::string>(name))
            value = parseHeadMask(*text).valueOrThrow();
    }
    void flag(const char *name, bool &value, const char *) { get(name, value); }
    template<typename T, typename Bound>
    void integer(const char *name, T &value, Bound, const char *)
    {
        get(name, value);
    }
    template<typename T, typename Range>
    void real(const char *name, T &value, const Range &, const char *)
    {
        get(name, value);
    }
    template<typename T>
    void bytes(const char *name, T &value, const char *)
    {
        get(name, value);
    }
    void text(const char *name, std::string &value, const char *, const char *) { get(name, value); }
    template<typename E>
    void choice(const char *name, E &value, const char *)
    {
        if (const auto text = find<std::string>(name))
            value = parseName<E>(*text).valueOrThrow();
    }
    template<typename T, typename Bound>
    void integers(const char *name, std::vector<T> &values, Bound, const char *)
    {
        get(name, values);
    }
    template<typename E>
    void choices(const char *name, std::vector<E> &values, const char *)
    {
        const auto names = find<std::vector<std::string>>(name);
        if (!names)
            return;
        values.clear();
        for (const std::string &one : *names)
            values.push_back(parseName<E>(one).valueOrThrow());
    }

private:
    template<typename T>
    void get(const char *name, T &value) const
    {
        if (auto found = find<T>(name))
            value = std::move(*found);
    }
    template<typename T>
    void get(const char *name, std::optional<T> &value) const
    {
        if (auto found = find<T>(name))
            value = std::move(*found);
    }
    template<typename T>
    std::optional<T> find(const char *name) const
    {
        const auto found = m_json.find(name);
        if (found == m_json.end())
            return std::nullopt;
        try {
            if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
                if (!found->is_number_integer())
                    throw Failure(
                        badInput(std::string("\"") + name + "\" is " + found->dump() + ", not a whole number"));
            }
            return found->template get<T>();
        } catch (const nlohmann::json::exception &) {
            throw Failure(badInput(std::string("\"") + name + "\" is " + found->dump().substr(0, 60)
                                   + ", which is no value of that option"));
        }
    }

    const nlohmann::json &m_json;
};

/// The options of `spec` that differ from the defaults: an option that is added later does not change the keys of
/// existing results.
template<typename Spec>
nlohmann::json optionsOf(Spec spec)
{
    const auto all = [](Spec &of) {
        OptionsWriter writer;
        describe(writer, of);
        return writer.take();
    };
    Spec defaults{};
    const nlohmann::json defaultOptions = all(defaults);
    nlohmann::json options = all(spec);
    for (const auto &[name, value] : defaultOptions.items()) {
        if (options.contains(name) && options[name] == value)
            options.erase(name);
    }
    return options;
}

/// What optionsOf() wrote. Throws Failure.
template<typename Spec>
Spec optionsFrom(const nlohmann::json &options)
{
    Spec spec{};
    OptionsReader reader(options);
    describe(reader, spec);
    return spec;
}

} // namespace headscope
