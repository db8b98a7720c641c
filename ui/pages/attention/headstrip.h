#pragma once

#include "core/base/headref.h"
#include "ui/models/headgridmodel.h" // HeadRef in signals

#include <QWidget>

#include <optional>
#include <set>
#include <vector>

namespace headscope {

/// The heads of a layer as squares of their lines' colours. A click switches a head on or off (one stays on), a double
/// click leaves it alone, or switches all on where it was alone; arrow keys and Space do the same.
class HeadStrip final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HeadStrip)
public:
    explicit HeadStrip(QWidget *parent = nullptr);

    void setHeads(std::vector<HeadRef> heads, std::set<HeadRef> chosen);
    const std::vector<HeadRef> &heads() const { return m_heads; }
    const std::set<HeadRef> &chosen() const { return m_chosen; }
    QRect squareOf(std::size_t place) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void chosenByUser(const std::set<headscope::HeadRef> &heads, const std::optional<headscope::HeadRef> &current);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    std::optional<std::size_t> placeAt(const QPoint &point) const;
    void toggle(std::size_t place);
    void isolate(std::size_t place);
    void describe();

    std::vector<HeadRef> m_heads;
    std::set<HeadRef> m_chosen;
    std::size_t m_at = 0; ///< under the arrow keys
};

} // namespace headscope
