// Actions, tool bar and menus of the main window.
#include "core/analysis/confidencespec.h"
#include "core/analysis/importancespec.h"
#include "ui/mainwindow/mainwindow.h"

#include "ui/dialogs/aboutdialog.h"
#include "ui/guide/guidefiles.h"
#include "ui/guide/guidewindow.h"
#include "ui/language/corewords.h"
#include "ui/language/language.h"
#include "ui/mainwindow/commandpalette.h"
#include "ui/mainwindow/headanswers.h"
#include "ui/mainwindow/pagerow.h"
#include "ui/mainwindow/recovermenu.h"
#include "ui/mainwindow/sidedock.h"
#include "ui/mainwindow/theme.h"
#include "ui/pages/analyses/analysespage.h"
#include "ui/pages/analyses/analysisform.h"
#include "ui/pages/heads/headspage.h"
#include "ui/pages/pageregistry.h"
#include "ui/report/reportjob.h"
#include "ui/state/domainjobs.h"
#include "ui/state/measures.h"
#include "ui/views/foldingside.h"
#include "ui/views/pageparts.h"
#include "ui/views/toast.h"
#include "ui/views/waysbutton.h"

#include <QAbstractItemView>
#include <QAction>
#include <QActionGroup>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QPainter>
#include <QPixmap>
#include <QPointer>
#include <QSettings>
#include <QToolBar>
#include <QToolButton>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace headscope {

namespace {
constexpr char kWords[] = "words"; ///< property of an action: other words that it is found by

QString withoutMnemonic(QString text)
{
    return text.remove(u'&');
}

QComboBox *addMeasureBox(QToolBar &bar)
{
    bar.addWidget(new QLabel(MainWindow::tr(" Measure: "), &bar));
    auto *box = new QComboBox(&bar);
    box->setObjectName(QStringLiteral("measureBox"));
    box->setAccessibleName(MainWindow::tr("Measure"));
    letShrink(*box, 12);                       // the longer names are whole in the list
    for (const MeasureInfo &info : measures()) // the metric is shown beside it
        box->addItem(measureName(info.measure, {}).trimmed());
    box->view()->setMinimumWidth(box->view()->sizeHintForColumn(0) + 24);
    bar.addWidget(box);
    return box;
}

QComboBox *addMetricBox(QToolBar &bar)
{
    bar.addWidget(new QLabel(MainWindow::tr(" Metric: "), &bar));
    auto *box = new QComboBox(&bar);
    box->setObjectName(QStringLiteral("metricBox"));
    box->setAccessibleName(MainWindow::tr("Metric"));
    box->setToolTip(MainWindow::tr("The metric by which heads are judged: in ablation, pruning and under the masks"));
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    bar.addWidget(box);
    return box;
}

/// In a tool bar that shows texts beside its other icons.
void showIconOnly(const QToolBar &bar, QAction &action)
{
    qobject_cast<QToolButton *>(bar.widgetForAction(&action))->setToolButtonStyle(Qt::ToolButtonIconOnly);
}

/// Of an action in the menu `place`.
Command commandOf(QAction &action, const QString &place)
{
    return {.title = withoutMnemonic(action.text()),
            .place = place,
            .about = action.whatsThis(),
            .shortcut = action.shortcut().toString(QKeySequence::NativeText),
            .whyNot = action.isEnabled()           ? QString()
                    : action.statusTip().isEmpty() ? MainWindow::tr("There is nothing to do")
                                                   : action.statusTip(),
            .run =
                [action = QPointer(&action)] {
                    if (action)
                        action->trigger();
                },
            .words = action.property(kWords).toString()};
}

/// Those of a menu and of the menus in it, without those that `isLeftOut`.
QList<Command> commandsOf(const QList<QAction *> &actions, const QString &place,
                          const std::function<bool(const QAction &)> &isLeftOut)
{
    QList<Command> commands;
    for (QAction *action : actions) {
        if (action->isSeparator() || !action->isVisible() || isLeftOut(*action))
            continue;
        QMenu *menu = action->menu();
        if (!menu) {
            commands << commandOf(*action, place);
            continue;
        }
        Q_EMIT menu->aboutToShow(); // some are filled then
        const QString title = withoutMnemonic(menu->title());
        commands << commandsOf(menu->actions(), place.isEmpty() ? title : place + QStringLiteral(" › ") + title,
                               isLeftOut);
    }
    return commands;
}

/// `choose`: one of them.
void fillWithThemes(QMenu &menu, const std::function<void(Theme)> &choose)
{
    auto *group = new QActionGroup(&menu);
    const std::pair<Theme, QString> choices[] = {{Theme::System, MainWindow::tr("&System")},
                                                 {Theme::Light, MainWindow::tr("&Light")},
                                                 {Theme::Dark, MainWindow::tr("&Dark")},
                                                 {Theme::HighContrastLight, MainWindow::tr("High contrast, light")},
                                                 {Theme::HighContrastDark, MainWindow::tr("High contrast, dark")}};
    for (const auto &[theme, name] : choices) {
        auto *action = group->addAction(name);
        action->setCheckable(true);
        action->setChecked(theme == savedTheme());
        QObject::connect(action, &QAction::triggered, &menu, [choose, theme = theme] { choose(theme); });
        menu.addAction(action);
    }
}
} // namespace

