#include "ui/pages/attention/mapsview.h"

#include "ui/heatmap/focusframe.h"
#include "ui/heatmap/heatmapimage.h"
#include "ui/models/gridorder.h"
#include "ui/models/kindtext.h"
#include "ui/models/plaintip.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPolygonF>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

constexpr double kCellGap = 4;
constexpr int kSharpest = 160; ///< pixels a side of a thumbnail
constexpr int kMadeAtOnce = 2; ///< some milliseconds of 512 tokens

QImage thumbnailOf(const MapsPicture &picture, const HeadRef &head)
{
    return mapThumbnail(attentionTableOf(*picture.attention, head, picture.options), kSharpest,
                        picture.palette.appearance);
}

void paintTitles(QPainter &painter, const MapsGeometry &geometry, const QPointF &shift, const ViewPalette &palette)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    painter.setPen(palette.ink);
    std::map<HeadKind, double> numbersTop;
    for (const auto &[kind, at] : geometry.titles()) {
        painter.drawText(QRectF(at + shift, QSizeF(2000, metrics.height())), Qt::AlignLeft | Qt::AlignVCenter,
                         headKindTitle(kind));
        numbersTop[kind] = at.y() + shift.y() + metrics.height();
    }
    painter.setPen(palette.muted);
    std::set<std::pair<HeadKind, int>> numbered; // over the kind's first row, even where that lacks the head
    for (const auto &[head, place] : geometry.places()) {
        if (numbered.insert({head.kind, head.head}).second)
            painter.drawText(QRectF(place.left() + shift.x(), numbersTop[head.kind], place.width(), metrics.height()),
                             Qt::AlignCenter, QString::number(head.head));
    }
    std::optional<HeadRef> before;
    for (const auto &[head, place] : geometry.places()) { // the number of each layer, where it begins
        if (!before || before->kind != head.kind || before->layer != head.layer) {
            const double right = geometry.titles().front().second.x() - kCellGap + shift.x();
            const QRectF box(right - 100, place.top() + shift.y(), 100, place.height());
            painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, QString::number(head.layer));
        }
        before = head;
    }
}

/// On a plate, so that it can be read over the map.
void paintNote(QPainter &painter, const QRectF &place, const HeadRef &head, const MapsPicture &picture)
{
    constexpr int kPixels = 9;
    const auto note = picture.notes.find(head);
    if (note == picture.notes.end() || place.width() < 34)
        return;
    const QFont plain = painter.font();
    QFont font = plain;
    font.setPixelSize(kPixels);
    painter.setFont(font);
    const QFontMetricsF metrics(font, painter.device());
    const QString text = note->second.role.isEmpty() ? note->second.value
                                                     : QString(note->second.role + QChar(0x2002) + note->second.value);
    const QRectF plate(place.left(), place.bottom() - metrics.height(), place.width(), metrics.height());
    QColor ground = picture.palette.paper;
    ground.setAlphaF(0.85F);
    painter.fillRect(plate, ground);
    painter.setPen(picture.palette.ink);
    painter.drawText(plate.adjusted(2, 0, -2, 0), Qt::AlignRight | Qt::AlignVCenter, text);
    painter.setFont(plain);
}

/// In the corner, on a rim, so that it is seen on dark maps too.
void paintMark(QPainter &painter, const QRectF &place, const MapsPicture &picture)
{
    constexpr double kSide = 10;
    const QRectF box(place.topLeft() + QPointF(2, 2), QSizeF(kSide, kSide));
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(picture.palette.paper, 1.5));
    painter.setBrush(picture.palette.ink);
    if (picture.marked->isRound)
        painter.drawEllipse(box);
    else
        painter.drawPolygon(QPolygonF({QPointF(box.center().x(), box.top()), box.bottomRight(), box.bottomLeft()}));
    painter.restore();
}

