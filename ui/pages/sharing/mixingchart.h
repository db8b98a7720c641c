#pragma once

#include "core/results/collaborateresult.h"
#include "ui/heatmap/viewpalette.h"

#include <QWidget>

#include <optional>
#include <string>

class QPainter;

namespace headscope {

/// How much each head uses of each shared column: |mixing matrix| of one attention, a row for each head, every row by
/// its largest. Columns are ordered by the head that uses them most. Precondition: the layer has its mixing matrix.
void paintMixing(QPainter &painter, const QRectF &rect, const SharedLayer &layer, const ViewPalette &palette);

/// layer, head, column and weight: the mixing matrix as it is.
std::string mixingCsv(const SharedLayer &layer);

/// The mixing chart as a widget, without interaction.
class MixingChart final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(MixingChart)
public:
    explicit MixingChart(QWidget *parent = nullptr);

    /// Nothing: none is known, of which `why` says more.
    void setLayer(std::optional<SharedLayer> layer, const QString &why = {});
    const std::optional<SharedLayer> &layer() const { return m_layer; }

    QSize sizeHint() const override { return {480, 200}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    std::optional<SharedLayer> m_layer;
    QString m_why;
};

} // namespace headscope
