#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace headscope {

/// Sums as a list of numbers, and back to the last bit. A struct names its members once, in a member function template
/// `void visitSums(Archive &archive) { archive(a, b); }` or in a free one of its namespace. Reading throws nlohmann's
/// exceptions where the list does not fit; a number that is not finite cannot be read back.
template<bool kReads>
class SumsArchive
{
public:
    explicit SumsArchive(nlohmann::json &list) : m_list(list) { }

    template<typename... Ts>
    void operator()(Ts &...values)
    {
        (one(values), ...);
    }

private:
    template<typename T>
    void one(T &value)
    {
        if constexpr (std::is_arithmetic_v<T>)
            number(value);
        else if constexpr (std::is_enum_v<T>)
            enumerator(value);
        else if constexpr (requires { value.visitSums(*this); })
            value.visitSums(*this);
        else if constexpr (requires { typename T::mapped_type; })
            map(value);
        else if constexpr (requires { value.resize(0); })
            list(value);
        else if constexpr (requires { value.fill(value[0]); })
            each(value);
        else
            visitSums(*this, value);
    }

    template<typename T>
    void number(T &value)
    {
        if constexpr (kReads)
            value = m_list.at(m_next++).template get<T>();
        else
            m_list.push_back(value);
    }
    template<typename T>
    void enumerator(T &value)
    {
        auto underlying = static_cast<std::underlying_type_t<T>>(value);
        number(underlying);
        value = static_cast<T>(underlying);
    }
    /// Says that so many entries follow; each takes at least one number.
    std::size_t count(std::size_t size)
    {
        number(size);
        if (kReads && size > m_list.size() - m_next)
            throw nlohmann::json::out_of_range::create(401, "a list of sums is too short", nullptr);
        return size;
    }
    template<typename T>
    void each(T &values)
    {
        for (auto &value : values)
            one(value);
    }
    template<typename T>
    void list(T &values)
    {
        const std::size_t size = count(values.size());
        if constexpr (kReads)
            values.resize(size);
        each(values);
    }
    template<typename T>
    void map(T &entries)
    {
        const std::size_t size = count(entries.size());
        if constexpr (kReads) {
            entries.clear();
            for (std::size_t i = 0; i < size; ++i) {
                typename T::key_type key{};
                one(key);
                one(entries[key]);
            }
        } else {
            for (auto &[key, value] : entries) {
                auto copy = key;
                one(copy);
                one(value);
            }
        }
    }

    nlohmann::json &m_list;
    std::size_t m_next = 0;
};

using SumsWriter = SumsArchive<false>;
using SumsReader = SumsArchive<true>;

} // namespace headscope
