// Weights of few bits against the libraries that pack them (make_quantised_goldens.py): unpacked weights bit by bit,
// and what models with them compute; damaged parts and settings that are not known are refused by name.
#include "tests/goldens/goldens.h"

#include "core/formats/jsonfile.h"
#include "core/io/checkpoint.h"
#include "core/io/checkpointwriter.h"
#include "core/model/exportpruned.h"

#include <QTemporaryDir>
#include <QTest>

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

namespace {

namespace fs = std::filesystem;

using Tensors = std::map<std::string, torch::Tensor>;
using Change = std::function<void(Tensors &)>;

/// A copy of a golden with other tensors in its file.
fs::path spoilt(const std::string &name, const fs::path &target, const Change &change)
{
    const fs::path folder = copyOf(name, goldenFolders("quantised"), target);
    Tensors tensors;
    {
        const Checkpoint file = Checkpoint::openFile(folder / "model.safetensors").valueOrThrow();
        for (const std::string &tensor : file.names())
            tensors[tensor] = file.tensor(tensor).valueOrThrow().clone();
    }
    change(tensors);
    (void)writeSafetensors(folder / "model.safetensors", {tensors.begin(), tensors.end()}).valueOrThrow();
    return folder;
}

torch::Tensor bytes(const std::string &text)
{
    std::vector<std::uint8_t> values(text.begin(), text.end());
    return torch::tensor(values, torch::kUInt8);
}

const std::string kQuery = "model.layers.0.self_attn.q_proj.";

} // namespace

Q_DECLARE_METATYPE(Change)