QAction *MainWindow::addAction(const QString &text, const QKeySequence &shortcut, const QString &icon,
                               const std::function<void()> &run)
{
    auto *action = new QAction(text, this);
    action->setShortcut(shortcut);
    if (!icon.isEmpty())
        action->setIcon(QIcon(QStringLiteral(":/icons/%1.svg").arg(icon)));
    connect(action, &QAction::triggered, this, run);
    QMainWindow::addAction(action);
    return action;
}

void MainWindow::setupActions()
{
    const auto key = [](const char *text) { return QKeySequence(QString::fromLatin1(text)); };
    const auto icon = [](const char *name) { return QString::fromLatin1(name); };
    m_openModel = addAction(tr("Open &model…"), QKeySequence::Open, icon("open"), [this] { m_files->chooseModel(); });
    m_openRemote = addAction(tr("Open on another mac&hine…"), {}, {}, [this] { m_files->chooseRemoteModel(); });
    m_openStudy = addAction(tr("Open &study…"), key("Ctrl+Shift+O"), {}, [this] { m_files->chooseStudy(); });
    m_openDemo = addAction(tr("Open the &demo"), {}, icon("demo"), [this] { openDemo(); });
    m_openClassifierDemo = addAction(tr("Open the c&lassifier demo"), {}, {}, [this] { openDemo(Demo::Classifier); });
    m_openPronunciationDemo
        = addAction(tr("Open the pro&nunciation demo"), {}, {}, [this] { openDemo(Demo::Pronunciation); });
    m_train = addAction(tr("&Train a model…"), key("Ctrl+T"), icon("train"),
                        [this] { showView(QStringLiteral("training")); });
    m_chooseData = addAction(tr("Choose &data…"), key("Ctrl+D"), icon("data"), [this] { m_files->chooseData(); });
    m_save = addAction(tr("&Save study"), QKeySequence::Save, {}, [this] { m_files->save(); });
    m_saveAs = addAction(tr("Save study &as…"), key("Ctrl+Shift+S"), {}, [this] { m_files->chooseAndSave(); });
    m_packStudy = addAction(tr("Pac&k study…"), {}, {}, [this] { m_files->pack(); });
    m_export = addAction(tr("&Export this view…"), key("Ctrl+E"), icon("export"), [this] { m_files->exportView(); });
    m_exportAll
        = addAction(tr("Export e&verything…"), key("Ctrl+Shift+E"), {}, [this] { m_files->exportEverything(); });
    m_report = addAction(tr("Write &report…"), {}, {}, [this] { m_files->writeReport({}); });
    m_copy = addAction(tr("&Copy picture and table"), QKeySequence::Copy, {}, [this] { m_files->copyView(); });
    m_clearMasks = addAction(tr("C&lear masks"), key("Ctrl+Shift+M"), icon("clear"), [this] { m_state.clearMask(); });
    m_maskSelection = addAction(tr("&Mask or unmask selected heads"), key("Ctrl+M"), {},
                                [this] { m_state.toggleMasks(m_state.selection()); });
    m_find = addAction(tr("&Find heads…"), key("/"), {}, [this] { find(); });
    m_writeMasked = addAction(tr("Save &pruned model…"), {}, {}, [this] { m_files->savePrunedModel(); });
    m_compute = addAction(tr("Compute what is &missing"), key("F5"), icon("compute"), [this] { computeMissing(); });
    m_compute->setIconText(tr("Compute"));
    m_onCluster = addAction(tr("&Run on a cluster…"), {}, {}, [this] { m_files->runOnCluster(); });
    m_cancelAll = addAction(tr("&Cancel all jobs"), key("Ctrl+."), {}, [this] { m_controller.queue().cancelAll(); });
    m_cancelAll->setEnabled(false);
    m_findCommand = addAction(tr("Find a &command…"), key("Ctrl+K"), icon("command"), [this] {
        if (!m_palette)
            m_palette = new CommandPalette(this);
        m_palette->open(commands(), [this](const QString &text) { return answersTo(text); });
    });
    m_findCommand->setToolTip(tr("Find a command, an analysis or a page by what it does (Ctrl+K)"));
    m_undo = m_state.undoStack().createUndoAction(this, tr("&Undo"));
    m_undo->setShortcut(QKeySequence::Undo);
    m_undo->setIcon(QIcon(QStringLiteral(":/icons/undo.svg")));
    m_redo = m_state.undoStack().createRedoAction(this, tr("&Redo"));
    // Both, on every platform: a sequence that is listed twice would be ambiguous, and do nothing.
    m_redo->setShortcuts({key("Ctrl+Shift+Z"), key("Ctrl+Y")});
    m_redo->setIcon(QIcon(QStringLiteral(":/icons/redo.svg")));
}

