#include "core/formats/atomicfile.h"
#include "core/formats/jsonfile.h"

#include <QTemporaryDir>
#include <QTest>

#include <limits>

using namespace headscope;

class TestJsonFile : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void pythonLiteralsAreAccepted()
    {
        const auto json
            = parseJson("{\"a\": NaN, \"b\": [-Infinity, Infinity, 1], \"NaN\": \"Infinity \\\" NaN\", \"c\": -1}", "x")
                  .valueOrThrow();
        QVERIFY(json["a"].is_null());
        QCOMPARE(json["b"][0].get<double>(), std::numeric_limits<double>::lowest());
        QCOMPARE(json["b"][1].get<double>(), std::numeric_limits<double>::max());
        QCOMPARE(json["NaN"].get<std::string>(), std::string("Infinity \" NaN"));
        QCOMPARE(json["c"].get<int>(), -1);
    }

    void hugeIntegersBecomeDoubles()
    {
        const auto json = parseJson("1000000000000000019884624838656", "x").valueOrThrow();
        QCOMPARE(json.get<double>(), 1e30);
    }

    void badJsonIsExplained_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("reason");
        QTest::newRow("empty") << QByteArray() << QByteArray("line 1");
        QTest::newRow("open") << QByteArray("{\n\"a\": 1,") << QByteArray("line 2");
        QTest::newRow("two values") << QByteArray("{}{}") << QByteArray("line 1");
        QTest::newRow("open string") << QByteArray("\"abc\\") << QByteArray("line 1");
        QTest::newRow("too deep") << QByteArray(1'000'000, '[') << QByteArray("128 levels");
        QTest::newRow("comment") << QByteArray("// no\n1") << QByteArray("line 1");
    }

    void badJsonIsExplained()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, reason);
        const auto json = parseJson(text.toStdString(), "config.json");
        QVERIFY(json.isError());
        QCOMPARE(json.error().code, ErrorCode::BadInput);
        QVERIFY2(json.error().message.starts_with("config.json"), json.error().message.c_str());
        QVERIFY2(json.error().message.find(reason.toStdString()) != std::string::npos, json.error().message.c_str());
        QVERIFY(json.error().message.find("json.exception") == std::string::npos);
    }

    void depthOfBracketsInTextDoesNotCount()
    {
        const std::string text = '"' + std::string(1000, '[') + '"';
        QVERIFY(parseJson(text, "x").isOk());
        QVERIFY(parseJson(std::string(128, '[') + std::string(128, ']'), "x").isOk());
    }

    void filesAreReadAndNamed()
    {
        const QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString()) / "config.json";
        QVERIFY(readJsonFile(path).error().message.find(path.string()) != std::string::npos);
        (void)writeFileAtomically(path, "\xEF\xBB\xBF{\"a\": 1}\r\n").valueOrThrow();
        QCOMPARE(readJsonFile(path).valueOrThrow()["a"].get<int>(), 1);
        QVERIFY(readJsonFile(path, 4).isError());
        (void)writeFileAtomically(path, "{\"a\": \"\xFF\"}").valueOrThrow();
        QVERIFY(readJsonFile(path).error().message.find("UTF-8") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestJsonFile)
#include "tst_jsonfile.moc"
