// The window without a mouse and without eyes: names of all that takes the keyboard, keys of all that is painted by us,
// and contrast.
#include "tests/support/nowarnings.h"
#include "ui/charts/chartstyle.h"
#include "ui/charts/scatterchart.h"
#include "ui/dialogs/aboutdialog.h"
#include "ui/dialogs/clusterdialog.h"
#include "ui/dialogs/opendatadialog.h"
#include "ui/dialogs/savepruneddialog.h"
#include "ui/exporting/exportdialog.h"
#include "ui/heatmap/rolestyle.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/mainwindow/theme.h"
#include "ui/pages/page.h"
#include "ui/pages/pageregistry.h"
#include "ui/pages/roles/rolescatterchart.h"
#include "ui/views/headgridview.h"
#include "ui/views/linechart.h"

#include <QAccessible>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QRegularExpression>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QToolBar>
#include <QToolButton>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <set>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

/// Painted by us, and more than a picture: what can be done with the mouse goes by keys too.
const std::set<QByteArray> kInteractive{
    "headscope::HeadGridView", "headscope::HeatMapView", "headscope::ScatterChart",  "headscope::RoleScatterChart",
    "headscope::PruningChart", "headscope::LineChart",   "headscope::TrainingChart", "headscope::SmallHeatMap",
    "headscope::MapChart",     "headscope::MatrixChart", "headscope::HeadLinesView", "headscope::HeadStrip",
    "headscope::MapsView",     "headscope::NeuronView",  "headscope::SmallGrid",     "headscope::MeasureScatterChart"};
/// Of them, those that the demo has no results for, and the one that has nothing to move in.
const std::set<QByteArray> kEmptyInDemo{"headscope::RoleScatterChart", "headscope::LineChart",
                                        "headscope::SmallHeatMap", "headscope::MapChart", "headscope::MatrixChart"};
/// Painted by us, to be looked at only.
const std::set<QByteArray> kPictures{"headscope::RoleStripChart", "headscope::HistogramChart",
                                     "headscope::ShareChart",     "headscope::ReadOnlyGrid",
                                     "headscope::LayerChart",     "headscope::GridLegendView"};

QByteArray classOf(const QWidget &widget)
{
    return widget.metaObject()->className();
}

QString describe(const QWidget &widget)
{
    QString text;
    for (const QWidget *at = &widget; at && !at->isWindow(); at = at->parentWidget())
        text.prepend(u" > "_s + QString::fromLatin1(classOf(*at))
                     + (at->objectName().isEmpty() ? QString() : u'(' + at->objectName() + u')'));
    return text;
}

QString accessibleText(QWidget &widget, QAccessible::Text which)
{
    QAccessibleInterface *interface = QAccessible::queryAccessibleInterface(&widget);
    return interface ? interface->text(which).trimmed() : QString();
}

/// What takes the keyboard and is not a part of something else that does: the editor of a spin box, for instance.
bool isStop(const QWidget &widget)
{
    if (widget.focusPolicy() == Qt::NoFocus || widget.focusProxy())
        return false;
    const QWidget *above = widget.parentWidget();
    return !(
        above
        && (above->focusProxy() == &widget || above->inherits("QAbstractSpinBox") || above->inherits("QComboBox")));
}

QList<QWidget *> shownIn(QWidget &root)
{
    QList<QWidget *> widgets;
    for (QWidget *widget : root.findChildren<QWidget *>()) {
        if (widget->isVisibleTo(&root) && widget->window() == root.window())
            widgets << widget;
    }
    return widgets;
}

QStringList withoutName(QWidget &root)
{
    QStringList list;
    for (QWidget *widget : shownIn(root)) {
        if (isStop(*widget) && accessibleText(*widget, QAccessible::Name).isEmpty())
            list << describe(*widget);
    }
    return list;
}

