// Products with weights laid out beforehand against LibTorch's in double precision, and how far quick ones are off.
#include "core/packed/rows.h"

#include <ATen/Context.h>
#include <QTest>
#include <torch/types.h>

using namespace headscope;

class TestPackedLinear : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        if (!hasPackedProducts())
            QSKIP("built without oneDNN");
    }

    void exactOnesCanAlwaysBeMade() { QVERIFY(PackedLinear::canMake(Products::Exact)); }

    void equalsTheFormula_data()
    {
        QTest::addColumn<Products>("products");
        QTest::addColumn<double>("tolerance"); // of the sum of the factors' magnitudes
        QTest::newRow("exact") << Products::Exact << 1e-6;
        QTest::newRow("split") << Products::Split << 2e-5;
        QTest::newRow("half") << Products::Half << 1e-2;
        QTest::newRow("byte") << Products::Byte << 2e-2;
    }

    void equalsTheFormula()
    {
        QFETCH(Products, products);
        QFETCH(double, tolerance);
        if (!PackedLinear::canMake(products))
            QSKIP("this processor has no such products");
        torch::manual_seed(3);
        for (const std::int64_t rows : {1, 15, 16, 17, 100, 255, 256, 300}) {
            for (const auto &[in, out] : {std::pair<std::int64_t, std::int64_t>{20, 36}, {64, 7}, {33, 129}}) {
                const auto weight = torch::randn({out, in});
                const auto bias = rows % 2 == 0 ? torch::randn({out}) : torch::Tensor();
                const PackedLinear linear(weight, bias, products);
                QCOMPARE(linear.outputs(), out);
                Rows input(rows, in);
                input.tensor().copy_(torch::randn({rows, in}));
                Rows output(rows, out);
                linear(input.row(0), rows, output.row(0));
                const auto wide = input.tensor().to(torch::kFloat64);
                auto wanted = wide.mm(weight.t().to(torch::kFloat64));
                if (bias.defined())
                    wanted = wanted + bias;
                const auto scale = wide.abs().mm(weight.t().abs().to(torch::kFloat64)) + 1;
                const double error = ((output.tensor() - wanted).abs() / scale).max().item<double>();
                QVERIFY2(error < tolerance,
                         qPrintable(QStringLiteral("%1 rows, %2 to %3: %4").arg(rows).arg(in).arg(out).arg(error)));
            }
        }
    }

    /// How examples are divided among workers shows in nothing because of this.
    void aRowIsTheSameWhateverRowsItIsComputedWith()
    {
        constexpr std::int64_t kMost = 300;
        torch::manual_seed(4);
        for (const auto &[in, out] : {std::pair<std::int64_t, std::int64_t>{33, 129}, {256, 1024}, {1024, 256}}) {
            const PackedLinear linear(torch::randn({out, in}), torch::randn({out}), Products::Exact);
            Rows input(kMost, in);
            input.tensor().copy_(torch::randn({kMost, in}));
            Rows all(kMost, out);
            linear(input.row(0), kMost, all.row(0));
            for (const std::int64_t rows : {1, 4, 5, 12, 31, 64, 100, 255}) {
                for (const std::int64_t first : {std::int64_t(0), kMost - rows}) {
                    Rows own(rows, in), some(rows, out);
                    own.tensor().copy_(input.tensor().narrow(0, first, rows));
                    linear(own.row(0), rows, some.row(0));
                    QVERIFY2(
                        some.tensor().equal(all.tensor().narrow(0, first, rows)),
                        qPrintable(QStringLiteral("%1 rows from %2, %3 to %4").arg(rows).arg(first).arg(in).arg(out)));
                }
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestPackedLinear)
#include "tst_packedlinear.moc"

#include <utility>
