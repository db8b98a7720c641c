#include "core/analysis/contingencyspec.h"
#include "core/exporting/csv.h"
#include "tests/support/nowarnings.h"
#include "tests/support/tinyclassifier.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/pages/analyses/analysespage.h"
#include "ui/pages/analyses/analysisform.h"
#include "ui/pages/analyses/csvmodel.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <memory>

using namespace headscope;
using namespace Qt::StringLiterals;

/// The page that makes a form and a table of every analysis: with mcnemar, which has no page of its own.
class TestAnalysesPage final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void everyAnalysisHasItsOptions();
    void computesAndKeeps();
    void optionsReachTheAnalysis();
    void csvIsATable();

private:
    static constexpr int kWait = 120'000;
    AnalysesPage &page() { return m_window->page<AnalysesPage>(); }
    StudyState &state() { return m_window->state(); }
    bool isIdle() { return m_window->controller().queue().isIdle(); }
    void choose(const char *analysis)
    {
        page().analysisBox().setCurrentIndex(page().analysisBox().findData(QString::fromLatin1(analysis)));
        QCOMPARE(page().analysisBox().currentData().toString(), QLatin1String(analysis));
    }
    template<typename Box>
    Box *field(const QString &name)
    {
        for (Box *box : page().form().findChildren<Box *>()) {
            if (box->accessibleName() == name || box->property("text").toString() == name)
                return box;
        }
        return nullptr;
    }

    QTemporaryDir m_dir;
    std::unique_ptr<MainWindow> m_window;
};

void TestAnalysesPage::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    const std::filesystem::path folder = m_dir.path().toStdString();
    testing::writeTinyClassifier(folder / "model");
    m_window = std::make_unique<MainWindow>();
    m_window->controller().setAutomatic(false);
    DataSource source;
    source.table = (folder / "in.tsv").string();
    testing::writeTinyTable(source.table, 24, 7);
    m_window->controller().setData(Domain::In, source);
    m_window->resize(1280, 800);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    m_window->openPaths({m_dir.filePath(u"model"_s)});
    QTRY_VERIFY_WITH_TIMEOUT(state().session() && state().rows(Domain::In) && isIdle(), kWait);
    m_window->showView(u"analyses"_s);
    QVERIFY(page().isVisible());
}

void TestAnalysesPage::everyAnalysisHasItsOptions()
{
    for (const char *name :
         {"evaluate", "ablate", "importance", "prune", "search", "roles", "relevance", "confidence", "mcnemar"})
        choose(name);
    choose("ablate");
    QVERIFY(field<QComboBox>(u"Replace"_s) && field<QSpinBox>(u"Resamples"_s) && field<QCheckBox>(u"All but one"_s));
    QVERIFY(field<QSpinBox>(u"Resamples"_s)->toolTip().contains(u"bootstrap"));
    choose("prune");
    QVERIFY(field<QComboBox>(u"Rounding"_s) && field<QLineEdit>(u"Order"_s));
}

void TestAnalysesPage::computesAndKeeps()
{
    choose("mcnemar");
    QVERIFY(page().exportItems().isEmpty());
    QVERIFY(page().computeButton().isEnabled());
    QTest::mouseClick(&page().computeButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!state().shownResults(Domain::In).empty() && isIdle(), kWait);
    QVERIFY2(state().error(ErrorPlace::Analysis).isEmpty(), qPrintable(state().error(ErrorPlace::Analysis)));
    const auto result = state().finishedResults(Domain::In).back().as<ContingencyResult>();
    QCOMPARE(page().table().model()->rowCount(), static_cast<int>(state().layout().size()));
    const QList<ExportItem> items = page().exportItems();
    QCOMPARE(items.size(), 1);
    QCOMPARE(QByteArray::fromStdString(items[0].csv()), QByteArray::fromStdString(toCsv(*result)));
    QVERIFY(items[0].manifestJson.find("mcnemar") != std::string::npos);
    QVERIFY(renderToImage(items[0], {}).isOk());
    // A study has it again.
    m_window->saveStudyAs(m_dir.filePath(u"with.headscope"_s));
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->controller().files().isModified() && isIdle(), kWait);
    MainWindow other;
    other.controller().setAutomatic(false);
    other.show();
    other.openPaths({m_dir.filePath(u"with.headscope"_s)});
    QTRY_VERIFY_WITH_TIMEOUT(other.state().rows(Domain::In) && other.controller().queue().isIdle(), kWait);
    QCOMPARE(other.state().finishedResults(Domain::In).size(), state().finishedResults(Domain::In).size());
}

void TestAnalysesPage::optionsReachTheAnalysis()
{
    choose("importance");
    auto *normalization = field<QComboBox>(u"Normalize"_s);
    QVERIFY(normalization);
    normalization->setCurrentIndex(normalization->findText(u"global"_s));
    QTest::mouseClick(&page().computeButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(state().results(Domain::In).importance && isIdle(), kWait);
    QVERIFY(state().results(Domain::In).importance->manifest.spec.find("global") != std::string::npos);
    QVERIFY(page().table().model()->rowCount() > 0); // of the chosen analysis, not of mcnemar
    choose("mcnemar");
    state().toggleMask(state().layout().heads().front());
    field<QCheckBox>(u"Under the present mask"_s)->setChecked(true);
    const AnySpec spec = page().form().spec({}, state().mask());
    QCOMPARE(spec.as<ContingencySpec>()->mask, state().mask());
    field<QCheckBox>(u"Under the present mask"_s)->setChecked(false);
    QVERIFY(page().form().spec({}, state().mask()).as<ContingencySpec>()->mask.empty());
    if (!qEnvironmentVariableIsEmpty("HEADSCOPE_PICTURES"))
        QVERIFY(m_window->grab().save(qEnvironmentVariable("HEADSCOPE_PICTURES") + u"/analyses.png"_s));
}

void TestAnalysesPage::csvIsATable()
{
    CsvModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setCsv("head,p_value [of a test],says\nencoder.0.1,0.25,\"a, b\"\nencoder.0.2,12,c\n");
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), u"p value"_s);
    QVERIFY(model.headerData(1, Qt::Horizontal, Qt::ToolTipRole).toString().contains(u"of a test"));
    QCOMPARE(model.index(0, 2).data().toString(), u"a, b"_s);
    QCOMPARE(model.index(1, 1).data(CsvModel::kSortRole).toDouble(), 12);
    QVERIFY(model.index(0, 1).data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight);
    model.setCsv("");
    QCOMPARE(model.rowCount() + model.columnCount(), 0);
}

QTEST_MAIN(TestAnalysesPage)
#include "tst_analysespage.moc"
