#include "ui/report/reportfigures.h"

#include "ui/charts/checkpointseries.h"
#include "ui/charts/energyseries.h"
#include "ui/charts/gradientseries.h"
#include "ui/charts/histogrampainter.h"
#include "ui/charts/linepainter.h"
#include "ui/charts/pruningpainter.h"
#include "ui/charts/relationseries.h"
#include "ui/charts/scatterpainter.h"
#include "ui/charts/surfaceseries.h"
#include "ui/delegates/headgridpainter.h"
#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"
#include "ui/models/removabletext.h"

#include <QCoreApplication>
#include <QFont>
#include <QFontMetricsF>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {

constexpr QSizeF kWide(960, 420);
constexpr QSizeF kChart(860, 480);

struct FigureWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::Report)
};

QString domainText(const ReportDomain &domain, const ReportContents &contents)
{
    const QString name = QString::fromStdString(domain.name);
    if (contents.domains.size() < 2 || name.endsWith(u"-domain)")) // two sets of one name say it already
        return name;
    return domain.out ? FigureWords::tr("%1 (out-of-domain)").arg(name) : FigureWords::tr("%1 (in-domain)").arg(name);
}

std::string fileOf(const char *stem, const ReportDomain &domain)
{
    return std::string(stem) + '-' + fileSuffix(domain);
}

/// Without a picture yet.
ReportFigure makeFigure(std::string file, const QString &title, const QString &caption, const QSizeF &size)
{
    ReportFigure figure;
    figure.card = {std::move(file), title.toStdString(), caption.toStdString()};
    figure.item.name = title;
    figure.item.caption = title + u". "_s + caption;
    figure.item.size = size;
    return figure;
}

ReportFigure gridFigure(const ReportContents &contents, const ReportDomain &domain)
{
    GridPicture picture;
    picture.content = ablationContent(contents.layout, domain.ablation, {contents.significance});
    picture.content.dataName = domainText(domain, contents);
    picture.scale = scaleFor(picture.content);
    // As high as its blocks are where the picture is so wide.
    QFont font;
    font.setPixelSize(12); // the exporter's
    const QFontMetricsF metrics(font);
    const HeadGridGeometry geometry(contents.layout, kWide, metrics, gridFooterHeight(metrics));
    const double blank = geometry.blocks().empty() ? 0 : geometry.blocks().front().title.top();
    const QSizeF size(kWide.width(), std::min(kWide.height(), geometry.footer().bottom() - blank + 24));
    ReportFigure figure = makeFigure(
        fileOf("heads", domain), FigureWords::tr("The value of each head on %1").arg(picture.content.dataName),
        FigureWords::tr("%1 without the head, minus that of the full model; %2 examples. Faded and hatched: not "
                        "significant (%3).")
            .arg(QString::fromStdString(contents.metric()), countText(domain.ablation.examples),
                 picture.content.significance.textOfOthers()),
        size);
    figure.item.paint = [picture](QPainter &painter, const QRectF &rect) { paintHeadGrid(painter, rect, picture); };
    return figure;
}

ReportFigure histogramFigure(const ReportContents &contents, const ReportDomain &domain)
{
    const HistogramPicture picture{.series = makeHistogramSeries(domain.ablation, {contents.significance})};
    ReportFigure figure
        = makeFigure(fileOf("histogram", domain),
                     FigureWords::tr("How heads are distributed by the score without them (Figure 1), %1")
                         .arg(domainText(domain, contents)),
                     FigureWords::tr("%1 heads, removed one at a time; %2 examples.")
                         .arg(countText(picture.series.heads), countText(domain.ablation.examples)),
                     kChart);
    figure.item.paint = [picture](QPainter &painter, const QRectF &rect) { paintHistogram(painter, rect, picture); };
    return figure;
}

ReportFigure scatterFigure(const ReportContents &contents)
{
    const ValueFormat format = metricFormat(QString::fromStdString(contents.metric()));
    const QString a = domainText(contents.domains[0], contents);
    const QString b = domainText(contents.domains[1], contents);
    ScatterPicture picture;
    picture.series = makeScatterSeries(*contents.ablationAgreement, a, b, format.factor);
    picture.series.measure = FigureWords::tr("Ablation Δ %1").arg(QString::fromStdString(contents.metric()));
    if (format.factor != 1)
        picture.series.unit = format.unit;
    picture.isSquare = true;
    ReportFigure figure
        = makeFigure("scatter", FigureWords::tr("Heads on both data sets (Figure 2)"),
                     FigureWords::tr("The loss without each head, on %1 and on %2.").arg(a, b), QSizeF(640, 660));
    figure.item.paint
        = [picture](QPainter &painter, const QRectF &rect) { (void)paintScatterChart(painter, rect, picture); };
    return figure;
}

/// The data set that chose a curve's order.
QString chooserText(const PruningCurve &curve)
{
    return curve.chosenOnEvaluated ? FigureWords::tr("the same set, which flatters them")
                                   : QString::fromStdString(curve.orderData);
}

