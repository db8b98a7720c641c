#include "ui/models/roletext.h"

#include "core/results/meaninterval.h"
#include "ui/language/corewords.h"
#include "ui/models/numbertext.h"

#include <QCoreApplication>

#include <algorithm>
#include <string>

namespace headscope {

namespace {
struct RoleWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::Roles)
};
} // namespace

/// In words of the relations that are known, else of any.
QString relationWay(const std::string &relation, bool toHead)
{
    struct Way
    {
        const char *relation;
        const char *toHead;
        const char *toDependent;
    };
    static constexpr Way kWays[] = {
        {"nsubj", QT_TRANSLATE_NOOP("headscope::Roles", "from the subject to its verb"),
         QT_TRANSLATE_NOOP("headscope::Roles", "from the verb to its subject")},
        {"obj", QT_TRANSLATE_NOOP("headscope::Roles", "from the object to its verb"),
         QT_TRANSLATE_NOOP("headscope::Roles", "from the verb to its object")},
        {"iobj", QT_TRANSLATE_NOOP("headscope::Roles", "from the indirect object to its verb"),
         QT_TRANSLATE_NOOP("headscope::Roles", "from the verb to its indirect object")},
        {"amod", QT_TRANSLATE_NOOP("headscope::Roles", "from the adjective to its noun"),
         QT_TRANSLATE_NOOP("headscope::Roles", "from the noun to its adjective")},
        {"advmod", QT_TRANSLATE_NOOP("headscope::Roles", "from the adverb to the word it modifies"),
         QT_TRANSLATE_NOOP("headscope::Roles", "from a word to its adverb")},
        {"det", QT_TRANSLATE_NOOP("headscope::Roles", "from the determiner to its noun"),
         QT_TRANSLATE_NOOP("headscope::Roles", "from the noun to its determiner")},
        {"case", QT_TRANSLATE_NOOP("headscope::Roles", "from the preposition to its noun"),
         QT_TRANSLATE_NOOP("headscope::Roles", "from the noun to its preposition")},
        {"aux", QT_TRANSLATE_NOOP("headscope::Roles", "from the auxiliary to its verb"),
         QT_TRANSLATE_NOOP("headscope::Roles", "from the verb to its auxiliary")},
        {"", QT_TRANSLATE_NOOP("headscope::Roles", "from the dependent to its head word"),
         QT_TRANSLATE_NOOP("headscope::Roles", "from the head word to its dependent")},
    };
    const Way *way
        = std::ranges::find_if(kWays, [&](const Way &one) { return *one.relation == 0 || relation == one.relation; });
    return QCoreApplication::translate("headscope::Roles", toHead ? way->toHead : way->toDependent);
}

QString roleTitle(Role role)
{
    switch (role) {
    case Role::Positional:
        return RoleWords::tr("Positional");
    case Role::Syntactic:
        return RoleWords::tr("Syntactic");
    case Role::RareWord:
        return RoleWords::tr("Rare word");
    case Role::Copy:
        return RoleWords::tr("Copy");
    case Role::Diagonal:
        return RoleWords::tr("Diagonal");
    case Role::Induction:
        return RoleWords::tr("Induction");
    case Role::SameToken:
        return RoleWords::tr("Same token");
    case Role::Retrieval:
        return RoleWords::tr("Retrieval");
    case Role::Sink:
        return RoleWords::tr("Sink");
    case Role::Special:
        return RoleWords::tr("Separator");
    }
    return {};
}

QString shareText(double share)
{
    return RoleWords::tr("%1 %").arg(numberText(100 * share, 0));
}

QString roleLabelName(const RoleLabel &label)
{
    const QString role = fromCore(roleName(label.role));
    if (label.role == Role::Positional)
        return role + u' ' + signedText(label.offset, 0);
    if (label.role != Role::Syntactic)
        return role;
    return RoleWords::tr("%1 %2: %3")
        .arg(role, QString::fromStdString(label.relation),
             relationWay(label.relation, label.direction == ArcDirection::DependentToHead));
}

QString roleLabelText(const RoleLabel &label)
{
    return RoleWords::tr("%1 (%2)").arg(roleLabelName(label), shareText(label.score));
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
        text = said.empty() ? roleLabelText(label) : RoleWords::tr("%1, or %2").arg(text, roleLabelText(label));
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
        if (std::ranges::any_of(heads,
                                [&](const HeadRoles &head) { return head.first() && head.first()->role == role; }))
            present.push_back(role);
    }
    return present;
}

const HeadRoles *findRoles(const std::vector<HeadRoles> &heads, const HeadRef &head)
{
    const auto found = std::ranges::find(heads, head, &HeadRoles::head);
    return found == heads.end() ? nullptr : &*found;
}

QString roleDetectorTitle(RoleDetector detector)
{
    switch (detector) {
    case RoleDetector::Syntactic:
        return RoleWords::tr("Syntactic");
    case RoleDetector::Local:
        return RoleWords::tr("Local");
    case RoleDetector::Block:
        return RoleWords::tr("Block");
    case RoleDetector::Delimiter:
        return RoleWords::tr("Delimiter");
    }
    return {};
}

QString roleDetectorText(const RoleDetectorScore &score)
{
    const QString p = probabilityText(score.pAdjusted);
    return (p.startsWith(u'<') ? RoleWords::tr("%1, p %2") : RoleWords::tr("%1, p = %2"))
        .arg(numberText(score.score, 2), p);
}

QString detectorName(HeadDetector detector)
{
    switch (detector) {
    case HeadDetector::Induction:
        return RoleWords::tr("induction");
    case HeadDetector::PreviousToken:
        return RoleWords::tr("previous token");
    case HeadDetector::DuplicateToken:
        return RoleWords::tr("duplicate token");
    case HeadDetector::FirstToken:
        return RoleWords::tr("first token");
    case HeadDetector::Copying:
        return RoleWords::tr("copying");
    }
    return {};
}

QString relevanceRuleName(RelevanceRule rule)
{
    switch (rule) {
    case RelevanceRule::AlphaBeta:
        return RoleWords::tr("αβ rule");
    case RelevanceRule::Epsilon:
        return RoleWords::tr("ε rule");
    case RelevanceRule::AttnLrp:
        return RoleWords::tr("AttnLRP");
    case RelevanceRule::CpLrp:
        return RoleWords::tr("CP-LRP");
    }
    return {};
}

double relevanceHalf(double standardError, std::int64_t examples)
{
    const auto interval = meanInterval(0, standardError, examples);
    return interval ? interval->high : 0;
}

QString relevanceText(double relevance, double half)
{
    return half > 0 ? RoleWords::tr("relevance %1 ±%2").arg(numberText(relevance, 3), numberText(half, 3))
                    : RoleWords::tr("relevance %1").arg(numberText(relevance, 3));
}

} // namespace headscope
