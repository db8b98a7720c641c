#include "core/base/headref.h"

#include <QTest>

using namespace headscope;

class TestHeadRef : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void textGoesBothWays();
    void badTextIsRefused_data();
    void badTextIsRefused();
    void layoutOrdersByKindLayerHead();
    void layoutKnowsGaps();
    void masksAreSets();
    void tablesAddressByHead();
};

void TestHeadRef::textGoesBothWays()
{
    const HeadRef head{HeadKind::Cross, 2, 6};
    QCOMPARE(toText(head), std::string("cross.2.6"));
    QVERIFY(parseHeadRef("cross.2.6").value() == head);
    const auto mask = parseHeadMask("cross.2.1,encoder.0.3");
    QVERIFY(mask.isOk());
    QCOMPARE(toText(mask.value()), std::string("encoder.0.3,cross.2.1"));
    QVERIFY(parseHeadMask("").value().empty());
}

void TestHeadRef::badTextIsRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char *text : {"", "encoder", "encoder.1", "encoder.1.", "encoder.-1.2", "encoder.1.2.3", "middle.1.2",
                             "encoder.1.x", "encoder.99999999999.0", " encoder..1"})
        QTest::newRow(*text == '\0' ? "empty" : text) << QByteArray(text);
}

void TestHeadRef::badTextIsRefused()
{
    QFETCH(QByteArray, text);
    const auto head = parseHeadRef(text.toStdString());
    QVERIFY(head.isError());
    QVERIFY(!head.error().message.empty());
}

void TestHeadRef::layoutOrdersByKindLayerHead()
{
    const HeadLayout layout({{HeadKind::Decoder, {{0, 1}}}, {HeadKind::Encoder, {{0}, {0, 1}}}});
    std::vector<std::string> heads;
    for (const HeadRef &head : layout.heads())
        heads.push_back(toText(head));
    const std::vector<std::string> expected
        = {"encoder.0.0", "encoder.1.0", "encoder.1.1", "decoder.0.0", "decoder.0.1"};
    QVERIFY(heads == expected);
    QCOMPARE(layout.size(), 5);
}

void TestHeadRef::layoutKnowsGaps()
{
    const HeadLayout layout({{HeadKind::Encoder, {{0, 2, 5}}}});
    QVERIFY(layout.contains({HeadKind::Encoder, 0, 5}));
    QVERIFY(!layout.contains({HeadKind::Encoder, 0, 1}));
    QCOMPARE(layout.indexOf({HeadKind::Encoder, 0, 2}), 1);
    QCOMPARE(layout.indexOf({HeadKind::Cross, 0, 0}), -1);
    QVERIFY(layout.block(HeadKind::Cross) == nullptr);
}

void TestHeadRef::masksAreSets()
{
    HeadMask mask;
    const HeadRef head{HeadKind::Encoder, 1, 1};
    mask.toggle(head);
    QVERIFY(mask.isMasked(head));
    mask.set(head, true);
    QCOMPARE(mask.size(), 1);
    mask.toggle(head);
    QVERIFY(mask.empty());
}

void TestHeadRef::tablesAddressByHead()
{
    HeadTable<double> table(HeadLayout({{HeadKind::Encoder, {{0, 2}, {1}}}}), 0.5);
    table.at({HeadKind::Encoder, 0, 2}) = 7;
    QCOMPARE(table.values(), (std::vector<double>{0.5, 7, 0.5}));
    QVERIFY(!table.contains({HeadKind::Encoder, 1, 0}));
}

QTEST_APPLESS_MAIN(TestHeadRef)
#include "tst_headref.moc"
