// The window with its core on another machine, which here is another program: reached by a dialog, with data chosen
// there.
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/support/tinymodel.h"

#include "ui/dialogs/opendatadialog.h"
#include "ui/dialogs/openremotedialog.h"
#include "ui/dialogs/savepruneddialog.h"
#include "ui/dialogs/sshhosts.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/views/errorlabel.h"
#include "ui/views/fileedit.h"
#include "ui/views/remotefiledialog.h"

#include <nlohmann/json.hpp>

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QScopeGuard>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <filesystem>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestRemote final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void hostsOfSsh();
    void choosesAModelThere();
    void saysWhyAMachineCannotBeReached();
    void computesThere();
    void studiesRememberTheMachine();
    void commandsInStudiesAreNotRun_data();
    void commandsInStudiesAreNotRun();
    void machinesInStudiesAreReachedOnlyWhenAgreed();

private:
    static constexpr int kWait = 60000;

    static QString host() { return u"setsid "_s + qEnvironmentVariable("HEADSCOPE_BIN") + u"/headscope-cli"_s; }
    static QPushButton &button(const QDialog &dialog, QDialogButtonBox::StandardButton which)
    {
        return *dialog.findChild<QDialogButtonBox *>()->button(which);
    }
    /// Chooses the entry of that name, as somebody with a keyboard does.
    static bool choose(const QDialog &dialog, const QString &name)
    {
        auto *entries = dialog.findChild<QListWidget *>();
        const auto found = entries->findItems(name, Qt::MatchExactly);
        if (found.isEmpty())
            return false;
        entries->setCurrentItem(found.front());
        return true;
    }
    static void goTo(const QDialog &dialog, const QString &folder)
    {
        auto *path = dialog.findChild<RemoteFolderView *>()->findChild<QLineEdit *>();
        path->setText(folder);
        QTest::keyClick(path, Qt::Key_Return);
    }

    static QMessageBox *question(const MainWindow &window)
    {
        return window.findChild<QMessageBox *>(u"machineQuestion"_s);
    }
    static void answer(const MainWindow &window, const QString &text)
    {
        for (QAbstractButton *one : question(window)->buttons()) {
            if (one->text() == text)
                return one->click();
        }
        QFAIL("no such button");
    }
    /// The study of computesThere() with another host, as a stranger might send it.
    QString studyNaming(const QString &host)
    {
        QFile file(m_dir.filePath(u"far.headscope"_s));
        if (!file.open(QIODevice::ReadWrite))
            return {};
        auto study = nlohmann::json::parse(file.readAll().toStdString());
        study.at("model").at("host") = host.toStdString();
        const QByteArray edited = QByteArray::fromStdString(study.dump());
        return file.resize(0) && file.seek(0) && file.write(edited) == edited.size() ? file.fileName() : QString();
    }

    QTemporaryDir m_dir;
};

void TestRemote::initTestCase()
{
    qputenv("XDG_RUNTIME_DIR", m_dir.path().toUtf8());
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_dir.filePath(u"settings"_s));
    QCoreApplication::setOrganizationName(u"headscope-test"_s);
    const std::filesystem::path folder = m_dir.path().toStdString();
    testing::writeTinyModel(folder / "models" / "tiny");
    testing::writeTinyCorpus(folder / "in.en", folder / "in.fr", 30, 1);
}

void TestRemote::hostsOfSsh()
{
    const QString config
        = u"# Host commented\nHost gpu1 gpu2\n  HostName x\nhost=\"lab\"\nHost *.example.org !bad -oX gpu1 # again\nMatch host y\n"_s;
    QCOMPARE(sshHosts(config), (QStringList{u"gpu1"_s, u"gpu2"_s, u"lab"_s}));
    QVERIFY(sshHosts({}).isEmpty());
}

void TestRemote::choosesAModelThere()
{
    JobQueue queue;
    OpenRemoteDialog dialog(queue);
    QSignalSpy chosen(&dialog, &OpenRemoteDialog::modelChosen);
    dialog.show();
    QPushButton &open = button(dialog, QDialogButtonBox::Open);
    QVERIFY(!open.isEnabled());
    auto *machine = dialog.findChild<QComboBox *>();
    machine->setFocus();
    machine->lineEdit()->selectAll();
    QTest::keyClicks(machine->lineEdit(), host());
    QTest::keyClick(machine->lineEdit(), Qt::Key_Return);
    auto *folders = dialog.findChild<RemoteFolderView *>();
    QTRY_VERIFY_WITH_TIMEOUT(folders->isEnabled() && !folders->folder().isEmpty(), kWait); // the home
    goTo(dialog, m_dir.filePath(u"models"_s));
    QTRY_VERIFY_WITH_TIMEOUT(folders->folder().endsWith(u"models"_s), kWait);
    QVERIFY(!open.isEnabled());
    QVERIFY(choose(dialog, u"tiny"_s));
    QVERIFY(open.isEnabled());
    keepPicture(dialog, u"TestRemote-dialog"_s);
    QTest::mouseClick(&open, Qt::LeftButton);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen.front().at(0).toString(), host());
    QVERIFY(chosen.front().at(1).toString().endsWith(u"models/tiny"_s));
    OpenRemoteDialog again(queue); // remembers the machine
    QCOMPARE(again.findChild<QComboBox *>()->itemText(0), host());
}

