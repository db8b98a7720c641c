#include "ui/guide/guidewindow.h"

#include "ui/guide/guidebrowser.h"
#include "ui/guide/guidefiles.h"

#include <QAction>
#include <QCloseEvent>
#include <QFile>
#include <QFont>
#include <QFontMetrics>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSplitter>
#include <QToolBar>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <QUrl>

#include <algorithm>

namespace headscope {

namespace {
constexpr int kContentsWidth = 210;
constexpr int kFindWidth = 220;
constexpr int kFileRole = Qt::UserRole;
} // namespace

GuideWindow::GuideWindow(QWidget *parent)
    : QMainWindow(parent), m_contents(new QTreeWidget(this)), m_browser(new GuideBrowser(this)),
      m_find(new QLineEdit(this))
{
    setObjectName(QStringLiteral("guideWindow"));
    setWindowTitle(tr("Guide"));
    m_contents->setHeaderHidden(true);
    m_contents->setRootIsDecorated(false);
    m_contents->setIndentation(14);
    m_contents->setAccessibleName(tr("Contents of the guide"));
    m_browser->setAccessibleName(tr("Page of the guide"));
    setupToolBar();
    auto *splitter = new QSplitter(this);
    splitter->addWidget(m_contents);
    splitter->addWidget(m_browser);
    splitter->setStretchFactor(1, 1);
    splitter->setChildrenCollapsible(false);
    // The widest lines of commands fit, whatever the font.
    QFont code(QStringLiteral("monospace"));
    code.setStyleHint(QFont::Monospace);
    code.setPointSizeF(font().pointSizeF());
    resize(std::max(1040, kContentsWidth + 112 * QFontMetrics(code).averageCharWidth()), 760);
    splitter->setSizes({kContentsWidth, width() - kContentsWidth});
    setCentralWidget(splitter);
    connect(m_contents, &QTreeWidget::currentItemChanged, this, [this](const QTreeWidgetItem *item) {
        if (item)
            showPage(item->data(0, kFileRole).toString());
    });
    connect(m_browser, &QTextBrowser::sourceChanged, this, &GuideWindow::markInContents);
    connect(new QShortcut(QKeySequence(Qt::Key_Escape), this), &QShortcut::activated, this, &QWidget::close);

    const Result<QString> folder = guideFolder();
    if (folder.isError()) {
        m_browser->setPlainText(QString::fromStdString(folder.error().message));
        return;
    }
    m_folder = folder.value();
    fillContents();
    showPage(guideFile(QStringLiteral("index")));
}

QTextBrowser &GuideWindow::browser()
{
    return *m_browser;
}

void GuideWindow::setupToolBar()
{
    QToolBar *bar = addToolBar(tr("Guide"));
    bar->setObjectName(QStringLiteral("guideToolBar"));
    bar->setMovable(false);
    const auto add = [&](const QString &text, const QKeySequence &keys, auto slot, auto enabling) {
        QAction *action = bar->addAction(text, m_browser, slot);
        action->setShortcut(keys);
        action->setEnabled(false);
        connect(m_browser, enabling, action, &QAction::setEnabled);
    };
    add(tr("‹ Back"), QKeySequence::Back, &QTextBrowser::backward, &QTextBrowser::backwardAvailable);
    add(tr("Forward ›"), QKeySequence::Forward, &QTextBrowser::forward, &QTextBrowser::forwardAvailable);
    bar->addAction(tr("Contents"), this, [this] { showPage(guideFile(QStringLiteral("index"))); });
    auto *space = new QWidget(bar);
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    auto *missing = new QLabel(tr("Not on this page"), bar);
    missing->setContentsMargins(0, 0, 8, 0);
    QAction *notFound = bar->addWidget(missing); // a tool bar shows and hides its widgets by their actions
    notFound->setVisible(false);
    m_find->setPlaceholderText(tr("Find on this page"));
    m_find->setAccessibleName(tr("Find on this page"));
    m_find->setClearButtonEnabled(true);
    m_find->setMaximumWidth(kFindWidth);
    bar->addWidget(m_find);
    const auto look
        = [this, notFound](bool backward) { notFound->setVisible(!m_browser->findText(m_find->text(), backward)); };
    connect(m_find, &QLineEdit::returnPressed, this, [look] { look(false); });
    connect(m_find, &QLineEdit::textChanged, notFound, [notFound] { notFound->setVisible(false); });
    connect(new QShortcut(QKeySequence::FindNext, this), &QShortcut::activated, this, [look] { look(false); });
    connect(new QShortcut(QKeySequence::FindPrevious, this), &QShortcut::activated, this, [look] { look(true); });
    connect(new QShortcut(QKeySequence::Find, this), &QShortcut::activated, this, [this] {
        m_find->setFocus();
        m_find->selectAll();
    });
}

void GuideWindow::fillContents()
{
    QFile index(m_folder + u'/' + guideFile(QStringLiteral("index")));
    if (!index.open(QIODevice::ReadOnly))
        return;
    QTreeWidgetItem *group = nullptr;
    for (const GuideEntry &entry : guideContents(QString::fromUtf8(index.readAll()))) {
        auto *item = group && !entry.file.isEmpty() ? new QTreeWidgetItem(group) : new QTreeWidgetItem(m_contents);
        item->setText(0, entry.title);
        item->setData(0, kFileRole, entry.file);
        if (!entry.file.isEmpty())
            continue;
        group = item;
        item->setFlags(Qt::ItemIsEnabled); // a heading, no page
        QFont bold = font();
        bold.setBold(true);
        item->setFont(0, bold);
    }
    m_contents->expandAll();
}

void GuideWindow::markInContents()
{
    const QSignalBlocker marking(m_contents);
    m_contents->setCurrentItem(nullptr);
    for (QTreeWidgetItemIterator at(m_contents); *at; ++at) {
        if ((*at)->data(0, kFileRole).toString() == currentPage())
            m_contents->setCurrentItem(*at);
    }
}

void GuideWindow::showPage(const QString &page)
{
    if (m_folder.isEmpty() || page.isEmpty())
        return;
    QUrl url = QUrl::fromLocalFile(m_folder + u'/' + page.section(u'#', 0, 0));
    url.setFragment(page.section(u'#', 1));
    m_browser->setSource(url);
}

QString GuideWindow::currentPage() const
{
    return m_browser->source().fileName();
}

void GuideWindow::useSettings()
{
    m_settings = true;
    restoreGeometry(QSettings().value(QStringLiteral("guide/geometry")).toByteArray());
}

void GuideWindow::closeEvent(QCloseEvent *event)
{
    if (m_settings)
        QSettings().setValue(QStringLiteral("guide/geometry"), saveGeometry());
    QMainWindow::closeEvent(event);
}

} // namespace headscope
