#include "core/session/report.h"

#include "core/analysis/ablationspec.h"
#include "core/analysis/dynamicsspec.h"
#include "core/analysis/energyspec.h"
#include "core/analysis/gradientsspec.h"
#include "core/analysis/importancespec.h"
#include "core/analysis/pruningspec.h"
#include "core/analysis/relevancespec.h"
#include "core/analysis/rolesspec.h"
#include "core/analysis/searchspec.h"
#include "core/analysis/similarityspec.h"
#include "core/analysis/speedspec.h"
#include "core/base/phases.h"
#include "core/results/compare.h"
#include "core/session/manifests.h"
#include "core/session/requireheads.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <tuple>

namespace headscope {
namespace {

AblationSpec sweepOf(const ReportSpec &report, bool allButOne)
{
    return {.run = report.run, .allButOne = allButOne, .resamples = report.resamples};
}

std::vector<std::string> ordersOf(const ReportSpec &report)
{
    std::vector<std::string> orders{"importance", "ablation"};
    if (report.randomOrders > 0)
        orders.emplace_back("random");
    if (report.moreOrders)
        orders.insert(orders.end(), {"shapley", "relevance", "gating"});
    if (report.greedy)
        orders.emplace_back("greedy");
    return orders;
}

PruningSpec curveOf(const ReportSpec &report, const HeadLayout &layout, bool two, const std::string &order,
                    bool eachKind)
{
    PruningSpec spec{.run = report.run, .order = order};
    if (report.randomOrders > 0)
        spec.randomOrders = report.randomOrders;
    spec.resamples = report.resamples;
    spec.orderOnOther = two && spec.order != "random";
    spec.eachKind = eachKind;
    if (spec.order == "greedy") // as many heads a round as there are between points, or it takes hours
        spec.greedyStep = std::max<std::int64_t>(1, layout.size() / 10);
    return spec;
}

SearchSpec searchOf(const ReportSpec &report, bool two)
{
    SearchSpec spec{.run = report.run, .searchOnOther = two};
    spec.resamples = report.resamples;
    return spec;
}

/// Kinds of attention have curves of their own where there are several.
bool hasKinds(const HeadLayout &layout)
{
    return layout.blocks().size() > 1;
}

/// The parts one after the other, each through the session, which knows what it has computed before.
class Writer
{
public:
    Writer(Session &session, const ReportSpec &spec, const JobControl &control, const Publish<ReportContents> &publish)
        : m_session(session), m_spec(spec), m_control(control), m_publish(publish)
    {
        m_two = session.data(Domain::Out).has_value();
    }

    ReportContents write()
    {
        const ModelCard &card = m_session.card();
        const auto in = m_session.data(Domain::In);
        if (!in)
            throw Failure(usageError("A report needs an in-domain data set."));
        requireHeads(card, "a report");
        m_contents.model = card.folder.string();
        m_contents.family = card.family;
        m_contents.task = card.task;
        m_contents.parameters = card.parameters;
        m_contents.layout = card.layout;
        m_contents.command
            = commandLine("report", std::filesystem::absolute(card.folder).string(), withAbsolutePaths(in->origin),
                          withLanguages(decidingOptions(m_spec), card.sourceLanguage, card.targetLanguage));
        if (m_two)
            m_contents.command += secondDataOption("out-of-domain",
                                                   withAbsolutePaths(m_session.data(Domain::Out)->origin), in->origin);
        for (const Domain domain : {Domain::In, Domain::Out}) {
            const auto data = m_session.data(domain);
            if (!data)
                continue;
            m_contents.domains.push_back({.name = data->name, .out = domain == Domain::Out, .rows = data->rows});
            for (const std::string &warning : data->warnings) // the set is named beside them
                m_contents.domains.back().warnings.push_back(
                    warning.starts_with(data->name + ": ") ? warning.substr(data->name.size() + 2) : warning);
        }
        // Sweeps of both domains first: each is chosen by the other's.
        for (ReportDomain &domain : m_contents.domains)
            sweep(domain);
        for (ReportDomain &domain : m_contents.domains)
            prune(domain);
        compare();
        for (ReportDomain &domain : m_contents.domains)
            lookAtHeads(domain);
        if (!m_spec.runs.empty())
            lookAtTraining();
        if (m_spec.papers)
            lookAtProjections();
        if (!m_spec.noSpeed)
            m_contents.speed = measureSpeed();
        tellApart();
        publish();
        return std::move(m_contents);
    }

private:
    static Domain slotOf(const ReportDomain &domain) { return domain.out ? Domain::Out : Domain::In; }

