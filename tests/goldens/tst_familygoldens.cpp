// Model families against Hugging Face: tiny models of every family (make_family_goldens.py), as the plain executor
// computes them, generated from, saved, and without some of their heads.
#include "tests/goldens/familygolden.h"

#include "core/formats/jsonfile.h"
#include "core/io/checkpointwriter.h"
#include "core/model/exportpruned.h"
#include "core/model/generate.h"
#include "core/model/loadmodel.h"
#include "core/model/modelfolder.h"
#include "core/model/removeheads.h"
#include "core/packed/packedmodel.h"
#include "core/packed/rowexecutor.h"
#include "core/packed/torchrowmodel.h"

#include <QTemporaryDir>
#include <QTest>

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <fstream>
#include <memory>

using namespace headscope;
using namespace headscope::testing;

namespace {

/// Of attention maps, and of logits and sequence scores in proportion to the largest logits.
constexpr double kTolerance = 1.5e-5; // processors round otherwise: 1.01e-5 was seen

std::vector<std::pair<std::string, torch::Tensor>> tensorsOf(const std::filesystem::path &folder)
{
    const Checkpoint checkpoint = Checkpoint::open(folder).valueOrThrow();
    std::vector<std::pair<std::string, torch::Tensor>> tensors;
    for (const std::string &name : checkpoint.names())
        tensors.emplace_back(name, checkpoint.tensor(name).valueOrThrow().clone());
    return tensors;
}

/// Logits of the last position of every row, [B, V].
torch::Tensor lastLogits(const Transformer &model, const FamilyGolden &golden, const HeadGates &gates = {})
{
    const auto outputs = outputsOf(model, golden, golden.rows, gates);
    std::vector<torch::Tensor> last;
    for (std::size_t i = 0; i < golden.rows.size(); ++i)
        last.push_back(outputs[static_cast<std::int64_t>(i)][golden.rows[i].logits.size(0) - 1]);
    return torch::stack(last);
}

/// What is said of experts in MXFP4, which their exports keep.
bool isOfMxfp4(const LoadedModel &model, const std::string &warning)
{
    return model.config.contains("quantization_config")
        && warning.find("dequantised (2 tensors of MXFP4)") != std::string::npos;
}

} // namespace

class TestFamilyGoldens : public QObject
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
    void rowsWithoutPadding_data() { addFolders(true); }
    void rowsWithoutPadding();
    void headMasks_data() { addFolders(); }
    void headMasks();
    void greedySearch_data() { addFolders(true); }
    void greedySearch();
    void beamSearch_data() { addFolders(true); }
    void beamSearch();
    void savedAndLoadedIsTheSame_data() { addFolders(); }
    void savedAndLoadedIsTheSame();
    void withoutHeadsIsTheMaskedModel_data() { addFolders(); }
    void withoutHeadsIsTheMaskedModel();
    void exportedWithoutHeads_data() { addFolders(); }
    void exportedWithoutHeads();
    void emptyLayersKeepAHeadOfZeros_data() { addFolders(); }
    void emptyLayersKeepAHeadOfZeros();
    void damagedFoldersAreRefused_data();
    void damagedFoldersAreRefused();
    void missingTensorsAreNamed_data();
    void missingTensorsAreNamed();

private:
    static void addFolders(bool generatingOnly = false);
    void compareRow(const FamilyGolden &golden, const FamilyRow &row, const torch::Tensor &logits,
                    const Recorder &recorder, std::int64_t batchRow);
    void compareMask(const char *what, const FamilyGolden &golden, const FamilyMask &mask, const torch::Tensor &logits);
    /// An empty folder.
    std::filesystem::path newFolder();
    /// A copy of a golden's folder that may be spoilt.
    std::filesystem::path copyOf(const std::string &name);

    LargestDifferences m_differences;
    QTemporaryDir m_folder;
};

#define COMPARE_NUMBERS(tolerance, what, where, ours, theirs)                                                          \
    QVERIFY2(m_differences.within(tolerance, what, where, ours, theirs), m_differences.failure().c_str())

void TestFamilyGoldens::initTestCase()
{
    QVERIFY(m_folder.isValid());
    QVERIFY2(familyFolders().size() >= 56, "tests/goldens/families is not where it should be");
}

void TestFamilyGoldens::cleanupTestCase()
{
    qInfo("Largest differences from Hugging Face:\n%s", m_differences.report().c_str());
}

