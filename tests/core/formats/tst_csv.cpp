#include "core/formats/csv.h"

#include <QTest>

using namespace headscope;

class TestCsv : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void csv_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QList<QByteArrayList>>("rows");
        using Rows = QList<QByteArrayList>;
        QTest::newRow("empty") << QByteArray() << Rows{};
        QTest::newRow("plain") << QByteArray("a,b\n1,2\n") << Rows{{"a", "b"}, {"1", "2"}};
        QTest::newRow("windows, no last end") << QByteArray("a,b\r\n1,2") << Rows{{"a", "b"}, {"1", "2"}};
        QTest::newRow("empty fields") << QByteArray(",\n\"\",x\n") << Rows{{"", ""}, {"", "x"}};
        QTest::newRow("empty lines") << QByteArray("a\n\n\nb\n") << Rows{{"a"}, {"b"}};
        QTest::newRow("an empty text is a row") << QByteArray("a\n\"\"\n") << Rows{{"a"}, {""}};
        QTest::newRow("comma and quotes") << QByteArray("\"a, \"\"b\"\"\",c\n") << Rows{{"a, \"b\"", "c"}};
        QTest::newRow("line end inside") << QByteArray("\"a\r\nb\",c\n") << Rows{{"a\r\nb", "c"}};
        QTest::newRow("old Mac OS") << QByteArray("a,b\r\"1\r\",2") << Rows{{"a", "b"}, {"1\r", "2"}};
        QTest::newRow("quote in the middle") << QByteArray("5\" disk,c\n") << Rows{{"5\" disk", "c"}};
    }

    void csv()
    {
        QFETCH(QByteArray, text);
        QFETCH(QList<QByteArrayList>, rows);
        QList<QByteArrayList> found;
        for (const CsvRow &row : parseCsv(text.toStdString(), "x").valueOrThrow()) {
            QByteArrayList fields;
            for (const std::string &field : row)
                fields.append(QByteArray::fromStdString(field));
            found.append(fields);
        }
        QCOMPARE(found, rows);
    }

    void openQuoteIsPlaced()
    {
        const auto rows = parseCsv("a\n\"b\nc\",\nd,\"e\n", "x.csv");
        QVERIFY(rows.isError());
        QCOMPARE(rows.error().message, std::string("x.csv: the quotation mark opened in line 4 is never closed"));
    }

    void spreadsheetsQuoteTabs()
    {
        const auto rows = parseCsv("a, b\tc\n\"d\te\"\t\"f\"\"\ng\"\n", "x.tsv", '\t').valueOrThrow();
        QCOMPARE(rows, (std::vector<CsvRow>{{"a, b", "c"}, {"d\te", "f\"\ng"}}));
    }

    void tabsKnowNoQuotes()
    {
        const auto rows = parseTsv("a\tb\n\"x\t\"\n\ny\n");
        QCOMPARE(rows, (std::vector<CsvRow>{{"a", "b"}, {"\"x", "\""}, {"y"}}));
    }
};

QTEST_GUILESS_MAIN(TestCsv)
#include "tst_csv.moc"
