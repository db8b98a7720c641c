// How BLEU cuts references into words: as sacreBLEU does for the language that the model writes, or as it is asked to.
#include "core/task/bleuchoice.h"

#include <QTest>

#include <string>
#include <vector>

using namespace headscope;

namespace {

/// A tokenizer of which nothing is asked but the language that its model writes.
class OfLanguage final : public Tokenizer
{
public:
    explicit OfLanguage(const char *code) { setTargetLanguage(code); }
    Result<Encoding> encodeSource(std::string_view) const override { return Encoding(); }
    std::string decode(std::span<const std::int64_t>) const override { return {}; }
    std::string pieceText(std::int64_t) const override { return {}; }
    bool isSpecial(std::int64_t) const override { return false; }
    std::int64_t vocabularySize() const override { return 1; }
    std::string description() const override { return {}; }
};

Dataset referencesOf(const char *reference)
{
    Dataset data;
    data.examples.resize(3);
    for (Example &example : data.examples)
        example.reference = reference;
    return data;
}

} // namespace

class TestBleuChoice : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void languagesHaveTheirTokenizer_data()
    {
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<int>("tokenizer");
        QTest::addColumn<QByteArray>("note");
        const auto row = [](const char *code, BleuTokenizer tokenizer, const char *note) {
            QTest::newRow(code) << QByteArray(code) << static_cast<int>(tokenizer) << QByteArray(note);
        };
        row("fr", BleuTokenizer::V13a, "");
        row("zh_CN", BleuTokenizer::Zh, "");
        row("zho_Hans", BleuTokenizer::Zh, "");
        row("yue_Hant", BleuTokenizer::Zh, "");
        row("ja", BleuTokenizer::Char, "ja-mecab");
        row("tha_Thai", BleuTokenizer::Char, "--bleu-tokenize");
        row("ko_KR", BleuTokenizer::V13a, "ko-mecab");
    }

    void languagesHaveTheirTokenizer()
    {
        QFETCH(QByteArray, code);
        QFETCH(int, tokenizer);
        QFETCH(QByteArray, note);
        const OfLanguage language(code.constData());
        std::vector<std::string> notes;
        const auto chosen = bleuOptionsFor(referencesOf("Ein Satz mit Worten."), &language, notes);
        QCOMPARE(static_cast<int>(chosen.value().tokenizer), tokenizer);
        QCOMPARE(notes.empty(), note.isEmpty());
        QVERIFY(note.isEmpty() || notes.front().find(note.toStdString()) != std::string::npos);
    }

    void textsWithoutBlanksGetANote()
    {
        std::vector<std::string> notes;
        QVERIFY(bleuOptionsFor(referencesOf("一个男人在红色的公园里跑步"), nullptr, notes).value().tokenizer
                == BleuTokenizer::V13a);
        QCOMPARE(notes.size(), 1U);
        notes.clear();
        (void)bleuOptionsFor(referencesOf("un homme court"), nullptr, notes).value();
        QVERIFY(notes.empty());
    }

    /// What is asked for holds for any language, and what there is not is refused by its name.
    void askedOnesHold()
    {
        const OfLanguage chinese("zh");
        const auto asked = [&](const char *name) {
            Dataset data = referencesOf("un homme");
            data.origin.bleuTokenize = name;
            std::vector<std::string> notes;
            return bleuOptionsFor(data, &chinese, notes);
        };
        QVERIFY(asked("13a").value().tokenizer == BleuTokenizer::V13a);
        QVERIFY(asked("none").value().tokenizer == BleuTokenizer::None);
        QVERIFY(asked("char").value().tokenizer == BleuTokenizer::Char);
        for (const char *name : {"ja-mecab", "intl", "13b", "flores200", "flores200:/no/such/file"}) {
            const auto refused = asked(name);
            QVERIFY(refused.isError());
            QVERIFY2(
                refused.error().message.find(name == std::string("flores200:/no/such/file") ? "/no/such/file" : name)
                    != std::string::npos,
                refused.error().message.c_str());
        }
    }
};

QTEST_APPLESS_MAIN(TestBleuChoice)
#include "tst_bleuchoice.moc"
