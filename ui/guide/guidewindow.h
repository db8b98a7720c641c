#pragma once

#include <QMainWindow>
#include <QString>

class QLineEdit;
class QTextBrowser;
class QTreeWidget;

namespace headscope {

class GuideBrowser;

/// The user guide in a window of its own, beside the others: contents on the left, a page on the right.
class GuideWindow final : public QMainWindow
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(GuideWindow)
public:
    explicit GuideWindow(QWidget *parent = nullptr);

    /// "heads.md", or a heading of it: "heads.md#the-grid".
    void showPage(const QString &page);
    QString currentPage() const; ///< without a heading; empty: the guide is missing
    QTextBrowser &browser();
    QTreeWidget &contents() { return *m_contents; }
    QLineEdit &findEdit() { return *m_find; }

    /// Keeps its size and place in the settings.
    void useSettings();

protected:
    void closeEvent(QCloseEvent *event) override;

private:
    void setupToolBar();
    void fillContents();
    void markInContents();

    QString m_folder; ///< empty: the guide is missing
    bool m_settings = false;
    QTreeWidget *m_contents = nullptr;
    GuideBrowser *m_browser = nullptr;
    QLineEdit *m_find = nullptr;
};

} // namespace headscope
