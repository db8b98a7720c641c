// The tree of prefixes that a beam search visited.
#include "core/task/prefixtree.h"

#include <QTest>

#include <set>

using namespace headscope;

class TestPrefixTree : public QObject
{
    Q_OBJECT

    /// 7 → 1 → 2 → 3, 7 → 1 → 4, 7 → 5 → 6 → 8 → 9, and 7 → 5 → 2
    static PrefixTree tree()
    {
        PrefixTree tree(7);
        for (const std::vector<std::int64_t> &sentence :
             {std::vector<std::int64_t>{1, 2, 3}, {1, 4}, {5, 6, 8, 9}, {5, 2}}) {
            std::int64_t node = 0;
            for (std::int64_t token : sentence)
                node = tree.child(node, token);
        }
        return tree;
    }

    static std::set<std::vector<std::int64_t>> sentences(const PrefixTree &tree)
    {
        std::set<std::vector<std::int64_t>> found;
        for (std::int64_t node = 0; node < tree.size(); ++node) {
            std::vector<std::int64_t> tokens;
            for (std::int64_t step : tree.path(node))
                tokens.push_back(tree.token(step));
            found.insert(tokens);
        }
        return found;
    }

private Q_SLOTS:
    void equalSentencesAreOneNode()
    {
        PrefixTree whole = tree();
        QCOMPARE(whole.size(), 10);
        const std::int64_t one = whole.find(0, 1);
        QCOMPARE(whole.child(0, 1), one);
        QCOMPARE(whole.size(), 10);
        QCOMPARE(whole.find(one, 9), -1);
        QCOMPARE(whole.depth(whole.find(one, 4)), 2);
        QCOMPARE(whole.parent(one), 0);
    }

    void chainsHoldEveryNodeOnce()
    {
        const PrefixTree whole = tree();
        const PrefixTree ordered = whole.inChains([](std::int64_t) { return true; });
        QCOMPARE(sentences(ordered), sentences(whole));
        const auto chains = ordered.chains();
        QCOMPARE(chains.size(), 4U);                                           // as many as there are leaves
        QCOMPARE(chains.front(), std::pair(std::int64_t(0), std::int64_t(5))); // the longest way begins at the start
        std::int64_t next = 0;
        for (const auto &[first, end] : chains) {
            QCOMPARE(first, next);
            for (std::int64_t node = first + 1; node < end; ++node)
                QCOMPARE(ordered.parent(node), node - 1);
            QVERIFY(ordered.parent(first) < first);
            next = end;
        }
        QCOMPARE(next, ordered.size());
    }

    void whatIsNotWantedIsLeftOut()
    {
        const PrefixTree whole = tree();
        const PrefixTree without = whole.inChains([&](std::int64_t node) { return whole.token(node) != 9; });
        auto expected = sentences(whole);
        expected.erase({7, 5, 6, 8, 9});
        QCOMPARE(sentences(without), expected);
        QCOMPARE(PrefixTree(3).inChains([](std::int64_t) { return false; }).size(), 1);
    }
};

QTEST_APPLESS_MAIN(TestPrefixTree)
#include "tst_prefixtree.moc"
