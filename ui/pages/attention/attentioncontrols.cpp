#include "ui/pages/attention/attentioncontrols.h"

#include "ui/views/flowlayout.h"
#include "ui/views/pageparts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace headscope {

namespace {
/// A box with its name above it, shown while the box is.
class NamedBox final : public QWidget
{
public:
    NamedBox(QComboBox &box, const QString &name, QWidget *parent) : QWidget(parent), m_box(box)
    {
        auto *label = new QLabel(name, this);
        label->setBuddy(&box);
        label->setToolTip(box.toolTip());
        const bool hidden = box.isHidden() && box.testAttribute(Qt::WA_WState_ExplicitShowHide);
        auto *layout = new QVBoxLayout(this);
        layout->setContentsMargins({});
        layout->setSpacing(0);
        layout->addWidget(label);
        layout->addWidget(&box);
        if (hidden)
            hide();
        box.installEventFilter(this);
    }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (watched == &m_box && (event->type() == QEvent::ShowToParent || event->type() == QEvent::HideToParent))
            setVisible(!m_box.isHidden());
        return QWidget::eventFilter(watched, event);
    }

private:
    QComboBox &m_box;
};

/// One above the other, as high as a box with its name.
QWidget *stacked(QWidget &upper, QWidget &lower, QWidget *parent)
{
    auto *column = new QWidget(parent);
    auto *layout = new QVBoxLayout(column);
    layout->setContentsMargins({});
    layout->setSpacing(0);
    layout->addWidget(&upper);
    layout->addWidget(&lower);
    layout->addStretch();
    return column;
}

/// Opens thumbnails instead of a list; the wheel and arrow keys go through the heads as in any box.
class HeadBox final : public QComboBox
{
public:
    HeadBox(AttentionControls &controls, QWidget *parent) : QComboBox(parent), m_controls(controls) { }

    void showPopup() override { Q_EMIT m_controls.pickerRequested(); }

private:
    AttentionControls &m_controls;
};
} // namespace

AttentionControls::AttentionControls(QWidget *parent) : QWidget(parent)
{
    makeBoxes();
    makeChecks();
    // In as many rows as there is room for: every text is whole.
    auto *layout = new FlowLayout(this);
    const std::initializer_list<std::pair<QComboBox *, QString>> boxes{
        {m_view, tr("View")},  {m_head, tr("Head")},       {m_target, tr("Target")},
        {m_pair, tr("Texts")}, {m_measure, tr("Weights")}, {m_scale, tr("Colours")},
    };
    for (const auto &[box, name] : boxes)
        layout->addWidget(new NamedBox(*box, name, this));
    layout->addWidget(stacked(*m_join, *m_hide, this));
    layout->addWidget(stacked(*m_beside, *m_tree, this)); // there are trees of some sentences only
    addWidgets(*layout, {m_leastLabel, m_least});
    layout->alignAtBottom(); // the names of boxes stand above them
    connect(m_view, &QComboBox::currentIndexChanged, this, &AttentionControls::enableRelevantControls);
    connect(m_beside, &QCheckBox::toggled, this, &AttentionControls::besideToggled);
    connect(m_least, &QDoubleSpinBox::valueChanged, this, &AttentionControls::changed);
    for (QComboBox *box : {m_view, m_pair, m_measure, m_scale})
        connect(box, &QComboBox::currentIndexChanged, this, &AttentionControls::changed);
    for (QCheckBox *box : {m_join, m_hide, m_tree})
        connect(box, &QCheckBox::toggled, this, &AttentionControls::changed);
}

void AttentionControls::makeBoxes()
{
    m_view = new QComboBox(this);
    m_view->setAccessibleName(tr("View"));
    m_view->addItems({tr("heat map"), tr("lines"), tr("all heads"), tr("neurons")});
    m_view->setItemData(0, tr("The weights of the current head"), Qt::ToolTipRole);
    m_view->setItemData(1, tr("Lines from queries to keys, of the selected heads (Vig 2019)"), Qt::ToolTipRole);
    m_view->setItemData(2, tr("Thumbnails of every head (Vig 2019)"), Qt::ToolTipRole);
    m_view->setItemData(3, tr("Query, keys, their products and scores of the current head, for one token (Vig 2019)"),
                        Qt::ToolTipRole);
    m_head = new HeadBox(*this, this);
    m_head->setAccessibleName(tr("Head"));
    m_head->setToolTip(tr("The head whose attention is shown"));
    m_head->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    constexpr int kArrow = 34; // and frame
    m_head->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("decoder.88.88")) + kArrow);
    m_target = new QComboBox(this);
    m_target->setAccessibleName(tr("Target sentence"));
    m_target->addItems({tr("own output"), tr("reference")});
    m_target->setToolTip(
        tr("The output that the decoder is forced to while its attention is read: the model's own output, or the "
           "reference"));
    m_pair = new QComboBox(this);
    m_pair->setAccessibleName(tr("Texts of the pair"));
    m_pair->addItems({tr("all tokens"), tr("A → A"), tr("A → B"), tr("B → A"), tr("B → B")});
    m_measure = new QComboBox(this);
    m_measure->setAccessibleName(tr("Weights or norms"));
    m_measure->addItems({tr("weights"), tr("norms"), tr("rollout"), tr("rollout of norms")});
    m_scale = new QComboBox(this);
    m_scale->setAccessibleName(tr("Colours"));
    m_scale->addItems({tr("0 to 1"), tr("to the maximum"), tr("row by row")});
    m_scale->setToolTip(
        tr("The weight that has the darkest colour: 1, the largest of all, or the largest of each row"));
}

