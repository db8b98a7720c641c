#include "ui/pages/weights/weightspage.h"

#include "core/exporting/csv.h"
#include "core/results/manifestoptions.h"
#include "ui/charts/chartexport.h"
#include "ui/exporting/csvtext.h"
#include "ui/models/numbertext.h"
#include "ui/pages/weights/rankedtokensmodel.h"
#include "ui/views/captionlabel.h"
#include "ui/views/errorlabel.h"
#include "ui/views/flowlayout.h"
#include "ui/views/headgridview.h"
#include "ui/views/linechart.h"
#include "ui/views/manifesttext.h"
#include "ui/views/matrixchart.h"
#include "ui/views/pageparts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {

constexpr std::int64_t kDirections = 8; ///< of the selected head

/// What the grid can show.
struct WeightMeasure
{
    const char *name;
    bool diverging;
    std::optional<double> (*value)(const HeadWeightNumbers &);
};
constexpr WeightMeasure kWeightMeasures[] = {
    {QT_TRANSLATE_NOOP("headscope::WeightsPage", "OV eigenvalues (copies)"), true,
     [](const HeadWeightNumbers &head) { return head.ov.eigenvalueScore; }},
    {QT_TRANSLATE_NOOP("headscope::WeightsPage", "OV eigenvalues over the vocabulary"), true,
     [](const HeadWeightNumbers &head) { return head.ov.vocabularyScore; }},
    {QT_TRANSLATE_NOOP("headscope::WeightsPage", "QK eigenvalues (attends to what is alike)"), true,
     [](const HeadWeightNumbers &head) { return head.qk.eigenvalueScore; }},
    {QT_TRANSLATE_NOOP("headscope::WeightsPage", "QK eigenvalues over the vocabulary"), true,
     [](const HeadWeightNumbers &head) { return head.qk.vocabularyScore; }},
    {QT_TRANSLATE_NOOP("headscope::WeightsPage", "OV norm"), false,
     [](const HeadWeightNumbers &head) { return std::optional(head.ov.norm); }},
    {QT_TRANSLATE_NOOP("headscope::WeightsPage", "QK norm"), false,
     [](const HeadWeightNumbers &head) { return std::optional(head.qk.norm); }},
    {QT_TRANSLATE_NOOP("headscope::WeightsPage", "OV effective rank"), false,
     [](const HeadWeightNumbers &head) { return std::optional(head.ov.effectiveRank); }},
    {QT_TRANSLATE_NOOP("headscope::WeightsPage", "QK effective rank"), false,
     [](const HeadWeightNumbers &head) { return std::optional(head.qk.effectiveRank); }},
};

/// The text whose tokens a result is of; empty: none.
std::string askedToken(const HeadTokensResult &result)
{
    const nlohmann::json options = optionsOf(result.manifest);
    const auto token = options.find("token");
    return token != options.end() && token->is_string() ? token->get<std::string>() : std::string();
}

/// Eigenvalues and singular values of a head.
std::string spectraCsv(const HeadWeightNumbers &head)
{
    CsvText csv("head,circuit,values,number,real,imaginary");
    const auto add = [&](const char *circuit, const char *values, const std::vector<double> &real,
                         const std::vector<double> &imaginary) {
        for (std::size_t i = 0; i < real.size(); ++i) {
            csv << toText(head.head) << circuit << values << static_cast<std::int64_t>(i + 1) << real[i]
                << (i < imaginary.size() ? imaginary[i] : 0.0);
            csv.endLine();
        }
    };
    for (const auto &[name, circuit] : {std::pair("ov", &head.ov), std::pair("qk", &head.qk)}) {
        add(name, "eigenvalue", circuit->eigenvaluesReal, circuit->eigenvaluesImaginary);
        add(name, "vocabulary_eigenvalue", circuit->vocabularyReal, circuit->vocabularyImaginary);
        add(name, "singular_value", circuit->singularValues, {});
    }
    return csv.text();
}

/// Which pairs have lines over the grid.
enum class LinesShown { None, All, OfSelected };

