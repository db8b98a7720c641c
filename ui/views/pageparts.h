#pragma once

#include "core/session/session.h"

#include <QMargins>
#include <QSizeF>
#include <QString>

class QComboBox;
class QLabel;
class QSlider;
class QTableView;
class QVBoxLayout;
class QWidget;

/// What several pages are made of, set up alike.
namespace headscope {

class FoldingSide;
class StudyState;

inline constexpr int kSideCharacters = 34; ///< width of most side panels

/// Around a page; what folds at its right has a margin of its own.
constexpr QMargins pageMargins(bool foldsAtTheRight = false)
{
    return {8, 5, foldsAtTheRight ? 2 : 8, 5};
}

/// The title of a page, in rich text that can be selected.
QLabel *makeTitle(QWidget *parent);

/// Plain text in as many lines as it takes, which can be selected.
QLabel *makeSelectableText(QWidget *parent);

/// Of an exported picture: as large as on the page, or `otherwise` where the page is not seen.
QSizeF sizeOnPage(const QWidget &picture, const QSizeF &otherwise);

/// Room for so many lines, whatever there is to say: what stands below stays where it is.
void reserveLines(QLabel &label, int lines);

/// Which data set scores are measured on.
QComboBox *makeMeasuredChoice(QWidget *parent);

/// A table whose rows are chosen, and which Tab leaves.
void setUpRowTable(QTableView &table);

/// The main part of a page, from the top: title and choice of the data set, summary, what the page shows.
QVBoxLayout *layOutMain(QWidget *main, QLabel *title, QComboBox *domain, QLabel *summary, QWidget *content);

/// `main` with `side` on its right: how pages with settings are laid out.
void layOutBeside(QWidget &page, QWidget *main, QWidget *side);

/// Settings beside a page, which scroll and fold. `name`: of the object; `characters`: the width, as in sideWidth().
FoldingSide *makeFoldingSettings(QWidget *content, const QString &title, const QString &name, QWidget *parent,
                                 int characters = kSideCharacters);

/// A chart or table below a page's picture, in a splitter or a layout, which folds. `name`: of the object.
FoldingSide *makeFoldingBelow(QWidget *content, const QString &title, const QString &name, QWidget *parent);

/// The width of a side panel in pixels, for so many average characters.
int sideWidth(const QWidget &page, int characters = kSideCharacters);

/// `content` beside a page: it scrolls where a low window has no room for all of it.
QWidget *makeSideArea(QWidget *content, const QString &name, int width, QWidget *parent);

/// A slider in a row of its own below a chart: its least value stands at x = `left` of the row, its largest at `right`,
/// as far as the row is wide enough.
void alignSlider(QSlider &slider, QWidget &row, double left, double right);

/// What a page has to say below its buttons; no room is taken while there is nothing.
QLabel *makeNote(QWidget *parent);
void showNote(QLabel &note, const QString &text);

/// A choice between in-domain and out-of-domain, in this order: another place for the study's domain switch, which the
/// tool bar shows.
void followDomainSwitch(QComboBox &box, StudyState &state);

/// It is seen only where there are both, and stands at the data set that is shown. Whether there are both.
bool showDomainChoice(QComboBox &box, const StudyState &state);

} // namespace headscope
