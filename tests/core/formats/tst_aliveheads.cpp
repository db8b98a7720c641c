#include "core/formats/aliveheads.h"
#include "core/formats/atomicfile.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <string>

using namespace headscope;

/// Matrices of open heads as Voita et al.'s code has them.
class TestAliveHeads : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    static HeadLayout layout()
    {
        return HeadLayout(
            {{HeadKind::Encoder, {{0, 1, 2}, {0, 2}}}, {HeadKind::Cross, {{0, 1}}}, {HeadKind::Decoder, {{0}}}});
    }
    std::filesystem::path written(const std::string &text) const
    {
        const std::filesystem::path file = std::filesystem::path(m_folder.path().toStdString()) / "alive.json";
        (void)writeFileAtomically(file, text);
        return file;
    }

private Q_SLOTS:
    void matricesAreThoseOfTheirCode()
    {
        const HeadMask closed = parseHeadMask("encoder.0.1,encoder.1.2,decoder.0.0").valueOrThrow();
        QCOMPARE(aliveHeads(closed, layout()).dump(),
                 std::string(R"({"enc-self":[[1,0,1],[1,0,0]],"dec-enc":[[1,1]],"dec-self":[[0]]})"));
        QVERIFY(readAliveHeads(written(aliveHeads(closed, layout()).dump()), layout()).valueOrThrow() == closed);
        QVERIFY(readAliveHeads(written(aliveHeads({}, layout()).dump()), layout()).valueOrThrow().empty());
    }

    void kindsThatAreNotNamedAreOpen()
    {
        const auto mask = readAliveHeads(written(R"({"alive_heads": {"dec-enc": [[0, 1]]}})"), layout()).valueOrThrow();
        QCOMPARE(toText(mask), std::string("cross.0.0"));
    }

    void complaintsNameTheirPlace_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("no object") << "[1]"
                                   << "not a JSON object";
        QTest::newRow("kind") << R"({"enc": [[1]]})"
                              << "\"enc\" is not known";
        QTest::newRow("layers") << R"({"enc-self": [[1, 1, 1]]})"
                                << "needs 2 rows";
        QTest::newRow("short row") << R"({"enc-self": [[1, 1], [1, 1, 1]]})"
                                   << "has 2 numbers";
        QTest::newRow("no switch") << R"({"dec-self": [[2]]})"
                                   << "0 and 1";
        QTest::newRow("no list") << R"({"dec-self": [1]})"
                                 << "0 and 1";
        QTest::newRow("head that was removed") << R"({"enc-self": [[1, 1, 1], [1, 1, 1]]})"
                                               << "no head encoder.1.1";
        QTest::newRow("head too many") << R"({"dec-self": [[1, 1]]})"
                                       << "no head decoder.0.1";
    }
    void complaintsNameTheirPlace()
    {
        QFETCH(QString, text);
        QFETCH(QString, says);
        const auto result = readAliveHeads(written(text.toStdString()), layout());
        QVERIFY(result.isError());
        QVERIFY2(result.error().message.find(says.toStdString()) != std::string::npos, result.error().message.c_str());
        const HeadLayout encoder({{HeadKind::Encoder, {{0}}}});
        QVERIFY(readAliveHeads(written(R"({"dec-self": [[1]]})"), encoder).isError());
        QVERIFY(readAliveHeads("/no/such/file.json", layout()).isError());
    }
};

QTEST_GUILESS_MAIN(TestAliveHeads)
#include "tst_aliveheads.moc"
