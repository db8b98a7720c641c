// LoRA adapters against peft: folders with an adapter alone, or beside the weights, compute what merge_and_unload()
// leaves (make_adapter_goldens.py); what is not merged is refused by name.
#include "tests/goldens/familygolden.h"

#include "core/formats/jsonfile.h"
#include "core/io/adapter.h"
#include "core/io/checkpoint.h"
#include "core/io/checkpointwriter.h"
#include "core/model/exportpruned.h"
#include "core/model/modelfolder.h"

#include <QTemporaryDir>
#include <QTest>

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

namespace {

namespace fs = std::filesystem;

fs::path baseOf(const fs::path &adapter)
{
    const auto base = readJsonFile(adapter / "golden.json").valueOrThrow().at("base").get<std::string>();
    return adapter.parent_path().parent_path() / "families" / base;
}

} // namespace

class TestAdapterGoldens : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void merged_data()
    {
        QTest::addColumn<QString>("adapter");
        for (const auto &folder : goldenFolders("adapters"))
            QTest::newRow(folder.filename().c_str()) << QString::fromStdString(folder.string());
        QVERIFY(goldenFolders("adapters").size() >= 4);
    }

    void merged()
    {
        QFETCH(QString, adapter);
        const torch::NoGradGuard noGrad;
        const fs::path source = adapter.toStdString();
        const nlohmann::json golden = readJsonFile(source / "golden.json").valueOrThrow();
        const auto expected = logitsIn(golden);
        QVERIFY(relativeDistance(logitsOfText(loadGolden(baseOf(source)), golden), expected) > 0.01);

        const QTemporaryDir root;
        const fs::path alone = fs::path(root.path().toStdString()) / "alone";
        copyInto(source, alone);
        copyInto(baseOf(source), alone / "base");
        const LoadedModel loaded = loadGolden(alone);
        QVERIFY(relativeDistance(logitsOfText(loaded, golden), expected) < 1e-5);
        QVERIFY(loaded.warnings.front().find("adapter") != std::string::npos);
        const fs::path beside = fs::path(root.path().toStdString()) / "beside";
        copyInto(baseOf(source), beside);
        copyInto(source, beside);
        QVERIFY(relativeDistance(logitsOfText(loadGolden(beside), golden), expected) < 1e-5);

        QVERIFY(hashModel(alone, {}).valueOrThrow() != hashModel(alone / "base", {}).valueOrThrow());
        const fs::path exported = fs::path(root.path().toStdString()) / "exported";
        PrunedExport nothing;
        (void)exportPruned(loaded, alone, nothing, exported, {}).valueOrThrow();
        QVERIFY(!hasAdapter(exported));
        QVERIFY(relativeDistance(logitsOfText(loadGolden(exported), golden), expected) < 1e-5);
    }

    void othersAreRefused_data()
    {
        QTest::addColumn<QByteArray>("change");
        QTest::addColumn<QByteArrayList>("said");
        const auto add = [](const char *name, const char *change, const QByteArrayList &said) {
            QTest::newRow(name) << QByteArray(change) << said;
        };
        add("another kind", R"({"peft_type": "IA3"})", {"peft_type", "IA3"});
        add("DoRA", R"({"use_dora": true})", {"use_dora", "DoRA"});
        add("biases", R"({"bias": "lora_only"})", {"bias", "lora_only"});
        add("a base that was changed", R"({"init_lora_weights": "pissa"})", {"init_lora_weights", "pissa"});
        add("a setting nobody knows", R"({"use_magic": 3})", {"use_magic", "3"});
        add("alphas of their own", R"({"alpha_pattern": {"q_proj": 9}})", {"alpha_pattern"});
        add("a rank that is not the file's", R"({"r": 4})", {"down_proj", "\"r\""});
        add("no rank", R"({"r": 0})", {"\"r\"", "0"});
        add("no base", R"({"base_model_name_or_path": null})", {"base_model_name_or_path"});
        add("a base that is nowhere", R"({"base_model_name_or_path": "nobody/nothing-like-this"})",
            {"nobody/nothing-like-this"});
    }

    void othersAreRefused()
    {
        QFETCH(QByteArray, change);
        QFETCH(QByteArrayList, said);
        const QTemporaryDir root;
        const fs::path folder = fs::path(root.path().toStdString()) / "adapter";
        const fs::path source = goldenFolders("adapters").front().parent_path() / "plain";
        copyInto(source, folder);
        copyInto(baseOf(source), folder / "base");
        nlohmann::json config = readJsonFile(folder / "adapter_config.json").valueOrThrow();
        config.merge_patch(nlohmann::json::parse(change.toStdString()));
        std::ofstream(folder / "adapter_config.json") << config.dump();
        const auto message = QByteArray::fromStdString(refusal(folder));
        for (const QByteArray &part : said)
            QVERIFY2(message.contains(part), QByteArray(part + " is not in: " + message).constData());
    }

    void tensorsOfAnotherModelAreRefused()
    {
        const QTemporaryDir root;
        const fs::path folder = fs::path(root.path().toStdString()) / "adapter";
        const fs::path source = goldenFolders("adapters").front().parent_path() / "plain";
        copyInto(source, folder);
        copyInto(baseOf(source), folder / "base");
        const Checkpoint own = Checkpoint::openFile(source / "adapter_model.safetensors").valueOrThrow();
        std::vector<std::pair<std::string, torch::Tensor>> tensors;
        for (const std::string &name : own.names())
            tensors.emplace_back(name, own.tensor(name).valueOrThrow().clone());
        tensors.emplace_back("base_model.model.model.layers.7.self_attn.q_proj.lora_A.weight", torch::ones({2, 16}));
        (void)writeSafetensors(folder / "adapter_model.safetensors", tensors).valueOrThrow();
        const std::string message = refusal(folder);
        QVERIFY2(message.find("layers.7.self_attn.q_proj.lora_A") != std::string::npos, message.c_str());
    }
};

QTEST_GUILESS_MAIN(TestAdapterGoldens)
#include "tst_adaptergoldens.moc"
