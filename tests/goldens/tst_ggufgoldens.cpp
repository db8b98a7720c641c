// Models in GGUF against gguf's own numbers and transformers (make_gguf_goldens.py): weights bit by bit, logits, ids of
// texts; damaged files, types and settings that are not read are refused by name.
#include "tests/goldens/goldens.h"

#include "core/formats/gguf.h"
#include "core/formats/jsonfile.h"
#include "core/formats/textlines.h"
#include "core/io/checkpoint.h"
#include "core/model/modelfolder.h"
#include "core/tokenize/tokenizer.h"

#include <QTemporaryDir>
#include <QTest>

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

namespace {

namespace fs = std::filesystem;

using Change = std::function<void(std::string &bytes)>;

/// Where `text` is followed by a value: behind it, and behind the value's type.
std::size_t placeOf(const std::string &bytes, const std::string &text)
{
    return bytes.find(text) + text.size();
}

template<typename Number>
void write(std::string &bytes, std::size_t at, Number value)
{
    std::memcpy(bytes.data() + at, &value, sizeof(value));
}

/// A file of its own with changed bytes.
fs::path spoilt(const std::string &name, const fs::path &target, const Change &change)
{
    std::string bytes
        = readBytes(goldenFolders("gguf").front().parent_path() / name / "model.gguf", {}, std::int64_t{1} << 30)
              .valueOrThrow();
    change(bytes);
    std::ofstream(target, std::ios::binary) << bytes;
    return target;
}

} // namespace

Q_DECLARE_METATYPE(Change)

