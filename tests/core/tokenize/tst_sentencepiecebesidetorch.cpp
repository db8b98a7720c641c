#include "core/tokenize/sentencepiece.h"
#include "tests/core/tokenize/spmmodel.h"

#include <torch/types.h>

#include <QTest>

using namespace headscope;
using namespace headscope::testing;

/// Both bring a protobuf of their own; this program has both in it.
class TestSentencePieceBesideTorch : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bothWorkInOneProcess()
    {
        const auto sum = torch::ones({3}).sum().item<float>();
        QCOMPARE(sum, 3.0f);
        const auto model = SentencePiece::fromBytes(serialize(smallModel({"▁", "a"})), "test model");
        QVERIFY2(model.isOk(), model.isError() ? model.error().message.c_str() : "");
        QCOMPARE(model.value().encode("aa").size(), std::size_t{3});
    }
};

QTEST_GUILESS_MAIN(TestSentencePieceBesideTorch)
#include "tst_sentencepiecebesidetorch.moc"
