#include "ui/pages/roles/rolethresholdsbox.h"

#include "ui/models/roletext.h"
#include "ui/views/pageparts.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>

#include <cmath>

namespace headscope {

RoleThresholdsBox::RoleThresholdsBox(StudyState &state, QWidget *parent) : QWidget(parent), m_state(state)
{
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(6, 6, 6, 6);
    grid->setColumnStretch(1, 1);
    addSlider(&RoleThresholds::positional, tr("Positional"),
              tr("Share of queries whose largest weight lies at one offset, at least"));
    addSlider(
        &RoleThresholds::syntacticMargin, tr("Syntactic, over the best fixed offset"),
        tr("Points by which a head must find a relation's partner more often than always pointing to the best fixed "
           "offset does"));
    addSlider(&RoleThresholds::rareWord, tr("Rare word"),
              tr("Share of queries whose largest weight is on one of the two rarest tokens, at least; and three times "
                 "chance"));
    addSlider(
        &RoleThresholds::pattern, tr("Patterns"),
        tr("Share of attention that goes to copies, the diagonal, the same token, separators, at least; and twice what "
           "uniform attention gives"));
    addChoices();
    connect(m_instances, &QSpinBox::valueChanged, this, [this](int value) {
        RoleThresholds thresholds = m_state.roleThresholds();
        thresholds.instances = value;
        change(thresholds, false);
    });
    connect(m_relations, &QComboBox::activated, this, [this](int index) {
        RoleThresholds thresholds = m_state.roleThresholds();
        thresholds.relations = index == 0 ? RoleThresholds().relations : std::vector<std::string>();
        change(thresholds, false);
    });
    connect(m_defaults, &QPushButton::clicked, this, [this] { change({}, false); });
}

/// What is no share, below the sliders.
void RoleThresholdsBox::addChoices()
{
    m_instances = new QSpinBox(this);
    m_instances->setRange(0, 100'000);
    m_instances->setGroupSeparatorShown(true);
    m_instances->setToolTip(tr("Labels with fewer instances are not shown"));
    m_instances->setAccessibleName(tr("Minimum number of instances of a label"));
    m_relations = new QComboBox(this);
    m_relations->addItems({tr("nsubj, obj, amod, advmod"), tr("all relations")});
    letShrink(*m_relations, 10);
    m_relations->setToolTip(
        tr("Relations that make a head syntactic: the four of Voita et al. (2019), or all that are found"));
    m_relations->setAccessibleName(tr("Relations"));
    m_defaults = new QPushButton(tr("&Defaults"), this);
    m_defaults->setToolTip(tr("The thresholds of the papers"));
    auto *grid = static_cast<QGridLayout *>(layout());
    const int row = grid->rowCount();
    grid->addWidget(new QLabel(tr("At least"), this), row, 0);
    auto *instances = new QHBoxLayout;
    instances->addWidget(m_instances);
    instances->addWidget(new QLabel(tr("instances"), this), 1);
    grid->addLayout(instances, row, 1, 1, 2);
    grid->addWidget(new QLabel(tr("Relations"), this), row + 1, 0);
    grid->addWidget(m_relations, row + 1, 1, 1, 2);
    grid->addWidget(m_defaults, row + 2, 0);
    grid->setRowStretch(row + 3, 1);
}

void RoleThresholdsBox::addSlider(double RoleThresholds::*value, const QString &name, const QString &tip)
{
    auto *grid = static_cast<QGridLayout *>(layout());
    const int row = grid->rowCount();
    auto *label = new QLabel(name, this);
    label->setWordWrap(true);
    auto *slider = new QSlider(Qt::Horizontal, this);
    slider->setRange(0, 100);
    slider->setPageStep(5);
    slider->setAccessibleName(name);
    for (QWidget *widget : std::initializer_list<QWidget *>{label, slider})
        widget->setToolTip(tip);
    auto *number = new QLabel(this);
    number->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    number->setMinimumWidth(fontMetrics().horizontalAdvance(shareText(1)) + 2);
    grid->addWidget(label, row, 0);
    grid->addWidget(slider, row, 1);
    grid->addWidget(number, row, 2);
    m_fields.push_back({value, slider, number});
    connect(slider, &QSlider::valueChanged, this, [this, value, slider](int percent) {
        RoleThresholds thresholds = m_state.roleThresholds();
        thresholds.*value = percent / 100.0;
        change(thresholds, slider->isSliderDown());
    });
    connect(slider, &QSlider::sliderReleased, this, [this] { m_state.endRoleDrag(); });
}

void RoleThresholdsBox::change(const RoleThresholds &thresholds, bool dragged)
{
    if (m_updating)
        return;
    if (dragged)
        m_state.dragRoleThresholds(thresholds);
    else
        m_state.setRoleThresholds(thresholds);
}

void RoleThresholdsBox::refresh()
{
    m_updating = true;
    const RoleThresholds &thresholds = m_state.roleThresholds();
    for (const Field &field : m_fields) {
        field.slider->setValue(static_cast<int>(std::lround(100 * thresholds.*field.value)));
        field.number->setText(shareText(thresholds.*field.value));
    }
    m_instances->setValue(static_cast<int>(thresholds.instances));
    m_relations->setCurrentIndex(thresholds.relations == RoleThresholds().relations ? 0
                                 : thresholds.relations.empty()                     ? 1
                                                                                    : -1);
    m_defaults->setEnabled(!(thresholds == RoleThresholds()));
    m_updating = false;
}

} // namespace headscope
