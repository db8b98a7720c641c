// What a report says and how it is written: findings that turn with the numbers, tables, the page, the folder.
#include "core/exporting/numbers.h"
#include "core/exporting/reportfolder.h"
#include "core/formats/atomicfile.h"
#include "tests/support/clirun.h"
#include "tests/support/madeupdynamics.h"
#include "tests/support/madeupreport.h"

#include <QDir>
#include <QDirIterator>
#include <QJsonArray>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <utility>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

/// The first finding whose claim has `word` in it.
Finding findingWith(const ReportContents &contents, std::string_view word)
{
    for (const Finding &finding : findingsOf(contents)) {
        if (finding.claim.find(word) != std::string::npos)
            return finding;
    }
    return {};
}

constexpr const char *kRedundant = "redundant";
constexpr const char *kOneHead = "In most layers one head";
constexpr const char *kOneHeadInAll = "In all layers one head";
constexpr const char *kAgree = "other domain";
constexpr const char *kOrder = "by importance";
constexpr const char *kCross = "(cross)";
constexpr const char *kSpeed = "faster";

/// A head with this p, adjusted ones too, and this delta ± `half`. 1 % of the made-up score is about half a point.
void set(HeadAblation &head, double delta, double p, double half)
{
    head.delta = delta;
    head.interval = {delta - half, delta + half};
    head.p = head.pAdjusted = p;
    head.discoveryP = p;
}

void setAll(std::vector<HeadAblation> &heads, double delta, double p, double half = 0.2)
{
    for (HeadAblation &head : heads)
        set(head, delta, p, half);
}

bool has(const std::string &text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class TestReport : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void redundancyFollowsTheTests();
    void unchangedOutputsBoundWhatTheySay();
    void tooFewResamplesAreSaid();
    void oneHeadFollowsTheLayers();
    void headsChosenOnTheSameSetProveNothing();
    void agreementFollowsTheCorrelation();
    void noiseDoesNotDisagree();
    void orderFollowsTheCurves();
    void crossFollowsTheKinds();
    void speedFollowsTheGain();
    void whatIsMissingCannotBeTold();
    void lowerScoresCanBeBetter();
    void heightOfACurve();
    void numbersAreWrittenForPeople();
    void tablesHaveAllHeads();
    void latexIsEscaped();
    void pageEscapesWhatItShows();
    void pageNamesOnlyFilesThatAreThere();
    void rolesAreTablesAndFindings();
    void folderIsWrittenAndReplaced();
    void otherFoldersAreRefused();
};

void TestReport::redundancyFollowsTheTests()
{
    ReportContents contents = madeup::report();
    std::vector<HeadAblation> &heads = contents.domains[0].ablation.heads;
    setAll(heads, -0.1, 0.5);
    const Finding holds = findingWith(contents, kRedundant);
    QCOMPARE(holds.verdict, Verdict::Holds);
    QVERIFY2(has(holds.numbers, "Among 96 heads the loss is small for 96, real for 0, unknown for 0"),
             holds.numbers.c_str());
    setAll(heads, -1, 0.001);
    QCOMPARE(findingWith(contents, kRedundant).verdict, Verdict::DoesNotHold);
    // Not significant is not redundant: intervals of few examples reach beyond 1 % of the score.
    setAll(heads, -0.1, 0.5, 3);
    const Finding open = findingWith(contents, kRedundant);
    QCOMPARE(open.verdict, Verdict::CannotBeTold);
    QVERIFY2(has(open.numbers, "unknown for 96"), open.numbers.c_str());
    // A loss that is significant, and surely below 1 %, is small.
    setAll(heads, -0.1, 0.001, 0.01);
    QCOMPARE(findingWith(contents, kRedundant).verdict, Verdict::Holds);
    // Heads without which the model is better are not needed.
    setAll(heads, 1, 0.001);
    const Finding better = findingWith(contents, kRedundant);
    QCOMPARE(better.verdict, Verdict::Holds);
    QVERIFY2(has(better.numbers, "without 96 the score gets significantly better"), better.numbers.c_str());
}

