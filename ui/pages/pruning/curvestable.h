#pragma once

#include "ui/charts/pruningseries.h"

#include <QTableWidget>

#include <set>
#include <vector>

namespace headscope {

/// The curves of the chart, in the place of a legend: how each looks, how many heads can go within the margin, where
/// its first significant loss is, where it bends, and a box that hides it.
class CurvesTable final : public QTableWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CurvesTable)
public:
    enum Column { NameColumn, FreeColumn, LossColumn, KneeColumn, ColumnCount };

    explicit CurvesTable(QWidget *parent = nullptr);

    void setCurves(const PruningSeries &series, const SignificanceRule &rule);
    /// `series` without the curves that are hidden.
    PruningSeries shown(PruningSeries series) const;

    QSize sizeHint() const override;

Q_SIGNALS:
    /// Curves were hidden, or are seen again.
    void shownChanged();

protected:
    void changeEvent(QEvent *event) override;

private:
    void refreshIcons();

    std::vector<CurveSeries> m_curves;
    std::set<QString> m_hidden; ///< by what they are called
    bool m_filling = false;
};

} // namespace headscope
