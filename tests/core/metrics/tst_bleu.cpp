#include "core/metrics/bleu.h"
#include "core/metrics/metrictext.h"
#include "tests/core/metrics/corpora.h"

#include <QElapsedTimer>
#include <QTest>

#include <cmath>
#include <utility>

using namespace headscope;
using corpora::corpusScore;
using corpora::kHypotheses;
using corpora::kReferences;

namespace {

// sacreBLEU's sums are the same sums in the same order; a few last bits may differ in exp and log.
constexpr double kTolerance = 1e-10;

bool close(double found, double expected, double tolerance = kTolerance)
{
    if (std::abs(found - expected) <= tolerance)
        return true;
    qWarning("found %.15g, expected %.15g", found, expected);
    return false;
}

double sentence(std::string_view hypothesis, std::vector<std::string_view> references, BleuOptions options = {})
{
    options.effectiveOrder = true;
    return sentenceBleu(hypothesis, references, options);
}

const std::string_view kRomanian = "Producția de zahăr primă va fi exprimată în ceea ce privește zahărul alb;";
const std::string_view kRomanianReference = "producţia de zahăr brut se exprimă în zahăr alb;";

} // namespace

/// Expected values: sacreBLEU 2.6.0, run, and the tables of its own tests.
class TestBleu : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void tokenize13aIsSacrebleus_data();
    void tokenize13aIsSacrebleus();
    void corpusDetails();
    void corpusOptions();
    void sentenceScores();
    void romanianSentence();
    void rawCorpusCases();
    void scoresOfGivenStatistics();
    void emptyTextScoresZero();
    void signatures();
    void oddTextIsSafe();
    void unicodeSpaceIsPythons();
    void isFast();
};

void TestBleu::tokenize13aIsSacrebleus_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("tokens");
    const std::vector<std::pair<const char *, const char *>> rows = {
        {"Hello, world!", "Hello , world !"},
        {"It costs $1,000.50 (approx.).", "It costs $ 1,000.50 ( approx . ) ."},
        {"e.g. a-b, 3-4; x--y", "e . g . a-b , 3 - 4 ; x--y"},
        {"He said: \"Don't!\"", "He said : \" Don't ! \""},
        {"a..b ... 1.5.", "a . . b . . . 1.5 ."},
        {"&quot;Tom &amp; Jerry&quot; &lt;b&gt;", "\" Tom & Jerry \" < b >"},
        {"&amp;lt;", "<"},
        {"foo-\nbar\nbaz <skipped>", "foobar baz"},
        {"50% of 3,5 and U.S.A.", "50 % of 3,5 and U . S . A ."},
        {"naïve “quotes” – dash…", "naïve “quotes” – dash…"},
        {"state-of-the-art 1990-91", "state-of-the-art 1990 - 91"},
        {"#hash @user a_b c/d", "# hash @ user a _ b c / d"},
        {"١٢٬٣ ١.٢", "١٢٬٣ ١ . ٢"},
        {",.5 .,", ", .5 . ,"},
        {" a\u00a0b\u3000c ", "a b c"},
        {"1.", "1 ."},
        {"x.", "x ."},
        {"[a]{b}~`^|\\", "[ a ] { b } ~ ` ^ | \\"},
    };
    for (const auto &[line, tokens] : rows)
        QTest::newRow(line) << QByteArray(line) << QByteArray(tokens);
}

void TestBleu::tokenize13aIsSacrebleus()
{
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, tokens);
    QCOMPARE(QByteArray::fromStdString(tokenize13a(line.toStdString())), tokens);
}

void TestBleu::corpusDetails()
{
    const BleuMetric metric({}, 2);
    const auto sums = corpora::statisticsOf(metric, kHypotheses, kReferences).sums();
    QCOMPARE(sums, (std::vector<double>{17, 18, 14, 7, 5, 3, 17, 14, 11, 8}));
    const BleuDetails details = metric.details(sums);
    QVERIFY(close(details.score, 48.530827009929865));
    QVERIFY(close(details.brevityPenalty, 0.9428731438548749));
    QVERIFY(close(details.precisions[0], 82.3529411764706));
    QCOMPARE(details.text(), std::string("BLEU = 48.53 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 "
                                         "hyp_len = 17 ref_len = 18)"));
}

