#pragma once

#include "ui/charts/linepainter.h"

#include <QString>
#include <QWidget>

namespace headscope {

/// Something of the heads of a layer, over the layers, or a sentence that says why there is nothing: to be looked at
/// only.
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
