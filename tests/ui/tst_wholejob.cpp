// The whole of a user's job on the demo's model, by mouse and keyboard alone: open a model and two data sets, wait,
// click heads, mask them, slide, look at a sentence, compare side by side, export a picture and a table, save, quit,
// reopen. Nothing is called that a user could not do; the window's state is only read, to know what has to be seen.
#include "tests/support/nowarnings.h"
#include "ui/dialogs/opendatadialog.h"
#include "ui/exporting/exportdialog.h"
#include "ui/exporting/exporter.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/mainwindow/sidedock.h"
#include "ui/pages/attention/attentionpage.h"
#include "ui/pages/heads/headspage.h"
#include "ui/pages/pruning/curvestable.h"
#include "ui/pages/pruning/pruningpage.h"
#include "ui/views/foldingside.h"
#include "ui/views/foldrail.h"
#include "ui/views/inspector.h"
#include "ui/views/scorebar.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QSettings>
#include <QSlider>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {
constexpr int kPatienceMs = 240'000;
constexpr int kExamples = 24;
} // namespace

class TestWholeJob : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void cleanupTestCase() { m_window.reset(); }

    void opensAModelByKeyboard();
    void choosesDataAndWaits();
    void clicksAndMasksHeads();
    void slidesAlongACurve();
    void foldsTheSettingsAway();
    void looksAtASentenceAndComparesSideBySide();
    void exportsPictureAndTable();
    void savesAndQuits();
    void reopensAsItWas();

private:
    StudyState &state() { return m_window->state(); }
    bool isReady() { return state().session() && m_window->controller().queue().isIdle(); }
    QString path(const QString &name) const { return m_folder.filePath(name); }
    static QString demo(const QString &name)
    {
        return qEnvironmentVariable("HEADSCOPE_SOURCE_DIR") + u"/resources/demo/" + name;
    }
    void show();
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::ControlModifier);
    static void click(QWidget &widget, const QPoint &at = {});
    static void type(QLineEdit &line, const QString &text);
    void answerFileDialog(const QString &file, const std::function<void()> &asks);
    void exportAs(const QString &file);
    template<typename T>
    T *named(const QObject &parent, const QString &accessibleName);

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
    HeadMask m_mask;
    std::array<double, 2> m_deltas{}; ///< of the first head on both sets
};

void TestWholeJob::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    qputenv("XDG_CACHE_HOME",
            path(u"cache"_s).toLocal8Bit()); // sweeps that others have left unfinished wait to be resumed
    QCoreApplication::setOrganizationName(u"Headscope"_s);
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    QVERIFY(QDir(demo(u"training/epoch-006"_s)).exists());
    m_window = std::make_unique<MainWindow>();
    m_window->controller().setPatience(3600); // sweeps go on to their end however busy the machine is
    show();
}

void TestWholeJob::show()
{
    m_window->resize(1440, 900);
    m_window->show();
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
}

void TestWholeJob::press(Qt::Key key, Qt::KeyboardModifiers modifiers)
{
    m_window->activateWindow(); // as a desktop does when a dialog has gone
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    QWidget *focus = QApplication::focusWidget();
    QTest::keyClick(focus ? focus : m_window.get(), key, modifiers);
}

/// Nowhere: in its middle.
void TestWholeJob::click(QWidget &widget, const QPoint &at)
{
    QVERIFY2(widget.isVisible(), qPrintable(widget.objectName() + u' ' + widget.accessibleName()));
    QTest::mouseClick(&widget, Qt::LeftButton, {}, at.isNull() ? widget.rect().center() : at);
}

