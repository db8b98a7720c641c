// What a GPU runs: attention over packed sequences, products in bf16, rows gathered on the device, and whole sweeps,
// each against something plain. The rows named "cpu" run the same code on a processor; those named "cuda" need a GPU.
#include "core/packed/rowsegments.h"
#include "core/packed/torchattention.h"
#include "core/packed/torchlinear.h"
#include "core/tensor/devicekernels.h"
#include "tests/support/againstplain.h"
#include "tests/support/manyvariants.h"

#include <ATen/Context.h>
#include <QTest>
#include <torch/cuda.h>
#include <torch/types.h>

#include <cmath>
#include <numeric>

using namespace headscope;
using namespace headscope::testing;

Q_DECLARE_METATYPE(headscope::ProductChoice)

namespace {

Execution executionOn(const QString &device)
{
    return device == QStringLiteral("cpu") ? Execution::asOnGpu() : Execution(torch::kCUDA);
}

/// With heads of a width that kernels of GPUs like.
TransformerSpec withWideHeads(TransformerSpec spec)
{
    for (const HeadKind kind : {HeadKind::Encoder, HeadKind::Decoder, HeadKind::Cross}) {
        const auto &stack = spec.stack(sideOf(kind));
        for (int layer = 0; stack && layer < stack->layers(); ++layer) {
            if (kind == HeadKind::Cross && !spec.encoder)
                continue;
            AttentionSpec &attention = spec.attention(kind, layer);
            attention.headWidth = 8;
            attention.scale = attention.scale == 1 ? 1 : 1 / std::sqrt(8.0);
        }
    }
    return spec;
}

struct AttentionCase
{
    const char *name;
    AttentionSpec spec;
    bool keysOfTheirOwn; ///< else those of the queries' own sequences
    bool longBefore;     ///< keys before the first query
};

std::vector<AttentionCase> attentionCases()
{
    const auto spec = [](std::vector<int> heads, std::int64_t perKey, bool causal) {
        AttentionSpec attention;
        attention.heads = std::move(heads);
        attention.allHeads = std::ssize(attention.heads);
        attention.headWidth = 8;
        attention.headsPerKey = perKey;
        attention.causal = causal;
        attention.scale = 1 / std::sqrt(8.0);
        return attention;
    };
    const auto sharing = [](AttentionSpec attention, std::int64_t width) {
        attention.sharedWidth = width;
        return attention;
    };
    return {{"all see all", spec({0, 1, 2}, 1, false), false, false},
            {"another's keys", spec({0, 1, 2}, 1, false), true, false},
            {"causal", spec({0, 1, 2, 3}, 1, true), false, false},
            {"causal, keys from before", spec({0, 1}, 1, true), true, true},
            {"causal, heads share keys", spec({0, 1, 2, 3}, 2, true), false, false},
            {"shared projections", sharing(spec({0, 1, 2}, 1, true), 5), false, true}};
}

/// Contexts by the formula, sequence by sequence and head by head in double precision.
torch::Tensor contextsByFormula(const TorchAttention &attention)
{
    const AttentionSpec &spec = attention.spec;
    const auto queries = attention.queries.to(torch::kCPU, torch::kFloat64);
    const auto keyValues = attention.keyValues.to(torch::kCPU, torch::kFloat64);
    auto contexts = torch::zeros({queries.size(0), spec.width()}, torch::kFloat64);
    for (std::int64_t s = 0; s < attention.querySequences.count(); ++s) {
        const std::int64_t count = attention.querySequences.length(s);
        const std::int64_t seen = attention.keySequences.length(s);
        for (std::int64_t h = 0; h < spec.headCount(); ++h) {
            const auto query = queries.narrow(0, attention.querySequences.first(s), count)
                                   .narrow(1, h * spec.scoreWidth(), spec.scoreWidth());
            const auto own = keyValues.narrow(0, attention.keySequences.first(s), seen);
            const auto place = static_cast<std::size_t>(h);
            const auto key = own.narrow(1, spec.keyPlaces()[place] * spec.scoreWidth(), spec.scoreWidth());
            const auto value
                = own.narrow(1, spec.keyWidth() + spec.valuePlaces()[place] * spec.headWidth, spec.headWidth);
            auto scores = query.mm(key.t()) * spec.scale;
            if (spec.causal)
                scores.masked_fill_(torch::ones({count, seen}, torch::kBool).triu(seen - count + 1),
                                    -std::numeric_limits<double>::infinity());
            contexts.narrow(0, attention.querySequences.first(s), count)
                .narrow(1, h * spec.headWidth, spec.headWidth)
                .copy_(torch::softmax(scores, -1).mm(value));
        }
    }
    return contexts;
}

} // namespace

