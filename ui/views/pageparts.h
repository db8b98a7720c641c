#pragma once

#include <QString>

class QComboBox;
class QLabel;
class QTableView;
class QWidget;

/// What several pages are made of, set up alike.
namespace headscope {

class StudyState;

/// The title of a page, in rich text that can be selected.
QLabel *makeTitle(QWidget *parent);

/// Plain text in as many lines as it takes, which can be selected.
QLabel *makeSelectableText(QWidget *parent);

/// Which data set scores are measured on.
QComboBox *makeMeasuredChoice(QWidget *parent);

/// A table whose rows are chosen, and which Tab leaves.
void setUpRowTable(QTableView &table);

/// `content` beside a page, `width` pixels wide: it scrolls where a low window has no room for all of it.
QWidget *makeSideArea(QWidget *content, const QString &name, int width, QWidget *parent);

/// A choice between in-domain and out-of-domain is seen only where there are both; else it stands at the one there is. Whether
/// there are both.
bool showDomainChoice(QComboBox &box, const StudyState &state);

} // namespace headscope
