// The window fits half of a laptop's screen, with the demo open, on every page.
#include "core/session/demo.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/support/testfont.h"
#include "ui/dialogs/aboutdialog.h"
#include "ui/dialogs/clusterdialog.h"
#include "ui/dialogs/opendatadialog.h"
#include "ui/dialogs/openremotedialog.h"
#include "ui/dialogs/packdialog.h"
#include "ui/dialogs/savepruneddialog.h"
#include "ui/exporting/exportdialog.h"
#include "ui/language/language.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/mainwindow/sidedock.h"
#include "ui/pages/pageregistry.h"
#include "ui/views/captionlabel.h"
#include "ui/views/elidedlabel.h"
#include "ui/views/pagescroller.h"

#include <QAbstractButton>
#include <QCheckBox>
#include <QComboBox>
#include <QCommandLinkButton>
#include <QDialog>
#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {
/// Half of a laptop's screen; larger fonts may take more.
QSize largestMinimum()
{
    return QSizeF(QSizeF(680, 480) * testing::fontScale()).toSize();
}

/// What holds a window open: widgets that want more than `limit`, with what they want.
void listWide(const QWidget *widget, const QSize &limit, int depth, QStringList &list)
{
    const QSize wanted = widget->minimumSizeHint().expandedTo(widget->minimumSize());
    if (wanted.width() >= limit.width() || wanted.height() >= limit.height())
        list << u"%1%2 %3 %4x%5"_s
                    .arg(QString(depth * 2, u' '), QString::fromLatin1(widget->metaObject()->className()),
                         widget->objectName())
                    .arg(wanted.width())
                    .arg(wanted.height());
    for (const QObject *child : widget->children()) {
        if (child->isWidgetType() && !static_cast<const QWidget *>(child)->isWindow())
            listWide(static_cast<const QWidget *>(child), limit, depth + 1, list);
    }
}
} // namespace

namespace {

/// What of `text` has no room in `room` pixels.
bool isCut(const QFontMetrics &metrics, const QString &text, int room)
{
    return !text.isEmpty() && metrics.horizontalAdvance(text) > room + 1;
}

QString plain(QString text)
{
    return text.remove(u'&');
}

/// The texts of a widget that are cropped, each with the room that it has.
QStringList croppedTexts(const QWidget &widget)
{
    QStringList cropped;
    const QFontMetrics metrics = widget.fontMetrics();
    const auto add = [&](const QString &text, int room) {
        cropped << u"%1 “%2”: %3 of %4 px"_s.arg(QString::fromLatin1(widget.metaObject()->className()), text)
                       .arg(room)
                       .arg(metrics.horizontalAdvance(text));
    };
    if (const auto *box = qobject_cast<const QComboBox *>(&widget)) {
        QStyleOptionComboBox option;
        option.initFrom(box);
        option.editable = box->isEditable();
        const int room
            = box->style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, box).width();
        // Names of measures and models are of any length: those that can be cut have a tool tip with the whole.
        if (isCut(metrics, box->currentText(), room) && box->toolTip() != box->currentText())
            add(box->currentText(), room);
    } else if (const auto *bar = qobject_cast<const QTabBar *>(&widget)) {
        for (int tab = 0; tab < bar->count(); ++tab) {
            if (bar->isTabVisible(tab) && isCut(metrics, plain(bar->tabText(tab)), bar->tabRect(tab).width()))
                add(bar->tabText(tab), bar->tabRect(tab).width());
        }
    } else if (const auto *button = qobject_cast<const QAbstractButton *>(&widget)) {
        const auto *tool = qobject_cast<const QToolButton *>(button);
        const bool showsText = tool
                                 ? tool->toolButtonStyle() != Qt::ToolButtonIconOnly && tool->icon().isNull()
                                 : qobject_cast<const QPushButton *>(button) || qobject_cast<const QCheckBox *>(button);
        if (showsText && !qobject_cast<const QCommandLinkButton *>(button)
            && isCut(metrics, plain(button->text()), button->width()))
            add(button->text(), button->width());
    } else if (const auto *label = qobject_cast<const QLabel *>(&widget)) {
        const bool isPlain = label->textFormat() == Qt::PlainText
                          || (label->textFormat() == Qt::AutoText && !Qt::mightBeRichText(label->text()));
        const bool saysAllByItself = dynamic_cast<const ElidedLabel *>(label)
                                  || dynamic_cast<const CaptionLabel *>(label); // when it is pointed at
        if (isPlain && !label->wordWrap() && !saysAllByItself
            && isCut(metrics, plain(label->text()), label->contentsRect().width()))
            add(label->text(), label->contentsRect().width());
        if (label->wordWrap() && label->heightForWidth(label->width()) > label->height() + 2)
            cropped << u"%1 “%2…”: %3 of %4 px high"_s
                           .arg(QString::fromLatin1(label->metaObject()->className()), label->text().left(40))
                           .arg(label->height())
                           .arg(label->heightForWidth(label->width()));
    }
    return cropped;
}

} // namespace

