// What the commands write to --out, on a disk that fails and by a program that is killed.
#include "app/cli/output.h"
#include "tests/core/results/sampleresults.h"
#include "tests/support/wholeornot.h"

#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

class TestCliFaults : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder{fastFolderTemplate()};

    fs::path folder() const { return m_folder.path().toStdString(); }

    static bool write(const cli::OutputArguments &output, const AnyResult &result)
    {
        try {
            cli::writeResult(output, result);
            return true;
        } catch (const Failure &) {
            return false;
        }
    }

    /// An evaluation in the place of an importance.
    WriteUnderTest command(const std::string &name, const std::string &format) const
    {
        const cli::OutputArguments output{.file = (folder() / name).string(), .format = format};
        return {folder(),
                [this, output] {
                    for (const auto &entry : fs::directory_iterator(folder()))
                        fs::remove_all(entry.path());
                    cli::writeResult(output, samples::importance());
                },
                [output] { return write(output, samples::evaluation()); },
                // The manifest may be missing for a moment; it never stands beside another's table.
                [name](const FolderContent &now, const FolderContent &before, const FolderContent &after) {
                    return now.size() == 1 && now.contains(name)
                        && (now.at(name) == before.at(name) || now.at(name) == after.at(name));
                }};
    }

private Q_SLOTS:
    void wholeOrNotAtAll_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("format");
        QTest::newRow("json") << QStringLiteral("a.json") << QStringLiteral("json");
        QTest::newRow("csv with its manifest") << QStringLiteral("a.csv") << QStringLiteral("csv");
    }
    void wholeOrNotAtAll()
    {
        QFETCH(QString, name);
        QFETCH(QString, format);
        const auto under = command(name.toStdString(), format.toStdString());
        checkFullDisk(under);
        checkFailingCalls(under);
        checkKills(under);
    }
};

QTEST_GUILESS_MAIN(TestCliFaults)
#include "tst_clifaults.moc"
