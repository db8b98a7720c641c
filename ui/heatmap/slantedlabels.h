#pragma once

#include "ui/heatmap/attentiontable.h"
#include "ui/heatmap/viewpalette.h"

#include <QFont>
#include <QImage>
#include <QPointF>

#include <vector>

class QPainter;

namespace headscope {

/// Font and pen of a label: special tokens are italic, the one under the mouse is bold.
void useLabelStyle(QPainter &painter, const ViewPalette &palette, const AxisLabel &label, bool strong);
/// The part of speech, after the word.
void paintTag(QPainter &painter, const ViewPalette &palette, const QPointF &at, const AxisLabel &label);

/// The label of a column, slanted, with its foot at `foot`, elided to `longest`. Font: that of the painter.
void paintSlantedLabel(QPainter &painter, const ViewPalette &palette, const QPointF &foot, const AxisLabel &label,
                       bool strong, double longest);

/// Slanted labels as images, made once: rotated text has no cache of glyphs, and would take most of a frame.
class SlantedLabels
{
public:
    SlantedLabels() = default;
    /// Of these labels in this font, elided to `longest`, for a screen with this many pixels per pixel of ours.
    SlantedLabels(const std::vector<AxisLabel> &labels, const QFont &font, const ViewPalette &palette,
                  double pixelRatio, double longest);

    double longest() const { return m_longest; }

    /// Renders up to `atMost` more of them; true if some are left.
    bool prepare(int atMost);
    void paint(QPainter &painter, const QPointF &foot, int column);

private:
    struct Image
    {
        QImage pixels;
        QPointF corner; ///< from the foot
    };
    const Image &image(int column);

    std::vector<AxisLabel> m_labels;
    std::vector<Image> m_images; ///< null: not made yet
    int m_next = 0;              ///< all before it are made
    QFont m_font;
    ViewPalette m_palette = ViewPalette::light();
    double m_pixelRatio = 1;
    double m_longest = 0;
};

} // namespace headscope
