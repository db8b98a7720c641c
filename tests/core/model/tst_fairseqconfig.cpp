// What a folder of fairseq's says about its model, and what is refused; its numbers are compared in tst_familygoldens.
#include "core/formats/atomicfile.h"
#include "core/io/checkpoint.h"
#include "core/model/fairseqconfig.h"
#include "core/model/loadmodel.h"
#include "tests/core/formats/picklewriter.h"

#include <torch/types.h>

#include <QTemporaryDir>
#include <QTest>

#include <map>

using namespace headscope;
using namespace headscope::testing;

namespace {

using Values = std::map<std::string, std::string>; ///< already pickled

/// {…}, as an argparse.Namespace or as a dictionary.
std::string pickled(const Values &values, bool isNamespace)
{
    std::string bytes = isNamespace ? pickle::global("argparse", "Namespace") + ")\x81}(" : std::string("}(");
    for (const auto &[name, value] : values)
        bytes += pickle::text(name) + value;
    return bytes + (isNamespace ? "ub" : "u");
}

Values usualArguments()
{
    return {{"arch", pickle::text("transformer_iwslt_de_en")},
            {"source_lang", pickle::text("en")},
            {"target_lang", pickle::text("de")},
            {"encoder_embed_dim", pickle::integer(4)},
            {"decoder_embed_dim", pickle::integer(4)},
            {"encoder_attention_heads", pickle::integer(2)},
            {"dropout", std::string("G\x3F\xD0\0\0\0\0\0\0", 9)},
            {"max_source_positions", pickle::integer(30)},
            {"share_decoder_input_output_embed", "\x88"}};
}

/// Two embeddings, and queries, keys and values of one layer in one tensor.
std::string tensors()
{
    const auto tensor = [](std::int64_t offset, std::int64_t rows) {
        return pickle::tensor(pickle::storage("0", 64), offset, {rows, 4}, {4, 1});
    };
    return pickle::stateDict(
        {{"encoder.embed_tokens.weight", tensor(0, 5)},
         {"decoder.embed_tokens.weight", tensor(4, 6)},
         {"encoder.layers.0.self_attn.in_proj_weight", tensor(8, 12)},
         {"encoder.layers.0.self_attn.in_proj_bias", pickle::tensor(pickle::storage("0", 64), 1, {12}, {1})},
         {"encoder.layers.0.layer_norms.1.weight", pickle::tensor(pickle::storage("0", 64), 3, {4}, {1})},
         {"decoder.layers.0.layer_norms.1.weight", pickle::tensor(pickle::storage("0", 64), 3, {4}, {1})}});
}

class Folder
{
public:
    Folder()
    {
        write("dict.en.txt", "a 1\n");
        write("dict.de.txt", "a 1\nb 1\n");
    }
    void write(const std::string &name, const std::string &bytes) const
    {
        (void)writeFileAtomically(path() / name, bytes).valueOrThrow();
    }
    void writeModel(const std::string &settings, const std::string &name = "model.pt") const
    {
        std::vector<float> numbers(64);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] = static_cast<float>(i);
        write(name, torchZip("}(" + settings + pickle::text("model") + tensors() + 'u', {floats(numbers)}));
    }
    std::filesystem::path path() const { return m_folder.path().toStdString(); }
    Result<nlohmann::json> config() const
    {
        const auto checkpoint = Checkpoint::open(path());
        return checkpoint.isOk() ? fairseqConfig(checkpoint.value(), path()) : checkpoint.error();
    }
    std::string error() const
    {
        const auto read = config();
        return read.isError() ? read.error().message : std::string("no error");
    }

private:
    QTemporaryDir m_folder;
};

std::string underArgs(const Values &values)
{
    return pickle::text("args") + pickled(values, true);
}

