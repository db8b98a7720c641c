// Classifiers against Hugging Face: tiny models of every family, saved in every container, and the fill-rule
// models of the shared goldens.
#include "tests/core/model/fixturemodel.h"
#include "tests/goldens/classifiergolden.h"
#include "tests/support/shareddata.h"

#include "core/formats/jsonfile.h"
#include "core/io/checkpointwriter.h"
#include "core/model/loadmodel.h"
#include "core/task/examples.h"

#include <QTemporaryDir>
#include <QTest>

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <cmath>
#include <fstream>

using namespace headscope;
using namespace headscope::testing;

namespace {

constexpr double kTolerance = 1e-5;

ProblemType problemOf(const ClassifierGolden &golden)
{
    const auto name = golden.json.at("problem").get<std::string>();
    return name == "regression"                 ? ProblemType::Regression
         : name == "multi_label_classification" ? ProblemType::MultiLabel
                                                : ProblemType::SingleLabel;
}

} // namespace

class TestClassifierGoldens : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void readsWhatTheFolderSays_data() { addFolders(); }
    void readsWhatTheFolderSays();
    void everyRowByItself_data() { addFolders(); }
    void everyRowByItself();
    void allRowsPadded_data() { addFolders(); }
    void allRowsPadded();
    void headMasks_data() { addFolders(); }
    void headMasks();
    void lossAndItsGradientByTheGates_data() { addFolders(); }
    void lossAndItsGradientByTheGates();
    void typesThatAreNotGivenAreZeros_data() { addFolders(); }
    void typesThatAreNotGivenAreZeros();
    void fillRuleModels_data();
    void fillRuleModels();
    void damagedFoldersAreRefused_data();
    void damagedFoldersAreRefused();
    void missingTensorsAreNamed_data();
    void missingTensorsAreNamed();
    void valuesThatAreNoNumbersAreReported_data();
    void valuesThatAreNoNumbersAreReported();

private:
    static void addFolders();
    void compareAttention(const std::string &where, const Recorder &recorder, std::int64_t batchRow,
                          const GoldenRow &row);
    /// A copy of a golden's folder that may be spoilt.
    std::filesystem::path copyOf(const std::string &name);

    LargestDifferences m_differences;
    QTemporaryDir m_folder;
};

#define COMPARE_NUMBERS(what, where, ours, theirs)                                                                     \
    QVERIFY2(m_differences.within(kTolerance, what, where, ours, theirs), m_differences.failure().c_str())

void TestClassifierGoldens::initTestCase()
{
    QVERIFY(m_folder.isValid());
    QVERIFY2(classifierFolders().size() >= 29, "tests/goldens/classifiers is not where it should be");
}

void TestClassifierGoldens::cleanupTestCase()
{
    qInfo("Largest differences from Hugging Face:\n%s", m_differences.report().c_str());
}

void TestClassifierGoldens::addFolders()
{
    QTest::addColumn<QString>("folder");
    for (const auto &folder : classifierFolders())
        QTest::newRow(folder.filename().c_str()) << QString::fromStdString(folder.string());
}

#define FETCH_GOLDEN                                                                                                   \
    QFETCH(QString, folder);                                                                                           \
    const ClassifierGolden golden = ClassifierGolden::read(folder.toStdString());                                      \
    const std::string name = golden.folder.filename();                                                                 \
    const LoadedModel loaded = loadGolden(golden.folder);                                                              \
    const Transformer &model = *loaded.transformer;                                                                    \
    [[maybe_unused]] const std::int64_t pad = model.spec().generation.padId

