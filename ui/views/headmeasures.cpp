#include "ui/views/headmeasures.h"

#include "ui/models/gridcontent.h"
#include "ui/models/roletext.h"
#include "ui/views/gridfeed.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

struct HeadMeasureWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::HeadMeasures)
};

constexpr double kPerCent = 100;

QString patternName(Pattern pattern)
{
    switch (pattern) {
    case Pattern::Previous:
        return HeadMeasureWords::tr("previous token");
    case Pattern::Next:
        return HeadMeasureWords::tr("next token");
    case Pattern::Current:
        return HeadMeasureWords::tr("the token itself");
    case Pattern::SameToken:
        return HeadMeasureWords::tr("same token elsewhere");
    case Pattern::Special:
        return HeadMeasureWords::tr("special tokens");
    case Pattern::Induction:
        return HeadMeasureWords::tr("after the same token (induction)");
    case Pattern::Copy:
        return HeadMeasureWords::tr("tokens that are copied");
    case Pattern::Diagonal:
        return HeadMeasureWords::tr("the diagonal");
    case Pattern::FirstKeys:
        return HeadMeasureWords::tr("the first tokens");
    case Pattern::Distant:
        return HeadMeasureWords::tr("distant tokens");
    }
    return {};
}

class MeasureList
{
public:
    MeasureList(const StudyState &state, Domain domain) : m_state(state), m_domain(domain) { }

    std::vector<HeadMeasure> all()
    {
        addGrids();
        addRoles();
        addSurfaces();
        addFisher();
        addEnergy();
        return std::move(m_measures);
    }

private:
    /// `value`: nothing where the head has no such number.
    template<typename Heads>
    void add(const QString &id, const QString &name, const QString &unit, int decimals, const QString &counted,
             const Heads &heads,
             const std::function<std::optional<MeasuredHead>(const typename Heads::value_type &)> &value)
    {
        HeadMeasure measure{id, name, unit, counted, decimals, {}};
        for (const auto &head : heads) {
            if (auto known = value(head); known && std::isfinite(known->value))
                measure.heads.push_back(*std::move(known));
        }
        if (!measure.heads.empty())
            m_measures.push_back(std::move(measure));
    }

    void addGrids()
    {
        const DomainView view = m_domain == Domain::In ? DomainView::In : DomainView::Out;
        for (const MeasureInfo &info : measures()) {
            if (info.isSurface) // addSurfaces() does
                continue;
            const GridContent content = gridContent(m_state, info.measure, view);
            const double factor = content.format.factor;
            const QString counted
                = content.partial && content.totalExamples > 0
                    ? HeadMeasureWords::tr("of %1 examples").arg(QLocale().toString(qlonglong(content.totalExamples)))
                    : HeadMeasureWords::tr("examples");
            add(QString::fromLatin1(info.id), content.measure, content.format.unit, content.format.decimals, counted,
                content.cells, [&](const HeadCell &cell) -> std::optional<MeasuredHead> {
                    if (!cell.value)
                        return std::nullopt;
                    MeasuredHead head{cell.head, factor * *cell.value, std::nullopt, content.examplesOf(cell)};
                    if (cell.interval)
                        head.interval = Interval{factor * cell.interval->low, factor * cell.interval->high};
                    return head;
                });
        }
    }

    void addShare(const QString &id, const QString &name, const std::vector<HeadRoleScores> &heads,
                  const std::function<std::optional<Share>(const HeadRoleScores &)> &share)
    {
        add(id, name, u"%"_s, 1, HeadMeasureWords::tr("instances"), heads,
            [&](const HeadRoleScores &head) -> std::optional<MeasuredHead> {
                const auto found = share(head);
                if (!found || found->instances == 0)
                    return std::nullopt;
                return MeasuredHead{head.head,
                                    kPerCent * static_cast<double>(found->hits) / static_cast<double>(found->instances),
                                    std::nullopt, found->instances};
            });
    }

    void addRoles()
    {
        const auto &roles = m_state.results(m_domain).roles;
        if (!roles)
            return;
        for (int offset = -2; offset <= 2; ++offset)
            addShare(u"roles.offset.%1"_s.arg(offset),
                     HeadMeasureWords::tr("Largest weight at offset %1")
                         .arg(offset > 0 ? u"+%1"_s.arg(offset) : QString::number(offset)),
                     roles->heads, [&](const HeadRoleScores &head) { return std::optional(head.offsets.at(offset)); });
        addShare(u"roles.rare"_s, HeadMeasureWords::tr("Largest weight on one of the two rarest tokens"), roles->heads,
                 [](const HeadRoleScores &head) { return head.twoRarest; });
        std::map<Pattern, bool> patterns;
        for (const HeadRoleScores &head : roles->heads) {
            for (const PatternScore &score : head.patterns)
                patterns[score.pattern] = true;
        }
        for (const auto &[pattern, isThere] : patterns)
            add(u"roles.pattern.%1"_s.arg(static_cast<int>(pattern)),
                HeadMeasureWords::tr("Attention mass: %1").arg(patternName(pattern)), u"%"_s, 1,
                HeadMeasureWords::tr("tokens"), roles->heads,
                [&](const HeadRoleScores &head) -> std::optional<MeasuredHead> {
                    const auto found = std::ranges::find(head.patterns, pattern, &PatternScore::pattern);
                    if (found == head.patterns.end() || found->queries == 0)
                        return std::nullopt;
                    return MeasuredHead{head.head, kPerCent * found->mass, std::nullopt, found->queries};
                });
        addRelations(*roles);
    }