/// The bootstrap of constants has intervals without width, whatever the number of examples.
void TestReport::unchangedOutputsBoundWhatTheySay()
{
    ReportContents contents = madeup::report();
    AblationResult &ablation = contents.domains[0].ablation;
    setAll(ablation.heads, 0, 1);
    for (HeadAblation &head : ablation.heads) {
        head.changed = 0;
        head.interval = {0, 0};
    }
    ablation.examples = 40;
    const Finding few = findingWith(contents, kRedundant);
    QCOMPARE(few.verdict, Verdict::CannotBeTold);
    QVERIFY2(has(few.numbers, "96 of 96 (100 %) heads change none of the 40 outputs"), few.numbers.c_str());
    QVERIFY2(has(few.numbers, "3/40 = 7.5 %"), few.numbers.c_str());
    QVERIFY2(!has(few.numbers, "±"), few.numbers.c_str());
    ablation.examples = 4000;
    QCOMPARE(findingWith(contents, kRedundant).verdict, Verdict::Holds);
}

void TestReport::tooFewResamplesAreSaid()
{
    ReportContents contents = madeup::report();
    contents.domains[0].ablation.resamples = 1000; // the smallest p, 2/1001, times 96 heads is above 0.05
    QVERIFY(has(findingWith(contents, kRedundant).numbers, "too few"));
    contents.domains[0].ablation.resamples = 10000;
    QVERIFY(!has(findingWith(contents, kRedundant).numbers, "too few"));
}

void TestReport::oneHeadFollowsTheLayers()
{
    ReportContents contents = madeup::report();
    std::vector<BestHead> &layers = contents.domains[0].bestHeads->layers;
    const auto setLayers = [&](double delta, double p, double half = 0.2) {
        for (BestHead &layer : layers)
            set(layer.reported, delta, p, half);
    };
    const auto verdicts = [&] {
        return std::pair(findingWith(contents, kOneHead).verdict, findingWith(contents, kOneHeadInAll).verdict);
    };
    setLayers(-0.1, 0.5);
    QVERIFY(verdicts() == std::pair(Verdict::Holds, Verdict::Holds));
    // One layer that needs more is not "all layers", and three fifths of them are "most".
    set(layers.front().reported, -2, 0.001, 0.2);
    QVERIFY(verdicts() == std::pair(Verdict::Holds, Verdict::DoesNotHold));
    set(layers.front().reported, -2, 0.5, 5);
    QVERIFY(verdicts() == std::pair(Verdict::Holds, Verdict::CannotBeTold));
    setLayers(-2, 0.5, 5);
    QVERIFY(verdicts() == std::pair(Verdict::CannotBeTold, Verdict::CannotBeTold));
    setLayers(-2, 0.001);
    QVERIFY(verdicts() == std::pair(Verdict::DoesNotHold, Verdict::DoesNotHold));
    const Finding fails = findingWith(contents, kOneHead);
    QVERIFY2(has(fails.numbers, "−2.00 BLEU points"), fails.numbers.c_str());
    QVERIFY(has(fails.rule, "more than half of the layers"));
}

void TestReport::headsChosenOnTheSameSetProveNothing()
{
    ReportContents contents = madeup::report();
    BestHeadsResult &best = *contents.domains[0].bestHeads;
    best.chosenOnReported = true;
    for (BestHead &layer : best.layers)
        set(layer.reported, 0, 1, 0.1);
    QCOMPARE(findingWith(contents, kOneHead).verdict, Verdict::CannotBeTold);
    for (BestHead &layer : best.layers)
        set(layer.reported, -1, 0.001, 0.1);
    QCOMPARE(findingWith(contents, kOneHead).verdict, Verdict::DoesNotHold);
}

void TestReport::agreementFollowsTheCorrelation()
{
    ReportContents contents = madeup::report();
    contents.ablationAgreement->pearson = {0.7, 1e-6, {0.6, 0.8}};
    QCOMPARE(findingWith(contents, kAgree).verdict, Verdict::Holds);
    contents.ablationAgreement->pearson = {0.2, 0.03, {0.02, 0.4}};
    QCOMPARE(findingWith(contents, kAgree).verdict, Verdict::DoesNotHold);
    contents.ablationAgreement->pearson = {0.45, 0.001, {0.2, 0.65}};
    QCOMPARE(findingWith(contents, kAgree).verdict, Verdict::CannotBeTold);
    contents.ablationAgreement->pearson = {NAN, NAN, {-1, 1}};
    QCOMPARE(findingWith(contents, kAgree).verdict, Verdict::CannotBeTold);
}

