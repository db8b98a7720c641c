// Many models in one table: read from a folder of results, sorted, exported.
#include "core/exporting/csv.h"
#include "core/results/resultfolder.h"
#include "core/results/resultstore.h"
#include "core/results/study.h"
#include "core/session/demo.h"
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/pages/models/modelsmodel.h"
#include "ui/pages/models/modelspage.h"
#include "ui/views/fileedit.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stop_token>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestModelsPage final : public QObject
{
    Q_OBJECT

    static constexpr int kWait = 20000;
    QTemporaryDir m_dir;

    std::filesystem::path folder() const { return m_dir.filePath(u"results"_s).toStdString(); }

    static Manifest manifest(const char *analysis, const char *model, const char *data)
    {
        Manifest made = madeup::manifest(analysis, false);
        made.model = std::string("/models/") + model;
        made.weightsHash = model;
        made.data = data;
        made.dataHash = data;
        return made;
    }
    /// A curve that keeps 99 % until `free` of 10 heads are gone.
    static PruningResult pruning(const char *model, const char *data, double score, int free)
    {
        PruningResult result;
        result.manifest = manifest("prune", model, data);
        result.metric = "BLEU";
        result.examples = result.manifest.totalExamples;
        PruningCurve curve;
        curve.order = "importance";
        curve.candidates = 10;
        for (int pruned = 0; pruned <= 10; ++pruned) {
            PruningPoint point;
            point.pruned = pruned;
            point.fraction = pruned / 10.0;
            point.score = pruned <= free ? score : score / 2;
            const double delta = point.score - score;
            point.paired = PairedTest{{delta - 0.1, delta + 0.1}, 0.5, 3};
            curve.points.push_back(point);
        }
        result.curves = {curve};
        return result;
    }
    static ImportanceResult importance(const char *model, const char *data, double turn)
    {
        ImportanceResult result;
        result.manifest = manifest("importance", model, data);
        result.examples = 10;
        for (int head = 0; head < 10; ++head)
            result.heads.push_back({{HeadKind::Encoder, 0, head}, head + turn * (head % 3), 0});
        return result;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const ResultStore store(folder() / "a");
        (void)store.save(pruning("big", "news", 30, 7)).valueOrThrow();
        (void)store.save(importance("big", "news", 0)).valueOrThrow();
        const ResultStore deeper(folder() / "b" / "study.headscope.results");
        (void)deeper.save(importance("big", "captions", 2)).valueOrThrow();
        (void)deeper.save(pruning("small", "news", 28, 2)).valueOrThrow();
        QFile other(m_dir.filePath(u"results/config.json"_s));
        QVERIFY(other.open(QIODevice::WriteOnly));
        other.write("{\"model_type\": \"bert\"}");
        QFile broken(m_dir.filePath(u"results/broken.json"_s));
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("{\"result\": \"of a later version\"}");
    }
    void init() { failOnQtWarnings(); }

    void readsAllFolders()
    {
        const ModelsInFolder models = modelsInFolder(folder(), {}).valueOrThrow();
        QCOMPARE(models.results, 4);
        QCOMPARE(models.damaged, 1);
        const auto &rows = models.table.rows();
        QCOMPARE(rows.size(), 3U);
        const auto row = [&](const char *model, const char *data) {
            return *std::ranges::find_if(rows,
                                         [&](const ModelsRow &one) { return one.model == model && one.data == data; });
        };
        QCOMPARE(row("big", "news").needed.value(), 3);
        QCOMPARE(row("small", "news").needed.value(), 8);
        QVERIFY(!row("big", "captions").needed);
        QVERIFY(row("big", "captions").r.has_value() != row("big", "news").r.has_value()); // with the first of the two
        QVERIFY(modelsInFolder(folder() / "nowhere", {}).isError());
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(modelsInFolder(folder(), JobControl(stop.get_token())).isCancelled());
    }

    void showsAndSorts()
    {
        MainWindow window;
        window.resize(1100, 700);
        window.show();
        window.showView(u"models"_s);
        auto *page = window.findChild<ModelsPage *>();
        QVERIFY(page && page->isVisible());
        const QAbstractItemModelTester tester(&page->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(page->exportItems().isEmpty());
        keepPicture(window, u"TestModelsPage-empty"_s);
        auto *path = page->folderEdit().findChild<QLineEdit *>();
        path->setFocus();
        QTest::keyClicks(path, m_dir.filePath(u"results"_s));
        for (QPushButton *button : page->findChildren<QPushButton *>())
            QTest::mouseClick(button, Qt::LeftButton);
        QTableView &table = page->table();
        QTRY_COMPARE_WITH_TIMEOUT(table.model()->rowCount(), 3, kWait);
        const auto cell = [&](int row, int column) { return table.model()->index(row, column).data().toString(); };
        table.sortByColumn(ModelsModel::NeededColumn, Qt::DescendingOrder);
        QCOMPARE(cell(0, ModelsModel::ModelColumn), u"small"_s);
        QCOMPARE(cell(0, ModelsModel::NeededColumn), u"8"_s);
        QCOMPARE(cell(1, ModelsModel::ShareColumn), u"30 %"_s);
        QCOMPARE(cell(2, ModelsModel::NeededColumn), QString()); // unknown last
        table.sortByColumn(ModelsModel::ScoreColumn, Qt::DescendingOrder);
        QCOMPARE(cell(0, ModelsModel::ModelColumn), u"big"_s);
        keepPicture(window, u"TestModelsPage"_s);
        const auto items = page->exportItems();
        QCOMPARE(items.size(), 1);
        QVERIFY(items.front().csv().starts_with(
            "model,data,metric,score,heads,heads_for_99_percent,order,r,r_with,r_all_but_one,roles\n"));
        QVERIFY(items.front().csv().find("small,news,BLEU,28,10,8,importance,,,,\n") != std::string::npos);
    }

    /// The demos are there before anything was opened, and two studies are compared head by head.
    void studiesHeadByHead()
    {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        window.showView(u"models"_s);
        auto *page = window.findChild<ModelsPage *>();
        QVERIFY(page->recentStudies().isVisible());
        QCOMPARE(page->recentStudies().count(), static_cast<int>(kDemos.size()));
        const auto demo = demoStudy().valueOrThrow();
        const auto copy = std::filesystem::path(m_dir.filePath(u"copy.headscope"_s).toStdString());
        std::filesystem::copy(demo, copy);
        std::filesystem::copy(resultsFolder(demo), resultsFolder(copy), std::filesystem::copy_options::recursive);
        const QString file = QString::fromStdString(copy.string());
        StudyComparison &comparison = page->comparison();
        comparison.setStudies({{u"demo"_s, QString::fromStdString(demo.string())}, {u"copy"_s, file}});
        comparison.choose(QString::fromStdString(demo.string()), file);
        comparison.compare();
        QTRY_VERIFY_WITH_TIMEOUT(comparison.result(), kWait);
        const CompareResult &result = *comparison.result();
        const LoadedStudy loaded = loadStudy(demo).valueOrThrow();
        std::shared_ptr<const AblationResult> ablation;
        for (const AnyResult &one : loaded.results.front())
            ablation = ablation ? ablation : one.as<AblationResult>();
        QVERIFY(ablation);
        QCOMPARE(result.heads.size(), ablation->heads.size());
        for (std::size_t i = 0; i < result.heads.size(); ++i) {
            QCOMPARE(result.heads[i].a, ablation->heads[i].delta);
            QCOMPARE(result.heads[i].difference, 0.0);
        }
        QCOMPARE(page->exportItems().size(), 1);
        QVERIFY(
            page->exportItems().front().csv().starts_with("head,kind,layer,head_number,measure,metric,a,b,difference"));
        keepPicture(window, u"TestModelsPage-compared"_s);
        const auto classifier = demoStudy(Demo::Classifier).valueOrThrow();
        QVERIFY(compareStudies(demo.string(), classifier.string()).isError()); // other heads
    }

    void aFolderThatIsNotThere()
    {
        MainWindow window;
        window.show();
        window.showView(u"models"_s);
        auto *page = window.findChild<ModelsPage *>();
        page->folderEdit().setPath(m_dir.filePath(u"nowhere"_s));
        for (QPushButton *button : page->findChildren<QPushButton *>())
            QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(page->ownError().contains(u"no such folder"_s), kWait);
    }
};

QTEST_MAIN(TestModelsPage)
#include "tst_modelspage.moc"