void TestClassifierGoldens::readsWhatTheFolderSays()
{
    FETCH_GOLDEN;
    const TransformerSpec &spec = model.spec();
    QVERIFY(spec.classifier.has_value());
    QCOMPARE(spec.family, golden.json.at("family").get<std::string>());
    QCOMPARE(spec.classifier->labels, golden.json.at("labels").get<std::vector<std::string>>());
    QVERIFY(spec.classifier->problem == problemOf(golden));
    QCOMPARE(spec.width, golden.json.at("width").get<std::int64_t>());
    const nlohmann::json &json = golden.json;
    for (const auto &[kind, heads] : golden.heads) {
        QVERIFY(model.layout().block(kind));
        QCOMPARE(model.layout().block(kind)->layers, heads);
        QCOMPARE(
            spec.attention(kind, 0).headWidth,
            (json.contains("stacks") ? json.at("stacks").at(toText(kind)) : json).at("head_width").get<std::int64_t>());
    }
    if (json.contains("pad_token_id"))
        QCOMPARE(pad, json.at("pad_token_id").get<std::int64_t>());
    QCOMPARE(spec.decoder.has_value(), golden.hasDecoder());
    QCOMPARE(model.layout().blocks().size(), golden.heads.size());
    if (golden.hasDecoder()) { // the position that is classified
        for (const GoldenRow &row : golden.rows)
            QCOMPARE(classifierInput(row.ids, spec).valueOrThrow(), row.read);
    }

    // Tensors that nobody needs are named, buffers of old versions are passed over.
    const auto extras = golden.json.at("extra_tensors").get<std::vector<std::string>>();
    QCOMPARE(loaded.warnings.size(), extras.size());
    for (std::size_t i = 0; i < extras.size(); ++i)
        QVERIFY2(loaded.warnings[i].find(extras[i]) != std::string::npos, loaded.warnings[i].c_str());
}

void TestClassifierGoldens::compareAttention(const std::string &where, const Recorder &recorder, std::int64_t batchRow,
                                             const GoldenRow &row)
{
    for (const auto &[kind, layers] : row.attention) {
        for (std::size_t layer = 0; layer < layers.size(); ++layer) {
            if (layers[layer].empty())
                continue; // pruned to the last head
            const auto maps = recorder.at(kind, static_cast<int>(layer), "probabilities")[batchRow];
            QCOMPARE(maps.size(0), std::ssize(layers[layer]));
            for (std::size_t head = 0; head < layers[layer].size(); ++head) {
                const torch::Tensor &wanted = layers[layer][head];
                const auto map = maps[static_cast<std::int64_t>(head)].narrow(0, 0, wanted.size(0));
                COMPARE_NUMBERS("attention", where, map.narrow(1, 0, wanted.size(1)), wanted);
                QCOMPARE(map.narrow(1, wanted.size(1), map.size(1) - wanted.size(1)).abs().sum().item<double>(), 0.0);
            }
        }
    }
}

void TestClassifierGoldens::everyRowByItself()
{
    FETCH_GOLDEN;
    const torch::NoGradGuard noGrad;
    for (const GoldenRow &row : golden.rows) {
        Recorder recorder;
        recorder.probabilities = true;
        const auto logits = classify(model, std::vector{row}, {}, &recorder);
        COMPARE_NUMBERS("logits", name, logits[0], row.logits);
        compareAttention(name, recorder, 0, row);
        if (QTest::currentTestFailed())
            return;
    }
}

void TestClassifierGoldens::allRowsPadded()
{
    FETCH_GOLDEN;
    const torch::NoGradGuard noGrad;
    Recorder recorder;
    recorder.probabilities = true;
    const auto logits = classify(model, golden.rows, {}, &recorder);
    COMPARE_NUMBERS("logits", name, logits, golden.logits());
    for (std::size_t i = 0; i < golden.rows.size(); ++i) {
        compareAttention(name, recorder, static_cast<std::int64_t>(i), golden.rows[i]);
        if (QTest::currentTestFailed())
            return;
    }
}