/// What Tab alone does not come to. Precondition: `window` is active.
QStringList notReached(QWidget &window)
{
    std::set<QWidget *> wanted;
    for (QWidget *widget : shownIn(window)) {
        const bool stops = isStop(*widget) && widget->focusPolicy() & Qt::TabFocus;
        if (widget->isEnabled() && (stops || kInteractive.contains(classOf(*widget))))
            wanted.insert(widget);
    }
    // Round twice: nothing may hold on to the Tab key.
    const std::size_t steps = 2 * wanted.size() + 20;
    for (std::size_t step = 0; step < steps && !wanted.empty(); ++step) {
        QWidget *focus = QApplication::focusWidget();
        QTest::keyClick(focus ? focus : &window, Qt::Key_Tab);
        QWidget *now = QApplication::focusWidget();
        wanted.erase(now);
        if (qobject_cast<QRadioButton *>(now)) // from there arrow keys lead to the others
            std::erase_if(wanted, [now](QWidget *other) {
                return qobject_cast<QRadioButton *>(other) && other->parent() == now->parent();
            });
    }
    QStringList missed;
    for (const QWidget *widget : wanted)
        missed << describe(*widget);
    return missed;
}

/// Labels of forms, and labels with a key of their own, lead to what they name.
QStringList withoutBuddy(QWidget &root)
{
    QStringList list;
    for (const QWidget *widget : shownIn(root)) {
        const auto *label = qobject_cast<const QLabel *>(widget);
        static const QRegularExpression mnemonic(u"&[^& ;]"_s);
        if (label && label->textFormat() != Qt::PlainText && !Qt::mightBeRichText(label->text()) && !label->buddy()
            && label->text().contains(mnemonic))
            list << label->text();
    }
    for (const QFormLayout *form : root.findChildren<QFormLayout *>()) {
        for (int row = 0; row < form->rowCount(); ++row) {
            const QLayoutItem *field = form->itemAt(row, QFormLayout::FieldRole);
            const QLayoutItem *title = form->itemAt(row, QFormLayout::LabelRole);
            const auto *label = title ? qobject_cast<const QLabel *>(title->widget()) : nullptr;
            if (label && !label->text().isEmpty() && field && field->widget()
                && field->widget()->focusPolicy() != Qt::NoFocus && !label->buddy())
                list << label->text();
        }
    }
    return list;
}

/// A minimum of contrast between two colours, with words for when it is missed.
void checkContrast(const QColor &color, const QColor &background, double least, const QString &what)
{
    const double ratio = contrastRatio(color, background);
    const QString found = u"%1: %2 on %3 is %4 : 1"_s.arg(what, color.name(), background.name()).arg(ratio, 0, 'f', 2);
    QVERIFY2(ratio >= least, qPrintable(found));
}

} // namespace

class TestAccessibility final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void everyPageHasNames_data() { addViews(); }
    void everyPageHasNames();
    void dialogsHaveNamesAndTabStops();
    void paintedWidgetsAreDescribed_data() { addViews(); }
    void paintedWidgetsAreDescribed();
    void tabReachesEverything_data() { addViews(); }
    void tabReachesEverything();
    void arrowsMoveInPaintedWidgets_data() { addViews(); }
    void arrowsMoveInPaintedWidgets();
    void arrowsMoveInCharts();
    void spaceAndEnterAct();
    void gridIsATable();
    void controlsAreFramed_data();
    void controlsAreFramed();
    void textHasContrast_data();
    void textHasContrast();
    void faintTextsOfTheDesktopCanBeRead();
    void tabsFollowTheEye();
    void graphicsHaveContrast();

private:
    static void addViews();
    void show(const QString &view);

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
};

void TestAccessibility::addViews()
{
    QTest::addColumn<QString>("view");
    QTest::newRow("start") << u"start"_s;
    for (const PageEntry &entry : pageRegistry())
        QTest::newRow(qPrintable(entry.info.id)) << entry.info.id;
}