void MainWindow::setupToolBar()
{
    m_toolBar = addToolBar(tr("Main"));
    m_toolBar->setObjectName(QStringLiteral("mainToolBar"));
    m_toolBar->setMovable(false);
    m_toolBar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_toolBar->setIconSize({18, 18});
    m_toolBar->addActions({m_openModel, m_chooseData});
    m_toolBar->addSeparator();
    for (QAction *action : {m_undo, m_redo}) {
        m_toolBar->QWidget::addAction(action);
        showIconOnly(*m_toolBar, *action); // the step's name is in the tool tip; the tool bar keeps its width
    }
    m_toolBar->addSeparator();
    m_measureBox = addMeasureBox(*m_toolBar);
    connect(m_measureBox, &QComboBox::activated, this,
            [this](int index) { m_state.setMeasure(static_cast<Measure>(index)); });
    m_metricBox = addMetricBox(*m_toolBar);
    connect(m_metricBox, &QComboBox::textActivated, &m_state, &StudyState::setMetric);
    m_toolBar->addSeparator();
    m_toolBar->addWidget(new QLabel(tr(" Domain: "), m_toolBar));
    m_domainGroup = new QActionGroup(this);
    for (const DomainView view : {DomainView::In, DomainView::Out, DomainView::Difference}) {
        auto *action = m_domainGroup->addAction(domainViewName(view));
        action->setCheckable(true);
        action->setData(static_cast<int>(view));
        connect(action, &QAction::triggered, this, [this, view] { m_state.setDomainView(view); });
        m_toolBar->QWidget::addAction(action);
    }
    m_toolBar->addSeparator();
    m_maskCount = new QLabel(m_toolBar);
    m_toolBar->addWidget(m_maskCount);
    m_toolBar->QWidget::addAction(m_clearMasks);
    showIconOnly(*m_toolBar, *m_clearMasks);
    auto *space = new QWidget(m_toolBar);
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_toolBar->addWidget(space);
    m_toolBar->QWidget::addAction(m_export);
    setupTabRowButtons();
    addToolBarBreak();
    addToolBar(m_tabRow);
}