bool has(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class TestFairseqConfig final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void argumentsAreRead()
    {
        const Folder folder;
        folder.writeModel(underArgs(usualArguments()));
        const nlohmann::json config = folder.config().valueOrThrow();
        QCOMPARE(config.at("model_type").get<std::string>(), std::string("fairseq"));
        QVERIFY(config.at("langs") == nlohmann::json({"en", "de"}));
        QCOMPARE(config.at("vocab_size").get<int>(), 5);
        QCOMPARE(config.at("decoder_vocab_size").get<int>(), 6);
        QCOMPARE(config.at("d_model").get<int>(), 4);
        QCOMPARE(config.at("encoder_attention_heads").get<int>(), 2);
        QCOMPARE(config.at("decoder_attention_heads").get<int>(), 8); // fairseq's own
        QCOMPARE(config.at("max_position_embeddings").get<int>(), 30);
        QCOMPARE(config.at("tie_word_embeddings").get<bool>(), true);
        QCOMPARE(config.at("share_encoder_decoder_embeddings").get<bool>(), false);
        QCOMPARE(config.at("scale_embedding").get<bool>(), true);
    }

    void configurationsAreReadTheSame()
    {
        const Folder before;
        before.writeModel(underArgs(usualArguments()));
        Values model = usualArguments();
        Values task{{"source_lang", model.extract("source_lang").mapped()},
                    {"target_lang", model.extract("target_lang").mapped()}};
        // omegaconf's objects: a dictionary under _content, and there values under _val.
        Values wrapped;
        for (const auto &[name, value] : model)
            wrapped[name]
                = pickle::global("omegaconf.nodes", "AnyNode") + ")\x81" + pickled({{"_val", value}}, false) + 'b';
        const std::string content = pickle::global("omegaconf.dictconfig", "DictConfig") + ")\x81"
                                  + pickled({{"_content", pickled(wrapped, false)}}, false) + 'b';
        for (const std::string &kind : {pickled(model, false), pickled(model, true), content}) {
            const Folder folder;
            folder.writeModel(pickle::text("args") + 'N' + pickle::text("cfg")
                              + pickled({{"model", kind}, {"task", pickled(task, false)}}, false));
            QVERIFY(folder.config().valueOrThrow() == before.config().valueOrThrow());
        }
    }

    void tensorsHaveTheirLaterNames()
    {
        const Folder folder;
        folder.writeModel(underArgs(usualArguments()));
        const Checkpoint checkpoint = Checkpoint::open(folder.path()).valueOrThrow();
        const auto rows = [&](const char *name) { return checkpoint.tensor(name).valueOrThrow(); };
        const std::string stem = "encoder.layers.0.self_attn.";
        const torch::Tensor all = torch::arange(8, 56, torch::kFloat32).reshape({12, 4});
        const torch::Tensor biases = torch::arange(1, 13, torch::kFloat32);
        int part = 0;
        for (const std::string &name : {stem + "q_proj", stem + "k_proj", stem + "v_proj"}) {
            QVERIFY(torch::equal(rows((name + ".weight").c_str()), all.slice(0, 4 * part, 4 * part + 4)));
            QVERIFY(torch::equal(rows((name + ".bias").c_str()), biases.slice(0, 4 * part, 4 * part + 4)));
            ++part;
        }
        QVERIFY(checkpoint.contains("encoder.layers.0.final_layer_norm.weight"));
        QVERIFY(checkpoint.contains("decoder.layers.0.encoder_attn_layer_norm.weight"));
        QVERIFY(!checkpoint.contains(stem + "in_proj_weight"));
    }

    void whatIsNotComputedIsRefused_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("said");
        const auto text = [](const char *value) { return QByteArray::fromStdString(pickle::text(value)); };
        QTest::newRow("convolutions") << QByteArray("arch") << text("lightconv_iwslt_de_en") << QByteArray("lightconv");
        QTest::newRow("language model") << QByteArray("arch") << text("transformer_lm_gpt")
                                        << QByteArray("transformer_lm");
        QTest::newRow("adaptive softmax")
            << QByteArray("adaptive_softmax_cutoff") << text("10000,20000") << QByteArray("adaptive_softmax_cutoff");
        QTest::newRow("layer-wise") << QByteArray("layer_wise_attention") << QByteArray("\x88")
                                    << QByteArray("layer_wise_attention");
        QTest::newRow("widths") << QByteArray("decoder_embed_dim") << QByteArray("K\x08")
                                << QByteArray("decoder_embed_dim other than");
        QTest::newRow("norms") << QByteArray("encoder_normalize_before") << QByteArray("\x88")
                               << QByteArray("encoder_normalize_before other than");
        QTest::newRow("language") << QByteArray("target_lang") << text("fr") << QByteArray("lacks dict.fr.txt");
        QTest::newRow("no language") << QByteArray("target_lang") << QByteArray("N") << QByteArray("its languages");
    }

    void whatIsNotComputedIsRefused()
    {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, value);
        QFETCH(QByteArray, said);
        const Folder folder;
        Values values = usualArguments();
        values[key.toStdString()] = value.toStdString();
        folder.writeModel(underArgs(values));
        QVERIFY2(has(folder.error(), said.constData()), folder.error().c_str());
        QVERIFY2(has(folder.error(), folder.path().c_str()), folder.error().c_str());
    }

    void severalCheckpointsAreNotGuessed()
    {
        const Folder folder;
        folder.writeModel(underArgs(usualArguments()), "model1.pt");
        QCOMPARE(folder.error(), std::string("no error"));
        folder.writeModel(underArgs(usualArguments()), "model2.pt");
        QVERIFY2(has(folder.error(), "model1.pt, model2.pt"), folder.error().c_str());
        folder.writeModel(underArgs(usualArguments()), "checkpoint_best.pt");
        QCOMPARE(folder.error(), std::string("no error"));
    }

    void checkpointsOfOthersAreTold()
    {
        const Folder folder;
        folder.writeModel({});
        QVERIFY2(has(folder.error(), "does not say how its model was made"), folder.error().c_str());
        const auto loaded = loadModel(folder.path(), torch::TensorOptions(), {});
        QVERIFY(loaded.isError());
        QVERIFY2(has(loaded.error().message, "model.pt"), loaded.error().message.c_str());
    }

    void objectsThatHoldThemselvesEnd()
    {
        const Folder folder;
        // The namespace is its own attribute.
        Values values = usualArguments();
        std::string bytes = pickle::global("argparse", "Namespace") + ")\x81q\x07}(";
        for (const auto &[name, value] : values)
            bytes += pickle::text(name) + value;
        folder.writeModel(pickle::text("args") + bytes + pickle::text("itself") + "h\x07" + "ub");
        QCOMPARE(folder.error(), std::string("no error"));
    }
};

QTEST_APPLESS_MAIN(TestFairseqConfig)
#include "tst_fairseqconfig.moc"
