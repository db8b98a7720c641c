#include "tests/core/model/fixturemodel.h"

#include <ATen/core/grad_mode.h>
#include <QTest>
#include <torch/types.h>

using namespace headscope;
using namespace headscope::testing;

using Tokens = std::vector<std::int64_t>;

namespace {

std::vector<Generated> generated(const Transformer &model, const GenerationSettings &settings,
                                 const std::vector<Tokens> &sources = kSources, const HeadMask &mask = {})
{
    const torch::NoGradGuard noGrad;
    const auto gates = HeadGates::fromMask(mask, model.layout(), model.options());
    const Memory memory = model.encode(TokenBatch::pad(sources, 31, torch::kCPU), gates);
    return generate(model, memory, settings, gates, true, {});
}

Tokens repeated(std::int64_t token, std::size_t times, Tokens rest)
{
    Tokens tokens(times, token);
    tokens.insert(tokens.end(), rest.begin(), rest.end());
    return tokens;
}

} // namespace

/// Expected tokens and scores: transformers 4.27.1 on the same weights.
class TestGenerate : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void greedyEqualsHuggingFace()
    {
        const Transformer model = fixtureModel();
        const auto results = generated(model, model.spec().generation);
        QCOMPARE(results[0].tokens, repeated(29, 9, {20, 0}));
        QCOMPARE(results[1].tokens, repeated(20, 10, {0}));
    }

    void beamSearchEqualsHuggingFace_data()
    {
        QTest::addColumn<double>("lengthPenalty");
        QTest::addColumn<bool>("early");
        QTest::addColumn<int>("ngram");
        QTest::addColumn<int>("minLength");
        QTest::addColumn<Tokens>("first");
        QTest::addColumn<Tokens>("second");
        QTest::addColumn<double>("firstScore");
        QTest::addColumn<double>("secondScore");
        const Tokens first = repeated(11, 10, {0});
        const Tokens second = repeated(20, 10, {0});
        QTest::newRow("plain") << 1.0 << false << 0 << 0 << first << second << -1.981413 << -2.114879;
        QTest::newRow("no length penalty") << 0.0 << false << 0 << 0 << first << second << -21.795547 << -23.26367;
        QTest::newRow("early stopping") << 1.0 << true << 0 << 0 << first << second << -1.981413 << -2.114879;
        QTest::newRow("no repeated bigrams")
            << 1.0 << false << 2 << 0 << Tokens{11, 11, 20, 20, 11, 2, 2, 11, 29, 20, 0}
            << Tokens{20, 20, 29, 29, 20, 11, 11, 2, 2, 11, 0} << -2.036643 << -2.156007;
        QTest::newRow("at least six") << 1.0 << false << 0 << 6 << first << second << -1.981413 << -2.114879;
    }

    void beamSearchEqualsHuggingFace()
    {
        QFETCH(double, lengthPenalty);
        QFETCH(bool, early);
        QFETCH(int, ngram);
        QFETCH(int, minLength);
        QFETCH(Tokens, first);
        QFETCH(Tokens, second);
        QFETCH(double, firstScore);
        QFETCH(double, secondScore);
        const Transformer model = fixtureModel();
        GenerationSettings settings = model.spec().generation;
        settings.beams = 4;
        settings.lengthPenalty = lengthPenalty;
        settings.earlyStopping = early ? EarlyStopping::On : EarlyStopping::Off;
        settings.noRepeatNgram = ngram;
        settings.minLength = minLength;
        const auto results = generated(model, settings);
        QCOMPARE(results[0].tokens, first);
        QCOMPARE(results[1].tokens, second);
        QVERIFY2(std::abs(results[0].score - firstScore) < 2e-5, qPrintable(QString::number(results[0].score, 'g', 9)));
        QVERIFY2(std::abs(results[1].score - secondScore) < 2e-5,
                 qPrintable(QString::number(results[1].score, 'g', 9)));
    }

    void oneBeamIsGreedy() // T14
    {
        const Transformer model = fixtureModel();
        GenerationSettings settings = model.spec().generation;
        const HeadMask mask{{HeadKind::Encoder, 0, 2}, {HeadKind::Cross, 1, 1}};
        const torch::NoGradGuard noGrad;
        const auto gates = HeadGates::fromMask(mask, model.layout(), model.options());
        const Memory memory = model.encode(TokenBatch::pad(kSources, 31, torch::kCPU), gates);
        const Prompts starts(kSources.size(), {settings.startId});
        const auto greedy = greedySearch(model, starts, &memory, settings, gates, true, {});
        settings.beams = 1;
        const auto beam = beamSearch(model, starts, &memory, settings, gates, {});
        for (std::size_t i = 0; i < kSources.size(); ++i)
            QCOMPARE(beam[i].tokens, greedy[i].tokens);
    }

    void beamSearchWithMasksRepeats() // T14
    {
        const Transformer model = fixtureModel();
        GenerationSettings settings = model.spec().generation;
        settings.beams = 3;
        const HeadMask mask{{HeadKind::Decoder, 0, 0}, {HeadKind::Cross, 1, 1}};
        const auto once = generated(model, settings, kSources, mask);
        const auto again = generated(model, settings, kSources, mask);
        for (std::size_t i = 0; i < once.size(); ++i) {
            QCOMPARE(once[i].tokens, again[i].tokens);
            QCOMPARE(once[i].score, again[i].score);
            // Companions in the batch change nothing.
            const auto alone = generated(model, settings, {kSources[i]}, mask);
            QCOMPARE(alone[0].tokens, once[i].tokens);
        }
    }

    void repetitionPenaltyAndForcedFirst()
    {
        const Transformer model = fixtureModel();
        GenerationSettings settings = model.spec().generation;
        settings.forcedFirst = 7;
        settings.repetitionPenalty = 50;
        const auto results = generated(model, settings);
        for (const Generated &result : results) {
            QCOMPARE(result.tokens.front(), 7);
            const std::set<std::int64_t> distinct(result.tokens.begin(), result.tokens.end());
            QCOMPARE(distinct.size(), result.tokens.size()); // nothing is worth saying twice
        }
    }

    void severalTokensMayEnd()
    {
        const Transformer model = fixtureModel();
        GenerationSettings settings = model.spec().generation;
        settings.endIds = {0, 29};
        QCOMPARE(generated(model, settings)[0].tokens, Tokens{29});
        settings.beams = 4;
        QVERIFY(!generated(model, settings)[0].tokens.empty());
    }

    void cancellingStopsTheSearch()
    {
        const Transformer model = fixtureModel();
        std::stop_source stop;
        stop.request_stop();
        const torch::NoGradGuard noGrad;
        const Memory memory = model.encode(TokenBatch::pad(kSources, 31, torch::kCPU), {});
        const JobControl control(stop.get_token());
        GenerationSettings settings = model.spec().generation;
        settings.beams = 1;
        QVERIFY_EXCEPTION_THROWN(generate(model, memory, settings, {}, false, control), Cancelled);
        settings.beams = 2;
        QVERIFY_EXCEPTION_THROWN(generate(model, memory, settings, {}, false, control), Cancelled);
    }
};

QTEST_APPLESS_MAIN(TestGenerate)
#include "tst_generate.moc"

#include <cmath>
