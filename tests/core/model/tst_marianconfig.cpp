// What a folder of Marian's says about its model, what is refused, and how its tensors are seen; its numbers are
// compared in tst_familygoldens.
#include "core/formats/atomicfile.h"
#include "core/io/checkpoint.h"
#include "core/model/loadmodel.h"
#include "core/model/marianconfig.h"
#include "tests/core/formats/npzwriter.h"

#include <torch/types.h>

#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

namespace {

using Options = std::map<std::string, std::string>;

Options usualOptions()
{
    return {{"type", "transformer"},
            {"dim-emb", "4"},
            {"enc-depth", "1"},
            {"dec-depth", "1"},
            {"transformer-heads", "2"},
            {"transformer-dim-ffn", "3"},
            {"transformer-decoder-dim-ffn", "5"},
            {"transformer-ffn-activation", "swish"},
            {"transformer-preprocess", "\"\""},
            {"transformer-postprocess", "dan"},
            {"transformer-postprocess-emb", "d"},
            {"transformer-decoder-autoreg", "self-attention"},
            {"transformer-depth-scaling", "true"},
            {"transformer-guided-alignment-layer", "last"}};
}

/// Floats 0, 1, 2, …
ZipMember array(const std::string &name, const std::vector<std::int64_t> &shape)
{
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        count *= size;
    std::vector<float> numbers;
    for (std::int64_t i = 0; i < count; ++i)
        numbers.push_back(static_cast<float>(i));
    return npyMember(name, npyBytes(npyDescription("<f4", shape),
                                    std::string(reinterpret_cast<const char *>(numbers.data()), numbers.size() * 4)));
}

class Folder
{
public:
    Folder() { writeModel(usualOptions()); }
    void write(const std::string &name, const std::string &bytes) const
    {
        (void)writeFileAtomically(path() / name, bytes).valueOrThrow();
    }
    void remove(const char *name) const { std::filesystem::remove(path() / name); }
    void writeModel(const Options &options, const std::string &name = "model.npz",
                    std::vector<ZipMember> more = {array("Wemb", {6, 4})}) const
    {
        std::string text;
        for (const auto &[key, value] : options)
            text += key + ": " + value + '\n';
        text += '\0';
        if (!options.empty())
            more.push_back(npyMember("special:model.yml",
                                     npyBytes(npyDescription("<i1", {static_cast<std::int64_t>(text.size())}), text)));
        write(name, zipBytes(more));
    }
    std::filesystem::path path() const { return m_folder.path().toStdString(); }
    Result<nlohmann::json> config() const
    {
        const auto checkpoint = Checkpoint::open(path());
        return checkpoint.isOk() ? marianConfig(checkpoint.value(), path()) : checkpoint.error();
    }
    std::string error() const
    {
        const auto read = config();
        return read.isError() ? read.error().message : std::string("no error");
    }

private:
    QTemporaryDir m_folder;
};

bool has(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class TestMarianConfig final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void optionsAreRead()
    {
        const Folder folder;
        const nlohmann::json config = folder.config().valueOrThrow();
        const auto expected = nlohmann::json::parse(R"({
            "model_type": "marian-nmt", "vocab_size": 7, "decoder_vocab_size": 7, "target_tokens": 6, "pad_token_id": 6,
            "decoder_start_token_id": 6, "eos_token_id": 0, "bad_words_ids": [[1]], "d_model": 4, "encoder_layers": 1,
            "decoder_layers": 1, "encoder_attention_heads": 2, "encoder_ffn_dim": 3, "decoder_ffn_dim": 5,
            "activation_function": "swish", "normalize_before": false, "add_final_layer_norm": false,
            "normalize_embedding": false, "output_bias": false, "share_encoder_decoder_embeddings": true,
            "tie_word_embeddings": true, "vocabs": [], "num_beams": 6, "length_penalty": 1.0})");
        for (const auto &[key, value] : expected.items())
            QVERIFY2(config.at(key) == value, (key + ": " + config.at(key).dump()).c_str());
    }

    void normsBeforeSubLayersAreRead()
    {
        const Folder folder;
        Options options = usualOptions();
        options["transformer-preprocess"] = "n";
        options["transformer-postprocess"] = "da";
        options["transformer-postprocess-top"] = "dn";
        options["transformer-postprocess-emb"] = "nd";
        options["transformer-ffn-activation"] = "gelu";
        folder.writeModel(options);
        const nlohmann::json config = folder.config().valueOrThrow();
        for (const char *key : {"normalize_before", "add_final_layer_norm", "normalize_embedding"})
            QVERIFY2(config.at(key) == true, key);
        QVERIFY(config.at("activation_function") == "quick_gelu");
    }