void TestAccessibility::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    m_window = std::make_unique<MainWindow>();
    m_window->resize(1280, 800);
    m_window->show();
    m_window->openDemo();
    QTRY_VERIFY_WITH_TIMEOUT(m_window->state().session() && m_window->controller().queue().isIdle(), 60'000);
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    m_window->state().selectHead(m_window->state().layout().heads().front());
}

void TestAccessibility::show(const QString &view)
{
    m_window->showView(view);
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->controller().queue().isIdle(), 60'000);
    QTest::qWait(50); // pages refresh when they are shown
}

void TestAccessibility::everyPageHasNames()
{
    QFETCH(QString, view);
    show(view);
    const QStringList nameless = withoutName(*m_window);
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(u'\n')));
    const QStringList lonely = withoutBuddy(*m_window);
    QVERIFY2(lonely.isEmpty(), qPrintable(lonely.join(u'\n')));
}

void TestAccessibility::dialogsHaveNamesAndTabStops()
{
    m_window->state().setMask({m_window->state().layout().heads().front()}, u"one"_s);
    show(u"heads"_s);
    const std::unique_ptr<QDialog> dialogs[] = {
        std::make_unique<AboutDialog>(m_window.get()),
        std::make_unique<OpenDataDialog>(m_window->state(), m_window->controller().queue(), m_window.get()),
        std::make_unique<SavePrunedDialog>(m_window->state(), m_window->controller(), m_folder.path(), m_window.get()),
        std::make_unique<ClusterDialog>(m_window->state(), m_window->cluster(), m_window.get()),
        std::make_unique<ExportDialog>(m_window->currentPage()->exportItems(), m_folder.path(), m_window.get())};
    for (const auto &dialog : dialogs) {
        dialog->show();
        QTest::qWait(20);
        QVERIFY(!accessibleText(*dialog, QAccessible::Name).isEmpty());
        const QStringList nameless = withoutName(*dialog);
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(u'\n')));
        const QStringList lonely = withoutBuddy(*dialog);
        QVERIFY2(lonely.isEmpty(), qPrintable(lonely.join(u'\n')));
        dialog->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(dialog.get()));
        const QStringList missed = notReached(*dialog);
        QVERIFY2(missed.isEmpty(), qPrintable(missed.join(u'\n')));
        dialog->hide();
    }
}

void TestAccessibility::paintedWidgetsAreDescribed()
{
    QFETCH(QString, view);
    show(view);
    for (QWidget *widget : shownIn(*m_window)) {
        if (!kInteractive.contains(classOf(*widget)) && !kPictures.contains(classOf(*widget)))
            continue;
        QVERIFY2(!accessibleText(*widget, QAccessible::Name).isEmpty(), qPrintable(describe(*widget)));
        QVERIFY2(!accessibleText(*widget, QAccessible::Description).isEmpty(), qPrintable(describe(*widget)));
    }
}

void TestAccessibility::tabReachesEverything()
{
    QFETCH(QString, view);
    show(view);
    const QStringList missed = notReached(*m_window);
    QVERIFY2(missed.isEmpty(), qPrintable(missed.join(u'\n')));
}

void TestAccessibility::arrowsMoveInPaintedWidgets()
{
    QFETCH(QString, view);
    show(view);
    for (QWidget *widget : shownIn(*m_window)) {
        if (!kInteractive.contains(classOf(*widget)) || kEmptyInDemo.contains(classOf(*widget)) || !widget->isEnabled())
            continue;
        if (const auto *scatter = qobject_cast<ScatterChart *>(widget);
            scatter && scatter->picture().series.points.empty())
            continue; // of two studies, when none are chosen
        const auto said = [widget]() -> QString {
            return accessibleText(*widget, QAccessible::Name) + accessibleText(*widget, QAccessible::Description);
        };
        widget->setFocus();
        QString before = said();
        for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Left}) { // there and back, and each is told
            QTest::keyClick(widget, key);
            QTest::keyClick(widget, key);
            QTRY_VERIFY2(said() != before, qPrintable(describe(*widget) + u": "_s + before));
            before = said();
        }
    }
    QTRY_VERIFY_WITH_TIMEOUT(m_window->controller().queue().isIdle(), 60'000);
}

