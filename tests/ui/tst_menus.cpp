// Every entry of every menu, by real events: what can be chosen does something that a user sees, what cannot says why.
#include "core/analysis/importancespec.h"
#include "tests/support/nowarnings.h"
#include "ui/guide/guidewindow.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/mainwindow/theme.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <memory>
#include <optional>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

QString plain(const QAction &action)
{
    return QString(action.text()).remove(u'&');
}

/// "File > Recent > /a/b"; menus before their entries.
struct Entry
{
    QList<QAction *> way;
    QString name;
    QAction &action() const { return *way.back(); }
};

void collect(const QList<QAction *> &actions, const QList<QAction *> &above, QList<Entry> &entries)
{
    for (QAction *action : actions) {
        if (action->isSeparator() || !action->isVisible())
            continue;
        const QList<QAction *> way = above + QList<QAction *>{action};
        if (QMenu *menu = action->menu()) {
            Q_EMIT menu->aboutToShow(); // some are filled then
            collect(menu->actions(), way, entries);
            continue;
        }
        QStringList names;
        for (const QAction *step : way)
            names << plain(*step);
        entries << Entry{way, names.join(u" > "_s)};
    }
}

QList<Entry> entriesOf(const MainWindow &window)
{
    QList<Entry> entries;
    collect(window.menuBar()->actions(), {}, entries);
    return entries;
}

/// By the mouse, menu by menu.
void choose(const MainWindow &window, const Entry &entry)
{
    QWidget *at = window.menuBar();
    for (QAction *step : entry.way) {
        auto *bar = qobject_cast<QMenuBar *>(at);
        auto *menu = qobject_cast<QMenu *>(at);
        const QPoint point = (bar ? bar->actionGeometry(step) : menu->actionGeometry(step)).center();
        if (menu && step->menu())
            QTest::mouseMove(at, point); // Qt 6.8 opens no menu inside of another without it
        QTest::mouseClick(at, Qt::LeftButton, {}, point);
        if (!step->menu())
            return;
        at = step->menu();
        QTRY_VERIFY2(at->isVisible(), qPrintable(entry.name));
    }
}

/// What a user sees of the window and around it, in words.
QString looks(MainWindow &window)
{
    QStringList parts;
    StudyState &state = window.state();
    parts << window.currentView() << window.windowTitle() << QString::number(window.isVisible());
    for (const QWidget *widget : QApplication::topLevelWidgets()) {
        if (widget->isVisible() && !qobject_cast<const QMenu *>(widget))
            parts << QString::fromLatin1(widget->metaObject()->className()) + widget->windowTitle();
    }
    for (const QDockWidget *dock : window.findChildren<QDockWidget *>())
        parts << dock->objectName() + QString::number(dock->isVisible());
    for (const QAction *action : window.findChildren<QAction *>()) {
        if (action->isCheckable())
            parts << plain(*action) + QString::number(action->isChecked());
    }
    parts << QString::fromStdString(toText(state.mask())) << QString::number(state.undoStack().index());
    for (const Domain domain : kBothDomains)
        parts << QString::number(state.data(domain).has_value());
    qint64 newest = 0;
    for (const JobInfo &job : window.controller().queue().jobs())
        newest = std::max(newest, job.id);
    parts << QString::number(newest) << QString::number(window.controller().queue().isIdle());
    const QMimeData *copied = QGuiApplication::clipboard()->mimeData();
    parts << (copied ? copied->formats().join(u' ') : QString());
    parts << QApplication::palette().color(QPalette::Window).name();
    if (const QWidget *focus = QApplication::focusWidget())
        parts << QString::fromLatin1(focus->metaObject()->className());
    if (const GuideWindow *guide = window.guide())
        parts << guide->currentPage();
    return parts.join(u'\n');
}

} // namespace

class TestMenus final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void cleanup();
    void everyEntryActs_data();
    void everyEntryActs();

private:
    void prepare(MainWindow &window, const Entry &entry);
    void settle(MainWindow &window);

    QTemporaryDir m_folder;
};

void TestMenus::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setOrganizationName(u"Headscope"_s);
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
}

void TestMenus::cleanup()
{
    applyTheme(Theme::System);
}

void TestMenus::everyEntryActs_data()
{
    QTest::addColumn<bool>("demo");
    QTest::newRow("nothing open") << false;
    QTest::newRow("demo") << true;
}

