// Models whose matrices stay in a narrower number type than is computed in give the numbers of models whose weights
// were widened before, to the last bit, whatever is asked of them.
#include "core/analysis/importance.h"
#include "core/model/loadmodel.h"
#include "core/model/modelfolder.h"
#include "core/model/removeheads.h"
#include "core/sharing/sharedmodel.h"
#include "tests/support/againstplain.h"
#include "tests/support/manyvariants.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <map>
#include <memory>
#include <utility>

using namespace headscope;
using namespace headscope::testing;

Q_DECLARE_METATYPE(headscope::ProductChoice)

namespace {

struct BothModels
{
    std::shared_ptr<const Transformer> narrow, wide;
};

/// Large matrices of the type `stored` as they are, and the same numbers in float32.
BothModels bothModels(const TransformerSpec &spec, torch::ScalarType stored)
{
    auto narrow = randomTensors(spec, 11);
    std::map<std::string, torch::Tensor> wide;
    for (const WeightSlot &slot : weightSlots(spec)) {
        torch::Tensor &tensor = narrow.at(slot.name);
        if (isLargeMatrix(slot))
            tensor = tensor.to(stored);
        wide[slot.name] = tensor.to(torch::kFloat32);
    }
    return {std::make_shared<const Transformer>(
                spec, TransformerWeights::assemble(spec, narrow, {}, torch::TensorOptions(torch::kFloat32))),
            std::make_shared<const Transformer>(spec, TransformerWeights::assemble(spec, wide))};
}

struct BothTasks
{
    explicit BothTasks(const BothModels &models, int examples = kExamples)
        : narrow(taskOf({models.narrow, nullptr, Execution(), {}}, randomDataset(examples))),
          wide(taskOf({models.wide, nullptr, Execution(), {}}, randomDataset(examples)))
    {
    }

    std::shared_ptr<const Task> narrow, wide;
};

/// Every other model has the other type.
torch::ScalarType typeOf(int spec)
{
    return spec % 2 == 0 ? torch::kBFloat16 : torch::kFloat16;
}

void areSame(const std::vector<ExampleOutput> &a, const std::vector<ExampleOutput> &b)
{
    QCOMPARE(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        QCOMPARE(a[i].tokens, b[i].tokens);
        QVERIFY(a[i].score == b[i].score);
    }
}

void addSpecs()
{
    QTest::addColumn<int>("spec");
    const auto specs = allSpecs();
    for (int i = 0; i < static_cast<int>(specs.size()); ++i)
        QTest::addRow("%s", specs[static_cast<std::size_t>(i)].name.c_str()) << i;
}

} // namespace