void TestReport::noiseDoesNotDisagree()
{
    ReportContents contents = madeup::report();
    contents.ablationAgreement->pearson = {0.0, 0.9, {-0.2, 0.2}};
    setAll(contents.domains[1].ablation.heads, -0.1, 0.8);
    const Finding finding = findingWith(contents, kAgree);
    QCOMPARE(finding.verdict, Verdict::CannotBeTold);
    QVERIFY2(has(finding.numbers, contents.domains[1].name), finding.numbers.c_str());
}

void TestReport::orderFollowsTheCurves()
{
    ReportContents contents = madeup::report();
    const auto verdict = [&](double importance, double ablation, double random) {
        auto &pruning = contents.domains[0].pruning;
        pruning[0].curves = {madeup::straightCurve("importance", 50, importance, 1, 96)};
        pruning[1].curves = {madeup::straightCurve("ablation", 50, ablation, 1, 96)};
        pruning[2].curves = {madeup::straightCurve("random", 50, random, 1, 96)};
        return findingWith(contents, kOrder).verdict;
    };
    QCOMPARE(verdict(40, 20, 10), Verdict::Holds);
    QCOMPARE(verdict(20, 40, 10), Verdict::DoesNotHold);
    QCOMPARE(verdict(20, 10, 40), Verdict::DoesNotHold);
    QCOMPARE(verdict(20, 19.5, 10), Verdict::CannotBeTold); // 0.5 % of the height, 2 % of blur
}

void TestReport::crossFollowsTheKinds()
{
    ReportContents contents = madeup::report();
    QCOMPARE(findingWith(contents, kCross).verdict, Verdict::Holds);
    contents.domains[0].kinds->curves[1] = madeup::straightCurve("importance", 50, 45, 1, 32);
    contents.domains[0].kinds->curves[1].kinds = {HeadKind::Cross};
    QCOMPARE(findingWith(contents, kCross).verdict, Verdict::DoesNotHold);
    contents.domains[0].kinds.reset();
    QCOMPARE(findingWith(contents, kCross).verdict, Verdict::CannotBeTold);
    // A model that has no such attention is not asked about it.
    contents.layout = HeadLayout({{HeadKind::Encoder, {{0, 1}}}});
    QVERIFY(findingWith(contents, kCross).claim.empty());
}

void TestReport::speedFollowsTheGain()
{
    ReportContents contents = madeup::report();
    const Finding faster = findingWith(contents, kSpeed);
    QCOMPARE(faster.verdict, Verdict::Holds);
    QVERIFY2(has(faster.numbers, "+20.0 %"), faster.numbers.c_str());
    contents.speed = madeup::speed(-0.1);
    QCOMPARE(findingWith(contents, kSpeed).verdict, Verdict::DoesNotHold);
    // A gain is none where masked heads seem to gain as much, and that there is none is not seen either.
    for (const double gain : {0.2, 0.0}) {
        contents.speed = madeup::speed(gain);
        for (SpeedRow &row : contents.speed->rows) {
            if (row.contender == ModelVersion::Masked)
                row.gain = Spread::of({-0.1, 0.05, 0.9});
        }
        const Finding disturbed = findingWith(contents, kSpeed);
        QCOMPARE(disturbed.verdict, Verdict::CannotBeTold);
        QVERIFY2(has(disturbed.numbers, "measurement noise"), disturbed.numbers.c_str());
    }
}

void TestReport::whatIsMissingCannotBeTold()
{
    ReportContents contents = madeup::report();
    contents.ablationAgreement.reset();
    contents.importanceAgreement.reset();
    contents.speed.reset();
    contents.domains.pop_back();
    contents.domains[0].pruning.clear();
    contents.domains[0].kinds.reset();
    contents.domains[0].bestHeads.reset();
    contents.domains[0].ablation.resamples = 0;
    const std::vector<Finding> findings = findingsOf(contents);
    QCOMPARE(findings.size(), 7);
    for (const Finding &finding : findings) {
        QCOMPARE(finding.verdict, Verdict::CannotBeTold);
        QVERIFY(!finding.numbers.empty());
        QVERIFY(!finding.rule.empty());
    }
    const std::string page = reportPage(contents, findings, {}, reportTables(contents));
    QVERIFY(has(page, "cannot be told"));
    QVERIFY(!has(page, "<span class=\"verdict\">holds"));
}

