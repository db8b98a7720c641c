#pragma once

#include "app/cli/options.h"
#include "core/analysis/specoptions.h"
#include "core/base/enumnames.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace headscope::cli {

/// The visitor of specoptions.h that adds options to a command. What is set by default is shown in its help.
class CliOptions
{
public:
    CliOptions(CLI::App &command, std::string group) : m_command(command), m_group(std::move(group)) { }

    /// Checked against the model, when it is open: each command's own.
    template<typename Mask>
    void mask(const char *, const Mask &)
    {
    }
    void flag(const char *name, bool &value, const char *help)
    {
        m_command.add_flag(std::string("--") + name, value, help)->group(m_group);
    }
    template<typename T>
    void integer(const char *name, T &value, const IntegerRange &range, const char *help)
    {
        constexpr bool isSmall = std::is_same_v<T, int> || std::is_same_v<T, std::optional<int>>;
        add(name, value, help)
            ->check(wholeNumber(range.least, isSmall ? std::min(range.most, kLargestInt) : range.most))
            ->default_str(shown(value, range.least))
            ->type_name("N");
    }
    template<typename T>
    void real(const char *name, T &value, const Range &range, const char *help)
    {
        add(name, value, help)
            ->check(realNumber(range.least, range.most))
            ->default_str(shown(value, range.least))
            ->type_name("X");
    }
    void bytes(const char *name, std::int64_t &value, const char *help)
    {
        add(name, value, help)
            ->transform(CLI::AsSizeValue(false).description(""))
            ->check(wholeNumber(0)) // of the bytes that came out
            ->type_name("SIZE");
    }
    void text(const char *name, std::string &value, const char *type, const char *help)
    {
        add(name, value, help)->default_str(value)->type_name(type);
    }
    template<typename E>
    void choice(const char *name, E &value, const char *help)
    {
        add(name, value, help)->transform(named<E>())->default_str(std::string(toText(value)))->type_name(names<E>());
    }
    void integers(const char *name, std::vector<std::int64_t> &values, const IntegerRange &range, const char *help)
    {
        add(name, values, help)
            ->delimiter(',')
            ->check(wholeNumber(range.least, range.most))
            ->default_str(fmt::format("{}", fmt::join(values, ",")))
            ->type_name("N,...");
    }
    template<typename E>
    void choices(const char *name, std::vector<E> &values, const char *help)
    {
        std::vector<std::string_view> defaults;
        for (const E value : values)
            defaults.push_back(toText(value));
        add(name, values, help)
            ->delimiter(',')
            ->transform(named<E>())
            ->default_str(fmt::format("{}", fmt::join(defaults, ",")))
            ->type_name(names<E>() + ",...");
    }

private:
    template<typename T>
    CLI::Option *add(const char *name, T &value, const char *help)
    {
        return m_command.add_option(std::string("--") + name, value, help)->group(m_group);
    }
    template<typename E>
    static CLI::Validator named()
    {
        std::map<std::string, E> values;
        for (std::size_t i = 0; i < EnumNames<E>::values.size(); ++i)
            values.emplace(EnumNames<E>::values[i], static_cast<E>(i));
        return CLI::CheckedTransformer(values).description("");
    }
    template<typename E>
    static std::string names()
    {
        return fmt::format("{}", fmt::join(EnumNames<E>::values, "|"));
    }
    /// A value below the allowed range means "not given".
    template<typename T, typename Least>
    static std::string shown(const T &value, Least least)
    {
        return static_cast<double>(value) < static_cast<double>(least) ? std::string() : CLI::detail::to_string(value);
    }
    template<typename T, typename Least>
    static std::string shown(const std::optional<T> &value, Least least)
    {
        return value ? shown(*value, least) : std::string();
    }

    CLI::App &m_command;
    std::string m_group;
};

/// Options of an analysis.
template<typename Spec>
void addSpecOptions(CLI::App &command, Spec &spec, const char *group = "Analysis")
{
    CliOptions visitor(command, group);
    describe(visitor, spec);
}

} // namespace headscope::cli
