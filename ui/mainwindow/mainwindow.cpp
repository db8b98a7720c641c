#include "ui/mainwindow/mainwindow.h"

#include "ui/guide/guidewindow.h"
#include "ui/mainwindow/pagerow.h"
#include "ui/mainwindow/sidedock.h"
#include "ui/mainwindow/theme.h"
#include "ui/models/gridorder.h"
#include "ui/models/modelname.h"
#include "ui/models/plaintip.h"
#include "ui/pages/analyses/analysespage.h"
#include "ui/pages/heads/headspage.h"
#include "ui/pages/pageregistry.h"
#include "ui/report/reportjob.h"
#include "ui/state/resultkinds.h"
#include "ui/views/emptycard.h"
#include "ui/views/foldingside.h"
#include "ui/views/inspector.h"
#include "ui/views/jobpanel.h"
#include "ui/views/pagescroller.h"
#include "ui/views/scorebar.h"
#include "ui/views/stalestrip.h"
#include "ui/views/startpage.h"
#include "ui/views/studypanel.h"
#include "ui/views/toast.h"
#include "ui/views/waysbutton.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QComboBox>
#include <QCursor>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QLabel>
#include <QMenu>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

/// Resources of a static library are only there once asked for; the macro does not work inside a namespace.
static void initResources()
{
    Q_INIT_RESOURCE(headscope);
}