    void decoderAndVocabulariesAreRead()
    {
        const Folder folder;
        folder.write("opus.vocab.yml", "</s>: 2\n<unk>: 3\na: 0\nb: 1\n");
        folder.write("decoder.yml", "models:\n  - model.npz\nvocabs:\n  - /train/opus.vocab.yml\n  - opus.vocab.yml\n"
                                    "beam-size: 5\nnormalize: 0.6\nword-penalty: 0.5\nallow-unk: true\n");
        const nlohmann::json config = folder.config().valueOrThrow();
        QVERIFY(config.at("vocabs") == nlohmann::json({"opus.vocab.yml", "opus.vocab.yml"}));
        QVERIFY(config.at("eos_token_id") == 2 && config.at("forced_eos_token_id") == 2);
        QVERIFY(config.at("unk_token_id") == 3);
        QVERIFY(config.at("bad_words_ids").empty());
        QVERIFY(config.at("num_beams") == 5 && config.at("length_penalty") == 0.6);
        QVERIFY(config.at("word_penalty") == 0.5);
        // Without a word in decoder.yml: those that the checkpoint names, or the only one.
        folder.write("decoder.yml", "beam-size: 5\n");
        QVERIFY(folder.config().valueOrThrow().at("vocabs") == nlohmann::json({"opus.vocab.yml", "opus.vocab.yml"}));
        QVERIFY(folder.config().valueOrThrow().at("length_penalty") == 0.0); // Marian's own
        folder.write("vocab.de.spm", "");
        QVERIFY2(has(folder.error(), "several vocabularies (opus.vocab.yml, vocab.de.spm)"), folder.error().c_str());
        Options options = usualOptions();
        options["vocabs"] = "[opus.vocab.yml, vocab.de.spm]";
        folder.writeModel(options);
        QVERIFY(folder.config().valueOrThrow().at("vocabs") == nlohmann::json({"opus.vocab.yml", "vocab.de.spm"}));
        folder.write("opus.vocab.yml", "a: 0\nb: 1\n");
        folder.write("decoder.yml", "vocabs: [opus.vocab.yml]\n");
        QVERIFY2(has(folder.error(), "opus.vocab.yml lacks the special token </s>"), folder.error().c_str());
    }

    void tensorsHaveTheirOtherNames()
    {
        const Folder folder;
        folder.writeModel(usualOptions(), "model.npz",
                          {array("encoder_Wemb", {6, 4}), array("decoder_Wemb", {3, 4}),
                           array("encoder_l2_self_Wq", {4, 2}), array("encoder_l2_self_bq", {1, 2}),
                           array("decoder_l1_context_Wo_ln_scale_pre", {1, 4}),
                           array("decoder_l1_ffn_ffn_ln_bias", {1, 4}), array("decoder_ff_logit_out_W", {4, 3}),
                           array("decoder_ff_logit_out_b", {1, 3}), array("decoder_top_ln_scale", {1, 4}),
                           array("encoder_emb_ln_bias_pre", {1, 4}), array("decoder_l1_rnn_W", {4, 4})});
        const Checkpoint checkpoint = Checkpoint::open(folder.path()).valueOrThrow();
        const auto tensor = [&](const char *name) { return checkpoint.tensor(name).valueOrThrow(); };
        const auto numbers = [](std::int64_t count) { return torch::arange(count, torch::kFloat32); };
        QVERIFY(torch::equal(tensor("model.encoder.layers.1.self_attn.q_proj.weight"), numbers(8).view({4, 2}).t()));
        QVERIFY(torch::equal(tensor("model.encoder.layers.1.self_attn.q_proj.bias"), numbers(2)));
        QVERIFY(torch::equal(tensor("model.decoder.layers.0.encoder_attn_layer_norm.weight"), numbers(4)));
        QVERIFY(torch::equal(tensor("model.decoder.layers.0.final_layer_norm.bias"), numbers(4)));
        QVERIFY(torch::equal(tensor("model.decoder.layer_norm.weight"), numbers(4)));
        QVERIFY(torch::equal(tensor("model.encoder.layernorm_embedding.bias"), numbers(4)));
        QVERIFY(checkpoint.contains("decoder_l1_rnn_W"));
        QVERIFY(!checkpoint.contains("special:model.yml"));
        // Zeros for what is no token: both tables end with the same padding.
        const auto source = tensor("model.encoder.embed_tokens.weight");
        QVERIFY(torch::equal(source, torch::cat({numbers(24).view({6, 4}), torch::zeros({1, 4})})));
        const auto target = tensor("model.decoder.embed_tokens.weight");
        QVERIFY(torch::equal(target, torch::cat({numbers(12).view({3, 4}), torch::zeros({4, 4})})));
        const auto output = tensor("lm_head.weight");
        QVERIFY(torch::equal(output, torch::cat({numbers(12).view({4, 3}).t(), torch::zeros({4, 4})})));
        const auto bias = tensor("final_logits_bias");
        QVERIFY(torch::equal(bias, torch::cat({numbers(3).view({1, 3}), torch::zeros({1, 4})}, 1)));
        QCOMPARE(checkpoint.shape("final_logits_bias"), (std::vector<std::int64_t>{1, 7}));
        const nlohmann::json config = folder.config().valueOrThrow();
        QVERIFY(config.at("tie_word_embeddings") == false && config.at("target_tokens") == 3);
        QVERIFY(config.at("output_bias") == true && config.at("share_encoder_decoder_embeddings") == false);
    }