QTableView *makeTokenTable(RankedTokensModel *model, const QString &name, QWidget *parent)
{
    auto *table = new QTableView(parent);
    table->setModel(model);
    table->setAccessibleName(name);
    setUpRowTable(*table);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    return table;
}

} // namespace

WeightsPage::WeightsPage(StudyState &state, StudyController &controller, QWidget *parent)
    : Page(state, controller, parent), m_cells(new HeadGridModel(this)), m_effects(new RankedTokensModel(this)),
      m_directions(new RankedTokensModel(this))
{
    QWidget *top = makeTop();
    m_summary = new CaptionLabel(this);
    m_note = makeNote(this);
    m_error = new ErrorLabel(this);
    auto *beside = new QSplitter(Qt::Horizontal, this);
    m_grid = new HeadGridView(m_state, *m_cells, beside);
    m_tabs = new QTabWidget(beside);
    m_tabs->setDocumentMode(true);
    addTab(*m_tabs, makeNumbersTab(), tr("Eigenvalues"), tr("Eigenvalues and singular values of the selected head"));
    addTab(*m_tabs, makeTokensTab(), tr("Tokens"),
           tr("What the selected head writes for a token, which keys it matches, singular directions"));
    addTab(*m_tabs, makePairsTab(), tr("Composition"),
           tr("How much of what a head writes later heads read, for all pairs"));
    beside->addWidget(m_grid);
    beside->addWidget(m_tabs);
    splitEvenly(*beside);
    layOutPage(*this, {top, m_summary, m_note, m_error}, beside);
    connectAll();
}

PageInfo WeightsPage::info()
{
    return {u"weights"_s, tr("&Weights")};
}

QWidget *WeightsPage::makeTop()
{
    auto *top = new QWidget(this);
    m_title = makeTitle(top);
    m_title->setText(tr("<b>What the weights of heads say</b>"));
    m_measure = new QComboBox(top);
    m_measure->setAccessibleName(tr("Measure of heads"));
    for (const WeightMeasure &measure : kWeightMeasures)
        m_measure->addItem(tr(measure.name));
    m_lines = makeChoice<LinesShown>(
        top, tr("Lines between heads"),
        tr("Pairs of heads whose composition, or projection kernel, is above that of random matrices"),
        {{tr("No lines"), LinesShown::None},
         {tr("Lines of the strongest pairs"), LinesShown::All},
         {tr("Lines of the selected head"), LinesShown::OfSelected}});
    m_lines->setCurrentIndex(1);
    m_pairs = new QComboBox(top);
    m_pairs->setAccessibleName(tr("Measure of pairs"));
    for (const bool isKernel : {false, true}) {
        for (const CompositionInput input : {CompositionInput::Query, CompositionInput::Key, CompositionInput::Value})
            m_pairs->addItem(pairMeasureName({input, isKernel}), QPoint(static_cast<int>(input), isKernel ? 1 : 0));
    }
    m_pairs->setToolTip(tr("Composition: how much of what a head writes a later head's queries, keys or values read. "
                           "Projection kernel: how far both subspaces overlap, whatever the sizes"));
    auto *flow = new FlowLayout(top);
    addWidgets(*flow, {m_title, m_measure, m_lines, m_pairs});
    return top;
}

QWidget *WeightsPage::makeNumbersTab()
{
    auto *tab = new QWidget(this);
    m_circuit = new QComboBox(tab);
    m_circuit->setAccessibleName(tr("Map of the head"));
    m_circuit->addItem(tr("OV: what it writes"));
    m_circuit->addItem(tr("QK: its scores"));
    m_ofVocabulary = new QCheckBox(tr("over the &vocabulary"), tab);
    m_ofVocabulary->setToolTip(tr("Eigenvalues of the map from tokens to tokens, by embeddings and output matrix"));
    m_eigenvalues = new LineChart(tr("Eigenvalues in the complex plane"), tab);
    m_singular = new LineChart(tr("Singular values"), tab);
    auto *row = new QHBoxLayout;
    addWidgets(*row, {m_circuit, m_ofVocabulary});
    row->addStretch(1);
    auto *layout = new QVBoxLayout(tab);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->addLayout(row);
    layout->addWidget(m_eigenvalues, 3);
    layout->addWidget(m_singular, 2);
    return tab;
}

