#pragma once

#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/base/ranges.h"
#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <set>
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

/// Reads what is there; what is not stays as it is. Throws Failure for a value of another kind, or out of its range:
/// what an option is without being given ("as the model has it") may also be written down.
class OptionsReader
{
public:
    /// `isAsked`: somebody asks for these values now: one that stands for "not given" is out of its range like any
    /// other.
    explicit OptionsReader(const nlohmann::json &json, bool isAsked = false) : m_json(json), m_isAsked(isAsked) { }

    /// Refuses options that nothing has asked for. `whose`: how the message calls them. Throws Failure.
    void refuseOthers(const std::string &whose) const
    {
        if (!m_json.is_object())
            throw Failure(usageError(whose + " are an object."));
        for (const auto &option : m_json.items()) {
            if (m_asked.contains(option.key()))
                continue;
            std::string known;
            for (const std::string &name : m_asked)
                known += (known.empty() ? "" : ", ") + name;
            throw Failure(usageError(whose + ": \"" + option.key().substr(0, 60) + "\" is unknown"
                                     + (known.empty() ? ", there are none." : "; there are " + known + '.')));
        }
    }

    template<typename Mask>
    void mask(const char *name, Mask &value)
    {
        if (const auto text = find<std::string>(name))
            value = parseHeadMask(*text).valueOrThrow();
    }
    void flag(const char *name, bool &value, const char *) { get(name, value); }
    template<typename T>
    void integer(const char *name, T &value, const IntegerRange &range, const char *)
    {
        getNumber(name, value, range);
    }
    template<typename T>
    void real(const char *name, T &value, const Range &range, const char *)
    {
        getNumber(name, value, range);
    }
    template<typename T>
    void bytes(const char *name, T &value, const char *)
    {
        getNumber(name, value, IntegerRange{0});
    }
    void text(const char *name, std::string &value, const char *, const char *)
    {
        get(name, value);
        requirePath(value); // names of files are among them
    }
    template<typename E>
    void choice(const char *name, E &value, const char *)
    {
        if (const auto text = find<std::string>(name))
            value = parseName<E>(*text).valueOrThrow();
    }
    template<typename T>
    void integers(const char *name, std::vector<T> &values, const IntegerRange &range, const char *)
    {
        const nlohmann::json *list = find(name);
        if (list == nullptr)
            return;
        if (!list->is_array())
            refuse(name, *list, "which is no list of numbers");
        values.clear();
        for (const nlohmann::json &one : *list) {
            values.push_back(valueOf<T>(name, one));
            check(name, values.back(), range);
        }
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
    void get(const char *name, T &value)
    {
        if (auto found = find<T>(name))
            value = std::move(*found);
    }
    template<typename T, typename Bounds>
    void getNumber(const char *name, T &value, const Bounds &range)
    {
        const auto found = find<T>(name);
        if (found && (m_isAsked || *found != value))
            check(name, *found, range);
        value = found.value_or(value);
    }
    template<typename T, typename Bounds>
    void getNumber(const char *name, std::optional<T> &value, const Bounds &range)
    {
        if (const auto found = find<T>(name)) {
            check(name, *found, range);
            value = found;
        }
    }
    template<typename T, typename Bounds>
    void check(const char *name, T value, const Bounds &range) const
    {
        if (!isWithin(value, range))
            refuse(name, nlohmann::json(value), "not " + rangeText(range));
    }
    [[noreturn]] static void refuse(const char *name, const nlohmann::json &found, const std::string &why)
    {
        throw Failure(badInput(std::string("\"") + name + "\" is " + found.dump().substr(0, 60) + ", " + why));
    }
    const nlohmann::json *find(const char *name)
    {
        m_asked.insert(name);
        const auto found = m_json.find(name);
        return found == m_json.end() ? nullptr : &*found;
    }
    template<typename T>
    std::optional<T> find(const char *name)
    {
        const nlohmann::json *found = find(name);
        return found == nullptr ? std::nullopt : std::optional<T>(valueOf<T>(name, *found));
    }
    template<typename T>
    static T valueOf(const char *name, const nlohmann::json &found)
    {
        try {
            if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
                const bool fits = found.is_number_unsigned() ? std::in_range<T>(found.get<std::uint64_t>())
                                                             : std::in_range<T>(found.get<std::int64_t>());
                if (!found.is_number_integer() || !fits)
                    refuse(name, found, "not a whole number of that size");
            }
            return found.get<T>();
        } catch (const nlohmann::json::exception &) {
            refuse(name, found, "which is no value of that option");
        }
    }

    const nlohmann::json &m_json;
    bool m_isAsked;
    std::set<std::string> m_asked; ///< names of options
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

/// Reads what optionsOf() wrote; other options may stand beside them. Throws Failure.
template<typename Spec>
Spec optionsFrom(const nlohmann::json &options)
{
    Spec spec{};
    OptionsReader reader(options);
    describe(reader, spec);
    return spec;
}

/// Reads a request: an option that there is not is refused, since nobody would see that it was left out, and a
/// number out of the option's range, also the one that stands for "not given" elsewhere. `whose`: what the message
/// speaks of. Throws Failure.
template<typename Spec>
Spec requestedOptions(const nlohmann::json &options, const std::string &whose)
{
    Spec spec{};
    OptionsReader reader(options, true);
    describe(reader, spec);
    reader.refuseOthers(whose);
    return spec;
}

/// Whether every option is in its range, wherever it comes from. Throws Failure.
template<typename Spec>
void checkOptions(const Spec &spec)
{
    (void)optionsFrom<Spec>(optionsOf(spec));
}

} // namespace headscope