class TestGpu : public QObject
{
    Q_OBJECT

    static void addDevices()
    {
        QTest::addColumn<QString>("device");
        for (const char *device : {"cpu", "cuda"})
            QTest::newRow(device) << QString::fromLatin1(device);
    }

private Q_SLOTS:
    void init()
    {
        const QString row = QString::fromLatin1(QTest::currentDataTag());
        if (row.startsWith(QStringLiteral("cuda")) && !torch::cuda::is_available())
            QSKIP("no CUDA device");
    }

    void attentionsFollowTheFormula_data()
    {
        QTest::addColumn<QString>("device");
        QTest::addColumn<int>("shape");
        for (const char *device : {"cpu", "cuda"}) {
            for (int i = 0; i < static_cast<int>(attentionCases().size()); ++i)
                QTest::addRow("%s, %s", device, attentionCases()[static_cast<std::size_t>(i)].name)
                    << QString::fromLatin1(device) << i;
        }
    }

    void attentionsFollowTheFormula()
    {
        QFETCH(QString, device);
        QFETCH(int, shape);
        const AttentionCase one = attentionCases()[static_cast<std::size_t>(shape)];
        const auto options = executionOn(device).tensorOptions();
        torch::manual_seed(5);
        for (const int sequences : {1, 7, 900}) { // the last in several parts of like lengths
            Random random(3);
            TorchAttention attention{one.spec, {}, {}, {}, {}, {}, {}};
            for (int s = 0; s < sequences; ++s) {
                const std::int64_t queries = 1 + random.below(s % 5 == 0 ? 40 : 7);
                attention.querySequences.add(queries);
                attention.keySequences.add(one.longBefore       ? queries + random.below(9)
                                           : one.keysOfTheirOwn ? 1 + random.below(30)
                                                                : queries);
            }
            attention.queries
                = torch::randn({attention.querySequences.rows(), one.spec.queryWidth()}, torch::kFloat32).to(options);
            attention.keyValues
                = torch::randn({attention.keySequences.rows(), one.spec.keyValueWidth()}, torch::kFloat32).to(options);
            const auto expected = contextsByFormula(attention);
            const auto errorOf = [&](const torch::Tensor &contexts) {
                return (contexts.to(torch::kCPU, torch::kFloat64) - expected).abs().max().item<double>();
            };
            QVERIFY(errorOf(attendPadded(attention)) < 1e-5);
            if (!one.spec.sharesProjections()) // these may have keys of another width than values
                QCOMPARE(canFuse(attention), canAttendPacked(options, one.spec.headWidth));
            if (canFuse(attention))
                QVERIFY(errorOf(attendFused(attention)) < 1e-4);
        }
    }

    void sequencesWithoutKeysHaveContextsOfZeros()
    {
        const AttentionCase one = attentionCases()[1];
        TorchAttention attention{one.spec, {}, torch::ones({3, one.spec.width()}), {}, {}, {}, {}};
        attention.keyValues = torch::ones({2, 2 * one.spec.keyWidth()});
        attention.querySequences.add(2);
        attention.querySequences.add(1);
        attention.keySequences.add(0);
        attention.keySequences.add(2);
        QVERIFY(!canFuse(attention));
        const auto contexts = attendPadded(attention);
        QVERIFY(contexts.narrow(0, 0, 2).eq(0).all().item<bool>());
        QVERIFY(contexts.narrow(0, 2, 1).sub(1).abs().max().item<float>() < 1e-6F);
    }

