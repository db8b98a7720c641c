#pragma once

#include "core/session/session.h"

#include <QComboBox>
#include <QMargins>
#include <QSizeF>
#include <QString>

#include <initializer_list>
#include <utility>

class QLabel;
class QLayout;
class QSlider;
class QSplitter;
class QTabWidget;
class QTableView;
class QVBoxLayout;

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

/// Rich text in as many lines as it takes, which can be selected.
QLabel *makeRichText(QWidget *parent);

/// Plain text in as many lines as it takes, which can be selected.
QLabel *makeSelectableText(QWidget *parent);

/// A box to choose from, whose data are the values. `name`: of what is chosen, for who cannot see the box.
template<typename Value>
QComboBox *makeChoice(QWidget *parent, const QString &name, const QString &tip,
                      std::initializer_list<std::pair<QString, Value>> choices)
{
    auto *box = new QComboBox(parent);
    for (const auto &[text, value] : choices)
        box->addItem(text, static_cast<int>(value));
    box->setAccessibleName(name);
    box->setToolTip(tip);
    return box;
}

/// One more line of a box, with what is said of it.
void addChoice(QComboBox &box, const QString &text, const QString &tip);

/// The box is as wide as so many characters, where its lines may be longer.
void letShrink(QComboBox &box, int characters);

void makeBold(QWidget &widget);

/// Who sees the widget and who does not are told the same.
void setNameAndTip(QWidget &widget, const QString &text);

/// All of them in this order.
void addWidgets(QLayout &layout, std::initializer_list<QWidget *> widgets);

/// The last tab, with what is said of it.
void addTab(QTabWidget &tabs, QWidget *content, const QString &title, const QString &tip);

/// What a splitter gives to its parts where there is room; none of them goes away.
void setShares(QSplitter &splitter, std::initializer_list<int> shares);

/// Its two parts are as wide, as far as they can be; neither goes away.
void splitEvenly(QSplitter &splitter);

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

/// A page of which `content` takes all room that is left below `lines`.
void layOutPage(QWidget &page, std::initializer_list<QWidget *> lines, QWidget *content, bool foldsAtTheRight = false);

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
