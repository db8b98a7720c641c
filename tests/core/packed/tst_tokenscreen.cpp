// What is found by products of bytes is the best token in double precision, by as much; where it cannot be told nothing
// is said.
#include "core/packed/packedmodel.h"
#include "core/packed/tokenscreen.h"
#include "tests/support/tinyspecs.h"

#include <QTest>
#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

using namespace headscope;

namespace {

std::shared_ptr<const Transformer> makeModel(std::int64_t tokens, bool withBias, torch::ScalarType type)
{
    torch::manual_seed(41);
    TransformerSpec spec = testing::encoderDecoderSpecs().front().spec;
    spec.outputBias = withBias;
    TransformerWeights weights = TransformerWeights::assemble(spec, testing::randomTensors(spec, 5));
    weights.outputWeight = torch::randn({tokens, spec.width}).to(type);
    weights.outputBias = withBias ? torch::randn({tokens}) : torch::Tensor();
    return std::make_shared<const Transformer>(spec, std::move(weights));
}

struct Screened
{
    explicit Screened(std::int64_t tokens, bool withBias = false, torch::ScalarType type = torch::kFloat32)
        : transformer(makeModel(tokens, withBias, type)), model(transformer, Products::Exact, execution)
    {
    }
    /// Scores of rows [R, D] in double precision.
    torch::Tensor scoresOf(const torch::Tensor &read) const
    {
        const auto &weights = transformer->weights();
        const auto scores = torch::matmul(read.to(torch::kFloat64), weights.outputWeight.to(torch::kFloat64).t());
        return weights.outputBias.defined() ? scores + weights.outputBias : scores;
    }
    /// Near some token each, as a trained model's are, with one number that is far larger than the others.
    torch::Tensor rows(std::int64_t count) const
    {
        const auto tokens = torch::randint(transformer->weights().outputWeight.size(0), {count}, torch::kInt64);
        auto rows = transformer->weights().outputWeight.to(torch::kFloat32).index_select(0, tokens);
        rows = 0.4 * rows + 0.3 * torch::randn_like(rows);
        rows.select(1, 3).mul_(5);
        return rows.contiguous();
    }

    const Execution execution;
    std::shared_ptr<const Transformer> transformer;
    PackedModel model;
};

const ScoreEdits &noEdits()
{
    static const ScoreEdits none{GenerationSettings(), ScoreProcessor({})};
    return none;
}

} // namespace