/// A window in which the entry has something to do.
void TestMenus::prepare(MainWindow &window, const Entry &entry)
{
    QGuiApplication::clipboard()->clear();
    const bool model = window.state().model() != nullptr;
    if (entry.name.startsWith(u"View > "_s) && model) {
        // Another page than the one that the entry leads to; a layout that is not the usual one.
        window.showView(entry.name.endsWith(u"Pruning"_s) ? u"heads"_s : u"pruning"_s);
        if (entry.name.endsWith(u"Reset layout"_s))
            window.findChild<QDockWidget *>(u"studyDock"_s)->hide();
    } else if (model) {
        window.showView(u"heads"_s);
    }
    if (entry.name.contains(u"Theme"_s))
        applyTheme(entry.name.endsWith(u"Dark"_s) ? Theme::Light : Theme::Dark);
    if (entry.name.contains(u"Language"_s)) { // another one is chosen
        for (QAction *other : entry.way[entry.way.size() - 2]->menu()->actions()) {
            if (other != &entry.action())
                other->setChecked(true);
        }
    }
    if (model) {
        const auto &heads = window.state().layout().heads();
        window.state().setMask({heads[1]}, u"one"_s);
        window.state().setMask({heads[1], heads[2]}, u"two"_s);
        window.state().undoStack().undo(); // there is something to undo and to do again
        window.state().selectHead(heads[3]);
        if (entry.name.endsWith(u"Cancel all jobs"_s))
            window.controller().start(Domain::In, ImportanceSpec{});
    }
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    if (!entry.name.endsWith(u"Cancel all jobs"_s))
        settle(window);
    QTest::qWait(50); // another theme lays the menus out anew
}

void TestMenus::settle(MainWindow &window)
{
    QTRY_VERIFY_WITH_TIMEOUT(window.controller().queue().isIdle(), 120'000);
}

void TestMenus::everyEntryActs()
{
    QFETCH(bool, demo);
    const auto fresh = [&] {
        auto window = std::make_unique<MainWindow>();
        window->resize(1280, 800);
        window->show();
        if (demo)
            window->openDemo();
        return window;
    };
    std::unique_ptr<MainWindow> window = fresh();
    if (demo)
        QTRY_VERIFY_WITH_TIMEOUT(window->state().session() != nullptr, 60'000);
    settle(*window);

    // What opens in a loop of its own is told, and sent away.
    std::optional<QString> modal;
    QTimer watch;
    watch.setInterval(50);
    connect(&watch, &QTimer::timeout, this, [&] {
        if (auto *dialog = qobject_cast<QDialog *>(QApplication::activeModalWidget())) {
            modal = dialog->windowTitle();
            dialog->reject();
        }
    });
    watch.start();

    int acted = 0;
    int greyed = 0;
    const int count = static_cast<int>(entriesOf(*window).size());
    for (int i = 0; i < count; ++i) {
        QList<Entry> entries = entriesOf(*window);
        QVERIFY(i < entries.size());
        prepare(*window, entries[i]);
        if (QTest::currentTestFailed())
            return;
        entries = entriesOf(*window); // some menus have been filled anew
        if (i >= entries.size())
            break;
        const Entry &entry = entries[i];
        if (!entry.action().isEnabled()) {
            ++greyed;
            // Undo, redo, empty lists and nothing to cancel explain themselves.
            const bool plainWhy = entry.name.endsWith(u"Undo"_s) || entry.name.endsWith(u"Redo"_s)
                               || entry.name.endsWith(u"Cancel all jobs"_s) || entry.way.size() == 3;
            QVERIFY2(plainWhy || !entry.action().statusTip().isEmpty(),
                     qPrintable(entry.name + u" does not say why it is grey"_s));
            continue;
        }
        if (entry.action().actionGroup() && entry.action().isChecked())
            continue; // the choice that holds already
        modal.reset();
        const QString before = looks(*window);
        choose(*window, entry);
        if (QTest::currentTestFailed())
            return;
        QTRY_VERIFY2_WITH_TIMEOUT(modal || looks(*window) != before, qPrintable(entry.name + u" does nothing"_s), 5000);
        ++acted;
        for (QWidget *widget : QApplication::topLevelWidgets()) {
            if (widget->isVisible() && widget != window.get() && !qobject_cast<QMenu *>(widget))
                widget->close();
        }
        window->controller().queue().cancelAll();
        settle(*window);
        // What closes the window or takes its data away has done its part.
        const bool taken = !window->isVisible()
                        || (demo && (!window->state().data(Domain::In) || !window->state().data(Domain::Out)))
                        || (!demo && window->state().model());
        if (taken) {
            window = fresh();
            if (demo)
                QTRY_VERIFY_WITH_TIMEOUT(window->state().session() != nullptr, 60'000);
            settle(*window);
        }
        if (QTest::currentTestFailed())
            return;
    }
    qInfo("%d entries act, %d are grey and say why", acted, greyed);
    QVERIFY(acted > (demo ? 30 : 8));
}

QTEST_MAIN(TestMenus)
#include "tst_menus.moc"
