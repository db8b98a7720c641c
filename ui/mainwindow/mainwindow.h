#pragma once

#include "core/session/demo.h"
#include "ui/exporting/exporter.h"
#include "ui/mainwindow/windowfiles.h"
#include "ui/state/clustercontroller.h"
#include "ui/state/studycontroller.h"

#include <QElapsedTimer>
#include <QMainWindow>
#include <QTimer>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

class QActionGroup;
class QComboBox;
class QDockWidget;
class QLabel;
class QMenu;
class QStackedWidget;
class QToolButton;

namespace headscope {

class CommandPalette;
class EmptyCard;
class FoldingSide;
class GuideWindow;
class Inspector;
class Page;
class PageRow;
class PageScroller;
class ScoreBar;
class SideDock;
class StartPage;
class StudyPanel;
class Toast;
struct Command;

/// One window, one study.
class MainWindow final : public QMainWindow
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(MainWindow)
public:
    explicit MainWindow(QWidget *parent = nullptr);
    ~MainWindow() override;

    StudyState &state() { return m_state; }
    StudyController &controller() { return m_controller; }
    ClusterController &cluster() { return m_cluster; }
    /// In the order of the tabs.
    const QList<Page *> &pages() const { return m_pages; }
    /// Null: there is none of that name.
    Page *page(const QString &id) const;
    template<typename T>
    T &page() const
    {
        return *static_cast<T *>(page(T::info().id));
    }

    /// A model folder, a training run's folder, a study file, a table or two parallel text files; for anything else, a
    /// message says where it can be opened.
    void openPaths(const QStringList &paths) { m_files->open(paths); }
    /// A study that comes with the program, as an untitled copy.
    void openDemo(Demo demo = Demo::Translation) { m_files->openDemo(demo); }
    /// "start", or the id of a page.
    void showView(const QString &id);
    QString currentView() const;
    /// The guide, in its window: "heads.md".
    void showGuide(const QString &page);
    /// Everything that can be done, in the order of the pages, analyses and menus.
    QList<Command> commands();
    QList<Command> answersTo(const QString &text);
    Toast &toast() const { return *m_toast; }
    GuideWindow *guide() const { return m_guide.get(); } ///< null: it has not been asked for yet
    Page *currentPage() const;                           ///< null: the start page is shown
    void saveStudyAs(const QString &file) { m_files->saveAs(file); }
    /// On its tab.
    void showPage(Page &page);

