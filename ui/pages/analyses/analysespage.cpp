#include "ui/pages/analyses/analysespage.h"

#include "core/exporting/csv.h"
#include "ui/charts/chartexport.h"
#include "ui/language/corewords.h"
#include "ui/models/numbertext.h"
#include "ui/models/plaintip.h"
#include "ui/models/tasktext.h"
#include "ui/pages/analyses/analysisform.h"
#include "ui/pages/analyses/csvmodel.h"
#include "ui/state/domainjobs.h"
#include "ui/state/resultkinds.h"
#include "ui/views/captionlabel.h"
#include "ui/views/errorlabel.h"
#include "ui/views/flowlayout.h"
#include "ui/views/foldingside.h"
#include "ui/views/manifesttext.h"
#include "ui/views/pageparts.h"
#include "ui/views/plainlabel.h"
#include "ui/views/waysbutton.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QDateTime>
#include <QFileInfo>
#include <QLocale>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <ranges>
#include <string>
#include <utility>
#include <variant>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {
/// The heads that are off in a result.
HeadMask maskOf(const AnyResult &result)
{
    if (const auto score = result.as<EvaluationResult>())
        return score->mask;
    const auto mask = parseHeadMask(maskedThroughout(result));
    return mask.isOk() ? mask.value() : HeadMask();
}

} // namespace

AnalysesPage::AnalysesPage(StudyState &state, StudyController &controller, QWidget *parent)
    : Page(state, controller, parent), m_model(new CsvModel(this)), m_sorted(new QSortFilterProxyModel(this))
{
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(CsvModel::kSortRole);
    QWidget *main = makeMain(); // before the side: Tab goes there first
    layOutBeside(*this, main, makeSide());
    connectAll();
}

PageInfo AnalysesPage::info()
{
    return {u"analyses"_s, tr("Anal&yses")};
}

QWidget *AnalysesPage::makeMain()
{
    auto *main = new QWidget(this);
    m_title = makeTitle(main);
    m_analysis = new QComboBox(main);
    m_analysis->setAccessibleName(tr("Analysis"));
    letShrink(*m_analysis, 30);
    m_domain = new QComboBox(main);
    m_domain->addItems({domainName(Domain::In), domainName(Domain::Out)});
    m_domain->setAccessibleName(tr("Data set"));
    m_domain->setToolTip(tr("The data set that the result is of"));
    m_ways = new WaysButton(
        tr("S&horter…"), [this] { return m_controller.times().ways(asked()); }, main);
    m_compute = new QPushButton(tr("&Compute"), main);
    reserveTime(*m_compute, tr("&Compute"));
    m_summary = new CaptionLabel(main);
    m_note = makeNote(main);
    m_error = new ErrorLabel(main);
    m_table = new QTableView(main);
    m_table->setModel(m_sorted);
    m_table->setAccessibleName(tr("Result of the analysis"));
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder); // as the result has it
    setUpRowTable(*m_table);
    auto *top = new QWidget(main);
    auto *flow = new FlowLayout(top); // in two rows where the page is narrow
    addWidgets(*flow, {m_title, m_analysis, m_domain, m_compute, m_ways});
    auto *layout = new QVBoxLayout(main);
    layout->setContentsMargins({});
    addWidgets(*layout, {top, m_summary, m_note, m_error});
    layout->addWidget(m_table, 1);
    layout->addStretch();
    return main;
}

FoldingSide *AnalysesPage::makeSide()
{
    auto *side = new QWidget(this);
    m_about = new PlainLabel(side);
    m_about->setWordWrap(true);
    m_forms = makeAnalysisForms(side);
    for (AnalysisForm *form : m_forms) {
        form->hide();
        const AnySpec spec = form->spec({}, {});
        m_analysis->addItem(tr("%1: %2").arg(analysisTitle(spec), fromCore(form->info().summary)),
                            QString::fromUtf8(form->info().name));
        connect(form, &AnalysisForm::changed, this, &AnalysesPage::refreshResult);
    }
    auto *layout = new QVBoxLayout(side);
    layout->setContentsMargins({});
    layout->addWidget(m_about);
    for (AnalysisForm *form : m_forms)
        layout->addWidget(form);
    m_analysis->view()->setMinimumWidth(m_analysis->view()->sizeHintForColumn(0) + 24); // whole sentences in the list
    layout->addStretch(1);
    return makeFoldingSettings(side, tr("Options of the analysis"), u"analysesSide"_s, this, 42);
}

void AnalysesPage::connectAll()
{
    follow(&m_state, &StudyState::modelChanged, &AnalysesPage::refreshNow);
    followResults(kAllResultKinds, &AnalysesPage::refreshResult);
    follow(&m_state, &StudyState::dataChanged, &AnalysesPage::refreshNow);
    follow(&m_state, &StudyState::maskChanged, &AnalysesPage::refreshResult);
    follow(&m_state, &StudyState::staleChanged, &AnalysesPage::refreshTexts);
    follow(&m_state, &StudyState::errorChanged, &AnalysesPage::refreshTexts);
    connect(m_analysis, &QComboBox::currentIndexChanged, this, [this] {
        for (AnalysisForm *form : m_forms)
            form->setVisible(form == &this->form());
        refreshResult();
    });
    follow(&m_controller.works(), &WorkList::changed, &AnalysesPage::refreshTexts);
    followDomainSwitch(*m_domain, m_state);
    follow(&m_state, &StudyState::domainViewChanged, &AnalysesPage::refreshNow);
    connect(m_compute, &QPushButton::clicked, this, &AnalysesPage::compute);
    form().show();
}