class TestTokenScreen : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!PackedLinear::canMake(Products::Byte))
            QSKIP("This processor has no products of bytes.");
    }

    void saysWhatTheVocabularySays_data()
    {
        QTest::addColumn<int>("tokens");
        QTest::addColumn<bool>("withBias");
        QTest::addColumn<int>("type");
        QTest::addRow("fewer than are looked at") << 10 << false << static_cast<int>(torch::kFloat32);
        QTest::addRow("one part") << 900 << true << static_cast<int>(torch::kFloat32);
        QTest::addRow("several parts") << 3000 << false << static_cast<int>(torch::kFloat32);
        QTest::addRow("bfloat16") << 3000 << true << static_cast<int>(torch::kBFloat16);
        QTest::addRow("float16") << 3000 << false << static_cast<int>(torch::kFloat16);
    }
    void saysWhatTheVocabularySays()
    {
        QFETCH(int, tokens);
        QFETCH(bool, withBias);
        QFETCH(int, type);
        const Screened screened(tokens, withBias, static_cast<torch::ScalarType>(type));
        const TokenScreen screen(screened.model, screened.execution);
        const auto read = screened.rows(300);
        const auto scores = screened.scoresOf(read);
        const auto choices = screen.choices(Rows::of(read), noEdits());
        const auto seen
            = torch::matmul(read, PackedLinear::seenByBytes(screened.transformer->weights().outputWeight).t());
        int answers = 0, misled = 0;
        for (std::int64_t r = 0; r < read.size(0); ++r) {
            const auto &choice = choices[static_cast<std::size_t>(r)];
            if (!choice)
                continue;
            ++answers;
            const auto top = std::get<0>(scores[r].topk(2));
            QCOMPARE(choice->token, scores[r].argmax().item<std::int64_t>());
            QVERIFY(std::abs(choice->margin - (top[0] - top[1]).item<double>()) < 1e-4);
            misled += seen[r].argmax().item<std::int64_t>() != choice->token ? 1 : 0;
        }
        QVERIFY2(answers > 200, qPrintable(QString::number(answers)));
        if (tokens > 1000 && !withBias)
            QVERIFY(misled > 0); // bytes alone are wrong somewhere
    }

    void tokensThatAreBannedAreNotChosen()
    {
        const Screened screened(3000);
        const TokenScreen screen(screened.model, screened.execution);
        const auto read = screened.rows(40);
        auto scores = screened.scoresOf(read);
        ScoreEdits edits = noEdits();
        edits.bannedLogits = {scores[0].argmax().item<std::int64_t>()};
        edits.banned = {scores[1].argmax().item<std::int64_t>()};
        for (std::int64_t r = 0; r < 40; ++r)
            edits.changes.push_back({.banned = {scores[r].argmax().item<std::int64_t>()}});
        const auto choices = screen.choices(Rows::of(read), edits);
        scores.scatter_(1, scores.argmax(1, true), -1e9);
        scores.select(1, edits.bannedLogits.front()).fill_(-1e9);
        scores.select(1, edits.banned.front()).fill_(-1e9);
        int answers = 0;
        for (std::int64_t r = 0; r < 40; ++r) {
            if (const auto &choice = choices[static_cast<std::size_t>(r)]) {
                QCOMPARE(choice->token, scores[r].argmax().item<std::int64_t>());
                ++answers;
            }
        }
        QVERIFY(answers > 10);
    }

    void ofEqualsTheFirstIsChosen()
    {
        const Screened screened(3000);
        auto &weights = const_cast<torch::Tensor &>(screened.transformer->weights().outputWeight);
        weights[2500].copy_(weights[700]);
        const TokenScreen screen(screened.model, screened.execution);
        const auto choices = screen.choices(Rows::of((2 * weights.narrow(0, 2500, 1)).contiguous()), noEdits());
        QVERIFY(choices.front());
        QCOMPARE(choices.front()->token, 700);
        QCOMPARE(choices.front()->margin, 0.0F);
    }

    void whereNothingIsCertainNothingIsSaid()
    {
        const Screened screened(3000);
        const TokenScreen screen(screened.model, screened.execution);
        auto read = screened.rows(4);
        read[1].zero_(); // all tokens are equal
        read[2][5] = std::numeric_limits<float>::quiet_NaN();
        read[3][5] = std::numeric_limits<float>::infinity();
        const auto choices = screen.choices(Rows::of(read), noEdits());
        for (const std::size_t r : {1, 2, 3})
            QVERIFY(!choices[r]);
    }

    /// The model asks the whole vocabulary where the screen has no answer.
    void modelsChooseTheSameWithAndWithout()
    {
        const Screened plain(5000), quick(5000);
        quick.model.screenTokens(quick.execution);
        auto read = plain.rows(200);
        read.narrow(0, 0, 50).mul_(0.01); // many tokens may be the best of these
        read[7].zero_();
        ScoreEdits edits = noEdits();
        const auto scores = plain.scoresOf(read);
        for (std::int64_t r = 0; r < 200; ++r)
            edits.changes.push_back({.banned = r % 3 == 0 ? std::vector{scores[r].argmax().item<std::int64_t>()}
                                                          : std::vector<std::int64_t>()});
        const auto expected = plain.model.choices(Rows::of(read), edits);
        const auto found = quick.model.choices(Rows::of(read), edits);
        QCOMPARE(found.size(), expected.size());
        for (std::size_t r = 0; r < found.size(); ++r) {
            QVERIFY(std::abs(found[r].margin - expected[r].margin) < 1e-4F);
            if (expected[r].margin > 1e-4F)
                QCOMPARE(found[r].token, expected[r].token);
        }
    }
};

QTEST_GUILESS_MAIN(TestTokenScreen)
#include "tst_tokenscreen.moc"
