#include "core/formats/utf8.h"
#include "tests/core/tokenize/goldens.h"

#include <QTest>

#include <random>
#include <thread>

using namespace headscope;
using namespace headscope::testing;

namespace {

constexpr const char *kFolders[]
    = {"bert-uncased/files", "bert-cased/json", "roberta/files",      "roberta-prefixed/json", "xlm-roberta/files",
       "camembert/json",     "word-level/json", "unigram-bytes/json", "bpe-suffix/json",       "bytes-sequence/json"};

/// Texts of characters that tokenizers stumble over.
class RandomTexts
{
public:
    explicit RandomTexts(unsigned seed) : m_random(seed) { }

    std::string next()
    {
        static const std::vector<std::string> kBits{"a",          "the",    "cat",     "ing",
                                                    "UN",         "é",      "e\u0301", "\u0301",
                                                    "\u0323",     "İ",      "Σ",       "ß",
                                                    "ﬁ",          "中",     "한",      "각",
                                                    "ᆨ",         "😀",      "\u200d",  "\u200b",
                                                    "\u00ad",     "\u00a0", "\u2028",  "\t",
                                                    "\n",         " ",      "  ",      "▁",
                                                    "Ġ",          "##",     "'s",      "'",
                                                    ",",          "12",     "½",       "€",
                                                    "[MASK]",     "<mask>", "</s>",    "[SEP",
                                                    "<un",        "\x01",   "שלום",    "\u3300",
                                                    "\U0001D400", "\ue000", "\ufffd",  "hello w",
                                                    "it",         "CAFÉ",   "un",      std::string(1, '\0')};
        std::string text;
        for (std::size_t left = m_random() % 24; left > 0; --left)
            text += kBits[m_random() % kBits.size()];
        return text;
    }

    std::string bytes()
    {
        std::string text(m_random() % 40, ' ');
        for (char &byte : text)
            byte = static_cast<char>(m_random());
        return text;
    }

private:
    std::mt19937 m_random;
};

void addFolders()
{
    QTest::addColumn<QString>("folder");
    for (const char *folder : kFolders)
        QTest::newRow(folder) << QString::fromLatin1(folder);
}

std::unique_ptr<Tokenizer> tokenizer()
{
    QFETCH(QString, folder);
    return openTokenizer(goldenFolder() / folder.toStdString(), nlohmann::json::object()).valueOrThrow();
}

bool isCharacterStart(std::string_view text, std::size_t at)
{
    return at == text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
}

/// Empty when all that an encoding promises holds.
std::string brokenPromise(const Encoding &encoding, std::string_view text, std::string_view pair,
                          const Tokenizer &tokenizer)
{
    const std::size_t size = encoding.ids.size();
    if (encoding.pieces.size() != size || encoding.words.size() != size || encoding.typeIds.size() != size
        || encoding.segments.size() != size || encoding.spans.size() != size)
        return "lists of different lengths";
    TextSpan last[2];
    int lastWord[2] = {0, 0};
    for (std::size_t i = 0; i < size; ++i) {
        if (encoding.ids[i] < 0 || encoding.ids[i] >= tokenizer.vocabularySize())
            return "an id outside the vocabulary";
        if (encoding.pieces[i].empty())
            return "a piece without text";
        const int segment = encoding.segments[i];
        if (segment < 0) {
            if (encoding.words[i] != -1 || encoding.spans[i] != TextSpan{})
                return "a special token with a place";
            continue;
        }
        const std::string_view own = segment == 0 ? text : pair;
        const TextSpan span = encoding.spans[i];
        if (span.begin > span.end || span.end > own.size() || !isCharacterStart(own, span.begin)
            || !isCharacterStart(own, span.end))
            return "a place that is none";
        if (span.begin < last[segment].begin || span.end < last[segment].end)
            return "places out of order";
        if (encoding.words[i] < lastWord[segment])
            return "words out of order";
        last[segment] = span;
        lastWord[segment] = encoding.words[i];
    }
    return {};
}

} // namespace

