#include "core/tokenize/pipeline/decoder.h"
#include "core/tokenize/pipeline/normalizer.h"
#include "core/tokenize/pipeline/pretokenizer.h"
#include "tests/core/tokenize/goldens.h"

#include <QTest>

using namespace headscope;
using namespace headscope::pipeline;
using namespace headscope::testing;

namespace {

/// Rows of all goldens of a kind of component.
void addRows(const char *kind)
{
    QTest::addColumn<QByteArray>("golden");
    for (int i = 0; std::filesystem::exists(goldenFolder() / "components" / fmt::format("{}{}.json", kind, i)); ++i) {
        const nlohmann::json file = goldenJson(fmt::format("components/{}{}.json", kind, i));
        for (const nlohmann::json &golden : file[kind])
            QTest::newRow(golden["part"].dump().substr(0, 120).c_str()) << QByteArray::fromStdString(golden.dump());
    }
}

nlohmann::json row()
{
    QFETCH(QByteArray, golden);
    return parseJson(golden.toStdString(), "golden").valueOrThrow();
}

} // namespace

/// The components of a tokenizer.json by themselves, compared with those of the tokenizers library.
class TestTokenizerParts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void normalizers_data() { addRows("normalizers"); }

    /// The text, and where every character of it comes from.
    void normalizers()
    {
        const nlohmann::json golden = row();
        const NormalizerPtr normalizer = makeNormalizer(Part(golden["part"], "golden"));
        for (const nlohmann::json &one : golden["cases"]) {
            AlignedText text(one[0].get_ref<const std::string &>());
            normalizer->apply(text);
            QCOMPARE(QString::fromStdString(text.text()), QString::fromStdString(one[1]));
            std::vector<TextSpan> spans;
            for (std::size_t at = 0; at < text.text().size(); at += charAt(text.text(), at).size)
                spans.push_back(text.original(at, at + charAt(text.text(), at).size));
            QVERIFY2(flat(spans) == one[2].get<std::vector<std::int64_t>>(),
                     fmt::format("{}: {} instead of {}", one[0].dump(), shown(flat(spans)), one[2].dump()).c_str());
        }
    }

    void preTokenizers_data() { addRows("pre_tokenizers"); }

    void preTokenizers()
    {
        const nlohmann::json golden = row();
        const PreTokenizerPtr preTokenizer = makePreTokenizer(Part(golden["part"], "golden"));
        for (const nlohmann::json &one : golden["cases"]) {
            std::vector<AlignedText> texts;
            texts.emplace_back(one[0].get_ref<const std::string &>());
            nlohmann::json words = nlohmann::json::array();
            for (const AlignedText &word : preTokenizer->split(std::move(texts))) {
                const TextSpan span = word.original(0, word.text().size());
                words.push_back({word.text(), span.begin, span.end});
            }
            QVERIFY2(words == one[1],
                     fmt::format("{}: {} instead of {}", one[0].dump(), words.dump(), one[1].dump()).c_str());
        }
    }

    void decoders_data() { addRows("decoders"); }

    void decoders()
    {
        const nlohmann::json golden = row();
        const DecoderPtr decoder = makeDecoder(Part(golden["part"], "golden"));
        for (const nlohmann::json &one : golden["cases"]) {
            std::string text;
            for (const std::string &piece : decoder->decode(one[0].get<std::vector<std::string>>()))
                text += piece;
            QCOMPARE(QString::fromStdString(text), QString::fromStdString(one[1]));
        }
    }
};

QTEST_GUILESS_MAIN(TestTokenizerParts)
#include "tst_tokenizerparts.moc"