/// The same study of a metric whose lower scores are better: every loss is as large as before.
void mirror(ReportDomain &domain)
{
    const auto turn = [](PruningResult &result) {
        result.better = Better::Lower;
        for (PruningCurve &curve : result.curves) {
            const double whole = curve.points.front().score;
            for (PruningPoint &point : curve.points) {
                point.score = 2 * whole - point.score;
                point.interval = {2 * whole - point.interval.high, 2 * whole - point.interval.low};
                if (point.paired)
                    point.paired->interval = {-point.paired->interval.high, -point.paired->interval.low};
            }
        }
    };
    domain.ablation.baseline.better = Better::Lower;
    const auto turnHead = [](HeadAblation &head) {
        head.delta = -head.delta;
        head.interval = {-head.interval.high, -head.interval.low};
    };
    std::ranges::for_each(domain.ablation.heads, turnHead);
    domain.bestHeads->baseline.better = Better::Lower;
    for (BestHead &layer : domain.bestHeads->layers)
        turnHead(layer.reported);
    for (PruningResult &result : domain.pruning)
        turn(result);
    if (domain.kinds)
        turn(*domain.kinds);
}

void TestReport::lowerScoresCanBeBetter()
{
    ReportContents contents = madeup::report();
    ReportDomain &domain = contents.domains.front();
    for (const double delta : {-1.0, 1.0}) {
        for (const double p : {0.001, 0.5}) {
            setAll(domain.ablation.heads, delta, p);
            for (BestHead &layer : domain.bestHeads->layers)
                set(layer.reported, 2 * delta, p, 0.2);
            ReportContents turned = contents;
            mirror(turned.domains.front());
            const auto expected = findingsOf(contents);
            const auto findings = findingsOf(turned);
            QCOMPARE(findings.size(), expected.size());
            for (std::size_t i = 0; i < findings.size(); ++i)
                QVERIFY2(findings[i].verdict == expected[i].verdict, findings[i].numbers.c_str());
            if (delta < 0)
                QVERIFY(has(findingWith(turned, kOneHead).numbers, "+2.00 BLEU points"));
        }
    }
}

void TestReport::heightOfACurve()
{
    QCOMPARE(curveHeight(madeup::straightCurve("x", 50, 50, 1, 10)), 1.0);
    QCOMPARE(curveHeight(madeup::straightCurve("x", 50, 0, 1, 10)), 0.5);
    // By paired intervals: how far the two curves' differences from the full model are known.
    const PruningCurve straight = madeup::straightCurve("x", 50, 0, 1, 10);
    QCOMPARE(curveBlur(straight, straight), std::hypot(0.02, 0.02));
    PruningCurve old = straight;
    old.points[3].paired.reset();
    QVERIFY(std::isnan(curveBlur(straight, old)));
    old.randomOrders = 5; // of a band the range of its orders
    QCOMPARE(curveBlur(straight, old), std::hypot(0.02, 0.02));
    QVERIFY(std::isnan(curveHeight(madeup::straightCurve("x", 0, 0, 1, 10))));
    QVERIFY(std::isnan(curveHeight({})));
}

void TestReport::numbersAreWrittenForPeople()
{
    QCOMPARE(fixedText(-0.004, 2), std::string("0.00"));
    QCOMPARE(fixedText(-0.53, 2), std::string("−0.53"));
    QCOMPARE(fixedText(0.53, 2, true), std::string("+0.53"));
    QCOMPARE(fixedText(NAN, 2), std::string("–"));
    QCOMPARE(ScoreText("accuracy").score(0.8096), std::string("80.96 %"));
    QCOMPARE(ScoreText("accuracy").difference(-0.0126), std::string("−1.26"));
    QCOMPARE(ScoreText("BLEU").score(56.917), std::string("56.92"));
    QCOMPARE(ScoreText("perplexity").score(29.4136), std::string("29.414"));
    QCOMPARE(ScoreText("loss").difference(0.00312), std::string("+0.0031"));
    QCOMPARE(ScoreText("macro-accuracy").score(0.8096), std::string("80.96 %"));
    QCOMPARE(pText(0.0004), std::string("< 0.001"));
    QCOMPARE(pText(0.0321), std::string("0.032"));
}

