// Measures of groups that share a key–value head: importance against the derivative by one gate that all heads of a
// group share, by autograd and by differences of the loss, and confidence against means over the heads.
#include "core/analysis/confidence.h"
#include "core/analysis/headunits.h"
#include "core/analysis/importance.h"
#include "tests/support/againstplain.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

using namespace headscope;
using namespace headscope::testing;

namespace {

constexpr int kTexts = 7;

std::shared_ptr<const Task> taskInDouble(const TransformerSpec &spec)
{
    return taskOf(spec, randomDataset(kTexts), Execution(torch::kCPU, torch::kFloat64));
}

/// Gates of all heads, made of one number for each group, [groups] in the order of `units`' first heads.
HeadGates sharedGates(const Task &task, const HeadUnits &units, const torch::Tensor &numbers)
{
    HeadGates gates;
    for (const HeadLayout::Block &block : task.layout().blocks()) {
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            std::vector<torch::Tensor> ofHeads;
            for (const int head : block.layers[static_cast<std::size_t>(layer)])
                ofHeads.push_back(numbers[units.firsts().indexOf(units.unitOf({block.kind, layer, head}))]);
            if (!ofHeads.empty())
                gates.edit(block.kind, layer).gate = torch::stack(ofHeads);
        }
    }
    return gates;
}

double lossOf(const Task &task, const HeadUnits &units, std::int64_t example, const torch::Tensor &numbers)
{
    return task.loss({example}, sharedGates(task, units, numbers)).loss.sum().item<double>();
}

} // namespace

class TestGroupMeasures : public QObject
{
    Q_OBJECT

    static void addSpecsWithGroups()
    {
        QTest::addColumn<int>("spec");
        const auto specs = allSpecs();
        for (int i = 0; i < static_cast<int>(specs.size()); ++i) {
            const TransformerSpec &spec = specs[static_cast<std::size_t>(i)].spec;
            if (HeadUnits(spec, HeadUnit::KeyGroup).firsts().size() < spec.layout().size())
                QTest::addRow("%s", specs[static_cast<std::size_t>(i)].name.c_str()) << i;
        }
    }

private Q_SLOTS:
    void importanceIsOfOneGateForAGroup_data() { addSpecsWithGroups(); }
    void importanceIsOfOneGateForAGroup()
    {
        QFETCH(int, spec);
        const auto task = taskInDouble(allSpecs()[static_cast<std::size_t>(spec)].spec);
        const HeadUnits units(task->model().spec(), HeadUnit::KeyGroup);
        const std::int64_t groups = units.firsts().size();
        ImportanceSpec asked;
        asked.by = HeadUnit::KeyGroup;
        asked.reduction = ImportanceReduction::Example;
        asked.normalization = ImportanceNormalization::None;
        const auto result = importance(*task, asked, {}, {}, nullptr);
        QCOMPARE(static_cast<std::int64_t>(result.heads.size()), groups);
        asked.by = HeadUnit::Head;
        const auto ofHeads = importance(*task, asked, {}, {}, nullptr);

        constexpr double kStep = 3e-3; // logits, and with them the loss, are float32
        std::vector<double> byGate(static_cast<std::size_t>(groups)), byDifference(byGate);
        for (std::int64_t example = 0; example < task->size(); ++example) {
            const torch::AutoGradMode withGradients(true);
            const auto gate = torch::ones({groups}, torch::kFloat64).requires_grad_(true);
            const auto loss = task->loss({example}, sharedGates(*task, units, gate)).loss.sum();
            const auto slope = torch::autograd::grad({loss}, {gate})[0];
            const torch::NoGradGuard noGrad;
            for (std::int64_t g = 0; g < groups; ++g) {
                byGate[static_cast<std::size_t>(g)] += std::abs(slope[g].item<double>());
                auto moved = torch::ones({groups}, torch::kFloat64);
                moved[g] = 1 + kStep;
                const double more = lossOf(*task, units, example, moved);
                moved[g] = 1 - kStep;
                const double less = lossOf(*task, units, example, moved);
                byDifference[static_cast<std::size_t>(g)] += std::abs(more - less) / (2 * kStep);
            }
        }
        const double largest = std::ranges::max(byGate);
        const HeadRef first = task->layout().heads().front();
        const bool isSmooth = task->model().spec().attention(first.kind, first.layer).clip == 0; // no kinks
        QVERIFY(largest > 0);
        bool cancels = false;
        for (std::size_t g = 0; g < byGate.size(); ++g) {
            const HeadImportance &group = result.heads[g];
            const double texts = static_cast<double>(task->size());
            QVERIFY(std::abs(group.importance - byGate[g] / texts) < 1e-5 * largest);
            if (isSmooth)
                QVERIFY(std::abs(group.importance - byDifference[g] / texts) < 5e-3 * largest);
            double sum = 0; // of absolute values, which is another number
            for (const HeadImportance &head : ofHeads.heads)
                sum += units.unitOf(head.head) == group.head ? head.importance : 0;
            QVERIFY(group.importance <= sum + 1e-5 * largest);
            cancels |= group.importance < sum - 1e-3 * largest;
            QVERIFY(group.together == units.othersOf(group.head));
        }
        QVERIFY(cancels);
    }

    void confidenceIsTheMeanOverTheGroup_data() { addSpecsWithGroups(); }
    void confidenceIsTheMeanOverTheGroup()
    {
        QFETCH(int, spec);
        const auto task = taskOf(allSpecs()[static_cast<std::size_t>(spec)].spec);
        const HeadUnits units(task->model().spec(), HeadUnit::KeyGroup);
        const auto ofHeads = confidence(*task, {}, {}, {}, nullptr);
        const auto ofGroups = confidence(*task, {.by = HeadUnit::KeyGroup}, {}, {}, nullptr);
        QCOMPARE(static_cast<std::int64_t>(ofGroups.heads.size()), units.firsts().size());
        std::map<HeadRef, std::pair<double, std::int64_t>> sums; // over queries of heads, and how many
        for (const HeadConfidence &head : ofHeads.heads) {
            auto &[sum, count] = sums[units.unitOf(head.head)];
            sum += head.confidence * static_cast<double>(head.tokens);
            count += head.tokens;
        }
        for (const HeadConfidence &group : ofGroups.heads) {
            const auto &[sum, count] = sums.at(group.head);
            QCOMPARE(group.tokens, count);
            QVERIFY(std::abs(group.confidence - sum / static_cast<double>(count)) < 1e-12);
            QVERIFY(group.confidence > 0 && group.confidence <= 1);
            QVERIFY(group.together == units.othersOf(group.head));
        }
    }
};

QTEST_APPLESS_MAIN(TestGroupMeasures)
#include "tst_groupmeasures.moc"
