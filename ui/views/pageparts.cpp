#include "ui/views/pageparts.h"

#include "ui/state/studystate.h"
#include "ui/views/foldingside.h"
#include "ui/views/plainlabel.h"

#include <QCoreApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLayout>
#include <QScrollArea>
#include <QSlider>
#include <QSplitter>
#include <QStyle>
#include <QStyleOptionSlider>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace headscope {

QLabel *makeTitle(QWidget *parent)
{
    auto *title = new QLabel(parent);
    title->setTextFormat(Qt::RichText);
    title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return title;
}

QLabel *makeRichText(QWidget *parent)
{
    QLabel *text = makeTitle(parent);
    text->setWordWrap(true);
    return text;
}

QLabel *makeSelectableText(QWidget *parent)
{
    auto *text = new PlainLabel(parent);
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return text;
}

void addChoice(QComboBox &box, const QString &text, const QString &tip)
{
    box.addItem(text);
    box.setItemData(box.count() - 1, tip, Qt::ToolTipRole);
}

void letShrink(QComboBox &box, int characters)
{
    box.setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box.setMinimumContentsLength(characters);
}

void makeBold(QWidget &widget)
{
    QFont bold = widget.font();
    bold.setBold(true);
    widget.setFont(bold);
}

void setNameAndTip(QWidget &widget, const QString &text)
{
    widget.setAccessibleName(text);
    widget.setToolTip(text);
}

void addWidgets(QLayout &layout, std::initializer_list<QWidget *> widgets)
{
    for (QWidget *widget : widgets)
        layout.addWidget(widget);
}

void addTab(QTabWidget &tabs, QWidget *content, const QString &title, const QString &tip)
{
    tabs.setTabToolTip(tabs.addTab(content, title), tip);
}

void setShares(QSplitter &splitter, std::initializer_list<int> shares)
{
    int part = 0;
    for (const int share : shares)
        splitter.setStretchFactor(part++, share);
    splitter.setChildrenCollapsible(false);
}

void splitEvenly(QSplitter &splitter)
{
    splitter.setSizes({1000, 1000});
    splitter.setChildrenCollapsible(false);
}

QSizeF sizeOnPage(const QWidget &picture, const QSizeF &otherwise)
{
    constexpr QSize kLeast(240, 120); // what is smaller was never laid out
    const QSize seen = picture.size();
    return seen.width() >= kLeast.width() && seen.height() >= kLeast.height() && picture.isVisible() ? QSizeF(seen)
                                                                                                     : otherwise;
}

void reserveLines(QLabel &label, int lines)
{
    label.setMinimumHeight(lines * label.fontMetrics().lineSpacing());
}

QComboBox *makeMeasuredChoice(QWidget *parent)
{
    auto *box = new QComboBox(parent);
    box->addItems({QCoreApplication::translate("headscope::PageParts", "Measured in-domain"),
                   QCoreApplication::translate("headscope::PageParts", "Measured out-of-domain")});
    box->setAccessibleName(QCoreApplication::translate("headscope::PageParts", "Data set that scores are measured on"));
    box->setToolTip(QCoreApplication::translate("headscope::PageParts", "The data set that the scores are of"));
    return box;
}

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

QVBoxLayout *layOutMain(QWidget *main, QLabel *title, QComboBox *domain, QLabel *summary, QWidget *content)
{
    title->setWordWrap(true); // no language makes the page wider
    auto *top = new QHBoxLayout;
    top->addWidget(title, 1);
    top->addWidget(domain);
    auto *layout = new QVBoxLayout(main);
    layout->setContentsMargins({});
    layout->addLayout(top);
    layout->addWidget(summary);
    layout->addWidget(content, 1);
    return layout;
}

void layOutPage(QWidget &page, std::initializer_list<QWidget *> lines, QWidget *content, bool foldsAtTheRight)
{
    auto *layout = new QVBoxLayout(&page);
    layout->setContentsMargins(pageMargins(foldsAtTheRight));
    addWidgets(*layout, lines);
    layout->addWidget(content, 1);
}

void layOutBeside(QWidget &page, QWidget *main, QWidget *side)
{
    auto *layout = new QHBoxLayout(&page);
    const bool folds = qobject_cast<FoldingSide *>(side) != nullptr; // with a margin of its own
    layout->setContentsMargins(pageMargins(folds));
    layout->setSpacing(folds ? 4 : 14);
    layout->addWidget(main, 1);
    layout->addWidget(side);
}

int sideWidth(const QWidget &page, int characters)
{
    return std::max(7 * characters, page.fontMetrics().averageCharWidth() * characters);
}

FoldingSide *makeFoldingSettings(QWidget *content, const QString &title, const QString &name, QWidget *parent,
                                 int characters)
{
    auto *side = new FoldingSide(title, name, QStringLiteral("settings"), FoldingSide::Edge::Right, parent);
    side->setContent(makeSideArea(content, title, sideWidth(*parent, characters), side));
    return side;
}

FoldingSide *makeFoldingBelow(QWidget *content, const QString &title, const QString &name, QWidget *parent)
{
    auto *below = new FoldingSide(title, name, QStringLiteral("panel"), FoldingSide::Edge::Bottom, parent);
    below->setContent(content);
    return below;
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

void alignSlider(QSlider &slider, QWidget &row, double left, double right)
{
    // The handle's middle travels from half a handle after the slider's left end to half a handle before its right.
    QStyleOptionSlider option;
    option.initFrom(&slider);
    const double half = slider.style()->pixelMetric(QStyle::PM_SliderLength, &option, &slider) / 2.0;
    const auto marginLeft = static_cast<int>(std::lround(left - half));
    const auto marginRight = static_cast<int>(std::lround(row.width() - right - half));
    row.layout()->setContentsMargins(std::max(marginLeft, 0), 0, std::max(marginRight, 0), 0);
}

QLabel *makeNote(QWidget *parent)
{
    auto *note = new PlainLabel(parent);
    note->setWordWrap(true);
    return note;
}

void showNote(QLabel &note, const QString &text)
{
    note.setText(text);
    note.setVisible(!text.isEmpty());
}

void followDomainSwitch(QComboBox &box, StudyState &state)
{
    const auto show = [&box, &state] { (void)showDomainChoice(box, state); };
    QObject::connect(&box, &QComboBox::activated, &state,
                     [&state](int index) { state.setDomainView(index == 0 ? DomainView::In : DomainView::Out); });
    QObject::connect(&state, &StudyState::domainViewChanged, &box, show);
}

bool showDomainChoice(QComboBox &box, const StudyState &state)
{
    const bool both = state.data(Domain::In) && state.data(Domain::Out);
    box.setVisible(both);
    box.setCurrentIndex(state.shownDomain() == Domain::Out ? 1 : 0);
    return both;
}

} // namespace headscope