class TestNarrowWeights : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void whatIsComputedInIsNotWhatIsStored()
    {
        const auto models = bothModels(allSpecs().front().spec, torch::kBFloat16);
        QVERIFY(models.narrow->dtype() == torch::kFloat32);
        QVERIFY(models.narrow->weights().encoder.embedding.scalar_type() == torch::kBFloat16);
        QVERIFY(models.narrow->attention(HeadKind::Encoder, 0).query.weight.scalar_type() == torch::kBFloat16);
        QVERIFY(models.narrow->attention(HeadKind::Encoder, 0).query.bias.scalar_type() == torch::kFloat32);
    }

    void outputsAndSweepsAreTheSame_data()
    {
        QTest::addColumn<int>("spec");
        QTest::addColumn<ProductChoice>("products");
        QTest::addColumn<int>("beams");
        const auto specs = allSpecs();
        for (int i = 0; i < static_cast<int>(specs.size()); ++i) {
            const NamedSpec &one = specs[static_cast<std::size_t>(i)];
            for (const ProductChoice products : {ProductChoice::Exact, ProductChoice::Half, ProductChoice::Library}) {
                for (const int beams : {1, 3}) {
                    if (beams == 1 || one.spec.isEncoderDecoder())
                        QTest::addRow("%s, %s, %d beams", one.name.c_str(), toText(products).data(), beams)
                            << i << products << beams;
                }
            }
        }
    }

    void outputsAndSweepsAreTheSame()
    {
        QFETCH(int, spec);
        QFETCH(ProductChoice, products);
        QFETCH(int, beams);
        const BothTasks tasks(bothModels(allSpecs()[static_cast<std::size_t>(spec)].spec, typeOf(spec)));
        RunOptions run;
        run.products = products;
        run.decoding.beams = beams;
        run.batchTokens = 64;
        const auto ids = allIds(tasks.wide->size());
        areSame(tasks.narrow->outputs(ids, {}, run, true, {}), tasks.wide->outputs(ids, {}, run, true, {}));
        areSame(tasks.narrow->plainOutputs(ids, HeadMask(), run, true, {}),
                tasks.wide->plainOutputs(ids, HeadMask(), run, true, {}));
        auto variants = manyVariants(tasks.wide->layout(), 6, 3, 4);
        variants.erase(variants.begin(), variants.end() - 10);
        const auto outputsOf = [&](const Task &task) {
            std::vector<std::vector<ExampleOutput>> outputs(variants.size());
            const auto block = task.prepare(ids, {}, {}, run, {});
            block->outputsOfAll(variants, [&](std::size_t v, const auto &made) { outputs[v] = made; }, {});
            return outputs;
        };
        const auto narrow = outputsOf(*tasks.narrow);
        const auto wide = outputsOf(*tasks.wide);
        for (std::size_t v = 0; v < variants.size(); ++v)
            areSame(narrow[v], wide[v]);
    }

    void importanceIsTheSame_data() { addSpecs(); }
    void importanceIsTheSame()
    {
        QFETCH(int, spec);
        const BothTasks tasks(bothModels(allSpecs()[static_cast<std::size_t>(spec)].spec, typeOf(spec)));
        if (!tasks.wide->hasReferences())
            QSKIP("nothing to differentiate");
        const auto importanceBy = [](const Task &task) { return importance(task, {}, {}, {}, nullptr); };
        const auto narrow = importanceBy(*tasks.narrow);
        const auto wide = importanceBy(*tasks.wide);
        QVERIFY(wide.heads.size() > 1 && wide.heads.front().importance > 0);
        QVERIFY(narrow.meanLoss == wide.meanLoss);
        for (std::size_t h = 0; h < wide.heads.size(); ++h) {
            QVERIFY(narrow.heads[h].importance == wide.heads[h].importance);
            QVERIFY(narrow.heads[h].standardError == wide.heads[h].standardError);
        }
    }

    void recordedTensorsAreTheSame_data() { addSpecs(); }
    void recordedTensorsAreTheSame()
    {
        QFETCH(int, spec);
        const auto models = bothModels(allSpecs()[static_cast<std::size_t>(spec)].spec, typeOf(spec));
        const torch::NoGradGuard noGrad;
        const TransformerSpec &what = models.wide->spec();
        const TokenBatch tokens = TokenBatch::pad({{5, 6, 7, 9, 2}, {8, 4, 2}}, what.generation.padId, torch::kCPU);
        const auto recordedBy = [&](const Transformer &model) {
            Recorder recorder;
            recorder.probabilities = recorder.contexts = recorder.values = true;
            if (what.encoder) {
                const Memory memory = model.encode(tokens, {}, &recorder);
                if (what.decoder)
                    recorder.tensors["output"] = model.decode(tokens, &memory, {}, &recorder);
            } else {
                recorder.tensors["output"] = model.decode(tokens, nullptr, {}, &recorder);
            }
            for (const HeadLayout::Block &block : model.layout().blocks()) {
                for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
                    const auto values = recorder.tensors.find(Recorder::place(block.kind, layer, "value"));
                    if (values != recorder.tensors.end())
                        recorder.tensors[Recorder::place(block.kind, layer, "norms")]
                            = model.valueNorms(block.kind, layer, values->second);
                }
            }
            return recorder.tensors;
        };
        const auto narrow = recordedBy(*models.narrow);
        const auto wide = recordedBy(*models.wide);
        QVERIFY(!wide.empty());
        for (const auto &[place, tensor] : wide) {
            if (tensor.defined())
                QVERIFY2(torch::equal(narrow.at(place), tensor), place.c_str());
        }
    }

    void modelsMadeOfThemAreTheSame_data() { addSpecs(); }
    void modelsMadeOfThemAreTheSame()
    {
        QFETCH(int, spec);
        const auto models = bothModels(allSpecs()[static_cast<std::size_t>(spec)].spec, typeOf(spec));
        const auto heads = models.wide->layout().heads();
        const HeadMask mask{heads.front(), heads.back()};
        MeanContexts means;
        for (const HeadRef &head : mask) {
            const AttentionSpec &attention = models.wide->spec().attention(head.kind, head.layer);
            means[Recorder::place(head.kind, head.layer, "context")]
                = torch::sin(torch::arange(attention.width(), torch::kFloat64)).view({-1, attention.headWidth});
        }
        const auto smaller = [&](const Transformer &model) { return withoutHeads(model, mask, means); };
        const BothModels pruned{std::make_shared<const Transformer>(smaller(*models.narrow)),
                                std::make_shared<const Transformer>(smaller(*models.wide))};
        const BothTasks tasks(pruned);
        const auto ids = allIds(tasks.wide->size());
        areSame(tasks.narrow->outputs(ids, {}, {}, true, {}), tasks.wide->outputs(ids, {}, {}, true, {}));

        const TransformerSpec &what = models.wide->spec();
        for (const auto &[kind, layer] : attentionsWithHeads(models.wide->layout())) {
            if (!what.attention(kind, layer).isBilinear() || what.attention(kind, layer).sharesProjections())
                return; // projections that cannot be shared
        }
        SharedProjections how;
        how.by = Factorization::TruncatedHeads;
        how.cp.rank = 5;
        const auto sharedBy
            = [&](const Transformer &model) { return withSharedProjections(model, how, Execution(), {}).model; };
        const BothTasks shared(BothModels{sharedBy(*models.narrow), sharedBy(*models.wide)});
        areSame(shared.narrow->outputs(ids, {}, {}, true, {}), shared.wide->outputs(ids, {}, {}, true, {}));
    }

    // From a folder in half precision to outputs, however many bytes may be taken for widening.
    void openedFoldersAreTheSame()
    {
        const QTemporaryDir folder;
        const std::filesystem::path root = folder.path().toStdString();
        writeTinyModel(root / "model");
        writeTinyCorpus(root / "src", root / "ref", 30, 3);
        const LoadedModel full = loadModel(root / "model", torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
        std::filesystem::create_directory(root / "half");
        (void)copyModelFiles(root / "model", root / "half").valueOrThrow();
        (void)writeModelWeights(root / "half", *full.family, full.transformer->spec(), full.tensors().valueOrThrow(),
                                torch::kFloat16)
            .valueOrThrow();
        DataSource source;
        source.source = root / "src";
        source.reference = root / "ref";
        const Dataset data = readDataset(source, {}).valueOrThrow();
        std::shared_ptr<const Tokenizer> tokenizer = openTokenizer(root / "half", full.config).valueOrThrow();
        const auto opened = [&](std::int64_t widenedAtMost) {
            const LoadedModel model
                = loadModel(root / "half", torch::TensorOptions(torch::kFloat32), {}, widenedAtMost).valueOrThrow();
            return makeTask({model.transformer, tokenizer, Execution()}, data, {}).valueOrThrow();
        };
        const auto wide = opened(kWidenedAtMost);
        const auto narrow = opened(0);
        QVERIFY(wide->model().weights().outputWeight.scalar_type() == torch::kFloat32);
        QVERIFY(narrow->model().weights().outputWeight.scalar_type() == torch::kFloat16);
        const auto ids = allIds(wide->size());
        areSame(narrow->outputs(ids, {}, {}, true, {}), wide->outputs(ids, {}, {}, true, {}));
    }
};

QTEST_APPLESS_MAIN(TestNarrowWeights)
#include "tst_narrowweights.moc"
