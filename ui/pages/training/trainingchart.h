#pragma once

#include "ui/pages/training/trainingpainter.h"

#include <QWidget>

#include <optional>

namespace headscope {

/// The curves of a training run. A click or the arrow keys choose an epoch; under the mouse the lines are read.
class TrainingChart final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TrainingChart)
public:
    explicit TrainingChart(QWidget *parent = nullptr);

    const TrainingPicture &picture() const { return m_picture; }
    void setSeries(TrainingSeries series);
    /// Shown while there are no curves: what is going on, or what to do.
    void setEmptyText(const QString &text);
    /// The epoch that is chosen in the table; nothing: none.
    void setCurrentEpoch(std::optional<double> epoch);

    QSize sizeHint() const override { return {700, 420}; }
    QSize minimumSizeHint() const override { return {320, 230}; }

Q_SIGNALS:
    void epochChosen(int epoch);

protected:
    void paintEvent(QPaintEvent *event) override;
    void changeEvent(QEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    std::optional<double> epochAt(const QPointF &position) const;
    void setCursorAt(std::optional<double> epoch);
    void choose(double epoch);
    void describe();

    TrainingPicture m_picture;
    std::optional<double> m_current;
    QString m_emptyText;
};

} // namespace headscope