/// What stands beside the pages.
void MainWindow::setupTabRowButtons()
{
    auto *compute = new QToolButton(m_tabRow);
    compute->setDefaultAction(m_compute);
    compute->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    compute->setObjectName(QStringLiteral("computePage"));
    m_computeButton = compute;
    m_computeWays = new QMenu(this);
    fillWithWays(*m_computeWays, [this] { return m_controller.times().ways(missingHere()); });
    letChooseWays(*compute, *m_computeWays);
    reserveTime(*compute, tr("Compute"));
    m_tabRow->addWidget(compute);
    auto *commands = new QToolButton(m_tabRow);
    commands->setDefaultAction(m_findCommand);
    commands->setToolButtonStyle(Qt::ToolButtonIconOnly);
    commands->setAutoRaise(true);
    m_tabRow->setIconSize({16, 16});
    m_tabRow->addWidget(commands);
}

/// From the left in the tool bar, then in the row of pages, and from there into the page.
void MainWindow::orderTabs()
{
    QList<QWidget *> order;
    for (const QToolBar *bar : {m_toolBar, m_tabRow}) {
        for (QAction *action : bar->actions()) {
            QWidget *widget = bar->widgetForAction(action);
            if (auto *button = qobject_cast<QToolButton *>(widget)) {
                button->setFocusPolicy(Qt::TabFocus);
                order << button;
            } else if (qobject_cast<QComboBox *>(widget)) {
                order << widget;
            } else if (widget == m_pageRow) {
                for (QToolButton *page : m_pageRow->findChildren<QToolButton *>())
                    order << page;
            }
        }
    }
    for (qsizetype i = 1; i < order.size(); ++i)
        setTabOrder(order[i - 1], order[i]);
}

/// The sign of what a tool bar has no room for: styles have it as a black picture, which nobody sees on dark.
void MainWindow::paintExtensions()
{
    constexpr QSize kSize(16, 16);
    for (QToolBar *bar : {m_toolBar, m_tabRow}) {
        auto *more = bar->findChild<QToolButton *>(QStringLiteral("qt_toolbar_ext_button"));
        if (!more)
            continue;
        QPixmap sign(kSize * devicePixelRatioF());
        sign.setDevicePixelRatio(devicePixelRatioF());
        sign.fill(Qt::transparent);
        QPainter painter(&sign);
        painter.setPen(QPen(palette().color(QPalette::WindowText), 2));
        for (const int left : {3, 8}) {
            painter.drawLine(left, 4, left + 4, 8);
            painter.drawLine(left + 4, 8, left, 12);
        }
        painter.end();
        more->setIcon(QIcon(sign));
        more->setAccessibleName(tr("More of the tool bar"));
    }
}

void MainWindow::setupMenus()
{
    setupFileMenu();
    setupEditMenu();
    setupModelMenu();
    setupAnalyseMenu();
    setupViewMenu();
    setupHelpMenu();
    describeActions();
}

/// What commands do, for those who look for it in other words than their names.
void MainWindow::describeActions()
{
    const std::pair<QAction *, QString> texts[] = {
        {m_openModel, tr("Reads a model from its folder")},
        {m_openRemote, tr("Works with a model on a server over SSH")},
        {m_openStudy, tr("Opens saved results with their masks")},
        {m_openDemo, tr("A small translation model with its results, to try things out")},
        {m_openClassifierDemo, tr("A small text classifier with its results")},
        {m_openPronunciationDemo, tr("A small model with a positional head and one for rare words")},
        {m_train, tr("Trains a model whose epochs can be studied")},
        {m_chooseData, tr("The texts that scores are measured on: in-domain and out-of-domain")},
        {m_save, tr("Keeps results, masks and layout in a file")},
        {m_packStudy, tr("Puts study, data and model into one file, to send or to archive")},
        {m_export, tr("Writes the picture or the table of this page to a file: PNG, SVG, PDF, CSV, LaTeX")},
        {m_exportAll, tr("Writes the pictures and tables of all pages into a folder")},
        {m_report, tr("Writes a page with all results, to read or to send")},
        {m_copy, tr("Puts the picture and the table of this page on the clipboard")},
        {m_clearMasks, tr("Switches all heads on again")},
        {m_maskSelection, tr("Switches heads off or on, and measures the score without them")},
        {m_find, tr("Selects heads by name, role or p value")},
        {m_writeMasked, tr("Writes a smaller model without the masked heads, and measures its speed")},
        {m_compute, tr("Computes or resumes scores, ablation, importance and confidence")},
        {m_onCluster, tr("Spreads a sweep over machines that run Slurm")},
        {m_cancelAll, tr("Stops everything; what is done is kept")},
        {m_showRoles, tr("Letters of roles in the cells of grids")},
    };
    for (const auto &[action, text] : texts)
        action->setWhatsThis(text);
    const std::pair<QAction *, QString> words[] = {
        {m_export, tr("screenshot, picture, figure, download, image, print")},
        {m_exportAll, tr("screenshots, pictures, figures, all tables")},
        {m_copy, tr("screenshot, clipboard, paste")},
        {m_report, tr("summary, HTML, paper")},
        {m_chooseData, tr("test set, corpus, data set, references, labels")},
        {m_maskSelection, tr("remove head, ablate, knock out, disable, BLEU without head, accuracy without head")},
        {m_writeMasked, tr("compress, export model, smaller model, checkpoint")},
        {m_compute, tr("run, start, resume, continue")},
        {m_cancelAll, tr("stop, abort, interrupt")},
        {m_find, tr("search heads, filter, positional heads")},
    };
    for (const auto &[action, other] : words)
        action->setProperty(kWords, other);
}