QWidget *WeightsPage::makeTokensTab()
{
    auto *tab = new QWidget(this);
    m_token = new QLineEdit(tab);
    m_token->setAccessibleName(tr("Token"));
    m_token->setPlaceholderText(tr("a token; most words begin with a blank"));
    m_look = new QPushButton(tr("&Look up"), tab);
    m_piece = new QComboBox(tab);
    m_piece->setAccessibleName(tr("Which token of the text"));
    m_effectText = makeSelectableText(tab);
    reserveLines(*m_effectText, 2);
    m_effectTable = makeTokenTable(m_effects, tr("What the head does with the token"), tab);
    m_directionCircuit = new QComboBox(tab);
    m_directionCircuit->setAccessibleName(tr("Map of the singular directions"));
    m_directionCircuit->addItem(tr("OV"));
    m_directionCircuit->addItem(tr("QK"));
    m_direction = new QSpinBox(tab);
    m_direction->setRange(1, static_cast<int>(kDirections));
    m_direction->setPrefix(tr("direction "));
    m_direction->setAccessibleName(tr("Singular direction"));
    m_directionText = makeSelectableText(tab);
    m_directionTable = makeTokenTable(m_directions, tr("Tokens at both ends of the singular direction"), tab);
    auto *asked = new QHBoxLayout;
    asked->addWidget(m_token, 1);
    asked->addWidget(m_look);
    asked->addWidget(m_piece);
    auto *chosen = new QHBoxLayout;
    chosen->addWidget(m_directionCircuit);
    chosen->addWidget(m_direction);
    chosen->addWidget(m_directionText, 1);
    auto *layout = new QVBoxLayout(tab);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->addLayout(asked);
    layout->addWidget(m_effectText);
    layout->addWidget(m_effectTable, 1);
    layout->addLayout(chosen);
    layout->addWidget(m_directionTable, 1);
    return tab;
}

QWidget *WeightsPage::makePairsTab()
{
    auto *tab = new QWidget(this);
    m_compute = new QPushButton(tr("&Compute composition"), tab);
    m_matrix = new MatrixChart(tr("Composition of heads"), tab);
    auto *layout = new QVBoxLayout(tab);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->addWidget(m_compute, 0, Qt::AlignLeft);
    layout->addWidget(m_matrix, 1);
    return tab;
}

