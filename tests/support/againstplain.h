#pragma once

#include "core/data/dataset.h"
#include "core/task/batching.h"
#include "core/task/languagemeasure.h"
#include "core/task/scoringrunner.h"
#include "core/task/tasks.h"
#include "tests/support/tinyspecs.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

/// Tasks of every shape of model, and fast paths on them against the plain one.
namespace headscope::testing {

inline constexpr int kExamples = 9;

inline std::vector<std::int64_t> randomTokens(Random &random, std::uint32_t least, std::uint32_t most)
{
    std::vector<std::int64_t> tokens(least + random.below(most - least + 1));
    for (auto &token : tokens)
        token = 3 + random.below(static_cast<std::uint32_t>(tinyspec::kVocabulary) - 3);
    return tokens;
}

inline Dataset randomDataset(int examples)
{
    Dataset data;
    data.name = "random";
    Random random(7);
    for (int i = 0; i < examples; ++i) {
        Example example;
        example.inputIds = randomTokens(random, i == 0 ? 2 : 3, 11); // one very short
        example.inputIds.push_back(2);
        example.labels = randomTokens(random, 2, 9);
        example.labels.push_back(2);
        data.examples.push_back(std::move(example));
    }
    return data;
}

/// The model's kind of task.
inline std::shared_ptr<const Task> taskOf(OpenModel model, const Dataset &data)
{
    const TransformerSpec &spec = model.transformer->spec();
    if (!spec.maskedLm)
        return makeTask(std::move(model), data, {}).valueOrThrow();
    Examples examples = textExamples(spec, nullptr, data, {}).valueOrThrow();
    TaskParts parts{std::move(examples), std::make_unique<ScoringRunner>(5, nullptr),
                    tokenMeasure(TokenContext::Around)};
    return std::make_shared<const Task>("masked", model.transformer, std::move(parts), model.execution,
                                        std::move(model.copies));
}

/// The spec's kind of task with random weights on `execution`'s device, and on those of `copies` too.
inline std::shared_ptr<const Task> taskOf(const TransformerSpec &spec, Dataset data = randomDataset(kExamples),
                                          const Execution &execution = Execution(),
                                          const std::vector<Execution> &copies = {})
{
    const auto modelOn = [&](const Execution &where) { return randomModel(spec, 11, where.tensorOptions()); };
    OpenModel model{modelOn(execution), nullptr, execution, {}};
    for (const Execution &where : copies)
        model.copies.push_back({modelOn(where), where});
    return taskOf(std::move(model), data);
}

inline double worstDifference(const std::vector<ExampleOutput> &a, const std::vector<ExampleOutput> &b)
{
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        worst = std::max(worst, std::abs(a[i].score - b[i].score));
    return worst;
}

inline std::vector<NamedSpec> allSpecs()
{
    auto specs = encoderDecoderSpecs();
    for (const auto &more : {causalSpecs(), maskedSpecs()})
        specs.insert(specs.end(), more.begin(), more.end());
    return specs;
}

/// All variants by the fast path, each against the plain one.
inline void compare(const Task &task, const RunOptions &run, const ReplacementPlan &plan,
                    const std::vector<Variant> &variants, const HeadMask &base, bool comparesScores)
{
    const auto ids = allIds(task.size());
    const auto fast = task.prepare(ids, base, plan, run, {});
    RunOptions plainly = run;
    plainly.plain = true;
    const auto plain = task.prepare(ids, base, plan, plainly, {});
    QVERIFY(worstDifference(fast->baseline(), plain->baseline()) < 1e-3 || !comparesScores);
    std::vector<std::vector<ExampleOutput>> outputs(variants.size());
    fast->outputsOfAll(variants, [&](std::size_t v, const auto &made) { outputs[v] = made; }, {});
    int changed = 0;
    int ties = 0;
    for (std::size_t v = 0; v < variants.size(); ++v) {
        auto expected = plain->outputs(variants[v], {});
        for (std::size_t i = 0; i < expected.size(); ++i) {
            if (outputs[v][i].tokens != expected[i].tokens) {
                // A tie by less than float32 tells apart: the plain path itself decides it by how its batch is padded.
                RunOptions alone = plainly;
                alone.batchTokens = 1;
                const auto padded = expected[i].tokens;
                expected[i] = task.prepare(ids, base, plan, alone, {})->outputs(variants[v], {})[i];
                QVERIFY(expected[i].tokens != padded);
                ++ties;
            }
            QCOMPARE(outputs[v][i].tokens, expected[i].tokens);
            changed += expected[i].tokens != plain->baseline()[i].tokens ? 1 : 0;
        }
        if (comparesScores)
            QVERIFY2(worstDifference(outputs[v], expected) < 1e-3,
                     qPrintable(QString::number(worstDifference(outputs[v], expected))));
    }
    QVERIFY2(ties <= 1, qPrintable(QString::number(ties))); // none in most runs
    QVERIFY(changed > 0);                                   // or equality would say little
}

/// Outputs from scratch by the fast path and by the plain one. How many different ones there are is returned.
inline std::size_t compareOutputs(const Task &task, const std::vector<std::int64_t> &ids, const HeadMask &mask,
                                  const RunOptions &run)
{
    std::set<std::vector<std::int64_t>> different;
    for (const bool scores : {false, true}) {
        const auto fast = task.outputs(ids, mask, run, scores, {});
        const auto plain = task.plainOutputs(ids, mask, run, scores, {});
        if (fast.size() != plain.size() || fast.size() != ids.size())
            return 0;
        for (std::size_t i = 0; i < plain.size(); ++i) {
            if (fast[i].index != ids[i] || fast[i].tokens != plain[i].tokens || fast[i].text != plain[i].text
                || !(std::abs(fast[i].score - plain[i].score) < 1e-3))
                return 0;
            different.insert(plain[i].tokens);
        }
    }
    return different.size();
}

} // namespace headscope::testing
