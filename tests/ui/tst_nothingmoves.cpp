// Nothing moves under the mouse: controls and pictures stay where they are while work is estimated, runs and ends,
// while heads are masked and while the first one is selected.
#include "core/session/demo.h"
#include "tests/support/nowarnings.h"
#include "tests/support/testfont.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/pages/pageregistry.h"
#include "ui/views/studypanel.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLineEdit>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSettings>
#include <QStandardPaths>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

#include <filesystem>
#include <map>
#include <utility>
#include <vector>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

/// What somebody clicks: controls, and the pictures of pages.
bool isAim(const QWidget &widget)
{
    static const QRegularExpression pictures(u"^headscope::\\w+(View|Chart|Grid|HeatMap)$"_s);
    if (qobject_cast<const QScrollBar *>(&widget) || widget.objectName() == u"qt_spinbox_lineedit"_s)
        return false;
    return qobject_cast<const QAbstractButton *>(&widget) || qobject_cast<const QComboBox *>(&widget)
        || qobject_cast<const QAbstractSpinBox *>(&widget) || qobject_cast<const QLineEdit *>(&widget)
        || qobject_cast<const QAbstractSlider *>(&widget) || qobject_cast<const QTabBar *>(&widget)
        || pictures.match(QString::fromLatin1(widget.metaObject()->className())).hasMatch();
}

QString nameOf(const QWidget &widget)
{
    const auto *button = qobject_cast<const QAbstractButton *>(&widget);
    const QString text = button ? button->text() : widget.accessibleName();
    return u"%1 “%2” %3"_s.arg(QString::fromLatin1(widget.metaObject()->className()), text, widget.objectName());
}

struct Place
{
    QRect rect;
    QString name;
};

/// By the widget, or by what it shows: small grids are made anew when more of them have values, some at the address of
/// an old one.
using Places = std::map<std::pair<const QWidget *, QString>, Place>;

Places placesIn(const MainWindow &window)
{
    Places places;
    for (const QWidget *widget : window.findChildren<QWidget *>()) {
        if (!widget->isVisible() || !isAim(*widget) || widget->window() != &window)
            continue;
        const QString name = nameOf(*widget);
        const auto key = widget->inherits("headscope::SmallGrid") ? std::pair<const QWidget *, QString>(nullptr, name)
                                                                  : std::pair<const QWidget *, QString>(widget, {});
        places[key] = {QRect(widget->mapTo(&window, QPoint()), widget->size()), name};
    }
    return places;
}

/// What is at other places than before. Buttons that get another text keep their place and their size.
QStringList moved(const Places &before, const Places &after)
{
    QStringList list;
    for (const auto &[widget, place] : before) {
        const auto now = after.find(widget);
        if (now == after.end() || now->second.rect == place.rect)
            continue;
        const auto text = [](const QRect &rect) {
            return u"%1,%2 %3x%4"_s.arg(rect.x()).arg(rect.y()).arg(rect.width()).arg(rect.height());
        };
        list << u"  %1: %2 → %3"_s.arg(now->second.name, text(place.rect), text(now->second.rect));
    }
    return list;
}

} // namespace

class TestNothingMoves final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void whileWorkComesAndGoes_data() { sizes(); }
    void whileWorkComesAndGoes();
    void whileHeadsAreSelectedAndMasked_data() { sizes(); }
    void whileHeadsAreSelectedAndMasked();

private:
    static void sizes();
    void openDemoModel(MainWindow &window) const;

    QTemporaryDir m_folder;
};

void TestNothingMoves::sizes()
{
    QTest::addColumn<QSize>("size");
    QTest::newRow("1280") << QSize(1280, 800);
    QTest::newRow("1440") << QSize(1440, 900);
    QTest::newRow("1920") << QSize(1920, 1080);
}

void TestNothingMoves::initTestCase()
{
    if (!testing::useTestFont())
        QSKIP("This machine does not have the font.");
    QStandardPaths::setTestModeEnabled(true);
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
}

/// The demo's model with a few of the demo's sentences, of which nothing is computed yet.
void TestNothingMoves::openDemoModel(MainWindow &window) const
{
    const std::filesystem::path demo = demoStudy().valueOrThrow().parent_path();
    for (const Domain domain : kBothDomains) {
        const std::string name = domain == Domain::In ? "in_domain" : "out_of_domain";
        DataSource source;
        source.source = demo / "corpus" / (name + ".en");
        source.reference = demo / "corpus" / (name + ".fr");
        source.limit = 40;
        window.controller().setData(domain, source);
    }
    window.openPaths({QString::fromStdString((demo / "training" / "epoch-006").string())});
}