void TestClassifierGoldens::headMasks()
{
    FETCH_GOLDEN;
    const torch::NoGradGuard noGrad;
    for (const GoldenMask &mask : golden.masks) {
        const auto gates = HeadGates::fromMask(mask.mask, model.layout(), model.options());
        COMPARE_NUMBERS("logits under head masks", name, classify(model, golden.rows, gates), mask.logits);
        for (std::size_t i = 0; i < golden.rows.size(); ++i)
            COMPARE_NUMBERS("logits under head masks", name, classify(model, std::vector{golden.rows[i]}, gates),
                            mask.logits[static_cast<std::int64_t>(i)]);
        // Something must have happened.
        QVERIFY((mask.logits - golden.logits()).abs().max().item<double>() > 1e-3);
    }
}

void TestClassifierGoldens::lossAndItsGradientByTheGates()
{
    FETCH_GOLDEN;
    const ProblemType problem = model.spec().classifier->problem;
    for (const GoldenRow &row : golden.rows) {
        HeadGates gates;
        for (const auto &[kind, layers] : golden.heads) {
            for (std::size_t layer = 0; layer < layers.size(); ++layer)
                gates.edit(kind, static_cast<int>(layer)).gate
                    = torch::ones(std::ssize(layers[layer]), model.options()).requires_grad_();
        }
        const auto loss = huggingFaceLoss(classify(model, std::vector{row}, gates)[0], row.label, problem);
        COMPARE_NUMBERS("loss", name, loss, torch::tensor({row.loss}, torch::kFloat64));
        loss.backward();
        for (const auto &[kind, layers] : golden.heads) {
            for (std::size_t layer = 0; layer < layers.size(); ++layer) {
                const torch::Tensor &wanted = row.gateGradients.at(kind)[layer];
                const auto found = gates.at(kind, static_cast<int>(layer)).gate.grad();
                if (!layers[layer].empty()) // heads that no output depends on have no gradient
                    QVERIFY2(m_differences.within(golden.gradientTolerance(), "gradients by gates", name,
                                                  found.defined() ? found : torch::zeros_like(wanted), wanted),
                             m_differences.failure().c_str());
            }
        }
    }
}

void TestClassifierGoldens::typesThatAreNotGivenAreZeros()
{
    FETCH_GOLDEN;
    if (golden.hasDecoder())
        QSKIP("no token types");
    const torch::NoGradGuard noGrad;
    TokenBatch batch = batchOf(golden.rows, pad);
    batch.typeIds = torch::Tensor();
    const auto without = classify(model, batch);
    batch.typeIds = torch::zeros_like(batch.ids);
    QVERIFY(torch::equal(without, classify(model, batch)));
    if (model.spec().tokenTypes > 1) { // and they do something
        batch.typeIds.fill_(1);
        QVERIFY(distance(without, classify(model, batch)) > 1e-3);
    }
}

// --- Goldens without files, whose weights come from a fill rule
// -------------------------------------------------------

void TestClassifierGoldens::fillRuleModels_data()
{
    QTest::addColumn<QString>("family");
    QTest::addColumn<QByteArray>("more");
    QTest::newRow("bert") << "bert" << QByteArray("{}");
    QTest::newRow("electra") << "electra" << QByteArray(R"({"embedding_size": 8})");
    QTest::newRow("roberta") << "roberta" << QByteArray(R"({"type_vocab_size": 1, "layer_norm_eps": 1e-5})");
    QTest::newRow("distilbert") << "distilbert"
                                << QByteArray(R"({"dim": 16, "n_layers": 2, "n_heads": 4, "hidden_dim": 24})");
}

