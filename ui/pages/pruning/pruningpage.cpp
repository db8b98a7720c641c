#include "ui/pages/pruning/pruningpage.h"

#include "core/exporting/csv.h"
#include "core/results/headorder.h"
#include "ui/charts/chartstyle.h"
#include "ui/exporting/joinedcsv.h"
#include "ui/models/numbertext.h"
#include "ui/models/removabletext.h"
#include "ui/pages/pruning/curvestable.h"
#include "ui/pages/pruning/pruningsettings.h"
#include "ui/state/maskedscore.h"
#include "ui/views/errorlabel.h"
#include "ui/views/foldingside.h"
#include "ui/views/grabslider.h"
#include "ui/views/manifesttext.h"
#include "ui/views/pageparts.h"
#include "ui/views/waysbutton.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMap>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QTextDocumentFragment>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;

namespace headscope {

PruningPage::PruningPage(StudyState &state, StudyController &controller, QWidget *parent)
    : Page(state, controller, parent)
{
    m_settle.setSingleShot(true);
    m_settle.setInterval(600);
    setupUi();
    connectState();
}

PageInfo PruningPage::info()
{
    return {u"pruning"_s, tr("&Pruning")};
}

std::vector<StudyController::Request> PruningPage::missing(Domain domain, bool)
{
    std::vector<StudyController::Request> requests;
    if (!m_state.results(domain).pruning.empty())
        return requests;
    for (const QString &order : {u"importance"_s, u"ablation"_s, u"random"_s}) {
        PruningChoice choice;
        choice.order = order;
        requests.push_back({domain, choice.spec(m_controller.runOptions(), m_state, domain)});
    }
    return requests;
}

/// By the settings, on every data set.
std::vector<StudyController::Request> PruningPage::chosen() const
{
    std::vector<StudyController::Request> requests;
    for (const Domain domain : kBothDomains) {
        if (m_state.data(domain))
            requests.push_back({domain, m_settings->choice().spec(m_controller.runOptions(), m_state, domain)});
    }
    return requests;
}

/// What the settings offer depends on the model; they say when they have changed.
void PruningPage::refreshNow()
{
    m_settings->setLayout(m_state.layout());
    m_settings->setHasBothDomains(m_state.data(Domain::In) && m_state.data(Domain::Out));
}

void PruningPage::setupUi()
{
    m_chart = new PruningChart(this);
    m_summary = makeRichText(this);
    m_summary->setAlignment(Qt::AlignLeft | Qt::AlignBottom);
    m_slider = new GrabSlider;
    m_slider->setAccessibleName(tr("Heads removed"));
    m_slider->setFocusPolicy(Qt::StrongFocus);
    m_slider->setPageStep(8);
    m_sliderRow = new QWidget(this);
    auto *sliderLayout = new QHBoxLayout(m_sliderRow);
    sliderLayout->setSpacing(0);
    sliderLayout->addWidget(m_slider);
    m_position = makeRichText(this);
    m_position->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    auto *left = new QVBoxLayout;
    left->setSpacing(4);
    left->addWidget(m_summary);
    left->addWidget(m_chart, 1);
    left->addWidget(m_sliderRow);
    m_roles = new RoleStripChart(this);
    left->addWidget(m_roles);
    left->addLayout(makePositionRow());
    left->setContentsMargins({});
    auto *main = new QWidget(this);
    main->setLayout(left);
    FoldingSide *side = makeSide();
    layOutBeside(*this, main, side);
    // The table in it says which curve is which.
    const auto showLegend = [this](bool folded) {
        m_chart->setLegend(folded ? PruningPicture::Legend::Inside : PruningPicture::Legend::None);
    };
    showLegend(side->isFolded());
    connect(side, &FoldingSide::foldedChanged, this, showLegend);
    reserveTexts();
}

/// Under the slider: what it says, and which loss is accepted.
QLayout *PruningPage::makePositionRow()
{
    m_margin = new QDoubleSpinBox(this);
    m_margin->setRange(100 * kLeastMargin, 100);
    m_margin->setDecimals(2);
    m_margin->setSingleStep(0.5);
    m_margin->setSuffix(tr(" %"));
    m_margin->setKeyboardTracking(false);
    m_margin->setAccessibleName(tr("Accepted loss, in % of the full model's score"));
    m_margin->setToolTip(tr("How many heads can go? Up to so many that the loss stays below this share of the full "
                            "model's score, at 95 % confidence: the dotted line"));
    auto *label = new QLabel(tr("Accepted loss:"), this);
    label->setBuddy(m_margin);
    auto *row = new QHBoxLayout;
    row->addWidget(m_position, 1);
    row->addWidget(label, 0, Qt::AlignTop);
    row->addWidget(m_margin, 0, Qt::AlignTop);
    return row;
}

/// What stands above and below the chart has room for all that it may say: the chart stays where it is.
void PruningPage::reserveTexts()
{
    const int lines = width() < 150 * fontMetrics().averageCharWidth() ? 3 : 2;
    for (QLabel *text : {m_summary, m_position})
        reserveLines(*text, lines);
}

void PruningPage::resizeEvent(QResizeEvent *event)
{
    Page::resizeEvent(event);
    reserveTexts();
}

FoldingSide *PruningPage::makeSide()
{
    auto *side = new QWidget(this);
    m_metric = new QComboBox(side);
    m_metric->setAccessibleName(tr("Metric of the curves"));
    m_metric->setToolTip(tr(
        "Metric of the curves: all of them come from the same outputs of the model. Orders and the slider go by the one "
        "of the study"));
    m_metric->hide();
    m_curves = new CurvesTable(side);
    m_settings = new PruningSettings(side);
    m_compute = new QPushButton(tr("&Compute curves"), side);
    m_ways = new WaysButton(
        tr("S&horter…"), [this] { return m_controller.times().ways(chosen()); }, side);
    m_save = new QPushButton(tr("Save &pruned model…"), side);
    m_showRoles = new QCheckBox(tr("&Roles of the remaining heads"), side);
    m_showRoles->setChecked(true);
    m_showRoles->setToolTip(tr("Which roles remain along the curve of the chosen order"));
    m_note = makeNote(side);
    m_error = new ErrorLabel(side);
    auto *layout = new QVBoxLayout(side);
    layout->setContentsMargins({});
    // What grows with the results is below what is clicked.
    addWidgets(*layout, {m_settings, m_compute, m_ways, m_showRoles, m_metric, m_curves, m_note, m_error});
    layout->addStretch(1);
    layout->addWidget(m_save);
    return makeFoldingSettings(side, tr("Curves and settings"), u"pruningSide"_s, this);
}

void PruningPage::connectState()
{
    connect(m_curves, &CurvesTable::shownChanged, this, &PruningPage::refreshCurves);
    connect(m_metric, &QComboBox::activated, this, &PruningPage::refreshCurves);
    connect(m_settings, &PruningSettings::changed, this, &PruningPage::refreshCurves);
    connect(m_settings, &PruningSettings::orderFileChosen, this, &PruningPage::readOrderFile);
    follow(&m_state, &StudyState::modelChanged, &PruningPage::refreshNow);
    follow(&m_state, &StudyState::dataChanged, &PruningPage::refreshNow);
    followResults(ResultKinds(ResultKind::Pruning) | ResultKind::Ablation | ResultKind::Importance
                      | ResultKind::Baseline | ResultKind::Masked,
                  &PruningPage::refreshCurves);
    follow(&m_state, &StudyState::staleChanged, &PruningPage::refreshTexts);
    follow(&m_state, &StudyState::significanceChanged, &PruningPage::refreshCurves);
    connect(m_margin, &QDoubleSpinBox::valueChanged, this, &PruningPage::chooseMargin);
    for (const auto signal : {&StudyState::rolesChanged, &StudyState::domainViewChanged})
        follow(&m_state, signal, &PruningPage::refreshRoles);
    connect(m_showRoles, &QCheckBox::toggled, this, &PruningPage::refreshRoles);
    follow(&m_state, &StudyState::maskChanged, &PruningPage::refreshMask);
    follow(&m_state, &StudyState::pinsChanged, &PruningPage::refreshPins);
    follow(&m_state, &StudyState::errorChanged, &PruningPage::refreshTexts);
    follow(&m_controller.works(), &WorkList::changed, &PruningPage::refreshButtons);
    connect(m_chart, &PruningChart::axisMoved, this, &PruningPage::alignSlider);
    connect(m_chart, &PruningChart::dragged, m_slider, &QSlider::setValue);
    connect(m_chart, &PruningChart::dragEnded, this, &PruningPage::endDrag);
    connect(m_slider, &QSlider::valueChanged, this, &PruningPage::moveTo);
    connect(m_slider, &QSlider::sliderReleased, this, &PruningPage::endDrag);
    connect(&m_settle, &QTimer::timeout, this, &PruningPage::endDrag);
    connect(m_compute, &QPushButton::clicked, this, &PruningPage::compute);
    connect(m_save, &QPushButton::clicked, this, &PruningPage::prunedModelRequested);
    connect(&m_controller.exports(), &ModelExports::exportStarted, this, &PruningPage::showSaving);
    connect(&m_controller.queue(), &JobQueue::jobFinished, this, &PruningPage::onJobFinished);
}

/// Those that the curves have; there is nothing to choose where that is one.
void PruningPage::refreshMetrics(const std::vector<PruningInput> &inputs)
{
    const QStringList metrics = pruningMetrics(inputs);
    const QString shown = m_metric->currentText();
    const QSignalBlocker blocker(m_metric);
    m_metric->clear();
    m_metric->addItems(metrics);
    m_metric->setCurrentIndex(std::max(0, static_cast<int>(metrics.indexOf(shown))));
    m_metric->setVisible(metrics.size() > 1);
}

std::vector<PruningInput> PruningPage::shownInputs() const
{
    return byMetric(pruningInputs(m_state, m_settings->choice()), m_metric->currentText());
}

void PruningPage::refreshCurves()
{
    {
        const QSignalBlocker blocker(m_margin);
        m_margin->setValue(100 * m_state.significance().margin);
    }
    const PruningChoice &choice = m_settings->choice();
    m_plan = PruningPlan(m_state, choice, m_settings->fileOrder());
    std::int64_t candidates = 0;
    for (const std::vector<HeadKind> &kinds : choice.curveKinds())
        candidates
            = std::max(candidates, std::ssize(restrictOrder(m_state.layout().heads(), kinds, choice.atLeastPerLayer)));
    m_chart->setEmptyText(whyEmpty());
    refreshMetrics(pruningInputs(m_state, choice));
    m_series = makePruningSeries(shownInputs(), static_cast<int>(candidates), m_state.significance());
    m_curves->setCurves(m_series, m_state.significance());
    m_chart->setSeries(m_curves->shown(m_series));
    m_updating = true;
    m_slider->setRange(0, m_chart->picture().series.candidates);
    m_updating = false;
    refreshRoles();
    refreshPins();
    refreshMask();
}

void PruningPage::chooseMargin(double percent)
{
    Significance rule = m_state.significance();
    rule.margin = percent / 100;
    m_state.setSignificance(rule);
}

/// The numbers of removed heads at which the pinned heads are removed.
void PruningPage::refreshPins()
{
    std::vector<PinnedPlace> places;
    for (const HeadRef &head : m_state.pins()) {
        if (const auto place = m_plan.placeOf(head))
            places.push_back({*place, QString::fromStdString(toText(head))});
    }
    std::ranges::stable_sort(places, {}, &PinnedPlace::removed);
    m_chart->setPins(std::move(places));
}

/// Along the curve of the chosen order, or the first that knows its heads; in-domain before out-of-domain.
void PruningPage::refreshRoles()
{
    const auto assigned = m_state.assignedRoles(m_state.roleDomain());
    RoleStripSeries series;
    if (assigned) {
        const std::string order = m_settings->choice().order.toStdString();
        for (const PruningInput &input : pruningInputs(m_state, m_settings->choice())) {
            for (const PruningCurve &curve : input.result->curves) {
                const bool better = series.empty() || (curve.order == order && series.order.toStdString() != order);
                if (!better)
                    continue;
                RoleStripSeries strip = makeRoleStrip(curve, *assigned, m_chart->picture().series.candidates);
                if (!strip.empty())
                    series = std::move(strip);
            }
        }
    }
    m_roles->setSeries(std::move(series));
    m_roles->setVisible(m_showRoles->isChecked()); // known or not: the slider stays where it is
}

void PruningPage::refreshMask()
{
    const auto masked = static_cast<int>(m_state.mask().size());
    m_updating = true;
    m_slider->setValue(masked);
    m_updating = false;
    // Heads masked by hand may be more than the order has.
    const int shown = std::min(masked, static_cast<int>(m_chart->picture().series.candidates));
    m_chart->setSlider(m_state.model() ? std::optional<double>(shown) : std::nullopt);
    m_roles->setSlider(m_chart->picture().slider);
    m_chart->setLiveScores(liveScores());
    refreshTexts();
}

void PruningPage::refreshTexts()
{
    QStringList texts{staleCurvesText().toHtmlEscaped(), lossText()};
    texts.removeAll(QString());
    m_summary->setText(texts.join(u' '));
    m_position->setText(positionText());
    m_slider->setAccessibleDescription(m_position->text());
    m_error->setError(m_settings->problem().isEmpty() ? m_controller.works().errorOn(info().id)
                                                      : m_settings->problem());
    refreshButtons();
}

void PruningPage::refreshButtons()
{
    QString note = m_controller.whyNotReady();
    m_compute->setEnabled(note.isEmpty() && m_settings->problem().isEmpty());
    m_compute->setText(
        withTime(tr("&Compute curves"), m_controller.times().secondsOf(chosen()), m_controller.patience()));
    m_ways->refresh();
    m_compute->setToolTip(note.isEmpty() ? tr("Measures the curve of these settings on every data set") : note);
    const bool usable = m_state.model() && !m_plan.isEmpty();
    m_slider->setEnabled(usable);
    if (note.isEmpty() && !usable)
        note = m_settings->choice().eachKind
                 ? tr("The slider needs a single order, but each kind has its own here.")
                 : tr("The slider needs an order: wait for the scores that define it, or choose another order.");
    if (!m_saveNote.isEmpty())
        note = m_saveNote;
    showNote(*m_note, note);
    m_save->setEnabled(m_state.session() && !m_state.mask().empty());
    m_save->setToolTip(m_state.mask().empty() ? tr("Mask at least one head first")
                                              : tr("Writes a copy of the model without the masked heads"));
}

QString PruningPage::whyEmpty() const
{
    if (!m_state.model())
        return tr("No model is open. Open a model folder to prune its heads.");
    if (!m_state.data(Domain::In) && !m_state.data(Domain::Out))
        return tr("No data set is open. Choose one, then press Compute curves.");
    const bool others = !m_state.results(Domain::In).pruning.empty() || !m_state.results(Domain::Out).pruning.empty();
    if (others)
        return tr("No curve has been computed with these heads. Press Compute curves, or restore the boxes.");
    return tr("No curve has been computed yet. Press Compute curves: its points appear as they are measured.");
}

/// That curves, or some of them, are of files which have changed since.
QString PruningPage::staleCurvesText() const
{
    const std::vector<PruningInput> inputs = pruningInputs(m_state, m_settings->choice());
    QString text;
    std::size_t count = 0;
    for (const PruningInput &input : inputs) {
        const QString one = staleText(m_state, input.outOfDomain ? Domain::Out : Domain::In, input.result->manifest);
        count += !one.isEmpty();
        text = one.isEmpty() ? text : one;
    }
    return count == 0 || count == inputs.size()
             ? text
             : tr("%1 of %2 curves are outdated: do not compare them with the others.")
                   .arg(countText(static_cast<std::int64_t>(count)), countText(std::ssize(inputs)));
}

/// How many heads can be removed in the chosen order, in words. The table has all orders.
QString PruningPage::lossText() const
{
    const PruningSeries &series = m_series;
    const QString &order = m_settings->choice().order;
    const bool known
        = std::ranges::any_of(series.curves, [&](const CurveSeries &curve) { return curve.order == order; });
    QStringList names;
    QMap<QString, QStringList> counts;
    for (const CurveSeries &curve : series.curves) {
        if (curve.randomOrders > 0 || curve.points.size() < 2 || (known && curve.order != order))
            continue;
        const QString name = curveName(curve);
        if (!names.contains(name))
            names << name;
        const QString domain = curve.outOfDomain ? tr("out-of-domain") : tr("in-domain");
        counts[name] << tr("%1: %2").arg(domain, removableText(curve.removable, m_state.significance()));
    }
    QStringList parts;
    for (const QString &name : names)
        parts << tr("<b>%1</b> %2").arg(name.toHtmlEscaped(), counts[name].join(u"; "_s));
    return parts.isEmpty() ? QString() : tr("Heads that can go: ") + parts.join(u" · "_s);
}

QString PruningPage::positionText() const
{
    if (!m_state.model())
        return {};
    const auto masked = m_state.mask().size();
    const auto heads = std::max<std::int64_t>(1, m_state.layout().size()); // of all: any of them may be masked by hand
    QString text = tr("<b>%1 of %2 heads removed</b> (%3 %)")
                       .arg(countText(masked), countText(heads),
                            QLocale().toString(static_cast<int>(std::lround(100.0 * double(masked) / double(heads)))));
    for (const Domain domain : kBothDomains) {
        const auto score = maskedScore(m_state, domain);
        if (!score)
            continue;
        const ValueFormat format = metricFormat(QString::fromStdString(score->metric));
        text += u" · "_s + domainName(domain) + u' ' + m_state.metricName() + u' '
              + format.score(score->value, score->interval);
        QStringList details;
        if (score->delta)
            details << format.difference(*score->delta)
                           + (score->deltaInterval ? u' ' + format.interval(*score->deltaInterval, true) : QString());
        if (score->partial)
            details << tr("%1 of %2 examples").arg(countText(score->examples), countText(score->total));
        if (!details.isEmpty())
            text += u" ("_s + details.join(u", "_s) + u')';
    }
    if (!m_plan.isEmpty() && masked > 0 && !m_plan.isOnPlan(m_state.mask()))
        text += tr(" · masked by hand: not on the curve");
    return text;
}

std::vector<LiveScore> PruningPage::liveScores() const
{
    std::vector<LiveScore> scores;
    for (const Domain domain : kBothDomains) {
        const auto score = maskedScore(m_state, domain);
        if (!score || (!m_series.empty() && QString::fromStdString(score->metric) != m_series.metric))
            continue;
        const double factor = metricFormat(QString::fromStdString(score->metric)).factor;
        LiveScore live{domain == Domain::Out, score->value * factor, score->interval};
        if (live.interval)
            live.interval = Interval{live.interval->low * factor, live.interval->high * factor};
        scores.push_back(live);
    }
    return scores;
}

void PruningPage::alignSlider()
{
    const auto [left, right] = m_chart->axisEnds();
    m_roles->setAxisEnds(left, right);
    headscope::alignSlider(*m_slider, *m_sliderRow, left, right);
}

void PruningPage::moveTo(int removed)
{
    if (m_updating || m_plan.isEmpty())
        return;
    m_saveNote.clear();
    m_state.dragMask(m_plan.maskAt(removed));
    if (removed > m_plan.last())
        refreshMask(); // the handle goes back to what can be
    m_settle.start();
}

void PruningPage::endDrag()
{
    if (m_slider->isSliderDown() || m_chart->isDragging())
        return;
    m_settle.stop();
    m_state.endMaskDrag();
}

void PruningPage::readOrderFile(const QString &path)
{
    const JobSpec spec{tr("Read %1").arg(QFileInfo(path).fileName()), QStringLiteral("order file"),
                       JobLane::Interactive};
    m_controller.queue().start<PruningOrder>(
        spec,
        [file = path.toStdString(), layout = m_state.layout()](const JobControl &) {
            return readPruningOrder(file, layout);
        },
        this, [this, path](const Result<PruningOrder> &order) { m_settings->showOrderFile(path, order); });
}

void PruningPage::compute()
{
    if (!m_compute->isEnabled())
        return;
    for (const StudyController::Request &request : chosen())
        m_controller.start(request.domain, request.spec);
}

void PruningPage::showSaving(const QString &folder, ExportForm form)
{
    m_saveNote = tr("Writing the model without its masked heads to %1 …").arg(folder);
    m_doneNote = form == ExportForm::Full
                   ? tr("Written to %1: a copy in full shape whose masked heads are set to zero, and heads.json, which "
                        "lists them.")
                         .arg(folder)
                   : tr("Written to %1: the smaller model, and heads.json, which lists the removed heads and the "
                        "programs that can open the model.")
                         .arg(folder);
    refreshWhenShown([this] { refreshButtons(); });
}

void PruningPage::onJobFinished(qint64 id)
{
    for (const JobInfo &job : m_controller.queue().jobs()) {
        if (job.id != id || job.spec.tag != QLatin1String(ModelExports::kExportTag))
            continue;
        m_saveNote = job.state == JobState::Done ? m_doneNote : QString();
        refreshWhenShown([this] { refreshTexts(); });
    }
}

PruningPicture PruningPage::exportPicture() const
{
    PruningPicture picture = m_chart->picture();
    picture.palette = ViewPalette::light();
    picture.legend = PruningPicture::Legend::Above;
    if (m_state.mask().empty())
        picture.slider.reset();
    if (!picture.slider)
        picture.live.clear();
    return picture;
}

QList<ExportItem> PruningPage::makeExportItems() const
{
    const PruningPicture picture = exportPicture();
    if (picture.series.empty())
        return {};
    ExportItem item = curvesItem(picture);
    QList<ExportItem> items{item};
    const RoleStripSeries strip = m_roles->picture().series;
    if (strip.empty())
        return items;
    item.name = tr("Roles of the remaining heads, %1").arg(picture.series.metric);
    item.caption += tr(" Below: remaining heads with a role, along the curve of the order %1.").arg(strip.order);
    item.size += QSizeF(0, 120);
    item.paint = [picture, strip](QPainter &painter, const QRectF &rect) {
        const double below = roleStripHeight(QFontMetricsF(painter.font(), painter.device()));
        const QRectF plot = paintPruningChart(painter, rect.adjusted(0, 0, 0, -below), picture);
        paintRoleStrip(painter, QRectF(rect.left(), rect.bottom() - below, rect.width(), below), plot.left(),
                       plot.right(), {strip, {}, ViewPalette::light()});
    };
    item.csv = [strip] { return roleStripCsv(strip); };
    items << item;
    return items;
}

/// The curves of the settings, and what they are of.
ExportItem PruningPage::curvesItem(const PruningPicture &picture) const
{
    const std::vector<PruningInput> inputs = pruningInputs(m_state, m_settings->choice());
    std::vector<const Manifest *> manifests;
    QStringList data;
    for (const PruningInput &input : inputs) {
        manifests.push_back(&input.result->manifest);
        const QString name
            = tr("%1 (%2, %3)")
                  .arg(QString::fromStdString(input.result->manifest.data),
                       input.outOfDomain ? tr("out-of-domain") : tr("in-domain"),
                       input.basis.isEmpty() ? tr("examples: %1").arg(countText(input.result->examples)) : input.basis);
        if (!data.contains(name))
            data << name;
    }
    ExportItem item;
    item.name = tr("Pruning curves, %1").arg(picture.series.metric);
    item.caption
        = tr("%1 against the number of attention heads removed, on %2. Bands of lines: 95 % bootstrap "
             "intervals; grey band: lowest and highest of the random orders. Rings: first significant loss (paired "
             "bootstrap). Squares: last point up to which the loss is below %3 of the full model's score at 95 % "
             "confidence (dotted line).")
              .arg(picture.series.metric, data.join(tr(" and ")), marginText(m_state.significance()));
    if (const QString answer = lossText(); !answer.isEmpty())
        item.caption += u' ' + QTextDocumentFragment::fromHtml(answer).toPlainText() + u'.';
    if (const QString stale = staleCurvesText(); !stale.isEmpty())
        item.caption += u' ' + stale;
    item.size = sizeOnPage(*m_chart, QSizeF(860, 520));
    item.paint = [picture](QPainter &painter, const QRectF &rect) { paintPruningChart(painter, rect, picture); };
    item.csv = [inputs] {
        std::vector<LabelledTable> tables;
        for (const PruningInput &input : inputs)
            tables.push_back({{input.outOfDomain ? "out" : "in", input.result->manifest.data}, toCsv(*input.result)});
        return joinedCsv({"domain", "data"}, tables);
    };
    item.manifestJson = manifestsText(m_state, manifests);
    return item;
}

} // namespace headscope