void TestFamilyGoldens::addFolders(bool generatingOnly)
{
    QTest::addColumn<QString>("folder");
    for (const auto &folder : familyFolders()) {
        if (!generatingOnly || readJsonFile(folder / "golden.json").valueOrThrow().contains("generation"))
            QTest::newRow(folder.filename().c_str()) << QString::fromStdString(folder.string());
    }
}

#define FETCH_GOLDEN                                                                                                   \
    QFETCH(QString, folder);                                                                                           \
    const torch::NoGradGuard noGrad;                                                                                   \
    const FamilyGolden golden = FamilyGolden::read(folder.toStdString());                                              \
    const LoadedModel loaded = loadGolden(golden.folder);                                                              \
    const Transformer &model = *loaded.transformer

void TestFamilyGoldens::readsWhatTheFolderSays()
{
    FETCH_GOLDEN;
    const TransformerSpec &spec = model.spec();
    QCOMPARE(spec.family, golden.json.at("family").get<std::string>());
    QCOMPARE(spec.width, golden.json.at("width").get<std::int64_t>());
    QCOMPARE((spec.encoder ? spec.encoder : spec.decoder)->vocabulary,
             golden.json.at("vocabulary").get<std::int64_t>());
    QCOMPARE(spec.isEncoderDecoder(), golden.kind == "translation");
    QCOMPARE(spec.decoder.has_value(), golden.generates());
    QCOMPARE(spec.maskedLm.has_value(), golden.kind == "masked_lm");
    QVERIFY(!spec.classifier);
    const nlohmann::json &stacks = golden.json.at("stacks");
    QCOMPARE(model.layout().blocks().size(), stacks.size());
    for (const HeadLayout::Block &block : model.layout().blocks()) {
        const nlohmann::json &stack = stacks.at(std::string(headKindName(block.kind)));
        QCOMPARE(block.layers, stack.at("heads").get<std::vector<std::vector<int>>>());
        const AttentionSpec &attention = spec.attention(block.kind, 0);
        QCOMPARE(attention.headWidth, stack.at("head_width").get<std::int64_t>());
        QCOMPARE(attention.allHeads / attention.headsPerKey, stack.value("key_value_heads", attention.allHeads));
    }
    for (const std::string &warning : loaded.warnings) {
        if (!isOfMxfp4(loaded, warning))
            QFAIL(warning.c_str());
    }
}

void TestFamilyGoldens::compareRow(const FamilyGolden &golden, const FamilyRow &row, const torch::Tensor &logits,
                                   const Recorder &recorder, std::int64_t batchRow)
{
    const std::int64_t length = row.logits.size(0);
    COMPARE_NUMBERS(kTolerance, "logits, relative", golden.name(),
                    logits[batchRow].narrow(0, 0, length) / FamilyGolden::scaleOf(row),
                    (row.logits / FamilyGolden::scaleOf(row)).reshape({-1}));
    for (const auto &[kind, layers] : row.attention) {
        const std::int64_t queries = kind == HeadKind::Encoder ? std::ssize(row.ids) : length;
        const std::int64_t keys = kind == HeadKind::Decoder ? length : std::ssize(row.ids);
        for (std::size_t layer = 0; layer < layers.size(); ++layer) {
            const auto maps = recorder.at(kind, static_cast<int>(layer), "probabilities")[batchRow];
            QCOMPARE(maps.size(0), std::ssize(layers[layer]));
            for (std::size_t head = 0; head < layers[layer].size(); ++head) {
                const auto map = maps[static_cast<std::int64_t>(head)].narrow(0, 0, queries);
                COMPARE_NUMBERS(kTolerance, "attention", golden.name(), map.narrow(1, 0, keys), layers[layer][head]);
                QCOMPARE(map.narrow(1, keys, map.size(1) - keys).abs().sum().item<double>(), 0.0);
            }
        }
    }
}

void TestFamilyGoldens::everyRowByItself()
{
    FETCH_GOLDEN;
    for (const FamilyRow &row : golden.rows) {
        Recorder recorder;
        recorder.probabilities = true;
        const auto logits = outputsOf(model, golden, {row}, {}, &recorder);
        compareRow(golden, row, logits, recorder, 0);
        if (QTest::currentTestFailed())
            return;
    }
}

