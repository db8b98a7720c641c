#pragma once

#include "ui/pages/pageregistry.h"

#include <QList>
#include <QWidget>

#include <vector>

class QLabel;
class QToolButton;

namespace headscope {

/// The pages in a row, in groups of one question each. Where the window is too narrow for all of them, the captions of
/// the groups go first, then the pages of other groups than the present one into a menu for each group. One stop of the
/// Tab key; arrow keys go on from page to page.
class PageRow final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PageRow)
public:
    explicit PageRow(const std::vector<PageEntry> &pages, QWidget *parent = nullptr);

    int current() const { return m_current; }
    void setCurrent(int page);
    /// Whether the page is offered.
    void setOffered(int page, bool offered);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void currentChanged(int page);

protected:
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    bool eventFilter(QObject *object, QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    /// `Least`: the open group is a menu too, with the present page beside it.
    enum class Form { Captions, Pages, Menus, Least };
    struct Group
    {
        QList<int> pages;
        QLabel *caption = nullptr; ///< null: stands by itself
        QToolButton *menu = nullptr;
    };

    int widthOf(Form form) const;
    void arrange();
    QList<int> offeredOf(const Group &group) const;
    bool isCollapsed(const Group &group, Form form) const;
    void step(int by);

    const std::vector<PageEntry> &m_pages;
    std::vector<Group> m_groups;
    QList<QToolButton *> m_buttons; ///< by page
    QList<bool> m_offered;          ///< by page
    QList<int> m_lines;             ///< x of the lines between groups
    int m_current = -1;
};

} // namespace headscope