class TestGgufGoldens : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void opened_data()
    {
        QTest::addColumn<QString>("folder");
        for (const auto &folder : goldenFolders("gguf"))
            QTest::newRow(folder.filename().c_str()) << QString::fromStdString(folder.string());
        QVERIFY(goldenFolders("gguf").size() >= 6);
    }

    void opened()
    {
        QFETCH(QString, folder);
        const torch::NoGradGuard noGrad;
        const fs::path source = folder.toStdString();
        const nlohmann::json golden = readJsonFile(source / "golden.json").valueOrThrow();
        const LoadedModel loaded = loadGolden(source / "model.gguf");
        for (const auto &[name, rows] : golden.at("weights").items()) {
            const torch::Tensor ours = loaded.checkpoint->tensor(name).valueOrThrow().to(torch::kFloat64);
            QCOMPARE(ours.sizes().vec(), loaded.checkpoint->shape(name));
            QVERIFY2(torch::equal(ours[0].reshape({-1}), numbers(rows.at(0)))
                         && torch::equal(ours[-1].reshape({-1}), numbers(rows.at(1))),
                     name.c_str());
        }
        QVERIFY(relativeDistance(logitsOfText(loaded, golden), logitsIn(golden)) < 1e-5);
        std::size_t packed = 0;
        for (const auto &[type, count] : golden.at("types").items()) {
            if (type.starts_with("F") || type.starts_with("BF"))
                continue;
            ++packed;
            const std::string said = count.dump() + (count == 1 ? " tensor" : " tensors") + " of GGUF's " + type;
            QVERIFY2(loaded.warnings.front().find(said) != std::string::npos, said.c_str());
        }
        QCOMPARE(loaded.warnings.size(), packed > 0 ? std::size_t{1} : std::size_t{0});
        const LoadedModel again = loadGolden(source);
        QVERIFY(torch::equal(logitsOfText(again, golden), logitsOfText(loaded, golden)));
        QCOMPARE(hashModel(source, {}).valueOrThrow(), hashModel(source / "model.gguf", {}).valueOrThrow());
    }

    void textsAsTransformers_data() { opened_data(); }

    void textsAsTransformers()
    {
        QFETCH(QString, folder);
        const fs::path source = folder.toStdString();
        const nlohmann::json golden = readJsonFile(source / "golden.json").valueOrThrow();
        const auto tokenizer = openTokenizer(source / "model.gguf", loadGolden(source).config).valueOrThrow();
        QVERIFY(tokenizer);
        for (const nlohmann::json &row : golden.at("texts")) {
            const std::string text = row.at("text").get<std::string>();
            QVERIFY2(tokenizer->encodeSource(text).valueOrThrow().ids == row.at("ids").get<std::vector<std::int64_t>>(),
                     text.c_str());
        }
    }

    void damagedFilesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<Change>("change");
        QTest::addColumn<QByteArrayList>("said");
        const auto add = [](const char *name, const char *model, const Change &change, const QByteArrayList &said) {
            QTest::newRow(name) << QByteArray(model) << change << said;
        };
        add("another magic", "qwen2", [](std::string &bytes) { bytes[0] = 'X'; }, {"begin with GGUF"});
        add("another version", "qwen2", [](std::string &bytes) { write(bytes, 4, 1U); }, {"version 1"});
        add("of a big-endian machine", "qwen2", [](std::string &bytes) { write(bytes, 4, 3U << 24); }, {"big-endian"});
        add("more tensors than bytes", "qwen2", [](std::string &bytes) { write(bytes, 8, ~0ULL); }, {"tensors"});
        add("more values than bytes", "qwen2", [](std::string &bytes) { write(bytes, 16, 1ULL << 60); }, {"values"});
        add("one value more", "qwen2", [](std::string &bytes) { ++bytes[16]; }, {"not a valid GGUF file"});
        add("a text that is too long", "qwen2", [](std::string &bytes) { write(bytes, 24, 1ULL << 62); },
            {"too early"});
        add("a list that is too long", "qwen2",
            [](std::string &bytes) { write(bytes, placeOf(bytes, "tokenizer.ggml.tokens") + 8, 1ULL << 40); },
            {"list"});
        add("a list of lists", "qwen2",
            [](std::string &bytes) { write(bytes, placeOf(bytes, "tokenizer.ggml.tokens") + 4, 9U); }, {"type 9"});
        add("a value of another type", "qwen2",
            [](std::string &bytes) { write(bytes, placeOf(bytes, "qwen2.block_count"), 77U); }, {"type 77"});
        add("half of the file", "qwen2", [](std::string &bytes) { bytes.resize(bytes.size() / 2); }, {"valid GGUF"});
        add("the last byte is missing", "llama-types", [](std::string &bytes) { bytes.resize(bytes.size() - 32); },
            {"lies at byte"});
        add("a tensor behind the end", "qwen2",
            [](std::string &bytes) { write(bytes, placeOf(bytes, "output_norm.weight") + 16, 1ULL << 50); },
            {"output_norm.weight", "lies at byte"});
        add("a tensor that is not aligned", "qwen2",
            [](std::string &bytes) { write(bytes, placeOf(bytes, "output_norm.weight") + 16, 8ULL); },
            {"lies at byte"});
        add("a tensor without dimensions", "qwen2",
            [](std::string &bytes) { write(bytes, placeOf(bytes, "output_norm.weight"), 0U); }, {"0 dimensions"});
        add("a tensor of no size", "qwen2",
            [](std::string &bytes) { write(bytes, placeOf(bytes, "output_norm.weight") + 4, 0ULL); }, {"size 0"});
        add("a type that is not read", "qwen2",
            [](std::string &bytes) { write(bytes, placeOf(bytes, "blk.0.attn_q.weight") + 20, 20U); },
            {"blk.0.attn_q.weight", "IQ4_NL", "Q4_K"});
        add("rows that are no blocks", "qwen2",
            [](std::string &bytes) { write(bytes, placeOf(bytes, "blk.0.attn_q.weight") + 4, 33ULL); },
            {"blocks of Q8_0"});
        add("another architecture", "qwen2",
            [](std::string &bytes) { bytes[placeOf(bytes, "general.architecture") + 12] = 'x'; }, {"xwen2", "gemma3"});
        add("no layers", "qwen2", [](std::string &bytes) { write(bytes, placeOf(bytes, "qwen2.block_count") + 4, 0U); },
            {"block_count", "0"});
        add("heads that do not go with rows", "llama-types",
            [](std::string &bytes) { write(bytes, placeOf(bytes, "llama.attention.head_count") + 4, 7U); },
            {"head_count"});
        add("values of another width", "llama-types",
            [](std::string &bytes) { write(bytes, placeOf(bytes, "llama.attention.value_length") + 4, 9U); },
            {"value_length", "9"});
        add("a tensor that is missing", "qwen2",
            [](std::string &bytes) { bytes[bytes.find("blk.1.ffn_up.weight") + 6] = 'x'; }, {"mlp.up_proj"});
    }

    void damagedFilesAreRefused()
    {
        QFETCH(QByteArray, model);
        QFETCH(Change, change);
        QFETCH(QByteArrayList, said);
        const QTemporaryDir root;
        const auto message = QByteArray::fromStdString(
            refusal(spoilt(model.toStdString(), fs::path(root.path().toStdString()) / "model.gguf", change)));
        for (const QByteArray &part : said)
            QVERIFY2(message.contains(part), QByteArray(part + " is not in: " + message).constData());
    }

    /// Whatever stands in the first bytes, nothing is read or allocated beyond the file.
    void anyByteMayBeWrong()
    {
        const std::string whole
            = readBytes(goldenFolders("gguf").front().parent_path() / "qwen2" / "model.gguf", {}, std::int64_t{1} << 30)
                  .valueOrThrow();
        for (std::size_t at = 0; at < whole.size(); at += at < 600 ? 1 : 97) {
            std::string bytes = whole;
            bytes[at] = static_cast<char>(~bytes[at]);
            (void)parseGguf(std::as_bytes(std::span(bytes)), "changed");
            (void)parseGguf(std::as_bytes(std::span(whole)).first(at), "cut");
        }
        QVERIFY(parseGguf(std::as_bytes(std::span(whole)), "whole").isOk());
    }

    void tokenizersThatAreNotKnownAreRefused()
    {
        const QTemporaryDir root;
        const fs::path file
            = spoilt("qwen2", fs::path(root.path().toStdString()) / "model.gguf",
                     [](std::string &bytes) { bytes[placeOf(bytes, "tokenizer.ggml.pre") + 12] = 'x'; });
        const auto refused = openTokenizer(file, {});
        QVERIFY(refused.isError());
        for (const char *part : {"tokenizer.ggml.pre", "xwen2", "llama-bpe", "tokenizer.json"})
            QVERIFY2(refused.error().message.find(part) != std::string::npos, refused.error().message.c_str());
    }

    void foldersHaveOneModel()
    {
        const QTemporaryDir root;
        const fs::path folder = root.path().toStdString();
        spoilt("qwen2", folder / "a.gguf", [](std::string &) {});
        QVERIFY(loadGolden(folder).transformer);
        spoilt("qwen2", folder / "b.gguf", [](std::string &) {});
        const std::string message = refusal(folder);
        for (const char *part : {"several", "a.gguf", "b.gguf"})
            QVERIFY2(message.find(part) != std::string::npos, message.c_str());
        QVERIFY(loadGolden(folder / "b.gguf").transformer);
    }
};

QTEST_GUILESS_MAIN(TestGgufGoldens)
#include "tst_ggufgoldens.moc"
