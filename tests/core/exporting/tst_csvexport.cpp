#include "core/exporting/attentionfile.h"
#include "core/exporting/csv.h"
#include "core/exporting/csvwriter.h"
#include "core/exporting/latextable.h"
#include "core/formats/safetensors.h"
#include "tests/core/results/sampleresults.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace headscope;

namespace {

std::vector<std::string> linesOf(const std::string &text)
{
    std::vector<std::string> lines;
    for (const QByteArray &line : QByteArray::fromStdString(text).split('\n'))
        lines.push_back(line.toStdString());
    return lines;
}

} // namespace

class TestCsv : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void fieldsAreQuotedWhereNeeded();
    void formulasAreMadeHarmless();
    void numbersReadBackEqual();
    void columnsAreTheSameForEveryMetric();
    void classificationOutputsHaveLogits();
    void otherTables();
    void attentionNamesTokens();
    void everyLineHasTheHeadersColumns();
    void latexMarksSignificantHeads();
    void attentionFileReadsBack();
    void unwritableFolderIsAnError();
};

void TestCsv::fieldsAreQuotedWhereNeeded()
{
    CsvWriter csv;
    csv << "plain"
        << "a,b"
        << "say \"yes\""
        << "two\nlines"
        << ""
        << " blank ";
    csv.endLine();
    csv << "next";
    QCOMPARE(csv.text(), std::string("plain,\"a,b\",\"say \"\"yes\"\"\",\"two\nlines\",, blank \nnext"));
}

void TestCsv::formulasAreMadeHarmless()
{
    CsvWriter csv;
    csv << "=1+2"
        << "+x"
        << "-y"
        << "@z"
        << "-"
        << "-0.5"
        << "+3"
        << "a=b" << -2.5 << std::int64_t{-7};
    csv.endLine();
    QCOMPARE(csv.text(), std::string("'=1+2,'+x,'-y,'@z,'-,-0.5,'+3,a=b,-2.5,-7\n"));
}

void TestCsv::numbersReadBackEqual()
{
    const double third = 1.0 / 3;
    CsvWriter csv;
    csv << third << std::numeric_limits<double>::quiet_NaN() << std::int64_t{1} << 2;
    QCOMPARE(csv.text(), std::string("0.3333333333333333,,1,2"));
    QCOMPARE(std::stod(csv.text()), third);
}

void TestCsv::columnsAreTheSameForEveryMetric()
{
    const auto lines = linesOf(toCsv(samples::ablation()));
    QCOMPARE(lines[0],
             std::string("head,kind,layer,head_number,metric,score,delta,ci_low,ci_high,p,p_adjusted,changed,p_mcnemar,"
                         "p_bh,p_randomization,p_t,fit_mean_loss,fit_loss"));
    QCOMPARE(lines[1], std::string("encoder.0.3,encoder,0,3,BLEU,56.5,-0.624,-1,-0.1,0.01,0.96,12,,,,,,"));
    QVERIFY2(lines[2].find(",3,0.0625,0.25,0.375,0.4375,") != std::string::npos, lines[2].c_str());
    QCOMPARE(lines.size(), std::size_t{4});
    AblationResult unfitted = samples::ablation();
    for (HeadAblation &head : unfitted.heads)
        head.fitLoss.reset();
    QVERIFY(linesOf(toCsv(unfitted))[0].ends_with(",p_t")); // the columns of what was fitted are of such results only
}

void TestCsv::classificationOutputsHaveLogits()
{
    EvaluationResult result;
    ExampleOutput output;
    output.index = 3;
    output.logits = {-1.5F, 0.1F, 2};
    output.predicted = {1, 2};
    output.labels = {0};
    output.text = "joy, love";
    result.outputs = {output};
    QCOMPARE(outputsCsv(result), std::string("index,predicted,label,predicted_label,logit_0,logit_1,logit_2\n"
                                             "3,1 2,0,\"joy, love\",-1.5,0.1,2\n"));
    AblationResult ablation = samples::ablation();
    ablation.baseline = {"accuracy", 0.75, {}, ""};
    ablation.heads.front().delta = -0.0123;
    ablation.heads.front().mcnemar = 0.25;
    const auto lines = linesOf(toCsv(ablation));
    QCOMPARE(lines[0], linesOf(toCsv(samples::ablation()))[0]);
    QVERIFY(lines[1].starts_with("encoder.0.3,encoder,0,3,accuracy,"));
    QVERIFY(lines[1].ends_with(",12,0.25,,,,,"));
    QVERIFY(toLatex(ablation).find("$-1.23$") != std::string::npos); // in points
}

