#include "ui/views/rolefilterbox.h"

#include "ui/models/numbertext.h"
#include "ui/models/roletext.h"

#include <QSignalBlocker>

#include <algorithm>

namespace headscope {

RoleFilterBox::RoleFilterBox(StudyState &state, QWidget *parent) : QComboBox(parent), m_state(state)
{
    setAccessibleName(tr("Filter by role"));
    setToolTip(tr("Dims the heads of other roles"));
    // Its room is there before there are roles, for the longest of their names.
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    qsizetype longest = 0;
    for (const Role role : kAllRoles)
        longest = std::max(longest, tr("%1 (%2)").arg(roleTitle(role), countText(88)).size());
    setMinimumContentsLength(static_cast<int>(longest));
    QSizePolicy policy = sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    setSizePolicy(policy);
    connect(this, &QComboBox::activated, this, [this](int index) {
        const QVariant role = itemData(index);
        m_state.setRoleFilter(role.isValid() ? std::optional(static_cast<Role>(role.toInt())) : std::nullopt);
    });
}

void RoleFilterBox::refresh()
{
    const QSignalBlocker blocker(this);
    clear();
    addItem(tr("All heads"));
    const auto assigned = m_state.assignedRoles(m_state.roleDomain());
    setEnabled(assigned != nullptr);
    setVisible(assigned != nullptr);
    if (!assigned)
        return;
    std::vector<Role> offered = rolesPresent(*assigned);
    // A filter stays chosen, and can be seen to be, when other thresholds leave it no head.
    const auto &filter = m_state.roleFilter();
    if (filter && std::ranges::find(offered, *filter) == offered.end())
        offered.push_back(*filter);
    for (const Role role : offered) {
        const auto heads = std::ranges::count_if(
            *assigned, [&](const HeadRoles &head) { return head.first() && head.first()->role == role; });
        addItem(tr("%1 (%2)").arg(roleTitle(role), countText(heads)), static_cast<int>(role));
        if (filter == role)
            setCurrentIndex(count() - 1);
    }
}

} // namespace headscope