void TestReport::tablesHaveAllHeads()
{
    ReportContents contents = madeup::report();
    contents.dynamics = *madeup::dynamics();
    const std::vector<ReportTable> tables = reportTables(contents);
    QStringList files;
    for (const ReportTable &table : tables) {
        files << QString::fromStdString(table.file);
        QVERIFY2(has(table.latex(), "\\begin{tabular}"), table.file.c_str());
        QVERIFY2(has(table.csv, ","), table.file.c_str());
        QVERIFY(!table.parts.empty());
        for (const TextTable &part : table.parts) {
            for (const auto &row : part.rows)
                QCOMPARE(row.size(), part.columns.size());
        }
    }
    files.sort();
    const QStringList expected{u"ablation-in"_s, u"ablation-out"_s, u"best-heads-in"_s, u"best-heads-out"_s,
                               u"correlation"_s, u"differences"_s,  u"importance-in"_s, u"importance-out"_s,
                               u"kinds-in"_s,    u"kinds-out"_s,    u"pruning-in"_s,    u"pruning-out"_s,
                               u"speed"_s,       u"training"_s};
    QCOMPARE(files, expected);
    QCOMPARE(std::ranges::count(tables.front().csv, '\n'), 97); // a header and 96 heads
    // Marks follow the convention, which the note says.
    HeadAblation &head = contents.domains[0].ablation.heads.front();
    head.delta = -1.234;
    head.p = 0.0005;
    head.discoveryP = 0.03;
    head.pAdjusted = 0.2;
    const auto firstCell = [&] { return reportTables(contents).front().parts.front().rows.front()[1]; };
    QCOMPARE(firstCell(), std::string("−1.23*"));
    QVERIFY(has(reportTables(contents).front().note, "* p ≤ 0.05, Benjamini-Hochberg"));
    contents.significance.correction = Correction::Holm;
    QCOMPARE(firstCell(), std::string("−1.23"));
    QVERIFY(has(reportTables(contents).front().note, "* p ≤ 0.05, Holm"));
    contents.significance = {.level = 0.01, .correction = Correction::None};
    QCOMPARE(firstCell(), std::string("−1.23*"));
}

void TestReport::latexIsEscaped()
{
    const TextTable table{"50 % of a_b", {"x", "Δ"}, {{"a&b", "−1.0 ± 2"}, {"p", "< 0.001"}}};
    const std::string latex = toLatex(table);
    QVERIFY2(has(latex, "% 50 \\% of a\\_b\n"), latex.c_str());
    QVERIFY2(has(latex, "x & $\\Delta$ \\\\"), latex.c_str());
    QVERIFY2(has(latex, "a\\&b & $-$1.0 $\\pm$ 2 \\\\"), latex.c_str());
    QVERIFY2(has(latex, "p & $<$ 0.001 \\\\"), latex.c_str());
}

void TestReport::pageEscapesWhatItShows()
{
    const ReportContents contents = madeup::report();
    const std::string page
        = reportPage(contents, findingsOf(contents), {{"x", "a <i>", "\"b\""}}, reportTables(contents));
    for (const char *raw : {"<b>", "<out>", "<i>", "\"far\"", "& more"})
        QVERIFY2(!has(page, raw), raw);
    QVERIFY(has(page, "&lt;out&gt; &amp; &quot;far&quot;"));
    QVERIFY(has(page, "models/a &lt;b&gt;"));
    QCOMPARE(htmlEscaped("<a href='x'>&"), std::string("&lt;a href=&#39;x&#39;&gt;&amp;"));
    QVERIFY(has(page, "prefers-color-scheme: dark"));
    QVERIFY(!has(page, "<script"));
    QVERIFY(!has(page, "http://"));
    QVERIFY(!has(page, "https://"));
}

void TestReport::pageNamesOnlyFilesThatAreThere()
{
    QTemporaryDir dir;
    const QString folder = dir.filePath(u"report"_s);
    const ReportContents contents = madeup::report();
    QVERIFY(writeReportFolder(folder.toStdString(), contents, {{"fig", "Figure", "of"}},
                              {{"figures/fig.svg", "<svg/>"}, {"figures/fig.png", "png"}, {"figures/fig.pdf", "pdf"}})
                .isOk());
    const QString page = QString::fromUtf8(testing::readFile(folder + u"/index.html"_s));
    static const QRegularExpression references(u"(?:src|href)=\"([^\"]*)\""_s);
    int count = 0;
    for (auto match = references.globalMatch(page); match.hasNext(); ++count) {
        const QString file = match.next().captured(1);
        if (file.startsWith(u'#')) {
            QVERIFY2(page.contains(u" id=\"%1\">"_s.arg(file.mid(1))), qPrintable(file));
            continue;
        }
        QVERIFY2(QFile::exists(folder + u'/' + file), qPrintable(file));
    }
    QVERIFY(count > 20);
}