    void productsAreAsGoodAsTheyPromise_data() { addDevices(); }
    void productsAreAsGoodAsTheyPromise()
    {
        QFETCH(QString, device);
        at::globalContext().setAllowTF32CuBLAS(true); // an Execution turns it off
        const auto options = executionOn(device).tensorOptions();
        torch::manual_seed(3);
        const Linear linear{torch::randn({40, 96}).to(options), torch::randn({40}).to(options), {}};
        const auto x = torch::randn({33, 96}).to(options);
        const auto wide = [](const torch::Tensor &t) { return t.to(torch::kCPU, torch::kFloat64); };
        const auto expected = torch::linear(wide(x), wide(linear.weight), wide(linear.bias));
        const auto scale = wide(x).abs().mm(wide(linear.weight).abs().t()) + 1;
        const auto errorOf
            = [&](const torch::Tensor &found) { return ((wide(found) - expected).abs() / scale).max().item<double>(); };
        const double exact = errorOf(TorchLinear(linear, Products::Exact)(x));
        const double half = errorOf(TorchLinear(linear, Products::Half)(x));
        QVERIFY(exact < 1e-6);
        QVERIFY(half < 1e-2 && half > exact);
        QVERIFY(errorOf(TorchLinear(linear, Products::Half).forProducts(x)) < 1e-2);
        if (TorchLinear::canMake(Products::Split, options))
            QVERIFY(errorOf(TorchLinear(linear, Products::Split)(x)) < 2e-5);
    }

    void gatheredRowsAreThoseAskedFor_data() { addDevices(); }
    void gatheredRowsAreThoseAskedFor()
    {
        QFETCH(QString, device);
        const auto options = executionOn(device).tensorOptions();
        const auto numbers = [&](std::int64_t first, std::int64_t count) {
            return Rows::of(
                torch::arange(2 * first, 2 * (first + count), torch::kFloat32).view({count, 2}).to(options));
        };
        const Rows a = numbers(0, 10);
        const Rows b = numbers(100, 10);
        const auto firsts = [&](const RowSegments &segments) {
            const auto found = segments.gathered(2, options).cpu().contiguous();
            std::vector<float> values;
            for (std::int64_t r = 0; r < found.size(0); ++r)
                values.push_back(found[r][0].item<float>() / 2);
            return values;
        };
        RowSegments none;
        QVERIFY(firsts(none).empty());
        RowSegments together;
        together.add(&a, 3, 2);
        together.add(&a, 5, 1);
        QCOMPARE(firsts(together), (std::vector<float>{3, 4, 5}));
        RowSegments apart = together;
        apart.add(&a, 0, 2);
        QCOMPARE(firsts(apart), (std::vector<float>{3, 4, 5, 0, 1}));
        RowSegments several = apart;
        several.add(nullptr, 0, 2);
        several.add(&b, 9, 1);
        several.add(&a, 7, 0);
        const std::vector<RowRef> refs{{&b, 0}, {&a, 9}, {&b, 1}};
        several.add({nullptr, 0, 0, refs});
        QCOMPARE(firsts(several), (std::vector<float>{3, 4, 5, 0, 1, 0, 0, 109, 100, 9, 101}));
    }

    void decisionsEqualThePlainOnes_data()
    {
        QTest::addColumn<QString>("device");
        QTest::addColumn<int>("spec");
        QTest::addColumn<ProductChoice>("products");
        QTest::addColumn<int>("beams");
        const auto specs = allSpecs();
        for (const char *device : {"cpu", "cuda"}) {
            for (int i = 0; i < static_cast<int>(specs.size()); ++i) {
                const char *name = specs[static_cast<std::size_t>(i)].name.c_str();
                for (const ProductChoice products :
                     {ProductChoice::Auto, ProductChoice::Exact, ProductChoice::Half, ProductChoice::Split})
                    QTest::addRow("%s, %s, %s", device, name, toText(products).data())
                        << QString::fromLatin1(device) << i << products << 1;
                if (!specs[static_cast<std::size_t>(i)].spec.isEncoderDecoder())
                    continue;
                for (const ProductChoice products : {ProductChoice::Auto, ProductChoice::Half, ProductChoice::Split})
                    QTest::addRow("%s, %s, %s, beams", device, name, toText(products).data())
                        << QString::fromLatin1(device) << i << products << 3;
            }
        }
    }

