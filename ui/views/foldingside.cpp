#include "ui/views/foldingside.h"

#include "ui/models/plaintip.h"
#include "ui/views/errorlabel.h"
#include "ui/views/foldrail.h"

#include <QEvent>
#include <QFile>
#include <QHBoxLayout>
#include <QIcon>
#include <QLabel>
#include <QSettings>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

/// Icons: resources of a static library are only there once asked for; the macro does not work inside a namespace.
static void initSideIcons()
{
    Q_INIT_RESOURCE(headscope);
}

namespace headscope {

FoldingSide::FoldingSide(const QString &title, const QString &name, const QString &icon, Edge edge, QWidget *parent)
    : QWidget(parent), m_title(title), m_rail(new FoldRail(FoldRail::kPageWidth, this)), m_open(new QWidget(this)),
      m_heading(new QLabel(title, m_open)), m_fold(new QToolButton(m_open))
{
    initSideIcons();
    setObjectName(name);
    m_rail->setText(title);
    if (const QString file = QStringLiteral(":/icons/%1.svg").arg(icon); QFile::exists(file)) // a page may be alone
        m_rail->setIcon(QIcon(file));
    m_rail->setObjectName(name + QStringLiteral("Rail"));
    m_rail->setAccessibleName(tr("Open: %1").arg(title));
    m_rail->hide();
    const bool left = edge == Edge::Left;
    QFont bold = font();
    bold.setBold(true);
    m_heading->setFont(bold);
    m_fold->setAutoRaise(true);
    m_fold->setText(left ? QStringLiteral("«") : QStringLiteral("»"));
    m_fold->setObjectName(QStringLiteral("fold"));
    m_fold->setAccessibleName(tr("Fold: %1").arg(title));
    m_fold->setToolTip(tr("Folds it to a narrow strip"));
    auto *top = new QHBoxLayout;
    top->addWidget(m_heading, 1);
    top->addWidget(m_fold);
    auto *inside = new QVBoxLayout(m_open);
    inside->setContentsMargins({});
    inside->setSpacing(2);
    inside->addLayout(top);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(0);
    layout->addWidget(m_open, 1);
    layout->addWidget(m_rail);
    // Between it and the picture; a splitter has a handle there.
    const int gap = qobject_cast<QSplitter *>(parent) ? 4 : 14;
    m_open->setContentsMargins(left ? 0 : gap, 0, left ? gap : 0, 0);
    connect(m_fold, &QToolButton::clicked, this, [this] {
        setFolded(true);
        m_rail->setFocus();
    });
    connect(m_rail, &FoldRail::clicked, this, [this] {
        setFolded(false);
        m_fold->setFocus();
    });
    setSummary({});
}

void FoldingSide::setContent(QWidget *content)
{
    m_content = content;
    m_open->layout()->addWidget(content);
    static_cast<QVBoxLayout *>(m_open->layout())->setStretchFactor(content, 1);
    if (auto *tabs = qobject_cast<QTabWidget *>(content)) {
        m_heading->hide();
        tabs->setCornerWidget(m_fold, Qt::TopRightCorner);
    }
    for (ErrorLabel *error : content->findChildren<ErrorLabel *>())
        error->installEventFilter(this);
    refreshBadge();
}

void FoldingSide::setFolded(bool folded)
{
    m_choice.setFolded(folded);
    apply();
}

void FoldingSide::setPageWidth(int pageWidth)
{
    m_choice.setNarrow(pageWidth < m_roomWanted);
    apply();
}

void FoldingSide::setSummary(const QString &summary)
{
    const QString head = tr("%1: click to open").arg(m_title);
    m_rail->setToolTip(plainTip(summary.isEmpty() ? head : head + QStringLiteral("\n\n") + summary));
    m_rail->setAccessibleDescription(summary);
}

void FoldingSide::forgetChoices()
{
    m_choice.forget();
    apply();
}

/// In a splitter, it takes its earlier width back from its neighbour.
void FoldingSide::apply()
{
    const bool folded = m_choice.isFolded();
    if (folded == m_folded)
        return;
    m_folded = folded;
    auto *splitter = qobject_cast<QSplitter *>(parentWidget());
    if (folded && isVisible())
        m_openWidth = width();
    m_open->setVisible(!folded);
    m_rail->setVisible(folded);
    if (splitter) {
        setMaximumWidth(folded ? FoldRail::kPageWidth : QWIDGETSIZE_MAX);
        QList<int> sizes = splitter->sizes();
        const int at = splitter->indexOf(this);
        const int other = at == 0 ? 1 : at - 1;
        const int whole = sizes.value(at) + sizes.value(other);
        if (whole > 0 && other < sizes.size()) {
            const int wanted = folded          ? FoldRail::kPageWidth
                             : m_openWidth > 0 ? std::min(m_openWidth, whole / 2)
                                               : std::min(sizeHint().width(), whole / 2);
            sizes[at] = wanted;
            sizes[other] = whole - wanted;
            splitter->setSizes(sizes);
        }
    }
    Q_EMIT foldedChanged(folded);
}

void FoldingSide::restore(const QSettings &settings)
{
    m_choice.restore(settings, objectName());
    apply();
}

void FoldingSide::save(QSettings &settings) const
{
    m_choice.save(settings, objectName());
}

/// Errors inside are announced by the rail.
void FoldingSide::refreshBadge()
{
    const QList<ErrorLabel *> errors = m_content->findChildren<ErrorLabel *>();
    const bool any = std::ranges::any_of(errors, [](const ErrorLabel *error) { return !error->isHidden(); });
    m_rail->setBadge(any ? QStringLiteral("!") : QString(), any);
}

bool FoldingSide::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::ShowToParent || event->type() == QEvent::HideToParent)
        refreshBadge();
    return QWidget::eventFilter(watched, event);
}

void toggleSides(const QWidget &page)
{
    const QList<FoldingSide *> sides = page.findChildren<FoldingSide *>();
    const bool fold = std::ranges::any_of(sides, [](const FoldingSide *side) { return !side->isFolded(); });
    for (FoldingSide *side : sides)
        side->setFolded(fold);
}

} // namespace headscope
