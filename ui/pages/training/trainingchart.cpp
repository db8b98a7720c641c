#include "ui/pages/training/trainingchart.h"

#include "ui/heatmap/focusframe.h"
#include "ui/models/numbertext.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope {

TrainingChart::TrainingChart(QWidget *parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    m_picture.palette = ViewPalette::matching(palette());
    describe();
}

void TrainingChart::setSeries(TrainingSeries series)
{
    m_picture.series = std::move(series);
    describe();
    update();
}

void TrainingChart::setEmptyText(const QString &text)
{
    m_emptyText = text;
    describe();
    update();
}

void TrainingChart::setCurrentEpoch(std::optional<double> epoch)
{
    m_current = epoch;
    setCursorAt(epoch);
}

void TrainingChart::setCursorAt(std::optional<double> epoch)
{
    if (epoch == m_picture.cursor)
        return;
    m_picture.cursor = epoch;
    describe();
    update();
}

void TrainingChart::describe()
{
    setAccessibleName(tr("Training curves"));
    const TrainingSeries &series = m_picture.series;
    if (series.empty())
        return setAccessibleDescription(m_emptyText);
    if (m_picture.cursor)
        return setAccessibleDescription(trainingReadingText(series, *m_picture.cursor));
    QString text;
    if (!series.trainLoss.empty())
        text = tr("Last: %1").arg(trainingReadingText(series, series.trainLoss.back().x()));
    if (series.bestEpoch)
        text += tr("; best epoch %1").arg(countText(static_cast<std::int64_t>(*series.bestEpoch)));
    setAccessibleDescription(text);
}

void TrainingChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setFont(font());
    if (m_picture.series.empty()) {
        painter.fillRect(rect(), m_picture.palette.paper);
        painter.setPen(m_picture.palette.muted);
        painter.drawText(rect().adjusted(20, 20, -20, -20), Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
        return;
    }
    paintTrainingChart(painter, rect(), m_picture);
    if (hasFocus())
        paintFocusFrame(painter, rect(), m_picture.palette);
}

void TrainingChart::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        m_picture.palette = ViewPalette::matching(palette());
        update();
    }
}

std::optional<double> TrainingChart::epochAt(const QPointF &position) const
{
    const TrainingSeries &series = m_picture.series;
    const TrainingPanels panels = layOutTraining(rect(), series, QFontMetricsF(font(), this));
    const QRectF all = panels.loss.united(panels.score);
    if (series.empty() || !all.contains(position))
        return {};
    const double epoch = panels.epochAt(position.x(), series);
    const double last = series.trainLoss.empty() ? series.epochs : series.trainLoss.back().x();
    return std::min(epoch, std::max(last, 0.0));
}

void TrainingChart::mouseMoveEvent(QMouseEvent *event)
{
    const auto epoch = epochAt(event->position());
    setCursorAt(epoch ? epoch : m_current);
}

void TrainingChart::mousePressEvent(QMouseEvent *event)
{
    if (const auto epoch = epochAt(event->position()); epoch && event->button() == Qt::LeftButton)
        choose(std::round(*epoch));
}

void TrainingChart::leaveEvent(QEvent *)
{
    setCursorAt(m_current);
}

void TrainingChart::keyPressEvent(QKeyEvent *event)
{
    const double now = m_current.value_or(m_picture.series.bestEpoch.value_or(1));
    if (event->key() == Qt::Key_Left)
        choose(m_current ? now - 1 : now);
    else if (event->key() == Qt::Key_Right)
        choose(m_current ? now + 1 : now);
    else
        QWidget::keyPressEvent(event);
}

void TrainingChart::choose(double epoch)
{
    Q_EMIT epochChosen(static_cast<int>(std::max(epoch, 1.0)));
}

} // namespace headscope
