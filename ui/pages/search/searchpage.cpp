#include "ui/pages/search/searchpage.h"

#include "core/exporting/csv.h"
#include "ui/charts/chartexport.h"
#include "ui/models/numbertext.h"
#include "ui/pages/search/searchsettings.h"
#include "ui/views/captionlabel.h"
#include "ui/views/errorlabel.h"
#include "ui/views/foldingside.h"
#include "ui/views/gridexport.h"
#include "ui/views/linechart.h"
#include "ui/views/manifesttext.h"
#include "ui/views/pageparts.h"
#include "ui/views/readonlygrid.h"
#include "ui/views/waysbutton.h"

#include <QAction>
#include <QComboBox>
#include <QGroupBox>
#include <QHeaderView>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>

using namespace Qt::StringLiterals;

namespace headscope {

SearchPage::SearchPage(StudyState &state, StudyController &controller, QWidget *parent)
    : Page(state, controller, parent), m_model(new SearchModel(this))
{
    QWidget *main = makeMain(); // before the side: Tab goes there first
    layOutBeside(*this, main, makeSide());
    m_analysis = new QAction(tr("Mask &search now"), this);
    connectAll();
}

PageInfo SearchPage::info()
{
    return {u"search"_s, tr("&Search")};
}

QWidget *SearchPage::makeMain()
{
    auto *main = new QWidget(this);
    m_title = makeTitle(main);
    m_domain = makeMeasuredChoice(main);
    m_summary = new CaptionLabel(main);
    m_chart = new LineChart(tr("Scores of the masks that were found"), main);
    m_grid = new ReadOnlyGrid(tr("Heads that the chosen mask removes"), main);
    auto *beside = new QSplitter(Qt::Horizontal, main);
    beside->addWidget(m_chart);
    beside->addWidget(m_grid);
    m_grid->setMinimumWidth(240); // with its legend
    beside->setStretchFactor(0, 3);
    beside->setStretchFactor(1, 2);
    auto *split = new QSplitter(Qt::Vertical, main);
    split->addWidget(beside);
    split->addWidget(makeFoldingBelow(makeTable(), tr("Budgets"), u"searchBudgets"_s, split));
    split->setStretchFactor(0, 1); // the table keeps its few lines
    split->setSizes({1000, m_table->minimumHeight() + 2 * fontMetrics().height()});
    for (QSplitter *one : {beside, split})
        one->setChildrenCollapsible(false);
    layOutMain(main, m_title, m_domain, m_summary, split);
    return main;
}

QWidget *SearchPage::makeTable()
{
    m_table = new QTableView(this);
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Budgets of the search"));
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    setUpRowTable(*m_table);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setMinimumHeight(5 * (fontMetrics().height() + 8));
    return m_table;
}

/// What the chosen budget removes, and the button that does it.
QWidget *SearchPage::makeFound()
{
    auto *found = new QGroupBox(tr("Chosen mask"), this);
    m_method = new QComboBox(found);
    m_method->setAccessibleName(tr("Which mask of the budget"));
    for (const SearchMethod method : kSearchMethods)
        addChoice(*m_method, searchMethodName(method), searchMethodExplanation(method));
    m_method->setCurrentIndex(static_cast<int>(SearchMethod::Rearranged));
    m_apply = new QPushButton(tr("&Apply this mask"), found);
    m_found = makeSelectableText(found);
    auto *layout = new QVBoxLayout(found);
    addWidgets(*layout, {m_method, m_found, m_apply});
    return found;
}

QWidget *SearchPage::makeSide()
{
    auto *side = new QWidget(this);
    m_settings = new SearchSettings(side);
    m_compute = new QPushButton(tr("&Compute"), side);
    m_ways = new WaysButton(
        tr("S&horter…"), [this] { return m_controller.times().ways(chosen()); }, side);
    m_note = makeNote(side);
    m_error = new ErrorLabel(side);
    auto *layout = new QVBoxLayout(side);
    layout->setContentsMargins({});
    addWidgets(*layout, {m_settings, m_compute, m_ways, m_note, m_error});
    layout->addSpacing(6);
    m_chosen = makeFound();
    layout->addWidget(m_chosen);
    layout->addStretch(1);
    return makeFoldingSettings(side, tr("Settings and chosen mask"), u"searchSide"_s, this);
}

void SearchPage::connectAll()
{
    follow(&m_state, &StudyState::modelChanged, &SearchPage::refreshNow);
    follow(&m_state, &StudyState::dataChanged, &SearchPage::refreshNow);
    followResults(ResultKind::Search, &SearchPage::refreshResult);
    follow(&m_state, &StudyState::staleChanged, &SearchPage::refreshTexts);
    follow(&m_state, &StudyState::significanceChanged, &SearchPage::refreshTexts);
    follow(&m_state, &StudyState::maskChanged, &SearchPage::refreshFound);
    follow(&m_state, &StudyState::errorChanged, &SearchPage::refreshTexts);
    follow(&m_controller.works(), &WorkList::changed, &SearchPage::refreshTexts);
    connect(m_settings, &SearchSettings::changed, this, &SearchPage::refreshTexts);
    followDomainSwitch(*m_domain, m_state);
    follow(&m_state, &StudyState::domainViewChanged, &SearchPage::refreshNow);
    connect(m_method, &QComboBox::currentIndexChanged, this, &SearchPage::refreshFound);
    connect(m_compute, &QPushButton::clicked, this, [this] { compute(); });
    connect(m_analysis, &QAction::triggered, this, [this] { compute(); });
    connect(m_apply, &QPushButton::clicked, this, &SearchPage::apply);
    connect(m_table, &QTableView::activated, this, &SearchPage::apply);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex &index) {
        if (const auto chosen = SearchModel::methodOf(index.isValid() ? index.column() : -1))
            m_method->setCurrentIndex(static_cast<int>(*chosen));
        if (const SearchPoint *point = chosenPoint(); point && !m_refreshing)
            m_wanted = point->pruned;
        refreshFound();
    });
    connect(m_chart, &LineChart::chosen, this, [this](double removed) {
        const int row = m_model->rowOf(static_cast<std::int64_t>(removed));
        m_table->setCurrentIndex(m_model->index(row, SearchModel::RemovedColumn));
    });
}