    /// For how many seconds an analysis must have been computing for its loss to be asked about.
    void setLongAnalysis(double seconds) { m_files->setLongAnalysis(seconds); }
    /// Keeps geometry, theme and recent files in the settings, and what no study file holds in the application's
    /// folder.
    void useSettings();

protected:
    void closeEvent(QCloseEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *object, QEvent *event) override;
    bool event(QEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    static constexpr int kLayoutVersion = 3;
    static constexpr int kNarrow = 1200;        ///< width below which both docks are folded at first
    static constexpr int kOneDock = 880;        ///< width below which opening one of them folds the other
    static constexpr int kStudyWidth = 246;     ///< names of results with their states
    static constexpr int kInspectorWidth = 258; ///< a value with its interval in a line

    void setupPages();
    void setupTabRow();
    void connectPage(Page &page);
    void setupDocks();
    void setupActions();
    void setupToolBar();
    void setupMenus();
    void setupFileMenu();
    void setupEditMenu();
    void setupModelMenu();
    void setupAnalyseMenu();
    void setupViewMenu();
    void setupSignificanceMenu(QMenu *menu);
    void setupLanguageMenu(QMenu *menu);
    void setupHelpMenu();
    void connectState();
    void connectJobs();
    void requestExample(Domain domain);
    void openAndShow(const QString &folder);
    void arrangeDocks();
    void widenDocks();
    void arrangeSides();
    void refreshRails();
    void refreshEmptyCard();
    QAction *addAction(const QString &text, const QKeySequence &shortcut, const QString &icon,
                       const std::function<void()> &run);

    void find();
    void showAnalysis(const QString &name);
    void showResult(const UnitKind &kind, Domain domain, const QString &name);
    std::vector<StudyController::Request> missingHere();
    void computeMissing();
    void orderTabs();
    void paintExtensions();
    void setupTabRowButtons();
    void refreshTimes();
    void refreshTimesSoon();
    void startSaying(const std::vector<StudyController::Request> &requests);
    void computeResult(const UnitKind &kind, Domain domain);
    std::vector<StudyController::Request> requestsFor(const UnitKind &kind, Domain domain);
    void connectResults();
    void describeActions();
    void refreshTitle();
    void refreshWorkspace();
    void refreshActions();
    void refreshToolBar();

    StudyState m_state;
    StudyController m_controller;
    ClusterController m_cluster;
    WindowFiles *m_files = nullptr;
    bool m_settings = false;
    bool m_mayClose = false; ///< nothing is lost any more, or the user accepted the loss
    bool m_workspaceShown = false;
    bool m_headsAsked = false; ///< the heads of the model that opens next are to be shown
    QTimer m_timesTimer;       ///< until what computing costs is said again
    QElapsedTimer m_lastTimes; ///< since that was said
    QByteArray m_defaultLayout;

    QStackedWidget *m_stack = nullptr;
    QStackedWidget *m_pageStack = nullptr;
    PageRow *m_pageRow = nullptr; ///< above the docks: it stays where it is when they come and go
    QToolBar *m_tabRow = nullptr;
    Toast *m_toast = nullptr;
    QString m_otherMetric; ///< that results of the page that is seen are judged by, and which is not chosen
    EmptyCard *m_emptyCard = nullptr;
    CommandPalette *m_palette = nullptr;
    StartPage *m_start = nullptr;
    PageScroller *m_startScroller = nullptr; ///< holds it
    QList<Page *> m_pages;
    bool m_narrow = false;        ///< by kNarrow
    QList<FoldingSide *> m_sides; ///< of all pages
    QToolButton *m_toStart = nullptr;
    QAction *m_toStartAction = nullptr;
    StudyPanel *m_studyPanel = nullptr;
    Inspector *m_inspector = nullptr;
    ScoreBar *m_scoreBar = nullptr;
    SideDock *m_studyDock = nullptr;
    SideDock *m_inspectorDock = nullptr;
    QDockWidget *m_jobsDock = nullptr;
    QToolBar *m_toolBar = nullptr;
    QMenu *m_reportMenu = nullptr; ///< in place of m_report where that takes long
    QToolButton *m_computeButton = nullptr;
    QMenu *m_computeWays = nullptr;       ///< of the buttons of m_compute
    std::unique_ptr<GuideWindow> m_guide; ///< no child, which would stay in front of this window

    QComboBox *m_measureBox = nullptr;
    QComboBox *m_metricBox = nullptr;
    QActionGroup *m_domainGroup = nullptr;
    QLabel *m_maskCount = nullptr;
    QAction *m_openModel = nullptr;
    QAction *m_openRemote = nullptr;
    QAction *m_openStudy = nullptr;
    QAction *m_openDemo = nullptr;
    QAction *m_openClassifierDemo = nullptr;
    QAction *m_openPronunciationDemo = nullptr;
    QAction *m_train = nullptr;
    QAction *m_chooseData = nullptr;
    QAction *m_undo = nullptr;
    QAction *m_redo = nullptr;
    QAction *m_clearMasks = nullptr;
    QAction *m_find = nullptr;
    QAction *m_maskSelection = nullptr;
    QAction *m_save = nullptr;
    QAction *m_saveAs = nullptr;
    QAction *m_packStudy = nullptr;
    QAction *m_export = nullptr;
    QAction *m_exportAll = nullptr;
    QAction *m_report = nullptr;
    QAction *m_copy = nullptr;
    QAction *m_writeMasked = nullptr;
    QAction *m_compute = nullptr;
    QAction *m_onCluster = nullptr;
    QList<QAction *> m_analyses;             ///< of the menu, with those of the pages
    QList<QAction *> m_modelPages;           ///< of the menu: pages that show nothing without a model
    std::array<QAction *, 2> m_removeData{}; ///< by Domain
    QAction *m_cancelAll = nullptr;
    QAction *m_findCommand = nullptr;
    QAction *m_showRoles = nullptr;
    QAction *m_foldSide = nullptr;
};

} // namespace headscope
