// Command lines of results, as they are run from any folder.
#include "core/base/shellwords.h"
#include "core/results/manifest.h"
#include "core/session/manifests.h"

#include <QTest>

#include <filesystem>
#include <string>
#include <vector>

using namespace headscope;

namespace {

/// A study that was made in the folder /made, by paths relative to it, and lies in /moved now.
Manifest made(const std::string &analysis, const std::string &spec)
{
    Manifest manifest;
    manifest.analysis = analysis;
    manifest.model = "runs/epoch-006";
    manifest.dataHash = "1";
    manifest.dtype = "f32";
    manifest.spec = spec;
    manifest.command = "headscope-cli " + analysis + " --model runs/epoch-006 --source in.en --reference in.fr";
    return manifest;
}

ModelCard movedModel()
{
    ModelCard card;
    card.folder = "/moved/runs/epoch-006";
    return card;
}

DataSource movedData(const std::string &name)
{
    DataSource data;
    data.source = "/moved/" + name + ".en";
    data.reference = "/moved/" + name + ".fr";
    return data;
}

QString command(const Manifest &manifest, const DataSource *other = nullptr)
{
    return QString::fromStdString(commandHere(manifest, movedModel(), movedData("in"), other));
}

const QString kBegin = QStringLiteral("headscope-cli %1 --model /moved/runs/epoch-006 --source /moved/in.en "
                                      "--reference /moved/in.fr%2");

} // namespace

class TestCommandHere : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void modelAndDataAreWhereTheyLieNow();
    void filesOfOptionsAreSeenFromTheOldFolder();
    void secondDataSetIsTheOneThatIsOpen();
    void relativePathsAreOfTheCurrentFolder();
    void typedTextsKeepTheirCommand();
    void pathsOfAnotherMachineStay();
    void wordsOfFilesAreNoOptionsAndNoShell();
    void statedCommandsOfStrangersAreNotShown_data();
    void statedCommandsOfStrangersAreNotShown();
};

void TestCommandHere::modelAndDataAreWhereTheyLieNow()
{
    QCOMPARE(command(made("ablate", "{}")), kBegin.arg(QStringLiteral("ablate"), QString()));
    Manifest half = made("ablate", R"({"all-but-one":true,"beams":4,"content":"abc"})");
    half.dtype = "bf16";
    QCOMPARE(command(half),
             kBegin.arg(QStringLiteral("ablate"), QStringLiteral(" --all-but-one --beams 4 --dtype bf16")));
}

void TestCommandHere::filesOfOptionsAreSeenFromTheOldFolder()
{
    QCOMPARE(command(made("roles", R"({"frequencies":"words/counts.tsv","content":"1 2"})")),
             kBegin.arg(QStringLiteral("roles"), QStringLiteral(" --frequencies /moved/words/counts.tsv")));
    QCOMPARE(command(made("dynamics", R"({"runs":"runs"})")),
             kBegin.arg(QStringLiteral("dynamics"), QStringLiteral(" --runs /moved/runs")));
    // An order is a name, or a file whose content is known.
    QCOMPARE(command(made("prune", R"({"order":"ablation"})")),
             kBegin.arg(QStringLiteral("prune"), QStringLiteral(" --order ablation")));
    QCOMPARE(command(made("prune", R"({"order":"heads.txt","content":"1"})")),
             kBegin.arg(QStringLiteral("prune"), QStringLiteral(" --order /moved/heads.txt")));
}

void TestCommandHere::secondDataSetIsTheOneThatIsOpen()
{
    Manifest manifest = made("collaborate", R"({"also-on":"d0f1"})");
    manifest.command += " --also-on out.en out.fr";
    const DataSource other = movedData("out");
    QCOMPARE(command(manifest, &other),
             kBegin.arg(QStringLiteral("collaborate"), QStringLiteral(" --also-on /moved/out.en /moved/out.fr")));
    QCOMPARE(command(manifest), kBegin.arg(QStringLiteral("collaborate"), QStringLiteral(" --also-on out.en out.fr")));
}

void TestCommandHere::relativePathsAreOfTheCurrentFolder()
{
    ModelCard card;
    card.folder = "runs/epoch-006";
    DataSource data;
    data.table = "dev set.tsv";
    data.limit = 5;
    const std::string here = std::filesystem::current_path().string();
    QCOMPARE(shellWords(commandHere(made("ablate", "{}"), card, data, nullptr), "command"),
             (std::vector<std::string>{"headscope-cli", "ablate", "--model", here + "/runs/epoch-006", "--data",
                                       here + "/dev set.tsv", "--limit", "5"}));
}

