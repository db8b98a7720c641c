// Every fast path on every shape of model: blocks over rows by oneDNN and by LibTorch against the plain path, for every
// head, all but one, and fifty random masks; replacements; searches, scoring and masked tokens.
#include "core/model/removeheads.h"
#include "tests/support/againstplain.h"
#include "tests/support/manyvariants.h"

#include <QTest>

#include <algorithm>
#include <atomic>
#include <limits>
#include <stop_token>

using namespace headscope;
using namespace headscope::testing;

Q_DECLARE_METATYPE(headscope::GenerationSettings)
Q_DECLARE_METATYPE(headscope::ProductChoice)

class TestExecutors : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // What evaluate and predict run: every shape of model, masks, beams, penalties; sentences that end at different
    // times.
    void outputsEqualThePlainOnes_data()
    {
        QTest::addColumn<int>("spec");
        QTest::addColumn<int>("beams");
        const auto specs = allSpecs();
        for (int i = 0; i < static_cast<int>(specs.size()); ++i) {
            const NamedSpec &one = specs[static_cast<std::size_t>(i)];
            QTest::addRow("%s", one.name.c_str()) << i << 1;
            if (one.spec.isEncoderDecoder())
                QTest::addRow("%s, beams", one.name.c_str()) << i << 3;
        }
    }

    void outputsEqualThePlainOnes()
    {
        QFETCH(int, spec);
        QFETCH(int, beams);
        const auto task = taskOf(allSpecs()[static_cast<std::size_t>(spec)].spec, randomDataset(150)); // several parts
        std::vector<std::int64_t> ids = allIds(task->size());
        std::ranges::reverse(ids);
        RunOptions run;
        run.batchTokens = 128;
        run.decoding.beams = beams;
        const auto heads = task->layout().heads();
        HeadMask half;
        for (std::size_t h = 0; h < heads.size(); h += 2)
            half.set(heads[h], true);
        for (const HeadMask &mask : {HeadMask(), HeadMask{heads.front(), heads.back()}, half}) {
            for (const double penalty : {1.0, 0.0, 3.0}) {
                run.decoding.lengthPenalty = penalty;
                QVERIFY(compareOutputs(*task, ids, mask, run) > 1);
                if (beams == 1)
                    break;
            }
            QVERIFY(compareOutputs(*task, {5}, mask, run) == 1);
        }
    }

    void outputsUnderRulesEqualThePlainOnes_data()
    {
        QTest::addColumn<GenerationSettings>("generation");
        const GenerationSettings usual = encoderDecoderSpecs().front().spec.generation;
        const auto add = [&](const char *name, const auto &change) {
            GenerationSettings generation = usual;
            change(generation);
            QTest::newRow(name) << generation;
        };
        add("forced first", [](GenerationSettings &g) { g.forcedFirst = 9; });
        add("forced last", [](GenerationSettings &g) { g.forcedLast = 2; });
        add("two tokens end", [](GenerationSettings &g) { g.endIds = {2, 17}; });
        add("no repeated n-grams, bad words", [](GenerationSettings &g) {
            g.noRepeatNgram = 2;
            g.badWords = {{7}, {9, 12}};
        });
        add("never logits, renormalised", [](GenerationSettings &g) {
            g.bannedLogits = {0, 11, 30};
            g.badWords = {{8}};
            g.renormalize = true;
        });
        add("least length", [](GenerationSettings &g) { g.minLength = 9; });
        add("all end at once", [](GenerationSettings &g) { g.maxLength = 3; });
        add("repetition penalty", [](GenerationSettings &g) { g.repetitionPenalty = 1.3; });
        add("stops early", [](GenerationSettings &g) { g.earlyStopping = EarlyStopping::On; });
        add("never stops early", [](GenerationSettings &g) { g.earlyStopping = EarlyStopping::Never; });
    }

    void outputsUnderRulesEqualThePlainOnes()
    {
        QFETCH(GenerationSettings, generation);
        TransformerSpec spec = encoderDecoderSpecs().front().spec;
        spec.generation = generation;
        Dataset data = randomDataset(30);
        data.examples[3].inputIds = {2}; // nothing but its end
        const auto task = taskOf(spec, data);
        for (const int beams : {1, 2, 4}) {
            RunOptions run;
            run.decoding.beams = beams;
            QVERIFY(compareOutputs(*task, allIds(task->size()), {task->layout().heads().front()}, run) > 1);
        }
    }

    // Weights that are no numbers: whatever the plain path makes of them.
    void outputsOfBrokenWeightsEqualThePlainOnes()
    {
        const TransformerSpec spec = encoderDecoderSpecs().front().spec;
        auto tensors = randomTensors(spec, 11);
        tensors.at("output.bias").view(-1)[5] = std::numeric_limits<float>::quiet_NaN();
        const auto model = std::make_shared<const Transformer>(spec, TransformerWeights::assemble(spec, tensors));
        const auto task = makeTask({model, nullptr, Execution()}, randomDataset(3), {}).valueOrThrow();
        RunOptions run;
        run.decoding.beams = 1;
        const auto fast = task->outputs({0, 1, 2}, {}, run, false, {});
        const auto plain = task->plainOutputs({0, 1, 2}, HeadMask(), run, false, {});
        for (std::size_t i = 0; i < plain.size(); ++i)
            QCOMPARE(fast[i].tokens, plain[i].tokens);
    }

    void cancellingStopsOutputs()
    {
        const auto task = taskOf(encoderDecoderSpecs().front().spec, randomDataset(150));
        for (const int beams : {1, 3}) {
            std::stop_source stop;
            std::atomic<int> asked = 0;
            const JobControl control(stop.get_token(), {}, [&] {
                if (++asked == 40) // somewhere on the way
                    stop.request_stop();
            });
            RunOptions run;
            run.decoding.beams = beams;
            QVERIFY_THROWS_EXCEPTION(Cancelled, (void)task->outputs(allIds(task->size()), {}, run, false, control));
            QVERIFY(asked >= 40);
        }
    }

    void fastPathsEqualThePlainOne_data()
    {
        QTest::addColumn<int>("spec");
        QTest::addColumn<ProductChoice>("products");
        QTest::addColumn<int>("beams");
        const auto specs = allSpecs();
        for (int i = 0; i < static_cast<int>(specs.size()); ++i) {
            const char *name = specs[static_cast<std::size_t>(i)].name.c_str();
            for (const ProductChoice products : {ProductChoice::Exact, ProductChoice::Half, ProductChoice::Library})
                QTest::addRow("%s, %s", name, toText(products).data()) << i << products << 1;
            if (!specs[static_cast<std::size_t>(i)].spec.isEncoderDecoder())
                continue;
            for (const ProductChoice products : {ProductChoice::Exact, ProductChoice::Library})
                QTest::addRow("%s, %s, beams", name, toText(products).data()) << i << products << 3;
        }
    }

    void fastPathsEqualThePlainOne()
    {
        QFETCH(int, spec);
        QFETCH(ProductChoice, products);
        QFETCH(int, beams);
        const auto task = taskOf(allSpecs()[static_cast<std::size_t>(spec)].spec);
        RunOptions run;
        run.products = products;
        run.decoding.beams = beams;
        run.batchTokens = 64;
        const bool scored = !task->generates() || beams > 1;
        compare(*task, run, {}, manyVariants(task->layout(), 50, 4, 3), {}, scored);
        compare(*task, run, {}, manyVariants(task->layout(), 3, 3, 4), {task->layout().heads().front()}, scored);
    }

    void replacementsEqualThePlainPath_data() { fastPathsEqualThePlainOne_data(); }
    void replacementsEqualThePlainPath()
    {
        QFETCH(int, spec);
        QFETCH(ProductChoice, products);
        QFETCH(int, beams);
        if (products == ProductChoice::Half)
            return; // the same gates
        const auto task = taskOf(allSpecs()[static_cast<std::size_t>(spec)].spec);
        RunOptions run;
        run.products = products;
        run.decoding.beams = beams;
        for (const Replacement kind : {Replacement::Mean, Replacement::Resample}) {
            std::vector<Variant> variants = manyVariants(task->layout(), 12, 3, 5);
            for (std::size_t v = 0; v < variants.size(); ++v) {
                variants[v].replacement = kind;
                variants[v].draw = kind == Replacement::Resample ? static_cast<std::int64_t>(v % 2) : 0;
            }
            compare(*task, run, {kind, nullptr, 2}, variants, {}, !task->generates() || beams > 1);
        }
    }

    void windowsEqualThePlainPath_data() { fastPathsEqualThePlainOne_data(); }
    void windowsEqualThePlainPath()
    {
        QFETCH(int, spec);
        QFETCH(ProductChoice, products);
        QFETCH(int, beams);
        const auto task = taskOf(allSpecs()[static_cast<std::size_t>(spec)].spec);
        RunOptions run;
        run.products = products;
        run.decoding.beams = beams;
        std::vector<Variant> variants = manyVariants(task->layout(), 12, 3, 6);
        for (std::size_t v = 0; v < variants.size(); ++v) {
            for (const HeadRef &head : HeadMask(variants[v].mask))
                variants[v].mask.set(head, head.kind != HeadKind::Cross);
            variants[v].replacement = Replacement::Window;
            variants[v].window = {static_cast<std::int64_t>(v % 3), 1 + static_cast<std::int64_t>(v % 2)};
        }
        const bool scored = !task->generates() || beams > 1;
        compare(*task, run, Replacement::Window, variants, {}, scored);
        compare(*task, run, Replacement::Window, variants, {task->layout().heads().front()}, scored);
    }

    // A window as long as any text, and one that hides none of its keys, change nothing.
    void windowsThatShowEverythingChangeNothing_data() { fastPathsEqualThePlainOne_data(); }
    void windowsThatShowEverythingChangeNothing()
    {
        QFETCH(int, spec);
        QFETCH(ProductChoice, products);
        QFETCH(int, beams);
        const auto task = taskOf(allSpecs()[static_cast<std::size_t>(spec)].spec);
        HeadMask all;
        for (const HeadRef &head : task->layout().heads())
            all.set(head, head.kind != HeadKind::Cross);
        RunOptions run;
        run.products = products;
        run.decoding.beams = beams;
        for (const bool plain : {false, true}) {
            run.plain = plain;
            const auto block = task->prepare(allIds(task->size()), {}, Replacement::Window, run, {});
            for (const KeyWindow window : {KeyWindow{0, 30}, KeyWindow{30, 1}, KeyWindow()}) {
                const auto outputs = block->outputs({all, Replacement::Window, 0, {}, window}, {});
                for (std::size_t i = 0; i < outputs.size(); ++i)
                    QCOMPARE(outputs[i].tokens, block->baseline()[i].tokens);
                QVERIFY(worstDifference(outputs, block->baseline()) < 1e-4);
            }
        }
    }

    void rulesThatLookBackAreKept() // no repeated n-grams, bad words of two tokens
    {
        TransformerSpec spec = encoderDecoderSpecs().front().spec;
        spec.generation.noRepeatNgram = 2;
        spec.generation.badWords = {{7}, {9, 12}};
        spec.generation.minLength = 6;
        const auto task = taskOf(spec);
        for (const int beams : {1, 3}) {
            RunOptions run;
            run.decoding.beams = beams;
            run.products = ProductChoice::Exact;
            compare(*task, run, {}, manyVariants(task->layout(), 20, 3, 9), {}, beams > 1);
        }
    }

    void takingHeadsOutEqualsMasking_data()
    {
        QTest::addColumn<int>("spec");
        const auto specs = allSpecs();
        for (int i = 0; i < static_cast<int>(specs.size()); ++i)
            QTest::addRow("%s", specs[static_cast<std::size_t>(i)].name.c_str()) << i;
    }
    void takingHeadsOutEqualsMasking()
    {
        QFETCH(int, spec);
        const torch::NoGradGuard noGrad;
        const auto model = randomModel(allSpecs()[static_cast<std::size_t>(spec)].spec, 13, torch::kFloat64);
        const auto hiddenOf = [](const Transformer &m, const HeadGates &gates) {
            const TokenBatch batch = TokenBatch::pad({{3, 4, 5, 6, 2}, {9, 2}}, 0, torch::kCPU);
            Memory memory;
            if (m.spec().encoder)
                memory = m.encode(batch, gates);
            return m.spec().decoder ? m.decode(batch, m.spec().encoder ? &memory : nullptr, gates) : memory.hidden;
        };
        for (const Variant &variant : manyVariants(model->layout(), 8, 3, 15)) {
            const HeadGates gates = HeadGates::fromMask(variant.mask, model->layout(), model->options());
            const auto expected = hiddenOf(*model, gates);
            const auto found = hiddenOf(withoutHeads(*model, variant.mask), {});
            QVERIFY((expected - found).abs().max().item<double>() < 1e-9);
        }
    }
};

QTEST_GUILESS_MAIN(TestExecutors)
#include "tst_executors.moc"