QList<Command> MainWindow::commands()
{
    QList<Command> commands;
    const bool open = m_state.model() != nullptr;
    for (const PageEntry &entry : pageRegistry()) {
        commands << Command{.title = withoutMnemonic(entry.info.title),
                            .place = pageGroupName(entry.group),
                            .about = entry.about,
                            .shortcut = entry.digit > 0 ? tr("Ctrl+%1").arg(entry.digit) : QString(),
                            .whyNot = open || !entry.info.needsModel ? QString() : tr("Open a model first"),
                            .run = [this, id = entry.info.id] { showView(id); },
                            .words = entry.info.id + u' ' + entry.words};
    }
    QStringList titles;
    for (const Command &command : std::as_const(commands))
        titles << command.title;
    for (const MeasureInfo &info : measures())
        commands << Command{.title = measureName(info.measure, m_state.metricName()).trimmed(),
                            .place = tr("Measure"),
                            .about = tr("Shows it of every head"),
                            .shortcut = {},
                            .whyNot = open ? QString() : tr("Open a model first"),
                            .run =
                                [this, measure = info.measure] {
                                    m_state.setMeasure(measure);
                                    showView(HeadsPage::info().id);
                                },
                            .words = QLatin1String(info.id) + u' ' + measureWords(info.measure)};
    for (const AnalysisForm *form : page<AnalysesPage>().forms()) {
        const QString name = QString::fromUtf8(form->info().name);
        commands << Command{.title = optionTitle(form->info().name),
                            .place = tr("Analyses"),
                            .about = fromCore(form->info().summary),
                            .shortcut = {},
                            .whyNot = open ? QString() : tr("Open a model first"),
                            .run = [this, name] { showAnalysis(name); },
                            .words = name};
    }
    return commands << commandsOf(menuBar()->actions(), {}, [&](const QAction &action) {
               return &action == m_findCommand || titles.contains(withoutMnemonic(action.text()));
           });
}

/// What is known of the heads that a text names, and what can be done with them.
QList<Command> MainWindow::answersTo(const QString &text)
{
    const NamedHeads named = namedHeads(QString(text).remove(u'?'), m_state.layout());
    const QStringList known = headAnswers(m_state, named.heads);
    QList<Command> answers;
    for (std::size_t i = 0; i < named.heads.size(); ++i) {
        const HeadRef head = named.heads[i];
        const QString name = QString::fromStdString(toText(head));
        const bool masked = m_state.mask().isMasked(head);
        const auto add = [&](const QString &title, const QString &about, const std::function<void()> &run,
                             const QString &words = {}) {
            answers << Command{.title = title,
                               .place = tr("Head"),
                               .about = about,
                               .shortcut = {},
                               .whyNot = {},
                               .run = run,
                               .words = words};
        };
        const auto select = [this, head](const QString &view) {
            m_state.selectHead(head);
            showView(view);
        };
        add(
            name, known[static_cast<qsizetype>(i)], [select] { select(HeadsPage::info().id); },
            tr("head values role measures"));
        add(
            tr("Attention of %1").arg(name), tr("What it attends to in a sentence"),
            [select] { select(QStringLiteral("attention")); }, tr("head heat map weights"));
        add(
            masked ? tr("Unmask %1").arg(name) : tr("Mask %1").arg(name),
            masked ? tr("Switches it on again") : tr("Switches it off, and measures the score without it"),
            [this, head] { m_state.toggleMasks({head}); }, tr("head remove ablate BLEU without accuracy without"));
    }
    return matchingCommands(answers, named.rest);
}