void TestFamilyGoldens::allRowsPadded()
{
    FETCH_GOLDEN;
    Recorder recorder;
    recorder.probabilities = true;
    const auto logits = outputsOf(model, golden, golden.rows, {}, &recorder);
    for (std::size_t i = 0; i < golden.rows.size(); ++i) {
        compareRow(golden, golden.rows[i], logits, recorder, static_cast<std::int64_t>(i));
        if (QTest::currentTestFailed())
            return;
    }
}

void TestFamilyGoldens::compareMask(const char *what, const FamilyGolden &golden, const FamilyMask &mask,
                                    const torch::Tensor &logits)
{
    for (std::size_t i = 0; i < golden.rows.size(); ++i) {
        const double scale = FamilyGolden::scaleOf(golden.rows[i]);
        COMPARE_NUMBERS(kTolerance, what, golden.name(), logits[static_cast<std::int64_t>(i)] / scale,
                        mask.logits[i] / scale);
    }
}

void TestFamilyGoldens::rowsWithoutPadding()
{
    FETCH_GOLDEN;
    if (golden.kind != "language_model")
        return; // what encoders and their decoders do to rows is tested with all specs
    std::vector<std::int64_t> tokens;
    std::vector<torch::Tensor> logits;
    Sequences sequences;
    double scale = 1;
    for (const FamilyRow &row : golden.rows) {
        tokens.insert(tokens.end(), row.ids.begin(), row.ids.end());
        sequences.add(std::ssize(row.ids));
        logits.push_back(row.logits);
        scale = std::max(scale, FamilyGolden::scaleOf(row));
    }
    const auto wanted = torch::cat(logits).to(torch::kFloat32);
    std::vector<std::unique_ptr<const RowModel>> executors;
    executors.push_back(std::make_unique<TorchRowModel>(loaded.transformer, Products::Exact));
    if (PackedModel::canRun(model))
        executors.push_back(std::make_unique<PackedModel>(loaded.transformer, Products::Exact, Execution()));
    const JobControl control;
    for (const auto &rows : executors) {
        RowExecutor executor(*rows, Side::Decoder, sequences, control);
        const Rows hidden = executor.runToEnd({0, rows->embed(Side::Decoder, tokens, executor.positions)});
        const double difference = rows->largestLogitDifference(hidden, wanted) / scale;
        COMPARE_NUMBERS(kTolerance, "logits of rows, relative", golden.name(),
                        torch::tensor({difference}, torch::kFloat64), torch::zeros({1}, torch::kFloat64));
    }
}

void TestFamilyGoldens::headMasks()
{
    FETCH_GOLDEN;
    for (const FamilyMask &mask : golden.masks) {
        const auto gates = HeadGates::fromMask(mask.mask, model.layout(), model.options());
        compareMask("logits under head masks, relative", golden, mask, lastLogits(model, golden, gates));
        if (QTest::currentTestFailed())
            return;
    }
}

void TestFamilyGoldens::greedySearch()
{
    FETCH_GOLDEN;
    const GenerationSettings settings = golden.settings(model.spec(), 1);
    Prompts prompts;
    for (std::size_t i = 0; i < golden.greedy.size(); ++i)
        prompts.push_back(golden.prompt(i));
    const auto memory = memoryOf(model, golden.rows);
    const auto found = generate(model, prompts, memory ? &*memory : nullptr, settings, {}, false, {});
    for (std::size_t i = 0; i < found.size(); ++i) {
        std::vector<std::int64_t> tokens = prompts[i];
        tokens.insert(tokens.end(), found[i].tokens.begin(), found[i].tokens.end());
        QCOMPARE(tokens, golden.greedy[i].tokens);
    }
}

void TestFamilyGoldens::beamSearch()
{
    FETCH_GOLDEN;
    const GenerationSettings settings = golden.settings(model.spec(), 4);
    Prompts prompts;
    for (std::size_t i = 0; i < golden.beams.size(); ++i)
        prompts.push_back(golden.prompt(i));
    double scale = 1; // a score is a mean of differences of logits
    for (const FamilyRow &row : golden.rows)
        scale = std::max(scale, FamilyGolden::scaleOf(row));
    const auto memory = memoryOf(model, golden.rows);
    const auto found = generate(model, prompts, memory ? &*memory : nullptr, settings, {}, false, {});
    for (std::size_t i = 0; i < found.size(); ++i) {
        const FamilyOutput &expected = golden.beams[i];
        std::vector<std::int64_t> tokens = prompts[i];
        tokens.insert(tokens.end(), found[i].tokens.begin(), found[i].tokens.end());
        QCOMPARE(tokens, expected.tokens);
        COMPARE_NUMBERS(kTolerance, "sequence scores, relative to logits", golden.name(),
                        torch::tensor({found[i].score / scale}, torch::kFloat64),
                        torch::tensor({expected.score / scale}, torch::kFloat64));
    }
}