void WeightsPage::connectAll()
{
    follow(&m_state, &StudyState::modelChanged, &WeightsPage::refreshNow);
    followResults(ResultKind::Weights, &WeightsPage::refreshNow);
    followResults(ResultKind::HeadTokens, &WeightsPage::refreshTokens);
    follow(&m_state, &StudyState::selectionChanged, [this] {
        refreshHead();
        refreshTokens();
        m_matrix->setSelection(m_state.selection());
        if (static_cast<LinesShown>(m_lines->currentData().toInt()) == LinesShown::OfSelected)
            refreshGrid();
        refreshTexts();
    });
    follow(&m_state, &StudyState::hoverChanged, [this] { m_matrix->setHovered(m_state.hoveredHead()); });
    follow(&m_state, &StudyState::staleChanged, &WeightsPage::refreshTexts);
    follow(&m_state, &StudyState::errorChanged, &WeightsPage::refreshTexts);
    follow(&m_controller.works(), &WorkList::changed, &WeightsPage::refreshTexts);
    connect(&m_state, &StudyState::maskChanged, this, [this] { m_cells->setMask(m_state.mask()); });
    connect(&m_state, &StudyState::modelChanged, this, [this] { m_last = {}; });
    for (QComboBox *box : {m_measure, m_lines})
        connect(box, &QComboBox::currentIndexChanged, this, &WeightsPage::refreshGrid);
    connect(m_pairs, &QComboBox::currentIndexChanged, this, [this] {
        refreshGrid();
        refreshPairs();
        refreshTexts();
    });
    connect(m_circuit, &QComboBox::currentIndexChanged, this, &WeightsPage::refreshHead);
    connect(m_ofVocabulary, &QCheckBox::toggled, this, &WeightsPage::refreshHead);
    connect(m_token, &QLineEdit::returnPressed, this, &WeightsPage::lookUp);
    connect(m_look, &QPushButton::clicked, this, &WeightsPage::lookUp);
    connect(m_piece, &QComboBox::activated, this, &WeightsPage::refreshTokens);
    connect(m_directionCircuit, &QComboBox::currentIndexChanged, this, &WeightsPage::refreshTokens);
    connect(m_direction, &QSpinBox::valueChanged, this, &WeightsPage::refreshTokens);
    connect(m_tabs, &QTabWidget::currentChanged, this, [this] { refreshTokens(); });
    connect(m_compute, &QPushButton::clicked, this,
            [this] { m_controller.start(Domain::In, WeightsSpec{.values = true}); });
    connect(m_grid, &HeadGridView::headActivated, this, &WeightsPage::headActivated);
    connect(m_matrix, &MatrixChart::selectionMade, &m_state, &StudyState::setSelection);
    connect(m_matrix, &MatrixChart::hovered, &m_state, &StudyState::setHoveredHead);
}

std::shared_ptr<const WeightsResult> WeightsPage::result() const
{
    return m_state.results(Domain::In).weights;
}

std::optional<HeadRef> WeightsPage::head() const
{
    if (m_state.currentHead())
        return m_state.currentHead();
    const auto found = result();
    if (!found || found->heads.empty())
        return {};
    return std::ranges::max_element(found->heads, {},
                                    [](const HeadWeightNumbers &one) { return one.ov.eigenvalueScore.value_or(-1); })
        ->head;
}

const HeadWeightNumbers *WeightsPage::numbers() const
{
    const auto found = result();
    const auto asked = head();
    if (!found || !asked)
        return nullptr;
    const auto one = std::ranges::find(found->heads, *asked, &HeadWeightNumbers::head);
    return one == found->heads.end() ? nullptr : &*one;
}

HeadTokensSpec WeightsPage::tokensSpec() const
{
    const auto asked = head();
    return {.token = m_asked.toStdString(), .directions = kDirections, .heads = asked ? toText(*asked) : std::string()};
}

std::shared_ptr<const HeadTokensResult> WeightsPage::tokensResult() const
{
    const auto &all = m_state.results(Domain::In).headTokens;
    const auto asked = head();
    const std::string token = m_asked.toStdString();
    const auto fits = [&](const std::shared_ptr<const HeadTokensResult> &one) {
        return asked && std::ranges::find(one->heads, *asked, &HeadTokens::head) != one->heads.end()
            && askedToken(*one) == token && !m_state.isStale(Domain::In, one->manifest);
    };
    const auto found = std::find_if(all.rbegin(), all.rend(), fits);
    return found == all.rend() ? nullptr : *found;
}

const HeadTokens *WeightsPage::tokens(const std::shared_ptr<const HeadTokensResult> &result) const
{
    if (!result)
        return nullptr;
    return &*std::ranges::find(result->heads, *head(), &HeadTokens::head);
}

HeadCircuit WeightsPage::circuit() const
{
    return m_circuit->currentIndex() == 0 ? HeadCircuit::Ov : HeadCircuit::Qk;
}

PairMeasure WeightsPage::pairs() const
{
    const QPoint chosen = m_pairs->currentData().toPoint();
    return {static_cast<CompositionInput>(chosen.x()), chosen.y() != 0};
}

std::vector<StudyController::Request> WeightsPage::missing(Domain domain, bool shown)
{
    std::vector<StudyController::Request> requests;
    if (!shown || domain != Domain::In || !m_state.session())
        return requests;
    const auto found = result();
    if (!found || found->composition.empty())
        requests.push_back({domain, WeightsSpec{.values = true}});
    if (head() && !tokensResult())
        requests.push_back({domain, tokensSpec()});
    return requests;
}

