#include "ui/pages/attention/attentionviews.h"

#include "ui/heatmap/heatmapview.h"
#include "ui/pages/attention/headlinesview.h"
#include "ui/pages/attention/headstrip.h"
#include "ui/pages/attention/mapsview.h"
#include "ui/pages/attention/neuronfeed.h"
#include "ui/pages/attention/neuronview.h"
#include "ui/pages/attention/rolloutfeed.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace headscope {

AttentionViews::AttentionViews(JobQueue &queue, QWidget *parent)
    : QWidget(parent), m_heading(new QLabel(this)), m_views(new QStackedWidget(this)),
      m_rollouts(new RolloutFeed(queue, this)), m_neuronFeed(new NeuronFeed(queue, this))
{
    m_heatMap = new HeatMapView(m_views);
    auto *lines = new QWidget(m_views);
    m_strip = new HeadStrip(lines);
    m_lines = new HeadLinesView(lines);
    auto *linesLayout = new QVBoxLayout(lines);
    linesLayout->setContentsMargins({});
    linesLayout->setSpacing(0);
    linesLayout->addWidget(m_strip);
    linesLayout->addWidget(m_lines, 1);
    m_maps = new MapsView(m_views);
    m_neurons = new NeuronView(m_views);
    for (QWidget *view : std::initializer_list<QWidget *>{m_heatMap, lines, m_maps, m_neurons})
        m_views->addWidget(view);
    m_heading->setTextFormat(Qt::PlainText);
    m_heading->setWordWrap(true);
    m_heading->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    // Side by side, both pictures begin on one line.
    m_heading->setFixedHeight(2 * m_heading->fontMetrics().lineSpacing());
    m_heading->hide();
    m_ownHead = new QComboBox(this);
    m_ownHead->setAccessibleName(tr("Head on this side"));
    m_ownHead->setToolTip(tr("The head that is shown on this side, whichever one is current"));
    m_ownHead->hide();
    connect(m_ownHead, &QComboBox::currentIndexChanged, this, &AttentionViews::ownHeadChanged);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(2);
    auto *top = new QHBoxLayout;
    top->addWidget(m_ownHead, 0, Qt::AlignTop);
    top->addWidget(m_heading, 1);
    layout->addLayout(top);
    layout->addWidget(m_views, 1);
}

HeadMask AttentionViews::mask() const
{
    HeadMask mask;
    if (m_attention) {
        for (const AttentionMap &map : m_attention->maps) {
            if (map.masked)
                mask.set(map.head, true);
        }
    }
    return mask;
}

void AttentionViews::setHeads(const HeadLayout &layout)
{
    if (layout == m_heads)
        return;
    m_heads = layout;
    const QSignalBlocker blocker(m_ownHead);
    m_ownHead->clear();
    m_ownHead->addItem(tr("current head"));
    for (const HeadRef &head : layout.heads())
        m_ownHead->addItem(QString::fromStdString(toText(head)));
    m_ownHead->setVisible(layout.size() > 0);
}

std::optional<HeadRef> AttentionViews::ownHead() const
{
    const int index = m_ownHead->currentIndex() - 1;
    return index < 0 || index >= m_heads.size() ? std::nullopt
                                                : std::optional(m_heads.heads()[static_cast<std::size_t>(index)]);
}

void AttentionViews::setView(AttentionView view)
{
    m_views->setCurrentIndex(static_cast<int>(view));
}

void AttentionViews::setHeading(const QString &text)
{
    m_heading->setText(text);
    m_heading->setVisible(!text.isEmpty());
}

QString AttentionViews::heading() const
{
    return m_heading->text();
}

void AttentionViews::setEmptyText(const QString &text)
{
    m_heatMap->setEmptyText(text);
    m_lines->setEmptyText(text);
    m_maps->setEmptyText(text);
    m_neurons->setEmptyText(text);
}

} // namespace headscope
