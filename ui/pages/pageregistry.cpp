#include "ui/pages/pageregistry.h"

#include "ui/pages/analyses/analysespage.h"
#include "ui/pages/attention/attentionpage.h"
#include "ui/pages/domains/domainspage.h"
#include "ui/pages/dynamics/dynamicspage.h"
#include "ui/pages/heads/headspage.h"
#include "ui/pages/layers/layerspage.h"
#include "ui/pages/map/mappage.h"
#include "ui/pages/models/modelspage.h"
#include "ui/pages/pairs/pairspage.h"
#include "ui/pages/patching/patchingpage.h"
#include "ui/pages/pruning/pruningpage.h"
#include "ui/pages/roles/rolespage.h"
#include "ui/pages/search/searchpage.h"
#include "ui/pages/sharing/sharingpage.h"
#include "ui/pages/training/trainingpage.h"
#include "ui/pages/weights/weightspage.h"

#include <QCoreApplication>

#include <algorithm>

namespace headscope {

namespace {
struct PageWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::PageWords)
};

template<typename T>
PageEntry entry(PageGroup group, int digit, const QString &about, const QString &words, const QString &promise = {})
{
    return {T::info(),
            group,
            digit,
            about,
            words,
            promise,
            [](StudyState &state, StudyController &controller, QWidget *parent) -> Page * {
                return new T(state, controller, parent);
            }};
}
} // namespace

QString pageGroupName(PageGroup group)
{
    switch (group) {
    case PageGroup::WhichMatter:
        return PageWords::tr("Which matter");
    case PageGroup::Remove:
        return PageWords::tr("Remove");
    case PageGroup::Understand:
        return PageWords::tr("Understand");
    case PageGroup::TrainAndCompare:
        return PageWords::tr("Train and compare");
    case PageGroup::None:
        break;
    }
    return {};
}

const std::vector<PageEntry> &pageRegistry()
{
    using enum PageGroup;
    static const std::vector<PageEntry> pages{
        entry<HeadsPage>(
            WhichMatter, 1, PageWords::tr("Which heads does the score need?"),
            PageWords::tr(
                "grid, heat map of heads, ablation, important heads, table, histogram, significance, statistical test, leave one out")),
        entry<LayersPage>(WhichMatter, 2, PageWords::tr("Is one head a layer enough?"),
                          PageWords::tr("all but one, one head per layer, redundant layers"),
                          PageWords::tr("Shows the score with a single head left in one layer after the other.")),
        entry<DomainsPage>(
            WhichMatter, 5, PageWords::tr("Are the same heads needed on other data?"),
            PageWords::tr(
                "compare domains, compare data sets, transfer, generalisation, out-of-domain, scatter, correlation")),
        entry<PruningPage>(
            Remove, 3, PageWords::tr("How many heads can be removed before the score falls?"),
            PageWords::tr(
                "remove heads, compress, curve, smaller model, BLEU without heads, accuracy without heads, how many heads"),
            PageWords::tr("Shows the score as heads are removed, the least needed ones first.")),
        entry<SearchPage>(Remove, 4, PageWords::tr("Which heads are best removed together?"),
                          PageWords::tr("best subset, combination, greedy, annealing, mask"),
                          PageWords::tr("Shows the best heads to remove for every number of heads.")),
        entry<SharingPage>(Remove, 0, PageWords::tr("Which heads could share their projections?"),
                           PageWords::tr("collaborative attention, low rank, decomposition, redundancy, compress"),
                           PageWords::tr("Shows how the score falls as the heads of a layer share fewer dimensions.")),
        entry<AttentionPage>(
            Understand, 6, PageWords::tr("What does a head attend to in a sentence?"),
            PageWords::tr(
                "heat map, weights, matrix, alignment, lines, head view, model view, neuron view, sentence, rollout")),
        entry<RolesPage>(
            Understand, 7, PageWords::tr("What does each head do?"),
            PageWords::tr(
                "positional heads, syntactic heads, rare words, function of a head, detectors, induction, what a head does, probe"),
            PageWords::tr(
                "Shows what every head attends to: neighbours, syntactic relations, rare words, separators.")),
        entry<WeightsPage>(
            Understand, 0, PageWords::tr("What do the weights of heads say by themselves, without data?"),
            PageWords::tr(
                "OV, QK, circuits, eigenvalues, singular values, copying, composition, tokens, projection kernel")),
        entry<MapPage>(Understand, 8, PageWords::tr("Which heads are alike?"),
                       PageWords::tr("similar heads, clusters, distance, dendrogram, t-SNE, correlation of measures"),
                       PageWords::tr("Shows heads that attend to the same things near each other.")),
        entry<PairsPage>(Understand, 0, PageWords::tr("Which heads stand in for each other?"),
                         PageWords::tr("interactions, redundancy, synergy, back-up heads, two heads at once"),
                         PageWords::tr("Shows pairs of heads that cost more, or less, together than each by itself.")),
        entry<PatchingPage>(Understand, 0, PageWords::tr("Which heads carry the answer from the text to the output?"),
                            PageWords::tr("causal tracing, activation patching, circuit, mediation, minimal pairs"),
                            PageWords::tr("Shows how much of the answer a head brings from one text into another.")),
        entry<DynamicsPage>(TrainAndCompare, 9, PageWords::tr("When in training do heads become important?"),
                            PageWords::tr("checkpoints, epochs, training curve, when heads matter")),
        entry<ModelsPage>(TrainAndCompare, 0, PageWords::tr("How do several models differ?"),
                          PageWords::tr("compare models, compare studies, batch, leaderboard")),
        entry<TrainingPage>(TrainAndCompare, 0, PageWords::tr("Train a model and watch its epochs"),
                            PageWords::tr("fine-tune, gates, learn, epochs, L0")),
        entry<AnalysesPage>(None, 0, PageWords::tr("Every analysis with all its options, as a table"),
                            PageWords::tr("options, command line, every analysis, statistical test, McNemar")),
    };
    return pages;
}

const PageInfo *findPage(const QString &id)
{
    const auto &pages = pageRegistry();
    const auto found = std::ranges::find_if(pages, [&](const PageEntry &page) { return page.info.id == id; });
    return found == pages.end() ? nullptr : &found->info;
}

QStringList viewNames()
{
    QStringList names{QLatin1String(kStartView)};
    for (const PageEntry &page : pageRegistry())
        names << page.info.id;
    return names;
}

} // namespace headscope