void WeightsPage::refreshNow()
{
    refreshGrid();
    refreshHead();
    refreshTokens();
    refreshPairs();
    refreshTexts();
}

GridContent WeightsPage::content() const
{
    const auto found = result();
    const WeightMeasure &measure = kWeightMeasures[m_measure->currentIndex()];
    if (!found) {
        GridContent content = emptyContent(m_state.layout());
        content.measure = content.symbol = tr(measure.name);
        return content;
    }
    GridContent content = weightsContent(m_state.layout(), *found, tr(measure.name), measure.diverging, measure.value);
    const auto shown = static_cast<LinesShown>(m_lines->currentData().toInt());
    content.linkText = tr("one reads what the other writes");
    if (shown == LinesShown::All)
        content.links = makeLinks(*found, pairs(), std::nullopt);
    else if (shown == LinesShown::OfSelected && head())
        content.links = makeLinks(*found, pairs(), head());
    return content;
}

void WeightsPage::refreshGrid()
{
    m_cells->setContent(content());
    m_cells->setMask(m_state.mask());
}

void WeightsPage::refreshHead()
{
    const HeadWeightNumbers *shown = numbers();
    const QString why = whyNot().isEmpty() ? tr("Computing: the weights of the heads are read.") : whyNot();
    const CircuitNumbers none;
    const CircuitNumbers &numbersOf = !shown ? none : circuit() == HeadCircuit::Ov ? shown->ov : shown->qk;
    const bool hasVocabulary = numbersOf.vocabularyScore || !numbersOf.vocabularyReal.empty();
    m_ofVocabulary->setEnabled(!shown || hasVocabulary);
    m_eigenvalues->setSeries(makeEigenvalueSeries(numbersOf, m_ofVocabulary->isChecked()));
    m_eigenvalues->setEmptyText(!shown ? why
                                : m_ofVocabulary->isChecked() && !hasVocabulary
                                    ? tr("This map does not lead from tokens to tokens of one vocabulary.")
                                    : tr("Eigenvalues are not kept in this result. Press Compute composition."));
    m_singular->setSeries(shown ? makeSingularValueSeries(*shown) : LineSeries());
    m_singular->setEmptyText(why);
}

void WeightsPage::lookUp()
{
    m_asked = m_token->text();
    m_last = {};
    refreshTokens();
}

/// Asks once for what is not there; only for who looks at it.
void WeightsPage::askForTokens()
{
    if (!isVisible() || m_tabs->currentIndex() != 1 || !whyNot().isEmpty() || !head())
        return;
    const std::pair now{head(), m_asked};
    if (std::exchange(m_last, now) != now)
        m_controller.start(Domain::In, tokensSpec());
}

void WeightsPage::refreshTokens()
{
    const auto found = tokensResult();
    if (!found)
        askForTokens();
    const HeadTokens *shown = tokens(found);
    refreshPieces(shown);
    refreshEffects(shown);
    refreshDirections(shown);
}

/// Which token of the typed text: a choice where it has several.
void WeightsPage::refreshPieces(const HeadTokens *shown)
{
    const auto pieces = shown ? static_cast<int>(std::max(shown->writes.size(), shown->matches.size())) : 0;
    const QSignalBlocker blocker(m_piece);
    const int before = m_piece->currentIndex();
    m_piece->clear();
    for (int piece = 0; piece < pieces; ++piece)
        m_piece->addItem(tr("token %1").arg(piece + 1));
    m_piece->setCurrentIndex(std::clamp(before, pieces > 0 ? 0 : -1, pieces - 1));
    m_piece->setVisible(pieces > 1);
}