void TestRemote::saysWhyAMachineCannotBeReached()
{
    JobQueue queue;
    OpenRemoteDialog dialog(queue);
    dialog.show();
    dialog.findChild<QComboBox *>()->setEditText(u"ls /no/such/place"_s);
    for (QPushButton *one : dialog.findChildren<QPushButton *>()) {
        if (one->text() == u"&Connect"_s)
            QTest::mouseClick(one, Qt::LeftButton);
    }
    auto *error = dialog.findChild<ErrorLabel *>();
    QTRY_VERIFY_WITH_TIMEOUT(error->errorText().contains(u"No such file"_s), kWait);
    QVERIFY(!button(dialog, QDialogButtonBox::Open).isEnabled());
    keepPicture(dialog, u"TestRemote-error"_s);
}

void TestRemote::computesThere()
{
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    StudyController &controller = window.controller();
    controller.setModelOptions({.threads = 1});
    controller.openModel(m_dir.filePath(u"models/tiny"_s), host());
    QTRY_VERIFY_WITH_TIMEOUT(window.state().session() != nullptr, kWait);
    QVERIFY2(window.windowTitle().contains(u"tiny on setsid"_s), qPrintable(window.windowTitle()));

    // Data are chosen there.
    OpenDataDialog dialog(window.state(), controller.queue());
    connect(&dialog, &OpenDataDialog::dataChosen, &controller, &StudyController::setData);
    dialog.show();
    DataSlotEdit &slot = dialog.slot(Domain::In);
    for (const auto &[edit, file] : {std::pair{0, u"in.en"_s}, std::pair{1, u"in.fr"_s}}) {
        auto *field = slot.findChildren<FileEdit *>().at(edit);
        if (!field->path().isEmpty())
            continue; // found beside the first
        QTest::mouseClick(field->findChild<QToolButton *>(), Qt::LeftButton);
        auto *files = field->findChild<RemoteFileDialog *>();
        QVERIFY(files != nullptr);
        auto *folders = files->findChild<RemoteFolderView *>();
        QTRY_VERIFY_WITH_TIMEOUT(!folders->folder().isEmpty(), kWait);
        goTo(*files, m_dir.path());
        QTRY_VERIFY_WITH_TIMEOUT(choose(*files, file), kWait);
        QTest::mouseClick(&button(*files, QDialogButtonBox::Open), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(field->path(), QDir(m_dir.path()).canonicalPath() + u'/' + file, kWait);
    }
    QTRY_VERIFY_WITH_TIMEOUT(button(dialog, QDialogButtonBox::Ok).isEnabled(), kWait);
    QTest::mouseClick(&button(dialog, QDialogButtonBox::Ok), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(window.state().data(Domain::In).has_value(), kWait);
    QCOMPARE(window.state().data(Domain::In)->rows, 30);

    // What is computed by itself comes from there.
    QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::In).ablation != nullptr
                                 && !window.state().results(Domain::In).ablation->manifest.partial,
                             kWait);
    const auto session
        = Session::open(m_dir.filePath(u"models/tiny"_s).toStdString(), {.threads = 1}, {}).valueOrThrow();
    (void)session->setData(Domain::In, window.state().data(Domain::In)->origin, {}).valueOrThrow();
    const auto here = session->run(Domain::In, AblationSpec(), {}).valueOrThrow();
    const auto &there = *window.state().results(Domain::In).ablation;
    QCOMPARE(there.heads.size(), here.heads.size());
    for (std::size_t i = 0; i < here.heads.size(); ++i)
        QCOMPARE(there.heads[i].delta, here.heads[i].delta);
    keepPicture(window, u"TestRemote-window"_s);

    // A pruned model is saved there.
    window.state().setMask({{HeadKind::Encoder, 0, 1}}, u"test"_s);
    SavePrunedDialog saving(window.state(), controller, u"/nowhere/here"_s);
    QTRY_VERIFY_WITH_TIMEOUT(saving.summary().contains(u"24"_s), kWait); // heads
    QCOMPARE(saving.folder(), m_dir.filePath(u"models/tiny-without-1-heads"_s));

    controller.files().save(m_dir.filePath(u"far.headscope"_s), {});
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(m_dir.filePath(u"far.headscope"_s)), kWait);
    QTRY_VERIFY_WITH_TIMEOUT(controller.queue().isIdle(), kWait);
}

