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

QTEST_APPLESS_MAIN(TestCommandHere)
#include "tst_commandhere.moc"