/// Around the page that is shown.
static PageScroller *pageScroller(const MainWindow &window)
{
    for (PageScroller *scroller : window.findChildren<PageScroller *>()) {
        if (scroller->isVisible())
            return scroller;
    }
    return nullptr;
}

class TestWindowSize final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void minimumFitsHalfAScreen();
    void nothingScrollsWhereThereIsRoom();
    void dialogsFitASmallScreen();
    void captionsHaveTwoLines();
    void noTextIsCropped_data();
    void noTextIsCropped();

private:
    QTemporaryDir m_folder;
};

void TestWindowSize::initTestCase()
{
    if (!testing::useTestFont())
        QSKIP("This machine does not have the font.");
    QStandardPaths::setTestModeEnabled(true);
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    useLanguage(); // LANGUAGE in the environment
}

void TestWindowSize::minimumFitsHalfAScreen()
{
    MainWindow window;
    window.show();
    window.openDemo();
    QTRY_VERIFY_WITH_TIMEOUT(window.state().session() && window.controller().queue().isIdle(), 60'000);
    for (const PageEntry &entry : pageRegistry()) {
        const QString view = entry.info.id;
        window.showView(view);
        QTest::qWait(50); // pages that are shown first ask for more
        QTRY_VERIFY_WITH_TIMEOUT(window.controller().queue().isIdle(), 60'000);
        QTest::qWait(50); // and show it
        const QSize least = window.minimumSizeHint();
        QStringList wide;
        if (least.width() > largestMinimum().width() || least.height() > largestMinimum().height())
            listWide(&window, {150, 150}, 0, wide);
        QVERIFY2(wide.isEmpty(),
                 qPrintable(u"%1 %2x%3\n"_s.arg(view).arg(least.width()).arg(least.height()) + wide.join(u'\n')));
        const QSize small = least.expandedTo({680, 480});
        window.resize(small);
        QTest::qWait(50);
        QCOMPARE(window.size(), small);
        const auto *shown = window.findChild<QStackedWidget *>();
        if (const auto *scroller = pageScroller(window)) // by the mouse and by keys: nothing is out of reach
            QVERIFY(scroller->widget()->width()
                    <= scroller->viewport()->width() + scroller->horizontalScrollBar()->maximum());
        QVERIFY2(shown->width() >= 400, qPrintable(view + QString::number(shown->width())));
        keepPicture(window, u"TestWindowSize-"_s + view);
    }
}

void TestWindowSize::nothingScrollsWhereThereIsRoom()
{
    MainWindow window;
    window.show();
    window.openDemo();
    QTRY_VERIFY_WITH_TIMEOUT(window.state().session() && window.controller().queue().isIdle(), 60'000);
    window.state().selectHead(window.state().layout().heads().front());
    const auto *study = window.findChild<QDockWidget *>(u"studyDock"_s);
    const auto *inspector = window.findChild<QDockWidget *>(u"inspectorDock"_s);
    window.resize(680, 480);
    QTRY_VERIFY(!study->isVisible() && !inspector->isVisible());
    window.resize(QSizeF(QSizeF(1280, 800) * testing::fontScale()).toSize());
    for (const PageEntry &entry : pageRegistry()) { // where there is room, nothing scrolls
        const QString view = entry.info.id;
        if (!entry.info.needsModel)
            continue;
        window.showView(view);
        QTest::qWait(20);
        const QSize page = pageScroller(window)->widget()->size();
        const QSize seen = pageScroller(window)->viewport()->size();
        QVERIFY2(page == seen, qPrintable(u"%1: %2x%3 on %4x%5"_s.arg(view)
                                              .arg(page.width())
                                              .arg(page.height())
                                              .arg(seen.width())
                                              .arg(seen.height())));
    }
    QTRY_VERIFY(inspector->isVisible() && study->isVisible() && inspector->x() > study->x() + study->width());
    const QSize laptop = QSizeF(QSizeF(1024, 600) * testing::fontScale()).toSize();
    window.resize(laptop);
    QTest::qWait(50);
    QCOMPARE(window.size(), laptop);
}

/// 1440 × 810 at scale 1.5: no dialog is larger, nor opens larger.
void TestWindowSize::dialogsFitASmallScreen()
{
    const QSize screen = QSizeF(QSizeF(960, 540) * testing::fontScale()).toSize();
    MainWindow window;
    window.resize(screen);
    window.show();
    window.openDemo();
    QTRY_VERIFY_WITH_TIMEOUT(window.state().session() && window.controller().queue().isIdle(), 60'000);
    window.showView(u"domains"_s);
    OpenDataDialog data(window.state(), window.controller().queue(), &window);
    ExportDialog exports(window.currentPage()->exportItems(), m_folder.path(), &window);
    AboutDialog about(&window);
    PackDialog pack(window.state().model()->folder, m_folder.filePath(u"study.zip"_s), &window);
    OpenRemoteDialog remote(window.controller().queue(), &window);
    window.state().setMask(HeadMask{window.state().layout().heads().front()}, u"one head"_s);
    SavePrunedDialog pruned(window.state(), window.controller(), m_folder.path(), &window);
    ClusterDialog cluster(window.state(), window.cluster(), &window);
    for (QDialog *dialog :
         std::initializer_list<QDialog *>{&data, &exports, &about, &pack, &remote, &pruned, &cluster}) {
        dialog->show();
        QTest::qWait(50);
        const QString text = u"%1: opens at %2x%3, least %4x%5"_s.arg(dialog->windowTitle())
                                 .arg(dialog->width())
                                 .arg(dialog->height())
                                 .arg(dialog->minimumSizeHint().width())
                                 .arg(dialog->minimumSizeHint().height());
        QVERIFY2(dialog->width() <= screen.width() && dialog->height() <= screen.height(), qPrintable(text));
        keepPicture(*dialog, u"TestWindowSize-"_s + dialog->windowTitle());
        dialog->hide();
    }
}

/// Lines of their own were written over each other.
void TestWindowSize::captionsHaveTwoLines()
{
    const auto painted = [](const QString &text) {
        CaptionLabel label;
        label.setText(text);
        label.resize(200, label.sizeHint().height());
        return label.grab().toImage();
    };
    QCOMPARE(painted(u"40 heads near each other\nStress: 0.38\nNearest: encoder.0.1"_s),
             painted(u"40 heads near each other Stress: 0.38 Nearest: encoder.0.1"_s));
}

void TestWindowSize::noTextIsCropped_data()
{
    QTest::addColumn<QSize>("size");
    QTest::addColumn<bool>("folded");
    QTest::newRow("1024 × 700, docks folded") << QSize(1024, 700) << true;
    QTest::newRow("1280 × 800, docks folded") << QSize(1280, 800) << true;
    QTest::newRow("1280 × 800, docks open") << QSize(1280, 800) << false;
}

/// Labels, buttons, boxes and tabs of every page.
void TestWindowSize::noTextIsCropped()
{
    QFETCH(QSize, size);
    QFETCH(bool, folded);
    MainWindow window;
    window.show();
    window.openDemo();
    QTRY_VERIFY_WITH_TIMEOUT(window.state().session() && window.controller().queue().isIdle(), 60'000);
    window.state().selectHead(window.state().layout().heads().front());
    window.resize(QSizeF(QSizeF(size) * testing::fontScale()).toSize());
    QStringList cropped;
    for (const PageEntry &entry : pageRegistry()) {
        const QString view = entry.info.id;
        window.showView(view);
        QTest::qWait(60); // docks have a state for narrow windows
        for (const char *name : {"studyDock", "inspectorDock"})
            window.findChild<SideDock *>(QString::fromLatin1(name))->setFolded(folded);
        QTest::qWait(60);
        QCoreApplication::sendPostedEvents(); // a count of a job may just have become longer
        for (const QWidget *widget : window.findChildren<QWidget *>()) {
            if (!widget->isVisible())
                continue;
            for (const QString &text : croppedTexts(*widget))
                cropped << u"%1: %2"_s.arg(view, text);
        }
    }
    cropped.removeDuplicates();
    for (const QString &text : cropped)
        qInfo("%s", qPrintable(text));
    QVERIFY2(cropped.isEmpty(), qPrintable(u'\n' + cropped.join(u'\n')));
}

QTEST_MAIN(TestWindowSize)
#include "tst_windowsize.moc"