std::filesystem::path TestFamilyGoldens::newFolder()
{
    static int count = 0;
    const auto folder = std::filesystem::path(m_folder.path().toStdString()) / std::to_string(count++);
    std::filesystem::create_directory(folder);
    return folder;
}

std::filesystem::path TestFamilyGoldens::copyOf(const std::string &name)
{
    return headscope::testing::copyOf(name, familyFolders(), newFolder());
}

void TestFamilyGoldens::savedAndLoadedIsTheSame()
{
    FETCH_GOLDEN;
    std::map<std::string, torch::Tensor> tensors;
    for (const auto &[slot, stored] : loaded.stored)
        tensors[slot] = loaded.tensor(slot).valueOrThrow();
    const auto copy = newFolder();
    (void)copyModelFiles(golden.folder, copy).valueOrThrow();
    (void)writeModelWeights(copy, *loaded.family, model.spec(), tensors, torch::kFloat32).valueOrThrow();
    const LoadedModel again = loadGolden(copy);
    QVERIFY(again.warnings.empty());
    QVERIFY(torch::equal(outputsOf(*again.transformer, golden, golden.rows), outputsOf(model, golden, golden.rows)));
    // Under the names that Hugging Face's own file has, where those are the preferred ones.
    if (golden.name() == "gpt2-hub" || golden.name() == "bert-model" || golden.name() == "modernbert-model"
        || golden.name() == "deberta-model")
        return;
    for (const auto &[slot, stored] : loaded.stored)
        QCOMPARE(again.stored.at(slot).name, stored.name);
}

void TestFamilyGoldens::withoutHeadsIsTheMaskedModel()
{
    FETCH_GOLDEN;
    for (const FamilyMask &mask : golden.masks) {
        const Transformer smaller = withoutHeads(model, mask.mask);
        QCOMPARE(smaller.layout().size() + mask.mask.size(), model.layout().size());
        compareMask("logits without heads, relative", golden, mask, lastLogits(smaller, golden));
        if (QTest::currentTestFailed())
            return;
    }
}

void TestFamilyGoldens::exportedWithoutHeads()
{
    FETCH_GOLDEN;
    FamilyMask mask = golden.masks.at(golden.masks.size() - 2); // half of all heads
    if (model.spec().sharedLayers > 1) {                        // only the same in all layers that share their weights
        PrunedExport what;
        what.mask = mask.mask;
        const auto refused = exportPruned(loaded, golden.folder, what, newFolder() / "pruned", {});
        QVERIFY(refused.isError() && refused.error().message.find("share their weights") != std::string::npos);
        mask.mask = {};
        for (const HeadRef &head : model.layout().heads())
            mask.mask.set(head, head.head == 1);
        const auto logits = lastLogits(model, golden, HeadGates::fromMask(mask.mask, model.layout(), model.options()));
        for (std::size_t i = 0; i < mask.logits.size(); ++i)
            mask.logits[i] = logits[static_cast<std::int64_t>(i)].to(torch::kFloat64);
    }
    const bool ownType = model.spec().family == "fairseq" || model.spec().family == "marian-nmt";
    QCOMPARE(prunedCard(loaded, mask.mask).fullOpensIn.starts_with("Headscope only"), ownType);
    for (const ExportForm form : {ExportForm::Small, ExportForm::Full}) {
        const auto target = newFolder() / "pruned";
        PrunedExport what;
        what.mask = mask.mask;
        what.form = form;
        (void)exportPruned(loaded, golden.folder, what, target, {}).valueOrThrow();
        const LoadedModel smaller = loadGolden(target);
        for (const std::string &warning : smaller.warnings)
            QVERIFY2(isOfMxfp4(smaller, warning), warning.c_str());
        compareMask("logits of exports without heads, relative, where files hold 32 bits", golden, mask,
                    lastLogits(*smaller.transformer, golden));
        if (QTest::currentTestFailed())
            return;
        if (form == ExportForm::Small)
            QCOMPARE(smaller.transformer->layout().size() + mask.mask.size(),
                     model.layout().size()
                         + std::ssize(readJsonFile(target / "heads.json")
                                          .valueOrThrow()
                                          .value("heads_of_zeros", nlohmann::json::array())));
    }
}

