#include "core/formats/yaml.h"

#include <QTest>

#include <string>

using namespace headscope;

namespace {

std::string refusal(const std::string &text)
{
    const auto read = parseYaml(text, "x.yml");
    return read.isError() ? read.error().message : std::string("read without complaint");
}

} // namespace

class TestYaml : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void valuesHaveTheirKinds()
    {
        const auto read = parseYaml("# options\n"
                                    "type: transformer\n"
                                    "dim-vocabs:\n"
                                    "  - 32000\n"
                                    "  - 31\n"
                                    "empty: []\n"
                                    "normalize: 0.6\n"
                                    "small: -1e-3\n"
                                    "plus: +4\n"
                                    "skip: false\n"
                                    "tied: True\n"
                                    "before: \"\"\n"
                                    "quoted: '12'\n"
                                    "n: n\n"
                                    "nothing: ~\n"
                                    "version: v1.9.0 ba91b39 2020-06-15 11:26:04 -0700\n"
                                    "inner: {a: 1, b: [x]}\n",
                                    "x.yml")
                              .valueOrThrow();
        const auto expected = nlohmann::json::parse(R"({
            "type": "transformer", "dim-vocabs": [32000, 31], "empty": [], "normalize": 0.6, "small": -0.001,
            "plus": 4, "skip": false, "tied": true, "before": "", "quoted": "12", "n": "n", "nothing": null,
            "version": "v1.9.0 ba91b39 2020-06-15 11:26:04 -0700", "inner": {"a": 1, "b": ["x"]}})");
        QVERIFY2(read == expected, read.dump().c_str());
    }

    void keysAreTextAsTheyAreWritten()
    {
        // Pieces of a vocabulary that YAML would take for something else.
        const auto read = parseYaml("</s>: 0\n"
                                    "true: 1\n"
                                    "~: 2\n"
                                    "1_000: 3\n"
                                    "1000: 4\n"
                                    "\"\\\"\": 5\n"
                                    "'it''s': 6\n"
                                    "\"\\u2581the\": 7\n"
                                    "\xE2\x96\x81: 8\n"
                                    "\"#\": 9\n"
                                    "? long\n: 10\n"
                                    "\"\\x85\": 11\n",
                                    "vocab.yml")
                              .valueOrThrow();
        int id = 0;
        for (const char *piece :
             {"</s>", "true", "~", "1_000", "1000", "\"", "it's", "\u2581the", "\u2581", "#", "long", "\u0085"})
            QVERIFY2(read.value(piece, -1) == id++, piece);
        QCOMPARE(read.size(), std::size_t(12));
    }

    void emptyDocumentsAreNull()
    {
        QVERIFY(parseYaml("", "x.yml").valueOrThrow().is_null());
        QVERIFY(parseYaml("# nothing\n", "x.yml").valueOrThrow().is_null());
    }

    void whatIsNotReadIsNamed_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("open list") << QByteArray("a: [1, 2\n") << QByteArray("x.yml is not YAML");
        QTest::newRow("tabs") << QByteArray("a:\n\t- 1\n") << QByteArray("line 2");
        QTest::newRow("no UTF-8") << QByteArray("a: \xFF\xFE\n") << QByteArray("at byte 3");
        QTest::newRow("control character") << QByteArray("a: \x01\n") << QByteArray("at byte 3");
        QTest::newRow("alias") << QByteArray("a: &x [1]\nb: *x\n") << QByteArray("line 2: aliases");
        QTest::newRow("twice") << QByteArray("a: 1\nb: 2\na: 3\n")
                               << QByteArray("line 3: the key \"a\" is there twice");
        QTest::newRow("list as key") << QByteArray("[1]: 2\n") << QByteArray("a key must be text");
        QTest::newRow("second document") << QByteArray("a: 1\n---\nb: 2\n") << QByteArray("second document");
        QTest::newRow("deep") << QByteArray(60, '[') + QByteArray(60, ']') << QByteArray("more than 50 levels");
    }

    void whatIsNotReadIsNamed()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, said);
        const auto message = QByteArray::fromStdString(refusal(text.toStdString()));
        QVERIFY2(message.contains(said), message.constData());
        QVERIFY2(message.startsWith("x.yml"), message.constData());
    }
};

QTEST_APPLESS_MAIN(TestYaml)
#include "tst_yaml.moc"