    void decisionsEqualThePlainOnes()
    {
        QFETCH(QString, device);
        QFETCH(int, spec);
        QFETCH(ProductChoice, products);
        QFETCH(int, beams);
        at::globalContext().setAllowTF32CuBLAS(true);
        const auto task = taskOf(withWideHeads(allSpecs()[static_cast<std::size_t>(spec)].spec),
                                 randomDataset(kExamples), executionOn(device));
        RunOptions run;
        run.products = products;
        run.decoding.beams = beams;
        const bool scored = !task->generates() || (beams > 1 && products != ProductChoice::Half);
        compare(*task, run, {}, manyVariants(task->layout(), 20, 4, 3), {}, scored);
        const HeadMask first{task->layout().heads().front()};
        QVERIFY(compareOutputs(*task, allIds(task->size()), first, run) > (task->generates() ? 1 : 0));
    }

    void replacementsEqualThePlainOnes_data()
    {
        QTest::addColumn<QString>("device");
        QTest::addColumn<ProductChoice>("products");
        for (const char *device : {"cpu", "cuda"}) {
            for (const ProductChoice products : {ProductChoice::Auto, ProductChoice::Half})
                QTest::addRow("%s, %s", device, toText(products).data()) << QString::fromLatin1(device) << products;
        }
    }
    void replacementsEqualThePlainOnes()
    {
        QFETCH(QString, device);
        QFETCH(ProductChoice, products);
        const auto task = taskOf(withWideHeads(allSpecs().front().spec), randomDataset(kExamples), executionOn(device));
        for (const Replacement kind : {Replacement::Mean, Replacement::Resample}) {
            auto variants = manyVariants(task->layout(), 12, 3, 5);
            for (Variant &variant : variants)
                variant.replacement = kind;
            RunOptions run;
            run.decoding.beams = 1;
            run.products = products;
            compare(*task, run, {kind, nullptr, 1}, variants, {}, false);
        }
    }

    // Two copies of the model, on two devices or, for want of them, on one.
    void examplesDealtOutGiveTheSame_data() { addDevices(); }
    void examplesDealtOutGiveTheSame()
    {
        QFETCH(QString, device);
        const bool two = device == QStringLiteral("cuda") && torch::cuda::device_count() > 1;
        const Execution other = two ? Execution(torch::Device(torch::kCUDA, 1)) : executionOn(device);
        for (const std::size_t which : {std::size_t(0), allSpecs().size() - 1}) {
            const TransformerSpec spec = withWideHeads(allSpecs()[which].spec);
            const auto alone = taskOf(spec, randomDataset(kExamples), executionOn(device));
            const auto dealt = taskOf(spec, randomDataset(kExamples), executionOn(device), {other});
            RunOptions run;
            run.decoding.beams = 1;
            compare(*dealt, run, {}, manyVariants(dealt->layout(), 20, 4, 3), {}, !dealt->generates());
            const auto ids = allIds(alone->size());
            const auto a = alone->outputs(ids, {}, run, false, {});
            const auto b = dealt->outputs(ids, {}, run, false, {});
            QCOMPARE(a.size(), b.size());
            for (std::size_t i = 0; i < a.size(); ++i) {
                QCOMPARE(a[i].index, b[i].index);
                QCOMPARE(a[i].tokens, b[i].tokens);
            }
        }
    }

    void failuresOfDealtWorkComeBack()
    {
        const auto task = taskOf(allSpecs().front().spec, randomDataset(kExamples), Execution(), {Execution()});
        std::stop_source stop;
        stop.request_stop();
        const JobControl control(stop.get_token(), {}, {});
        QVERIFY_THROWS_EXCEPTION(Cancelled, (void)task->outputs(allIds(task->size()), {}, {}, false, control));
    }
};

QTEST_GUILESS_MAIN(TestGpu)
#include "tst_gpu.moc"