ReportFigure pruningFigure(const ReportContents &contents, const ReportDomain &domain)
{
    std::vector<PruningInput> inputs;
    QString orderData;
    std::vector<PruningResult> results = domain.pruning;
    if (domain.search)
        results.push_back(curveOfSearch(*domain.search));
    for (const PruningResult &result : results) {
        PruningInput input{domain.out, std::make_shared<const PruningResult>(result)};
        for (const PruningCurve &curve : result.curves) {
            if (curve.orderData.empty())
                continue;
            // The window's curves may have another set's order: the legend says which this is.
            input.note = curve.chosenOnEvaluated
                           ? FigureWords::tr("order from the same set")
                           : FigureWords::tr("order from %1").arg(QString::fromStdString(curve.orderData));
            orderData = chooserText(curve);
        }
        inputs.push_back(std::move(input));
    }
    PruningPicture picture{.series
                           = makePruningSeries(inputs, static_cast<int>(contents.layout.size()), contents.significance),
                           .slider = {},
                           .live = {}};
    ReportFigure figure
        = makeFigure(fileOf("pruning", domain),
                     FigureWords::tr("Score while heads are removed (Figure 3), %1").arg(domainText(domain, contents)),
                     FigureWords::tr("Bands are 95 % intervals, of random orders lowest and highest; %1 examples. "
                                     "Orders were chosen on %2. Rings: first significant loss (paired); squares: last "
                                     "point up to which the loss is below %3 of the score at 95 % confidence.")
                         .arg(countText(domain.pruning.front().examples), orderData, marginText(contents.significance)),
                     kChart);
    figure.item.paint = [picture](QPainter &painter, const QRectF &rect) { paintPruningChart(painter, rect, picture); };
    return figure;
}

ReportFigure lineFigure(std::string file, const QString &title, const QString &caption, const LineSeries &series)
{
    ReportFigure figure = makeFigure(std::move(file), title, caption, kChart);
    figure.item.paint = [picture = LinePicture{.series = series}](QPainter &painter, const QRectF &rect) {
        (void)paintLines(painter, rect, picture);
    };
    return figure;
}

ReportFigure kindFigure(const ReportContents &contents, const ReportDomain &domain)
{
    return lineFigure(
        fileOf("kinds", domain),
        FigureWords::tr("Score while heads of one kind are removed (Figure 4), %1").arg(domainText(domain, contents)),
        FigureWords::tr("By importance, all other kinds complete; bands are 95 % intervals; %1 examples. Orders were "
                        "chosen on %2.")
            .arg(countText(domain.kinds->examples),
                 domain.kinds->curves.empty() ? QString() : chooserText(domain.kinds->curves.front())),
        makeKindSeries(*domain.kinds));
}

/// Michel et al.'s Figure 5: over the checkpoints (left), and over the heads removed (right).
std::vector<ReportFigure> trainingFigures(const ReportContents &contents)
{
    const DynamicsResult &dynamics = *contents.dynamics;
    const QString caption
        = FigureWords::tr("In percent of each checkpoint's full model, by its own importance; %1 examples of %2.")
              .arg(countText(dynamics.examples), domainText(contents.domains.front(), contents));
    std::vector<ReportFigure> figures;
    const auto add = [&](const char *file, const QString &title, const LineSeries &series) {
        if (!series.empty())
            figures.push_back(lineFigure(file, title, caption, series));
    };
    add("training-checkpoints", FigureWords::tr("What removed heads cost over training (Figure 5, left)"),
        makeShareSeries(dynamics));
    add("training-heads", FigureWords::tr("Score while heads of a checkpoint are removed (Figure 5, right)"),
        makeCheckpointSeries(dynamics, defaultCheckpoints(dynamics)));
    return figures;
}

void addLines(std::vector<ReportFigure> &figures, const std::string &file, const QString &title, const QString &caption,
              const LineSeries &series)
{
    if (!series.empty())
        figures.push_back(lineFigure(file, title, caption, series));
}

QString examplesText(std::int64_t count)
{
    return FigureWords::tr("%1 examples.").arg(countText(count));
}

/// What heads attend to and how broadly, and how the loss follows it.
void addAttentionFigures(std::vector<ReportFigure> &figures, const ReportContents &contents, const ReportDomain &domain)
{
    const QString name = domainText(domain, contents);
    if (domain.similarity) {
        for (const HeadLayout::Block &block : contents.layout.blocks()) {
            for (const SurfacePanel panel : kSurfacePanels) {
                const bool isEntropy = panel == SurfacePanel::Entropy;
                const std::string file
                    = std::string(isEntropy ? "entropy-" : "attention-") + std::string(headKindName(block.kind))
                    + (isEntropy ? std::string() : '-' + std::to_string(static_cast<int>(panel) + 1));
                const QString title = isEntropy
                                        ? FigureWords::tr("Entropy of attention (Clark et al., Figure 4), %1, %2")
                                        : FigureWords::tr("What heads attend to (Clark et al., Figure 2), %1, %2");
                addLines(figures, fileOf(file.c_str(), domain), title.arg(headKindLongName(block.kind), name),
                         FigureWords::tr("%1: a point per head, lines through the means of layers; %2")
                             .arg(surfacePanelName(panel), examplesText(domain.similarity->examples)),
                         makeSurfaceSeries(*domain.similarity, block.kind, panel));
            }
        }
    }
    if (domain.gradients) {
        for (const HeadLayout::Block &block : contents.layout.blocks())
            addLines(figures, fileOf(("gradients-" + std::string(headKindName(block.kind))).c_str(), domain),
                     FigureWords::tr("How much the loss follows attention (Clark et al., Figure 3), %1, %2")
                         .arg(headKindLongName(block.kind), name),
                     FigureWords::tr(
                         "Absolute derivative of the loss by one attention weight, by kind of key, mean over the "
                         "heads of a layer; %1")
                         .arg(examplesText(domain.gradients->examples)),
                     makeLayerGradients(*domain.gradients, block.kind));
    }
}