    void whatIsNotComputedIsRefused_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("said");
        const auto add = [](const char *key, const char *value, const char *said) {
            QTest::newRow(key) << QByteArray(key) << QByteArray(value) << QByteArray(said);
        };
        add("type", "s2s", "type: s2s");
        add("transformer-decoder-autoreg", "rnn", "transformer-decoder-autoreg: rnn");
        add("transformer-no-projection", "true", "transformer-no-projection");
        add("transformer-train-positions", "true", "transformer-train-positions");
        add("transformer-tied-layers", "[1, 1]", "transformer-tied-layers: [1,1]");
        add("transformer-ffn-depth", "3", "transformer-ffn-depth: 3");
        add("transformer-postprocess", "dhn", "transformer-postprocess \"dhn\"");
        add("transformer-preprocess", "n", "transformer-preprocess \"n\"");
        add("transformer-postprocess-top", "an", "transformer-postprocess-top \"an\"");
        add("transformer-ffn-activation", "sigmoid", "activation sigmoid");
        add("lemma-dim-emb", "512", "lemma-dim-emb: 512");
        add("vocabs", "[vocab.fsv, vocab.fsv]", "factored vocabularies (vocab.fsv)");
        add("dim-emb", "5", "dim-emb: 5");
    }

    void whatIsNotComputedIsRefused()
    {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, value);
        QFETCH(QByteArray, said);
        const Folder folder;
        Options options = usualOptions();
        options[key.toStdString()] = value.toStdString();
        folder.writeModel(options);
        QVERIFY2(has(folder.error(), said.toStdString()), folder.error().c_str());
        QVERIFY2(has(folder.error(), folder.path().string()), folder.error().c_str());
    }

    void oneCheckpointIsChosen()
    {
        const Folder folder;
        folder.remove("model.npz");
        folder.writeModel(usualOptions(), "a.npz");
        folder.write("a.npz.optimizer.npz", "");
        QCOMPARE(folder.error(), std::string("no error"));
        folder.writeModel(usualOptions(), "b.npz");
        QVERIFY2(has(folder.error(), "(a.npz, b.npz)"), folder.error().c_str());
        folder.write("decoder.yml", "models: [b.npz]\n");
        QCOMPARE(folder.error(), std::string("no error"));
        folder.write("decoder.yml", "models: [a.npz, b.npz]\n");
        QVERIFY2(has(folder.error(), "names 2 models"), folder.error().c_str());
        folder.write("decoder.yml", "models: [gone.npz]\n");
        folder.writeModel(usualOptions());
        QCOMPARE(folder.error(), std::string("no error")); // model.npz
        folder.write("decoder.yml", "- a\n");
        QVERIFY2(has(folder.error(), "must hold a map"), folder.error().c_str());
    }

    void archivesOfOthersAreTold()
    {
        const Folder folder;
        folder.writeModel({});
        QVERIFY2(has(folder.error(), "does not say how its model was made"), folder.error().c_str());
        folder.writeModel({{"type", "[transformer"}});
        QVERIFY2(has(folder.error(), "special:model.yml is not YAML"), folder.error().c_str());
        folder.writeModel(usualOptions(), "model.npz", {array("encoder_Wemb", {6, 4})});
        QVERIFY2(has(folder.error(), "lacks the embeddings"), folder.error().c_str());
        folder.writeModel(usualOptions());
        const auto loaded = loadModel(folder.path(), torch::TensorOptions(), {});
        QVERIFY(loaded.isError());
        QVERIFY2(has(loaded.error().message, "lacks") && has(loaded.error().message, "marian-nmt"),
                 loaded.error().message.c_str());
    }
};

QTEST_APPLESS_MAIN(TestMarianConfig)
#include "tst_marianconfig.moc"