/// What holds for every tokenizer and every text.
class TestTokenizerProperties : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void promisesHold_data() { addFolders(); }

    void promisesHold()
    {
        const auto subject = tokenizer();
        RandomTexts texts(1);
        for (int i = 0; i < 1500; ++i) {
            const std::string first = texts.next();
            const std::string second = texts.next();
            const std::size_t longest = 6 + static_cast<std::size_t>(i) % 40;
            const Encoding single = subject->encodeSource(first).valueOrThrow();
            const Encoding pair = subject->encodePair(first, second, longest).valueOrThrow();
            const Encoding whole = subject->encodePair(first, second, 1 << 20).valueOrThrow();
            for (const std::string &broken :
                 {brokenPromise(single, first, {}, *subject), brokenPromise(pair, first, second, *subject)})
                QVERIFY2(broken.empty(), fmt::format("{}: {} / {}", broken, first, second).c_str());
            QVERIFY(pair.ids.size() <= longest);
            QCOMPARE(pair.cut, pair.ids.size() < whole.ids.size());
            QVERIFY(!firstInvalidUtf8(subject->decode(whole.ids)));
        }
    }

    void bytesAreTextOrAnError_data() { addFolders(); }

    void bytesAreTextOrAnError()
    {
        const auto subject = tokenizer();
        RandomTexts texts(2);
        for (int i = 0; i < 1500; ++i) {
            const std::string bytes = texts.bytes();
            QCOMPARE(subject->encodeSource(bytes).isOk(), !firstInvalidUtf8(bytes).has_value());
        }
    }

    void everyVisibleCharacterIsCovered_data() { addFolders(); }

    /// Of texts that lose nothing on the way, all but blanks belongs to some piece.
    void everyVisibleCharacterIsCovered()
    {
        const auto subject = tokenizer();
        for (const std::string text : {"the cat, UNwantéd 中国 it's 12½ €", "a—b…c hello שלום 😀 한국어 x"}) {
            std::vector<bool> covered(text.size());
            const Encoding encoding = subject->encodeSource(text).valueOrThrow();
            for (std::size_t i = 0; i < encoding.spans.size(); ++i)
                for (std::size_t at = encoding.spans[i].begin; at < encoding.spans[i].end; ++at)
                    covered[at] = true;
            for (std::size_t at = 0; at < text.size(); ++at)
                QVERIFY2(covered[at] || text[at] == ' ', fmt::format("byte {} of {}", at, text).c_str());
        }
    }

    void decodingGivesTheTextBack_data()
    {
        QTest::addColumn<QString>("folder");
        for (const char *folder : {"roberta/files", "roberta/json"})
            QTest::newRow(folder) << QString::fromLatin1(folder);
    }

    /// Byte-level tokenizers lose nothing but what clean-up takes and what is special.
    void decodingGivesTheTextBack()
    {
        const auto subject = tokenizer();
        RandomTexts texts(3);
        for (int i = 0; i < 3000; ++i) {
            const std::string text = texts.next();
            if (text.find_first_of("<',") == std::string::npos)
                QCOMPARE(QString::fromStdString(subject->decode(subject->encodeSource(text).valueOrThrow().ids)),
                         QString::fromStdString(text));
        }
    }

    void sameAnswerFromSeveralThreads_data() { addFolders(); }

    void sameAnswerFromSeveralThreads()
    {
        const auto subject = tokenizer();
        const auto encodeAll = [&subject] {
            RandomTexts texts(4);
            std::vector<std::vector<std::int64_t>> ids;
            for (int i = 0; i < 400; ++i)
                ids.push_back(subject->encodeSource(texts.next()).valueOrThrow().ids);
            return ids;
        };
        const auto expected = encodeAll();
        std::vector<std::vector<std::vector<std::int64_t>>> found(4);
        std::vector<std::thread> threads;
        for (auto &ids : found)
            threads.emplace_back([&] { ids = encodeAll(); });
        for (std::thread &thread : threads)
            thread.join();
        for (const auto &ids : found)
            QVERIFY(ids == expected);
    }
};

QTEST_GUILESS_MAIN(TestTokenizerProperties)
#include "tst_tokenizerproperties.moc"