/// `image` null: not made yet.
void paintThumbnail(QPainter &painter, const QRectF &place, const HeadRef &head, const QImage &image,
                    const MapsPicture &picture)
{
    const bool isMarked = picture.marked && picture.marked->heads.contains(head);
    if (image.isNull()) {
        painter.fillRect(place, picture.palette.missing);
    } else {
        painter.setOpacity(picture.marked && !isMarked ? 0.2 : picture.masked.isMasked(head) ? 0.4 : 1);
        painter.drawImage(place, image);
        painter.setOpacity(1);
    }
    paintNote(painter, place, head, picture);
    if (isMarked)
        paintMark(painter, place, picture);
    const bool selected = picture.selection.contains(head);
    const bool strong = picture.current == head || picture.hovered == head;
    painter.setBrush(Qt::NoBrush);
    const QColor &frame = selected ? picture.palette.accent : strong ? picture.palette.ink : picture.palette.gridLine;
    painter.setPen(QPen(frame, selected || strong ? 2 : 1));
    painter.drawRect(place);
    if (picture.masked.isMasked(head)) {
        painter.setPen(QPen(picture.palette.ink, 1));
        painter.drawLine(place.topLeft(), place.bottomRight());
        painter.drawLine(place.topRight(), place.bottomLeft());
    }
}

} // namespace

QImage mapThumbnail(const AttentionTable &table, int most, Appearance appearance)
{
    if (table.empty())
        return {};
    const auto rows = static_cast<int>(table.rows.size());
    const auto columns = static_cast<int>(table.columns.size());
    const int high = std::min(rows, most);
    const int wide = std::min(columns, most);
    std::vector<double> largest(static_cast<std::size_t>(high) * static_cast<std::size_t>(wide), 0);
    for (int row = 0; row < rows; ++row) {
        double *line = largest.data() + static_cast<std::ptrdiff_t>(row * high / rows) * wide;
        const double *weights = table.weights.data() + static_cast<std::ptrdiff_t>(row) * columns;
        for (int column = 0; column < columns; ++column) {
            double &cell = line[column * wide / columns];
            cell = std::max(cell, weights[column]);
        }
    }
    return heatMapImage(largest, high, wide, ColorScale::sequential(0, 1), appearance);
}

MapsGeometry::MapsGeometry(const HeadLayout &layout, double width, double textHeight, double smallest, double largest)
{
    std::size_t heads = 1;
    for (const HeadLayout::Block &block : layout.blocks()) {
        for (const std::vector<int> &layer : block.layers)
            heads = std::max(heads, layer.empty() ? 0 : static_cast<std::size_t>(layer.back()) + 1);
    }
    const double left = 2 * textHeight;
    m_cell
        = std::clamp(std::floor((width - left - kCellGap) / static_cast<double>(heads) - kCellGap), smallest, largest);
    double y = kCellGap;
    for (const HeadLayout::Block &block : layout.blocks()) {
        m_titles.emplace_back(block.kind, QPointF(left, y));
        y += 2 * textHeight + kCellGap; // the title, and the numbers of the heads
        const GridOrder order = GridOrder::usual(layout);
        for (auto row = static_cast<int>(block.layers.size()) - 1; row >= 0; --row) { // rows count from below
            const int layer = order.layerAt(block.kind, row);
            for (const int head : block.layers[static_cast<std::size_t>(layer)])
                m_places[{block.kind, layer, head}] = QRectF(left + head * (m_cell + kCellGap), y, m_cell, m_cell);
            y += m_cell + kCellGap;
        }
        y += kCellGap;
    }
    m_height = y;
}

double mapsHeight(const MapsPicture &picture, double width)
{
    QFont font;
    font.setPixelSize(12);
    return MapsGeometry(picture.layout, width, QFontMetricsF(font).height()).height();
}