void WeightsPage::refreshEffects(const HeadTokens *shown)
{
    const auto place = static_cast<std::size_t>(std::max(0, m_piece->currentIndex()));
    const auto effectAt = [&](const std::vector<TokenEffect> &effects) {
        return place < effects.size() ? effects[place] : TokenEffect();
    };
    std::vector<RankedTokensModel::Column> columns;
    QString said;
    if (shown && !m_asked.isEmpty()) {
        const TokenEffect writes = effectAt(shown->writes), matches = effectAt(shown->matches);
        columns = {{tr("raises"), tr("Tokens whose logits the head raises where it attends to the token"),
                    writes.tokens.highest},
                   {tr("lowers"), tr("Tokens whose logits it lowers"), writes.tokens.lowest},
                   {tr("matches keys"), tr("Keys with the largest scores where the token is the query"),
                    matches.tokens.highest},
                   {tr("shuns keys"), tr("Keys with the smallest scores"), matches.tokens.lowest}};
        if (writes.rank)
            said = tr("%1 raises the token itself as number %2 of all.").arg(headName(), countText(*writes.rank));
        else if (shown->writes.empty())
            said = tr("%1 writes no tokens by itself.").arg(headName());
        if (writes.rank == 1)
            said = tr("%1 raises the token itself most: it copies it.").arg(headName());
        if (matches.rank)
            said += u' ' + tr("As a key it is number %1 of those that it matches.").arg(countText(*matches.rank));
    } else if (m_asked.isEmpty()) {
        said = tr("Type a token: what the head writes where it attends to it, and which keys it looks for as a query.");
    }
    m_effects->setColumns(std::move(columns));
    m_effectText->setText(said.trimmed());
}

void WeightsPage::refreshDirections(const HeadTokens *shown)
{
    const bool isOv = m_directionCircuit->currentIndex() == 0;
    const std::vector<DirectionTokens> none;
    const std::vector<DirectionTokens> &directions = !shown ? none : isOv ? shown->ov : shown->qk;
    const auto number = static_cast<std::size_t>(m_direction->value() - 1);
    std::vector<RankedTokensModel::Column> ends;
    if (number < directions.size()) {
        const DirectionTokens &one = directions[number];
        const QString from = isOv ? tr("reads") : tr("queries"), to = isOv ? tr("writes") : tr("keys");
        const QString tip = tr("Tokens at this end of the singular direction; what has the same sign belongs together");
        ends = {{tr("%1 +").arg(from), tip, one.from.highest},
                {tr("%1 +").arg(to), tip, one.to.highest},
                {tr("%1 −").arg(from), tip, one.from.lowest},
                {tr("%1 −").arg(to), tip, one.to.lowest}};
        m_directionText->setText(tr("singular value %1").arg(QLocale().toString(one.value, 'g', 4)));
    } else {
        m_directionText->setText(shown ? tr("There is no such direction.") : QString());
    }
    m_directions->setColumns(std::move(ends));
}

void WeightsPage::refreshPairs()
{
    const auto found = result();
    m_matrix->setSeries(found ? makeMatrixSeries(*found, pairs()) : MatrixSeries());
    m_matrix->setSelection(m_state.selection());
}

QString WeightsPage::whyNot() const
{
    if (!m_state.model())
        return tr("No model is open. Open one to see what the weights of its heads say.");
    return m_state.session() ? QString() : m_controller.whyNotReady();
}

QString WeightsPage::headName() const
{
    const auto shown = head();
    return shown ? QString::fromStdString(toText(*shown)) : QString();
}

QString WeightsPage::summary() const
{
    const auto found = result();
    if (!found)
        return {};
    QString text = staleText(m_state, Domain::In, found->manifest);
    if (!text.isEmpty())
        text += u' ';
    const HeadWeightNumbers *shown = numbers();
    if (shown) {
        const auto scoreText
            = [](const std::optional<double> &score) { return score ? signedText(*score, 2) : tr("none"); };
        text += tr("%1: OV eigenvalues %2, QK %3; effective rank %4 and %5.")
                    .arg(headName(), scoreText(shown->ov.eigenvalueScore), scoreText(shown->qk.eigenvalueScore),
                         numberText(shown->ov.effectiveRank, 1), numberText(shown->qk.effectiveRank, 1));
    }
    if (found->rotary)
        text += u' ' + tr("Positions are rotary: QK is that of a query and a key at one position.");
    if (const auto random = randomPairValue(*found, pairs()))
        text += u' '
              + tr("%1 of random matrices: up to %2.")
                    .arg(pairMeasureName(pairs()), QLocale().toString(*random, 'g', 3));
    return text;
}

