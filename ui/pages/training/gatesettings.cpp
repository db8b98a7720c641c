#include "ui/pages/training/gatesettings.h"

#include "ui/models/kindtext.h"

#include <QFormLayout>
#include <QHBoxLayout>

#include <cstddef>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {

template<typename T>
auto of(T GateConfig::*member)
{
    return [member](TrainingConfig &config) -> T & { return config.gates.*member; };
}

} // namespace

GateSettings::GateSettings(TrainingFields &fields, QWidget *parent)
    : QGroupBox(tr("Gates of heads"), parent), m_form(new QFormLayout(this))
{
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_form->setHorizontalSpacing(10);
    m_form->setVerticalSpacing(5);
    m_method = fields.choice(
        tr("How heads learn which of them stay"), of(&GateConfig::method),
        std::vector<std::pair<GateMethod, QString>>{{GateMethod::None, tr("none: all heads stay")},
                                                    {GateMethod::L0, tr("L0: gates that switch heads off")},
                                                    {GateMethod::Subset, tr("subset: this many stay")}});
    m_form->addRow(tr("&Gates"), m_method);
    const auto add = [this](QList<QWidget *> &list, const QString &label, QWidget *field) {
        m_form->addRow(label, field);
        list << field;
    };
    add(m_ofBoth, tr("Of"), makeKinds());
    auto *lambda = fields.number(tr("Lambda"), of(&GateConfig::lambda), 0, 1e6);
    lambda->setToolTip(
        tr("Weight of the penalty: loss per target token + lambda times the expected number of open heads"));
    add(m_ofL0, tr("La&mbda"), lambda);
    add(m_ofSubset, tr("Heads left"), fields.count(tr("Heads that stay"), of(&GateConfig::heads), 0, 1 << 20));
    auto *rate = fields.number(tr("Learning rate of the gates"), of(&GateConfig::learningRate), 0, 100);
    add(m_ofBoth, tr("Gates’ rate"), rate);
    auto *trained
        = fields.choice(tr("What is trained beside the gates"), of(&GateConfig::trained),
                        std::vector<std::pair<TrainedParts, QString>>{{TrainedParts::All, tr("all weights")},
                                                                      {TrainedParts::Gated, tr("stacks with gates")},
                                                                      {TrainedParts::Gates, tr("nothing else")}});
    trained->setToolTip(tr("Frozen stacks keep functions from moving there"));
    add(m_ofBoth, tr("Trained"), trained);
    refresh();
}

QWidget *GateSettings::makeKinds()
{
    auto *row = new QWidget(this);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins({});
    for (const HeadKind kind : kAllHeadKinds) {
        auto *box = new QCheckBox(headKindShortTitle(kind), row);
        box->setAccessibleName(tr("Gates of %1").arg(headKindLongName(kind)));
        box->setToolTip(tr("Nothing is checked: all that the model has"));
        connect(box, &QCheckBox::toggled, this, &GateSettings::kindsChanged);
        layout->addWidget(box);
        m_kinds[static_cast<std::size_t>(kind)] = box;
    }
    return row;
}

void GateSettings::setKinds(const std::vector<HeadKind> &kinds)
{
    for (const HeadKind kind : kAllHeadKinds)
        m_kinds[static_cast<std::size_t>(kind)]->setChecked(std::ranges::find(kinds, kind) != kinds.end());
}

std::vector<HeadKind> GateSettings::kinds() const
{
    std::vector<HeadKind> kinds;
    for (const HeadKind kind : kAllHeadKinds) {
        if (m_kinds[static_cast<std::size_t>(kind)]->isChecked())
            kinds.push_back(kind);
    }
    return kinds;
}

void GateSettings::refresh()
{
    const auto method = static_cast<GateMethod>(m_method->currentIndex());
    const auto show = [this](const QList<QWidget *> &fields, bool wanted) {
        for (QWidget *field : fields) {
            field->setVisible(wanted);
            if (QWidget *label = m_form->labelForField(field))
                label->setVisible(wanted);
        }
    };
    show(m_ofBoth, method != GateMethod::None);
    show(m_ofL0, method == GateMethod::L0);
    show(m_ofSubset, method == GateMethod::Subset);
}

} // namespace headscope
