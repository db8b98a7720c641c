#pragma once

#include <concepts>
#include <type_traits>

/// The fields of a result are described once: name in files, place in memory, and meaning. describe(visitor, result)
/// passes all of them to a visitor, in the order in which they are written. Visitors: those of fieldsjson.h, and the
/// one that FORMAT.md's tables come from (fieldtable.h).
///
/// A visitor has:
///     field(key, value, help)        always written; must be there when read
///     added(key, value, help)        always written; where an older file has none: as in a result that nobody filled
///     rare(key, value[, default], help)    written where it differs from the default (empty, none, 0)
///     when(wanted, key, value, help)     written where wanted
///     part(key, help, [](auto &inner))   an object with fields of its own
///     list(key, items, help, [](auto &inner, auto &item, std::size_t place))
///     merge(value), mergeIfAny(key, optional)    the fields of another struct, among these; where `key` is one of them
///     either(key, first, [](auto &), [](auto &)) the first fields, which have `key`, or the second
///     derived(key, help, make)       written and never read: nothing() leaves it out
///     form(key, value, help, [](const T &) -> Json, [](T &, const json &)[, needed])
///                                    what is written otherwise than it is kept; needed: must be there when read
///     kReads                         whether the result is being read
namespace headscope {

template<typename T, typename U>
concept Of = std::same_as<std::remove_const_t<T>, U>;

/// Runs `check` on a result that was read: untrusted numbers are used as indices and sizes.
void afterReading(auto &visit, auto &value, auto check)
{
    if constexpr (std::remove_reference_t<decltype(visit)>::kReads)
        check(value);
}

} // namespace headscope