/// transformers cannot run a layer without heads (open_family_exports.py opens such folders in it).
void TestFamilyGoldens::emptyLayersKeepAHeadOfZeros()
{
    FETCH_GOLDEN;
    const FamilyMask &mask = golden.masks.back(); // the first layer of every kind
    if (model.spec().sharedLayers > 1)
        return; // a layer is not emptied by itself there
    const bool opensThere = loaded.family->prunedLoading == PrunedLoading::Transformers;
    const PrunedCard card = prunedCard(loaded, mask.mask);
    QCOMPARE(card.headsLeft, model.layout().size() - mask.mask.size());
    QCOMPARE(card.smallOpensIn.find("keep one, of zeros") != std::string::npos, opensThere);
    PrunedExport what;
    what.mask = mask.mask;
    what.form = ExportForm::Small;
    const auto target = newFolder() / "pruned";
    (void)exportPruned(loaded, golden.folder, what, target, {}).valueOrThrow();
    const auto check = [&](const std::filesystem::path &folder) {
        const LoadedModel smaller = loadGolden(folder);
        compareMask("logits of exports without heads, relative, where files hold 32 bits", golden, mask,
                    lastLogits(*smaller.transformer, golden));
        const auto &layers = smaller.transformer->layout().blocks().front().layers;
        QCOMPARE(layers.front().size(), std::size_t(opensThere ? 1 : 0));
        const auto heads = readJsonFile(folder / "heads.json").valueOrThrow();
        QCOMPARE(heads.contains("heads_of_zeros"), opensThere);
        for (const HeadRef &head : mask.mask)
            QCOMPARE(std::ranges::count(heads.at("removed_heads").get<std::vector<std::string>>(), toText(head)), 1);
        QCOMPARE(smaller.parameters, card.parametersLeft);
        if (!opensThere)
            return;
        const HeadRef neutral{model.layout().blocks().front().kind, 0, layers.front().front()};
        QCOMPARE(heads.at("heads_of_zeros").at(0).get<std::string>(), toText(neutral));
        QVERIFY(mask.mask.isMasked(neutral));
    };
    check(target);
    if (QTest::currentTestFailed() || !opensThere)
        return;
    // Once more from there: the head of zeros goes, and one of zeros stays.
    const LoadedModel smaller = loadGolden(target);
    what.mask = HeadMask(std::vector<HeadRef>{
        {model.layout().blocks().front().kind, 0, smaller.transformer->layout().blocks().front().layers[0][0]}});
    const auto again = newFolder() / "again";
    (void)exportPruned(smaller, target, what, again, {}).valueOrThrow();
    check(again);
}

// --- Folders that must not open --------------------------------------------------------------------------------------

