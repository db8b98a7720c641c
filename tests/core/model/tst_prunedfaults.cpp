// A pruned model's folder, on a disk that fails and by a program that is killed: it is there whole or not at all.
#include "core/model/exportpruned.h"
#include "tests/support/tinymodel.h"
#include "tests/support/wholeornot.h"

#include <ATen/Parallel.h>
#include <QTemporaryDir>
#include <QTest>
#include <torch/types.h>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

class TestPrunedFaults : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder{fastFolderTemplate()};
    LoadedModel m_model;

    fs::path model() const { return fs::path(m_folder.path().toStdString()) / "model"; }
    fs::path written() const { return fs::path(m_folder.path().toStdString()) / "written"; }

    WriteUnderTest exported(ExportForm form) const
    {
        return {written(),
                [this] {
                    fs::remove_all(written());
                    fs::create_directories(written());
                },
                [this, form] {
                    const HeadMask mask{{HeadKind::Encoder, 0, 1}, {HeadKind::Cross, 1, 0}};
                    return exportPruned(m_model, model(), {.mask = mask, .form = form}, written() / "small", {}).isOk();
                }};
    }

private Q_SLOTS:
    void initTestCase()
    {
        torch::set_num_threads(1); // or copies of the process would miss the other threads
        fs::create_directories(model());
        writeTinyModel(model());
        m_model = loadModel(model(), torch::kFloat32, {}).valueOrThrow();
    }

    void wholeOrNotAtAll_data()
    {
        QTest::addColumn<int>("form");
        QTest::newRow("small") << static_cast<int>(ExportForm::Small);
        QTest::newRow("full") << static_cast<int>(ExportForm::Full);
    }
    void wholeOrNotAtAll()
    {
        QFETCH(int, form);
        const auto under = exported(static_cast<ExportForm>(form));
        checkFullDisk(under, 499);
        checkFailingCalls(under);
        checkKills(under);
    }
};

QTEST_GUILESS_MAIN(TestPrunedFaults)
#include "tst_prunedfaults.moc"