void TestReport::rolesAreTablesAndFindings()
{
    ReportContents contents = madeup::report();
    contents.domains.resize(1);
    QVERIFY(findingWith(contents, "positional").claim.empty()); // nothing was computed
    ReportDomain &domain = contents.domains[0];
    RolesResult roles;
    roles.relations = {{"nsubj", ArcDirection::DependentToHead, 200, 1, 0.35, 0.05},
                       {"det", ArcDirection::DependentToHead, 10, 1, 0.5, 0.05}};
    roles.trees = 90;
    roles.raritySentences = 90;
    roles.rarityFrom = "tokens of train.en";
    roles.examples = 100;
    RelevanceResult relevance;
    const auto heads = contents.layout.heads();
    for (std::size_t i = 0; i < heads.size(); ++i) {
        HeadRoleScores head;
        head.head = heads[i];
        head.confidence = 0.2 + 0.001 * static_cast<double>(i);
        head.offsets.at(-1) = {30, 100, 0.1};
        if (head.head.kind == HeadKind::Encoder) {
            head.relationHits = {60, 1};
            head.twoRarest = Share{20, 100, 0.1};
            head.rarest = Share{10, 100, 0.05};
        }
        roles.heads.push_back(head);
        relevance.heads.push_back({heads[i], 0.1 + 0.001 * static_cast<double>(i), 0});
    }
    domain.roles = roles;
    QVERIFY(findingWith(contents, "Confident").verdict == Verdict::CannotBeTold);
    QVERIFY(findingWith(contents, "positional").verdict == Verdict::DoesNotHold);
    QVERIFY(has(findingWith(contents, "positional").numbers, "30 %"));
    QVERIFY(findingWith(contents, "nsubj").verdict == Verdict::DoesNotHold);
    QVERIFY(has(findingWith(contents, "nsubj").numbers, "30 % against 35 %"));
    QVERIFY(findingWith(contents, "rarest").verdict == Verdict::DoesNotHold);

    domain.relevance = relevance;
    QVERIFY(findingWith(contents, "Confident").verdict == Verdict::Holds);
    for (HeadRelevance &head : domain.relevance->heads)
        head.relevance = -head.relevance;
    QVERIFY(findingWith(contents, "Confident").verdict == Verdict::DoesNotHold);
    domain.roles->heads[3].offsets.at(-1) = {95, 100, 0.1};
    domain.roles->heads[4].relationHits = {130, 10};
    domain.roles->heads[0].twoRarest = Share{70, 100, 0.1};
    QVERIFY(findingWith(contents, "positional").verdict == Verdict::Holds);
    QVERIFY(has(findingWith(contents, "positional").numbers, "positional −1"));
    QVERIFY(findingWith(contents, "nsubj").verdict == Verdict::Holds);
    QVERIFY(findingWith(contents, "rarest").verdict == Verdict::Holds);
    QVERIFY(has(findingWith(contents, "rarest").numbers, "70 %"));

    const auto tables = reportTables(contents);
    const auto tableOf = [&](std::string_view file) { return *std::ranges::find(tables, file, &ReportTable::file); };
    const ReportTable relations = tableOf("relations-in");
    QCOMPARE(relations.parts[0].rows.size(), std::size_t{1}); // ten words are in the CSV only
    QCOMPARE(relations.parts[0].rows[0][4], std::string("65 %*"));
    QVERIFY(has(relations.csv, "det,"));
    const ReportTable roleTable = tableOf("roles-in");
    QCOMPARE(roleTable.parts[0].rows.size(), heads.size());
    QVERIFY(has(roleTable.parts[0].rows[3][1], "95 %"));

    domain.roles->trees = 0;
    domain.roles->heads[0].twoRarest.reset();
    for (HeadRoleScores &head : domain.roles->heads)
        head.twoRarest.reset();
    QVERIFY(findingWith(contents, "nsubj").verdict == Verdict::CannotBeTold);
    QVERIFY(findingWith(contents, "rarest").verdict == Verdict::CannotBeTold);
}

