#include "ui/views/pageparts.h"

#include "ui/state/studystate.h"

#include <QComboBox>
#include <QHeaderView>
#include <QScrollArea>
#include <QTableView>

namespace headscope {

void setUpRowTable(QTableView &table)
{
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setAlternatingRowColors(true);
    table.setTabKeyNavigation(false);
    table.verticalHeader()->hide();
    table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + 8);
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
}

QWidget *makeSideArea(QWidget *content, const QString &name, int width, QWidget *parent)
{
    auto *area = new QScrollArea(parent);
    area->setWidget(content);
    area->setAccessibleName(name);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFixedWidth(width);
    return area;
}

bool showDomainChoice(QComboBox &box, const StudyState &state)
{
    const bool both = state.data(Domain::In) && state.data(Domain::Out);
    box.setVisible(both);
    if (!both)
        box.setCurrentIndex(state.data(Domain::Out) ? 1 : 0);
    return both;
}

} // namespace headscope