void TestBleu::corpusOptions()
{
    const auto score
        = [](BleuOptions options) { return corpusScore(BleuMetric(options, 2), kHypotheses, kReferences); };
    QVERIFY(close(score({.tokenizer = BleuTokenizer::None}), 49.19195660047277));
    QVERIFY(close(score({.tokenizer = BleuTokenizer::Char}), 72.61064153440596));
    QVERIFY(close(score({.smoothing = BleuSmoothing::Floor}), 48.530827009929865));
    QVERIFY(close(score({.smoothing = BleuSmoothing::None}), 48.530827009929865));
    QVERIFY(close(score({.lowerCase = true}), 48.530827009929865));
    QVERIFY(close(score({.effectiveOrder = true}), 48.530827009929865));
    QVERIFY(close(score({.smoothing = BleuSmoothing::AddK}), 52.70109002482467));
    QVERIFY(close(score({.maxOrder = 1}), 77.64837655275439));
    QVERIFY(close(score({.maxOrder = 2}), 60.50312757020198));
    QVERIFY(close(score({.maxOrder = 3}), 53.93393139430307));
    QVERIFY(close(score({.maxOrder = 5}), 46.14416643541557));
    QVERIFY(close(score({.maxOrder = 6}), 43.283197812670714));
}

void TestBleu::sentenceScores()
{
    const double expected[] = {100.00000000000004, 14.794015674776452, 29.071536848410968};
    for (std::size_t i = 0; i < 3; ++i)
        QVERIFY(close(sentence(kHypotheses[i], {kReferences[0][i], kReferences[1][i]}), expected[i]));
    QVERIFY(close(sentence("d e f g h a b c", {"a b c d e f g h"}), 69.14415692838826));
    QVERIFY(close(sentence("a b c", {"c a b"}), 62.996052494743665));
    QVERIFY(close(sentence("x y z w", {"x y q z w"}), 35.1862973998119));
    QVERIFY(close(sentence("a test", {"a test"}), 100));
    QVERIFY(close(sentence("test", {"a test"}), 36.78794411714425));
    const std::string_view reference = "a test";
    QCOMPARE(sentenceBleu("test", std::span(&reference, 1), {}), 0.0);
}

void TestBleu::romanianSentence()
{
    const auto score = [](BleuOptions options) { return sentence(kRomanian, {kRomanianReference}, options); };
    QVERIFY(close(score({}), 8.493098745313148));
    QVERIFY(close(score({.smoothing = BleuSmoothing::Floor}), 4.516881220954753));
    QVERIFY(close(score({.smoothing = BleuSmoothing::Floor, .smoothingValue = 0.5}), 10.100053456347073));
    QVERIFY(close(score({.smoothing = BleuSmoothing::AddK}), 14.882560178972215));
    QVERIFY(close(score({.smoothing = BleuSmoothing::AddK, .smoothingValue = 2}), 21.389460275371086));
    QVERIFY(close(score({.smoothing = BleuSmoothing::None}), 0));
    QVERIFY(close(score({.tokenizer = BleuTokenizer::None}), 7.347053125977879));
    QVERIFY(close(score({.tokenizer = BleuTokenizer::Char}), 40.875973647629166));
    QVERIFY(close(score({.tokenizer = BleuTokenizer::Char, .lowerCase = true}), 42.02678206410298));
}