void MainWindow::setupFileMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&File"));
    menu->addActions(
        {m_openModel, m_openRemote, m_openStudy, m_openDemo, m_openClassifierDemo, m_openPronunciationDemo});
    QMenu *recent = menu->addMenu(tr("&Recent"));
    connect(recent, &QMenu::aboutToShow, this, [this, recent] { m_files->fillRecentMenu(*recent); });
    auto *kept = new RecoverMenu(tr("Rec&over"), m_controller, this);
    connect(kept, &RecoverMenu::studyRequested, this, [this](const QString &file) { openPaths({file}); });
    connect(kept, &RecoverMenu::deletionRequested, m_files, &WindowFiles::askToDeleteKept);
    menu->addMenu(kept);
    menu->addSeparator();
    menu->addActions({m_save, m_saveAs, m_packStudy});
    menu->addSeparator();
    menu->addActions({m_export, m_exportAll, m_report});
    m_reportMenu = menu->addMenu(tr("Write &report"));
    fillWithWays(*m_reportMenu, [this] {
        return waysOfReport(m_state, m_controller, [this](const ReportSpec &spec) { m_files->writeReport(spec); });
    });
    m_reportMenu->menuAction()->setVisible(false);
    connect(menu, &QMenu::aboutToShow, this, [this] {
        if (m_controller.isAutomatic() && m_state.session() && m_state.data(Domain::In))
            measureForReport(m_state, m_controller);
    });
    menu->addSeparator();
    auto *quit = addAction(tr("&Quit"), QKeySequence(QStringLiteral("Ctrl+Q")), {}, [this] { close(); });
    menu->QWidget::addAction(quit);
}

void MainWindow::setupEditMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&Edit"));
    menu->addActions({m_undo, m_redo});
    menu->addSeparator();
    menu->QWidget::addAction(m_copy);
    menu->addSeparator();
    menu->addActions({m_find, m_maskSelection, m_clearMasks});
}

void MainWindow::setupModelMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&Model"));
    menu->QWidget::addAction(m_chooseData);
    for (const Domain domain : kBothDomains) {
        QAction *&remove = m_removeData[slotOf(domain)];
        remove = addAction(tr("Remove %1 data").arg(domainName(domain)), {}, {},
                           [this, domain] { m_controller.clearData(domain); });
        menu->QWidget::addAction(remove);
    }
    menu->addSeparator();
    menu->addActions({m_train, m_writeMasked});
}

void MainWindow::setupAnalyseMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&Analyse"));
    menu->QWidget::addAction(m_compute);
    menu->addSeparator();
    const auto again = [&](const QString &text, auto spec) {
        m_analyses << addAction(text, {}, {}, [this, spec]() mutable {
            spec.run = m_controller.runOptions();
            if constexpr (requires { spec.by; })
                spec.by = m_state.gridUnit();
            std::vector<StudyController::Request> requests;
            for (const Domain domain : kBothDomains) {
                if (m_state.data(domain))
                    requests.push_back({domain, spec});
            }
            startSaying(requests);
        });
    };
    again(tr("&Ablation sweep now"), AblationSpec{});
    again(tr("&Importance now"), ImportanceSpec{});
    again(tr("&Confidence now"), ConfidenceSpec{});
    for (const Page *page : std::as_const(m_pages))
        m_analyses << page->analyses();
    menu->addActions(m_analyses);
    menu->addSeparator();
    menu->QWidget::addAction(m_onCluster);
    menu->addSeparator();
    menu->QWidget::addAction(m_cancelAll);
}