std::size_t AnalysesPage::chosen() const
{
    return static_cast<std::size_t>(std::max(0, m_analysis->currentIndex()));
}

Domain AnalysesPage::domain() const
{
    return m_state.shownDomain();
}

QString AnalysesPage::title() const
{
    return analysisTitle(form().spec({}, {}));
}

std::optional<AnyResult> AnalysesPage::result() const
{
    for (const AnyResult &one : m_state.shownResults(domain()) | std::views::reverse) {
        if (form().isOwn(one, m_state.mask()))
            return one;
    }
    return std::nullopt;
}

void AnalysesPage::refreshNow()
{
    const bool both = showDomainChoice(*m_domain, m_state);
    for (AnalysisForm *form : m_forms)
        form->setHasSecond(both);
    refreshResult();
}

void AnalysesPage::refreshResult()
{
    auto newest = result();
    if (newest != m_shown) {
        m_shown = std::move(newest);
        m_model->setCsv(m_shown ? toCsv(*m_shown) : std::string());
        Q_EMIT exportableChanged();
    }
    m_table->setVisible(m_model->rowCount() > 0);
    // A head's address says its parts.
    const bool hasHeads = m_model->headerData(0, Qt::Horizontal, Qt::DisplayRole).toString() == "head"_L1;
    for (int column = 1; column < std::min(m_model->columnCount(), 4); ++column)
        m_table->setColumnHidden(column, hasHeads);
    refreshTexts();
}

QString AnalysesPage::whyNot() const
{
    if (const QString why = m_controller.whyNotReady(); !why.isEmpty())
        return why;
    const auto &data = m_state.data(domain());
    if (!data)
        return tr("Choose a data set first.");
    if (form().needsReferences() && !data->references)
        return tr("This analysis needs data with references or labels.");
    if (asked().front().spec.is<PatchSpec>() && !data->patchingPairs)
        return whyNotPatched(*data);
    if (form().info().needsHeads && m_state.layout().size() == 0)
        return tr("This model has no attention heads left.");
    return {};
}

QString AnalysesPage::summary() const
{
    if (!m_shown)
        return {};
    const Manifest *manifest = manifestOf(*m_shown);
    if (!manifest)
        return {};
    const QDateTime when = QDateTime::fromString(QString::fromStdString(manifest->created), Qt::ISODate).toLocalTime();
    QString text = tr("Model %1, data %2, computed %3.")
                       .arg(QFileInfo(QString::fromStdString(manifest->model)).fileName(),
                            QString::fromStdString(manifest->data), QLocale().toString(when, QLocale::ShortFormat));
    const HeadMask mask = maskOf(*m_shown);
    text += u' '
          + (mask.empty() ? tr("No head is masked.") : tr("Masked: %1.").arg(QString::fromStdString(toText(mask))));
    if (manifest->partial)
        text += u' ' + tr("%1 of %2 examples.").arg(countText(manifest->examples), countText(manifest->totalExamples));
    const QString stale = staleText(m_state, domain(), *manifest);
    return stale.isEmpty() ? text : stale + u' ' + text;
}

void AnalysesPage::refreshTexts()
{
    m_title->setText(tr("<b>%1</b>, %2").arg(title(), domainName(domain())));
    m_about->setText(fromCore(form().info().summary) + u'.');
    m_analysis->setToolTip(plainTip(m_analysis->currentText()));
    const QString why = whyNot();
    m_summary->setText(m_shown         ? summary()
                       : why.isEmpty() ? tr("Not computed yet. Choose options, then press Compute.")
                                       : why);
    showNote(*m_note, m_shown ? why : QString());
    m_error->setError(m_controller.works().errorOn(info().id, kindOf(asked().front().spec)));
    m_compute->setEnabled(why.isEmpty());
    if (m_controller.isAutomatic() && why.isEmpty() && isVisible())
        m_controller.times().measurePace(asked());
    m_compute->setText(withTime(tr("&Compute"), m_controller.times().secondsOf(asked()), m_controller.patience()));
    m_ways->refresh();
    m_compute->setToolTip(why.isEmpty() ? tr("Computes this analysis with these options on the chosen data set")
                                        : plainTip(why));
}

std::vector<StudyController::Request> AnalysesPage::asked() const
{
    return {{domain(), form().spec(m_controller.runOptions(), m_state.mask())}};
}

void AnalysesPage::compute()
{
    if (whyNot().isEmpty())
        m_controller.start(domain(), asked().front().spec);
}

QList<ExportItem> AnalysesPage::makeExportItems() const
{
    if (!m_shown || m_model->rowCount() == 0)
        return {};
    ExportItem item = tableItem(tr("%1, %2").arg(title(), domainName(domain())), summary(), *m_sorted);
    item.csv = [result = *m_shown] { return toCsv(result); };
    item.manifestJson = manifestsText(m_state, {manifestOf(*m_shown)});
    return {item};
}

} // namespace headscope
