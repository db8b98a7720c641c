// The neuron view's numbers (Vig 2019): scale · q·k + bias is the logit, and its softmax the attention that is shown.
#include "core/results/attentionresult.h"
#include "core/results/neuronresult.h"
#include "core/session/session.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace headscope;
using namespace headscope::testing;

namespace {

void compareWithAttention(Session &session, const AttentionResult &shown, const HeadMask &mask)
{
    QVERIFY(!shown.maps.empty());
    for (const AttentionMap &map : shown.maps) {
        const NeuronResult neurons = session.neurons(shown, map.head, mask, {}).valueOrThrow();
        QCOMPARE(neurons.head, map.head);
        QCOMPARE(std::ssize(neurons.queries), map.queries);
        QCOMPARE(std::ssize(neurons.keys), map.keys);
        QVERIFY(std::abs(neurons.scale - 1 / std::sqrt(static_cast<double>(neurons.width))) < 1e-12);
        for (std::int64_t q = 0; q < map.queries; ++q) {
            double highest = -INFINITY;
            for (std::int64_t k = 0; k < map.keys; ++k) {
                const double logit = static_cast<double>(neurons.logits[neurons.at(q, k)]);
                highest = std::max(highest, logit);
                QCOMPARE(neurons.isHidden(q, k), map.head.kind == HeadKind::Decoder && k > q);
                if (!neurons.isHidden(q, k)) {
                    const double expected
                        = neurons.scale * neurons.product(q, k) + static_cast<double>(neurons.bias[neurons.at(q, k)]);
                    QVERIFY(std::abs(logit - expected) < 1e-5);
                }
            }
            double sum = 0;
            for (std::int64_t k = 0; k < map.keys; ++k)
                sum += std::exp(static_cast<double>(neurons.logits[neurons.at(q, k)]) - highest);
            for (std::int64_t k = 0; k < map.keys; ++k) {
                const double softmax = std::exp(static_cast<double>(neurons.logits[neurons.at(q, k)]) - highest) / sum;
                const auto place = static_cast<std::size_t>(q * map.keys + k);
                QVERIFY(std::abs(softmax - static_cast<double>(map.weights[place])) < 1e-6);
                QVERIFY(std::abs(neurons.weights[neurons.at(q, k)] - map.weights[place]) < 1e-6F);
            }
        }
    }
}

} // namespace

class TestNeurons : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::string path(const char *name) const { return m_folder.filePath(QString::fromUtf8(name)).toStdString(); }

private Q_SLOTS:
    // Encoder, cross-attention and decoder, of the model's own output and of a given one, with and without masked
    // heads.
    void translationModelsComeToTheirAttention()
    {
        writeTinyModel(path("model"));
        const auto session = Session::open(path("model"), {}, {}).valueOrThrow();
        const HeadMask mask{{HeadKind::Encoder, 0, 1}, {HeadKind::Decoder, 0, 0}};
        for (const HeadMask &masked : {HeadMask(), mask}) {
            for (const char *target : {"", "the red ball"}) {
                const AttentionResult shown
                    = session->attention("two girls in the park .", target, masked, {}, {}).valueOrThrow();
                compareWithAttention(*session, shown, masked);
            }
        }
    }

    void classifiersComeToTheirAttention()
    {
        writeTinyClassifier(path("classifier"));
        const auto session = Session::open(path("classifier"), {}, {}).valueOrThrow();
        compareWithAttention(*session, session->attention("good film", "bad film", {}, {}, {}).valueOrThrow(), {});
    }

    void unknownHeadsAreRefused()
    {
        writeTinyModel(path("model"));
        const auto session = Session::open(path("model"), {}, {}).valueOrThrow();
        const AttentionResult shown = session->attention("a dog", "", {}, {}, {}).valueOrThrow();
        const auto result = session->neurons(shown, {HeadKind::Encoder, 40, 0}, {}, {});
        QVERIFY(result.isError());
        QVERIFY(result.error().message.find("encoder.40.0") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestNeurons)
#include "tst_neurons.moc"
