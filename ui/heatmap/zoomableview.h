#pragma once

#include <QPointF>

namespace headscope {

/// A view whose picture can be made larger than its room. Who handles Ctrl with the wheel, keys and menus for all views
/// alike asks it through this.
class ZoomableView
{
public:
    virtual ~ZoomableView() = default;

    /// What is at `place` of the view's (viewport's) coordinates stays there.
    virtual void zoomBy(double factor, const QPointF &place) = 0;
    /// All of it is seen again.
    virtual void fitZoom() = 0;
    virtual bool isZoomed() const = 0;
};

} // namespace headscope
