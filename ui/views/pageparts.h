#pragma once

#include <QString>

class QComboBox;
class QTableView;
class QWidget;

/// What several pages are made of, set up alike.
namespace headscope {

class StudyState;

/// A table whose rows are chosen, and which Tab leaves.
void setUpRowTable(QTableView &table);

/// `content` beside a page, `width` pixels wide: it scrolls where a low window has no room for all of it.
QWidget *makeSideArea(QWidget *content, const QString &name, int width, QWidget *parent);

/// A choice between in-domain and out-of-domain is seen only where there are both; else it stands at the one there is. Whether
/// there are both.
bool showDomainChoice(QComboBox &box, const StudyState &state);

} // namespace headscope