void TestCommandHere::typedTextsKeepTheirCommand()
{
    Manifest manifest = made("attention", R"({"mask":"","target":"","text":"A man walks."})");
    manifest.dataHash.clear();
    manifest.command = "headscope-cli attention --model runs/epoch-006 --text 'A man walks.'";
    QCOMPARE(command(manifest),
             QStringLiteral("headscope-cli attention --model /moved/runs/epoch-006 --text 'A man walks.'"));
}

void TestCommandHere::pathsOfAnotherMachineStay()
{
    ModelCard card = movedModel();
    card.host = "gpu1";
    card.folder = "models/one";
    DataSource data;
    data.table = "dev.tsv";
    QCOMPARE(QString::fromStdString(commandHere(made("ablate", "{}"), card, data, nullptr)),
             QStringLiteral("headscope-cli ablate --model models/one --data dev.tsv"));
}

void TestCommandHere::wordsOfFilesAreNoOptionsAndNoShell()
{
    // Names of columns that look like options stay values; options that no analysis has are left out.
    DataSource data;
    data.table = "/d/dev.tsv";
    data.textColumn = "--out=/home/u/.bashrc";
    const Manifest manifest
        = made("ablate", R"j({"out":"/home/u/.bashrc","$(touch x)":"1","beams":2,"x --out y":true})j");
    QCOMPARE(QString::fromStdString(commandHere(manifest, movedModel(), data, nullptr)),
             QStringLiteral("headscope-cli ablate --model /moved/runs/epoch-006 --data /d/dev.tsv "
                            "--text-column=--out=/home/u/.bashrc --beams 2"));
    QCOMPARE(commandHere(made("ablate; touch x", "{}"), movedModel(), data, nullptr), std::string());
    DataSource other;
    other.table = "--out";
    QCOMPARE(secondDataOption("also-on", other, other), std::string(" --also-on ./--out"));
    Manifest second = made("collaborate", R"({"also-on":"d0f1"})");
    second.command += " --also-on 'out $(touch x).en' out.fr --beams 1; touch x";
    QCOMPARE(command(second),
             kBegin.arg(QStringLiteral("collaborate"), QStringLiteral(" --also-on 'out $(touch x).en' out.fr")));
    second.command = "touch x --also-on y";
    QCOMPARE(command(second), kBegin.arg(QStringLiteral("collaborate"), QString()));
}

void TestCommandHere::statedCommandsOfStrangersAreNotShown_data()
{
    QTest::addColumn<QString>("stated");
    QTest::addColumn<QString>("shown");
    const auto row
        = [](const char *name, const QString &stated, const QString &shown) { QTest::newRow(name) << stated << shown; };
    const QString good = QStringLiteral("headscope-cli attention --model m --text 'A man walks.'");
    row("good", good, good);
    row("empty word", good + QStringLiteral(" --pair ''"), good + QStringLiteral(" --pair ''"));
    row("number below zero", good + QStringLiteral(" --length-penalty -0.5"),
        good + QStringLiteral(" --length-penalty -0.5"));
    row("another program", QStringLiteral("rm -r /home/u"), {});
    row("another program behind it", good + QStringLiteral("; rm x"),
        QStringLiteral("headscope-cli attention --model m --text 'A man walks.;' rm x"));
    row("option that writes", good + QStringLiteral(" --out /home/u/.bashrc"), {});
    row("the same in one word", good + QStringLiteral(" --out=/home/u/.bashrc"), {});
    row("short option", good + QStringLiteral(" -o x"), {});
    row("another analysis", QStringLiteral("headscope-cli pack --model m"), {});
    row("open quotation", good + QStringLiteral(" 'x"), {});
}

void TestCommandHere::statedCommandsOfStrangersAreNotShown()
{
    QFETCH(const QString, stated);
    QFETCH(const QString, shown);
    Manifest manifest = made("attention", "{}");
    manifest.command = stated.toStdString();
    QCOMPARE(QString::fromStdString(statedCommand(manifest)), shown);
}

QTEST_APPLESS_MAIN(TestCommandHere)
#include "tst_commandhere.moc"