namespace {
/// On every page: its places now.
std::map<QString, Places> placesOnAllPages(MainWindow &window)
{
    std::map<QString, Places> all;
    for (const PageEntry &entry : pageRegistry()) {
        window.showView(entry.info.id);
        QTest::qWait(30); // pages that are shown first ask for more, and lay themselves out
        all[entry.info.id] = placesIn(window);
    }
    return all;
}

QStringList movedOnAnyPage(const std::map<QString, Places> &before, const std::map<QString, Places> &after,
                           const QString &when)
{
    QStringList list;
    for (const auto &[page, places] : before) {
        if (const QStringList here = moved(places, after.at(page)); !here.isEmpty())
            list << u"%1, %2:"_s.arg(page, when) << here;
    }
    return list;
}

/// The lines of the study panel's list of results, by data set and name, in their order.
QStringList resultsListed(const MainWindow &window)
{
    QStringList lines;
    const auto *list = window.findChild<StudyPanel *>()->findChild<QTreeWidget *>();
    for (int set = 0; set < list->topLevelItemCount(); ++set) {
        const QTreeWidgetItem *group = list->topLevelItem(set);
        for (int i = 0; i < group->childCount(); ++i)
            lines << group->text(0) + u": "_s + group->child(i)->text(0);
    }
    return lines;
}

/// Those of `lines` that are also in the others.
QStringList commonOf(const QStringList &lines, const QStringList &others)
{
    QStringList common;
    for (const QString &line : lines) {
        if (others.contains(line))
            common << line;
    }
    return common;
}
} // namespace

void TestNothingMoves::whileWorkComesAndGoes()
{
    QFETCH(QSize, size);
    MainWindow window;
    window.resize(size);
    window.show();
    openDemoModel(window);
    QTRY_VERIFY_WITH_TIMEOUT(window.state().session(), 60'000);
    QTRY_VERIFY_WITH_TIMEOUT(window.state().results(Domain::In).baseline, 120'000);
    const auto running = placesOnAllPages(window);
    const QStringList listedAtFirst = resultsListed(window);
    QVERIFY(!window.controller().queue().isIdle());
    window.controller().queue().cancelAll();
    QTRY_VERIFY_WITH_TIMEOUT(window.controller().queue().isIdle(), 60'000);
    const auto stopped = placesOnAllPages(window);
    QStringList all = movedOnAnyPage(running, stopped, u"stopped"_s);
    window.controller().setPatience(0); // all that is not there has its time on its button
    Q_EMIT window.controller().works().changed();
    QTest::qWait(50);
    const auto estimated = placesOnAllPages(window);
    all << movedOnAnyPage(stopped, estimated, u"with times"_s);
    window.controller().setPatience(60);
    window.controller().startMissing();
    QTRY_VERIFY_WITH_TIMEOUT(window.controller().queue().isIdle(), 300'000);
    QVERIFY(window.state().results(Domain::In).ablation);
    const auto idle = placesOnAllPages(window);
    all << movedOnAnyPage(estimated, idle, u"complete"_s);
    const QStringList listed = resultsListed(window);
    QVERIFY(listed.size() > 20);
    QCOMPARE(commonOf(listed, listedAtFirst), commonOf(listedAtFirst, listed));
    QVERIFY2(all.isEmpty(), qPrintable(u'\n' + all.join(u'\n')));
}

void TestNothingMoves::whileHeadsAreSelectedAndMasked()
{
    QFETCH(QSize, size);
    MainWindow window;
    window.resize(size);
    window.show();
    window.openDemo();
    QTRY_VERIFY_WITH_TIMEOUT(window.state().session() && window.controller().queue().isIdle(), 60'000);
    window.state().clearMask();
    window.state().setSelection({}, std::nullopt);
    (void)placesOnAllPages(window); // each asks for what it shows
    QTRY_VERIFY_WITH_TIMEOUT(window.controller().queue().isIdle(), 120'000);
    window.state().setSelection({}, std::nullopt); // the page Attention has selected one
    const auto before = placesOnAllPages(window);
    window.state().setSelection({}, std::nullopt);
    QStringList all;
    for (const auto &[page, places] : before) {
        window.showView(page);
        window.state().selectHead(window.state().layout().heads()[3]);
        QTest::qWait(30);
        if (const QStringList here = moved(places, placesIn(window)); !here.isEmpty())
            all << QString(page + u", first selection:"_s) << here;
        window.state().setSelection({}, std::nullopt);
    }
    HeadMask mask;
    for (int head = 0; head < 34; ++head)
        mask.set(window.state().layout().heads()[static_cast<std::size_t>(head)], true);
    window.state().setMask(mask, u"34 heads"_s);
    all << movedOnAnyPage(before, placesOnAllPages(window), u"34 masks, being scored"_s);
    QTRY_VERIFY_WITH_TIMEOUT(window.controller().queue().isIdle(), 120'000);
    all << movedOnAnyPage(before, placesOnAllPages(window), u"34 masks"_s);
    QVERIFY2(all.isEmpty(), qPrintable(u'\n' + all.join(u'\n')));
}

QTEST_MAIN(TestNothingMoves)
#include "tst_nothingmoves.moc"
