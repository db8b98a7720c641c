// Which executors over rows a model gets: packed weights need room beside the weights that are there.
#include "core/task/rowmodels.h"
#include "tests/support/tinyspecs.h"

#include <QTest>

#include <cstdint>
#include <memory>
#include <optional>

using namespace headscope;
using namespace headscope::testing;

namespace {

std::shared_ptr<const Transformer> anyModel()
{
    return randomModel(encoderDecoderSpecs().front().spec, 1);
}

std::optional<std::int64_t> g_free;
std::optional<std::int64_t> madeUpFree()
{
    return g_free;
}

bool isPacked(const RowModel &model)
{
    return dynamic_cast<const PackedModel *>(&model) != nullptr;
}

} // namespace

class TestRowModels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void packedWeightsAreCounted()
    {
        const auto model = anyModel();
        std::int64_t matrices = model->weights().outputWeight.numel();
        for (const WeightSlot &slot : weightSlots(model->spec())) {
            if (slot.name.ends_with(".weight") && slot.shape.size() == 2 && !slot.name.starts_with("output"))
                matrices += slot.shape[0] * slot.shape[1];
        }
        QVERIFY(matrices > 0);
        QCOMPARE(packedBytes(*model, Products::Exact), 4 * matrices + model->weights().outputWeight.numel());
        QCOMPARE(packedBytes(*model, Products::Split), 6 * matrices);
        QCOMPARE(packedBytes(*model, Products::Half), 2 * matrices);
    }

    void withoutRoomNothingIsPacked()
    {
        const auto model = anyModel();
        if (!PackedModel::canRun(*model))
            QSKIP("built without packed products");
        const RunOptions run;
        const std::int64_t exact = packedBytes(*model, Products::Exact);
        g_free = exact;
        const Execution execution;
        const RowModels without(model, execution, madeUpFree);
        QVERIFY(without.usesLibrary(run));
        g_free = 1 << 30;
        QVERIFY(without.usesLibrary(run)); // as it answered before
        QVERIFY(isPacked(RowModels(model, execution, madeUpFree).exact(run)));
        QVERIFY(!isPacked(without.exact(run)));
        QCOMPARE(without.costOf(Products::Half), 1.0);
    }

    void quickProductsNeedRoomBesideExactOnes()
    {
        const auto model = anyModel();
        if (!PackedModel::canRun(*model) || !PackedLinear::canMake(Products::Half))
            QSKIP("this processor has no products of bf16");
        const RunOptions run;
        g_free = packedBytes(*model, Products::Exact) + packedBytes(*model, Products::Half) + 1;
        const Execution execution;
        const RowModels models(model, execution, madeUpFree);
        QVERIFY(!models.usesLibrary(run));
        QVERIFY(models.canMake(Products::Half));
        QVERIFY(!models.canMake(Products::Split));
        QVERIFY(isPacked(models.exact(run)));
    }

    void anUnknownAmountIsEnough()
    {
        const auto model = anyModel();
        g_free = std::nullopt;
        const Execution execution;
        const RowModels models(model, execution, madeUpFree);
        QCOMPARE(models.usesLibrary(RunOptions()), !PackedModel::canRun(*model));
    }
};

QTEST_APPLESS_MAIN(TestRowModels)
#include "tst_rowmodels.moc"
