#include "core/formats/jsonfile.h"
#include "tests/core/results/sampleresults.h"
#include "tests/support/fieldtable.h"

#include <QFile>
#include <QString>
#include <QTest>

#include <clocale>
#include <cmath>

using namespace headscope;

class TestResultJson : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyResultComesBack();
    void valuesComeBackExactly();
    void namesAreThoseOfTheCommandLine();
    void nanIsNull();
    void directionsComeBack();
    void olderFilesSayNoDirection();
    void numbersIgnoreTheLocale();
    void invalidUtf8DoesNotThrow();
    void badResultsAreRefused_data();
    void badResultsAreRefused();
    void keyDependsOnWhatDecidesTheNumbers();
    void enumerationsGoBothWays();
    void formatPageHasTheFields();
    void everyFieldIsInItsTable();
};

// Equal text after a second trip: no field that is written can be lost in reading.
void TestResultJson::everyResultComesBack()
{
    for (const AnyResult &result : samples::all()) {
        const std::string text = jsonText(toJson(result));
        const auto json = parseJson(text, "text");
        QVERIFY(json.isOk());
        const auto back = resultFromJson(json.value(), "text");
        if (!back.isOk())
            qWarning("%s", back.error().message.c_str());
        QVERIFY(back.isOk());
        QVERIFY(back.value().isOfKind(result));
        QCOMPARE(jsonText(toJson(back.value())), text);
        QCOMPARE(QByteArray::fromStdString(kindOf(result)),
                 QByteArray::fromStdString(json.value()["result"].get<std::string>()));
    }
}

void TestResultJson::valuesComeBackExactly()
{
    const auto json = nlohmann::json::parse(jsonText(toJson(samples::evaluation())));
    const auto back = *resultFromJson(json, "text").value().as<EvaluationResult>();
    QCOMPARE(back.primary().name, std::string("chrF2"));
    QCOMPARE(back.metrics[1].value, 1.0 / 3);
    QVERIFY(back.metrics[1].interval == (Interval{0.1, 0.5}));
    QVERIFY(!back.metrics[0].interval);
    QVERIFY(back.mask == HeadMask{samples::kFirst});
    QVERIFY(back.outputs[0].tokens == (std::vector<std::int64_t>{5, 6, 0}));
    QCOMPARE(back.manifest.spec, samples::manifest("evaluate").spec);
    QCOMPARE(back.manifest.key(), samples::manifest("evaluate").key());
    const auto maps = *resultFromJson(nlohmann::json::parse(jsonText(toJson(samples::attention()))), "text")
                           .value()
                           .as<AttentionResult>();
    QVERIFY(maps.maps[0].weights == (std::vector<float>{0.25F, 0.75F, 0.5F, 0.5F}));
    QCOMPARE(maps.maps[0].keys, 2);
}

// Scripts depend on these names.
void TestResultJson::namesAreThoseOfTheCommandLine()
{
    const Json ablation = toJson(samples::ablation());
    QCOMPARE(ablation["heads"][0].dump(), std::string(R"({"head":"encoder.0.3","score":56.5,"delta":-0.624,)"
                                                      R"("ci_low":-1.0,"ci_high":-0.1,"p":0.01,"p_adjusted":0.96,)"
                                                      R"("changed":12,"examples":0})"));
    QCOMPARE(ablation["baseline"]["score"].get<double>(), 57.124);
    QCOMPARE(ablation["replace"].get<std::string>(), std::string("resample"));
    const Json evaluation = toJson(samples::evaluation());
    QCOMPARE(evaluation["metrics"]["BLEU"].get<double>(), 1.0 / 3);
    QCOMPARE(evaluation["signature"].get<std::string>(), std::string("sig2"));
    QCOMPARE(toJson(samples::importance())["heads"][0].dump(),
             std::string(R"({"head":"encoder.0.3","importance":0.1,"stderr":0.01})"));
    QCOMPARE(toJson(samples::pruning())["curve"][1].dump(),
             std::string(R"({"pruned":1,"fraction":0.5,"score":50.0,"ci_low":48.0,"ci_high":52.0,)"
                         R"("mask":"cross.2.1","delta_ci_low":-9.0,"delta_ci_high":-5.0,"p":0.001,"changed":6,)"
                         R"("others":[{"metric":"F1","better":"higher","score":0.5,"ci_low":0.25,"ci_high":0.75,)"
                         R"("signature":"average:macro","delta_ci_low":-0.25,"delta_ci_high":0.125,"p":0.5,)"
                         R"("changed":3}],"delta":-7.0})"));
    QCOMPARE(toJson(samples::manifest("ablate"))["spec"]["beams"].get<int>(), 4);
}

