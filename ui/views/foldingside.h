#pragma once

#include "ui/views/foldchoice.h"

#include <QWidget>

class QSettings;
class QToolButton;

namespace headscope {

class ElidedLabel;
class FoldRail;

/// What stands beside a page's main picture or below it (settings, a list, further charts), and folds to a rail so that
/// the picture gets its room. Whether it is folded is remembered, apart for pages that are narrow (of one below the
/// picture: low), in which it is folded at first.
class FoldingSide final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FoldingSide)
public:
    enum class Edge { Left, Right, Bottom };
    /// Pages narrower than this are narrow: beside settings, and beside what is looked at together with the picture.
    static constexpr int kRoomForSettings = 1240;
    static constexpr int kRoomForViews = 900;
    static constexpr int kRoomBelow = 560; ///< pages lower than this are low, or narrower than kRoomForViews

    /// `name`: of the object, and in the settings. The content keeps its size, or has that of a splitter.
    FoldingSide(const QString &title, const QString &name, const QString &icon, Edge edge, QWidget *parent);

    /// Tabs have the button that folds them in their own row.
    void setContent(QWidget *content);
    FoldRail &rail() const { return *m_rail; }
    bool isFolded() const { return m_folded; }
    /// As the user wants it.
    void setFolded(bool folded);
    /// How wide its page has to be for both; of one below the picture, how high, too.
    void setRoomWanted(int wanted) { m_roomWanted = wanted; }
    /// Of one below the picture: how wide its page has to be, too.
    void setWidthWanted(int wanted) { m_widthWanted = wanted; }
    /// In a splitter: how wide, or high, it opens at first instead of as its content would like to be.
    void setUsualSize(int size) { m_usualSize = size; }
    void setPageSize(const QSize &page);
    /// What the rail says of what is inside.
    void setSummary(const QString &summary);
    /// Back to what it is at first.
    void forgetChoices();
    void restore(const QSettings &settings);
    void save(QSettings &settings) const;

Q_SIGNALS:
    void foldedChanged(bool folded);

protected:
    bool event(QEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void apply();
    void limitSize();
    void refreshBadge();

    bool isBelow() const { return m_edge == Edge::Bottom; }

    QString m_title;
    Edge m_edge;
    FoldRail *m_rail;
    QWidget *m_open; ///< title and content
    ElidedLabel *m_heading;
    QToolButton *m_fold;
    QWidget *m_content = nullptr;
    FoldChoice m_choice;
    int m_roomWanted = kRoomForSettings;
    int m_widthWanted = kRoomForViews;
    int m_usualSize = 0; ///< in a splitter, 0: that of its content
    int m_openSize = 0;  ///< in a splitter: its width, or height
    bool m_folded = false;
};

/// Opens or folds all that a page has: they fold if one is open.
void toggleSides(const QWidget &page);

} // namespace headscope
