#pragma once

#include "ui/charts/linepainter.h"

#include <QWidget>

#include <optional>

namespace headscope {

/// Scores against heads removed, in the colours of the window. A click chooses the budget that is nearest.
class SearchChart final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SearchChart)
public:
    explicit SearchChart(QWidget *parent = nullptr);

    void setSeries(LineSeries series);
    const LineSeries &series() const { return m_series; }
    /// The budget that is looked at.
    void setCursor(std::optional<double> removed);
    /// Shown while there are no lines: why, and what to do.
    void setEmptyText(const QString &text);
    /// Where a point of the plot lies in the widget, as painted last.
    QPointF at(double removed, double score) const;

    QSize sizeHint() const override { return {640, 320}; }

Q_SIGNALS:
    void chosen(double removed);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void describe();
    void step(int budgets);

    LineSeries m_series;
    std::optional<double> m_cursor;
    QString m_emptyText;
    QRectF m_plot;
};

} // namespace headscope
