#include "app/cli/options.h"
#include "core/base/shellwords.h"
#include "core/remote/wire.h"
#include "core/session/manifests.h"

#include <CLI/CLI.hpp>

#include <QTest>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace Qt::StringLiterals;
using namespace headscope;

namespace {

/// Every kind of data set, with all that can be said of it other than usual.
std::map<std::string, DataSource> kindsOfSources()
{
    std::map<std::string, DataSource> all;
    DataSource &parallel = all["parallel text"];
    parallel.source = "/data/in.en";
    parallel.reference = "/data/a b.fr";
    parallel.conllu = "/data/trees.conllu";
    parallel.sourcePrefix = "translate \"English\" to German: ";
    parallel.limit = 8;
    parallel.bleuTokenize = "flores200:/data/flores200.model";
    DataSource &trees = all["trees alone"];
    trees.conllu = "/data/trees.conllu";
    trees.sample = 9;
    trees.sampleSeed = 77;
    DataSource &documents = all["documents"];
    documents.conllu = "/data/x.v4_gold_conll";
    documents.documentWords = 0;
    DataSource &table = all["table"];
    table.table = "/data/dev $set.tsv";
    table.textColumn = "1";
    table.pairColumn = "the 'second'";
    table.labelColumn = "none";
    table.header = false;
    table.quoted = true;
    table.labelMap = "1=positive,non-entailment=neutral+contradiction";
    table.sample = 10;
    DataSource &pairs = all["minimal pairs"];
    pairs.table = "/data/blimp.jsonl";
    pairs.worseColumn = "bad";
    pairs.paradigmColumn = "UID";
    pairs.windowStart = WindowStart::Bos;
    DataSource &questions = all["questions"];
    questions.table = "/data/exam.jsonl";
    questions.prompt = "Question: {question}\\nAnswer:";
    questions.shotsFile = "/data/dev 'set'.jsonl";
    questions.shots = 5;
    DataSource &cloze = all["cloze"];
    cloze.table = "/data/lambada.jsonl";
    cloze.cloze = true;
    DataSource &text = all["running text"];
    text.text = "/data/wiki.txt";
    text.textUnit = TextUnit::Document;
    text.stride = 11;
    text.windowPredictions = WindowPredictions::Hf;
    text.windowStart = WindowStart::Bos;
    return all;
}

/// What the command line's parser makes of a command.
struct Parsed
{
    DataSource data;
    std::vector<std::string> second;
    std::vector<std::string> secondReading;
};

Parsed parse(const std::string &command)
{
    cli::ModelArguments model;
    RunOptions run;
    Parsed parsed;
    CLI::App app;
    cli::addModelOptions(app, model);
    cli::addDataOptions(app, parsed.data);
    cli::addRunOptions(app, run);
    cli::addSecondDataOption(app, "order-on", parsed.second, "");
    cli::addSecondReadingOption(app, parsed.secondReading);
    std::vector<std::string> words = shellWords(command, "command");
    words.erase(words.begin(), words.begin() + 2); // the program, the command
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    cli::checkData(parsed.data, false);
    parsed.data = cli::drawn(parsed.data, run);
    return parsed;
}

Manifest manifestOf(const DataSource &data, const nlohmann::json &options)
{
    Manifest manifest;
    manifest.analysis = "prune";
    manifest.model = "/models/one";
    manifest.dataHash = "1";
    manifest.dtype = "f32";
    nlohmann::json spec = options;
    spec.update(decidingOptions(data));
    manifest.spec = spec.dump();
    return manifest;
}

ModelCard modelOfResults()
{
    ModelCard card;
    card.folder = "/models/one";
    return card;
}

nlohmann::json optionsWith(const DataSource &data)
{
    RunOptions run;
    run.seed = data.sampleSeed;
    return decidingOptions(run);
}

} // namespace

/// The command line, a manifest and JSON say the same of where data come from.
class TestDataCommand : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyKindComesBack_data();
    void everyKindComesBack();
    void everyFieldIsOfSomeKind();
    void secondSetComesBack_data() { everyKindComesBack_data(); }
    void secondSetComesBack();
    void keysHaveTheSameOptions();
};

void TestDataCommand::everyKindComesBack_data()
{
    QTest::addColumn<std::string>("kind");
    for (const auto &[kind, data] : kindsOfSources())
        QTest::newRow(kind.c_str()) << kind;
}