void TestClassifierGoldens::fillRuleModels()
{
    QFETCH(QString, family);
    QFETCH(QByteArray, more);
    const auto file = sharedData("golden/model_golden_tf4.27.1.json");
    if (file.empty())
        QSKIP("No golden files: set HEADSCOPE_SHARED.");
    const auto name = family.toStdString();
    const auto expected = readJsonFile(file).valueOrThrow().at(name + "_seqcls");
    nlohmann::json config{{"model_type", name},
                          {"vocab_size", 32},
                          {"hidden_size", 16},
                          {"num_hidden_layers", 2},
                          {"num_attention_heads", 4},
                          {"intermediate_size", 24},
                          {"max_position_embeddings", 20},
                          {"type_vocab_size", 2},
                          {"num_labels", 3}};
    config.update(nlohmann::json::parse(more.toStdString()));
    const bool roberta = name == "roberta";
    const std::vector<std::vector<std::int64_t>> ids
        = roberta ? std::vector<std::vector<std::int64_t>>{{0, 5, 9, 13, 2}, {0, 7, 2}}
                  : std::vector<std::vector<std::int64_t>>{{1, 5, 9, 13, 2}, {1, 7, 2}};
    TokenBatch batch = TokenBatch::pad(ids, roberta ? 1 : 0, torch::kCPU);
    if (name == "bert" || name == "electra")
        batch.typeIds = torch::tensor({0, 0, 0, 1, 1, 0, 0, 0, 0, 0}, torch::kInt64).view({2, 5});

    const Transformer model = fixtureModel(config);
    const auto theirs
        = [&](const char *key) { return torch::tensor(expected.at(key).get<std::vector<double>>(), torch::kFloat64); };
    const std::string where = "filled " + name;
    Recorder recorder;
    recorder.probabilities = true;
    COMPARE_NUMBERS("logits", where, classify(model, batch, {}, &recorder), theirs("logits"));
    // The golden's batch has one more column of padding.
    COMPARE_NUMBERS("attention", where, recorder.at(HeadKind::Encoder, 0, "probabilities")[0][1],
                    theirs("attn_l0_b0_h1").view({6, 6}).narrow(0, 0, 5).narrow(1, 0, 5));
    COMPARE_NUMBERS("last hidden states", where, model.encode(batch, {}).hidden[0][0], theirs("hidden_last_b0_t0"));
    const HeadMask mask{{HeadKind::Encoder, 0, 1}, {HeadKind::Encoder, 1, 0}, {HeadKind::Encoder, 1, 3}};
    const auto gates = HeadGates::fromMask(mask, model.layout(), model.options());
    COMPARE_NUMBERS("logits under head masks", where, classify(model, batch, gates),
                    theirs("logits_headmask_0.1_1.0_1.3"));

    // The same heads cut out of the weights.
    config["pruned_heads"] = {{"0", {1}}, {"1", {0, 3}}};
    auto tensors = filledTensors(model.spec(), config);
    const TransformerSpec pruned = specOf(config);
    for (int layer = 0; layer < 2; ++layer) {
        std::vector<std::int64_t> kept;
        const AttentionSpec &attention = pruned.attention(HeadKind::Encoder, layer);
        for (const int head : attention.heads) {
            for (std::int64_t i = 0; i < attention.headWidth; ++i)
                kept.push_back(head * attention.headWidth + i);
        }
        const auto index = torch::tensor(kept, torch::kInt64);
        const std::string self = "encoder." + std::to_string(layer) + ".self.";
        for (const char *part : {"query.", "key.", "value."}) {
            for (const char *kind : {"weight", "bias"})
                tensors[self + part + kind] = tensors[self + part + kind].index_select(0, index);
        }
        tensors[self + "out.weight"] = tensors[self + "out.weight"].index_select(1, index);
    }
    const Transformer smaller(pruned, TransformerWeights::assemble(pruned, tensors));
    COMPARE_NUMBERS("logits of pruned models", where, classify(smaller, batch), theirs("logits_pruned"));
}

// --- Folders that must not open --------------------------------------------------------------------------------------

std::filesystem::path TestClassifierGoldens::copyOf(const std::string &name)
{
    static int count = 0;
    const auto target = std::filesystem::path(m_folder.path().toStdString()) / std::to_string(count++);
    return headscope::testing::copyOf(name, classifierFolders(), target);
}