void paintMaps(QPainter &painter, const QRectF &rect, const MapsPicture &picture)
{
    painter.fillRect(rect, picture.palette.paper);
    if (picture.empty())
        return;
    painter.save();
    const MapsGeometry geometry(picture.layout, rect.width(), QFontMetricsF(painter.font(), painter.device()).height());
    paintTitles(painter, geometry, rect.topLeft(), picture.palette);
    for (const auto &[head, place] : geometry.places())
        paintThumbnail(painter, place.translated(rect.topLeft()), head, thumbnailOf(picture, head), picture);
    painter.restore();
}

MapsView::MapsView(QWidget *parent) : QAbstractScrollArea(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    viewport()->setMouseTracking(true);
    setAccessibleName(tr("Attention of all heads"));
    setMinimumSize(220, 200);
    connect(&UsualRows::instance(), &UsualRows::changed, this, &MapsView::rebuild);
    m_timer.setInterval(0);
    connect(&m_timer, &QTimer::timeout, this, &MapsView::makeSome);
}

void MapsView::setPicture(MapsPicture picture)
{
    picture.palette = ViewPalette::matching(palette());
    const bool same = picture.attention == m_picture.attention && picture.options == m_picture.options
                   && picture.layout == m_picture.layout;
    m_picture = std::move(picture);
    if (!same)
        m_images.clear();
    describe();
    rebuild();
}

void MapsView::setEmptyText(const QString &text)
{
    m_emptyText = text;
    describe();
    viewport()->update();
}

void MapsView::describe()
{
    setAccessibleDescription(m_picture.empty()   ? m_emptyText
                             : m_picture.current ? textOf(*m_picture.current)
                                                 : tr("Arrow keys move between heads, Enter enlarges."));
}

void MapsView::rebuild()
{
    m_geometry = MapsGeometry(m_picture.layout, viewport()->width(), QFontMetricsF(font(), this).height());
    const double beyond = m_picture.empty() ? 0 : m_geometry.height() - viewport()->height();
    verticalScrollBar()->setRange(0, static_cast<int>(std::ceil(std::max(beyond, 0.0))));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(static_cast<int>(std::max(m_geometry.cell(), 1.0)));
    double right = 0;
    for (const auto &[head, place] : m_geometry.places())
        right = std::max(right, place.right());
    horizontalScrollBar()->setRange(0, std::max(0, static_cast<int>(std::ceil(right)) + 4 - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
    viewport()->update();
}

QRectF MapsView::placeOf(const HeadRef &head) const
{
    const auto found = m_geometry.places().find(head);
    if (found == m_geometry.places().end())
        return {};
    return found->second.translated(-horizontalScrollBar()->value(), -verticalScrollBar()->value());
}

/// Of what is seen, a few at a time.
void MapsView::makeSome()
{
    for (int i = 0; i < kMadeAtOnce && !m_wanted.empty(); ++i) {
        m_images[m_wanted.back()] = thumbnailOf(m_picture, m_wanted.back());
        m_wanted.pop_back();
    }
    if (m_wanted.empty())
        m_timer.stop();
    viewport()->update();
}

void MapsView::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_picture.palette.paper);
    painter.setFont(font());
    if (m_picture.empty()) {
        painter.setPen(m_picture.palette.muted);
        painter.drawText(viewport()->rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap,
                         m_emptyText);
        return;
    }
    paintTitles(painter, m_geometry, QPointF(-horizontalScrollBar()->value(), -verticalScrollBar()->value()),
                m_picture.palette);
    m_wanted.clear();
    for (const auto &[head, unused] : m_geometry.places()) {
        const QRectF place = placeOf(head);
        if (!place.intersects(viewport()->rect()))
            continue;
        const auto image = m_images.find(head);
        if (image == m_images.end())
            m_wanted.push_back(head);
        paintThumbnail(painter, place, head, image == m_images.end() ? QImage() : image->second, m_picture);
    }
    std::ranges::reverse(m_wanted); // the first are made first
    if (!m_wanted.empty())
        m_timer.start();
    if (hasFocus())
        paintFocusFrame(painter, viewport()->rect(), m_picture.palette);
}

void MapsView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    rebuild();
}