bool SearchPage::canSearch(Domain domain) const
{
    return m_state.data(domain) && m_state.data(domain)->references;
}

std::vector<StudyController::Request> SearchPage::chosen(Domain domain) const
{
    if (!canSearch(domain))
        return {};
    return {{domain, m_settings->spec(m_controller.runOptions())}};
}

std::vector<StudyController::Request> SearchPage::chosen() const
{
    std::vector<StudyController::Request> requests;
    for (const Domain domain : kBothDomains)
        std::ranges::copy(chosen(domain), std::back_inserter(requests));
    return requests;
}

void SearchPage::compute()
{
    bringUpToDate(); // the menu computes without the page being seen
    if (!whyNot().isEmpty())
        return;
    for (const StudyController::Request &request : chosen())
        m_controller.start(request.domain, request.spec);
}

std::vector<StudyController::Request> SearchPage::missing(Domain domain, bool shown)
{
    // Measures three masks for every budget: computed only if they are shown.
    if (!shown || m_state.results(domain).search)
        return {};
    bringUpToDate();
    return chosen(domain);
}

Domain SearchPage::measured() const
{
    return m_state.shownDomain();
}

SearchMethod SearchPage::method() const
{
    return kSearchMethods[static_cast<std::size_t>(std::max(0, m_method->currentIndex()))];
}

const SearchPoint *SearchPage::chosenPoint() const
{
    return m_model->point(m_table->currentIndex().row());
}

void SearchPage::refreshNow()
{
    showDomainChoice(*m_domain, m_state);
    m_settings->setStudy(m_state.layout(), canSearch(Domain::In) && canSearch(Domain::Out));
    refreshResult();
}

void SearchPage::refreshResult()
{
    const auto &result = m_state.results(measured()).search;
    const QScopedValueRollback refreshing(m_refreshing, true);
    const auto &before = m_model->result();
    const bool isOther = result && (!before || before->manifest.spec != result->manifest.spec);
    if (isOther && !result->searchData.empty())
        m_settings->setFromOther(!result->searchedOnEvaluated);
    m_model->setResult(result);
    m_chart->setSeries(result ? makeSearchSeries(*result) : LineSeries());
    m_grid->setContent(result ? fisherContent(m_state.layout(), *result) : GridContent());
    for (QWidget *widget : {static_cast<QWidget *>(m_table), static_cast<QWidget *>(m_grid), m_chosen})
        widget->setVisible(m_model->rowCount() > 0);
    if (m_model->rowCount() > 0) {
        // A budget chosen by the user stays; the default is the largest within the margin, or without a sure loss.
        int row = m_model->rowOf(m_wanted);
        if (row < 0) {
            const RemovableHeads answer = removableBy(*result, SearchMethod::Rearranged, m_state.significance());
            row = std::max(1, m_model->rowOf(answer.withinMargin.value_or(answer.withoutLoss)));
        }
        m_table->setCurrentIndex(m_model->index(std::min(row, m_model->rowCount() - 1), SearchModel::RemovedColumn));
    }
    refreshFound();
    refreshTexts();
}

void SearchPage::refreshFound()
{
    const SearchPoint *point = chosenPoint();
    if (point)
        m_chart->setCursor(static_cast<double>(point->pruned), tr("%1 removed").arg(headsText(point->pruned)));
    else
        m_chart->setCursor(std::nullopt);
    m_grid->setMask(point ? foundMask(*point, method()).mask : HeadMask());
    m_found->setText(foundText());
    const bool applied = point && foundMask(*point, method()).mask == m_state.mask();
    m_apply->setEnabled(point && !applied);
    m_apply->setToolTip(!point    ? tr("Choose a budget in the table first")
                        : applied ? tr("Exactly these heads are masked already")
                                  : tr("Masks these heads and no others, as one step that can be undone"));
}

namespace {

/// "−1.38 [−2.66, −0.32]"
QString differenceText(const FoundMask &found, const ValueFormat &format)
{
    return found.paired ? format.difference(found.delta) + u' ' + format.interval(found.paired->interval, true)
                        : format.difference(found.delta);
}

} // namespace