void TestWholeJob::type(QLineEdit &line, const QString &text)
{
    QTest::keyClick(&line, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(&line, text);
    QCOMPARE(line.text(), text);
}

/// `asks` opens a dialog with an event loop of its own; the name is pasted and the button clicked in it. While the
/// dialog reads its folder it changes what has been typed, so that the name is pasted until it stays.
void TestWholeJob::answerFileDialog(const QString &file, const std::function<void()> &asks)
{
    bool answered = false;
    int tries = 250;
    QTimer timer;
    timer.setInterval(20);
    connect(&timer, &QTimer::timeout, this, [&] {
        auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget());
        if (!dialog || !dialog->isVisible())
            return;
        if (--tries == 0) // it would wait for ever
            return dialog->reject();
        auto *line = dialog->findChild<QLineEdit *>(u"fileNameEdit"_s);
        QVERIFY(line);
        QGuiApplication::clipboard()->setText(file); // its completion would take half of what is typed for a folder
        QTest::keyClick(line, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(line, Qt::Key_V, Qt::ControlModifier);
        // It may have gone to the folder by then, where the name is enough.
        const QFileInfo wanted(file);
        if (line->text() != file && (line->text() != wanted.fileName() || dialog->directory() != wanted.dir()))
            return;
        const auto *box = dialog->findChild<QDialogButtonBox *>();
        for (QAbstractButton *button : box->buttons()) {
            if (box->buttonRole(button) == QDialogButtonBox::AcceptRole && button->isEnabled()) {
                timer.stop();
                answered = true;
                QTest::mouseClick(button, Qt::LeftButton);
                return;
            }
        }
    });
    timer.start();
    asks();
    QVERIFY(answered);
}

template<typename T>
T *TestWholeJob::named(const QObject &parent, const QString &accessibleName)
{
    for (T *widget : parent.findChildren<T *>()) {
        if (widget->accessibleName() == accessibleName)
            return widget;
    }
    return nullptr;
}

void TestWholeJob::opensAModelByKeyboard()
{
    answerFileDialog(demo(u"training/epoch-006"_s), [this] { press(Qt::Key_O); });
    if (QTest::currentTestFailed())
        return;
    QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatienceMs);
    QCOMPARE(m_window->currentView(), u"heads"_s);
    QCOMPARE(state().layout().size(), 72);
}

void TestWholeJob::choosesDataAndWaits()
{
    press(Qt::Key_D);
    QTRY_VERIFY(m_window->findChild<OpenDataDialog *>());
    auto *dialog = m_window->findChild<OpenDataDialog *>();
    for (const auto &[title, name] : {std::pair(u"In-domain data"_s, u"corpus/in_domain"_s),
                                      std::pair(u"Out-of-domain data"_s, u"corpus/out_of_domain"_s)}) {
        for (const auto &[part, ending] : {std::pair(u"source"_s, u".en"_s), std::pair(u"reference"_s, u".fr"_s)}) {
            auto *line = named<QLineEdit>(*dialog, title + u": " + part + u" file");
            QVERIFY(line && line->isVisible());
            type(*line, demo(name + ending));
        }
        auto *limit = named<QSpinBox>(*dialog, title + u": how many examples");
        QVERIFY(limit && limit->isVisible());
        QTest::keyClick(limit, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(limit, QString::number(kExamples));
        QTest::keyClick(limit, Qt::Key_Tab);
        QCOMPARE(limit->value(), kExamples);
    }
    auto *ok = dialog->findChild<QDialogButtonBox *>()->button(QDialogButtonBox::Ok);
    QTRY_VERIFY_WITH_TIMEOUT(ok->isEnabled(), kPatienceMs); // the files have been looked into
    click(*ok);
    QTRY_VERIFY(!m_window->findChild<OpenDataDialog *>());
    for (const Domain domain : kBothDomains) {
        const DomainResults &results = state().results(domain);
        QTRY_VERIFY_WITH_TIMEOUT(results.baseline && results.importance && results.confidence && results.ablation
                                     && !results.ablation->manifest.partial,
                                 kPatienceMs);
        QCOMPARE(results.ablation->examples, kExamples);
        QCOMPARE(results.ablation->heads.size(), std::size_t(72));
    }
    QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatienceMs);
    QCOMPARE(m_window->page<HeadsPage>().model().content().valueCount(), 72);
}

void TestWholeJob::clicksAndMasksHeads()
{
    press(Qt::Key_1);
    HeadGridView &grid = m_window->page<HeadsPage>().grid();
    const std::vector<HeadRef> heads = state().layout().heads();
    click(*grid.viewport(), grid.cellRect(heads[3]).center());
    QCOMPARE(state().currentHead(), std::optional(heads[3]));
    // The inspector opens by itself and says the head's number.
    auto *inspector = m_window->findChild<Inspector *>();
    QTRY_VERIFY(inspector->isVisible());
    const auto texts = [&] {
        QString all;
        for (const QLabel *label : inspector->findChildren<QLabel *>())
            all += label->text();
        return all;
    };
    QTRY_VERIFY(texts().contains(QString::fromStdString(toText(heads[3]))));
    QTest::mouseClick(grid.viewport(), Qt::LeftButton, Qt::ControlModifier, grid.cellRect(heads[10]).center());
    QCOMPARE(state().selection().size(), std::size_t(2));
    press(Qt::Key_M);
    QCOMPARE(state().mask(), (HeadMask{heads[3], heads[10]}));
    press(Qt::Key_Z);
    QVERIFY(state().mask().empty());
    press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(state().mask().size(), 2);
    for (const Domain domain : kBothDomains) {
        const DomainResults &results = state().results(domain);
        QTRY_VERIFY_WITH_TIMEOUT(results.masked && results.masked->mask == state().mask()
                                     && results.masked->examples == kExamples,
                                 kPatienceMs);
        const QString shown = m_window->findChild<ScoreBar *>()->scoreText(domain);
        QVERIFY2(!shown.isEmpty(), qPrintable(shown));
    }
    QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatienceMs);
}

