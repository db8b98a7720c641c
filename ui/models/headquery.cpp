#include "ui/models/headquery.h"

#include "ui/language/corewords.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

using Test = std::function<bool(const HeadCell &)>;

/// Nothing, where the cell does not say.
using Reading = std::function<std::optional<double>(const HeadCell &)>;

std::optional<Reading> readingOf(const QString &name, const GridContent &content)
{
    if (name == u"p"_s)
        return [](const HeadCell &cell) { return cell.p; };
    if (name == u"holm"_s)
        return [](const HeadCell &cell) { return cell.pAdjusted; };
    if (name == u"bh"_s)
        return [](const HeadCell &cell) { return cell.discoveryP; };
    if (name == u"rank"_s)
        return [](const HeadCell &cell) { return cell.rank > 0 ? std::optional<double>(cell.rank) : std::nullopt; };
    if (name == u"value"_s)
        return [factor = content.format.factor](const HeadCell &cell) {
            return cell.value ? std::optional<double>(*cell.value * factor) : std::nullopt;
        };
    return std::nullopt;
}

std::optional<Test> comparison(const QString &word, const GridContent &content)
{
    static const QRegularExpression form(u"^([a-z]+)(<=|>=|<|>|=)([-+−]?[0-9.,]+(?:e[-+]?[0-9]+)?)$"_s);
    static const std::map<QString, std::function<bool(double, double)>> operators{{u"<"_s, std::less<>()},
                                                                                  {u"<="_s, std::less_equal<>()},
                                                                                  {u">"_s, std::greater<>()},
                                                                                  {u">="_s, std::greater_equal<>()},
                                                                                  {u"="_s, std::equal_to<>()}};
    const QRegularExpressionMatch match = form.match(word);
    if (!match.hasMatch())
        return std::nullopt;
    const auto reading = readingOf(match.captured(1), content);
    bool isNumber = false;
    const double bound = match.captured(3).replace(u'−', u'-').replace(u',', u'.').toDouble(&isNumber);
    if (!reading || !isNumber)
        return std::nullopt;
    return [read = *reading, holds = operators.at(match.captured(2)), bound](const HeadCell &cell) {
        const auto value = read(cell);
        return value && holds(*value, bound);
    };
}

std::optional<Test> stateOf(const QString &word, const HeadMask &mask, const std::set<HeadRef> &pins)
{
    if (word == u"pinned"_s)
        return [&pins](const HeadCell &cell) { return pins.contains(cell.head); };
    if (word == u"unpinned"_s)
        return [&pins](const HeadCell &cell) { return !pins.contains(cell.head); };
    if (word == u"masked"_s)
        return [&mask](const HeadCell &cell) { return mask.isMasked(cell.head); };
    if (word == u"unmasked"_s)
        return [&mask](const HeadCell &cell) { return !mask.isMasked(cell.head); };
    if (word == u"significant"_s)
        return [](const HeadCell &cell) { return cell.significant == true; };
    if (word == u"insignificant"_s)
        return [](const HeadCell &cell) { return cell.significant == false; };
    return std::nullopt;
}

std::optional<Test> roleNamed(const QString &word)
{
    std::vector<Role> roles;
    for (const Role role : kAllRoles) {
        const std::string_view name = roleName(role);
        if (QString::fromUtf8(name.data(), std::ssize(name)).startsWith(word) || fromCore(name).startsWith(word))
            roles.push_back(role);
    }
    if (roles.empty())
        return std::nullopt;
    return [roles](const HeadCell &cell) {
        return std::ranges::any_of(
            cell.roles, [&](const RoleLabel &label) { return std::ranges::find(roles, label.role) != roles.end(); });
    };
}

/// "cross.3" is no beginning of "cross.31.0".
std::optional<Test> addressed(const QString &word, const GridContent &content)
{
    const auto isAt = [word](const HeadRef &head) {
        const QString address = QString::fromStdString(toText(head));
        return address == word || address.startsWith(word.endsWith(u'.') ? word : word + u'.')
            || (!word.contains(u'.') && address.startsWith(word));
    };
    const auto hasOne = [isAt](const HeadCell &cell) { return std::ranges::any_of(GridContent::headsOf(cell), isAt); };
    if (std::ranges::none_of(content.cells, hasOne))
        return std::nullopt;
    return hasOne;
}

} // namespace

HeadQuery findHeads(const QString &words, const GridContent &content, const HeadMask &mask,
                    const std::set<HeadRef> &pins)
{
    std::vector<Test> tests;
    for (const QString &word : words.toLower().split(u' ', Qt::SkipEmptyParts)) {
        std::optional<Test> test = comparison(word, content);
        if (!test)
            test = stateOf(word, mask, pins);
        if (!test)
            test = addressed(word, content);
        if (!test)
            test = roleNamed(word);
        if (!test)
            return {
                {},
                QCoreApplication::translate("headscope::HeadQuery", "“%1” is no head, role or comparison.").arg(word)};
        tests.push_back(std::move(*test));
    }
    HeadQuery found;
    for (const HeadCell &cell : content.cells) {
        if (tests.empty() || !std::ranges::all_of(tests, [&](const Test &test) { return test(cell); }))
            continue;
        const auto own = GridContent::headsOf(cell);
        found.heads.insert(own.begin(), own.end());
    }
    return found;
}

} // namespace headscope
