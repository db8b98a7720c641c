#include "tests/support/madeuprun.h"
#include "tests/support/nowarnings.h"
#include "ui/pages/training/epochmodel.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {
std::shared_ptr<const TrainingReport> share(TrainingReport report)
{
    return std::make_shared<const TrainingReport>(std::move(report));
}

QStringList rowText(const EpochModel &model, int row)
{
    QStringList texts;
    for (int column = 0; column < model.columnCount(); ++column)
        texts << model.index(row, column).data().toString();
    return texts;
}
} // namespace

class TestEpochModel final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        failOnQtWarnings();
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    }
    void showsAnEpochInARow();
    void missingValuesAreDashes();
    void growsWithItsRun();
    void anotherRunReplacesIt();
};

void TestEpochModel::showsAnEpochInARow()
{
    EpochModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setReport(share(madeup::run(2400)));
    QCOMPARE(model.rowCount(), 12);
    QCOMPARE(rowText(model, 6),
             QStringList({u"7"_s, u"1,400"_s, u"1.572"_s, u"1.220"_s, u"38.38"_s, u"1,281"_s, u"epoch-007"_s}));
    QCOMPARE(model.bestRow(), 8);
    QVERIFY(model.index(8, 0).data().toString().startsWith(u"★ best"_s));
    QVERIFY(model.index(8, 0).data(EpochModel::BestRole).toBool());
    QCOMPARE(model.index(6, 3).data(EpochModel::FolderRole).toString(), u"/runs/small/epoch-007"_s);
    for (int column = 0; column < EpochModel::ColumnCount; ++column) {
        QVERIFY(!model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
        QVERIFY(!model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty());
    }
}

void TestEpochModel::missingValuesAreDashes()
{
    TrainingReport report = madeup::run(200);
    report.epochs[0].validationLoss.reset();
    report.epochs[0].score.reset();
    report.epochs[0].folder.clear();
    report.bestEpoch = 7; // none of those there are
    EpochModel model;
    model.setReport(share(report));
    QCOMPARE(rowText(model, 0)[EpochModel::ValidationLossColumn], u"–"_s);
    QCOMPARE(rowText(model, 0)[EpochModel::ScoreColumn], u"–"_s);
    QCOMPARE(model.bestRow(), -1);
    QVERIFY(model.index(0, 0).data(EpochModel::FolderRole).toString().isEmpty());
}

void TestEpochModel::growsWithItsRun()
{
    EpochModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setReport(share(madeup::run(600)));
    QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.setReport(share(madeup::run(700))); // no new epoch
    QCOMPARE(inserted.count(), 0);
    model.setReport(share(madeup::run(800)));
    QCOMPARE(inserted.count(), 1);
    QCOMPARE(resets.count(), 0);
    QCOMPARE(changed.count(), 2); // the best before and now
    QCOMPARE(model.bestRow(), 3);
}

void TestEpochModel::anotherRunReplacesIt()
{
    EpochModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setReport(share(madeup::run(800)));
    model.setReport(share(madeup::run(1000, "/runs/other")));
    QCOMPARE(model.rowCount(), 5);
    QCOMPARE(model.index(0, 0).data(EpochModel::FolderRole).toString(), u"/runs/other/epoch-001"_s);
    model.setReport(nullptr);
    QCOMPARE(model.rowCount(), 0);
}

QTEST_GUILESS_MAIN(TestEpochModel)
#include "tst_epochmodel.moc"