void TestWholeJob::slidesAlongACurve()
{
    press(Qt::Key_3);
    QCOMPARE(m_window->currentView(), u"pruning"_s);
    press(Qt::Key_F5, Qt::NoModifier);
    for (const Domain domain : kBothDomains)
        QTRY_VERIFY_WITH_TIMEOUT(!state().results(domain).pruning.empty() && isReady(), kPatienceMs);
    PruningPage &page = m_window->page<PruningPage>();
    QVERIFY(!page.chart().picture().series.empty());
    QSlider &slider = page.slider();
    QVERIFY(slider.isVisible() && slider.isEnabled());
    const int before = state().undoStack().index();
    const auto on = [&](double share) { return QPoint(static_cast<int>(share * slider.width()), slider.height() / 2); };
    QTest::mousePress(&slider, Qt::LeftButton, {}, on(0.1));
    for (const double share : {0.15, 0.2, 0.25})
        QTest::mouseMove(&slider, on(share));
    QTest::mouseRelease(&slider, Qt::LeftButton, {}, on(0.25));
    QTest::qWait(700); // a drag is over when nothing has moved for a while
    QCOMPARE(state().undoStack().index(), before + 1);
    QVERIFY2(state().mask().size() > 10 && state().mask().size() < 26,
             qPrintable(QString::number(state().mask().size())));
    QTRY_VERIFY_WITH_TIMEOUT(
        state().results(Domain::In).masked && state().results(Domain::In).masked->mask == state().mask(), kPatienceMs);
    press(Qt::Key_Z);
    QCOMPARE(state().mask().size(), 2); // what was masked by hand is there again
    QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatienceMs);
    m_mask = state().mask();
}

void TestWholeJob::foldsTheSettingsAway()
{
    PruningPage &page = m_window->page<PruningPage>();
    auto *side = page.findChild<FoldingSide *>();
    QVERIFY(side);
    const bool folded = side->isFolded(); // by the width that the docks leave
    press(Qt::Key_J);
    QCOMPARE(side->isFolded(), !folded);
    if (side->isFolded())
        press(Qt::Key_J);
    QTest::qWait(50);
    QVERIFY(page.curves().isVisible());
    const int narrow = page.chart().width();
    click(*side->findChild<QWidget *>(u"fold"_s));
    QTRY_VERIFY(page.chart().width() > narrow + 100); // the chart has their room
    QVERIFY(!page.curves().isVisible());
    click(side->rail());
    QTRY_COMPARE(page.chart().width(), narrow);
    QVERIFY(page.curves().isVisible());
    click(*side->findChild<QWidget *>(u"fold"_s));
}

void TestWholeJob::looksAtASentenceAndComparesSideBySide()
{
    press(Qt::Key_6);
    QCOMPARE(m_window->currentView(), u"attention"_s);
    AttentionPage &page = m_window->page<AttentionPage>();
    QListView &list = page.list();
    if (page.findChild<FoldingSide *>()->isFolded()) // by the width that the docks leave
        press(Qt::Key_J);
    QTRY_VERIFY(list.isVisible());
    QTRY_VERIFY(list.model()->rowCount() == kExamples);
    const QModelIndex third = list.model()->index(2, 0);
    click(*list.viewport(), list.visualRect(third).center());
    QTRY_VERIFY_WITH_TIMEOUT(state().attention() && isReady(), kPatienceMs);
    QTRY_VERIFY(page.heatMap().isVisible());
    QCheckBox &beside = page.controls().besideBox();
    click(beside, QPoint(8, beside.height() / 2));
    QVERIFY(beside.isChecked());
    QTRY_VERIFY(page.keptViews().isVisible());
    const std::optional<HeadRef> kept = page.keptViews().ownHead();
    QCOMPARE(kept, state().currentHead());
    page.headBox().setFocus();
    QTest::keyClick(&page.headBox(), Qt::Key_Down);
    QVERIFY(state().currentHead() != kept); // another head is shown beside the one that was kept
    QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatienceMs);
    QCOMPARE(page.keptViews().ownHead(), kept);
    for (const AttentionViews *views : {&page.views(), &page.keptViews()}) {
        QVERIFY(views->heatMap().isVisible() && views->heatMap().width() > 150);
        QVERIFY2(page.rect().contains(QRect(views->mapTo(&page, QPoint()), views->size())), "a pane is cropped");
    }
}

