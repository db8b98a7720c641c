// The user guide: whole, about every page of the window, and opened by F1 and the menu Help.
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/support/testfont.h"
#include "ui/guide/guidefiles.h"
#include "ui/guide/guidewindow.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/pages/pageregistry.h"
#include "ui/views/inspector.h"
#include "ui/views/studypanel.h"

#include <QAction>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPixmap>
#include <QScrollBar>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>
#include <QToolBar>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <QUrl>

#include <memory>
#include <utility>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

QString folder()
{
    return guideFolder().valueOrThrow();
}

QStringList pages()
{
    return QDir(folder()).entryList({u"*.md"_s}, QDir::Files, QDir::Name);
}

std::unique_ptr<QTextDocument> document(const QString &file)
{
    QFile page(file);
    auto text = std::make_unique<QTextDocument>();
    if (page.open(QFile::ReadOnly))
        text->setMarkdown(QString::fromUtf8(page.readAll()));
    return text;
}

template<typename Use>
void forEachFragment(const QTextDocument &text, Use use)
{
    for (QTextBlock block = text.begin(); block.isValid(); block = block.next()) {
        for (auto at = block.begin(); !at.atEnd(); ++at)
            use(at.fragment().charFormat());
    }
}

bool hasHeading(const QTextDocument &text, const QString &anchor)
{
    for (QTextBlock block = text.begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() > 0 && headingAnchor(block.text()) == anchor)
            return true;
    }
    return false;
}

/// Links and pictures of a page that lead nowhere.
QStringList broken(const QString &file)
{
    const QDir base = QFileInfo(file).dir();
    const auto text = document(file);
    QStringList list;
    forEachFragment(*text, [&](const QTextCharFormat &format) {
        if (format.isImageFormat() && QImage(base.filePath(format.toImageFormat().name())).isNull())
            list << format.toImageFormat().name();
        const QUrl link(format.anchorHref());
        if (!format.isAnchor() || link.scheme().startsWith(u"http"))
            return;
        const QString target = link.path().isEmpty() ? file : base.filePath(link.path());
        if (!QFileInfo::exists(target) || (link.hasFragment() && !hasHeading(*document(target), link.fragment())))
            list << format.anchorHref();
    });
    return list;
}

QAction *toolBarAction(const GuideWindow &guide, const QString &text)
{
    for (QAction *action : guide.findChild<QToolBar *>()->actions()) {
        if (action->text().contains(text))
            return action;
    }
    return nullptr;
}

} // namespace

class TestGuide final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void everyPageOfTheWindowIsExplained_data();
    void everyPageOfTheWindowIsExplained();
    void everyPageIsInTheContents();
    void linksAndPicturesLeadSomewhere_data();
    void linksAndPicturesLeadSomewhere();
    void pagesFitTheWindow_data() { linksAndPicturesLeadSomewhere_data(); }
    void pagesFitTheWindow();
    void picturesFollowTheWidth();
    void linkToAHeadingScrollsThere();
    void goesBackAndForward();
    void findsText();
    void contentsChoosePages();
    void f1OpensThePage_data();
    void f1OpensThePage();
    void f1InADockIsAboutThePage();
    void menuHelpOpensIt();
    void closesWithTheWindow();
    void remembersItsSize();
    void anchorsAreThoseOfGitHub();

private:
    void pressF1(QWidget &in);

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window; ///< with the demo open
};

