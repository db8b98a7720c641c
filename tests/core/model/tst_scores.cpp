// What a recorder hears of scores, on models of every shape: query by key plus bias is the score, its softmax the
// attention.
#include "tests/support/tinyspecs.h"

#include <QTest>

using namespace headscope;
using namespace headscope::testing;

namespace {

TokenBatch tokens(std::int64_t count)
{
    std::vector<std::int64_t> ids;
    for (std::int64_t i = 0; i < count; ++i)
        ids.push_back(3 + (7 * i) % 31);
    return TokenBatch::pad({ids, {5, 6, 7}}, 0, torch::kCPU);
}

double largest(const torch::Tensor &values)
{
    return values.abs().max().item<double>();
}

} // namespace

class TestScores : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void scoresAreProductsAndBiases_data()
    {
        QTest::addColumn<int>("number");
        int number = 0;
        for (const NamedSpec &one : all())
            QTest::newRow(one.name.c_str()) << number++;
    }
    void scoresAreProductsAndBiases()
    {
        QFETCH(int, number);
        const TransformerSpec spec = all()[static_cast<std::size_t>(number)].spec;
        const auto model = randomModel(spec, 7);
        Recorder recorder;
        recorder.scores = recorder.probabilities = true;
        const torch::NoGradGuard noGrad;
        if (spec.isEncoderDecoder()) {
            const Memory memory = model->encode(tokens(9), {}, &recorder);
            (void)model->decode(tokens(6), &memory, {}, &recorder);
        } else {
            StackState state = model->begin(spec.encoder ? Side::Encoder : Side::Decoder, tokens(9));
            const HeadGates gates;
            model->advanceToEnd(state, {gates, nullptr, &recorder});
        }
        int looked = 0;
        for (const HeadLayout::Block &block : model->layout().blocks()) {
            for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
                if (block.layers[static_cast<std::size_t>(layer)].empty())
                    continue;
                const auto at = [&](const char *what) { return recorder.at(block.kind, layer, what); };
                auto expected = at("query").matmul(at("key").transpose(2, 3));
                const double unbiased = largest(expected - at("scores"));
                if (at("bias").defined())
                    expected = expected + at("bias");
                else
                    QVERIFY(unbiased < 1e-5);
                QVERIFY(largest((expected - at("scores")).clamp(-1, 1)) < 1e-5);
                const auto shares = (at("scores") - std::get<0>(at("scores").max(-1, true))).exp();
                const auto whole = at("probabilities").sum(-1, true);
                QVERIFY(largest(shares / shares.sum(-1, true) - at("probabilities") / whole) < 1e-6);
                const bool hasSinks = spec.attention(block.kind, layer).sinks;
                QCOMPARE(whole.min().item<float>() < 0.9999F, hasSinks); // a sink takes its part of every row
                QCOMPARE(at("query").size(3), at("key").size(3));
                ++looked;
            }
        }
        QVERIFY(looked >= 2);
    }

private:
    static std::vector<NamedSpec> all()
    {
        std::vector<NamedSpec> specs = encoderDecoderSpecs();
        for (const auto &more : {causalSpecs(), maskedSpecs()})
            specs.insert(specs.end(), more.begin(), more.end());
        return specs;
    }
};

QTEST_APPLESS_MAIN(TestScores)
#include "tst_scores.moc"