/// As a result's first command, as "Copy as command", and as JSON. A language model's copied command had
/// --window-predictions twice, and was refused.
void TestDataCommand::everyKindComesBack()
{
    QFETCH(std::string, kind);
    const DataSource data = kindsOfSources().at(kind);
    const nlohmann::json options = optionsWith(data);
    QVERIFY(parse(commandLine("prune", "/models/one", data, options)).data == data);
    const std::string copied = commandHere(manifestOf(data, options), modelOfResults(), data, nullptr);
    try {
        QVERIFY2(parse(copied).data == data, copied.c_str());
    } catch (const CLI::ParseError &error) {
        QFAIL((copied + ": " + error.what()).c_str());
    }
    QVERIFY(wire::fromWire<DataSource>(wire::toWire(data)) == data);
}

/// A new field has to come into a kind above, or into the exceptions here.
void TestDataCommand::everyFieldIsOfSomeKind()
{
    const std::set<std::string> exceptions{"name"}; // made from the files
    DataSource all;
    std::set<std::string> said;
    for (const auto &[kind, data] : kindsOfSources()) {
        const nlohmann::json fields = wire::toWire(data);
        for (const auto &[name, value] : fields.items())
            said.insert(name);
    }
    auto &[source, reference, table, textColumn, pairColumn, labelColumn, header, quoted, labelMap, conllu,
           documentWords, limit, sample, sampleSeed, name, bleuTokenize, text, textUnit, stride, windowPredictions,
           worseColumn, paradigmColumn, windowStart, sourcePrefix, prompt, cloze, shotsFile, shots]
        = all; // no fewer and no more
    for (std::string *one :
         {&source, &reference, &table, &textColumn, &pairColumn, &labelColumn, &labelMap, &conllu, &name, &bleuTokenize,
          &text, &worseColumn, &paradigmColumn, &sourcePrefix, &prompt, &shotsFile})
        *one = "x";
    for (std::int64_t *one : {&documentWords, &limit, &sample, &stride, &shots})
        *one = 3;
    sampleSeed = 4;
    header = false;
    quoted = true;
    cloze = true;
    textUnit = TextUnit::File;
    windowPredictions = WindowPredictions::Hf;
    windowStart = WindowStart::Bos;
    const nlohmann::json fields = wire::toWire(all);
    QCOMPARE(fields.size(), 28U);
    for (const auto &[field, value] : fields.items())
        QVERIFY2(said.contains(field) || exceptions.contains(field), field.c_str());
}

/// A second data set is read as the first one unless its command says otherwise, which it did not.
void TestDataCommand::secondSetComesBack()
{
    QFETCH(std::string, kind);
    const DataSource like = kindsOfSources().at(kind);
    DataSource usual; // of the same kind, read as usual
    usual.source = like.source;
    usual.reference = like.reference;
    usual.table = like.table;
    usual.text = like.text;
    usual.conllu = like.conllu;
    usual.sourcePrefix = like.sourcePrefix;
    usual.shotsFile = like.shotsFile;
    usual.sampleSeed = like.sampleSeed;
    for (const auto &[first, second] : {std::pair(like, like), std::pair(like, usual), std::pair(usual, like)}) {
        nlohmann::json options = optionsWith(first);
        options["order-on"] = "hash";
        const std::string command = commandHere(manifestOf(first, options), modelOfResults(), first, &second);
        const Parsed parsed = parse(command);
        QVERIFY2(parsed.data == first, command.c_str());
        const DataSource found
            = cli::secondData(parsed.second, cli::readBy(parsed.secondReading, parsed.data), "--order-on");
        QVERIFY2(found == second, command.c_str());
    }
}

/// What decides numbers beside the texts: in keys as in 1.0.0.
void TestDataCommand::keysHaveTheSameOptions()
{
    const auto kinds = kindsOfSources();
    QCOMPARE(decidingOptions(kinds.at("running text")).dump(),
             std::string(R"({"stride":11,"window-predictions":"hf","window-start":"bos"})"));
    QCOMPARE(decidingOptions(kinds.at("table")).dump(),
             std::string(R"({"label-map":"1=positive,non-entailment=neutral+contradiction"})"));
    QCOMPARE(decidingOptions(kinds.at("parallel text")).dump(),
             std::string(R"({"bleu-tokenize":"flores200:/data/flores200.model"})"));
    QCOMPARE(decidingOptions(kinds.at("trees alone")).dump(), std::string("{}"));
}

QTEST_APPLESS_MAIN(TestDataCommand)
#include "tst_datacommand.moc"