/// What the demo has no results for, by itself.
void TestAccessibility::arrowsMoveInCharts()
{
    LineChart search(u"Masks"_s);
    search.setSeries(
        {.lines = {{.name = u"masks"_s, .points = {{.x = 4, .y = 50}, {.x = 2, .y = 60}, {.x = 8, .y = 40}}}}});
    search.setCursor(2);
    connect(&search, &LineChart::chosen, &search, [&](double removed) { search.setCursor(removed); });
    QVERIFY(search.focusPolicy() & Qt::TabFocus);
    QStringList said{search.accessibleDescription()};
    for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Right, Qt::Key_Right, Qt::Key_Left}) {
        QTest::keyClick(&search, key);
        said << search.accessibleDescription();
    }
    QVERIFY2(said[0].contains(u"60"_s) && said[1].contains(u"50"_s) && said[2].contains(u"40"_s),
             qPrintable(said.join(u'|')));
    QCOMPARE(said[3], said[2]); // there is no budget beyond
    QCOMPARE(said[4], said[1]);

    RoleScatterChart roles;
    RoleScatterSeries series;
    series.heads.resize(2);
    series.heads[1].head.head = 1;
    series.panels.resize(1);
    roles.setSeries(series);
    connect(&roles, &RoleScatterChart::selectionMade, &roles, &RoleScatterChart::setSelection);
    QVERIFY(roles.accessibleDescription().contains(u"2"_s));
    QTest::keyClick(&roles, Qt::Key_Right);
    QVERIFY(roles.accessibleDescription().contains(u"encoder.0.0"_s));
    QTest::keyClick(&roles, Qt::Key_Right);
    QVERIFY(roles.accessibleDescription().contains(u"encoder.0.1"_s));
    QSignalSpy activated(&roles, &RoleScatterChart::headActivated);
    QTest::keyClick(&roles, Qt::Key_Return);
    QCOMPARE(activated.size(), 1);
}

void TestAccessibility::spaceAndEnterAct()
{
    show(u"heads"_s);
    const auto shown = [this](const char *name) -> QWidget * {
        for (QWidget *widget : shownIn(*m_window)) {
            if (classOf(*widget) == name)
                return widget;
        }
        return nullptr;
    };
    StudyState &state = m_window->state();
    const HeadRef head = state.layout().heads().back();
    state.setMask({}, u"none"_s);
    state.selectHead(head);
    QWidget *grid = shown("headscope::HeadGridView");
    QVERIFY(grid);
    QTest::keyClick(grid, Qt::Key_Space);
    QVERIFY(state.mask().isMasked(head));
    QTest::keyClick(grid, Qt::Key_Space);
    QVERIFY(!state.mask().isMasked(head));
    QTest::keyClick(grid, Qt::Key_Return);
    QCOMPARE(m_window->currentView(), u"attention"_s);
    show(u"heads"_s);
    QWidget *small = shown("headscope::SmallHeatMap");
    QVERIFY(small);
    QTest::keyClick(small, Qt::Key_Space);
    QCOMPARE(m_window->currentView(), u"attention"_s);
}

