// A report as a job of the window: computed and written beside the GUI thread, cancelled, refused. On a tiny model.
#include "tests/support/nowarnings.h"
#include "tests/support/tinymodel.h"

#include "ui/report/reportjob.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestReportJob final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void writesTheFolder();
    void cancelledWritesNothing();
    void refusesFoldersThatAreTaken();

private:
    static constexpr int kWait = 120000;

    static ReportSpec quick()
    {
        ReportSpec spec;
        spec.batchSizes = {2};
        spec.speedExamples = 2;
        spec.speedRepeats = 1;
        spec.randomOrders = 2;
        return spec;
    }
    bool isIdle() { return m_controller.queue().isIdle(); }
    DataSource source(const char *name) const
    {
        DataSource data;
        data.source = m_dir.filePath(QString::fromLatin1(name) + u".en").toStdString();
        data.reference = m_dir.filePath(QString::fromLatin1(name) + u".fr").toStdString();
        return data;
    }

    QTemporaryDir m_dir;
    StudyState m_state;
    StudyController m_controller{m_state};
};

void TestReportJob::initTestCase()
{
    const std::filesystem::path folder = m_dir.path().toStdString();
    testing::writeTinyModel(folder / "model", {.encoderLayers = 1, .decoderLayers = 1, .heads = 2});
    testing::writeTinyCorpus(folder / "in.en", folder / "in.fr", 12, 1);
    testing::writeTinyCorpus(folder / "out.en", folder / "out.fr", 10, 2);
    m_controller.setAutomatic(false);
    m_controller.openModel(m_dir.filePath(u"model"_s));
    m_controller.setData(Domain::In, source("in"));
    m_controller.setData(Domain::Out, source("out"));
    QTRY_VERIFY_WITH_TIMEOUT(m_state.data(Domain::In) && m_state.data(Domain::Out) && isIdle(), kWait);
}

void TestReportJob::writesTheFolder()
{
    const QString folder = m_dir.filePath(u"report"_s);
    QString written;
    startReport(m_state, m_controller, quick(), folder, [&](const QString &done) { written = done; });
    QVERIFY(!isIdle());
    QTRY_VERIFY_WITH_TIMEOUT(isIdle(), kWait);
    QCOMPARE(m_state.error(ErrorPlace::Study), QString());
    QCOMPARE(written, folder);
    for (const char *file : {"index.html", "report.json", "tables/ablation-out.tex", "figures/kinds-in.svg",
                             "figures/pruning-in.png", "tables/speed.csv"})
        QVERIFY2(QFile::exists(QDir(folder).filePath(QString::fromLatin1(file))), file);
}

void TestReportJob::cancelledWritesNothing()
{
    const QString folder = m_dir.filePath(u"cancelled"_s);
    bool written = false;
    startReport(m_state, m_controller, quick(), folder, [&](const QString &) { written = true; });
    m_controller.queue().cancelTag(QLatin1String(kReportTag));
    QTRY_VERIFY_WITH_TIMEOUT(isIdle(), kWait);
    QVERIFY(!written);
    QVERIFY(!QFile::exists(folder));
    QCOMPARE(m_state.error(ErrorPlace::Study), QString());
}

void TestReportJob::refusesFoldersThatAreTaken()
{
    QVERIFY(QDir(m_dir.path()).mkdir(u"taken"_s));
    QVERIFY(QDir(m_dir.path()).mkdir(u"taken/work"_s));
    startReport(m_state, m_controller, quick(), m_dir.filePath(u"taken"_s));
    QVERIFY(isIdle());
    QVERIFY(m_state.error(ErrorPlace::Study).contains(u"not empty"_s));
}

QTEST_MAIN(TestReportJob)
#include "tst_reportjob.moc"
