#include "tests/support/fieldtable.h"

#include "core/results/anyresult.h"
#include "core/results/rolesfields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace headscope {

namespace {

/// The visitor of resultfields.h that lists fields. Parts of others are listed by their path: "heads[].score".
class FieldLister
{
public:
    static constexpr bool kReads = false;

    template<typename T>
    void field(const char *key, const T &value, const char *help)
    {
        listed(key, value, help, "");
    }
    template<typename T>
    void added(const char *key, const T &value, const char *help)
    {
        listed(key, value, help, "");
    }
    template<typename T, typename U>
    void rare(const char *key, const T &value, const U &, const char *help)
    {
        listed(key, value, help, " *");
    }
    template<typename T>
    void rare(const char *key, const T &value, const char *help)
    {
        listed(key, value, help, " *");
    }
    template<typename T>
    void when(bool, const char *key, const T &value, const char *help)
    {
        listed(key, value, help, " *");
    }
    template<typename Describe>
    void part(const char *key, const char *help, Describe describePart)
    {
        row(key, "object", help);
        within(std::string(key) + '.', [&] { describePart(*this); });
    }
    template<typename T>
    void merge(const T &value)
    {
        describe(*this, value);
    }
    template<typename T>
    void mergeIfAny(const char *, const std::optional<T> &)
    {
        const std::string_view mark = std::exchange(m_mark, " *");
        const T any{};
        describe(*this, any);
        m_mark = mark;
    }
    template<typename T, typename Describe>
    void list(const char *key, const std::vector<T> &, const char *help, Describe describeItem)
    {
        row(key, "list", help);
        const T item{};
        within(std::string(key) + "[].", [&] { describeItem(*this, item, 0); });
    }
    template<typename First, typename Second>
    void either(const char *, bool, First describeFirst, Second describeSecond)
    {
        const std::string_view mark = std::exchange(m_mark, " *");
        describeFirst(*this);
        describeSecond(*this);
        m_mark = mark;
    }
    template<typename Make>
    void derived(const char *key, const char *help, Make)
    {
        row(key, "", help);
    }
    template<typename T, typename Write, typename Read>
    void form(const char *key, const T &, const char *help, Write, Read, bool = false)
    {
        row(key, "", help);
    }

    std::string take() { return std::move(m_text); }

private:
    template<typename T>
    static std::string typeOf()
    {
        if constexpr (NamedEnum<T>)
            return fmt::format("`{}`", fmt::join(EnumNames<T>::values, "`, `"));
        else if constexpr (std::is_same_v<T, HeadRef>)
            return "head";
        else if constexpr (std::is_same_v<T, HeadMask>)
            return "heads";
        else if constexpr (std::is_same_v<T, bool>)
            return "yes or no";
        else if constexpr (std::is_same_v<T, std::string>)
            return "text";
        else if constexpr (std::is_integral_v<T>)
            return "whole number";
        else if constexpr (std::is_floating_point_v<T>)
            return "number";
        else if constexpr (kIsOptional<T>)
            return typeOf<typename T::value_type>();
        else if constexpr (kIsVector<T>)
            return NamedEnum<typename T::value_type> ? "list of " + typeOf<typename T::value_type>() : "list";
        else
            return "object";
    }

    /// The struct whose fields follow where T is one, a list of such, or one that may be missing.
    template<typename T>
    struct PartOf
    {
        using Type = T;
        static constexpr const char *kPath = ".";
    };
    template<typename T>
    struct PartOf<std::vector<T>>
    {
        using Type = T;
        static constexpr const char *kPath = "[].";
    };
    template<typename T>
    struct PartOf<std::optional<T>>
    {
        using Type = T;
        static constexpr const char *kPath = ".";
    };

    template<typename T>
    void listed(const char *key, const T &, const char *help, std::string_view mark)
    {
        using Part = PartOf<T>::Type;
        constexpr bool hasFields
            = std::is_class_v<
                  Part> && !std::is_same_v<Part, std::string> && !std::is_same_v<Part, HeadRef> && !std::is_same_v<Part, HeadMask> && !std::is_same_v<Part, HeadScales> && !kIsVector<Part>;
        row(key, typeOf<T>(), help, mark);
        if constexpr (hasFields && !std::is_same_v<Part, Manifest>) { // which has a table of its own
            const Part any{};
            within(std::string(key) + PartOf<T>::kPath, [&] { describe(*this, any); });
        }
    }

    void row(const char *key, const std::string &type, const char *help, std::string_view mark = "")
    {
        m_text += fmt::format("| `{}{}`{} | {} | {} |\n", m_path, key, mark.empty() ? m_mark : mark, type, help);
    }

    template<typename Describe>
    void within(const std::string &path, Describe describeParts)
    {
        const std::string before = std::exchange(m_path, m_path + path);
        const std::string_view mark = std::exchange(m_mark, "");
        describeParts();
        m_path = before;
        m_mark = mark;
    }

    std::string m_path;
    std::string_view m_mark;
    std::string m_text;
};

template<typename T>
std::string tableOf(const std::string &title)
{
    FieldLister lister;
    const T empty{};
    describe(lister, empty);
    return fmt::format("### {}\n\n| key | value | what it says |\n|---|---|---|\n{}\n", title, lister.take());
}

template<std::size_t... I>
std::string tablesOfKinds(std::index_sequence<I...>)
{
    std::string text;
    ((text += tableOf<std::variant_alternative_t<I, ResultVariant>>(
          fmt::format("`\"result\": \"{}\"`", std::variant_alternative_t<I, ResultVariant>::kKind))),
     ...);
    return text;
}

} // namespace

std::string fieldTables()
{
    return tablesOfKinds(std::make_index_sequence<std::variant_size_v<ResultVariant>>())
         + tableOf<Manifest>("`manifest`");
}

} // namespace headscope
