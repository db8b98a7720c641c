#pragma once

#include "ui/heatmap/colorscale.h"
#include "ui/heatmap/viewpalette.h"

#include <QRectF>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <optional>
#include <vector>

class QFontMetricsF;
class QPainter;

namespace headscope {

/// Two texts above each other, token by token, and below every token what patching it does.
struct PairPicture
{
    QStringList clean;
    QStringList corrupt;                        ///< as many
    std::vector<std::optional<double>> effects; ///< as many; nothing: not computed
    QString effectsTitle;                       ///< "encoder.2.6"
    ColorScale scale;
    std::optional<int> chosen; ///< position
    ViewPalette palette = ViewPalette::light();
};

/// Where its columns are: as wide as their tokens, in as many lines as it takes.
class PairGeometry
{
public:
    PairGeometry(const PairPicture &picture, double width, const QFontMetricsF &metrics);

    double height() const { return m_height; }
    double titles() const { return m_titles; } ///< the width of the titles of rows
    double rowHeight() const { return m_row; }
    QRectF column(int position) const { return m_columns[static_cast<std::size_t>(position)]; } ///< all three rows
    std::optional<int> positionAt(const QPointF &point) const;

private:
    double m_titles = 0;
    double m_row = 0;
    double m_height = 0;
    std::vector<QRectF> m_columns;
};

void paintPair(QPainter &painter, const QRectF &rect, const PairPicture &picture);

/// The pair as a widget: a click or the arrow keys choose a position, another click or Escape none.
class PairChart final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PairChart)
public:
    explicit PairChart(QWidget *parent = nullptr);

    const PairPicture &picture() const { return m_picture; }
    /// The palette is replaced by that of the widget. `tips`: of every position; `empty`: shown where there are no
    /// texts.
    void setPicture(PairPicture picture, QStringList tips, const QString &empty);

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

Q_SIGNALS:
    void positionChosen(int position); ///< −1: none

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void choose(int position);
    PairGeometry geometryOf() const;

    PairPicture m_picture;
    QStringList m_tips;
    QString m_empty;
};

} // namespace headscope