std::optional<HeadRef> MapsView::headAt(const QPointF &point) const
{
    const QPointF inside = point + QPointF(horizontalScrollBar()->value(), verticalScrollBar()->value());
    const auto found
        = std::ranges::find_if(m_geometry.places(), [&](const auto &place) { return place.second.contains(inside); });
    return found == m_geometry.places().end() ? std::nullopt : std::optional(found->first);
}

/// "cross.1.3 (keeps the output): Ablation Δ BLEU −10.21, D"
QString MapsView::textOf(const HeadRef &head) const
{
    QString name = QString::fromStdString(toText(head));
    if (m_picture.marked && m_picture.marked->heads.contains(head))
        name += u" (%1)"_s.arg(m_picture.marked->text);
    const auto note = m_picture.notes.find(head);
    if (note == m_picture.notes.end())
        return name;
    const QString text = tr("%1: %2 %3").arg(name, m_picture.notesTitle, note->second.value);
    return note->second.role.isEmpty() ? text : tr("%1, role %2").arg(text, note->second.role);
}

bool MapsView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::Leave)
        Q_EMIT hovered({});
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const auto head = headAt(help->pos());
        QToolTip::showText(help->globalPos(), head ? plainTip(textOf(*head)) : QString(), viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void MapsView::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_picture.empty())
        Q_EMIT hovered(headAt(event->position()));
}

void MapsView::mousePressEvent(QMouseEvent *event)
{
    const auto head = headAt(event->position());
    if (event->button() != Qt::LeftButton || !head || m_picture.empty())
        return;
    std::set<HeadRef> heads{*head};
    if (event->modifiers() & Qt::ControlModifier)
        heads.insert(m_picture.selection.begin(), m_picture.selection.end());
    Q_EMIT selectionMade(heads, head);
}

void MapsView::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (const auto head = headAt(event->position()); head && !m_picture.empty())
        Q_EMIT headActivated(*head);
}

void MapsView::step(int heads)
{
    const auto &all = m_picture.layout.heads();
    if (m_picture.empty())
        return;
    const std::int64_t now = m_picture.current ? m_picture.layout.indexOf(*m_picture.current) : -1;
    const auto next = std::clamp<std::int64_t>(now < 0 ? 0 : now + heads, 0, std::ssize(all) - 1);
    go(all[static_cast<std::size_t>(next)]);
}

/// To the nearest head of the next row.
void MapsView::stepDown(bool down)
{
    if (m_picture.empty())
        return;
    if (!m_picture.current)
        return step(0);
    const QPointF from = placeOf(*m_picture.current).center();
    std::optional<HeadRef> nearest;
    std::pair<double, double> least;
    for (const auto &[head, place] : m_geometry.places()) {
        const QPointF way = placeOf(head).center() - from;
        const double ahead = down ? way.y() : -way.y();
        const std::pair cost(ahead, std::abs(way.x()));
        if (ahead > m_geometry.cell() / 2 && (!nearest || cost < least)) {
            nearest = head;
            least = cost;
        }
    }
    if (nearest)
        go(*nearest);
}

void MapsView::go(const HeadRef &head)
{
    const QRectF place = placeOf(head);
    if (place.top() < 0)
        verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(place.top() - 2 * kCellGap));
    else if (place.bottom() > viewport()->height())
        verticalScrollBar()->setValue(verticalScrollBar()->value()
                                      + static_cast<int>(std::ceil(place.bottom() - viewport()->height() + kCellGap)));
    Q_EMIT selectionMade({head}, head);
}

void MapsView::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Left:
        return step(-1);
    case Qt::Key_Right:
        return step(1);
    case Qt::Key_Up:
        return stepDown(false);
    case Qt::Key_Down:
        return stepDown(true);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_picture.current && !m_picture.empty())
            Q_EMIT headActivated(*m_picture.current);
        return;
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void MapsView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_picture.palette = ViewPalette::matching(palette());
        m_images.clear();
        rebuild();
    }
}

} // namespace headscope