void TestFamilyGoldens::damagedFoldersAreRefused_data()
{
    QTest::addColumn<QByteArray>("folder");
    QTest::addColumn<QByteArray>("change"); // merged into config.json; null removes a key
    QTest::addColumn<QByteArrayList>("said");
    const auto add = [](const char *name, const char *folder, const char *change, const QByteArrayList &said) {
        QTest::newRow(name) << QByteArray(folder) << QByteArray(change) << said;
    };
    add("bart: no heads", "bart-cnn", R"({"encoder_attention_heads": 0})", {"encoder_attention_heads", "0"});
    add("bart: width not divisible", "bart-cnn", R"({"decoder_attention_heads": 5})",
        {"d_model", "decoder_attention_heads", "5"});
    add("bart: fewer positions", "bart-cnn", R"({"max_position_embeddings": 12})",
        {"embed_positions.weight", "[18, 12]", "[14, 12]"});
    add("bart: another vocabulary", "bart-cnn", R"({"vocab_size": 38})", {"model.shared.weight", "vocab_size"});
    add("bart: a classifier", "bart-cnn", R"({"architectures": ["BartForSequenceClassification"]})",
        {"BartForSequenceClassification"});
    add("bart: a padding id that is no token", "bart-cnn", R"({"pad_token_id": 37})", {"pad_token_id", "37"});
    add("cohere2: no window", "cohere2", R"({"sliding_window": 0})", {"sliding_window", "0"});
    add("granite: a factor of nothing", "granite", R"({"logits_scaling": 0})", {"logits_scaling"});
    add("mixtral: more chosen than there are", "mixtral", R"({"num_experts_per_tok": 5})",
        {"num_experts_per_tok", "5"});
    add("mixtral: other experts", "mixtral", R"({"num_local_experts": 3})",
        {"block_sparse_moe.gate.weight", "[4, 16]", "[3, 16]"});
    add("qwen3-moe: layers that are no list", "qwen3-moe", R"({"mlp_only_layers": 3})", {"mlp_only_layers"});
    add("olmoe: clipped", "olmoe", R"({"clip_qkv": 2.0})", {"clip_qkv"});
    add("gpt-oss: another gate", "gpt-oss", R"({"swiglu_alpha": 2.0})", {"swiglu_alpha"});
    add("gpt-oss: no limit", "gpt-oss", R"({"swiglu_limit": 0})", {"swiglu_limit"});
    add("gpt-oss: other packed weights", "gpt-oss-mxfp4", R"({"quantization_config": {"quant_method": "fp8"}})",
        {"fp8"});
    add("gptj: odd columns", "gptj", R"({"rotary_dim": 3})", {"rotary_dim"});
    add("codegen: heads that no core has", "codegen", R"({"n_head": 6, "rotary_dim": 4})", {"n_head", "6"});
    add("gpt-neo: too few kinds", "gpt-neo", R"({"attention_types": [[["local"], 2]]})", {"attention_types", "3"});
    add("bloom: other residual connections", "bloom", R"({"apply_residual_connection_post_layernorm": true})",
        {"apply_residual_connection_post_layernorm"});
    add("mpt: no slopes", "mpt", R"({"attn_config": {"alibi": false}})", {"alibi"});
    add("falcon: rounded slopes", "falcon", R"({"alibi": true})", {"alibi"});
    add("xglm: padding that takes a position", "xglm", R"({"pad_token_id": 3})", {"pad_token_id", "3"});
    add("m2m: activation nobody knows", "m2m-nllb", R"({"activation_function": "magic"})", {"magic"});
    add("m2m: too narrow for sinusoids", "m2m-nllb",
        R"({"d_model": 2, "encoder_attention_heads": 1, "decoder_attention_heads": 1})", {"d_model", "sinusoids"});
    add("t5: no heads", "t5-relu", R"({"num_heads": 0})", {"num_heads"});
    add("t5: wider heads", "t5-relu", R"({"d_kv": 6})", {"SelfAttention.q.weight", "[15, 16]", "[18, 16]"});
    add("t5: too few buckets", "t5-relu", R"({"relative_attention_num_buckets": 2})",
        {"relative_attention_num_buckets"});
    add("t5: no distance left", "t5-relu", R"({"relative_attention_max_distance": 4})",
        {"relative_attention_max_distance", "relative_attention_num_buckets"});
    add("t5: gated that is not", "t5-relu", R"({"feed_forward_proj": "gated-silu", "is_gated_act": true})", {"wi_0"});
    add("t5: pruned without saying so", "t5-pruned", R"({"headscope_pruned_heads": null})", {"pruned_heads"});
    add("gpt2: no heads", "gpt2-hub", R"({"n_head": 0})", {"n_head"});
    add("gpt2: width not divisible", "gpt2-hub", R"({"n_head": 3})", {"n_embd", "n_head"});
    add("gpt2: reads an encoder", "gpt2-hub", R"({"add_cross_attention": true})", {"add_cross_attention"});
    add("gpt2: another width of feed-forward", "gpt2-inverse-layer", R"({"n_inner": null})", {"mlp.c_", "48"});
    add("gpt2: pruned without saying so", "gpt2-pruned", R"({"pruned_heads": null})", {"pruned_heads", "c_attn"});
    add("gpt2: classes of tokens", "gpt2-hub", R"({"architectures": ["GPT2ForTokenClassification"]})",
        {"GPT2ForTokenClassification", "ForSequenceClassification"});
    add("mbart: a classifier", "mbart-50", R"({"architectures": ["MBartForSequenceClassification"]})",
        {"MBartForSequenceClassification"});
    add("deberta: a convolution", "deberta-v3-mlm", R"({"conv_kernel_size": 3})", {"conv_kernel_size"});
    add("deberta: too few buckets", "deberta-v3-mlm", R"({"position_buckets": 64})", {"position_buckets", "64"});
    add("gpt2: a classifier", "gpt2-hub", R"({"architectures": ["GPT2ForSequenceClassification"]})",
        {"GPT2ForSequenceClassification"});
    add("llama: heads not a multiple", "llama-grouped", R"({"num_key_value_heads": 3})",
        {"num_attention_heads", "num_key_value_heads", "3"});
    add("llama: no key heads", "llama-grouped", R"({"num_key_value_heads": 0})", {"num_key_value_heads"});
    add("llama: odd heads", "llama-head-dim", R"({"head_dim": 5})", {"head_dim", "5", "pairs"});
    add("llama: odd heads by width", "llama-head-dim", R"({"head_dim": null})", {"head_dim", "5"});
    add("llama: stretched in a way that nobody knows", "llama-grouped",
        R"({"rope_scaling": {"type": "spiral", "factor": 2.0}})", {"rope_scaling", "spiral", "llama3"});
    add("llama: stretched by nothing", "llama-grouped", R"({"rope_scaling": {"type": "linear"}})",
        {"rope_scaling", "factor"});
    add("llama: stretched, said by transformers 5", "llama-grouped",
        R"({"rope_parameters": {"rope_type": "yarn", "rope_theta": 100.0}})", {"rope_parameters", "factor"});
    add("llama: positions with something unknown", "llama-grouped",
        R"({"rope_scaling": {"rope_type": "default", "mrope_section": [2, 2]}})", {"rope_scaling", "mrope_section"});
    add("llama: stretched by bands without borders", "llama3-rope", R"({"rope_scaling": {"low_freq_factor": null}})",
        {"rope_scaling", "low_freq_factor"});
    add("llama: quantised", "llama-grouped", R"({"quantization_config": {"quant_method": "gptq", "bits": 4}})",
        {"config.json", "GPTQ"});
    add("llama: a base that is none", "llama-grouped", R"({"rope_theta": -1.0})", {"rope_theta"});
    add("llama: biases that are not there", "llama-grouped", R"({"attention_bias": true})", {"q_proj.bias"});
    add("mistral: a window without positions", "mistral", R"({"sliding_window": 0})", {"sliding_window", "0"});
    add("qwen2: a window that is not used", "qwen2", R"({"layer_types": ["full_attention", "sliding_attention"]})",
        {"layer_types", "use_sliding_window"});
    add("qwen3: a kind of layer that nobody knows", "qwen3-biases",
        R"({"layer_types": ["full_attention", "chunked_attention"]})", {"layer_types", "chunked_attention"});
    add("qwen3: fewer kinds than layers", "qwen3-biases", R"({"layer_types": ["full_attention"]})",
        {"layer_types", "num_hidden_layers"});
    add("qwen3: wider heads", "qwen3", R"({"head_dim": 8})", {"q_proj.weight", "[24, 14]", "[32, 14]"});
    add("pythia: nothing turned", "pythia", R"({"rotary_pct": 0.1})", {"8", "0 columns", "pairs"});
    add("pythia: other heads", "pythia", R"({"num_attention_heads": 5})", {"hidden_size", "num_attention_heads"});
    add("gemma2: no scale", "gemma2", R"({"query_pre_attn_scalar": 0})", {"query_pre_attn_scalar"});
    add("gemma3: capped scores", "gemma3", R"({"attn_logit_softcapping": 50.0})", {"attn_logit_softcapping", "50"});
    add("gemma3: sees both ways", "gemma3", R"({"use_bidirectional_attention": true})",
        {"use_bidirectional_attention"});
    add("olmo: clipped to nothing", "olmo", R"({"clip_qkv": -1.0})", {"clip_qkv"});
    add("phi3: too few factors", "phi3", R"({"rope_scaling": {"short_factor": [1.0, 2.0]}})",
        {"rope_scaling", "short_factor", "3"});
    add("bert: a head that is not there", "bert-model", R"({"architectures": ["BertForMaskedLM"]})",
        {"masked language modelling", "cls.predictions", "BertForMaskedLM"});
    add("bert: said nothing", "bert-model", R"({"architectures": null})", {"sequence classification", "classifier."});
    add("roberta: another head", "roberta-mlm", R"({"architectures": ["RobertaForSequenceClassification"]})",
        {"sequence classification", "classifier.", "RobertaForSequenceClassification"});
    add("electra: another width", "electra-mlm", R"({"embedding_size": 12})", {"[33, 9]", "[33, 12]"});
}

