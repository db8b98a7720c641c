#include "ui/views/foldingside.h"

#include "ui/models/plaintip.h"
#include "ui/views/elidedlabel.h"
#include "ui/views/errorlabel.h"
#include "ui/views/foldrail.h"
#include "ui/views/pageparts.h"

#include <QEvent>
#include <QFile>
#include <QHBoxLayout>
#include <QIcon>
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
    : QWidget(parent), m_title(title), m_edge(edge),
      m_rail(new FoldRail(FoldRail::kPageWidth, this, edge == Edge::Bottom ? Qt::Horizontal : Qt::Vertical)),
      m_open(new QWidget(this)), m_heading(new ElidedLabel(m_open)), m_fold(new QToolButton(m_open)),
      m_roomWanted(edge == Edge::Bottom ? kRoomBelow : kRoomForSettings)
{
    initSideIcons();
    setObjectName(name);
    m_rail->setText(title);
    if (const QString file = QStringLiteral(":/icons/%1.svg").arg(icon); QFile::exists(file)) // a page may be alone
        m_rail->setIcon(QIcon(file));
    m_rail->setObjectName(name + QStringLiteral("Rail"));
    m_rail->setAccessibleName(tr("Open: %1").arg(title));
    m_rail->hide();
    makeBold(*m_heading);
    m_heading->setText(title);
    m_fold->setAutoRaise(true);
    if (isBelow())
        m_fold->setArrowType(Qt::DownArrow);
    else
        m_fold->setText(edge == Edge::Left ? QStringLiteral("«") : QStringLiteral("»"));
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
    auto *layout = new QBoxLayout(isBelow() ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight, this);
    layout->setContentsMargins({});
    layout->setSpacing(0);
    layout->addWidget(m_open, 1);
    layout->addWidget(m_rail);
    // Between it and the picture; a splitter has a handle there.
    const int gap = qobject_cast<QSplitter *>(parent) ? 4 : 14;
    if (!isBelow())
        m_open->setContentsMargins(edge == Edge::Left ? 0 : gap, 0, edge == Edge::Left ? gap : 0, 0);
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

void FoldingSide::setPageSize(const QSize &page)
{
    m_choice.setNarrow(isBelow() ? page.height() < m_roomWanted || page.width() < m_widthWanted
                                 : page.width() < m_roomWanted);
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

/// In a splitter, it takes its earlier size back from its neighbour.
void FoldingSide::apply()
{
    const bool folded = m_choice.isFolded();
    if (folded == m_folded)
        return;
    m_folded = folded;
    auto *splitter = qobject_cast<QSplitter *>(parentWidget());
    if (folded && isVisible())
        m_openSize = isBelow() ? height() : width();
    m_open->setVisible(!folded);
    m_rail->setVisible(folded);
    limitSize();
    if (splitter) {
        QList<int> sizes = splitter->sizes();
        const int at = splitter->indexOf(this);
        const int other = at == 0 ? 1 : at - 1;
        const int whole = sizes.value(at) + sizes.value(other);
        if (whole > 0 && other < sizes.size()) {
            const int usual = m_usualSize > 0 ? m_usualSize : isBelow() ? sizeHint().height() : sizeHint().width();
            const int wanted = folded         ? FoldRail::kPageWidth
                             : m_openSize > 0 ? std::min(m_openSize, whole / 2)
                                              : std::min(usual, whole / 2);
            sizes[at] = wanted;
            sizes[other] = whole - wanted;
            splitter->setSizes(sizes);
        }
    }
    Q_EMIT foldedChanged(folded);
}

/// No more than its rail, or what its content can use.
void FoldingSide::limitSize()
{
    const bool keepsWidth = !isBelow() && !qobject_cast<QSplitter *>(parentWidget());
    if (!m_content || keepsWidth)
        return;
    const bool whole = m_folded || !isBelow() || m_content->maximumHeight() >= QWIDGETSIZE_MAX;
    const int most = m_folded ? FoldRail::kPageWidth
                   : whole    ? QWIDGETSIZE_MAX
                              : m_content->maximumHeight() + m_fold->sizeHint().height() + m_open->layout()->spacing();
    if (isBelow())
        setMaximumHeight(most);
    else
        setMaximumWidth(most);
}

bool FoldingSide::event(QEvent *event)
{
    if (event->type() == QEvent::LayoutRequest)
        limitSize();
    return QWidget::event(event);
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
