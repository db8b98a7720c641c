#include "ui/pages/pruning/curvestable.h"

#include "ui/charts/pruningpainter.h"
#include "ui/models/numbertext.h"
#include "ui/models/removabletext.h"

#include <QEvent>
#include <QHeaderView>
#include <QIcon>
#include <QPainter>
#include <QPixmap>
#include <QScopedValueRollback>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace headscope {
namespace {

constexpr QSize kSample(26, 14);

/// Heads that can go within the margin. A question mark: it cannot be told.
QString freeText(const CurveSeries &curve)
{
    if (curve.randomOrders > 0 || curve.points.size() < 2)
        return QStringLiteral("–");
    return curve.removable.withinMargin ? countText(*curve.removable.withinMargin) : QStringLiteral("?");
}

QString lossAtText(const CurveSeries &curve)
{
    if (curve.randomOrders > 0 || curve.points.size() < 2)
        return QStringLiteral("–");
    if (curve.removable.why != NoAnswer::None)
        return QStringLiteral("?");
    return curve.firstLoss ? countText(curve.removable.firstLossAt) : QStringLiteral("–");
}

QString kneeText(const CurveSeries &curve)
{
    return curve.knee ? countText(static_cast<std::int64_t>(curve.points[*curve.knee].removed)) : QStringLiteral("–");
}

} // namespace

CurvesTable::CurvesTable(QWidget *parent) : QTableWidget(0, ColumnCount, parent)
{
    setHorizontalHeaderLabels({tr("Curve"), tr("Margin"), tr("Loss"), tr("Knee")});
    horizontalHeaderItem(FreeColumn)
        ->setToolTip(tr("Heads that can go for a loss below the margin, at 95 % confidence: the square. ?: it cannot "
                        "be told"));
    horizontalHeaderItem(LossColumn)->setToolTip(tr("Heads removed at the first significant loss: the ring"));
    horizontalHeaderItem(KneeColumn)->setToolTip(tr("Heads removed where the curve bends most: the diamond"));
    horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    horizontalHeader()->setSectionResizeMode(NameColumn, QHeaderView::Stretch);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setMinimumSectionSize(20);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    setIconSize(kSample);
    setShowGrid(false);
    setWordWrap(true); // names take as many lines as they need
    setTextElideMode(Qt::ElideNone);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setTabKeyNavigation(false);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMinimumHeight(3 * (fontMetrics().height() + 6));
    setAccessibleName(tr("Curves"));
    connect(horizontalHeader(), &QHeaderView::sectionResized, this, [this](int section) {
        if (section == NameColumn)
            resizeRowsToContents();
    });
    connect(this, &QTableWidget::itemChanged, this, [this](const QTableWidgetItem *item) {
        if (m_filling || item->column() != NameColumn)
            return;
        const bool on = item->checkState() == Qt::Checked;
        const QString name = item->data(Qt::UserRole).toString();
        if (on ? m_hidden.erase(name) > 0 : m_hidden.insert(name).second)
            Q_EMIT shownChanged();
    });
}

QSize CurvesTable::sizeHint() const
{
    int height = (rowCount() < 2 ? 3 : 1) * (fontMetrics().height() + 6) + 12;
    for (int row = 0; row < rowCount(); ++row)
        height += rowHeight(row);
    return {200, height};
}

void CurvesTable::setCurves(const PruningSeries &series, const SignificanceRule &rule)
{
    const QScopedValueRollback filling(m_filling, true);
    m_curves = series.curves;
    setRowCount(static_cast<int>(m_curves.size()));
    for (int row = 0; row < rowCount(); ++row) {
        const CurveSeries &curve = m_curves[static_cast<std::size_t>(row)];
        const QString name = curveLabel(curve);
        // What tells curves apart comes first: the column is narrow.
        auto *first = new QTableWidgetItem((curve.outOfDomain ? tr("out: %1") : tr("in: %1")).arg(curveName(curve)));
        first->setData(Qt::UserRole, name);
        first->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        first->setCheckState(m_hidden.contains(name) ? Qt::Unchecked : Qt::Checked);
        first->setToolTip(name);
        setItem(row, NameColumn, first);
        for (const auto &[column, text] :
             {std::pair(FreeColumn, freeText(curve)), std::pair(LossColumn, lossAtText(curve)),
              std::pair(KneeColumn, kneeText(curve))}) {
            auto *item = new QTableWidgetItem(text);
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            item->setToolTip(column == KneeColumn ? QString() : removableText(curve.removable, rule));
            setItem(row, column, item);
        }
    }
    refreshIcons();
    resizeRowsToContents();
    updateGeometry();
}

void CurvesTable::refreshIcons()
{
    const QScopedValueRollback filling(m_filling, true);
    const ViewPalette &colors = ViewPalette::matching(palette());
    for (int row = 0; row < rowCount(); ++row) {
        QPixmap sample(kSample * devicePixelRatioF());
        sample.setDevicePixelRatio(devicePixelRatioF());
        sample.fill(Qt::transparent);
        QPainter painter(&sample);
        painter.setRenderHint(QPainter::Antialiasing);
        paintCurveSample(painter, QRectF(QPointF(1, 0), QSizeF(kSample - QSize(2, 0))),
                         m_curves[static_cast<std::size_t>(row)], colors);
        painter.end();
        item(row, NameColumn)->setIcon(QIcon(sample));
    }
}

PruningSeries CurvesTable::shown(PruningSeries series) const
{
    std::erase_if(series.curves, [this](const CurveSeries &curve) { return m_hidden.contains(curveLabel(curve)); });
    return series;
}

void CurvesTable::changeEvent(QEvent *event)
{
    QTableWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        refreshIcons();
}

} // namespace headscope
