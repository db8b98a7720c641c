// What transformers 5 writes: every family that it saves opens with equal numbers (make_version5_goldens.py).
#include "tests/goldens/familygolden.h"

#include "core/formats/atomicfile.h"
#include "core/formats/jsonfile.h"
#include "core/io/checkpoint.h"
#include "core/io/checkpointwriter.h"

#include <QTemporaryDir>
#include <QTest>

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <string>
#include <utility>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

namespace {

constexpr const char *kVersion5 = "version5.json";

/// The folder as version 5 saves it: its configuration, and its file's names with the numbers of the folder's own.
void writeAsVersion5(const std::filesystem::path &folder, const std::filesystem::path &target)
{
    const nlohmann::json saved = readJsonFile(folder / kVersion5).valueOrThrow();
    for (const char *name : {"config", "generation_config"}) {
        if (!saved.at(name).is_null())
            (void)writeFileAtomically(target / (std::string(name) + ".json"), saved.at(name).dump()).valueOrThrow();
    }
    const Checkpoint checkpoint = Checkpoint::open(folder).valueOrThrow();
    std::vector<std::pair<std::string, torch::Tensor>> tensors;
    for (const auto &[name, own] : saved.at("tensors").items())
        tensors.emplace_back(name, checkpoint.tensor(own.get<std::string>()).valueOrThrow().clone());
    (void)writeSafetensors(target / "model.safetensors", tensors).valueOrThrow();
}

} // namespace

class TestVersion5Goldens : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void familiesAsSaved_data()
    {
        QTest::addColumn<QString>("folder");
        int count = 0;
        for (const auto &folder : familyFolders()) {
            if (!std::filesystem::exists(folder / kVersion5))
                continue;
            QTest::newRow(folder.filename().c_str()) << QString::fromStdString(folder.string());
            ++count;
        }
        QVERIFY(count >= 46);
    }

    void familiesAsSaved()
    {
        QFETCH(QString, folder);
        const QTemporaryDir target;
        writeAsVersion5(folder.toStdString(), target.path().toStdString());
        compare(FamilyGolden::read(folder.toStdString()), loadGolden(target.path().toStdString()));
    }

    /// Tables of both sides apart, positions by kind of layer.
    void madeByVersion5_data()
    {
        QTest::addColumn<QString>("folder");
        for (const auto &folder : goldenFolders("version5"))
            QTest::newRow(folder.filename().c_str()) << QString::fromStdString(folder.string());
        QVERIFY(goldenFolders("version5").size() >= 13);
    }

    void madeByVersion5()
    {
        QFETCH(QString, folder);
        compare(FamilyGolden::read(folder.toStdString()), loadGolden(folder.toStdString()));
    }

private:
    void compare(const FamilyGolden &golden, const LoadedModel &loaded)
    {
        const torch::NoGradGuard noGrad;
        for (std::size_t i = 0; i < golden.rows.size(); ++i) {
            const FamilyRow &row = golden.rows[i];
            const auto logits = outputsOf(*loaded.transformer, golden, {row})[0].to(torch::kFloat64);
            QVERIFY2(m_differences.within(2e-5, "logits", golden.name(), logits / FamilyGolden::scaleOf(row),
                                          row.logits / FamilyGolden::scaleOf(row)),
                     m_differences.failure().c_str());
        }
    }

    LargestDifferences m_differences;
};

QTEST_GUILESS_MAIN(TestVersion5Goldens)
#include "tst_version5goldens.moc"
