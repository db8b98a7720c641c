// Where heads attend to a token, a part of speech and an offset: heads that were built by hand, whose places are known.
#include "core/analysis/findspec.h"
#include "core/exporting/csv.h"
#include "core/formats/atomicfile.h"
#include "core/results/findresult.h"
#include "core/session/session.h"
#include "tests/core/roles/onehotworld.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

namespace {

std::string addressOf(OneHotWorld::Head head)
{
    return "encoder.0." + std::to_string(static_cast<int>(head));
}

bool isNear(double a, double b)
{
    return std::abs(a - b) < 1e-6;
}

} // namespace

class TestFind final : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    std::string path(const char *name) const { return m_folder.filePath(QString::fromLatin1(name)).toStdString(); }
    /// Of a file with this content.
    std::shared_ptr<Session> opened(const char *file, const std::string &content) const
    {
        OneHotWorld::write(path("onehot"));
        (void)writeFileAtomically(path(file), content).valueOrThrow();
        std::shared_ptr<Session> session = Session::open(path("onehot"), {}, {}).valueOrThrow();
        DataSource source;
        if (std::string(file).ends_with(".conllu"))
            source.conllu = path(file);
        else
            source.table = path(file);
        (void)session->setData(Domain::In, source, {}).valueOrThrow();
        return session;
    }
    std::shared_ptr<Session> lines() const
    {
        return opened("lines.tsv", "sentence\tlabel\nw30 w40 w50\tno\nw31 w41\tno\nw50 w60 w30 w50\tno\n");
    }
    static FindResult found(Session &session, const FindSpec &spec)
    {
        return session.run(Domain::In, spec, {}).valueOrThrow();
    }
    static std::string refusal(Session &session, const FindSpec &spec)
    {
        const auto result = session.run(Domain::In, spec, {});
        return result.isError() ? result.error().message : std::string();
    }

private Q_SLOTS:
    void aTokenIsFoundWhereItIs()
    {
        const auto session = lines();
        // After the first w50 of the third text comes w60, which looks at the token before it.
        FindSpec spec;
        spec.head = addressOf(OneHotWorld::Previous);
        spec.token = "w50";
        const FindResult result = found(*session, spec);
        QCOMPARE(result.examples, std::int64_t{3});
        QCOMPARE(result.matching, std::int64_t{2}); // the second text has no w50
        QCOMPARE(result.places.size(), 2U);
        const FoundPlace &best = result.places.front();
        QCOMPARE(best.index, std::int64_t{2});
        QVERIFY(isNear(best.weight, 1) && best.query == 2 && best.key == 1);
        QCOMPARE(best.queryToken, std::string("w60"));
        QCOMPARE(best.keyToken, std::string("w50"));
        QCOMPARE(best.text, std::string("w50 w60 w30 w50"));
        QVERIFY(result.places[1].weight < 1e-6); // in the first text only [SEP] follows it, which is no word
        QVERIFY(isNear(result.meanWeight, 0.5));
        QCOMPARE(result.what, std::string("token w50"));
    }

    void offsetsAndAnyToken()
    {
        const auto session = lines();
        FindSpec spec;
        spec.head = addressOf(OneHotWorld::Next);
        spec.offset = 1;
        const FindResult next = found(*session, spec);
        QCOMPARE(next.matching, std::int64_t{3});
        for (const FoundPlace &place : next.places)
            QVERIFY(isNear(place.weight, 1) && place.key == place.query + 1);
        QCOMPARE(next.places[0].index, std::int64_t{0}); // equal weights: in the order of the data
        spec.offset = -1;
        for (const FoundPlace &place : found(*session, spec).places)
            QVERIFY(place.weight < 1e-6);
        spec.offset.reset();
        spec.places = 1;
        const FindResult any = found(*session, spec);
        QCOMPARE(any.places.size(), 1U);
        QCOMPARE(any.matching, std::int64_t{3});
        QVERIFY(isNear(any.places[0].weight, 1));
        spec.head = addressOf(OneHotWorld::Separator);
        spec.token = "[SEP]"; // special tokens by name only
        spec.places = 50;
        const FindResult separator = found(*session, spec);
        QCOMPARE(separator.matching, std::int64_t{3});
        QVERIFY(isNear(separator.places[2].weight, 1) && separator.places[0].key == 4);
    }

    void partsOfSpeechNeedTrees()
    {
        const auto word = [](int number, const char *form, const char *tag, int head) {
            return std::to_string(number) + '\t' + form + "\t_\t" + tag + "\t_\t_\t" + std::to_string(head) + '\t'
                 + (head == 0 ? "root" : "nsubj") + "\t_\t_\n";
        };
        const auto session
            = opened("trees.conllu", "# text = w11 w35 w21\n" + word(1, "w11", "NOUN", 3) + word(2, "w35", "ADV", 3)
                                         + word(3, "w21", "VERB", 0) + "\n# text = w36 w12\n" + word(1, "w36", "ADV", 2)
                                         + word(2, "w12", "NOUN", 0) + '\n');
        FindSpec spec;
        spec.head = addressOf(OneHotWorld::SubjectToVerb);
        spec.tag = "VERB";
        const FindResult verbs = found(*session, spec);
        QCOMPARE(verbs.matching, std::int64_t{1});
        QVERIFY(isNear(verbs.places[0].weight, 1) && verbs.places[0].query == 1 && verbs.places[0].key == 3);
        spec.tag = "PROPN";
        QVERIFY(refusal(*session, spec).find("tagged PROPN") != std::string::npos);
        QVERIFY(refusal(*lines(), spec).find("no trees") != std::string::npos);
    }

    void whatCannotBeLookedForIsRefused()
    {
        const auto session = lines();
        FindSpec spec;
        QVERIFY(refusal(*session, spec).find("--head") != std::string::npos);
        spec.head = "encoder.0.8";
        QVERIFY(refusal(*session, spec).find("--head encoder.0.8: the model has no such head") != std::string::npos);
        spec.head = "encoder.0.0";
        spec.token = "w50";
        spec.offset = 0;
        QVERIFY(refusal(*session, spec).find("one at a time") != std::string::npos);
    }

    void aSearchIsCancelled()
    {
        const auto session = lines();
        FindSpec spec;
        spec.head = addressOf(OneHotWorld::Next);
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(session->run(Domain::In, spec, JobControl(stop.get_token())).isCancelled());
    }

    void tableHasALinePerPlace()
    {
        FindSpec spec;
        spec.head = addressOf(OneHotWorld::Next);
        spec.token = "w50";
        const std::string csv = toCsv(found(*lines(), spec));
        QVERIFY(csv.starts_with("head,what,rank,index,weight,query,key,query_token,key_token,text\n"
                                "encoder.0.1,token w50,1,0,"));
        QCOMPARE(std::ranges::count(csv, '\n'), 3);
    }
};

QTEST_APPLESS_MAIN(TestFind)
#include "tst_find.moc"
