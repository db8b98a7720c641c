#include "ui/views/timebar.h"

#include "ui/views/plainlabel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>

#include <algorithm>

namespace headscope {

TimeBar::TimeBar(const QString &name, int stepMs, QWidget *parent)
    : QWidget(parent), m_play(new QPushButton(this)), m_slider(new QSlider(Qt::Horizontal, this)),
      m_at(new PlainLabel(this))
{
    m_playing.setInterval(stepMs);
    m_slider->setAccessibleName(name);
    m_slider->setRange(0, 0);
    m_slider->setPageStep(1);
    m_slider->setTickPosition(QSlider::TicksBelow);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins({});
    layout->addWidget(m_play);
    layout->addWidget(m_slider, 1);
    layout->addWidget(m_at);
    connect(&m_playing, &QTimer::timeout, this, &TimeBar::playOn);
    connect(m_play, &QPushButton::clicked, this, &TimeBar::togglePlaying);
    connect(m_slider, &QSlider::valueChanged, this, &TimeBar::momentChanged);
    showPlaying();
}

void TimeBar::setCount(int count)
{
    const QSignalBlocker blocker(m_slider);
    const bool wasAtEnd = m_slider->value() == m_slider->maximum();
    m_slider->setRange(0, std::max(0, count - 1));
    if (wasAtEnd && !m_playing.isActive())
        m_slider->setValue(m_slider->maximum());
    m_slider->setTickInterval(std::max(1, count / 40)); // more would touch
}

int TimeBar::moment() const
{
    return m_slider->value();
}

void TimeBar::setMoment(int moment)
{
    m_slider->setValue(moment);
}

void TimeBar::setText(const QString &text)
{
    m_at->setText(text);
}

void TimeBar::togglePlaying()
{
    if (m_playing.isActive()) {
        m_playing.stop();
    } else {
        if (m_slider->value() == m_slider->maximum())
            m_slider->setValue(0);
        m_playing.start();
    }
    showPlaying();
}

void TimeBar::playOn()
{
    m_slider->setValue(m_slider->value() + 1);
    if (m_slider->value() == m_slider->maximum())
        m_playing.stop();
    showPlaying();
}

void TimeBar::showPlaying()
{
    m_play->setText(m_playing.isActive() ? tr("&Pause") : tr("&Play"));
}

} // namespace headscope
