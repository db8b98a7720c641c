#pragma once

#include "ui/heatmap/rolestyle.h"
#include "ui/pages/roles/rolestablemodel.h"

#include <QPainter>
#include <QStyle>
#include <QStyledItemDelegate>
#include <QWidget>

namespace headscope {

/// A role's tag before its name.
class RoleDelegate final : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyleOptionViewItem shifted = option;
        const QVariant role = index.data(RolesTableModel::kRoleRole);
        if (!role.isValid())
            return QStyledItemDelegate::paint(painter, option, index);
        initStyleOption(&shifted, index);
        shifted.features |= QStyleOptionViewItem::HasDecoration;
        const double high = option.fontMetrics.height();
        const QString mark = index.data(RolesTableModel::kMarkRole).toString();
        shifted.decorationSize = QSize(static_cast<int>(high * kWide) + 2, 1);
        shifted.decorationAlignment = Qt::AlignLeft;
        const QWidget *widget = option.widget;
        QStyle *style = widget ? widget->style() : nullptr;
        if (!style)
            return QStyledItemDelegate::paint(painter, option, index);
        style->drawControl(QStyle::CE_ItemViewItem, &shifted, painter, widget);
        const QRect place = style->subElementRect(QStyle::SE_ItemViewItemDecoration, &shifted, widget);
        const QRectF tag(place.left(), option.rect.center().y() - high / 2 + 0.5, mark.size() > 1 ? high * kWide : high,
                         high);
        paintRoleTag(*painter, tag, static_cast<Role>(role.toInt()), mark, ViewPalette::matching(option.palette));
    }

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        return QStyledItemDelegate::sizeHint(option, index)
             + QSize(static_cast<int>(option.fontMetrics.height() * kWide) + 16, 0);
    }

private:
    static constexpr double kWide = 1.4;
};

} // namespace headscope
