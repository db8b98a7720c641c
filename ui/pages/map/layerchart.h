#pragma once

#include "ui/charts/linepainter.h"

#include <QString>
#include <QWidget>

namespace headscope {

/// A chart over the layers, or a sentence that says why it is empty; without interaction.
class LayerChart final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LayerChart)
public:
    explicit LayerChart(const QString &accessibleName, QWidget *parent = nullptr);

    void setSeries(LineSeries series);
    void setEmptyText(const QString &text);
    const LineSeries &series() const { return m_series; }

    QSize sizeHint() const override { return {480, 210}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void describe();

    LineSeries m_series;
    QString m_emptyText;
};

} // namespace headscope