    void addRelations(const RolesResult &roles)
    {
        for (std::size_t i = 0; i < roles.relations.size(); ++i) {
            const RelationDirection &relation = roles.relations[i];
            const QString name = QString::fromStdString(relation.relation);
            addShare(u"roles.relation.%1.%2"_s.arg(name).arg(static_cast<int>(relation.direction)),
                     HeadMeasureWords::tr("Relation %1")
                         .arg(name + u": "_s
                              + relationWay(relation.relation, relation.direction == ArcDirection::DependentToHead)),
                     roles.heads, [&](const HeadRoleScores &head) -> std::optional<Share> {
                         if (i >= head.relationHits.size())
                             return std::nullopt;
                         return Share{.hits = head.relationHits[i], .instances = relation.instances};
                     });
        }
    }

    void addSurfaces()
    {
        const auto &similarity = m_state.results(m_domain).similarity;
        if (!similarity)
            return;
        for (const MeasureInfo &info : measures()) {
            if (!info.isSurface)
                continue;
            add(QString::fromLatin1(info.id), measureName(info.measure, m_state.metricName()), {}, 3,
                HeadMeasureWords::tr("tokens"), similarity->heads,
                [&](const HeadSurface &head) -> std::optional<MeasuredHead> {
                    const auto found = info.surface(head);
                    return found ? std::optional(MeasuredHead{head.head, *found, std::nullopt, head.queries})
                                 : std::nullopt;
                });
        }
    }

    void addFisher()
    {
        const auto &search = m_state.results(m_domain).search;
        if (!search)
            return;
        add(u"fisher"_s, HeadMeasureWords::tr("Fisher information"), {}, 4, HeadMeasureWords::tr("examples"),
            search->fisher, [&](const HeadImportance &head) {
                return std::optional(MeasuredHead{head.head, head.importance, std::nullopt, search->samples});
            });
    }

    void addEnergy()
    {
        const auto &energy = m_state.results(m_domain).energy;
        if (!energy)
            return;
        const auto addPart = [&](const QString &id, const QString &name, std::optional<double> HeadEnergy::*part) {
            add(id, name, {}, 3, HeadMeasureWords::tr("examples"), energy->heads,
                [&](const HeadEnergy &head) -> std::optional<MeasuredHead> {
                    const auto &value = head.*part;
                    return value ? std::optional(MeasuredHead{head.head, *value, std::nullopt, energy->examples})
                                 : std::nullopt;
                });
        };
        addPart(u"content"_s, HeadMeasureWords::tr("Score variance by content"), &HeadEnergy::content);
        addPart(u"context"_s, HeadMeasureWords::tr("Score variance by context"), &HeadEnergy::context);
    }

    const StudyState &m_state;
    Domain m_domain;
    std::vector<HeadMeasure> m_measures;
};

HeadMeasure placeMeasure(const StudyState &state, const QString &id, const QString &name,
                         const std::function<double(const HeadRef &)> &place)
{
    HeadMeasure measure{id, name, {}, {}, 0, {}};
    for (const HeadRef &head : state.layout().heads())
        measure.heads.push_back({head, place(head)});
    return measure;
}

} // namespace

std::vector<HeadMeasure> headMeasures(const StudyState &state, Domain domain)
{
    std::vector<HeadMeasure> all;
    for (const Domain one : {domain, otherDomain(domain)}) {
        for (HeadMeasure &measure : MeasureList(state, one).all()) {
            if (one != domain) {
                measure.id += u"@other"_s;
                measure.name = HeadMeasureWords::tr("%1, %2").arg(measure.name, domainName(one));
            }
            all.push_back(std::move(measure));
        }
        if (one == domain && state.layout().size() > 0) {
            all.push_back(placeMeasure(state, u"layer"_s, HeadMeasureWords::tr("Layer"),
                                       [](const HeadRef &head) { return head.layer; }));
            all.push_back(placeMeasure(state, u"head"_s, HeadMeasureWords::tr("Number in its layer"),
                                       [](const HeadRef &head) { return head.head; }));
        }
    }
    return all;
}

} // namespace headscope