void TestResultJson::directionsComeBack()
{
    const auto again = [](const auto &result) {
        return resultFromJson(nlohmann::json::parse(jsonText(toJson(result))), "text").value();
    };
    AblationResult ablation = samples::ablation();
    ablation.baseline.better = Better::Lower;
    QCOMPARE(toJson(ablation)["baseline"]["better"].get<std::string>(), std::string("lower"));
    QVERIFY(again(ablation).as<AblationResult>()->baseline.better == Better::Lower);
    EvaluationResult evaluation = samples::evaluation();
    evaluation.metrics[1].better = Better::Lower;
    QVERIFY(again(evaluation).as<EvaluationResult>()->metrics[1].better == Better::Lower);
    QVERIFY(again(evaluation).as<EvaluationResult>()->metrics[0].better == Better::Higher);
    PruningResult pruning;
    pruning.better = Better::Lower;
    QVERIFY(again(pruning).as<PruningResult>()->better == Better::Lower);
    CompareResult compared;
    compared.metric = "loss";
    compared.better = Better::Lower;
    QVERIFY(again(compared).as<CompareResult>()->better == Better::Lower);
}

void TestResultJson::olderFilesSayNoDirection()
{
    nlohmann::json json = nlohmann::json::parse(jsonText(toJson(samples::ablation())));
    json["baseline"].erase("better");
    QVERIFY(resultFromJson(json, "old").value().as<AblationResult>()->baseline.better == Better::Higher);
    json = nlohmann::json::parse(jsonText(toJson(samples::evaluation())));
    json.erase("better");
    QVERIFY(resultFromJson(json, "old").value().as<EvaluationResult>()->metrics[0].better == Better::Higher);
}

void TestResultJson::nanIsNull()
{
    const std::string text = jsonText(toJson(samples::importance()));
    const auto json = nlohmann::json::parse(text);
    QVERIFY(json["heads"][1]["importance"].is_null());
    const auto back = *resultFromJson(json, "text").value().as<ImportanceResult>();
    QVERIFY(std::isnan(back.heads[1].importance));
}

void TestResultJson::numbersIgnoreTheLocale()
{
    const char *locale = nullptr;
    for (const char *name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8"}) {
        locale = std::setlocale(LC_NUMERIC, name);
        if (locale != nullptr)
            break;
    }
    if (locale == nullptr)
        QSKIP("No locale with a decimal comma is installed.");
    const std::string text = jsonText(toJson(samples::ablation()));
    const auto back = parseJson(text, "text");
    std::setlocale(LC_NUMERIC, "C");
    QVERIFY(text.find("57.124") != std::string::npos);
    QCOMPARE(back.value()["baseline"]["score"].get<double>(), 57.124);
}

void TestResultJson::invalidUtf8DoesNotThrow()
{
    AttentionResult result = samples::attention();
    result.source = "broken \xff\xfe";
    QVERIFY(jsonText(toJson(result)).find("broken") != std::string::npos);
}

void TestResultJson::badResultsAreRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("says");
    const QByteArray manifest = R"("manifest":{"analysis":"ablate"})";
    QTest::newRow("no object") << QByteArray("[1]") << QByteArray("not a result");
    QTest::newRow("no kind") << QByteArray("{}") << QByteArray("result");
    QTest::newRow("unknown kind") << QByteArray(R"({"result":"dance"})") << QByteArray("dance");
    QTest::newRow("no manifest") << QByteArray(R"({"result":"confidence","heads":[]})") << QByteArray("manifest");
    QTest::newRow("bad head") << QByteArray(R"({"result":"confidence",)" + manifest
                                            + R"(,"heads":[{"head":"encoder.x","confidence":1}]})")
                              << QByteArray("encoder.x");
    QTest::newRow("heads no list") << QByteArray(R"({"result":"confidence",)" + manifest + R"(,"heads":3})")
                                   << QByteArray("number");
    QTest::newRow("text for a number") << QByteArray(R"({"result":"confidence",)" + manifest
                                                     + R"(,"heads":[{"head":"encoder.0.0","confidence":"much"}]})")
                                       << QByteArray("number");
    QTest::newRow("fraction for a count")
        << QByteArray(R"({"result":"confidence",)" + manifest + R"(,"heads":[],"examples":1.5})") << QByteArray("1.5");
    QTest::newRow("neither higher nor lower")
        << QByteArray(R"({"result":"prune",)" + manifest + R"(,"metric":"loss","better":"sideways","curves":[]})")
        << QByteArray("sideways");
    QTest::newRow("label without a logit")
        << QByteArray(R"({"result":"evaluate",)" + manifest
                      + R"(,"metrics":{},"outputs":[{"index":0,"logits":[1,2],"predicted":2}]})")
        << QByteArray("\"predicted\" is 2");
    QTest::newRow("ragged map") << QByteArray(
        R"({"result":"attention",)" + manifest
        + R"(,"source_tokens":[],"target_tokens":[],"maps":[{"head":"encoder.0.0","weights":[[1,2],[3]]}]})")
                                << QByteArray("different lengths");
    const auto pairWith = [&](const QByteArray &other, const QByteArray &order) {
        return QByteArray(
            R"({"result":"interactions",)" + manifest
            + R"(,"metric":"BLEU","better":"higher","by":"head","examples":9,"baseline":1,"possible":1,"heads":[],)"
            + R"("pairs":[{"head":"encoder.0.0","other":")" + other
            + R"(","interaction":1,"delta":1,"ci_low":0,"ci_high":2,"p":1,"p_bh":1}],"clusters":{"heads":)"
            + R"(["encoder.0.0","encoder.0.1"],"merges":[{"first":0,"second":1,"height":1}],"order":)" + order + "}}");
    };
    QTest::newRow("a head with itself") << pairWith("encoder.0.0", "[0,1]") << QByteArray("clusters");
    QTest::newRow("a head of no cluster") << pairWith("encoder.0.2", "[0,1]") << QByteArray("clusters");
    QTest::newRow("a leaf that there is not") << pairWith("encoder.0.1", "[0,2]") << QByteArray("clusters");
}

