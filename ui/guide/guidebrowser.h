#pragma once

#include <QTextBrowser>
#include <QTimer>

namespace headscope {

/// Shows a page of the guide: pictures are as wide as the text at most, and links lead to headings too.
class GuideBrowser final : public QTextBrowser
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(GuideBrowser)
public:
    explicit GuideBrowser(QWidget *parent = nullptr);

    QVariant loadResource(int type, const QUrl &name) override;
    /// Selects the next match, or the previous one, and wraps around at the end. False: the page does not have it.
    bool findText(const QString &text, bool backward = false);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    /// With its margins. A table may be a pixel wider: Qt rounds the widths of its columns.
    int textWidth() const { return viewport()->width() - 1; }
    void scrollToHeading(const QString &anchor);
    void scalePictures();
    int topPosition() const; ///< of the document's text, at the upper edge
    void scrollToPosition(int position);

    QTimer m_scaleTimer; ///< resizing a window triggers one update
    int m_scaledTo = 0;  ///< the width that pictures were scaled to
};

} // namespace headscope
