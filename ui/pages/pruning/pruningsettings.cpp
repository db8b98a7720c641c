#include "ui/pages/pruning/pruningsettings.h"

#include "ui/views/kindboxes.h"
#include "ui/views/pageparts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QGroupBox>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace headscope {

PruningSettings::PruningSettings(QWidget *parent)
    : QWidget(parent), m_order(new QComboBox(this)), m_orderFrom(new QComboBox(this)), m_atLeast(new QSpinBox(this)),
      m_step(new QSpinBox(this)), m_reestimate(new QCheckBox(tr("Re-estimate after each step"), this)),
      m_reverse(new QCheckBox(tr("Most needed first"), this)),
      m_eachKind(new QCheckBox(tr("Each kind by itself"), this))
{
    fillOrders();
    m_reverse->setToolTip(tr("Reverses the order: how fast the score drops when the most needed heads are "
                             "removed first"));
    m_step->setRange(0, 9999);
    m_step->setSpecialValueText(tr("10 % of them"));
    m_step->setSuffix(tr(" heads"));
    m_step->setToolTip(tr("Heads removed between two measured points of a curve"));
    m_reestimate->setToolTip(tr("Importance is estimated again before every step, without the heads removed so "
                                "far"));
    QWidget *candidates = makeCandidates();
    auto *form = new QFormLayout;
    form->setRowWrapPolicy(QFormLayout::WrapAllRows);
    form->addRow(tr("&Order"), m_order);
    form->addRow(tr("Order &from"), m_orderFrom);
    m_orderFromLabel = qobject_cast<QLabel *>(form->labelForField(m_orderFrom));
    auto *steps = new QFormLayout;
    steps->addRow(tr("&Step"), m_step);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->addLayout(form);
    layout->addWidget(candidates);
    layout->addLayout(steps);
    addWidgets(*layout, {m_reestimate, m_reverse});
    connect(m_order, &QComboBox::activated, this, &PruningSettings::onOrderChosen);
    connect(m_orderFrom, &QComboBox::activated, this, &PruningSettings::collect);
    connect(m_atLeast, &QSpinBox::valueChanged, this, &PruningSettings::collect);
    connect(m_step, &QSpinBox::valueChanged, this, &PruningSettings::collect);
    for (QCheckBox *box : {m_reestimate, m_reverse, m_eachKind})
        connect(box, &QCheckBox::toggled, this, &PruningSettings::collect);
    collect();
}

/// The orders of removal, and the data by which they are chosen.
void PruningSettings::fillOrders()
{
    m_order->addItem(tr("Importance, least first"), u"importance"_s);
    m_order->addItem(tr("Ablation, least loss first"), u"ablation"_s);
    m_order->addItem(tr("Shapley values, least first"), u"shapley"_s);
    m_order->addItem(tr("Relevance, least first"), u"relevance"_s);
    m_order->addItem(tr("Gates, interfering first"), u"gating"_s);
    m_order->addItem(tr("Random orders"), u"random"_s);
    m_order->addItem(tr("Greedy, exact losses"), u"greedy"_s);
    m_order->addItem(tr("From a file…"), QString());
    m_order->setToolTip(tr("The order in which heads are removed"));
    m_order->setItemData(
        m_order->findData(u"greedy"_s),
        tr("Every round measures the loss of every head that is left, and removes the one whose loss is "
           "least: the most careful order, and by far the slowest"),
        Qt::ToolTipRole);
    m_orderFrom->setObjectName(u"orderFrom"_s);
    m_orderFrom->addItems(
        {tr("in-domain data"), tr("out-of-domain data"), tr("each set its own"), tr("each from the other set")});
    m_orderFrom->setToolTip(tr(
        "The data set by which the order is chosen. By one set: both curves lose the same heads, as the slider does. "
        "Each set its own flatters the curves."));
}

/// Which heads may be removed, and how many stay.
QWidget *PruningSettings::makeCandidates()
{
    m_atLeast->setRange(0, 64);
    m_atLeast->setSuffix(tr(" a layer"));
    m_atLeast->setToolTip(tr("This many heads stay in every layer"));
    m_eachKind->setToolTip(
        tr("One curve for each kind of attention, with only its heads removed: shows which kind is needed least"));
    auto *candidates = new QGroupBox(tr("Candidates for removal"), this);
    m_kinds = new KindBoxes(candidates);
    connect(m_kinds, &KindBoxes::changed, this, &PruningSettings::collect);
    auto *keep = new QFormLayout;
    keep->addRow(tr("Keep at &least"), m_atLeast);
    auto *layout = new QVBoxLayout(candidates);
    addWidgets(*layout, {m_kinds, m_eachKind});
    layout->addLayout(keep);
    return candidates;
}

void PruningSettings::setLayout(const HeadLayout &layout)
{
    m_layout = layout;
    m_kinds->setLayout(layout);
    int largest = 0;
    for (const HeadLayout::Block &block : layout.blocks()) {
        for (const auto &heads : block.layers)
            largest = std::max(largest, static_cast<int>(heads.size()));
    }
    m_atLeast->setMaximum(std::max(largest, 1));
    collect();
}

void PruningSettings::setHasBothDomains(bool both)
{
    m_orderFrom->setVisible(both);
    m_orderFromLabel->setVisible(both);
}

void PruningSettings::setOrder(const QString &order)
{
    const int index = m_order->findData(order);
    if (index < 0 || order.isEmpty())
        return;
    m_order->setCurrentIndex(index);
    collect();
}

void PruningSettings::onOrderChosen(int index)
{
    if (!m_order->itemData(index).toString().isEmpty())
        return collect();
    auto *dialog = new QFileDialog(this, tr("Order of heads, one a line"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &PruningSettings::orderFileChosen);
    connect(dialog, &QFileDialog::rejected, this, [this] {
        if (m_file.isEmpty())
            setOrder(u"importance"_s);
    });
    dialog->open();
}

void PruningSettings::showOrderFile(const QString &path, const Result<std::vector<HeadRef>> &order)
{
    if (order.isError())
        m_problem = QString::fromStdString(order.error().message);
    if (!order.isOk()) {
        m_order->setCurrentIndex(m_order->findData(m_choice.isFile() ? QString() : m_choice.order));
        Q_EMIT changed();
        return;
    }
    m_file = path;
    m_fileOrder = order.value();
    m_order->setItemText(m_order->count() - 1, tr("File %1").arg(QFileInfo(path).fileName()));
    m_order->setCurrentIndex(m_order->count() - 1);
    collect();
}

void PruningSettings::collect()
{
    const QString order = m_order->currentData().toString();
    m_choice.order = order.isEmpty() ? m_file : order;
    if (m_choice.order.isEmpty())
        m_choice.order = u"importance"_s;
    m_choice.orderFrom = static_cast<OrderFrom>(m_orderFrom->currentIndex());
    m_orderFrom->setEnabled(isChosenByData({.order = m_choice.order.toStdString()}));
    m_choice.kinds = m_kinds->kinds();
    m_problem
        = m_kinds->noneChecked() ? tr("Choose at least one kind of attention whose heads may be removed.") : QString();
    m_choice.atLeastPerLayer = m_atLeast->value();
    m_choice.step = m_step->value();
    m_choice.reestimate = m_reestimate->isChecked();
    m_choice.reverse = m_reverse->isChecked();
    m_eachKind->setVisible(m_kinds->count() > 1);
    m_choice.eachKind = m_kinds->count() > 1 && m_eachKind->isChecked();
    m_reestimate->setEnabled(m_choice.order == "importance"_L1);
    Q_EMIT changed();
}

} // namespace headscope
