#include "core/data/labels.h"
#include "tests/core/data/files.h"
#include "tests/support/shareddata.h"

#include <archive.h>
#include <archive_entry.h>

#include <QTest>

#include <map>
#include <memory>

using namespace headscope;
using namespace headscope::testing;

namespace {

using Names = std::vector<std::string>;

const Names kSentiment = {"NEGATIVE", "POSITIVE"};
const Names kNli = {"entailment", "neutral", "contradiction"};

/// One file out of a zip archive.
std::string unzipped(const std::filesystem::path &path, const std::string &name)
{
    const std::unique_ptr<archive, int (*)(archive *)> reader(archive_read_new(), archive_read_free);
    archive_read_support_format_zip(reader.get());
    archive_read_open_filename(reader.get(), path.c_str(), 1 << 16);
    archive_entry *entry = nullptr;
    std::string bytes;
    while (archive_read_next_header(reader.get(), &entry) == ARCHIVE_OK)
        if (archive_entry_pathname(entry) == name) {
            char chunk[1 << 16];
            for (la_ssize_t count = 0; (count = archive_read_data(reader.get(), chunk, sizeof(chunk))) > 0;)
                bytes.append(chunk, static_cast<std::size_t>(count));
        }
    return bytes;
}

} // namespace

/// The real sets for classifiers, each with the options that it needs.
class TestClassifierData : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void realSetsAreRead_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("columns"); ///< given ones: text/label, or nothing
        QTest::addColumn<bool>("quoted");
        QTest::addColumn<bool>("nli");
        QTest::addColumn<bool>("pairs");
        QTest::addColumn<QList<int>>("counts"); ///< per class
        const auto row
            = [](const char *file, const char *columns, bool quoted, bool nli, bool pairs, const QList<int> &counts) {
                  QTest::newRow(file) << QByteArray(file) << QByteArray(columns) << quoted << nli << pairs << counts;
              };
        row("sst2/dev.tsv", "", false, false, false, {428, 444});
        row("sst2/test-labeled.tsv.xz", "", false, false, false, {917, 904});
        row("glue_rte/dev.tsv", "", false, true, true, {70, 69});
        row("glue_mrpc/dev.tsv.xz", "", false, false, true, {129, 279});
        row("glue_mrpc/msr_paraphrase_test.txt.xz", "", false, false, true, {578, 1147});
        row("hans/heuristics_evaluation_set.REGENERATED_seed2019.txt.xz", "", false, true, true, {15000, 15000});
        row("hans/mnli_contradicting_examples.tsv", "1/3/2", false, true, true, {0, 82, 179});
        row("blitzer_multidomain_sentiment/kitchen/train.tsv.xz", "", true, false, false, {850, 850});
        row("cad_sentiment_nli/sentiment/combined/dev.tsv.xz", "", true, false, false, {245, 245});
        row("cad_sentiment_nli/NLI/original/dev.tsv", "", false, true, true, {74, 75, 51});
        row("cad_sentiment_nli/NLI/all_combined/dev.tsv.xz", "", true, true, true, {326, 325, 349});
        row("uci_sentiment_labelled/amazon_cells_labelled.txt", "1/2", true, false, false, {500, 500});
        row("uci_sentiment_labelled/yelp_labelled.txt", "1/2", true, false, false, {500, 500});
    }

    void realSetsAreRead()
    {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, columns);
        QFETCH(bool, quoted);
        QFETCH(bool, nli);
        QFETCH(bool, pairs);
        QFETCH(QList<int>, counts);
        DataSource source;
        source.table = sharedData("data/" + file.toStdString()).string();
        if (source.table.empty())
            QSKIP("the real data are not on this machine (HEADSCOPE_SHARED)");
        source.quoted = quoted;
        if (const auto given = columns.split('/'); given.size() > 1) {
            source.header = false;
            source.textColumn = given[0].toStdString();
            source.labelColumn = given[1].toStdString();
            source.pairColumn = given.size() > 2 ? given[2].toStdString() : "";
        }
        const Dataset data = read(source);
        for (const Example &example : data.examples)
            QVERIFY(example.pair.empty() != pairs);
        const auto reading = readLabels(data, ProblemType::SingleLabel, nli ? kNli : kSentiment).valueOrThrow();
        std::vector<int> found(reading.classes.size());
        for (const auto &classes : reading.exampleClasses)
            ++found.at(static_cast<std::size_t>(classes.at(0)));
        QCOMPARE(QList<int>(found.begin(), found.end()), counts);
    }

    void breakingNliIsRead()
    {
        const auto path = sharedData("data/breaking_nli/breaking_nli_dataset.zip");
        if (path.empty())
            QSKIP("the real data are not on this machine (HEADSCOPE_SHARED)");
        const Files files;
        const Dataset data = read(files.table("breaking.jsonl", unzipped(path, "data/dataset.jsonl")));
        QCOMPARE(data.examples.size(), std::size_t{8193});
        QVERIFY(!data.examples[0].pair.empty());
        const auto reading = readLabels(data, ProblemType::SingleLabel, kNli).valueOrThrow();
        std::map<int, int> counts;
        for (const auto &classes : reading.exampleClasses)
            ++counts[classes.at(0)];
        QCOMPARE(counts, (std::map<int, int>{{0, 982}, {1, 47}, {2, 7164}}));
    }

    /// One of the three UCI files is not UTF-8, which is said instead of guessed.
    void otherEncodingsAreRefused()
    {
        DataSource source;
        source.table = sharedData("data/uci_sentiment_labelled/imdb_labelled.txt").string();
        if (source.table.empty())
            QSKIP("the real data are not on this machine (HEADSCOPE_SHARED)");
        QVERIFY(has(errorOf(source), "not UTF-8"));
    }
};

QTEST_GUILESS_MAIN(TestClassifierData)
#include "tst_classifierdata.moc"
