#pragma once

#include "core/results/attentionresult.h"
#include "ui/heatmap/attentiontable.h"
#include "ui/heatmap/colorscale.h"
#include "ui/heatmap/viewpalette.h"
#include "ui/models/headgridmodel.h" // HeadRef in signals

#include <QAbstractScrollArea>
#include <QImage>
#include <QString>
#include <QTimer>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace headscope {

/// Attention of every head on one sentence as thumbnails, a row for each layer (Vig 2019, model view).
struct MapsPicture
{
    std::shared_ptr<const AttentionResult> attention{};
    AttentionTableOptions options{};
    HeadLayout layout{};
    HeadMask masked{};
    std::set<HeadRef> selection{};
    std::optional<HeadRef> current{};
    std::optional<HeadRef> hovered{};
    /// What is known of a head, at the foot of its thumbnail where there is room: "−10.21", and the letter of its role.
    struct Note
    {
        QString value{};
        QString role{};
    };
    std::map<HeadRef, Note> notes{};
    QString notesTitle{}; ///< what their values are
    /// Heads that are marked; all others are paler.
    struct Marked
    {
        std::set<HeadRef> heads{};
        QString text{};      ///< what they do: "keeps the output"
        bool isRound = true; ///< a disc, or a triangle
    };
    std::optional<Marked> marked{};
    ViewPalette palette = ViewPalette::light();
    bool empty() const { return !attention || layout.size() == 0; }
};

/// A pixel for every weight, or for the largest of several where there are more than `most` a side.
QImage mapThumbnail(const AttentionTable &table, int most, Appearance appearance);

/// Where thumbnails lie: kinds of attention one under the other, each with a title and the numbers of its heads.
class MapsGeometry
{
public:
    MapsGeometry() = default;
    MapsGeometry(const HeadLayout &layout, double width, double textHeight, double smallest = 30, double largest = 120);

    double cell() const { return m_cell; }
    double height() const { return m_height; }
    const std::vector<std::pair<HeadKind, QPointF>> &titles() const { return m_titles; }
    const std::map<HeadRef, QRectF> &places() const { return m_places; }

private:
    double m_cell = 0;
    double m_height = 0;
    std::vector<std::pair<HeadKind, QPointF>> m_titles;
    std::map<HeadRef, QRectF> m_places;
};

/// Everything, for exports: every thumbnail is made.
void paintMaps(QPainter &painter, const QRectF &rect, const MapsPicture &picture);
double mapsHeight(const MapsPicture &picture, double width);

/// Shows the thumbnails. A click selects, a double click or Enter enlarges a head; arrow keys move between heads.
class MapsView final : public QAbstractScrollArea
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(MapsView)
public:
    explicit MapsView(QWidget *parent = nullptr);

    const MapsPicture &picture() const { return m_picture; }
    /// The palette of `picture` is replaced by the one that matches the widget.
    void setPicture(MapsPicture picture);
    void setEmptyText(const QString &text);
    /// Of a head in the viewport's coordinates.
    QRectF placeOf(const HeadRef &head) const;
    /// How many thumbnails have been made.
    int made() const { return static_cast<int>(m_images.size()); }

    QSize sizeHint() const override { return {520, 480}; }

Q_SIGNALS:
    void selectionMade(const std::set<headscope::HeadRef> &heads, const std::optional<headscope::HeadRef> &current);
    void hovered(const std::optional<headscope::HeadRef> &head);
    void headActivated(const headscope::HeadRef &head);

protected:
    bool viewportEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    std::optional<HeadRef> headAt(const QPointF &point) const;
    QString textOf(const HeadRef &head) const;
    void makeSome();
    void rebuild();
    void step(int heads);
    void stepDown(bool down);
    void go(const HeadRef &head);
    void describe();

    MapsPicture m_picture;
    MapsGeometry m_geometry;
    std::map<HeadRef, QImage> m_images; ///< made so far
    std::vector<HeadRef> m_wanted;      ///< seen and not made yet
    QTimer m_timer;
    QString m_emptyText;
};

} // namespace headscope
