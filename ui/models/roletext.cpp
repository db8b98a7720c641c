#include "ui/models/roletext.h"

#include "ui/models/numbertext.h"

#include <QCoreApplication>

#include <algorithm>

namespace headscope {

namespace {
QString translate(const char *text)
{
    return QCoreApplication::translate("headscope::Roles", text);
}
} // namespace

QString roleTitle(Role role)
{
    switch (role) {
    case Role::Positional:
        return translate("Positional");
    case Role::Syntactic:
        return translate("Syntactic");
    case Role::RareWord:
        return translate("Rare word");
    case Role::Copy:
        return translate("Copy");
    case Role::Diagonal:
        return translate("Diagonal");
    case Role::Induction:
        return translate("Induction");
    case Role::SameToken:
        return translate("Same token");
    case Role::Special:
        return translate("Separator");
    }
    return {};
}

QString shareText(double share)
{
    return translate("%1 %").arg(numberText(100 * share, 0));
}

QString roleLabelText(const RoleLabel &label)
{
    return translate("%1 (%2)").arg(QString::fromStdString(labelText(label)), shareText(label.score));
}

QString roleMark(const std::vector<RoleLabel> &labels)
{
    if (labels.empty())
        return {};
    QString mark(QLatin1Char(roleLetter(labels.front().role)));
    if (isAmbiguous(labels))
        mark += u'?';
    return mark;
}

QString rolesText(const std::vector<RoleLabel> &labels)
{
    QString text;
    std::vector<Role> said;
    for (const RoleLabel &label : labels) {
        if (std::ranges::find(said, label.role) != said.end())
            continue;
        text = said.empty() ? roleLabelText(label) : translate("%1, or %2").arg(text, roleLabelText(label));
        said.push_back(label.role);
    }
    return text;
}

double roleSortValue(const std::vector<RoleLabel> &labels)
{
    if (labels.empty())
        return static_cast<double>(std::size(kAllRoles)) + 1;
    return static_cast<double>(labels.front().role) + (1 - labels.front().score) / 2;
}

std::vector<Role> rolesPresent(const std::vector<HeadRoles> &heads)
{
    std::vector<Role> present;
    for (const Role role : kAllRoles) {
        if (std::ranges::any_of(
                heads, [&](const HeadRoles &head) { return head.first() && head.first()->role == role; }))
            present.push_back(role);
    }
    return present;
}

const HeadRoles *findRoles(const std::vector<HeadRoles> &heads, const HeadRef &head)
{
    const auto found = std::ranges::find(heads, head, &HeadRoles::head);
    return found == heads.end() ? nullptr : &*found;
}

QString sieveTitle(Sieve sieve)
{
    switch (sieve) {
    case Sieve::Syntactic:
        return translate("Syntactic");
    case Sieve::Local:
        return translate("Local");
    case Sieve::Block:
        return translate("Block");
    case Sieve::Delimiter:
        return translate("Delimiter");
    }
    return {};
}

QString sieveText(const SieveScore &score)
{
    const QString p = probabilityText(score.pAdjusted);
    return (p.startsWith(u'<') ? translate("%1, p %2") : translate("%1, p = %2")).arg(numberText(score.score, 2), p);
}

QString relevanceRuleName(RelevanceRule rule)
{
    switch (rule) {
    case RelevanceRule::AlphaBeta:
        return translate("αβ rule");
    case RelevanceRule::Epsilon:
        return translate("ε rule");
    case RelevanceRule::AttnLrp:
        return translate("AttnLRP");
    case RelevanceRule::CpLrp:
        return translate("CP-LRP");
    }
    return {};
}

QString relevanceText(double relevance, double standardError)
{
    return standardError > 0
        ? translate("relevance %1 ±%2").arg(numberText(relevance, 3), numberText(1.96 * standardError, 3))
        : translate("relevance %1").arg(numberText(relevance, 3));
}

} // namespace headscope
