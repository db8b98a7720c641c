#include "ui/pages/search/searchsettings.h"

#include "ui/views/kindboxes.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QSpinBox>
#include <QVBoxLayout>

namespace headscope {

SearchSettings::SearchSettings(QWidget *parent)
    : QWidget(parent), m_step(new QSpinBox(this)), m_samples(new QSpinBox(this)),
      m_other(new QCheckBox(tr("From the &other data set"), this))
{
    const SearchSpec defaults;
    auto *kinds = new QGroupBox(tr("Candidates for removal"), this);
    m_kinds = new KindBoxes(kinds);
    (new QVBoxLayout(kinds))->addWidget(m_kinds);
    m_step->setRange(0, 9999);
    m_step->setSpecialValueText(tr("10 % of them"));
    m_step->setSuffix(tr(" heads"));
    m_step->setToolTip(tr("Heads removed from one budget to the next"));
    auto *gradients = new QGroupBox(tr("Gradients and factors"), this);
    m_samples->setRange(0, 1'000'000);
    m_samples->setGroupSeparatorShown(true);
    m_samples->setSpecialValueText(tr("all"));
    m_samples->setValue(static_cast<int>(defaults.samples));
    m_samples->setToolTip(tr("Examples that gradients and factors are taken from, drawn by the seed; 0 = all"));
    m_other->setChecked(true);
    m_other->setToolTip(tr("Masks are searched on one data set and measured on the other, so that the search does not "
                           "flatter them"));
    auto *form = new QFormLayout(gradients);
    form->addRow(tr("&Examples"), m_samples);
    form->addRow(m_other);
    auto *steps = new QFormLayout;
    steps->addRow(tr("S&tep"), m_step);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->addWidget(kinds);
    layout->addLayout(steps);
    layout->addWidget(gradients);
    connect(m_kinds, &KindBoxes::changed, this, &SearchSettings::changed);
}

void SearchSettings::setStudy(const HeadLayout &layout, bool other)
{
    m_kinds->setLayout(layout);
    m_other->setVisible(other);
}

SearchSpec SearchSettings::spec(const RunOptions &run) const
{
    SearchSpec spec;
    spec.run = run;
    spec.kinds = m_kinds->kinds();
    spec.step = m_step->value();
    spec.samples = m_samples->value();
    spec.searchOnOther = !m_other->isHidden() && m_other->isChecked();
    return spec;
}

void SearchSettings::setFromOther(bool other)
{
    m_other->setChecked(other);
}

QString SearchSettings::problem() const
{
    return m_kinds->noneChecked() ? tr("Choose at least one kind of attention whose heads may be removed.") : QString();
}

} // namespace headscope