void WeightsPage::refreshTexts()
{
    m_summary->setText(summary());
    const QString why = whyNot();
    showNote(*m_note, why);
    m_error->setError(m_controller.works().errorOn(info().id));
    const bool isComputing = m_controller.isComputing(ResultKind::Weights);
    m_compute->setEnabled(why.isEmpty() && !isComputing);
    m_compute->setToolTip(why.isEmpty() ? tr("Of all pairs, by queries, keys and values, with projection kernels")
                                        : why);
    m_matrix->setEmptyText(!why.isEmpty() ? why
                           : isComputing  ? tr("Computing: what each head reads of those before it.")
                                          : tr("Press Compute composition: how much of what a head writes later heads "
                                                "read, beside random matrices."));
    m_look->setEnabled(why.isEmpty());
}

QList<ExportItem> WeightsPage::makeExportItems() const
{
    const auto found = result();
    if (!found)
        return {};
    ExportItem grid = m_grid->exportItem();
    grid.name = tr("Weights of heads: %1").arg(m_measure->currentText());
    grid.caption += u". "_s + summary();
    grid.csv = [found] { return toCsv(*found); };
    QList<ExportItem> items{grid};
    const std::string manifest = manifestsText(m_state, {&found->manifest});
    const auto addLines = [&](const LineChart &chart, const QString &name, const QString &caption) {
        if (chart.series().empty())
            return;
        ExportItem item = lineItem(tr("%1 of %2").arg(name, headName()), caption, chart.series());
        item.csv = [one = *numbers()] { return spectraCsv(one); };
        item.manifestJson = manifest;
        items << item;
    };
    addLines(*m_eigenvalues, tr("Eigenvalues, %1").arg(m_circuit->currentText()),
             tr("Eigenvalues of %1 in the complex plane (Elhage et al. 2021). %2").arg(headName(), summary()));
    addLines(*m_singular, tr("Singular values"), tr("Singular values of %1. %2").arg(headName(), summary()));
    if (const MatrixSeries &series = m_matrix->picture().series; !series.empty()) {
        ExportItem item
            = matrixItem(pairMeasureName(pairs()),
                         tr("%1 of all pairs of heads of %2, in the order of heads. %3")
                             .arg(pairMeasureName(pairs()), QString::fromStdString(found->manifest.model), summary()),
                         series);
        item.csv = [found] { return compositionCsv(*found); };
        item.manifestJson = manifest;
        items << item;
    }
    return items + tokenItems();
}

QList<ExportItem> WeightsPage::tokenItems() const
{
    const auto said = tokensResult();
    if (!said)
        return {};
    QList<ExportItem> items;
    const auto addTable = [&](const RankedTokensModel &model, const QString &name, const QString &caption) {
        if (model.rowCount() == 0)
            return;
        ExportItem item = tableItem(name, caption, model);
        item.csv = [said] { return toCsv(*said); };
        item.manifestJson = manifestsText(m_state, {&said->manifest});
        items << item;
    };
    addTable(*m_effects, tr("Tokens of %1").arg(headName()),
             tr("What %1 writes for “%2”, and which keys it matches as a query. %3")
                 .arg(headName(), m_asked, m_effectText->text()));
    addTable(*m_directions, tr("Singular direction %1 of %2").arg(m_direction->value()).arg(headName()),
             tr("Tokens at both ends of singular direction %1 of %2 of %3 (Millidge and Black 2022).")
                 .arg(m_direction->value())
                 .arg(m_directionCircuit->currentText(), headName()));
    return items;
}

} // namespace headscope
