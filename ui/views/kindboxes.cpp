#include "ui/views/kindboxes.h"

#include "ui/models/kindtext.h"

#include <QCheckBox>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope {

KindBoxes::KindBoxes(QWidget *parent) : QWidget(parent)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    for (const HeadKind kind : kAllHeadKinds) {
        auto *box = new QCheckBox(headKindTitle(kind), this);
        box->setChecked(true);
        layout->addWidget(box);
        m_boxes.push_back(box);
        connect(box, &QCheckBox::toggled, this, &KindBoxes::changed);
    }
}

void KindBoxes::setLayout(const HeadLayout &layout)
{
    for (std::size_t i = 0; i < m_boxes.size(); ++i)
        m_boxes[i]->setVisible(layout.size() == 0 || layout.block(kAllHeadKinds[i]));
}

std::vector<HeadKind> KindBoxes::kinds() const
{
    std::vector<HeadKind> kinds;
    for (std::size_t i = 0; i < m_boxes.size(); ++i) {
        if (m_boxes[i]->isChecked() && !m_boxes[i]->isHidden())
            kinds.push_back(kAllHeadKinds[i]);
    }
    return static_cast<int>(kinds.size()) == count() ? std::vector<HeadKind>() : kinds;
}

bool KindBoxes::noneChecked() const
{
    return std::ranges::none_of(m_boxes, [](const QCheckBox *box) { return box->isChecked() && !box->isHidden(); });
}

int KindBoxes::count() const
{
    return static_cast<int>(std::ranges::count_if(m_boxes, [](const QCheckBox *box) { return !box->isHidden(); }));
}

} // namespace headscope