/// What a screen reader finds in the grid: a row for each layer, a cell for each head, that says and does what the
/// painted one does.
void TestAccessibility::gridIsATable()
{
    show(u"heads"_s);
    StudyState &state = m_window->state();
    const HeadLayout &layout = state.layout();
    HeadGridView *grid = nullptr;
    for (QWidget *widget : shownIn(*m_window)) {
        if (!grid)
            grid = qobject_cast<HeadGridView *>(widget);
    }
    QVERIFY(grid);
    QAccessibleInterface *shown = QAccessible::queryAccessibleInterface(grid);
    QVERIFY(shown && shown->role() == QAccessible::Table);
    QAccessibleTableInterface *table = shown->tableInterface();
    QVERIFY(table);
    QCOMPARE(table->rowCount() * table->columnCount(),
             static_cast<int>(layout.size())); // the demo's layers are all alike
    QCOMPARE(shown->childCount(), static_cast<int>(layout.size()));

    // Every head once, where it is painted, with its own sentence.
    std::set<QString> names;
    for (int row = 0; row < table->rowCount(); ++row) {
        QVERIFY(!table->rowDescription(row).isEmpty());
        for (int column = 0; column < table->columnCount(); ++column) {
            QAccessibleInterface *cell = table->cellAt(row, column);
            QVERIFY(cell && cell->isValid());
            const auto head = grid->headAt(grid->viewport()->mapFromGlobal(cell->rect().center()));
            QVERIFY(head);
            QCOMPARE(cell->text(QAccessible::Name), grid->model().sentence(*head));
            QCOMPARE(shown->indexOfChild(cell), row * table->columnCount() + column);
            QCOMPARE(table->cellAt(row, column), cell); // not made anew
            QCOMPARE(shown->childAt(cell->rect().center().x(), cell->rect().center().y()), cell);
            names.insert(cell->text(QAccessible::Name));
        }
    }
    QCOMPARE(names.size(), static_cast<std::size_t>(layout.size()));
    QVERIFY(!table->cellAt(table->rowCount(), 0) && !table->cellAt(0, -1) && !shown->child(shown->childCount()));

    // The top row is the last layer of the encoder.
    const int layers = static_cast<int>(layout.block(HeadKind::Encoder)->layers.size());
    const HeadRef top{HeadKind::Encoder, layers - 1, 0};
    QAccessibleInterface *cell = table->cellAt(0, 0);
    QCOMPARE(cell->text(QAccessible::Name), grid->model().sentence(top));
    state.setMask({}, u"none"_s);
    state.setSelection({}, std::nullopt);
    grid->setFocus();
    cell->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
    QCOMPARE(state.currentHead(), std::optional(top));
    QVERIFY(cell->state().selected && cell->state().focused && !cell->state().checked);
    QCOMPARE(shown->focusChild(), cell);
    QCOMPARE(table->selectedCells(), QList<QAccessibleInterface *>{cell});
    cell->actionInterface()->doAction(QAccessibleActionInterface::toggleAction());
    QVERIFY(state.mask().isMasked(top) && cell->state().checked);
    QVERIFY(cell->text(QAccessible::Name).contains(u"masked"_s));
    cell->actionInterface()->doAction(QAccessibleActionInterface::toggleAction());
    QVERIFY(state.mask().empty());
    QTest::keyClick(grid, Qt::Key_Right);
    QCOMPARE(shown->focusChild(), table->cellAt(0, 1));

    // Whole rows and columns.
    QVERIFY(table->selectRow(1) && table->isRowSelected(1) && !table->isRowSelected(2));
    QVERIFY(table->selectColumn(0) && table->isColumnSelected(0));
    QCOMPARE(table->selectedCellCount(), 1 + table->columnCount() + table->rowCount() - 1);
    QVERIFY(table->unselectRow(1) && !table->isColumnSelected(0));

    // Sorted otherwise, the cells stay and say what lies there now.
    grid->setSorting({.rows = GridRows::FirstAbove, .headsByRank = false});
    QCOMPARE(cell->text(QAccessible::Name), grid->model().sentence({HeadKind::Encoder, 0, 0}));
    grid->setSorting({});
    state.setSelection({}, std::nullopt);
}

void TestAccessibility::controlsAreFramed_data()
{
    QTest::addColumn<Theme>("theme");
    QTest::newRow("light") << Theme::HighContrastLight;
    QTest::newRow("dark") << Theme::HighContrastDark;
}