namespace headscope {

namespace {
/// What a window may take with its frame, so that its bottom line is on the screen.
QSize roomOnScreen(const QWidget &window)
{
    constexpr QSize kFrame(0, 36);
    const QScreen *screen = window.screen();
    return screen ? screen->availableSize() - kFrame : QSize(1280, 800);
}
} // namespace

MainWindow::MainWindow(QWidget *parent)
    : QMainWindow(parent), m_controller(m_state), m_cluster(m_state, m_controller), m_files(new WindowFiles(*this))
{
    initResources();
    setObjectName(QStringLiteral("mainWindow"));
    setWindowIcon(QIcon(QStringLiteral(":/icons/headscope.svg")));
    setAcceptDrops(true);
    setupPages();
    setupDocks();
    setupActions();
    setupToolBar();
    setupMenus();
    connectState();
    connectJobs();
    connectResults();
    statusBar()->setFixedHeight(m_scoreBar->wholeHeight());
    orderTabs();
    paintExtensions();
    resize(1280, 800);
    m_defaultLayout = saveState(kLayoutVersion);
    refreshTitle();
    refreshWorkspace();
    refreshActions();
    refreshToolBar();
}

MainWindow::~MainWindow()
{
    // They refer to the state and the controller, which are destroyed before a window's children.
    delete takeCentralWidget();
    for (QDockWidget *dock : std::initializer_list<QDockWidget *>{m_studyDock, m_inspectorDock, m_jobsDock})
        delete dock;
    delete m_scoreBar;
}

void MainWindow::setupPages()
{
    m_stack = new QStackedWidget(this);
    m_start = new StartPage(m_state, m_files->recent(), m_controller.queue(), m_stack);
    m_pageStack = new QStackedWidget(m_stack);
    setupTabRow();
    for (const PageEntry &entry : pageRegistry()) {
        Page *page = entry.make(m_state, m_controller, m_pageStack);
        m_pages << page;
        m_pageStack->addWidget(new PageScroller(page, m_pageStack));
        connectPage(*page);
        m_sides << page->findChildren<FoldingSide *>();
    }
    m_startScroller = new PageScroller(m_start, m_stack);
    m_stack->addWidget(m_startScroller);
    m_stack->addWidget(m_pageStack);
    auto *center = new QWidget(this);
    auto *layout = new QVBoxLayout(center);
    layout->setContentsMargins({});
    layout->setSpacing(0);
    layout->addWidget(new StaleStrip(m_state, m_controller, center));
    layout->addWidget(m_stack, 1);
    auto *middle = new QWidget(this); // between the rails: setupDocks()
    auto *row = new QHBoxLayout(middle);
    row->setContentsMargins({});
    row->setSpacing(0);
    row->addWidget(center, 1);
    setCentralWidget(middle);
}

void MainWindow::setupTabRow()
{
    m_tabRow = new QToolBar(tr("Pages"), this); // below the tool bar: setupToolBar()
    m_tabRow->setObjectName(QStringLiteral("tabRow"));
    m_tabRow->setMovable(false);
    m_tabRow->toggleViewAction()->setVisible(false);
    m_toStart = new QToolButton(m_tabRow);
    m_toStart->setText(tr("‹ Start page"));
    m_toStart->setAutoRaise(true);
    m_toStartAction = m_tabRow->addWidget(m_toStart);
    m_pageRow = new PageRow(pageRegistry(), m_tabRow);
    m_tabRow->addWidget(m_pageRow);
    connect(m_pageRow, &PageRow::currentChanged, m_pageStack, &QStackedWidget::setCurrentIndex);
}

void MainWindow::connectPage(Page &page)
{
    connect(&page, &Page::pageRequested, this, &MainWindow::showView);
    connect(&page, &Page::exportRequested, m_files, &WindowFiles::exportView);
    connect(&page, &Page::exportableChanged, this, &MainWindow::refreshActions);
    connect(&page, &Page::prunedModelRequested, m_files, &WindowFiles::savePrunedModel);
    connect(&page, &Page::modelRequested, this, &MainWindow::openAndShow);
    connect(&page, &Page::recentRequested, m_files, &WindowFiles::openRecent);
}

void MainWindow::setupDocks()
{
    m_studyPanel = new StudyPanel(m_state, m_controller, this);
    m_studyDock = new SideDock(tr("Study"), QStringLiteral("studyDock"), QStringLiteral("study"),
                               QKeySequence(QStringLiteral("Ctrl+B")), m_studyPanel, Qt::LeftDockWidgetArea, this);
    m_inspector = new Inspector(m_state, m_controller, this);
    m_inspectorDock = new SideDock(tr("Selected head"), QStringLiteral("inspectorDock"), QStringLiteral("inspector"),
                                   QKeySequence(QStringLiteral("Ctrl+I")), m_inspector, Qt::RightDockWidgetArea, this);
    auto *middle = static_cast<QHBoxLayout *>(centralWidget()->layout());
    middle->insertWidget(0, &m_studyDock->rail());
    middle->addWidget(&m_inspectorDock->rail());
    for (SideDock *dock : {m_studyDock, m_inspectorDock}) {
        connect(dock, &SideDock::opened, this, [this, dock] {
            SideDock *other = dock == m_studyDock ? m_inspectorDock : m_studyDock;
            if (width() < kOneDock)
                other->setFolded(true);
        });
    }
    m_jobsDock = new QDockWidget(tr("Jobs"), this);
    m_jobsDock->setObjectName(QStringLiteral("jobsDock"));
    m_jobsDock->setWidget(new JobPanel(m_controller.queue(), this));
    addDockWidget(Qt::BottomDockWidgetArea, m_jobsDock);
    m_jobsDock->hide();
    resizeDocks({m_studyDock, m_inspectorDock}, {kStudyWidth, kInspectorWidth}, Qt::Horizontal);
    connect(&m_state, &StudyState::selectionChanged, this, &MainWindow::refreshRails);
    connect(&m_state, &StudyState::modelChanged, this, &MainWindow::refreshRails);
    connect(&m_state, &StudyState::dataChanged, this, &MainWindow::refreshRails);
    connect(&m_state, &StudyState::errorChanged, this, &MainWindow::refreshRails);
    connect(&m_controller.works(), &WorkList::changed, this, &MainWindow::refreshRails);
    qApp->installEventFilter(this);
    m_scoreBar = new ScoreBar(m_state, m_controller, this);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addPermanentWidget(m_scoreBar, 1);
    m_toast = new Toast(this, statusBar());
}

void MainWindow::connectState()
{
    connect(&m_state, &StudyState::modelChanged, this, &MainWindow::refreshTitle);
    connect(&m_state, &StudyState::modelChanged, this, &MainWindow::refreshWorkspace);
    connect(&m_state, &StudyState::studyFileChanged, this, &MainWindow::refreshTitle);
    connect(&m_controller.files(), &StudyFiles::modifiedChanged, this, &MainWindow::refreshTitle);
    for (const auto signal : {&StudyState::modelChanged, &StudyState::maskChanged, &StudyState::selectionChanged})
        connect(&m_state, signal, this, &MainWindow::refreshActions);
    connect(&m_state, &StudyState::dataChanged, this, &MainWindow::refreshActions);
    connect(&m_state, &StudyState::errorChanged, this, &MainWindow::refreshActions);
    for (const auto signal : {&StudyState::modelChanged, &StudyState::maskChanged, &StudyState::measureChanged,
                              &StudyState::metricChanged, &StudyState::domainViewChanged, &StudyState::roleViewChanged})
        connect(&m_state, signal, this, &MainWindow::refreshToolBar);
    connect(&m_state, &StudyState::dataChanged, this, &MainWindow::refreshToolBar); // other metrics may be there
    connect(&m_state, &StudyState::resultsChanged, this, &MainWindow::refreshToolBar);
    connect(&m_state, &StudyState::dataChanged, this, &MainWindow::requestExample);
    connect(&m_state, &StudyState::sentenceChanged, this, [this] { requestExample(m_state.sentenceDomain()); });
    connect(m_inspector, &Inspector::attentionRequested, this, [this] { showView(QStringLiteral("attention")); });
    connect(m_studyPanel, &StudyPanel::modelRequested, m_files, &WindowFiles::chooseModel);
    connect(m_studyPanel, &StudyPanel::dataRequested, this, [this](Domain domain) { m_files->chooseData(domain); });
    connect(m_start, &StartPage::demoRequested, m_files, &WindowFiles::openDemo);
    connect(m_start, &StartPage::trainingRequested, this, [this] { showView(QStringLiteral("training")); });
    connect(m_toStart, &QToolButton::clicked, this, [this] { showView(QLatin1String(kStartView)); });
    connect(m_pageStack, &QStackedWidget::currentChanged, this, &MainWindow::arrangeDocks);
    connect(m_stack, &QStackedWidget::currentChanged, this, [this] {
        m_tabRow->setVisible(m_stack->currentWidget() == m_pageStack);
        arrangeDocks();
    });
    connect(m_start, &StartPage::modelRequested, m_files, &WindowFiles::chooseModel);
    connect(m_start, &StartPage::studyRequested, m_files, &WindowFiles::chooseStudy);
    connect(m_start, &StartPage::recentRequested, m_files, &WindowFiles::openRecent);
    m_controller.files().setLayoutSource([this] { return m_files->layoutText(); });
    connect(&m_controller.files(), &StudyFiles::keepFailed, m_files, &WindowFiles::askToDiscard);
}

void MainWindow::connectJobs()
{
    JobQueue &queue = m_controller.queue();
    for (const auto signal : {&JobQueue::jobAdded, &JobQueue::jobFinished}) {
        connect(&queue, signal, this, [this] {
            const JobInfo *job = m_controller.queue().current();
            m_start->setBusyText(job ? tr("%1…").arg(job->spec.name) : QString());
            m_cancelAll->setEnabled(job);
        });
    }
    connect(m_scoreBar, &ScoreBar::jobsRequested, this, [this] { m_jobsDock->setVisible(!m_jobsDock->isVisible()); });
    connect(&m_controller, &StudyController::modelOpened, this, [this] {
        if (m_headsAsked)
            showView(pageRegistry().front().info.id);
        m_headsAsked = false;
        const bool here = m_state.model()->host.empty();
        if (m_state.studyFile().isEmpty() && !m_controller.files().isDemo() && here)
            m_files->remember(QString::fromStdString(m_state.model()->folder.string()));
    });
    connect(&m_controller.files(), &StudyFiles::packed, this, [this](const QString &file) {
        m_toast->sayWritten(tr("Written: %1").arg(QFileInfo(file).fileName()), file);
    });
    const auto remember = [this] {
        if (!m_state.studyFile().isEmpty())
            m_files->remember(m_state.studyFile());
    };
    connect(&m_controller.files(), &StudyFiles::saved, this, remember);
    connect(&m_controller.files(), &StudyFiles::opened, this, [this, remember](const QString &layout) {
        remember();
        m_files->applyLayout(layout);
    });
    connect(&m_controller.files(), &StudyFiles::machineNamed, m_files, &WindowFiles::askToReach);
}

void MainWindow::requestExample(Domain domain)
{
    const auto rows = m_state.rows(domain);
    if (!rows || rows->size() == 0)
        return;
    if (m_state.sentenceIndex() < 0) {
        m_state.setSentence(domain, 0); // comes back here
        return;
    }
    // A page that shows attention asks for itself while it is seen; the inspector's example needs it elsewhere.
    const bool shown = m_state.sentenceDomain() == domain && m_state.sentenceIndex() < rows->size();
    if (shown && !(currentPage() && currentPage()->asksForAttention()))
        m_controller.requestAttention(rows->at(m_state.sentenceIndex()));
}

void MainWindow::showView(const QString &id)
{
    if (id == QLatin1String(kStartView)) {
        m_stack->setCurrentWidget(m_startScroller);
        return m_start->setFocus(); // what had it is hidden, and Tab would lead nowhere
    }
    Page *shown = page(id);
    if (!shown)
        return;
    m_stack->setCurrentWidget(m_pageStack);
    m_pageRow->setCurrent(static_cast<int>(m_pages.indexOf(shown)));
    if (QWidget *first = shown->focusProxy())
        first->setFocus();
}

Page *MainWindow::page(const QString &id) const
{
    for (std::size_t i = 0; i < pageRegistry().size(); ++i) {
        if (pageRegistry()[i].info.id == id)
            return m_pages[static_cast<qsizetype>(i)];
    }
    return nullptr;
}

Page *MainWindow::currentPage() const
{
    return m_stack->currentWidget() == m_startScroller ? nullptr : m_pages.value(m_pageStack->currentIndex());
}

QString MainWindow::currentView() const
{
    const qsizetype index = m_pages.indexOf(currentPage());
    return index < 0 ? QString(QLatin1String(kStartView)) : pageRegistry()[static_cast<std::size_t>(index)].info.id;
}

/// A page that nobody has computed anything for, nor is about to.
void MainWindow::refreshEmptyCard()
{
    const PageInfo *shown = findPage(currentView());
    const auto entry
        = std::ranges::find_if(pageRegistry(), [&](const PageEntry &one) { return shown && one.info.id == shown->id; });
    ResultKinds kinds;
    for (const ResultKindInfo &info : resultKinds())
        kinds.setFlag(info.kind, shown && QLatin1String(info.page) == shown->id);
    QString promise;
    if (entry != pageRegistry().end() && m_state.model())
        promise = entry->promise;
    m_otherMetric.clear();
    for (const Domain domain : kBothDomains) {
        if (std::ranges::any_of(m_controller.works().work(domain),
                                [&](const Work &work) { return kinds.testFlag(work.key.kind.kind); }))
            promise.clear();
        if (m_otherMetric.isEmpty())
            m_otherMetric = m_state.otherMetric(domain, kinds);
    }
    const QString other = m_otherMetric.isEmpty() ? QString() : tr("Show what is judged by %1").arg(m_otherMetric);
    m_emptyCard->say(currentPage(), promise, promise.isEmpty() ? QString() : m_controller.whyNotReady(), other);
}

void MainWindow::connectResults()
{
    m_emptyCard = new EmptyCard(m_compute, m_pageStack);
    connect(m_emptyCard, &EmptyCard::otherRequested, this, [this] { m_state.setMetric(m_otherMetric); });
    connect(m_pageStack, &QStackedWidget::currentChanged, this, &MainWindow::refreshEmptyCard);
    connect(m_stack, &QStackedWidget::currentChanged, this, &MainWindow::refreshEmptyCard);
    connect(&m_state, &StudyState::modelChanged, this, &MainWindow::refreshEmptyCard);
    connect(&m_state, &StudyState::dataChanged, this, &MainWindow::refreshEmptyCard);
    connect(&m_controller.works(), &WorkList::changed, this, &MainWindow::refreshEmptyCard);
    connect(&m_controller.works(), &WorkList::changed, this, &MainWindow::refreshTimesSoon);
    m_timesTimer.setSingleShot(true);
    connect(&m_timesTimer, &QTimer::timeout, this, &MainWindow::refreshTimes);
    connect(m_pageStack, &QStackedWidget::currentChanged, this, &MainWindow::refreshTimes);
    letChooseWays(*m_emptyCard->button(), *m_computeWays);
    reserveTime(*m_emptyCard->button(), tr("Compute"));
    connect(&m_state, &StudyState::resultsChanged, this, &MainWindow::refreshEmptyCard);
    connect(m_studyPanel, &StudyPanel::resultRequested, this, &MainWindow::showResult);
    m_studyPanel->setTimeSource([this](const UnitKind &kind, Domain domain) {
        return m_controller.times().secondsOf(requestsFor(kind, domain));
    });
    connect(m_studyPanel, &StudyPanel::computeRequested, this, &MainWindow::computeResult);
    connect(m_studyPanel, &StudyPanel::noted, this, [this](const QString &text) { m_toast->say(text); });
}

/// The page with its options and its result as a table.
void MainWindow::showAnalysis(const QString &name)
{
    auto &analyses = page<AnalysesPage>();
    const int at = analyses.analysisBox().findData(name);
    if (at >= 0)
        analyses.analysisBox().setCurrentIndex(at);
    showView(AnalysesPage::info().id);
}

/// On the page that it has, as it is there.
void MainWindow::showResult(const UnitKind &kind, Domain domain, const QString &name)
{
    const QString view = QString::fromLatin1(infoOf(kind.kind).page);
    const auto measure = std::ranges::find(measures(), kind.kind, &MeasureInfo::kind);
    if (measure != measures().end() && infoOf(kind.kind).hasUnits())
        m_state.setGridUnit(kind.unit);
    if (measure != measures().end() && view == HeadsPage::info().id) // else its page has what it shows
        m_state.setMeasure(measure->measure);
    if (m_state.data(domain))
        m_state.setDomainView(domain == Domain::In ? DomainView::In : DomainView::Out);
    if (view == AnalysesPage::info().id)
        showAnalysis(name);
    else
        showView(view);
}

/// What every study has, and what the page that is seen shows.
std::vector<StudyController::Request> MainWindow::missingHere()
{
    std::vector<StudyController::Request> requests = m_controller.works().missing();
    for (const Domain domain : kBothDomains) {
        if (Page *shown = currentPage(); shown && m_state.data(domain))
            std::ranges::copy(shown->missing(domain, true), std::back_inserter(requests));
    }
    return requests;
}

/// How long what can be asked for here takes, where that is long.
void MainWindow::refreshTimes()
{
    if (!m_reportMenu) // the window is being made
        return;
    m_lastTimes.start();
    const std::vector<StudyController::Request> missing = missingHere();
    // What the page wants: nothing of what starts by itself, which somebody may just have stopped.
    const auto ofStudy = std::ssize(m_controller.works().missing());
    if (m_controller.isAutomatic())
        m_controller.times().measurePace(
            std::vector<StudyController::Request>(missing.begin() + ofStudy, missing.end()));
    const bool isSaid = currentPage() && currentPage()->saysItsTime(); // two times on one page are one too many
    m_compute->setIconText(
        isSaid ? tr("Compute")
               : withTime(tr("Compute"), m_controller.times().secondsOf(missing), m_controller.patience()));
    const auto report
        = m_state.session() && m_state.data(Domain::In) ? secondsOfReport(m_state, m_controller, {}) : std::nullopt;
    const bool isLong = report && *report > m_controller.patience();
    m_report->setVisible(!isLong);
    m_reportMenu->menuAction()->setVisible(isLong);
    m_reportMenu->setTitle(withTime(tr("Write &report"), report, m_controller.patience()));
}

/// Work changes with every block that is measured and with every click, while nobody reads times more often than this.
void MainWindow::refreshTimesSoon()
{
    constexpr int kPauseMs = 1000;
    if (m_controller.queue().isIdle()) // nothing will change them again soon
        m_timesTimer.start(0);
    else if (!m_timesTimer.isActive())
        m_timesTimer.start(m_lastTimes.isValid() && m_lastTimes.elapsed() < kPauseMs ? kPauseMs : 0);
}

void MainWindow::computeMissing()
{
    const auto newest = [this] {
        const std::vector<JobInfo> jobs = m_controller.queue().jobs();
        return jobs.empty() ? JobId() : jobs.back().id;
    };
    const JobId before = newest();
    m_controller.startMissing();
    for (const Domain domain : kBothDomains) {
        if (Page *shown = currentPage(); shown && m_state.data(domain))
            shown->computeMissing(domain, true);
    }
    if (newest() == before && !m_controller.works().isComputing())
        m_toast->say(tr("Nothing is missing: all that this page shows is there."));
}

std::vector<StudyController::Request> MainWindow::requestsFor(const UnitKind &kind, Domain domain)
{
    const ResultKindInfo &info = infoOf(kind.kind);
    if (info.request)
        return {{domain, info.request(m_controller.runOptions(), kind.unit)}};
    Page *shown = page(QString::fromLatin1(info.page));
    return shown ? shown->missing(domain, true) : std::vector<StudyController::Request>();
}

void MainWindow::computeResult(const UnitKind &kind, Domain domain)
{
    if (const auto requests = requestsFor(kind, domain); !requests.empty())
        startSaying(requests);
    else if (Page *shown = page(QString::fromLatin1(infoOf(kind.kind).page)))
        shown->computeMissing(domain, true);
}

/// From where no button says how long it takes.
void MainWindow::startSaying(const std::vector<StudyController::Request> &requests)
{
    const auto seconds = m_controller.times().secondsOf(requests);
    m_controller.works().startAll(requests);
    if (!seconds || *seconds <= m_controller.patience())
        return;
    m_toast->say(tr("This takes %1.").arg(aboutTimeText(*seconds)), tr("Shorter…"), [this, requests] {
        auto *menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        fillWithWays(*menu, [this, requests] { return m_controller.times().ways(requests); });
        menu->popup(QCursor::pos());
    });
}

/// On the page that is shown, or among the heads.
void MainWindow::find()
{
    if (currentPage() && currentPage()->find())
        return;
    showView(pageRegistry().front().info.id);
    currentPage()->find();
}

void MainWindow::refreshTitle()
{
    QString name;
    if (!m_state.studyFile().isEmpty())
        name = QFileInfo(m_state.studyFile()).completeBaseName();
    else if (m_controller.files().isDemo())
        name = tr("Demo");
    else if (m_state.model())
        name = modelName(QString::fromStdString(m_state.model()->folder.string()));
    if (m_state.model() && !m_state.model()->host.empty())
        name = tr("%1 on %2").arg(name, QString::fromStdString(m_state.model()->host));
    setWindowTitle(name.isEmpty() ? tr("Headscope") : tr("%1[*] – Headscope").arg(name));
    setWindowModified(!name.isEmpty() && m_controller.files().isModified());
}

void MainWindow::refreshWorkspace()
{
    const bool open = m_state.model() != nullptr;
    if (open && !m_workspaceShown)
        showView(pageRegistry().front().info.id);
    const PageInfo *shown = findPage(currentView());
    if (!open && (!shown || shown->needsModel))
        showView(QLatin1String(kStartView));
    for (int i = 0; i < m_pages.size(); ++i)
        m_pageRow->setOffered(i, open || !pageRegistry()[static_cast<std::size_t>(i)].info.needsModel);
    m_toStartAction->setVisible(!open);
    if (open != m_workspaceShown || !open) {
        for (QWidget *widget : std::initializer_list<QWidget *>{m_toolBar, m_scoreBar})
            widget->setVisible(open);
        if (open && m_settings)
            restoreState(QSettings().value(QStringLiteral("window/state")).toByteArray(), kLayoutVersion);
        arrangeDocks();
    }
    m_tabRow->setVisible(m_stack->currentWidget() == m_pageStack);
    m_workspaceShown = open;
}

void MainWindow::arrangeDocks()
{
    const PageInfo *shown = findPage(currentView());
    const bool aside = shown && shown->docksAside;
    for (SideDock *dock : {m_studyDock, m_inspectorDock})
        dock->setAvailable(m_state.model() && !aside,
                           aside ? tr("This page is not about the open model") : tr("Open a model first"));
    refreshActions();
}

/// What stands beside the pictures of pages gives way where pages are narrow.
void MainWindow::arrangeSides()
{
    for (FoldingSide *side : m_sides)
        side->setPageSize(m_pageStack->size());
}

/// What folded docks say of what is inside.
void MainWindow::refreshRails()
{
    int left = 0;
    int whole = 0;
    int active = 0;
    for (const Domain domain : kBothDomains) {
        for (const Work &work : m_controller.works().work(domain)) {
            left += work.isLeft();
            active += work.isActive();
            whole += work.isWhole();
        }
    }
    const bool error = std::ranges::any_of(kErrorPlaces, [&](ErrorPlace at) { return !m_state.error(at).isEmpty(); });
    m_studyDock->rail().setBadge(error ? QStringLiteral("!") : left > 0 ? QString::number(left) : QString(), error);
    QStringList lines = m_studyPanel->summary();
    QStringList counts{tr("%Ln results complete", nullptr, whole)};
    if (active > 0)
        counts << tr("%Ln being computed", nullptr, active);
    if (left > 0)
        counts << tr("%Ln stopped", nullptr, left);
    lines << counts.join(QStringLiteral(", "));
    m_studyDock->setSummary(lines.join(u'\n'));
    const auto &head = m_state.currentHead();
    m_inspectorDock->rail().setBadge(
        m_state.selection().size() > 1 ? QString::number(m_state.selection().size()) : QString(), false);
    m_inspectorDock->setSummary(head ? QString::fromStdString(toText(*head)) : tr("No head selected"));
}

/// The reasons of entries that cannot be chosen are beside the entries (eventFilter()), and at the bottom only where
/// no scores stand.
bool MainWindow::event(QEvent *event)
{
    if (event->type() == QEvent::StatusTip && !m_scoreBar->isHidden())
        return true;
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        statusBar()->setFixedHeight(m_scoreBar->wholeHeight());
    if ((event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) && m_toolBar)
        paintExtensions();
    if (event->type() == QEvent::ThemeChange && m_settings && savedTheme() == Theme::System)
        applyTheme(Theme::System); // the desktop has other colours now
    return QMainWindow::event(event);
}

bool MainWindow::eventFilter(QObject *object, QEvent *event)
{
    if (const auto *menu = event->type() == QEvent::ToolTip ? qobject_cast<QMenu *>(object) : nullptr) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const QAction *action = menu->actionAt(help->pos());
        const QString why = action && !action->isEnabled() ? action->statusTip() : QString();
        if (!why.isEmpty()) {
            QToolTip::showText(help->globalPos(), plainTip(why), const_cast<QMenu *>(menu));
            return true;
        }
    }
    if (object == m_pageStack && event->type() == QEvent::Resize) // not within the layout of this event
        QMetaObject::invokeMethod(this, &MainWindow::arrangeSides, Qt::QueuedConnection);
    return QMainWindow::eventFilter(object, event);
}

