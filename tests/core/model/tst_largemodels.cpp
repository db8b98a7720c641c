// Models that do not fit into memory: what is needed is said before anything is taken. Their files are holes.
#include "core/model/loadmodel.h"
#include "core/tensor/memorypeak.h"

#include <torch/types.h>

#include <QTemporaryDir>
#include <QTest>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

using namespace headscope;

namespace {

/// A Llama of one layer whose weights of the type `dtype` are all zeros and take no room on disk.
class HollowModel
{
public:
    HollowModel(const std::string &dtype, int bytesEach, std::int64_t vocabulary, std::int64_t width)
    {
        const nlohmann::json config{{"model_type", "llama"},
                                    {"architectures", {"LlamaForCausalLM"}},
                                    {"vocab_size", vocabulary},
                                    {"hidden_size", width},
                                    {"intermediate_size", 8},
                                    {"num_hidden_layers", 1},
                                    {"num_attention_heads", 1},
                                    {"num_key_value_heads", 1},
                                    {"max_position_embeddings", 16},
                                    {"tie_word_embeddings", true},
                                    {"bos_token_id", 1},
                                    {"eos_token_id", 2}};
        std::ofstream(folder() / "config.json") << config.dump();
        nlohmann::json header = nlohmann::json::object();
        std::int64_t end = 0;
        const auto add = [&](const std::string &name, const std::vector<std::int64_t> &shape) {
            std::int64_t count = 1;
            for (const std::int64_t size : shape)
                count *= size;
            m_parameters += count;
            const std::int64_t begin = end;
            end += count * bytesEach;
            header[name] = {{"dtype", dtype}, {"shape", shape}, {"data_offsets", {begin, end}}};
        };
        add("model.embed_tokens.weight", {vocabulary, width});
        add("model.norm.weight", {width});
        const std::string layer = "model.layers.0.";
        for (const char *part : {"q_proj", "k_proj", "v_proj", "o_proj"})
            add(layer + "self_attn." + part + ".weight", {width, width});
        for (const char *part : {"gate_proj", "up_proj"})
            add(layer + "mlp." + part + ".weight", {8, width});
        add(layer + "mlp.down_proj.weight", {width, 8});
        for (const char *part : {"input_layernorm", "post_attention_layernorm"})
            add(layer + part + ".weight", {width});
        std::string text = header.dump();
        text.append((8 - text.size() % 8) % 8, ' ');
        std::string length;
        for (int i = 0; i < 8; ++i)
            length += static_cast<char>(text.size() >> (8 * i));
        std::ofstream(file(), std::ios::binary) << length << text;
        std::filesystem::resize_file(file(), 8 + text.size() + static_cast<std::uintmax_t>(end), m_failed);
    }

    std::filesystem::path folder() const { return m_folder.path().toStdString(); }
    std::filesystem::path file() const { return folder() / "model.safetensors"; }
    std::int64_t parameters() const { return m_parameters; }
    bool isMade() const { return !m_failed; }

private:
    QTemporaryDir m_folder;
    std::int64_t m_parameters = 0;
    std::error_code m_failed;
};

Result<LoadedModel> load(const HollowModel &model, torch::ScalarType type = torch::kFloat32)
{
    return loadModel(model.folder(), torch::TensorOptions().dtype(type), {});
}

} // namespace

class TestLargeModels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void whatDoesNotFitIsRefusedBeforeItIsRead()
    {
        // 2 TiB as f64, 1 TiB as f32.
        const HollowModel model("F64", 8, std::int64_t{1} << 25, 1 << 13);
        if (!model.isMade())
            QSKIP("the file system has no files of this size");
        const auto loaded = load(model);
        QVERIFY(loaded.isError());
        QCOMPARE(loaded.error().code, ErrorCode::Resource);
        const std::string &message = loaded.error().message;
        QVERIFY2(message.find("the weights take 1025.0 GiB of memory") != std::string::npos, message.c_str());
        QVERIFY2(message.find("are available") != std::string::npos, message.c_str());
    }

    void memoryIsCounted_data()
    {
        QTest::addColumn<QByteArray>("dtype");
        QTest::addColumn<int>("bytesEach");
        QTest::newRow("f32") << QByteArray("F32") << 4;
        QTest::newRow("bf16") << QByteArray("BF16") << 2;
    }

    void memoryIsCounted()
    {
        QFETCH(QByteArray, dtype);
        QFETCH(int, bytesEach);
        const HollowModel model(dtype.toStdString(), bytesEach, 50, 12);
        const auto loaded = load(model);
        QVERIFY2(loaded.isOk(), loaded.isError() ? loaded.error().message.c_str() : "");
        QCOMPARE(loaded.value().parameters, model.parameters());
        QCOMPARE(loaded.value().memoryBytes, 4 * model.parameters());
        QCOMPARE(load(model, torch::kBFloat16).valueOrThrow().memoryBytes, 2 * model.parameters());
    }

    // Halves that take too much memory as floats stay where the file has them.
    void largeMatricesKeepTheirType()
    {
        const HollowModel model("BF16", 2, std::int64_t{1} << 18, 1 << 11); // 1 GiB as bf16, 2 GiB as f32
        if (!model.isMade())
            QSKIP("the file system has no files of this size");
        std::optional<LoadedModel> loaded;
        const auto peak = peakMemoryOf(torch::kCPU, [&] { loaded = load(model).valueOrThrow(); });
        const Transformer &transformer = *loaded->transformer;
        QVERIFY(transformer.dtype() == torch::kFloat32);
        QVERIFY(transformer.weights().decoder.embedding.scalar_type() == torch::kBFloat16);
        const SubLayerWeights &first = transformer.weights().decoder.at(0);
        QVERIFY(first.attention().query.weight.scalar_type() == torch::kBFloat16);
        QVERIFY(first.norm.weight.scalar_type() == torch::kFloat32);
        const std::int64_t ofNorms = 3 * (1 << 11);
        QCOMPARE(loaded->memoryBytes, 2 * (model.parameters() - ofNorms) + 4 * ofNorms);
        if (peak) // the file's pages, of which each tensor's are given back
            QVERIFY2(*peak < 3 * (std::int64_t{1} << 29), std::to_string(*peak).c_str());
    }

    void theLimitDecides()
    {
        const HollowModel model("F16", 2, 50, 12);
        const auto typeUnder = [&](std::int64_t limit) {
            const LoadedModel loaded
                = loadModel(model.folder(), torch::TensorOptions(torch::kFloat32), {}, limit).valueOrThrow();
            return loaded.transformer->weights().decoder.embedding.scalar_type();
        };
        QVERIFY(typeUnder(4 * model.parameters()) == torch::kFloat32);
        QVERIFY(typeUnder(4 * model.parameters() - 1) == torch::kFloat16);
    }
};

QTEST_APPLESS_MAIN(TestLargeModels)
#include "tst_largemodels.moc"