void TestRemote::studiesRememberTheMachine()
{
    MainWindow window;
    window.show();
    window.openPaths({m_dir.filePath(u"far.headscope"_s)});
    QTRY_VERIFY_WITH_TIMEOUT(question(window) != nullptr, kWait);
    QVERIFY(question(window)->informativeText().contains(host()));
    QVERIFY(window.state().session() == nullptr);
    keepPicture(*question(window), u"TestRemote-question"_s);
    answer(window, u"Connect"_s);
    QTRY_VERIFY_WITH_TIMEOUT(window.state().session() != nullptr, kWait);
    QCOMPARE(QString::fromStdString(window.state().model()->host), host());
    QTRY_VERIFY_WITH_TIMEOUT(window.state().rows(Domain::In) != nullptr, kWait);
    QVERIFY(window.state().results(Domain::In).ablation != nullptr);
    QVERIFY(!window.state().isStale(Domain::In, window.state().results(Domain::In).ablation->manifest));
    QTRY_VERIFY_WITH_TIMEOUT(window.controller().queue().isIdle(), kWait);
}

void TestRemote::commandsInStudiesAreNotRun_data()
{
    QTest::addColumn<QString>("host");
    const QString marker = m_dir.filePath(u"marker"_s);
    QTest::newRow("shell") << u"sh -c 'touch %1'"_s.arg(marker);
    QTest::newRow("program") << u"touch %1"_s.arg(marker);
    QTest::newRow("option of ssh") << u"-oProxyCommand=touch %1"_s.arg(marker);
    QTest::newRow("option of ssh in one word") << u"-oProxyCommand=touch\t%1"_s.arg(marker);
    QTest::newRow("expanded by ssh's configuration") << u"$(touch${IFS}%1)"_s.arg(marker);
    QTest::newRow("user that is an option") << u"-oProxyCommand=touch@gpu1"_s;
}

void TestRemote::commandsInStudiesAreNotRun()
{
    QFETCH(const QString, host);
    const QString study = studyNaming(host);
    QVERIFY(!study.isEmpty());
    MainWindow window;
    window.show();
    window.openPaths({study});
    QTRY_VERIFY_WITH_TIMEOUT(window.state().error(ErrorPlace::Model).contains(host), kWait);
    QTRY_VERIFY_WITH_TIMEOUT(window.controller().queue().isIdle(), kWait);
    QVERIFY(question(window) == nullptr);
    QVERIFY(window.state().session() == nullptr);
    QVERIFY(window.state().results(Domain::In).ablation != nullptr); // what was computed can be read
    QVERIFY(!QFile::exists(m_dir.filePath(u"marker"_s)));
    keepPicture(window, u"TestRemote-command"_s);
}

void TestRemote::machinesInStudiesAreReachedOnlyWhenAgreed()
{
    const QString asked = m_dir.filePath(u"asked"_s);
    QVERIFY(QDir(m_dir.path()).mkpath(u"bin"_s));
    QFile ssh(m_dir.filePath(u"bin/ssh"_s));
    QVERIFY(ssh.open(QIODevice::WriteOnly));
    ssh.write("#!/bin/sh\necho \"$@\" > '" + asked.toUtf8() + "'\n");
    ssh.close();
    QVERIFY(ssh.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", m_dir.filePath(u"bin:"_s).toUtf8() + path);
    const auto restore = qScopeGuard([&] { qputenv("PATH", path); });

    MainWindow window;
    window.show();
    window.openPaths({studyNaming(u"anna@gpu1"_s)});
    QTRY_VERIFY_WITH_TIMEOUT(question(window) != nullptr, kWait);
    answer(window, u"Not now"_s);
    QTRY_VERIFY_WITH_TIMEOUT(question(window) == nullptr && window.controller().queue().isIdle(), kWait);
    QVERIFY(!QFile::exists(asked));
    QVERIFY(window.state().error(ErrorPlace::Model).contains(u"anna@gpu1"_s));

    window.openPaths({studyNaming(u"anna@gpu1"_s)});
    QTRY_VERIFY_WITH_TIMEOUT(question(window) != nullptr, kWait);
    answer(window, u"Connect"_s);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(asked) && window.controller().queue().isIdle(), kWait);
    QFile words(asked);
    QVERIFY(words.open(QIODevice::ReadOnly));
    QCOMPARE(words.readAll(), "-T -o ConnectTimeout=20 -- anna@gpu1 headscope-cli serve\n");
}

QTEST_MAIN(TestRemote)
#include "tst_remote.moc"
