// Log-probabilities over large vocabularies, and their gradients, against sums in double precision.
#include "core/model/likelihood.h"

#include <ATen/core/grad_mode.h>
#include <QTest>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <limits>

using namespace headscope;

class TestLikelihood : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void asInDoublePrecision_data()
    {
        QTest::addColumn<double>("spread");
        QTest::addColumn<double>("middle");
        QTest::newRow("flat") << 0.01 << 0.0;
        QTest::newRow("usual") << 3.0 << 0.0;
        QTest::newRow("large logits") << 30.0 << 1000.0;
        QTest::newRow("large negative logits") << 2.0 << -30000.0;
    }
    void asInDoublePrecision()
    {
        QFETCH(double, spread);
        QFETCH(double, middle);
        torch::manual_seed(3);
        constexpr std::int64_t kRows = 23; // more than go together
        constexpr std::int64_t kVocabulary = 60013;
        const auto logits = torch::randn({kRows, kVocabulary}) * spread + middle;
        logits.select(1, 5).add_(4 * spread); // stands out early in the row
        logits[1][7] = -std::numeric_limits<float>::infinity();
        const auto tokens = torch::randint(kVocabulary, {kRows}, torch::kInt64);
        tokens[0] = 5;
        const auto expected
            = torch::log_softmax(logits.to(torch::kFloat64), -1).gather(1, tokens.unsqueeze(1)).squeeze(1);
        const auto check = [&](const torch::Tensor &found) {
            QVERIFY(found.scalar_type() == torch::kFloat64);
            QVERIFY2(((found - expected).abs() / expected.abs().clamp_min(1)).max().item<double>() < 3e-7,
                     qPrintable(QString::number((found - expected).abs().max().item<double>())));
        };
        check(logProbabilitiesOf(tokens, logits));
        check(logProbabilitiesOf(tokens, logits.to(torch::kFloat64)));
        {
            const torch::NoGradGuard noGrad;
            check(logProbabilitiesOf(tokens, logits));
        }
        auto leaf = logits.clone().requires_grad_(true);
        const auto found = logProbabilitiesOf(tokens, leaf);
        check(found.detach());
        const auto gradient = torch::autograd::grad({found.sum()}, {leaf})[0].to(torch::kFloat64);
        const auto softmax = torch::softmax(logits.to(torch::kFloat64), -1);
        const auto wanted = torch::zeros_like(softmax).scatter(1, tokens.unsqueeze(1), 1) - softmax;
        QVERIFY((gradient - wanted).abs().max().item<double>() < 1e-6);
    }

    void halfPrecisionIsWidened()
    {
        const auto logits = torch::randn({2, 100}).to(torch::kBFloat16);
        const auto tokens = torch::tensor({3, 99}, torch::kInt64);
        QVERIFY(
            torch::equal(logProbabilitiesOf(tokens, logits), logProbabilitiesOf(tokens, logits.to(torch::kFloat32))));
    }

    void noRows()
    {
        QCOMPARE(logProbabilitiesOf(torch::zeros({0}, torch::kInt64), torch::zeros({0, 7})).numel(), std::int64_t{0});
    }
};

QTEST_APPLESS_MAIN(TestLikelihood)
#include "tst_likelihood.moc"
