#include "core/tokenize/sentencepiece.h"
#include "core/tokenize/spmcheck.h"
#include "tests/core/tokenize/spmmodel.h"
#include "tests/support/shareddata.h"

#include <QTest>

using namespace headscope;
using namespace headscope::testing;

namespace {

SentencePiece load(const SpmModel &model)
{
    return SentencePiece::fromBytes(serialize(model), "test model").valueOrThrow();
}

QString joined(const SentencePiece &model, const char *text)
{
    QStringList pieces;
    for (const auto &piece : model.encode(text))
        pieces.append(QString::fromStdString(piece.text) + u':' + QString::number(piece.id));
    return pieces.join(u' ');
}

/// The smallest double array: 256 units of which only the root is used.
std::string charsMap(std::uint32_t rootUnit, std::uint32_t trieBytes, const std::string &replacements)
{
    std::string map(4, '\0');
    std::memcpy(map.data(), &trieBytes, 4);
    std::string units(1024, '\0');
    std::memcpy(units.data(), &rootUnit, 4);
    return map + units + replacements;
}

} // namespace

class TestSentencePiece : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void unigramChoosesTheBestSum()
    {
        const auto model = load(smallModel({"▁a", "b", "▁ab", "▁", "a", "c"}));
        QCOMPARE(model.pieceCount(), 9);
        // ▁ab −2.5 beats ▁a + b = −1.5 − 2.0
        QCOMPARE(joined(model, "ab"), QStringLiteral("▁ab:5"));
        QCOMPARE(joined(model, "  ab   a "), QStringLiteral("▁ab:5 ▁a:3"));
    }

    void unknownCharactersMergeAndKeepTheirText()
    {
        const auto model = load(smallModel({"▁", "a"}));
        QCOMPARE(joined(model, "aéña"), QStringLiteral("▁:3 a:4 éñ:0 a:4"));
        QCOMPARE(model.idOf("éñ"), 0);
        QCOMPARE(model.idOf("a"), 4);
        QCOMPARE(model.piece(4), std::string("a"));
    }

    void userDefinedPiecesWin()
    {
        SpmModel model = smallModel({"▁", "a", "b", "ab", "abc", "c"});
        model.pieces.push_back({"bc", 0, PieceType::UserDefined});
        QCOMPARE(joined(load(model), "abc"), QStringLiteral("▁:3 a:4 bc:9"));
    }

    void bytesStandForUnknownCharacters()
    {
        SpmModel model = smallModel({"▁", "a"});
        model.byteFallback = true;
        for (int byte = 0; byte < 256; ++byte)
            model.pieces.push_back({QString::asprintf("<0x%02X>", byte).toStdString(), 0, PieceType::Byte});
        const auto loaded = load(model);
        QCOMPARE(joined(loaded, "aé"), QStringLiteral("▁:3 a:4 <0xC3>:200 <0xA9>:174"));
        const std::string pieces[] = {"▁", "a", "<0xC3>", "<0xA9>"};
        QCOMPARE(loaded.decode(pieces), std::string("aé"));
    }

    void decodingJoinsPieces()
    {
        const auto model = load(smallModel({"▁a", "b", "▁"}));
        const std::string known[] = {"▁a", "b", "▁a", "</s>"};
        QCOMPARE(model.decode(known), std::string("ab a"));
        const std::string unknown[] = {"▁a", "<unk>"};
        QCOMPARE(model.decode(unknown), std::string("a ⁇ "));
        const std::string foreign[] = {"▁a", "▁zut"};
        QCOMPARE(model.decode(foreign), std::string("a▁zut")); // as the library does
        QCOMPARE(model.decode({}), std::string());
    }

    void emptyTextHasNoPieces() { QVERIFY(load(smallModel({"▁", "a"})).encode("").empty()); }

    void damagedModelsAreRefused_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char *name, const std::string &bytes, const char *reason) {
            QTest::newRow(name) << QByteArray::fromStdString(bytes) << QByteArray(reason);
        };
        const std::string good = serialize(smallModel({"▁", "a"}));
        row("empty", "", "no pieces");
        row("text", "hello world, this is no model", "");
        row("cut", good.substr(0, good.size() - 3), "cut off");
        row("length beyond the end", "\x0A\xFF\xFF\xFF\x7F", "cut off");
        row("endless number", std::string(20, '\xFF'), "cut off");
        row("group", std::string("\x0B\x0C"), "cut off");
        SpmModel model = smallModel({"▁", "a"});
        model.pieces[0].type = PieceType::Normal;
        row("no unknown piece", serialize(model), "0 unknown pieces");
        model = smallModel({"▁", "a"});
        model.pieces[1].type = PieceType::Unknown;
        row("two unknown pieces", serialize(model), "2 unknown pieces");
        row("empty piece", serialize(smallModel({"▁", ""})), "piece 4");
        row("piece that is not UTF-8", serialize(smallModel({"▁", "\xFF"})), "piece 4");
        row("piece twice", serialize(smallModel({"▁", "a", "a"})), "");
        model = smallModel({"▁", "a"});
        model.charsMap = charsMap(0, 1u << 30, std::string(1, '\0'));
        row("table longer than the file", serialize(model), "normalisation");
        model.charsMap = charsMap(0xFFFu << 10, 1024, std::string(1, '\0'));
        row("link outside the table", serialize(model), "normalisation");
        model.charsMap = charsMap(0, 1024, "no end");
        row("replacement without end", serialize(model), "normalisation");
    }

    void damagedModelsAreRefused()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, reason);
        const auto model = SentencePiece::fromBytes(bytes.toStdString(), "x.spm");
        QVERIFY(model.isError());
        QCOMPARE(model.error().code, ErrorCode::BadInput);
        QVERIFY2(model.error().message.starts_with("x.spm is not a SentencePiece model: "),
                 model.error().message.c_str());
        QVERIFY2(model.error().message.find(reason.toStdString()) != std::string::npos, model.error().message.c_str());
    }

    void harmlessTableIsAccepted()
    {
        SpmModel model = smallModel({"▁", "a"});
        model.charsMap = charsMap(0, 1024, std::string(1, '\0'));
        QVERIFY(checkSentencePieceModel(serialize(model), "x").isOk());
    }

    void noCutIsACrash()
    {
        const std::string good = serialize(smallModel({"▁", "a", "b"}));
        for (std::size_t size = 0; size < good.size(); ++size)
            (void)SentencePiece::fromBytes(good.substr(0, size), "x").isOk();
        for (std::size_t at = 0; at < good.size(); ++at) {
            std::string changed = good;
            changed[at] = static_cast<char>(changed[at] ^ 0x55);
            const auto model = SentencePiece::fromBytes(changed, "x");
            if (model.isOk())
                (void)model.value().encode("a b c");
        }
    }

    void realModelsPassTheCheck()
    {
        const auto folder = sharedData("data/spm_models");
        if (folder.empty())
            QSKIP("the real models are not on this machine (HEADSCOPE_SHARED)");
        int models = 0;
        for (const auto &file : std::filesystem::directory_iterator(folder)) {
            if (file.path().extension() != ".model")
                continue;
            ++models;
            const auto model = SentencePiece::load(file.path());
            QVERIFY2(model.isOk(), model.isError() ? model.error().message.c_str() : "");
            const auto pieces = model.value().encode("Hello  world");
            QVERIFY(pieces.size() >= 2);
            std::vector<std::string> texts;
            for (const auto &piece : pieces)
                texts.push_back(piece.text);
            QVERIFY(QString::fromStdString(model.value().decode(texts)).compare(u"hello world", Qt::CaseInsensitive)
                    == 0);
        }
        QVERIFY(models > 0);
    }

    void missingFileIsNamed()
    {
        const auto model = SentencePiece::load("/no/such/source.spm");
        QVERIFY(model.isError());
        QVERIFY(model.error().message.find("/no/such/source.spm") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestSentencePiece)
#include "tst_sentencepiece.moc"
