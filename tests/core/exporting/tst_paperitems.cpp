// The list of the papers' tables and figures, the page that is made from it, and the guide's page of it.
#include "core/exporting/paperitems.h"
#include "core/exporting/paperpage.h"
#include "core/exporting/reportfindings.h"
#include "core/formats/atomicfile.h"
#include "tests/support/madeupreport.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestPaperItems final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyItemSaysWhatItIs();
    void patterns_data();
    void patterns();
    void findingsAreOfItems();
    void pageShowsWhatThereIs();
    void foldersWithoutModelsAreRefused();
    void guideHasAllOfThem();
};

namespace {

void write(const std::filesystem::path &file, const std::string &text)
{
    std::filesystem::create_directories(file.parent_path());
    QVERIFY(writeFileAtomically(file, text).isOk());
}

} // namespace

void TestPaperItems::everyItemSaysWhatItIs()
{
    std::set<std::string_view> ids;
    std::set<std::string_view> papers;
    std::string_view paper;
    for (const PaperItem &item : paperItems()) {
        QVERIFY2(ids.insert(item.id).second, item.id.data());
        if (item.paper != paper)
            QVERIFY2(papers.insert(item.paper).second, "the items of a paper follow each other");
        paper = item.paper;
        for (const std::string_view text : {item.item, item.shows, item.claim, item.files, item.command})
            QVERIFY2(!text.empty(), item.id.data());
        QVERIFY2(item.command.starts_with("headscope"), item.id.data());
        QVERIFY2(item.files.find("  ") == std::string_view::npos, item.id.data());
    }
    QCOMPARE(papers.size(), 6U);
}

void TestPaperItems::patterns_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<bool>("matches");
    QTest::newRow("equal") << u"report/tables/speed.csv"_s << u"report/tables/speed.csv"_s << true;
    QTest::newRow("another") << u"report/tables/speed.csv"_s << u"report/figures/speed.svg"_s << false;
    QTest::newRow("anything") << u"report/figures/heads-in.svg"_s << u"report/figures/heads-*.svg"_s << true;
    QTest::newRow("nothing") << u"report/figures/heads-.svg"_s << u"report/figures/heads-*.svg"_s << true;
    QTest::newRow("another end") << u"report/figures/heads-in.svgz"_s << u"report/figures/heads-*.svg"_s << false;
    QTest::newRow("two stars") << u"tables/probe.csv"_s << u"*/probe.*"_s << true;
    QTest::newRow("shorter") << u"report/h"_s << u"report/figures/heads-*.svg"_s << false;
}

void TestPaperItems::patterns()
{
    QFETCH(QString, path);
    QFETCH(QString, pattern);
    QTEST(matchesPattern(path.toStdString(), pattern.toStdString()), "matches");
}

/// A verdict that no item shows would be lost.
void TestPaperItems::findingsAreOfItems()
{
    std::set<std::string> known;
    std::set<std::string> wanted;
    for (const PaperItem &item : paperItems()) {
        known.insert(std::string(item.id));
        if (!item.finding.empty())
            wanted.insert(std::string(item.finding));
    }
    const std::vector<Finding> findings = findingsOf(madeup::report());
    QVERIFY(!findings.empty());
    for (const Finding &finding : findings)
        QVERIFY2(wanted.contains(finding.item), finding.claim.c_str());
    for (const std::string &item : wanted)
        QVERIFY2(known.contains(item), item.c_str());
}