    void begin(const char *part, const ReportDomain &domain)
    {
        m_control.checkpoint();
        m_control.progress({{kPhaseReport, {part, domain.name}}, "parts", 0, 0});
    }

    void publish() const
    {
        if (m_publish)
            m_publish(m_contents);
    }

    void sweep(ReportDomain &domain)
    {
        begin("without each head", domain);
        domain.ablation = m_session.run<AblationSpec>(slotOf(domain), sweepOf(m_spec, false), m_control).valueOrThrow();
        publish();
        begin("all heads of a layer but one", domain);
        domain.allButOne = m_session.run<AblationSpec>(slotOf(domain), sweepOf(m_spec, true), m_control).valueOrThrow();
        publish();
        begin("importance", domain);
        domain.importance
            = m_session.run<ImportanceSpec>(slotOf(domain), {.run = m_spec.run}, m_control).valueOrThrow();
        publish();
    }

    PruningResult curve(const ReportDomain &domain, const std::string &order, bool eachKind = false)
    {
        begin(("pruning by " + order + (eachKind ? ", kind by kind" : "")).c_str(), domain);
        return m_session
            .run<PruningSpec>(slotOf(domain), curveOf(m_spec, m_contents.layout, m_two, order, eachKind), m_control)
            .valueOrThrow();
    }

    void prune(ReportDomain &domain)
    {
        const ReportDomain &other = m_two ? m_contents.domains[domain.out ? 0 : 1] : domain;
        domain.bestHeads = bestHeads(other.allButOne, domain.allButOne).valueOrThrow();
        for (const std::string &order : ordersOf(m_spec)) {
            domain.pruning.push_back(curve(domain, order));
            publish();
        }
        if (hasKinds(m_contents.layout))
            domain.kinds = curve(domain, "importance", true);
        if (m_spec.search) {
            begin("mask search", domain);
            domain.search
                = m_session.run<SearchSpec>(slotOf(domain), searchOf(m_spec, m_two), m_control).valueOrThrow();
        }
        publish();
    }

    void compare()
    {
        if (!m_two)
            return;
        const auto &[in, out] = std::tie(m_contents.domains[0], m_contents.domains[1]);
        m_contents.ablationAgreement = compareResults(in.ablation, out.ablation, m_spec.run.seed);
        m_contents.importanceAgreement = compareResults(in.importance, out.importance, m_spec.run.seed);
    }

    void lookAtHeads(ReportDomain &domain)
    {
        if (!m_spec.noRoles) {
            begin("roles", domain);
            RolesSpec spec{.run = m_spec.run};
            spec.corpus = m_spec.corpus;
            spec.frequencies = m_spec.frequencies;
            domain.roles = m_session.run<RolesSpec>(slotOf(domain), spec, m_control).valueOrThrow();
            publish();
        }
        if (m_spec.relevance || m_spec.papers) {
            begin("relevance", domain);
            domain.relevance
                = m_session.run<RelevanceSpec>(slotOf(domain), {.run = m_spec.run}, m_control).valueOrThrow();
            publish();
        }
        if (m_spec.papers) {
            begin("similarity", domain);
            domain.similarity
                = m_session.run<SimilaritySpec>(slotOf(domain), {.run = m_spec.run}, m_control).valueOrThrow();
            begin("gradients of attention", domain);
            domain.gradients
                = m_session.run<AttentionGradientsSpec>(slotOf(domain), {.run = m_spec.run}, m_control).valueOrThrow();
            publish();
        }
    }