void TestCsv::otherTables()
{
    QCOMPARE(linesOf(toCsv(samples::importance()))[2], std::string("cross.2.1,cross,2,1,,0.02"));
    QCOMPARE(linesOf(toCsv(samples::confidence()))[1], std::string("encoder.0.3,encoder,0,3,0.75,100"));
    QCOMPARE(linesOf(toCsv(samples::pruning()))[2],
             std::string("importance reversed,1,0.5,BLEU,50,48,52,cross.2.1,encoder,-7,validation,,0.5,,,"
                         "-9,-5,0.001,6"));
    QCOMPARE(linesOf(toCsv(samples::pruning()))[3], std::string("random,0,0,BLEU,57,57,57,,,0,,,0.5,,,,,,"));
    QCOMPARE(linesOf(toCsv(samples::comparison()))[1],
             std::string("encoder.0.3,encoder,0,3,importance,BLEU,1,2,1,-0.5,2.5,0.125,0.25,0.1875,0.5,0.25,0.125"));
    QCOMPARE(linesOf(toCsv(samples::bestHeadsSample()))[2],
             std::string("cross.2.1,cross,2,1,BLEU,-0.5,57.5,0.376,0,1,0.5,1,0.25,0.375,0.0625,0.4375,1"));
    QCOMPARE(linesOf(toCsv(samples::searchSample()))[3],
             std::string("rescaled,1,0.5,0.625,0.0625,accuracy,0.75,0,0.5,1,cross.2.1,encoder.0.3=1.25,,,,"));
    QCOMPARE(linesOf(toCsv(samples::evaluation()))[1], std::string("chrF2,73.244,,,7,sig2"));
    QCOMPARE(linesOf(outputsCsv(samples::evaluation()))[1], std::string("3,-0.125,5 6 0,un chien"));
}

void TestCsv::attentionNamesTokens()
{
    const auto lines = linesOf(toCsv(samples::attention()));
    QCOMPARE(lines[2], std::string("encoder.0.3,encoder,0,3,0,▁a,1,</s>,weights,0.75,0,0,"));
    QCOMPARE(lines[5], std::string("cross.2.1,cross,2,1,0,<pad>,0,▁a,weights,1,0,0,"));
}

void TestCsv::everyLineHasTheHeadersColumns()
{
    for (const AnyResult &result : samples::all()) {
        const auto lines = linesOf(toCsv(result));
        const auto columns = std::count(lines[0].begin(), lines[0].end(), ',');
        for (std::size_t i = 1; i + 1 < lines.size(); ++i)
            QCOMPARE(std::count(lines[i].begin(), lines[i].end(), ','), columns);
        QVERIFY(lines.back().empty());
    }
}

void TestCsv::latexMarksSignificantHeads()
{
    AblationResult result = samples::ablation();
    result.heads[0].discoveryP = 0.01;
    result.manifest.data = "a_b & 50%";
    const std::string text = toLatex(result);
    QVERIFY(text.find("$-0.62^{*}$") != std::string::npos);
    QVERIFY(text.find("$0.38$") != std::string::npos);
    // Heads and layers are counted from 0, as everywhere: cross.2.1 stands in row 2, column 1.
    QVERIFY(text.find("Layer & 0 & 1") != std::string::npos);
    QVERIFY(text.find("\n2 & -- & $0.38$") != std::string::npos);
    QVERIFY(text.find("a\\_b \\& 50\\%") != std::string::npos);
    QVERIFY(text.find("% decoder attention") == std::string::npos);
    result.baseline = {.name = "perplexity", .value = 29.5, .interval = {}, .signature = {}, .better = Better::Lower};
    const std::string lower = toLatex(result);
    QVERIFY(lower.find("(29.500, lower is better)") != std::string::npos); // neither points nor per cent
    QVERIFY(lower.find("$-0.624^{*}$") != std::string::npos);
    QCOMPARE(latexEscaped("a\\~{"), std::string("a\\textbackslash{}\\~{}\\{"));
}

void TestCsv::attentionFileReadsBack()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("maps.safetensors")).toStdString();
    const AttentionResult sentences[] = {samples::attention(), samples::attention()};
    QVERIFY(writeAttentionFile(path, sentences).isOk());

    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const auto parsed = parseSafetensors(std::as_bytes(std::span(text.data(), text.size())), path);
    QVERIFY(parsed.isOk());
    QCOMPARE(parsed.value().tensors.size(), std::size_t{4});
    QCOMPARE(parsed.value().metadata.at("1.target"), std::string("un chien"));
    QCOMPARE(parsed.value().metadata.at("0.source_tokens"), std::string("[\"▁a\",\"</s>\"]"));
    int checked = 0;
    for (const TensorEntry &tensor : parsed.value().tensors) {
        if (tensor.name != "1.encoder.0.3")
            continue;
        QVERIFY(tensor.shape == (std::vector<std::int64_t>{2, 2}));
        float weights[4];
        QCOMPARE(tensor.bytes, sizeof(weights));
        std::memcpy(weights, text.data() + tensor.offset, sizeof(weights));
        QCOMPARE(weights[1], 0.75F);
        ++checked;
    }
    QCOMPARE(checked, 1);
}

void TestCsv::unwritableFolderIsAnError()
{
    const QTemporaryDir folder;
    const auto written
        = writeAttentionFile(folder.filePath(QStringLiteral("no/such/maps.safetensors")).toStdString(), {});
    QVERIFY(written.isError());
    QVERIFY(written.error().message.find("maps.safetensors") != std::string::npos);
}

QTEST_APPLESS_MAIN(TestCsv)
#include "tst_csvexport.moc"
