// Exports of the core, on a disk that fails and by a program that is killed: the old one or the new one, whole.
#include "core/exporting/attentionfile.h"
#include "core/exporting/reportfolder.h"
#include "core/formats/atomicfile.h"
#include "tests/support/madeupreport.h"
#include "tests/support/wholeornot.h"

#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

namespace {

std::vector<AttentionResult> someAttention()
{
    AttentionResult sentence;
    sentence.source = "a b";
    sentence.target = "c";
    sentence.sourceTokens = {{.text = "a"}, {.text = "b"}};
    sentence.targetTokens = {{.text = "c"}};
    sentence.maps
        = {{.head = {HeadKind::Encoder, 0, 1}, .queries = 2, .keys = 2, .weights = {0.25F, 0.75F, 0.5F, 0.5F}},
           {.head = {HeadKind::Cross, 0, 0}, .queries = 1, .keys = 2, .weights = {1, 0}}};
    return {sentence};
}

} // namespace

class TestExportFaults : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder{fastFolderTemplate()};

    fs::path folder() const { return m_folder.path().toStdString(); }
    void empty() const
    {
        for (const auto &entry : fs::directory_iterator(folder()))
            fs::remove_all(entry.path());
    }

    WriteUnderTest attention() const
    {
        return {folder(),
                [this] {
                    empty();
                    (void)writeFileAtomically(folder() / "maps.safetensors", "old").valueOrThrow();
                },
                [this] { return writeAttentionFile(folder() / "maps.safetensors", someAttention()).isOk(); }};
    }

    /// Two words stand for the pictures, which are files as all others.
    static Result<Done> writeReport(const fs::path &folder, const std::string &command)
    {
        ReportContents contents = madeup::report();
        contents.command = command;
        contents.domains.clear(); // a handful of files is as good as sixty
        contents.ablationAgreement.reset();
        return writeReportFolder(folder, contents, {{"fig", "Figure", "of"}},
                                 {{"figures/fig.svg", "<svg/>"}, {"figures/fig.png", "png"}});
    }
    WriteUnderTest newReport() const
    {
        return {folder(), [this] { empty(); }, [this] { return writeReport(folder() / "report", "new").isOk(); }};
    }
    WriteUnderTest replacedReport() const
    {
        return {folder(),
                [this] {
                    empty();
                    (void)writeReport(folder() / "report", "old").valueOrThrow();
                },
                [this] { return writeReport(folder() / "report", "new").isOk(); }};
    }

private Q_SLOTS:
    void attentionFile()
    {
        checkFullDisk(attention());
        checkFailingCalls(attention());
        checkKills(attention());
    }

    void newReportFolder()
    {
        checkFullDisk(newReport(), 101);
        checkFailingCalls(newReport());
        checkKills(newReport());
    }

    void replacedReportFolder()
    {
        checkFullDisk(replacedReport(), 101);
        checkFailingCalls(replacedReport());
        checkKills(replacedReport());
    }

    /// Between two steps the report is away for a moment, but not lost.
    void replacedWithoutExchange()
    {
        const NoExchange plain;
        WriteUnderTest report = replacedReport();
        checkFullDisk(report, 499);
        checkFailingCalls(report);
        report.alsoWhole = [this](const FolderContent &now, const FolderContent &before, const FolderContent &) {
            return now.empty()
                && contentOf(folder() / ".report.headscope-old").size() + 1 == before.size(); // less the folder itself
        };
        checkKills(report);
    }
};

QTEST_GUILESS_MAIN(TestExportFaults)
#include "tst_exportfaults.moc"