void TestReport::folderIsWrittenAndReplaced()
{
    QTemporaryDir dir;
    const QString folder = dir.filePath(u"report"_s);
    ReportContents contents = madeup::report();
    const std::vector<ReportFile> pictures{{"figures/old.svg", "<svg/>"}};
    QVERIFY(writeReportFolder(folder.toStdString(), contents, {}, pictures).isOk());
    QVERIFY(QFile::exists(folder + u"/figures/old.svg"_s));
    // Again, with other files: the old ones are gone. A slash at the end does not matter.
    contents.command = "another";
    QVERIFY(writeReportFolder(folder.toStdString() + "/", contents, {}, {}).isOk());
    QVERIFY(!QFile::exists(folder + u"/figures/old.svg"_s));
    const QJsonObject json = QJsonDocument::fromJson(testing::readFile(folder + u"/report.json"_s)).object();
    QCOMPARE(json[u"command"].toString(), u"another"_s);
    QVERIFY(json[u"manifests"].toArray().size() >= 6);
    // Its list of files is the folder's content.
    QStringList listed;
    for (const QJsonValue &file : json[u"files"].toArray())
        listed << file.toString();
    QStringList there;
    for (QDirIterator at(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories); at.hasNext();)
        there << QDir(folder).relativeFilePath(at.next());
    listed.sort();
    there.sort();
    QCOMPARE(listed, there);
    const auto everything = QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot;
    QCOMPARE(QDir(dir.path()).entryList(everything), QStringList{u"report"_s});
}

void TestReport::otherFoldersAreRefused()
{
    QTemporaryDir dir;
    const auto refused = [&](const QString &folder) {
        const Result<Done> result = checkReportFolder(folder.toStdString());
        return result.isError() ? QString::fromStdString(result.error().message) : QString();
    };
    QCOMPARE(refused(dir.filePath(u"new"_s)), QString());
    QVERIFY(QDir(dir.path()).mkdir(u"empty"_s));
    QCOMPARE(refused(dir.filePath(u"empty"_s)), QString());
    QVERIFY(refused(u""_s).contains(u"by its name"_s));
    QVERIFY(refused(u"."_s).contains(u"by its name"_s));
    QVERIFY(QDir(dir.path()).mkdir(u"full"_s));
    QVERIFY(testing::writeFile(dir.filePath(u"full/thesis.txt"_s), "x"));
    QVERIFY(refused(dir.filePath(u"full"_s)).contains(u"not empty"_s));
    QVERIFY(refused(dir.filePath(u"full/thesis.txt"_s)).contains(u"is a file"_s));
    // A report.json of somebody else does not make a folder ours; a file of the user's in ours is kept.
    QVERIFY(testing::writeFile(dir.filePath(u"full/report.json"_s), "{\"result\": \"report\", \"files\": 3}"));
    QVERIFY(refused(dir.filePath(u"full"_s)).contains(u"not empty"_s));
    const QString report = dir.filePath(u"report"_s);
    QVERIFY(writeReportFolder(report.toStdString(), madeup::report(), {}, {}).isOk());
    QVERIFY(testing::writeFile(report + u"/notes.txt"_s, "mine"));
    QVERIFY(refused(report).contains(u"notes.txt"_s));
    QVERIFY(writeReportFolder(report.toStdString(), madeup::report(), {}, {}).isError());
    QCOMPARE(testing::readFile(report + u"/notes.txt"_s), "mine"_ba);
    // As well in the folders of a report, and a folder of somebody else's in it.
    QVERIFY(QFile::rename(report + u"/notes.txt"_s, report + u"/tables/notes.txt"_s));
    QVERIFY(refused(report).contains(u"tables/notes.txt"_s));
    QVERIFY(QFile::remove(report + u"/tables/notes.txt"_s));
    QCOMPARE(refused(report), QString());
    QVERIFY(QDir(report).mkdir(u"mine"_s));
    QVERIFY(refused(report).contains(u"mine"_s));
}

QTEST_APPLESS_MAIN(TestReport)
#include "tst_report.moc"
