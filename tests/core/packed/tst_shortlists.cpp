// What shortlists say is what the whole vocabulary says, near known rows and far from them; near ones they do answer.
#include "core/packed/shortlists.h"
#include "core/packed/torchrowmodel.h"
#include "tests/support/tinyspecs.h"

#include <QTest>
#include <torch/torch.h>

#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

using namespace headscope;

namespace {

/// A vocabulary that is larger than a list.
std::shared_ptr<const Transformer> makeModel(bool withBias, torch::ScalarType type)
{
    TransformerSpec spec = testing::encoderDecoderSpecs().front().spec;
    spec.outputBias = withBias;
    TransformerWeights weights = TransformerWeights::assemble(spec, testing::randomTensors(spec, 5));
    weights.outputWeight = torch::randn({500, spec.width}).to(type);
    weights.outputBias = withBias ? torch::randn({500}) : torch::Tensor();
    return std::make_shared<const Transformer>(spec, std::move(weights));
}

struct Known
{
    explicit Known(bool withBias, torch::ScalarType type = torch::kFloat32)
        : transformer(makeModel(withBias, type)), model(transformer, Products::Exact)
    {
        torch::manual_seed(23);
        rows = Rows::of(4 * torch::randn({60, transformer->spec().width}));
    }
    torch::Tensor scoresNear(const torch::Tensor &read) const
    {
        const auto &weights = transformer->weights();
        auto scores = torch::matmul(read, weights.outputWeight.to(torch::kFloat32).t());
        return weights.outputBias.defined() ? scores + weights.outputBias : scores;
    }

    std::shared_ptr<const Transformer> transformer;
    TorchRowModel model;
    Rows rows;
};

} // namespace

class TestShortlists : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void saysWhatTheVocabularySays_data()
    {
        QTest::addColumn<bool>("withBias");
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("step"); // from the known row, as a share of its length
        QTest::addColumn<int>("atLeast"); // answers of 60
        for (const bool withBias : {false, true}) {
            for (const auto type : {torch::kFloat32, torch::kBFloat16, torch::kFloat16}) {
                const auto add = [&](const char *where, double step, int atLeast) {
                    QTest::addRow("%s, bias %d, %s", where, withBias, c10::toString(type))
                        << withBias << static_cast<int>(type) << step << atLeast;
                };
                add("near", 0.01, 55);
                add("further", 0.1, 5);
                add("far", 2.0, 0);
            }
        }
    }
    void saysWhatTheVocabularySays()
    {
        QFETCH(bool, withBias);
        QFETCH(int, type);
        QFETCH(double, step);
        QFETCH(int, atLeast);
        const Known known(withBias, static_cast<torch::ScalarType>(type));
        QVERIFY(Shortlists::canUse(known.model));
        const ScoreEdits edits{GenerationSettings(), ScoreProcessor({})};
        const Shortlists lists(known.model, known.rows, edits);
        const auto base = known.rows.tensor();
        const auto moved
            = base + step * base.norm(2, 1, true) * torch::nn::functional::normalize(torch::randn_like(base));
        const Rows rows = Rows::of(moved.contiguous());
        const auto scores = known.scoresNear(moved);
        int answers = 0;
        for (std::int64_t r = 0; r < rows.count(); ++r) {
            const std::vector<std::int64_t> banned{scores[r].argmax().item<std::int64_t>()};
            for (const bool isBanned : {false, true}) {
                auto allowed = scores[r].clone();
                if (isBanned)
                    allowed.index_fill_(0, torch::tensor(banned), -1e9);
                const auto answer = lists.choice(rows.row(r), r,
                                                 isBanned ? std::span(banned) : std::span<const std::int64_t>(), 0.01F);
                if (!answer)
                    continue;
                answers += isBanned ? 0 : 1;
                const auto top = std::get<0>(allowed.topk(2));
                const float margin = (top[0] - top[1]).item<float>();
                QCOMPARE(answer->choice.token, allowed.argmax().item<std::int64_t>());
                QVERIFY(answer->choice.margin <= margin + 1e-4F);
                if (answer->isMarginExact)
                    QVERIFY(std::abs(answer->choice.margin - margin) < 1e-4F);
            }
        }
        QVERIFY2(answers >= atLeast, qPrintable(QString::number(answers)));
        if (atLeast == 0)
            QVERIFY(answers < 30); // far away anything can win
    }

    void aMarginThatCannotBeShownIsNoAnswer()
    {
        const Known known(true);
        const Shortlists lists(known.model, known.rows, {GenerationSettings(), ScoreProcessor({})});
        for (std::int64_t r = 0; r < known.rows.count(); ++r)
            QVERIFY(!lists.choice(known.rows.row(r), r, {}, 1e6F));
    }

    void tokensThatAreBannedAnywhereAreOnNoList()
    {
        const Known known(false);
        GenerationSettings settings;
        settings.bannedLogits = {known.scoresNear(known.rows.tensor()).argmax(1)[0].item<std::int64_t>()};
        const Shortlists lists(known.model, known.rows, {settings, ScoreProcessor({})});
        const auto answer = lists.choice(known.rows.row(0), 0, {}, 0);
        QVERIFY(answer);
        QVERIFY(answer->choice.token != settings.bannedLogits.front());
    }

    void partsJoin()
    {
        const Known known(true);
        const ScoreEdits edits{GenerationSettings(), ScoreProcessor({})};
        const Shortlists whole(known.model, known.rows, edits);
        const Shortlists first(known.model, Rows::of(known.rows.tensor().narrow(0, 0, 20)), edits);
        const Shortlists second(known.model, Rows::of(known.rows.tensor().narrow(0, 20, 40)), edits);
        const std::vector<const Shortlists *> parts{&first, &second};
        const Shortlists joined{std::span<const Shortlists *const>(parts)};
        QVERIFY(joined.bytes() >= whole.bytes());
        for (std::int64_t r = 0; r < known.rows.count(); ++r) {
            const auto a = whole.choice(known.rows.row(r), r, {}, 0);
            const auto b = joined.choice(known.rows.row(r), r, {}, 0);
            QCOMPARE(a.has_value(), b.has_value());
            if (a)
                QCOMPARE(a->choice.token, b->choice.token);
        }
    }
};

QTEST_GUILESS_MAIN(TestShortlists)
#include "tst_shortlists.moc"
