#include "ui/views/readonlygrid.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

namespace headscope {

ReadOnlyGrid::ReadOnlyGrid(const QString &name, QWidget *parent) : QWidget(parent)
{
    setMinimumSize(200, 100);
    connect(&UsualRows::instance(), &UsualRows::changed, this, qOverload<>(&QWidget::update));
    setAccessibleName(name);
    describe();
}

void ReadOnlyGrid::describe()
{
    if (m_content.valueCount() == 0)
        setAccessibleDescription(tr("Nothing to show yet."));
    else
        setAccessibleDescription(m_mask.empty() ? tr("No head is masked.") : QString::fromStdString(toText(m_mask)));
}

void ReadOnlyGrid::setContent(GridContent content)
{
    m_content = std::move(content);
    describe();
    update();
}

void ReadOnlyGrid::setMask(const HeadMask &mask)
{
    m_mask = mask;
    describe();
    update();
}

void ReadOnlyGrid::setScale(const std::optional<ColorScale> &scale)
{
    m_scale = scale;
    update();
}

GridPicture ReadOnlyGrid::picture() const
{
    GridPicture picture;
    picture.content = m_content;
    picture.mask = m_mask;
    picture.scale = m_scale.value_or(scaleFor(m_content));
    return picture;
}

HeadGridGeometry ReadOnlyGrid::geometry() const
{
    const QFontMetricsF metrics(font(), this);
    return HeadGridGeometry(m_content.layout, size(), metrics, gridFooterHeight(metrics));
}

void ReadOnlyGrid::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    GridPicture shown = picture();
    shown.palette = ViewPalette::matching(palette());
    painter.fillRect(rect(), shown.palette.paper);
    if (m_content.valueCount() > 0)
        paintHeadGrid(painter, shown, geometry(), rect());
}

bool ReadOnlyGrid::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const auto head = geometry().headAt(help->pos());
    const HeadCell *cell = head ? m_content.cell(*head) : nullptr;
    QString text;
    if (cell && cell->value)
        text
            = (m_mask.empty()           ? tr("%1: %2 %3")
               : m_mask.isMasked(*head) ? tr("%1: removed, %2 %3")
                                        : tr("%1: stays, %2 %3"))
                  .arg(QString::fromStdString(toText(*head)), m_content.valueText(*cell->value), m_content.format.unit);
    if (cell && cell->value && m_content.examplesOf(*cell) > 0)
        text = tr("%1, %2").arg(text, m_content.examplesText(*cell));
    QToolTip::showText(help->globalPos(), text, this);
    return true;
}

} // namespace headscope