/// With high contrast a line at the left edge of everything that can be pressed or filled in.
void TestAccessibility::controlsAreFramed()
{
    QFETCH(Theme, theme);
    applyTheme(theme);
    QPushButton button;
    QLineEdit line;
    QComboBox box;
    QSpinBox number;
    QCheckBox check;
    QRadioButton choice;
    for (QWidget *control : std::initializer_list<QWidget *>{&button, &line, &box, &number, &check, &choice}) {
        control->resize(control->sizeHint().expandedTo({40, 24}));
        const QImage image = control->grab().toImage();
        double most = 0;
        for (int x = 0; x < 4; ++x)
            most = std::max(most, contrastRatio(image.pixelColor(x, image.height() / 2),
                                                control->palette().color(QPalette::Window)));
        QVERIFY2(most >= 4.5, control->metaObject()->className());
    }
    applyTheme(Theme::System);
}

void TestAccessibility::textHasContrast_data()
{
    QTest::addColumn<Theme>("theme");
    QTest::addColumn<double>("least");
    QTest::newRow("light") << Theme::Light << 4.5;
    QTest::newRow("dark") << Theme::Dark << 4.5;
    QTest::newRow("high contrast, light") << Theme::HighContrastLight << 7.0;
    QTest::newRow("high contrast, dark") << Theme::HighContrastDark << 7.0;
}

void TestAccessibility::textHasContrast()
{
    QFETCH(Theme, theme);
    QFETCH(double, least);
    applyTheme(theme);
    const QPalette palette = QApplication::palette();
    using Role = QPalette::ColorRole;
    const std::pair<Role, Role> texts[] = {{QPalette::WindowText, QPalette::Window},
                                           {QPalette::Text, QPalette::Base},
                                           {QPalette::Text, QPalette::AlternateBase},
                                           {QPalette::ButtonText, QPalette::Button},
                                           {QPalette::PlaceholderText, QPalette::Base},
                                           {QPalette::ToolTipText, QPalette::ToolTipBase},
                                           {QPalette::HighlightedText, QPalette::Highlight},
                                           {QPalette::Link, QPalette::Base},
                                           {QPalette::Link, QPalette::Window},
                                           {QPalette::LinkVisited, QPalette::Base},
                                           {QPalette::LinkVisited, QPalette::Window}};
    for (const auto group : {QPalette::Active, QPalette::Inactive}) {
        for (const auto &[text, background] : texts)
            checkContrast(palette.color(group, text), palette.color(group, background), least,
                          QVariant::fromValue(text).toString() + u" on "_s
                              + QVariant::fromValue(background).toString());
    }
    QCOMPARE(ViewPalette::matching(palette).highContrast, least == 7.0);
    QCOMPARE(themeNamed(themeName(theme)), std::optional(theme));
    applyTheme(Theme::System);
}

/// Placeholders, subtitles, and what is disabled and says why; and the sign of what a tool bar has no room for.
void TestAccessibility::faintTextsOfTheDesktopCanBeRead()
{
    for (const Theme theme : kThemes) {
        applyTheme(theme);
        const QPalette palette = QApplication::palette();
        const auto name = [&](const char *what) { return u"%1: %2"_s.arg(themeName(theme), QLatin1String(what)); };
        for (const auto ground : {QPalette::Base, QPalette::Window}) {
            for (const auto group : {QPalette::Active, QPalette::Inactive})
                checkContrast(palette.color(group, QPalette::PlaceholderText), palette.color(group, ground), 4.5,
                              name("placeholder"));
            for (const auto text : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText})
                checkContrast(palette.color(QPalette::Disabled, text), palette.color(QPalette::Disabled, ground), 4.5,
                              name("disabled"));
        }
        QCoreApplication::processEvents(); // windows take the palette by an event
        const auto *more
            = m_window->findChild<QToolBar *>(u"mainToolBar"_s)->findChild<QToolButton *>(u"qt_toolbar_ext_button"_s);
        QVERIFY(more);
        const QImage sign = more->icon().pixmap(16, 16).toImage();
        double most = 0;
        for (int y = 0; y < sign.height(); ++y) {
            for (int x = 0; x < sign.width(); ++x) {
                const QColor color = sign.pixelColor(x, y);
                if (color.alphaF() > 0.9F)
                    most = std::max(most, contrastRatio(color, palette.color(QPalette::Window)));
            }
        }
        QVERIFY2(most >= 4.5, qPrintable(name("more") + QString::number(most)));
    }
    applyTheme(Theme::System);
}