void MainWindow::resizeEvent(QResizeEvent *event)
{
    QMainWindow::resizeEvent(event);
    QMetaObject::invokeMethod(
        this,
        [this] { // not within the layout of this event
            const bool narrow = width() < kNarrow;
            const bool widens = m_narrow && !narrow;
            m_narrow = narrow;
            if (narrow) // the tabs need the room
                m_computeButton->setMinimumWidth(0);
            else
                reserveTime(*m_computeButton, tr("Compute"));
            for (SideDock *dock : {m_studyDock, m_inspectorDock})
                dock->setNarrow(narrow);
            if (widens)
                widenDocks();
        },
        Qt::QueuedConnection);
}

/// A narrow window had squeezed them.
void MainWindow::widenDocks()
{
    resizeDocks({m_studyDock, m_inspectorDock},
                {std::max(m_studyDock->width(), kStudyWidth), std::max(m_inspectorDock->width(), kInspectorWidth)},
                Qt::Horizontal);
}

void MainWindow::useSettings()
{
    m_settings = true;
    m_files->setKeepsSettings(true);
    const QSettings settings;
    const QString firstAbove = QStringLiteral("grids/firstLayerAbove");
    UsualRows &usual = UsualRows::instance();
    usual.set(settings.value(firstAbove).toBool() ? GridRows::FirstAbove : GridRows::LastAbove);
    page<HeadsPage>().takeUsualRows();
    connect(&usual, &UsualRows::changed, this,
            [firstAbove] { QSettings().setValue(firstAbove, UsualRows::instance().rows() == GridRows::FirstAbove); });
    resize(size().boundedTo(roomOnScreen(*this)));
    restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    for (SideDock *dock : {m_studyDock, m_inspectorDock})
        dock->restore(settings);
    for (FoldingSide *side : m_sides)
        side->restore(settings);
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
    connect(&m_controller.files(), &StudyFiles::keptListed, this, [this](const QList<AutosavedStudy> &kept) {
        m_start->setKept(kept.isEmpty() ? AutosavedStudy() : kept.front());
    });
    m_controller.files().setKeptRoot(QDir(folder).filePath(QStringLiteral("kept studies")));
    m_controller.setWorkFolder(usualWorkFolder());
}

} // namespace headscope