void AttentionControls::makeChecks()
{
    m_join = new QCheckBox(tr("&Join words"), this);
    m_join->setToolTip(tr("Weights are summed over the pieces of a key word and averaged over those of a query word"));
    m_hide = new QCheckBox(tr("&Hide special"), this);
    m_hide->setToolTip(tr("Weights are not rescaled: the sum over hidden tokens is shown in a separate column"));
    m_tree = new QCheckBox(tr("&Tree"), this);
    m_tree->setChecked(true);
    QSizePolicy place = m_tree->sizePolicy();
    place.setRetainSizeWhenHidden(true); // nothing moves when the first sentence with a tree comes
    m_tree->setSizePolicy(place);
    m_tree->setToolTip(
        tr("Parts of speech and dependencies of the source. Arrows point to heads; arrows of the word under the "
           "mouse are highlighted"));
    m_leastLabel = new QLabel(tr("Lines &from"), this);
    m_least = new QDoubleSpinBox(this);
    m_least->setRange(0, 0.95);
    m_least->setSingleStep(0.05);
    m_least->setDecimals(2);
    m_least->setAccessibleName(tr("Least weight of a line"));
    m_least->setToolTip(tr("Weights below this have no line"));
    m_leastLabel->setBuddy(m_least);
    m_beside = new QCheckBox(tr("Side &by side"), this);
    m_beside->setToolTip(tr("Keeps the current view on the left: another head, sentence or mask is shown beside it"));
    enableRelevantControls();
}

/// Neurons are those of every token as it is.
void AttentionControls::enableRelevantControls()
{
    for (QWidget *widget : std::initializer_list<QWidget *>{m_pair, m_measure, m_join, m_hide, m_tree})
        widget->setEnabled(view() != AttentionView::Neurons);
    m_scale->setEnabled(view() == AttentionView::HeatMap);
    for (QWidget *widget : std::initializer_list<QWidget *>{m_leastLabel, m_least})
        widget->setVisible(view() == AttentionView::Lines);
}

AttentionScale AttentionControls::scale() const
{
    return static_cast<AttentionScale>(std::max(0, m_scale->currentIndex()));
}

AttentionView AttentionControls::view() const
{
    return static_cast<AttentionView>(std::max(0, m_view->currentIndex()));
}

void AttentionControls::setView(AttentionView view)
{
    m_view->setCurrentIndex(static_cast<int>(view));
}

QJsonObject AttentionControls::arrangement() const
{
    QJsonObject kept;
    if (m_view->currentIndex() > 0)
        kept[QStringLiteral("view")] = m_view->currentIndex();
    if (m_join->isChecked())
        kept[QStringLiteral("joinWords")] = true;
    if (m_hide->isChecked())
        kept[QStringLiteral("hideSpecial")] = true;
    if (m_scale->currentIndex() > 0)
        kept[QStringLiteral("scale")] = m_scale->currentIndex();
    if (m_least->value() > 0)
        kept[QStringLiteral("linesFrom")] = m_least->value();
    if (!m_tree->isChecked())
        kept[QStringLiteral("tree")] = false;
    return kept;
}

void AttentionControls::setArrangement(const QJsonObject &arrangement)
{
    const int view = arrangement[QStringLiteral("view")].toInt();
    m_view->setCurrentIndex(view > 0 && view < m_view->count() ? view : 0);
    const int scale = arrangement[QStringLiteral("scale")].toInt();
    m_scale->setCurrentIndex(scale > 0 && scale < m_scale->count() ? scale : 0);
    m_least->setValue(arrangement[QStringLiteral("linesFrom")].toDouble());
    m_join->setChecked(arrangement[QStringLiteral("joinWords")].toBool());
    m_hide->setChecked(arrangement[QStringLiteral("hideSpecial")].toBool());
    m_tree->setChecked(arrangement[QStringLiteral("tree")].toBool(true));
}

bool AttentionControls::isBeside() const
{
    return m_beside->isChecked();
}

} // namespace headscope