void TestGuide::initTestCase()
{
    if (!testing::useTestFont())
        QSKIP("This machine does not have the font.");
    QStandardPaths::setTestModeEnabled(true);
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    QVERIFY2(guideFolder().isOk(), guideFolder().isError() ? guideFolder().error().message.c_str() : "");
    QVERIFY(pages().size() > 10);
    m_window = std::make_unique<MainWindow>();
    m_window->show();
    m_window->openDemo();
    QTRY_VERIFY_WITH_TIMEOUT(m_window->state().session() && m_window->controller().queue().isIdle(), 60'000);
}

void TestGuide::everyPageOfTheWindowIsExplained_data()
{
    QTest::addColumn<QString>("view");
    for (const QString &view : viewNames())
        QTest::newRow(qPrintable(view)) << view;
}

void TestGuide::everyPageOfTheWindowIsExplained()
{
    QFETCH(QString, view);
    const QString file = QDir(folder()).filePath(guideFile(view));
    QVERIFY2(QFileInfo::exists(file), qPrintable(file));
    const auto text = document(file);
    QCOMPARE(text->begin().blockFormat().headingLevel(), 1);
    // It is called as its tab is, and shows it.
    if (const PageInfo *page = findPage(view))
        QVERIFY2(text->begin().text().startsWith(QString(page->title).remove(u'&')), qPrintable(text->begin().text()));
    bool shows = false;
    forEachFragment(*text, [&](const QTextCharFormat &format) {
        shows = shows || format.toImageFormat().name() == u"../screenshots/"_s + view + u".png"_s;
    });
    QVERIFY(shows);
}

void TestGuide::everyPageIsInTheContents()
{
    QFile index(QDir(folder()).filePath(u"index.md"_s));
    QVERIFY(index.open(QFile::ReadOnly));
    QStringList listed{u"index.md"_s};
    for (const GuideEntry &entry : guideContents(QString::fromUtf8(index.readAll()))) {
        QVERIFY(!entry.title.isEmpty());
        if (!entry.file.isEmpty())
            listed << entry.file;
    }
    listed.sort();
    QCOMPARE(listed, pages()); // each of them once
}

void TestGuide::linksAndPicturesLeadSomewhere_data()
{
    QTest::addColumn<QString>("page");
    for (const QString &page : pages())
        QTest::newRow(qPrintable(page)) << QDir(folder()).filePath(page);
}

void TestGuide::linksAndPicturesLeadSomewhere()
{
    QFETCH(QString, page);
    QVERIFY2(broken(page).isEmpty(), qPrintable(broken(page).join(u'\n')));
    if (page.endsWith(u"index.md")) { // and the way to the guide
        const QString readme = qEnvironmentVariable("HEADSCOPE_SOURCE_DIR") + u"/README.md"_s;
        QVERIFY(QFileInfo::exists(readme));
        QVERIFY2(broken(readme).isEmpty(), qPrintable(broken(readme).join(u'\n')));
    }
}

void TestGuide::pagesFitTheWindow()
{
    QFETCH(QString, page);
    GuideWindow guide;
    guide.show();
    guide.showPage(QFileInfo(page).fileName());
    QTest::qWait(0);
    QCOMPARE(guide.currentPage(), QFileInfo(page).fileName());
    QVERIFY(guide.browser().document()->characterCount() > 300);
    QVERIFY2(guide.browser().horizontalScrollBar()->maximum() == 0,
             qPrintable(QString::number(guide.browser().horizontalScrollBar()->maximum())));
    keepPicture(guide, u"TestGuide-"_s + guide.currentPage());
}

void TestGuide::picturesFollowTheWidth()
{
    GuideWindow guide;
    guide.show();
    guide.showPage(u"heads.md"_s);
    const auto pictureWidth = [&] {
        const QVariant picture
            = guide.browser().document()->resource(QTextDocument::ImageResource, QUrl(u"../screenshots/heads.png"_s));
        return picture.value<QImage>().isNull() ? picture.value<QPixmap>().width() : picture.value<QImage>().width();
    };
    const auto fits = [&] {
        const int room = guide.browser().viewport()->width();
        return pictureWidth() <= room && pictureWidth() > room - 80;
    };
    QTRY_VERIFY(fits());
    guide.resize(700, 600);
    QTRY_VERIFY(fits());
    guide.resize(1200, 700);
    QTRY_VERIFY(fits());
    QCOMPARE(guide.browser().horizontalScrollBar()->maximum(), 0);
}

void TestGuide::linkToAHeadingScrollsThere()
{
    GuideWindow guide;
    guide.resize(800, 500);
    guide.show();
    guide.showPage(u"numbers.md#importance"_s);
    QTest::qWait(0);
    QCOMPARE(guide.currentPage(), u"numbers.md"_s);
    const QTextCursor top = guide.browser().cursorForPosition({20, 12});
    QCOMPARE(top.block().text(), u"Importance"_s);
}

void TestGuide::goesBackAndForward()
{
    GuideWindow guide;
    guide.show();
    guide.showPage(u"heads.md"_s);
    guide.showPage(u"roles.md"_s);
    QVERIFY(toolBarAction(guide, u"Back"_s)->isEnabled());
    guide.activateWindow();
    QTRY_VERIFY(guide.isActiveWindow());
    QTest::keyClick(&guide.browser(), Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(guide.currentPage(), u"heads.md"_s);
    QCOMPARE(guide.contents().currentItem()->text(0), u"Heads"_s);
    QVERIFY(guide.contents().currentItem()->isSelected());
    QTest::keyClick(&guide.browser(), Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(guide.currentPage(), u"roles.md"_s);
    QVERIFY(!toolBarAction(guide, u"Forward"_s)->isEnabled());
}

void TestGuide::findsText()
{
    GuideWindow guide;
    guide.show();
    guide.activateWindow();
    QTRY_VERIFY(guide.isActiveWindow());
    guide.showPage(u"roles.md"_s);
    const QAction *missing = nullptr;
    for (QAction *action : guide.findChild<QToolBar *>()->actions()) {
        const auto *label = qobject_cast<QLabel *>(guide.findChild<QToolBar *>()->widgetForAction(action));
        missing = label ? action : missing;
    }
    QVERIFY(missing && !missing->isVisible());
    QTest::keyClick(&guide.browser(), Qt::Key_F, Qt::ControlModifier);
    QVERIFY(guide.findEdit().hasFocus());
    QTest::keyClicks(&guide.findEdit(), u"syntactic"_s);
    QTest::keyClick(&guide.findEdit(), Qt::Key_Return);
    QCOMPARE(guide.browser().textCursor().selectedText().toLower(), u"syntactic"_s);
    const int first = guide.browser().textCursor().position();
    QTest::keyClick(&guide.findEdit(), Qt::Key_Return);
    QVERIFY(guide.browser().textCursor().position() > first);
    for (int i = 0; i < 40; ++i) // and begins anew at the end
        QTest::keyClick(&guide.findEdit(), Qt::Key_Return);
    QCOMPARE(guide.browser().textCursor().selectedText().toLower(), u"syntactic"_s);
    QVERIFY(!missing->isVisible());
    QTest::keyClicks(&guide.findEdit(), u" nowhere"_s);
    QTest::keyClick(&guide.findEdit(), Qt::Key_Return);
    QVERIFY(missing->isVisible());
}

void TestGuide::contentsChoosePages()
{
    GuideWindow guide;
    guide.show();
    QCOMPARE(guide.currentPage(), u"index.md"_s);
    int shown = 0;
    for (QTreeWidgetItemIterator at(&guide.contents()); *at; ++at) {
        const QRect place = guide.contents().visualItemRect(*at);
        const bool heading = (*at)->childCount() > 0;
        const QString before = guide.currentPage();
        guide.contents().scrollToItem(*at);
        QTest::mouseClick(guide.contents().viewport(), Qt::LeftButton, {},
                          guide.contents().visualItemRect(*at).center());
        QVERIFY(place.isValid());
        QCOMPARE(guide.currentPage() == before, heading);
        shown += heading ? 0 : 1;
    }
    QCOMPARE(shown, pages().size() - 1);
    for (const QWidget *widget :
         std::initializer_list<QWidget *>{&guide.contents(), &guide.browser(), &guide.findEdit()})
        QVERIFY(!widget->accessibleName().isEmpty());
}

/// By the key, wherever the guide's own window is.
void TestGuide::pressF1(QWidget &in)
{
    if (m_window->guide())
        m_window->guide()->close();
    m_window->activateWindow();
    QTRY_VERIFY(m_window->isActiveWindow());
    in.setFocus();
    QTest::keyClick(&in, Qt::Key_F1);
    QVERIFY(m_window->guide());
    QTRY_VERIFY(m_window->guide()->isVisible());
}

void TestGuide::f1OpensThePage_data()
{
    everyPageOfTheWindowIsExplained_data();
}

void TestGuide::f1OpensThePage()
{
    QFETCH(QString, view);
    m_window->showView(view);
    QTest::qWait(20);
    QCOMPARE(m_window->currentView(), view);
    QWidget *focus = m_window->focusWidget();
    pressF1(focus ? *focus : *m_window);
    QCOMPARE(m_window->guide()->currentPage(), view + u".md"_s);
}

void TestGuide::f1InADockIsAboutThePage()
{
    m_window->showView(u"pruning"_s);
    for (QWidget *dock :
         std::initializer_list<QWidget *>{m_window->findChild<Inspector *>(), m_window->findChild<StudyPanel *>()}) {
        QVERIFY(dock);
        m_window->showView(u"pruning"_s);
        if (m_window->guide())
            m_window->guide()->showPage(u"index.md"_s);
        pressF1(*dock);
        QCOMPARE(m_window->guide()->currentPage(), u"pruning.md"_s);
    }
}

void TestGuide::menuHelpOpensIt()
{
    m_window->showView(u"domains"_s);
    QMenu *help = nullptr;
    QAction *shown = nullptr;
    for (QAction *action : m_window->menuBar()->actions()) {
        if (QString(action->text()).remove(u'&') == u"Help")
            help = (shown = action)->menu();
    }
    QVERIFY(help);
    for (const auto &[entry, page] :
         {std::pair(u"Guide"_s, u"domains.md"_s), std::pair(u"Tutorial"_s, u"tutorial.md"_s)}) {
        m_window->activateWindow();
        QTest::mouseClick(m_window->menuBar(), Qt::LeftButton, {}, m_window->menuBar()->actionGeometry(shown).center());
        QTRY_VERIFY(help->isVisible());
        for (QAction *action : help->actions()) {
            if (QString(action->text()).remove(u'&').startsWith(entry))
                QTest::mouseClick(help, Qt::LeftButton, {}, help->actionGeometry(action).center());
        }
        QTRY_VERIFY(!help->isVisible());
        QVERIFY(m_window->guide() && m_window->guide()->isVisible());
        QCOMPARE(m_window->guide()->currentPage(), page);
    }
}

void TestGuide::closesWithTheWindow()
{
    MainWindow window;
    window.show();
    window.showGuide(u"start.md"_s);
    QVERIFY(window.guide()->isVisible());
    window.close();
    QVERIFY(!window.guide()->isVisible());
}

void TestGuide::remembersItsSize()
{
    for (const QSize size : {QSize(900, 640), QSize(780, 560)}) {
        GuideWindow guide;
        guide.useSettings();
        guide.show();
        guide.resize(size);
        guide.close();
        GuideWindow again;
        again.useSettings();
        again.show();
        QCOMPARE(again.size(), size);
    }
}

void TestGuide::anchorsAreThoseOfGitHub()
{
    QCOMPARE(headingAnchor(u"One head a layer"_s), u"one-head-a-layer"_s);
    QCOMPARE(headingAnchor(u"What is it? (C++20)"_s), u"what-is-it-c20"_s);
}

QTEST_MAIN(TestGuide)
#include "tst_guide.moc"