void TestClassifierGoldens::damagedFoldersAreRefused_data()
{
    QTest::addColumn<QByteArray>("folder");
    QTest::addColumn<QByteArray>("change"); // merged into config.json; null removes a key
    QTest::addColumn<QByteArrayList>("said");
    const auto add = [](const char *name, const char *folder, const char *change, const QByteArrayList &said) {
        QTest::newRow(name) << QByteArray(folder) << QByteArray(change) << said;
    };
    add("unknown type", "bert-pairs", R"({"model_type": "burt"})",
        {"burt", "marian", "bert", "roberta", "xlm-roberta", "distilbert", "electra"});
    add("no type", "bert-pairs", R"({"model_type": null})", {"model_type", "distilbert"});
    add("relative keys of BERT", "bert-pairs", R"({"position_embedding_type": "relative_key"})",
        {"position_embedding_type", "relative_key"});
    add("relative keys of ELECTRA", "electra-pairs", R"({"position_embedding_type": "relative_key_query"})",
        {"position_embedding_type", "relative_key_query"});
    add("relative keys of RoBERTa", "roberta-binary", R"({"position_embedding_type": "relative_key"})",
        {"position_embedding_type", "relative_key"});
    add("more labels than rows", "bert-pairs", R"({"id2label": {"3": "unrelated"}})",
        {"classifier.weight", "[3", "[4"});
    add("fewer labels than rows", "roberta-multilabel", R"({"id2label": {"4": null}})",
        {"classifier.out_proj.", "[5", "[4"});
    add("a gap between labels", "bert-pairs", R"({"id2label": {"1": null}})", {"id2label"});
    add("only num_labels, and wrong", "bert-pruned", R"({"num_labels": 2})", {"classifier.weight", "[3", "[2"});
    add("pruned without saying so", "bert-pruned", R"({"pruned_heads": null})", {"pruned_heads", "query"});
    add("pruned where there is nothing", "bert-pruned", R"({"pruned_heads": {"7": [0]}})", {"pruned_heads", "7"});
    add("pruned head that there is not", "electra-pruned", R"({"pruned_heads": {"0": [3]}})", {"pruned_heads", "3"});
    add("another width", "distilbert-binary", R"({"dim": 30})", {"[21, 30]"});
    add("width not divisible", "distilbert-binary", R"({"n_heads": 4})", {"dim", "n_heads"});
    add("another vocabulary", "xlm-roberta-regression", R"({"vocab_size": 22})", {"word_embeddings", "vocab_size"});
    add("activation nobody knows", "electra-regression", R"({"hidden_act": "magic"})", {"magic"});
    add("embedding of another size", "electra-pairs", R"({"embedding_size": 18})", {"[21, 18]", "[21, 10]"});
}

void TestClassifierGoldens::damagedFoldersAreRefused()
{
    QFETCH(QByteArray, folder);
    QFETCH(QByteArray, change);
    QFETCH(QByteArrayList, said);
    const auto copy = copyOf(folder.toStdString());
    QCOMPARE(refusal(copy), std::string("opened without complaint"));
    nlohmann::json config = readJsonFile(copy / "config.json").valueOrThrow();
    config.merge_patch(nlohmann::json::parse(change.toStdString()));
    std::ofstream(copy / "config.json") << config.dump();
    const auto message = QByteArray::fromStdString(refusal(copy));
    for (const QByteArray &part : said)
        QVERIFY2(message.contains(part), QByteArray(part + " is not in: " + message).constData());
}

void TestClassifierGoldens::missingTensorsAreNamed_data()
{
    QTest::addColumn<QByteArray>("folder");
    QTest::addColumn<QByteArray>("tensor");
    const auto add = [](const char *name, const char *folder, const char *tensor) {
        QTest::newRow(name) << QByteArray(folder) << QByteArray(tensor);
    };
    add("bert head", "bert-pairs", "classifier.bias");
    add("bert pooler", "bert-regression", "bert.pooler.dense.weight");
    add("bert layer", "bert-multilabel", "bert.encoder.layer.2.attention.self.key.bias");
    add("roberta head", "roberta-multilabel", "classifier.dense.weight");
    add("roberta types", "roberta-multilabel", "roberta.embeddings.token_type_embeddings.weight");
    add("distilbert head", "distilbert-binary", "pre_classifier.weight");
    add("distilbert norm", "distilbert-multilabel", "distilbert.transformer.layer.0.sa_layer_norm.bias");
    add("electra projection", "electra-pairs", "electra.embeddings_project.weight");
    add("electra head", "electra-pruned", "classifier.out_proj.weight");
}

