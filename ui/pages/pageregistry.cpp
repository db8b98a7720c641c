#include "ui/pages/pageregistry.h"

#include "ui/pages/analyses/analysespage.h"
#include "ui/pages/attention/attentionpage.h"
#include "ui/pages/domains/domainspage.h"
#include "ui/pages/dynamics/dynamicspage.h"
#include "ui/pages/heads/headspage.h"
#include "ui/pages/layers/layerspage.h"
#include "ui/pages/map/mappage.h"
#include "ui/pages/models/modelspage.h"
#include "ui/pages/pruning/pruningpage.h"
#include "ui/pages/roles/rolespage.h"
#include "ui/pages/search/searchpage.h"
#include "ui/pages/sharing/sharingpage.h"
#include "ui/pages/training/trainingpage.h"

#include <algorithm>

namespace headscope {

namespace {
template<typename T>
PageEntry entry()
{
    return {T::info(), [](StudyState &state, StudyController &controller, QWidget *parent) -> Page * {
                return new T(state, controller, parent);
            }};
}
} // namespace

const std::vector<PageEntry> &pageRegistry()
{
    static const std::vector<PageEntry> pages{
        entry<HeadsPage>(),     entry<LayersPage>(), entry<PruningPage>(),  entry<SearchPage>(),   entry<DomainsPage>(),
        entry<AttentionPage>(), entry<RolesPage>(),  entry<MapPage>(),      entry<DynamicsPage>(), entry<SharingPage>(),
        entry<AnalysesPage>(),  entry<ModelsPage>(), entry<TrainingPage>(),
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
