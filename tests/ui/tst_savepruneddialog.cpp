// Saving a pruned model from the window: both forms, compensation, speed as a job. On a tiny model with fixed weights.
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/support/tinymodel.h"

#include "ui/dialogs/savepruneddialog.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/pages/pruning/pruningpage.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QCheckBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestSavePrunedDialog final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void saysWhatWillBeSaved();
    void warnsOfBlindCrossAttention();
    void refusesFoldersThatAreTaken();
    void savesTheSmallForm();
    void savesCompensated();
    void measuresSpeed();
    void measuringCanBeCancelled();
    void opensFromTheWindow();

private:
    static constexpr int kWait = 60000;

    bool isIdle() { return m_controller.queue().isIdle(); }

    QTemporaryDir m_dir;
    StudyState m_state;
    StudyController m_controller{m_state};
};

void TestSavePrunedDialog::initTestCase()
{
    const std::filesystem::path folder = m_dir.path().toStdString();
    testing::writeTinyModel(folder / "model");
    testing::writeTinyCorpus(folder / "in.en", folder / "in.fr", 20, 1);
    m_controller.setAutomatic(false);
    m_controller.setModelOptions({.threads = 1}); // speed measured on all cores takes minutes beside other programs
    m_controller.openModel(m_dir.filePath(u"model"_s));
    DataSource source;
    source.source = (folder / "in.en").string();
    source.reference = (folder / "in.fr").string();
    m_controller.setData(Domain::In, source);
    QTRY_VERIFY_WITH_TIMEOUT(m_state.session() && m_state.data(Domain::In), kWait);
}

void TestSavePrunedDialog::init()
{
    failOnQtWarnings();
    m_state.setMask({{HeadKind::Encoder, 0, 1}, {HeadKind::Encoder, 1, 2}, {HeadKind::Decoder, 0, 0}}, u"test"_s);
    QTRY_VERIFY_WITH_TIMEOUT(isIdle(), kWait);
}

void TestSavePrunedDialog::saysWhatWillBeSaved()
{
    SavePrunedDialog dialog(m_state, m_controller, m_dir.path());
    QCOMPARE(dialog.form(), ExportForm::Full);
    QVERIFY(!dialog.compensation());
    QVERIFY(dialog.folder().endsWith(u"model-without-3-heads"_s));
    const PrunedCard card = m_state.session()->prunedCard(m_state.mask(), {}).value();
    QCOMPARE(card.heads - card.headsLeft, 3);
    QVERIFY(dialog.summary().contains(u"3 silent"_s));
    dialog.setForm(ExportForm::Small);
    QVERIFY(dialog.summary().contains(QLocale().toString(qlonglong(card.parametersLeft))));
    QVERIFY(dialog.summary().contains(u"<b>21</b>"_s));
    dialog.compensateBox().setChecked(true);
    QCOMPARE(dialog.compensation(), std::optional(Domain::In));
    QVERIFY(dialog.saveButton().isEnabled());
}

void TestSavePrunedDialog::warnsOfBlindCrossAttention()
{
    m_state.setMask(parseHeadMask("cross.1.0,cross.1.1,cross.1.2,cross.1.3").value(), u"blind"_s);
    SavePrunedDialog dialog(m_state, m_controller, m_dir.path());
    bool told = false;
    for (const QLabel *label : dialog.findChildren<QLabel *>())
        told = told || (!label->isHidden() && label->text().contains(u"source becomes invisible"_s));
    QVERIFY(told);
}

void TestSavePrunedDialog::refusesFoldersThatAreTaken()
{
    SavePrunedDialog dialog(m_state, m_controller, m_dir.path());
    QSignalSpy saving(&dialog, &SavePrunedDialog::saving);
    for (const QString &taken : {m_dir.filePath(u"model"_s), m_dir.filePath(u"in.en"_s), QString()}) {
        dialog.folderEdit().setText(taken);
        QVERIFY(!dialog.problem().isEmpty());
        QVERIFY(!dialog.saveButton().isEnabled());
        dialog.accept();
    }
    QVERIFY(saving.isEmpty());
    QDir(m_dir.path()).mkdir(u"empty"_s);
    dialog.folderEdit().setText(m_dir.filePath(u"empty"_s));
    QVERIFY(dialog.problem().isEmpty());
}