class TestQuantisedGoldens : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void dequantised_data()
    {
        QTest::addColumn<QString>("folder");
        for (const auto &folder : goldenFolders("quantised"))
            QTest::newRow(folder.filename().c_str()) << QString::fromStdString(folder.string());
        QVERIFY(goldenFolders("quantised").size() >= 8);
    }

    void dequantised()
    {
        QFETCH(QString, folder);
        const torch::NoGradGuard noGrad;
        const fs::path source = folder.toStdString();
        const nlohmann::json golden = readJsonFile(source / "golden.json").valueOrThrow();
        const LoadedModel loaded = loadGolden(source);
        for (const auto &[name, rows] : golden.at("weights").items()) {
            const torch::Tensor ours = loaded.checkpoint->tensor(name).valueOrThrow().to(torch::kFloat64);
            QCOMPARE(ours.sizes().vec(), loaded.checkpoint->shape(name));
            QVERIFY2(torch::equal(ours[0], numbers(rows.at(0))) && torch::equal(ours[-1], numbers(rows.at(1))),
                     name.c_str());
        }
        QVERIFY(relativeDistance(logitsOfText(loaded, golden), logitsIn(golden)) < 1e-5);
        QVERIFY2(loaded.warnings.size() == 1, loaded.warnings.back().c_str());
        QVERIFY2(loaded.warnings.front().find(golden.at("format").get<std::string>()) != std::string::npos,
                 loaded.warnings.front().c_str());

        const QTemporaryDir root;
        const fs::path exported = fs::path(root.path().toStdString()) / "exported";
        (void)exportPruned(loaded, source, PrunedExport{}, exported, {}).valueOrThrow();
        const LoadedModel again = loadGolden(exported);
        QVERIFY2(again.warnings.empty(), again.warnings.empty() ? "" : again.warnings.front().c_str());
        QVERIFY(relativeDistance(logitsOfText(again, golden), logitsIn(golden)) < 1e-5);
    }

    void settingsAreRefused_data()
    {
        QTest::addColumn<QByteArray>("folder");
        QTest::addColumn<QByteArray>("change");
        QTest::addColumn<QByteArrayList>("said");
        const auto add = [](const char *name, const char *folder, const char *change, const QByteArrayList &said) {
            QTest::newRow(name) << QByteArray(folder) << QByteArray(change) << said;
        };
        add("another method", "gptq", R"({"quant_method": "hqq"})", {"quant_method", "hqq", "awq"});
        add("another format", "gptq", R"({"checkpoint_format": "marlin"})", {"checkpoint_format", "marlin"});
        add("bits by module", "gptq", R"({"dynamic": {"-:.*": {}}})", {"dynamic"});
        add("bits nobody has", "gptq", R"({"bits": 5})", {"\"bits\": 5"});
        add("no bits", "awq", R"({"bits": null})", {"\"bits\": null"});
        add("other bits than the file's", "gptq", R"({"bits": 8})", {"bits, group_size"});
        add("other groups than the file's", "awq", R"({"group_size": 16})", {"qzeros", "bits, group_size"});
        add("no groups", "awq", R"({"group_size": 0})", {"group_size", "0"});
        add("another version", "awq", R"({"version": "gemv"})", {"version", "gemv"});
        add("without zero points", "awq", R"({"zero_point": false})", {"zero_point"});
    }

    void settingsAreRefused()
    {
        QFETCH(QByteArray, folder);
        QFETCH(QByteArray, change);
        QFETCH(QByteArrayList, said);
        const QTemporaryDir root;
        const fs::path copy
            = copyOf(folder.toStdString(), goldenFolders("quantised"), fs::path(root.path().toStdString()) / "model");
        nlohmann::json config = readJsonFile(copy / "config.json").valueOrThrow();
        config["quantization_config"].merge_patch(nlohmann::json::parse(change.toStdString()));
        std::ofstream(copy / "config.json") << config.dump();
        const auto message = QByteArray::fromStdString(refusal(copy));
        for (const QByteArray &part : said)
            QVERIFY2(message.contains(part), QByteArray(part + " is not in: " + message).constData());
    }

    void damagedPartsAreRefused_data()
    {
        QTest::addColumn<QByteArray>("folder");
        QTest::addColumn<Change>("change");
        QTest::addColumn<QByteArrayList>("said");
        const auto add = [](const char *name, const char *folder, const Change &change, const QByteArrayList &said) {
            QTest::newRow(name) << QByteArray(folder) << change << said;
        };
        const std::string weight = kQuery + "weight", state = weight + ".quant_state.bitsandbytes__";
        add("zeros are missing", "gptq", [](Tensors &all) { all.erase(kQuery + "qzeros"); }, {"qzeros", "is missing"});
        add("scales of another shape", "gptq",
            [](Tensors &all) {
                all[kQuery + "scales"] = torch::ones({3, 64}, torch::kFloat16);
            },
            {"scales", "[3, 64]"});
        add("an order that is too short", "gptq",
            [](Tensors &all) { all[kQuery + "g_idx"] = torch::zeros({63}, torch::kInt32); }, {"g_idx", "[63]"});
        add("a group that is not there", "gptq", [](Tensors &all) { all[kQuery + "g_idx"][5] = 2; },
            {"g_idx", "the group 2 of 2"});
        add("a negative group", "gptq", [](Tensors &all) { all[kQuery + "g_idx"][5] = -1; }, {"g_idx", "-1"});
        add("codes that are no matrix", "awq",
            [](Tensors &all) { all[kQuery + "qweight"] = torch::zeros({512}, torch::kInt32); }, {"qweight", "matrix"});
        add("no codes", "awq",
            [](Tensors &all) {
                all[kQuery + "qweight"] = torch::zeros({0, 8}, torch::kInt32);
            },
            {"qweight", "matrix"});
        add("packed and not", "awq", [](Tensors &all) { all[kQuery + "weight"] = torch::zeros({64, 64}); }, {"twice"});
        add("rows without weight", "bnb-8", [weight](Tensors &all) { all.erase(weight); },
            {"q_proj.weight", "missing"});
        add("scales of other rows", "bnb-8", [](Tensors &all) { all[kQuery + "SCB"] = torch::ones({65}); },
            {"SCB", "65"});
        add("blocks that are too short", "bnb-nf4",
            [weight](Tensors &all) {
                all[weight] = torch::zeros({2047, 1}, torch::kUInt8);
            },
            {weight.c_str(), "2048 bytes"});
        add("scales that are missing", "bnb-nf4", [weight](Tensors &all) { all.erase(weight + ".nested_absmax"); },
            {"nested_absmax", "missing"});
        add("a state that is no JSON", "bnb-nf4", [state](Tensors &all) { all[state + "nf4"] = bytes("{"); }, {"nf4"});
        add("a state without a shape", "bnb-nf4",
            [state](Tensors &all) { all[state + "nf4"] = bytes(R"({"blocksize": 64, "dtype": "float16"})"); },
            {"shape"});
        add("a shape beyond all memory", "bnb-nf4",
            [state](Tensors &all) {
                all[state + "nf4"]
                    = bytes(R"({"blocksize": 64, "dtype": "float16", "shape": [1000000000, 1000000000]})");
            },
            {"shape", "1000000000"});
        add("blocks of nothing", "bnb-nf4",
            [state](Tensors &all) {
                all[state + "nf4"] = bytes(R"({"blocksize": 0, "dtype": "float16", "shape": [64, 64]})");
            },
            {"blocksize"});
    }

    void damagedPartsAreRefused()
    {
        QFETCH(QByteArray, folder);
        QFETCH(Change, change);
        QFETCH(QByteArrayList, said);
        const QTemporaryDir root;
        const auto message = QByteArray::fromStdString(
            refusal(spoilt(folder.toStdString(), fs::path(root.path().toStdString()) / "model", change)));
        for (const QByteArray &part : said)
            QVERIFY2(message.contains(part), QByteArray(part + " is not in: " + message).constData());
    }

    void settingsInAnotherFileAreNamed()
    {
        const QTemporaryDir root;
        const fs::path copy = copyOf("gptq", goldenFolders("quantised"), fs::path(root.path().toStdString()) / "model");
        nlohmann::json config = readJsonFile(copy / "config.json").valueOrThrow();
        std::ofstream(copy / "quantize_config.json") << config["quantization_config"].dump();
        QVERIFY(loadGolden(copy).transformer);
        config.erase("quantization_config");
        std::ofstream(copy / "config.json") << config.dump();
        QVERIFY(refusal(copy).find("quantize_config.json") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestQuantisedGoldens)
#include "tst_quantisedgoldens.moc"