QString SearchPage::foundText() const
{
    const SearchPoint *point = chosenPoint();
    if (!point)
        return {};
    const FoundMask &found = foundMask(*point, method());
    const SearchResult &result = *m_model->result();
    const ValueFormat format = metricFormat(QString::fromStdString(result.baseline.name));
    QString text = tr("%1 removed: %2 %3 (%4)")
                       .arg(headsText(point->pruned), QString::fromStdString(result.baseline.name),
                            format.score(found.score, found.interval), differenceText(found, format));
    if (method() == SearchMethod::Rescaled && !found.scales.empty())
        text += u'\n'
              + tr("A mask does not contain the factors: applied, it scores like “%1”. headscope-cli search --out "
                   "writes them.")
                    .arg(searchMethodName(SearchMethod::Rearranged));
    return text;
}

void SearchPage::apply()
{
    if (const SearchPoint *point = chosenPoint())
        m_state.setMask(foundMask(*point, method()).mask, tr("mask of the search, %1").arg(headsText(point->pruned)));
}

QString SearchPage::whyNot() const
{
    if (const QString why = m_controller.whyNotReady(); !why.isEmpty())
        return why;
    if (!canSearch(Domain::In) && !canSearch(Domain::Out))
        return tr("Gradients and scores need data with references or labels.");
    return {};
}

QString SearchPage::whyEmpty() const
{
    if (!m_state.model())
        return tr("No model is open. Open a model folder to search for heads that it does not need.");
    if (!m_state.data(Domain::In) && !m_state.data(Domain::Out))
        return tr("No data set is open. Choose one, then press Compute.");
    if (const QString why = whyNot(); !why.isEmpty())
        return why;
    if (m_controller.isComputing(ResultKind::Search))
        return tr("Computing: gradients first, then a mask for every budget, then their scores.");
    return tr("Nothing has been searched yet. Press Compute: gradients select heads that can be removed together, and "
              "only the resulting masks are measured.");
}

QString SearchPage::summary() const
{
    const auto &result = m_model->result();
    if (!result || result->points.empty())
        return {};
    QString text = removableSentence(*result, m_state.significance()) + u' '
                 + tr("Gradients from %1 examples of %2%3.")
                       .arg(countText(result->samples), QString::fromStdString(result->searchData),
                            result->searchedOnEvaluated ? tr(", the data that are measured, which flatters the masks")
                                                        : QString());
    if (result->manifest.partial) {
        const QString of = m_controller.isComputing(ResultKind::Search)
                             ? tr("Measuring: %1 of %2 examples so far. ")
                             : tr("Stopped at %1 of %2 examples: Compute resumes there. ");
        text = of.arg(countText(result->examples), countText(result->manifest.totalExamples)) + text;
    }
    const QString stale = staleText(m_state, measured(), result->manifest);
    return stale.isEmpty() ? text : stale + u' ' + text;
}

void SearchPage::refreshTexts()
{
    m_title->setText(tr("<b>Mask search</b>, %1").arg(domainName(measured())));
    m_summary->setText(summary());
    m_chart->setEmptyText(whyEmpty());
    const QString problem = m_settings->problem();
    m_error->setError(problem.isEmpty() ? m_controller.works().errorOn(info().id) : problem);
    const QString why = whyNot();
    showNote(*m_note, m_chart->series().empty() ? QString() : why);
    m_compute->setEnabled(why.isEmpty() && problem.isEmpty());
    m_compute->setText(withTime(tr("&Compute"), m_controller.times().secondsOf(chosen()), m_controller.patience()));
    m_ways->refresh();
    m_compute->setToolTip(why.isEmpty() ? tr("Searches masks by these settings, and measures them on every data set")
                                        : why);
}

QList<ExportItem> SearchPage::makeExportItems() const
{
    const auto &result = m_model->result();
    if (!result || result->points.empty())
        return {};
    ExportItem chart = lineItem(
        tr("Mask search, %1").arg(domainName(measured())),
        tr("%1 of %2 on %3 (%4 examples) against heads removed, by masks from gradients alone (Kwon et al. 2022): "
           "bands are 95 % bootstrap intervals. %5")
            .arg(QString::fromStdString(result->baseline.name), QString::fromStdString(result->manifest.model),
                 QString::fromStdString(result->manifest.data), countText(result->examples), summary()),
        m_chart->series());
    chart.csv = [result] { return toCsv(*result); };
    chart.manifestJson = manifestsText(m_state, {&result->manifest});
    QList<ExportItem> items{chart};
    if (const SearchPoint *point = chosenPoint()) {
        const GridPicture grid = m_grid->picture();
        ExportItem heads = gridItem(
            tr("Heads that the search removes, %1").arg(domainName(measured())),
            tr("%1 by the mask search (%2), crossed out. %3")
                .arg(headsText(point->pruned), searchMethodName(method()).toLower(), gridCaption(grid.content)),
            grid);
        heads.manifestJson = chart.manifestJson;
        items << heads;
    }
    return items;
}

} // namespace headscope