void TestWholeJob::exportAs(const QString &file)
{
    press(Qt::Key_E);
    QTRY_VERIFY(m_window->findChild<ExportDialog *>());
    auto *dialog = m_window->findChild<ExportDialog *>();
    if (file.endsWith(u".csv")) {
        QComboBox *formats = nullptr;
        for (QComboBox *box : dialog->findChildren<QComboBox *>()) {
            if (box->findText(u"CSV table"_s) >= 0)
                formats = box;
        }
        QVERIFY(formats);
        QTest::keyClicks(formats, u"CSV"_s); // a box goes to the entry that begins so
        QCOMPARE(formats->currentText(), u"CSV table"_s);
    }
    auto *line = named<QLineEdit>(*dialog, u"File"_s);
    QVERIFY(line && line->isVisible());
    type(*line, file);
    click(*dialog->findChild<QDialogButtonBox *>()->button(QDialogButtonBox::Save));
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->findChild<ExportDialog *>(), kPatienceMs);
}

void TestWholeJob::exportsPictureAndTable()
{
    press(Qt::Key_1);
    exportAs(path(u"grid.png"_s));
    const QImage picture(path(u"grid.png"_s));
    QVERIFY(picture.width() > 1000 && picture.height() > 300);
    QVERIFY(QFile::exists(manifestPathFor(path(u"grid.png"_s))));
    exportAs(path(u"grid.csv"_s));
    QFile file(path(u"grid.csv"_s));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = file.readAll().trimmed().split('\n');
    QCOMPARE(lines.size(), 73);
    const QList<QByteArray> names = lines[0].trimmed().split(',');
    for (qsizetype row = 1; row < lines.size(); ++row) {
        const QList<QByteArray> fields = lines[row].trimmed().split(',');
        const std::string head = fields.value(names.indexOf("head")).toStdString();
        const auto &measured = state().results(Domain::In).ablation->heads;
        const auto found
            = std::ranges::find_if(measured, [&](const HeadAblation &one) { return toText(one.head) == head; });
        QVERIFY2(found != measured.end(), head.c_str());
        QCOMPARE(fields.value(names.indexOf("delta")).toDouble(), found->delta);
    }
}

void TestWholeJob::savesAndQuits()
{
    answerFileDialog(path(u"job.headscope"_s), [this] { press(Qt::Key_S); });
    QTRY_COMPARE_WITH_TIMEOUT(state().studyFile(), path(u"job.headscope"_s), kPatienceMs);
    QTRY_VERIFY(!m_window->controller().files().isModified() && isReady());
    for (const Domain domain : kBothDomains)
        m_deltas[domain == Domain::In ? 0 : 1] = state().results(domain).ablation->heads.front().delta;
    press(Qt::Key_Q);
    QTRY_VERIFY(!m_window->isVisible());
    m_window.reset();
}

void TestWholeJob::reopensAsItWas()
{
    m_window = std::make_unique<MainWindow>();
    show();
    answerFileDialog(path(u"job.headscope"_s), [this] { press(Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier); });
    QTRY_VERIFY_WITH_TIMEOUT(isReady() && state().model(), kPatienceMs);
    QCOMPARE(state().mask(), m_mask);
    for (const Domain domain : kBothDomains) {
        const DomainResults &results = state().results(domain);
        QVERIFY(results.baseline && results.importance && results.confidence && results.ablation && results.masked);
        QCOMPARE(results.ablation->heads.front().delta, m_deltas[domain == Domain::In ? 0 : 1]);
        QCOMPARE(results.masked->mask, m_mask);
        QVERIFY(!results.pruning.empty());
    }
    // Nothing is computed again: what has run only read files.
    for (const JobInfo &job : m_window->controller().queue().jobs()) {
        for (const Domain domain : kBothDomains)
            QVERIFY2(!job.spec.name.endsWith(domainName(domain)) || job.spec.name.startsWith(u"Read "),
                     qPrintable(job.spec.name));
    }
    QCOMPARE(m_window->currentView(), u"heads"_s);
}

QTEST_MAIN(TestWholeJob)
#include "tst_wholejob.moc"