void TestBleu::rawCorpusCases()
{
    const auto score = [](corpora::Lines hypotheses, corpora::Lines references, double value) {
        const BleuOptions options{.tokenizer = BleuTokenizer::None,
                                  .smoothing = BleuSmoothing::Floor,
                                  .smoothingValue = value,
                                  .effectiveOrder = true};
        return corpusScore(BleuMetric(options), hypotheses, {references});
    };
    QVERIFY(close(score({"this is a test", "another test"}, {"ref1", "ref2"}, 0.01), 0));
    QVERIFY(close(score({"this is a test"}, {"this is a test"}, 0.01), 100));
    QVERIFY(close(score({"this is a fest"}, {"this is a test"}, 0.01), 22.3606797749979));
    QVERIFY(close(score({"test"}, {"a test"}, 0.01), 36.78794411714425));
    QVERIFY(close(score({"a little test"}, {"a test"}, 0.01), 3.218297948685433));
    QVERIFY(
        close(score({"am I am a character sequence"}, {"I am a symbol string sequence a a"}, 0.1), 15.55722182, 1e-7));
    QVERIFY(close(score({"am I am a character sequence"}, {"I am a symbol string sequence a a"}, 0), 0));
}

void TestBleu::scoresOfGivenStatistics()
{
    const BleuMetric metric;
    const BleuMetric floor({.smoothing = BleuSmoothing::Floor, .smoothingValue = 0});
    QVERIFY(close(metric.score(std::vector<double>{11, 11, 9, 7, 5, 3, 10, 8, 6, 4}), 83.75922397, 1e-7));
    QCOMPARE(floor.score(std::vector<double>{6, 6, 6, 5, 4, 0, 6, 5, 4, 3}), 0.0);
    QCOMPARE(metric.score(std::vector<double>{0, 1, 0, 0, 0, 0, 4, 4, 2, 1}), 0.0);
    QCOMPARE(metric.score(std::vector<double>(10, 0)), 0.0);
}

void TestBleu::emptyTextScoresZero()
{
    QCOMPARE(corpusScore(BleuMetric({}, 2), {"", "", ""}, kReferences), 0.0);
    QCOMPARE(sentence("", {"a b"}), 0.0);
    QCOMPARE(sentence("a b", {""}), 0.0);
    QCOMPARE(sentence("", {""}), 0.0);
}

void TestBleu::signatures()
{
    QCOMPARE(BleuMetric().signature(), std::string("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|impl:headscope"));
    const BleuOptions options{
        .tokenizer = BleuTokenizer::Char, .smoothing = BleuSmoothing::AddK, .effectiveOrder = true, .lowerCase = true};
    QCOMPARE(BleuMetric(options, 2).signature(),
             std::string("nrefs:2|case:lc|eff:yes|tok:char|smooth:add-k[1.00]|impl:headscope"));
}

void TestBleu::oddTextIsSafe()
{
    // Invalid UTF-8 counts byte by byte and equals itself; no read beyond the end.
    const std::string broken = "\xff\xc3 a\xe2\x82";
    QVERIFY(close(sentence(broken, {broken}), 100));
    QCOMPARE(codePoints(broken).size(), std::size_t{6});
    QCOMPARE(tokenize13a(""), std::string());
    QCOMPARE(tokenize13a("&"), std::string("&"));
}

void TestBleu::unicodeSpaceIsPythons()
{
    QCOMPARE(withoutTrailingSpace("a b\u2003\u3000 \t\n"), std::string_view("a b"));
    QCOMPARE(withoutTrailingSpace("\u200b"), std::string_view("\u200b")); // not white space to Python
    QCOMPARE(splitOnSpace("\u1680x\u2028y\x1cz").size(), std::size_t{3});
    QCOMPARE(lowerCase("ÀÉȚ Straße"), std::string("àéț straße"));
}

void TestBleu::isFast()
{
    const BleuMetric metric;
    const std::string reference = "Two young, White males are outside near many bushes in the old town.";
    const std::string hypothesis = "Two young, white men are outside near some bushes in an old town.";
    const auto prepared = metric.prepare(reference);
    std::vector<double> statistics(metric.statisticsSize());
    QElapsedTimer timer;
    timer.start();
    for (int i = 0; i < 1000; ++i)
        metric.statistics(hypothesis, *prepared, statistics);
    qInfo("1000 sentences: %.2f ms", static_cast<double>(timer.nsecsElapsed()) * 1e-6);
    QVERIFY(timer.elapsed() < 200); // a few ms when the machine is free
}

QTEST_APPLESS_MAIN(TestBleu)
#include "tst_bleu.moc"
