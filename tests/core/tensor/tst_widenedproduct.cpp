// Products by weights that are widened for them, forward and back: against weights that were widened before, by
// LibTorch's own linear, and against sums written out.
#include "core/tensor/widenedproduct.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <QTest>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

using namespace headscope;

namespace {

struct Made
{
    torch::Tensor output;
    torch::Tensor slope; ///< of a weighted sum of the outputs by the input
};

template<typename Product>
Made madeBy(const torch::Tensor &input, Product &&product)
{
    const auto leaf = input.detach().requires_grad_(true);
    const auto output = product(leaf);
    const auto weights = torch::sin(torch::arange(output.numel(), output.options().requires_grad(false)));
    const auto sum = (output.reshape({-1}) * weights).sum();
    return {output.detach(), torch::autograd::grad({sum}, {leaf})[0]};
}

} // namespace

class TestWidenedProduct : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void equalsTheProductOfWidenedWeights_data()
    {
        QTest::addColumn<int>("stored");
        QTest::addColumn<int>("computed");
        QTest::addColumn<bool>("biased");
        QTest::addColumn<bool>("contiguous");
        const std::pair<torch::ScalarType, torch::ScalarType> types[] = {{torch::kBFloat16, torch::kFloat32},
                                                                         {torch::kFloat16, torch::kFloat32},
                                                                         {torch::kFloat32, torch::kFloat64}};
        for (const auto &[stored, computed] : types) {
            for (const bool biased : {true, false}) {
                for (const bool contiguous : {true, false})
                    QTest::addRow("%s, %s, %s", c10::toString(stored), biased ? "bias" : "no bias",
                                  contiguous ? "contiguous" : "strided")
                        << static_cast<int>(stored) << static_cast<int>(computed) << biased << contiguous;
            }
        }
    }

    void equalsTheProductOfWidenedWeights()
    {
        QFETCH(int, stored);
        QFETCH(int, computed);
        QFETCH(bool, biased);
        QFETCH(bool, contiguous);
        torch::manual_seed(3);
        const auto type = static_cast<torch::ScalarType>(computed);
        const auto weight = torch::randn({330, 200}).to(static_cast<torch::ScalarType>(stored));
        const auto bias = biased ? torch::randn({330}).to(type) : torch::Tensor();
        auto input = torch::randn({3, 200, 17}).to(type).transpose(1, 2);
        if (contiguous)
            input = input.contiguous();
        const auto narrow = madeBy(input, [&](const auto &x) { return widenedLinear(x, weight, bias); });
        const auto whole = madeBy(input, [&](const auto &x) { return torch::linear(x, weight.to(type), bias); });
        QCOMPARE(narrow.output.sizes().vec(), whole.output.sizes().vec());
        QVERIFY(torch::equal(narrow.output, whole.output));
        if (contiguous) // as all inputs of a model's layers are; of others LibTorch orders the sums in several ways
            QVERIFY(torch::equal(narrow.slope, whole.slope));
        QVERIFY(torch::allclose(narrow.slope, whole.slope, 1e-4, 1e-4));
        const torch::NoGradGuard noGrad;
        QVERIFY(torch::equal(widenedLinear(input, weight, bias), whole.output));
    }

    void threadsMayShareAWeight()
    {
        torch::manual_seed(9);
        const auto weight = torch::randn({300, 200}).to(torch::kBFloat16);
        const auto input = torch::randn({40, 200});
        const auto expected = torch::linear(input, weight.to(torch::kFloat32), {});
        std::atomic<int> wrong = 0;
        std::vector<std::thread> threads;
        for (int t = 0; t < 8; ++t)
            threads.emplace_back([&] {
                const torch::NoGradGuard noGrad;
                for (int i = 0; i < 50; ++i)
                    wrong += torch::equal(widenedLinear(input, weight, {}), expected) ? 0 : 1;
            });
        for (std::thread &thread : threads)
            thread.join();
        QCOMPARE(wrong.load(), 0);
        // Neither does a weight that is changed, or lies where another lay, get old numbers.
        const auto other = weight * 2;
        QVERIFY(torch::equal(widenedLinear(input, other, {}), torch::linear(input, other.to(torch::kFloat32), {})));
        weight.mul_(3);
        QVERIFY(torch::equal(widenedLinear(input, weight, {}), torch::linear(input, weight.to(torch::kFloat32), {})));
    }

    void equalsSumsWrittenOut()
    {
        torch::manual_seed(5);
        const auto weight = torch::randn({70, 9}).to(torch::kBFloat16);
        const auto bias = torch::randn({70});
        const auto input = torch::randn({4, 9});
        const auto made = madeBy(input, [&](const auto &x) { return widenedLinear(x, weight, bias); });
        for (std::int64_t r = 0; r < 4; ++r) {
            for (std::int64_t o = 0; o < 70; ++o) {
                double sum = bias[o].item<double>();
                for (std::int64_t i = 0; i < 9; ++i)
                    sum += input[r][i].item<double>() * weight[o][i].item<double>();
                QVERIFY(std::abs(made.output[r][o].item<double>() - sum) < 1e-5);
            }
            for (std::int64_t i = 0; i < 9; ++i) {
                double slope = 0;
                for (std::int64_t o = 0; o < 70; ++o)
                    slope += std::sin(static_cast<double>(r * 70 + o)) * weight[o][i].item<double>();
                QVERIFY(std::abs(made.slope[r][i].item<double>() - slope) < 1e-4);
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestWidenedProduct)
#include "tst_widenedproduct.moc"
