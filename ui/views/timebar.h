#pragma once

#include <QTimer>
#include <QWidget>

class QLabel;
class QPushButton;
class QSlider;

namespace headscope {

/// A slider over moments (checkpoints, updates) that plays, and says where it is.
class TimeBar final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TimeBar)
public:
    /// `name`: what the moments are, for who cannot see it. Moments follow each other in `stepMs` while it plays.
    TimeBar(const QString &name, int stepMs, QWidget *parent = nullptr);

    /// How many moments there are. Where the newest was shown, the newest is shown, unless it plays. Emits nothing.
    void setCount(int count);
    int moment() const; ///< from 0
    void setMoment(int moment);
    /// What the moment is.
    void setText(const QString &text);

    QSlider &slider() { return *m_slider; }
    QPushButton &playButton() { return *m_play; }

Q_SIGNALS:
    void momentChanged(int moment);

private:
    void togglePlaying();
    void playOn();
    void showPlaying();

    QTimer m_playing;
    QPushButton *m_play = nullptr;
    QSlider *m_slider = nullptr;
    QLabel *m_at = nullptr;
};

} // namespace headscope
