// A sweep that is stopped, killed or dealt out comes to the result of one that was not.
#include "core/engine/sweepjournal.h"
#include "core/results/json.h"
#include "core/session/session.h"
#include "core/session/sweeps.h"
#include "tests/support/tinyclassifier.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

class TestSweepJournal : public QObject
{
    Q_OBJECT

    static constexpr int kRows = 150;
    QTemporaryDir m_folder;
    DataSource m_data;

    fs::path path(const std::string &name) const { return fs::path(m_folder.path().toStdString()) / name; }

    /// A session that has computed nothing yet.
    std::shared_ptr<Session> session() const
    {
        auto opened = Session::open(path("model"), {}, {}).valueOrThrow();
        (void)opened->setData(Domain::In, m_data, {}).valueOrThrow();
        return opened;
    }

    Result<AblationResult> swept(const std::string &journal, Shard shard = {}, const JobControl &control = {}) const
    {
        AblationSpec spec{.resamples = 20};
        spec.journal = journal.empty() ? journal : path(journal).string();
        spec.shard = shard;
        // Somebody watches, as at the command line: early estimates must not stand for final ones.
        return session()->run(Domain::In, spec, control, [](const AblationResult &) {});
    }

    /// All but when and how long.
    static std::string content(const AblationResult &result)
    {
        Json value = toJson(result);
        value.erase("manifest");
        return value.dump();
    }

    static SweptBlock block(double value)
    {
        return {.columns = 2,
                .baseline = {value, 1, value, 0},
                .variants = {{.variant = 1, .changed = 1, .rows = {1}, .values = {value + 1, 1}}},
                .precision = {}};
    }

private Q_SLOTS:
    void initTestCase()
    {
        writeTinyClassifier(path("model"), {.layers = 2, .heads = 4, .width = 16, .labels = {"a", "b"}});
        writeTinyTable(path("table.tsv"), kRows, 3);
        m_data.table = path("table.tsv").string();
    }

    void blocksComeBack()
    {
        const SweepIdentity sweep{.key = "key", .variants = 2, .blocks = {2, 2, 2}};
        {
            const auto journal = SweepJournal::open(path("blocks"), sweep).valueOrThrow();
            QVERIFY(!journal->has(1));
            (void)journal->append(1, block(0.1)).valueOrThrow();
            const SweptBlock read = journal->read(1).valueOrThrow();
            QCOMPARE(read.baseline, block(0.1).baseline);
            QVERIFY(SweepJournal::open(path("blocks"), sweep).isError()); // one program at a time
        }
        const auto journal = SweepJournal::open(path("blocks"), sweep).valueOrThrow();
        QVERIFY(journal->has(1) && !journal->has(0) && !journal->has(2));
        const SweptBlock read = journal->read(1).valueOrThrow();
        QCOMPARE(read.variants.size(), 1U);
        QCOMPARE(read.variants.front().rows, std::vector<std::int64_t>{1});
        QCOMPARE(read.variants.front().values, (std::vector<double>{1.1, 1}));
    }

    void whatIsCutOffIsComputedAgain()
    {
        const std::string whole = content(swept("").valueOrThrow());
        QCOMPARE(content(swept("whole").valueOrThrow()), whole);
        for (const HeadAblation &head : swept("whole").valueOrThrow().heads)
            QVERIFY(head.randomization && !head.replicates.empty());
        const auto size = fs::file_size(path("whole"));
        for (const double share : {0.0, 0.2, 0.4, 0.7, 0.99, 1.0}) { // as a kill leaves it
            fs::copy_file(path("whole"), path("cut"), fs::copy_options::overwrite_existing);
            fs::resize_file(path("cut"), static_cast<std::uintmax_t>(share * static_cast<double>(size)));
            QCOMPARE(content(swept("cut").valueOrThrow()), whole);
            QCOMPARE(fs::file_size(path("cut")), size);
        }
    }

    /// A block that was computed would be written again.
    void whatIsThereIsNotComputedAgain()
    {
        (void)swept("again").valueOrThrow();
        std::ifstream before(path("again"), std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(before), {}};
        const auto result = swept("again").valueOrThrow();
        std::ifstream after(path("again"), std::ios::binary);
        QCOMPARE((std::string{std::istreambuf_iterator<char>(after), {}}), bytes);
        QCOMPARE(result.examples, kRows);
    }

    void cancelledSweepsGoOn()
    {
        std::stop_source stop;
        std::int64_t seen = 0;
        const JobControl control(stop.get_token(), [&](const Progress &progress) {
            seen = progress.done;
            if (progress.done > progress.total / 3)
                stop.request_stop();
        });
        QVERIFY(swept("stopped", {}, control).isCancelled());
        QVERIFY(seen > 0 && fs::file_size(path("stopped")) > 0);
        QCOMPARE(content(swept("stopped").valueOrThrow()), content(swept("").valueOrThrow()));
    }

    void shardsAddUp()
    {
        std::vector<fs::path> parts;
        std::int64_t examples = 0;
        for (std::int64_t k = 0; k < 3; ++k) {
            const std::string name = "part" + std::to_string(k);
            const AblationResult part = swept(name, {.index = k, .count = 3}).valueOrThrow();
            QVERIFY(part.manifest.partial);
            QVERIFY(part.examples > 0 && part.examples < kRows);
            examples += part.examples;
            parts.push_back(path(name));
        }
        QCOMPARE(examples, kRows);
        const auto missing = joinSweeps({parts[0], parts[2]}, path("missing"));
        QVERIFY(missing.isError() && missing.error().message.find("Missing blocks") != std::string::npos);
        QVERIFY(!fs::exists(path("missing")));
        (void)joinSweeps({parts[2], parts[0], parts[1], parts[0]}, path("joined")).valueOrThrow();
        (void)joinSweeps({parts[1], parts[2], parts[0]}, path("joined too")).valueOrThrow();
        QVERIFY(joinSweeps(parts, path("joined")).isError()); // it is there
        AblationResult joined = swept("joined").valueOrThrow();
        QVERIFY(!joined.manifest.partial);
        AblationResult whole = swept("").valueOrThrow();
        joined.products = whole.products = {}; // what was in doubt depends on how examples go together
        QCOMPARE(content(joined), content(whole));
    }

    void otherSweepsAreRefused()
    {
        (void)swept("mine").valueOrThrow();
        AblationSpec other{.allButOne = true, .resamples = 20};
        other.journal = path("mine").string();
        const auto result = session()->run(Domain::In, other, {});
        QVERIFY(result.isError() && result.error().message.find("another sweep") != std::string::npos);
        std::ofstream(path("text")) << "no journal at all, but long enough to be taken for the head of a record of one";
        const auto strange = swept("text");
        QVERIFY(strange.isError() && strange.error().message.find("not a journal of a sweep") != std::string::npos);
        QVERIFY(swept("", {.index = 0, .count = 2}).isError()); // nowhere to keep it
    }
};

QTEST_GUILESS_MAIN(TestSweepJournal)
#include "tst_sweepjournal.moc"
