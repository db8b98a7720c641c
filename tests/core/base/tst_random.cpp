#include "core/base/random.h"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

using namespace headscope;

/// Expected numbers: NumPy's default_rng, run.
class TestRandom : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void rawNumbersAreNumPys();
    void boundedNumbersAreNumPys();
    void bitsAreNumPys();
    void largeSeedsUseBothWords();
    void oneChoiceConsumesNothing();
    void shuffleKeepsTheItems();
};

void TestRandom::rawNumbersAreNumPys()
{
    Random random(12345);
    const std::vector<std::uint64_t> expected
        = {4193609425186963869ULL, 5843160025838961886ULL, 14708796524633321433ULL, 12474696839993944336ULL,
           7214697784736971533ULL, 6139333351517228867ULL, 11036848454483043741ULL, 3444637731644279391ULL};
    for (const std::uint64_t value : expected)
        QCOMPARE(random.next64(), value);
    // default_rng(12345).random()
    QCOMPARE(Random(12345).uniform(), 0.22733602246716966);
}

void TestRandom::boundedNumbersAreNumPys()
{
    Random thousand(12345);
    for (const std::uint32_t value : {699U, 227U, 788U, 316U, 204U, 797U, 642U, 676U, 988U, 391U})
        QCOMPARE(thousand.below(1000), value);
    Random three(12345);
    for (const std::uint32_t value : {2U, 0U, 2U, 0U, 0U, 2U, 1U, 2U, 2U, 1U, 2U, 0U})
        QCOMPARE(three.below(3), value);
}

void TestRandom::bitsAreNumPys()
{
    RandomBits bits(12345);
    const std::string expected = "10111001100000111111111101001101";
    std::string found;
    for (std::size_t i = 0; i < expected.size(); ++i)
        found += bits.next() ? '1' : '0';
    QCOMPARE(found, expected);
}

void TestRandom::largeSeedsUseBothWords()
{
    // default_rng(2**40 + 7).choice(1000, 6)
    Random random((1ULL << 40) + 7);
    for (const std::uint32_t value : {206U, 829U, 609U, 255U, 17U, 153U})
        QCOMPARE(random.below(1000), value);
}

void TestRandom::oneChoiceConsumesNothing()
{
    Random random(12345);
    QCOMPARE(random.below(1), 0U);
    QCOMPARE(random.next64(), 4193609425186963869ULL);
}

void TestRandom::shuffleKeepsTheItems()
{
    std::vector<int> items(50);
    std::iota(items.begin(), items.end(), 0);
    const std::vector<int> sorted = items;
    Random random(1);
    shuffle(items, random);
    QVERIFY(items != sorted);
    std::sort(items.begin(), items.end());
    QCOMPARE(items, sorted);
}

QTEST_APPLESS_MAIN(TestRandom)
#include "tst_random.moc"