void TestClassifierGoldens::missingTensorsAreNamed()
{
    QFETCH(QByteArray, folder);
    QFETCH(QByteArray, tensor);
    const auto copy = copyOf(folder.toStdString());
    std::vector<std::pair<std::string, torch::Tensor>> tensors;
    {
        const Checkpoint checkpoint = Checkpoint::open(copy).valueOrThrow();
        QVERIFY(checkpoint.contains(tensor.toStdString()));
        for (const std::string &name : checkpoint.names()) {
            if (name != tensor.toStdString())
                tensors.emplace_back(name, checkpoint.tensor(name).valueOrThrow().clone());
        }
    }
    (void)writeSafetensors(copy / "model.safetensors", tensors).valueOrThrow();
    const auto message = QByteArray::fromStdString(refusal(copy));
    QVERIFY2(message.contains(tensor), message.constData());
}

void TestClassifierGoldens::valuesThatAreNoNumbersAreReported_data()
{
    QTest::addColumn<QByteArray>("folder");
    QTest::addColumn<QByteArray>("tensor");
    QTest::addColumn<double>("value");
    QTest::addColumn<bool>("reported");
    const auto add = [](const char *name, const char *folder, const char *tensor, double value, bool reported) {
        QTest::newRow(name) << QByteArray(folder) << QByteArray(tensor) << value << reported;
    };
    add("nan in f32", "electra-pruned", "classifier.dense.bias", std::nan(""), true);
    add("infinite in f32", "electra-pruned", "electra.encoder.layer.0.output.dense.weight", -INFINITY, true);
    add("large in f32", "electra-pruned", "electra.encoder.layer.0.output.dense.weight", 1e9, false);
    add("too large in f32", "electra-pruned", "electra.encoder.layer.0.output.dense.weight", 3e38, true);
    add("nan in f16", "electra-pairs", "classifier.dense.bias", std::nan(""), true);
    add("large in f16", "electra-pairs", "classifier.dense.weight", 65504, false);
    add("infinite in bf16", "bert-pairs", "bert.pooler.dense.weight", INFINITY, true);
    add("large in bf16", "bert-pairs", "bert.pooler.dense.weight", 1e9, false);
    add("too large in bf16", "bert-pairs", "bert.pooler.dense.weight", 3e38, true);
}

void TestClassifierGoldens::valuesThatAreNoNumbersAreReported()
{
    QFETCH(QByteArray, folder);
    QFETCH(QByteArray, tensor);
    QFETCH(double, value);
    QFETCH(bool, reported);
    const auto copy = copyOf(folder.toStdString());
    std::vector<std::pair<std::string, torch::Tensor>> tensors;
    {
        const Checkpoint checkpoint = Checkpoint::open(copy).valueOrThrow();
        for (const std::string &name : checkpoint.names())
            tensors.emplace_back(name, checkpoint.tensor(name).valueOrThrow().clone());
    }
    for (auto &[name, values] : tensors) {
        if (name == tensor.toStdString())
            values.view({-1})[-1] = value;
    }
    (void)writeSafetensors(copy / "model.safetensors", tensors).valueOrThrow();
    const auto warnings = loadGolden(copy).warnings;
    QCOMPARE(warnings.empty(), !reported);
    QVERIFY(!reported || QByteArray::fromStdString(warnings.front()).contains(tensor));
}

QTEST_APPLESS_MAIN(TestClassifierGoldens)
#include "tst_classifiergoldens.moc"