    /// The energy of the weights; the first data set is what its scores are measured on.
    void lookAtProjections()
    {
        begin("energy of projections", m_contents.domains.front());
        m_contents.energy = m_session.run<EnergySpec>(Domain::In, {.run = m_spec.run}, m_control).valueOrThrow();
        publish();
    }

    /// In-domain; orders come from the other set where there is one.
    void lookAtTraining()
    {
        begin("training", m_contents.domains.front());
        DynamicsSpec spec{.run = m_spec.run, .runs = m_spec.runs};
        spec.curvesOnly = true;
        spec.orderOnOther = m_two;
        m_contents.dynamics = m_session.run<DynamicsSpec>(Domain::In, spec, m_control).valueOrThrow();
        publish();
    }

    /// Two sets of the same name, as "dev" often is, say which is which.
    void tellApart()
    {
        if (!m_two || m_contents.domains[0].name != m_contents.domains[1].name)
            return;
        ReportDomain &in = m_contents.domains[0];
        ReportDomain &out = m_contents.domains[1];
        in.name += " (in-domain)";
        out.name += " (out-of-domain)";
        for (ReportDomain *domain : {&in, &out}) {
            const std::string &other = domain == &in ? out.name : in.name;
            domain->bestHeads->chosenOn = other;
            const auto rename = [&](PruningResult &result) {
                for (PruningCurve &curve : result.curves)
                    curve.orderData = curve.orderData.empty() ? std::string() : other;
            };
            std::ranges::for_each(domain->pruning, rename);
            if (domain->kinds)
                rename(*domain->kinds);
            if (domain->search)
                domain->search->searchData = other;
        }
        for (CompareResult *compared : {&*m_contents.ablationAgreement, &*m_contents.importanceAgreement}) {
            compared->a.name = in.name;
            compared->b.name = out.name;
        }
    }

    SpeedResult measureSpeed()
    {
        begin("speed", m_contents.domains.front());
        SpeedSpec spec{.run = m_spec.run};
        spec.batchSizes = m_spec.batchSizes;
        spec.lengths = {LengthPolicy::Bucketed};
        spec.examples = m_spec.speedExamples;
        spec.repeats = m_spec.speedRepeats;
        spec.warmUp = 2;
        return m_session.run<SpeedSpec>(Domain::In, spec, m_control).valueOrThrow();
    }

    Session &m_session;
    const ReportSpec &m_spec;
    const JobControl &m_control;
    const Publish<ReportContents> &m_publish;
    ReportContents m_contents;
    bool m_two = false;
};

} // namespace

std::vector<std::pair<Domain, AnySpec>> scoredParts(const ReportSpec &spec, const HeadLayout &layout, bool two)
{
    std::vector<std::pair<Domain, AnySpec>> parts;
    for (const Domain domain : {Domain::In, Domain::Out}) {
        if (domain == Domain::Out && !two)
            continue;
        parts.emplace_back(domain, sweepOf(spec, false));
        parts.emplace_back(domain, sweepOf(spec, true));
        for (const std::string &order : ordersOf(spec))
            parts.emplace_back(domain, curveOf(spec, layout, two, order, false));
        if (hasKinds(layout))
            parts.emplace_back(domain, curveOf(spec, layout, two, "importance", true));
        if (spec.search)
            parts.emplace_back(domain, searchOf(spec, two));
    }
    return parts;
}

Result<ReportContents> computeReport(Session &session, const ReportSpec &spec, const JobControl &control,
                                     const Publish<ReportContents> &publish)
{
    try {
        const auto start = std::chrono::steady_clock::now();
        ReportContents contents = Writer(session, spec, control, publish).write();
        contents.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return contents;
    } catch (const Cancelled &) {
        return Result<ReportContents>::cancelled();
    } catch (const Failure &failure) {
        return failure.error();
    }
}

} // namespace headscope