void MainWindow::setupViewMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&View"));
    PageGroup before = pageRegistry().front().group;
    for (const PageEntry &page : pageRegistry()) {
        if (std::exchange(before, page.group) != page.group)
            menu->addSeparator();
        const QKeySequence keys
            = page.digit > 0 ? QKeySequence(QStringLiteral("Ctrl+%1").arg(page.digit)) : QKeySequence();
        QAction *show = addAction(page.info.title, keys, {}, [this, id = page.info.id] { showView(id); });
        show->setWhatsThis(page.about);
        menu->QWidget::addAction(show);
        if (page.info.needsModel)
            m_modelPages << show;
    }
    menu->addSeparator();
    m_showRoles
        = addAction(tr("Show r&oles in grids"), {}, {}, [this] { m_state.setShowsRoles(m_showRoles->isChecked()); });
    m_showRoles->setCheckable(true);
    menu->QWidget::addAction(m_showRoles);
    setupSignificanceMenu(menu->addMenu(tr("S&ignificance")));
    menu->addSeparator();
    for (const SideDock *dock : {m_studyDock, m_inspectorDock})
        menu->QWidget::addAction(&dock->action());
    m_foldSide = addAction(tr("Panel &beside the picture"), QKeySequence(QStringLiteral("Ctrl+J")), {}, [this] {
        if (const Page *page = currentPage())
            toggleSides(*page);
    });
    menu->QWidget::addAction(m_foldSide);
    menu->QWidget::addAction(m_jobsDock->toggleViewAction());
    menu->QWidget::addAction(addAction(tr("&Reset layout"), {}, {}, [this] {
        restoreState(m_defaultLayout, kLayoutVersion);
        for (SideDock *dock : {m_studyDock, m_inspectorDock})
            dock->forgetChoices();
        for (FoldingSide *side : m_sides)
            side->forgetChoices();
        refreshWorkspace();
        arrangeDocks();
    }));
    menu->addSeparator();
    fillWithThemes(*menu->addMenu(tr("&Theme")), [this](Theme theme) {
        applyTheme(theme);
        if (m_settings)
            saveTheme(theme);
    });
    setupLanguageMenu(menu->addMenu(tr("&Language")));
}

/// One convention for all pages: which p counts, and up to where.
void MainWindow::setupSignificanceMenu(QMenu *menu)
{
    const auto add = [&](QActionGroup *group, const QString &text, bool checked, auto change) {
        QAction *action = group->addAction(text);
        action->setCheckable(true);
        action->setChecked(checked);
        connect(action, &QAction::triggered, this, [this, change] {
            Significance now = m_state.significance();
            change(now);
            m_state.setSignificance(now);
        });
        connect(&m_state, &StudyState::significanceChanged, action, [this, action, change] {
            Significance same = m_state.significance();
            change(same);
            action->setChecked(same == m_state.significance());
        });
        menu->QWidget::addAction(action);
    };
    auto *corrections = new QActionGroup(this);
    for (const Correction correction : kAllCorrections)
        add(corrections, correctionName(correction), correction == m_state.significance().correction,
            [correction](Significance &now) { now.correction = correction; });
    menu->addSeparator();
    auto *levels = new QActionGroup(this);
    for (const double level : kSignificanceLevels)
        add(levels, tr("p ≤ %1").arg(QLocale().toString(level, 'f', 2)), level == m_state.significance().level,
            [level](Significance &now) { now.level = level; });
}

void MainWindow::setupLanguageMenu(QMenu *menu)
{
    auto *group = new QActionGroup(this);
    for (const Language &language : QList<Language>{{{}, tr("&System")}} + languages()) {
        auto *action = group->addAction(language.name);
        action->setCheckable(true);
        action->setChecked(language.code == savedLanguage());
        connect(action, &QAction::triggered, this, [this, code = language.code] {
            if (m_settings)
                saveLanguage(code);
            m_toast->say(tr("The language changes at the next start of Headscope."));
        });
        menu->QWidget::addAction(action);
    }
}