void TestSavePrunedDialog::savesTheSmallForm()
{
    SavePrunedDialog dialog(m_state, m_controller, m_dir.path());
    QSignalSpy saving(&dialog, &SavePrunedDialog::saving);
    dialog.setForm(ExportForm::Small);
    const QString folder = m_dir.filePath(u"small"_s);
    dialog.folderEdit().setText(folder);
    QTest::mouseClick(&dialog.saveButton(), Qt::LeftButton);
    QCOMPARE(dialog.result(), int(QDialog::Accepted));
    QCOMPARE(saving.size(), 1);
    QTRY_VERIFY_WITH_TIMEOUT(isIdle() && QFile::exists(folder + u"/heads.json"_s), kWait);
    QVERIFY(m_state.error(ErrorPlace::Analysis).isEmpty());
    const auto reopened = Session::open(folder.toStdString(), {}, {});
    QVERIFY(reopened.isOk());
    QCOMPARE(reopened.value()->card().layout.size(), 21);
    QCOMPARE(reopened.value()->card().parameters,
             m_state.session()->prunedCard(m_state.mask(), {}).value().parametersLeft);
}

void TestSavePrunedDialog::savesCompensated()
{
    SavePrunedDialog dialog(m_state, m_controller, m_dir.path());
    dialog.compensateBox().setChecked(true);
    const QString folder = m_dir.filePath(u"compensated"_s);
    dialog.folderEdit().setText(folder);
    dialog.accept();
    QTRY_VERIFY_WITH_TIMEOUT(isIdle() && QFile::exists(folder + u"/heads.json"_s), kWait);
    QFile heads(folder + u"/heads.json"_s);
    QVERIFY(heads.open(QFile::ReadOnly));
    QVERIFY(heads.readAll().contains("compensation"));
}

void TestSavePrunedDialog::measuresSpeed()
{
    SavePrunedDialog dialog(m_state, m_controller, m_dir.path());
    dialog.show();
    QAbstractItemModelTester tester(&dialog.speedModel(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    QCOMPARE(dialog.speedModel().rowCount(), 0);
    QTest::mouseClick(&dialog.measureButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(isIdle() && m_state.speed(), kWait);
    QCOMPARE(dialog.speedModel().rowCount(), 4); // batches of 1, 4, 16, 64
    const auto text = [&](int row, int column) { return dialog.speedModel().index(row, column).data().toString(); };
    QCOMPARE(text(0, SpeedModel::BatchColumn), u"1"_s);
    QCOMPARE(text(3, SpeedModel::BatchColumn), u"64"_s);
    QVERIFY(text(0, SpeedModel::OriginalColumn).contains(u"±"_s));
    QVERIFY(text(1, SpeedModel::GainColumn).endsWith(u" %"_s));
    const QModelIndex removed = dialog.speedModel().index(2, SpeedModel::RemovedColumn);
    QVERIFY(removed.data(Qt::ToolTipRole).toString().contains(u"median"_s));
    dialog.setForm(ExportForm::Small);
    keepPicture(dialog, u"save-pruned"_s);
    // Other masks: not about them.
    m_state.toggleMask({HeadKind::Encoder, 0, 3});
    SavePrunedDialog other(m_state, m_controller, m_dir.path());
    QCOMPARE(other.speedModel().rowCount(), 0);
}

void TestSavePrunedDialog::measuringCanBeCancelled()
{
    m_state.setMask({{HeadKind::Encoder, 1, 1}}, u"cancel"_s);
    SavePrunedDialog dialog(m_state, m_controller, m_dir.path());
    dialog.measureButton().click();
    QVERIFY(!isIdle());
    QVERIFY(dialog.measureButton().text().contains(u"ancel"_s));
    dialog.measureButton().click();
    QTRY_VERIFY_WITH_TIMEOUT(isIdle(), kWait);
    QVERIFY(dialog.measureButton().text().contains(u"easure"_s));
    QVERIFY(m_state.error(ErrorPlace::Analysis).isEmpty());
    QVERIFY(dialog.saveButton().isEnabled());
}

void TestSavePrunedDialog::opensFromTheWindow()
{
    MainWindow window;
    window.controller().setAutomatic(false);
    window.controller().openModel(m_dir.filePath(u"model"_s));
    QTRY_VERIFY_WITH_TIMEOUT(window.state().session() != nullptr, kWait);
    window.state().setMask({{HeadKind::Cross, 0, 0}}, u"test"_s);
    Q_EMIT window.page<PruningPage>().prunedModelRequested();
    auto *dialog = window.findChild<SavePrunedDialog *>();
    QVERIFY(dialog);
    QVERIFY(!dialog->measureButton().isEnabled()); // no data
    QVERIFY(!dialog->compensateBox().isEnabled());
    dialog->folderEdit().setText(m_dir.filePath(u"fromwindow"_s));
    dialog->accept();
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(m_dir.filePath(u"fromwindow/heads.json"_s)), kWait);
    QTRY_VERIFY_WITH_TIMEOUT(window.controller().queue().isIdle(), kWait);
}

QTEST_MAIN(TestSavePrunedDialog)
#include "tst_savepruneddialog.moc"