void TestFamilyGoldens::damagedFoldersAreRefused()
{
    QFETCH(QByteArray, folder);
    QFETCH(QByteArray, change);
    QFETCH(QByteArrayList, said);
    const auto copy = copyOf(folder.toStdString());
    QCOMPARE(refusal(copy), std::string("opened without complaint"));
    nlohmann::json config = readJsonFile(copy / "config.json").valueOrThrow();
    config.merge_patch(nlohmann::json::parse(change.toStdString()));
    std::ofstream(copy / "config.json") << config.dump();
    std::filesystem::remove(copy / "generation_config.json"); // it would win
    const auto message = QByteArray::fromStdString(refusal(copy));
    for (const QByteArray &part : said)
        QVERIFY2(message.contains(part), QByteArray(part + " is not in: " + message).constData());
}

void TestFamilyGoldens::missingTensorsAreNamed_data()
{
    QTest::addColumn<QByteArray>("folder");
    QTest::addColumn<QByteArray>("tensor");
    const auto add = [](const char *folder, const char *tensor) {
        QTest::newRow((std::string(folder) + " " + tensor).c_str()) << QByteArray(folder) << QByteArray(tensor);
    };
    add("bart-cnn", "final_logits_bias");
    add("bart-untied", "lm_head.weight");
    add("mbart-50", "model.decoder.layer_norm.bias");
    add("m2m-nllb", "model.decoder.layers.0.encoder_attn.v_proj.bias");
    add("t5-relu", "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight");
    add("t5-gated", "decoder.block.1.layer.2.DenseReluDense.wi_1.weight");
    add("gpt2-inverse-layer", "transformer.h.1.attn.c_attn.bias");
    add("gpt2-inverse-layer", "transformer.wpe.weight");
    add("llama-grouped", "lm_head.weight");
    add("qwen2", "model.layers.0.self_attn.k_proj.bias");
    add("qwen3", "model.layers.1.self_attn.k_norm.weight");
    add("pythia", "gpt_neox.layers.0.attention.query_key_value.bias");
    add("pythia", "embed_out.weight");
    add("gemma2", "model.layers.2.pre_feedforward_layernorm.weight");
    add("olmo2", "model.layers.0.post_attention_layernorm.weight");
    add("phi3", "model.layers.1.mlp.gate_up_proj.weight");
    add("mixtral", "model.layers.1.block_sparse_moe.experts.3.w2.weight");
    add("gpt-oss", "model.layers.0.mlp.experts.gate_up_proj_bias");
    add("gpt-oss", "model.layers.1.self_attn.sinks");
    add("cohere-normed", "model.layers.1.self_attn.q_norm.weight");
    add("gptj", "lm_head.bias");
    add("falcon-groups", "transformer.h.0.ln_mlp.bias");
    add("bert-mlm", "cls.predictions.transform.LayerNorm.bias");
    add("roberta-mlm", "lm_head.bias");
    add("distilbert-mlm", "vocab_projector.bias");
    add("electra-mlm", "generator_predictions.dense.weight");
}

void TestFamilyGoldens::missingTensorsAreNamed()
{
    QFETCH(QByteArray, folder);
    QFETCH(QByteArray, tensor);
    const auto copy = copyOf(folder.toStdString());
    auto tensors = tensorsOf(copy);
    QCOMPARE(std::erase_if(tensors, [&](const auto &named) { return named.first == tensor.toStdString(); }),
             std::size_t{1});
    for (const auto &entry : std::filesystem::directory_iterator(copy)) {
        if (entry.path().string().find("model") != std::string::npos)
            std::filesystem::remove(entry.path()); // shards and their index
    }
    (void)writeSafetensors(copy / "model.safetensors", tensors).valueOrThrow();
    const auto message = QByteArray::fromStdString(refusal(copy));
    QVERIFY2(message.contains(tensor), message.constData());
}

QTEST_APPLESS_MAIN(TestFamilyGoldens)
#include "tst_familygoldens.moc"