void TestPaperItems::pageShowsWhatThereIs()
{
    QTemporaryDir dir;
    const std::filesystem::path folder = dir.path().toStdString();
    write(folder / "one" / "report" / "figures" / "histogram-in.svg", "<svg/>");
    write(folder / "one" / "report" / "tables" / "ablation-in.csv", "head\n");
    write(folder / "one" / "window" / "map" / "map-of-heads-encoder-in.svg", "<svg/>");
    write(folder / "one" / "window" / "map" / "map-of-heads-encoder-in.pdf", "%PDF");
    write(
        folder / "one" / "report" / "report.json",
        R"({"findings": [{"item": "michel-table-1", "claim": "Most <heads>", "data": "dev", "verdict": "does not hold",
              "numbers": "3 of 4"}, 5]})");
    write(folder / "two" / "window" / "heads" / "histogram-of-bleu.csv", "low\n");
    write(folder / "not a model" / "notes.txt", "");
    // What failed says so itself, what is there although it has a log did not.
    write(folder / "two" / "tables" / "probe.csv.log", "Probe\rheadscope-cli: No trees.\n");
    write(folder / "one" / "window.log", "Not exported: something.\n");
    const auto runs = readPaperRuns(folder);
    QVERIFY(runs.isOk());
    QCOMPARE(runs.value().size(), 2U);
    const std::vector<std::string> lines = paperSummary(runs.value());
    QCOMPARE(lines.size(), paperItems().size());
    const auto lineOf = [&](const std::string &id) {
        for (const std::string &line : lines) {
            if (line.starts_with(id + ":"))
                return QString::fromStdString(line);
        }
        return QString();
    };
    QCOMPARE(lineOf("michel-figure-1"), u"michel-figure-1: 2 files of 2 models, holds in 0 of 1"_s);
    QCOMPARE(lineOf("clark-figure-6"), u"clark-figure-6: 1 file of 1 model, not tested"_s);
    QVERIFY2(lineOf("clark-table-2").contains(u"nothing: it takes documents with coreference"_s),
             qPrintable(lineOf("clark-table-2")));
    QCOMPARE(lineOf("clark-table-3"),
             u"clark-table-3: nothing: two/tables/probe.csv could not be made: headscope-cli: No trees"_s);
    QVERIFY2(lineOf("vig-model-view").contains(u"no model here has it"_s), qPrintable(lineOf("vig-model-view")));
    const QString page = QString::fromStdString(paperPage(runs.value()));
    QVERIFY(page.contains(u"Not shown: two/tables/probe.csv could not be made: headscope-cli: No trees.</p>"_s));
    for (const PaperItem &item : paperItems()) {
        const QString id = QString::fromUtf8(item.id.data(), static_cast<qsizetype>(item.id.size()));
        QVERIFY2(page.contains(u"<h3 id=\"%1\">"_s.arg(id)) && page.contains(u"<a href=\"#%1\">"_s.arg(id)),
                 qPrintable(id));
    }
    QVERIFY(page.contains(u"src=\"one/report/figures/histogram-in.svg\""_s));
    QVERIFY(page.contains(u"href=\"two/window/heads/histogram-of-bleu.csv\""_s));
    QVERIFY(page.contains(u"Most &lt;heads&gt;"_s) && page.contains(u"<span class=\"fails\">does not hold</span>"_s));
    QVERIFY(!page.contains(u"<td></td></tr>"_s)); // no row without what is ours
    write(folder / "two" / "report" / "report.json", "{}");
    const auto broken = readPaperRuns(folder);
    QVERIFY(broken.isError());
    QVERIFY(broken.error().message.find("report.json") != std::string::npos);
}

void TestPaperItems::foldersWithoutModelsAreRefused()
{
    QTemporaryDir dir;
    const auto runs = readPaperRuns(dir.path().toStdString());
    QVERIFY(runs.isError());
    QVERIFY(runs.error().message.find("papers.sh") != std::string::npos);
}

void TestPaperItems::guideHasAllOfThem()
{
    QFile guide(qEnvironmentVariable("HEADSCOPE_SOURCE_DIR") + u"/resources/guide/figures.md"_s);
    QVERIFY(guide.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(guide.readAll());
    // `headscope-cli papers --markdown` writes it.
    QVERIFY(text.endsWith(QString::fromStdString(paperItemsMarkdown())));
}

QTEST_APPLESS_MAIN(TestPaperItems)
#include "tst_paperitems.moc"