/// From the first button of the tool bar: what stands in it and in the row of pages, from the left, then the page.
void TestAccessibility::tabsFollowTheEye()
{
    show(u"heads"_s);
    const auto *bar = m_window->findChild<QToolBar *>(u"mainToolBar"_s);
    const auto *row = m_window->findChild<QToolBar *>(u"tabRow"_s);
    QWidget *first = bar->widgetForAction(bar->actions().front());
    first->setFocus(Qt::TabFocusReason);
    QCOMPARE(QApplication::focusWidget(), first);
    QStringList reached;
    QPoint before(-1, -1);
    int presses = 0;
    for (; presses < 40
           && (bar->isAncestorOf(QApplication::focusWidget()) || row->isAncestorOf(QApplication::focusWidget()));
         ++presses) {
        const QWidget *now = QApplication::focusWidget();
        const QPoint place = now->mapTo(m_window.get(), QPoint());
        const bool below = row->isAncestorOf(now) && before.y() < row->y();
        QVERIFY2(below || place.x() > before.x(), qPrintable(describe(*now)));
        before = place;
        const auto *button = qobject_cast<const QToolButton *>(now);
        reached << (button ? button->text() : now->accessibleName());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    }
    QVERIFY2(presses <= 16, qPrintable(reached.join(u", "_s)));
    for (const QString &wanted : {u"in-domain"_s, u"difference"_s, u"Heads"_s, u"Export this view…"_s, u"Measure"_s})
        QVERIFY2(std::ranges::any_of(reached,
                                     [&](const QString &one) { return QString(one).remove(u'&').contains(wanted); }),
                 qPrintable(wanted + u" in "_s + reached.join(u", "_s)));
    QVERIFY(m_window->currentPage()->isAncestorOf(QApplication::focusWidget()));
}

/// Text on the paper, and whatever has to be seen to understand a picture. Fine lines behind the data are decoration.
void TestAccessibility::graphicsHaveContrast()
{
    for (const ViewPalette &palette : {ViewPalette::light(), ViewPalette::dark(), ViewPalette::highContrastLight(),
                                       ViewPalette::highContrastDark()}) {
        const auto text = [&](const QColor &color, const char *what) {
            checkContrast(color, palette.paper, palette.highContrast ? 7 : 4.5, QString::fromLatin1(what));
        };
        const auto mark = [&](const QColor &color, const QString &what) {
            checkContrast(color, palette.paper, palette.highContrast ? 4.5 : 3, what);
        };
        text(palette.ink, "ink");
        text(palette.muted, "muted");
        text(palette.warning, "warning");
        text(palette.accent, "accent");
        mark(palette.line, u"line"_s);
        for (const Role role : kAllRoles) {
            mark(roleColor(role, palette), QString::fromStdString(std::string(roleName(role))));
            checkContrast(readableOn(roleColor(role, palette)), roleColor(role, palette), 4.5, u"letter of a role"_s);
        }
        for (const QString &order : {u"importance"_s, u"ablation"_s, u"random"_s, u"greedy"_s, u"file"_s}) {
            mark(orderStyle(order, false, palette).color, order);
            mark(orderStyle(order, true, palette).color, order);
        }
        for (int kind = 0; kind < 3; ++kind)
            mark(kindStyle(kind, palette).color, u"kind"_s);
        for (const TrainingLine line : {TrainingLine::Training, TrainingLine::Validation, TrainingLine::Bleu})
            mark(trainingStyle(line, palette).color, u"training"_s);
    }
}

QTEST_MAIN(TestAccessibility)
#include "tst_accessibility.moc"
