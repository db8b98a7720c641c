// The vocabulary of a new BERT: what is learnt from texts is what its tokenizer reads them by.
#include "core/formats/textlines.h"
#include "core/tokenize/tokenizer.h"
#include "core/tokenize/trainbert.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace headscope;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> texts()
{
    std::vector<std::string> texts;
    for (const char *who : {"The sailor", "A gardener", "Zoë", "The old king"}) {
        for (const char *what : {"sings.", "is singing, again", "sang the king's song!", "has sung"}) {
            for (const char *when : {"today", "on Sunday", "in the garden"})
                texts.push_back(std::string(who) + " " + what + " " + when);
        }
    }
    return texts;
}

} // namespace

class TestTrainBert final : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path path(const char *name) const
    {
        const fs::path folder = fs::path(m_folder.path().toStdString()) / name;
        fs::create_directories(folder);
        return folder;
    }
    std::unique_ptr<Tokenizer> learn(const char *name, const SentencePieceTraining &settings) const
    {
        const std::int64_t size = trainBertTokenizer(path(name), texts(), settings).valueOrThrow();
        auto tokenizer = openTokenizer(path(name), {{"model_type", "bert"}}).valueOrThrow();
        if (tokenizer->vocabularySize() != size)
            qWarning("%d pieces are said, %d are there", static_cast<int>(size),
                     static_cast<int>(tokenizer->vocabularySize()));
        return tokenizer;
    }

private Q_SLOTS:
    void readsItsTexts_data()
    {
        QTest::addColumn<QString>("type");
        QTest::newRow("unigram") << QStringLiteral("unigram");
        QTest::newRow("bpe") << QStringLiteral("bpe");
    }
    void readsItsTexts()
    {
        QFETCH(QString, type);
        const auto tokenizer = learn(qPrintable(type), {.size = 120, .type = type.toStdString()});
        for (const std::string &text : texts()) {
            const Encoding encoding = tokenizer->encodePair(text, {}, 512).valueOrThrow();
            QCOMPARE(encoding.pieces.front(), std::string("[CLS]"));
            QCOMPARE(encoding.pieces.back(), std::string("[SEP]"));
            QVERIFY(std::ranges::find(encoding.ids, 1) == encoding.ids.end()); // [UNK]
            std::string spelt;
            for (std::size_t i = 1; i + 1 < encoding.pieces.size(); ++i)
                spelt += encoding.pieces[i].starts_with("##") ? encoding.pieces[i].substr(2) : encoding.pieces[i];
            std::string letters = text;
            std::erase(letters, ' ');
            QCOMPARE(spelt, letters);
        }
        // Frequent words are whole; a new word of known letters is spelt.
        const Encoding garden = tokenizer->encodePair("garden", {}, 512).valueOrThrow();
        QCOMPARE(garden.ids.size(), 3U);
        const Encoding strange = tokenizer->encodePair("rolias", {}, 512).valueOrThrow();
        QVERIFY(strange.ids.size() > 3 && std::ranges::find(strange.ids, 1) == strange.ids.end());
        const Encoding unknown = tokenizer->encodePair("Ж", {}, 512).valueOrThrow();
        QCOMPARE(unknown.ids.at(1), 1);
    }

    void piecesComeOnce()
    {
        (void)learn("once", {.size = 120});
        const auto lines = readLines(path("once") / "vocab.txt", {}, 1 << 20).valueOrThrow();
        const std::vector<std::string> first(lines.begin(), lines.begin() + 5);
        QVERIFY(first == (std::vector<std::string>{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}));
        QCOMPARE(std::set<std::string>(lines.begin(), lines.end()).size(), lines.size());
        QVERIFY(lines.size() <= 120);
        // The same texts give the same bytes; the size is kept to.
        (void)learn("again", {.size = 120});
        QVERIFY(readLines(path("again") / "vocab.txt", {}, 1 << 20).valueOrThrow() == lines);
    }

    void caseIsFoldedWhereAsked()
    {
        const auto kept = learn("cased", {.size = 150});
        QVERIFY(kept->encodePair("Sunday", {}, 512).valueOrThrow().ids
                != kept->encodePair("sunday", {}, 512).valueOrThrow().ids);
        const auto folded = learn("uncased", {.size = 150, .normalization = "nmt_nfkc_cf"});
        QVERIFY(folded->encodePair("Sunday", {}, 512).valueOrThrow().ids
                == folded->encodePair("sunday", {}, 512).valueOrThrow().ids);
        QVERIFY(folded->encodePair("Zoë", {}, 512).valueOrThrow().ids
                != folded->encodePair("Zoe", {}, 512).valueOrThrow().ids);
    }

    void nothingToLearnIsAnError()
    {
        const std::vector<std::string> empty{"", "  "};
        QVERIFY(trainBertTokenizer(path("empty"), empty, {.size = 100}).isError());
    }
};

QTEST_GUILESS_MAIN(TestTrainBert)
#include "tst_trainbert.moc"