void MainWindow::setupHelpMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&Help"));
    menu->QWidget::addAction(addAction(tr("&Guide to this page"), QKeySequence::HelpContents, {},
                                       [this] { showGuide(guideFile(currentView())); }));
    menu->QWidget::addAction(m_findCommand);
    menu->QWidget::addAction(addAction(tr("&Tutorial"), {}, {}, [this] { showGuide(QStringLiteral("tutorial.md")); }));
    menu->addSeparator();
    menu->QWidget::addAction(addAction(tr("&About Headscope"), {}, {}, [this] {
        auto *dialog = new AboutDialog(this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    }));
}

void MainWindow::showGuide(const QString &page)
{
    if (!m_guide) {
        m_guide = std::make_unique<GuideWindow>();
        m_guide->setWindowIcon(windowIcon());
        if (m_settings)
            m_guide->useSettings();
    }
    m_guide->showPage(page);
    m_guide->show();
    m_guide->raise();
    m_guide->activateWindow();
}

void MainWindow::refreshActions()
{
    const bool model = m_state.model() != nullptr;
    const bool session = m_state.session() != nullptr;
    const QString whyNot = m_controller.whyNotReady();
    const bool masks = !m_state.mask().empty();
    // Disabled actions say why.
    const auto enable = [](QAction *action, bool enabled, const QString &why) {
        action->setEnabled(enabled);
        action->setToolTip(enabled ? action->text().remove(u'&') : why);
        action->setStatusTip(enabled ? QString() : why);
    };
    for (QAction *action : QList<QAction *>{m_save, m_saveAs, m_exportAll} + m_modelPages)
        enable(action, model, tr("Open a model first"));
    const PageInfo *page = findPage(currentView());
    const bool ofTheModel = !page || page->needsModel;
    const bool shown = ofTheModel ? model : !currentPage()->exportItems().isEmpty();
    for (QAction *action : {m_export, m_copy})
        enable(action, shown, ofTheModel ? tr("Open a model first") : tr("This page has nothing to export yet"));
    for (QAction *action : m_analyses + QList<QAction *>{m_compute})
        enable(action, whyNot.isEmpty(), whyNot);
    if (whyNot.isEmpty())
        m_compute->setToolTip(
            tr("Computes what this page shows and is not there yet, and the basic results: score, ablation, "
               "importance and confidence (F5)"));
    for (const Domain domain : kBothDomains)
        enable(m_removeData[slotOf(domain)], m_state.data(domain).has_value(),
               tr("There are no %1 data").arg(domainName(domain)));
    enable(m_onCluster, model, tr("Open a model first"));
    const bool elsewhere = model && !m_state.model()->host.empty();
    enable(m_packStudy, model && !elsewhere,
           elsewhere ? tr("Model and data are on another machine: pack the study there") : tr("Open a model first"));
    enable(m_report, session && m_state.data(Domain::In),
           session ? tr("Choose in-domain data first") : tr("Open a model first"));
    enable(m_clearMasks, masks, tr("No head is masked"));
    enable(m_find, model, tr("Open a model first"));
    enable(m_foldSide, currentPage() && currentPage()->findChild<FoldingSide *>(),
           tr("Nothing on this page folds beside the picture"));
    enable(m_maskSelection, !m_state.selection().empty(), tr("Select heads first"));
    enable(m_writeMasked, session && masks,
           session ? tr("Mask the heads to leave out first") : tr("Open a model first"));
}

void MainWindow::refreshToolBar()
{
    m_measureBox->setCurrentIndex(static_cast<int>(m_state.measure()));
    QStringList shown;
    for (int i = 0; i < m_metricBox->count(); ++i)
        shown << m_metricBox->itemText(i);
    if (const QStringList names = m_state.metricNames(); names != shown) {
        m_metricBox->clear();
        m_metricBox->addItems(names);
    }
    m_metricBox->setCurrentText(m_state.metricName());
    m_showRoles->setChecked(m_state.showsRoles());
    for (QAction *action : m_domainGroup->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(m_state.domainView()));
    const auto masksText = [](std::int64_t heads) { return tr(" Masks: %1 ").arg(headsText(heads)); };
    m_maskCount->setMinimumWidth( // of any number of them: what is beside it stays where it is
        m_maskCount->fontMetrics().horizontalAdvance(masksText(std::max<std::int64_t>(m_state.layout().size(), 88))));
    m_maskCount->setText(masksText(m_state.mask().size()));
}

} // namespace headscope