void TestResultJson::badResultsAreRefused()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, says);
    const auto result = resultFromJson(nlohmann::json::parse(text.toStdString()), "file.json");
    QVERIFY(result.isError());
    QVERIFY(result.error().code == ErrorCode::BadInput);
    const auto message = QByteArray::fromStdString(result.error().message);
    QVERIFY2(message.contains("file.json") && message.contains(says), message.constData());
}

void TestResultJson::keyDependsOnWhatDecidesTheNumbers()
{
    const Manifest base = samples::manifest("ablate");
    QCOMPARE(base.key().size(), std::size_t{32});
    Manifest other = base;
    other.created = "later";
    other.seconds = 99;
    other.model = "elsewhere";
    other.examples = 1;
    QCOMPARE(other.key(), base.key());
    for (std::string Manifest::*field :
         {&Manifest::analysis, &Manifest::weightsHash, &Manifest::dataHash, &Manifest::settingsHash, &Manifest::spec,
          &Manifest::version, &Manifest::dtype}) {
        other = base;
        other.*field += "x";
        QVERIFY(other.key() != base.key());
    }
    other = base;
    other.device = "cuda:0";
    QVERIFY(other.key() != base.key()); // base is of a processor
    Manifest second = base;
    second.device = "cuda:1";
    QCOMPARE(second.key(), other.key());
    other = base;
    other.totalExamples = 10;
    QVERIFY(other.key() != base.key());
}

void TestResultJson::enumerationsGoBothWays()
{
    for (const char *name : {"zero", "mean", "resample"})
        QCOMPARE(toText(parseName<Replacement>(name).value()), std::string_view(name));
    for (const char *name : {"token", "example", "batch", "fisher"})
        QCOMPARE(toText(parseName<ImportanceReduction>(name).value()), std::string_view(name));
    for (const char *name : {"none", "layer", "global", "bertology"})
        QCOMPARE(toText(parseName<ImportanceNormalization>(name).value()), std::string_view(name));
    QVERIFY(parseName<ImportanceReduction>("tokens").error().message.find("token, example, batch or fisher")
            != std::string::npos);
}

// HEADSCOPE_WRITE_FORMAT=1 writes the tables anew.
void TestResultJson::formatPageHasTheFields()
{
    QFile page(qEnvironmentVariable("HEADSCOPE_SOURCE_DIR") + QStringLiteral("/core/results/FORMAT.md"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    QByteArray text = page.readAll();
    page.close();
    const QByteArray begin = "<!-- fields -->\n\n";
    const QByteArray end = "<!-- end of fields -->";
    const auto from = text.indexOf(begin) + begin.size();
    const auto to = text.indexOf(end);
    QVERIFY(from > begin.size() && to >= from);
    const QByteArray tables = QByteArray::fromStdString(fieldTables());
    if (qEnvironmentVariableIsSet("HEADSCOPE_WRITE_FORMAT")) {
        text.replace(from, to - from, tables);
        QVERIFY(page.open(QIODevice::WriteOnly) && page.write(text) == text.size());
    }
    QVERIFY2(text.mid(from, text.indexOf(end) - from) == tables,
             "run this test with HEADSCOPE_WRITE_FORMAT=1 and look at the page");
}

// What is written is what the tables say: keys of objects that hold addresses or metrics by name aside.
void TestResultJson::everyFieldIsInItsTable()
{
    const QString tables = QString::fromStdString(fieldTables());
    for (const AnyResult &result : samples::all()) {
        const QString title = QStringLiteral("### `\"result\": \"%1\"`").arg(QString::fromStdString(kindOf(result)));
        const auto from = tables.indexOf(title);
        QVERIFY(from >= 0);
        const QString table = tables.mid(from, tables.indexOf(QStringLiteral("###"), from + 4) - from);
        const Json json = toJson(result);
        for (const auto &field : json.items()) {
            if (field.key() != "result")
                QVERIFY2(table.contains(QStringLiteral("| `%1`").arg(QString::fromStdString(field.key()))),
                         field.key().c_str());
        }
    }
}

QTEST_APPLESS_MAIN(TestResultJson)
#include "tst_resultjson.moc"