/// Where partners lie and which heads find them, what source and prefix contribute.
void addRoleFigures(std::vector<ReportFigure> &figures, const ReportContents &contents, const ReportDomain &domain)
{
    const QString name = domainText(domain, contents);
    if (domain.roles) {
        addLines(figures, fileOf("offsets", domain),
                 FigureWords::tr("Where heads of words lie (Voita et al., Figure 3), %1").arg(name),
                 FigureWords::tr("Words from dependents to their heads, by relation; %1 trees.")
                     .arg(countText(domain.roles->trees)),
                 makeRelationOffsets(*domain.roles));
        addLines(
            figures, fileOf("partners", domain),
            FigureWords::tr("Which heads find partners (Voita et al., Figure 4), %1").arg(name),
            FigureWords::tr("Share of the words whose partner has the largest weight, beside the best fixed offset; %1 "
                            "trees.")
                .arg(countText(domain.roles->trees)),
            makeRelationHeads({&*domain.roles}));
    }
    if (domain.relevance) {
        addLines(figures, fileOf("contributions", domain),
                 FigureWords::tr("What source and prefix contribute (Voita et al. 2021), %1").arg(name),
                 examplesText(domain.relevance->examples), makeContributionSeries(*domain.relevance));
        addLines(figures, fileOf("contribution-entropies", domain),
                 FigureWords::tr("How contributions are spread over tokens (Voita et al. 2021), %1").arg(name),
                 examplesText(domain.relevance->examples), makeContributionEntropies(*domain.relevance));
    }
}

ReportFigure speedFigure(const SpeedResult &speed)
{
    return lineFigure("speed", FigureWords::tr("Speed with heads masked and removed (Table 4)"),
                      FigureWords::tr("Medians and quartiles of %1 repeats; %2 of %3 heads; %4, %5 threads.")
                          .arg(countText(speed.repeats), countText(speed.heads - speed.headsLeft),
                               countText(speed.heads), QString::fromStdString(speed.manifest.device),
                               countText(speed.threads)),
                      makeSpeedSeries(speed));
}

} // namespace

std::vector<ReportFigure> reportFigures(const ReportContents &contents)
{
    std::vector<ReportFigure> figures;
    for (const ReportDomain &domain : contents.domains)
        figures.push_back(gridFigure(contents, domain));
    for (const ReportDomain &domain : contents.domains)
        figures.push_back(histogramFigure(contents, domain));
    if (contents.ablationAgreement && contents.domains.size() == 2)
        figures.push_back(scatterFigure(contents));
    for (const ReportDomain &domain : contents.domains) {
        if (!domain.pruning.empty())
            figures.push_back(pruningFigure(contents, domain));
    }
    for (const ReportDomain &domain : contents.domains) {
        if (domain.kinds)
            figures.push_back(kindFigure(contents, domain));
    }
    if (contents.dynamics)
        std::ranges::move(trainingFigures(contents), std::back_inserter(figures));
    if (contents.speed)
        figures.push_back(speedFigure(*contents.speed));
    for (const ReportDomain &domain : contents.domains) {
        addAttentionFigures(figures, contents, domain);
        addRoleFigures(figures, contents, domain);
    }
    if (contents.energy)
        addLines(
            figures, "energy", FigureWords::tr("Energy of query and key projections (Cordonnier et al., Figure 1)"),
            FigureWords::tr("A thin line for each head and each attention; their means, and random numbers in the same "
                            "shapes."),
            makeEnergySeries(*contents.energy));
    return figures;
}

Result<std::vector<ReportFile>> paintFigure(const ReportFigure &figure)
{
    std::vector<ReportFile> files;
    for (const ExportFormat format : {ExportFormat::Svg, ExportFormat::Png, ExportFormat::Pdf}) {
        // Captions are not part of the pictures: the page adds them, or the paper that includes the pictures.
        const Result<QByteArray> bytes = exportedBytes(figure.item, {.format = format, .withCaption = false});
        if (!bytes.isOk())
            return bytes.error();
        files.push_back(
            {kFiguresFolder + figure.card.file + '.' + suffixOf(format).toStdString(), bytes.value().toStdString()});
    }
    return files;
}

} // namespace headscope
