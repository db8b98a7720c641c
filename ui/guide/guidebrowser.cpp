#include "ui/guide/guidebrowser.h"

#include "ui/guide/guidefiles.h"

#include <QImage>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>

namespace headscope {

namespace {
constexpr int kScaleDelayMs = 80;
constexpr double kMargin = 14;
} // namespace

GuideBrowser::GuideBrowser(QWidget *parent) : QTextBrowser(parent)
{
    setOpenExternalLinks(true);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn); // else its coming and going would change the pictures
    setLineWrapMode(QTextEdit::FixedPixelWidth);       // of textWidth()
    document()->setDocumentMargin(kMargin);
    m_scaleTimer.setSingleShot(true);
    m_scaleTimer.setInterval(kScaleDelayMs);
    connect(&m_scaleTimer, &QTimer::timeout, this, &GuideBrowser::scalePictures);
    connect(this, &QTextBrowser::sourceChanged, this, [this](const QUrl &url) { scrollToHeading(url.fragment()); });
}

QVariant GuideBrowser::loadResource(int type, const QUrl &name)
{
    const QVariant data = QTextBrowser::loadResource(type, name);
    if (type != QTextDocument::ImageResource)
        return data;
    m_scaledTo = textWidth();
    QImage picture = QImage::fromData(data.toByteArray());
    const double ratio = devicePixelRatioF();
    const int width = static_cast<int>((m_scaledTo - 2 * kMargin) * ratio);
    if (picture.width() > width && width > 0)
        picture = picture.scaledToWidth(width, Qt::SmoothTransformation);
    picture.setDevicePixelRatio(ratio);
    return picture;
}

bool GuideBrowser::findText(const QString &text, bool backward)
{
    const QTextDocument::FindFlags direction = backward ? QTextDocument::FindBackward : QTextDocument::FindFlag(0);
    if (text.isEmpty() || find(text, direction))
        return true;
    const QTextCursor before = textCursor();
    moveCursor(backward ? QTextCursor::End : QTextCursor::Start);
    if (find(text, direction))
        return true;
    setTextCursor(before);
    return false;
}

/// Keeps the line at the top of the view.
void GuideBrowser::resizeEvent(QResizeEvent *event)
{
    const int top = topPosition();
    setLineWrapColumnOrWidth(textWidth());
    QTextBrowser::resizeEvent(event);
    scrollToPosition(top);
    if (m_scaledTo != 0 && textWidth() != m_scaledTo)
        m_scaleTimer.start();
}

/// Qt's reader of Markdown gives headings no anchors.
void GuideBrowser::scrollToHeading(const QString &anchor)
{
    for (QTextBlock block = document()->begin(); !anchor.isEmpty() && block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() == 0 || headingAnchor(block.text()) != anchor)
            continue;
        scrollToPosition(block.position());
        return;
    }
}

/// The page anew, by loadResource(), with the same line on top.
void GuideBrowser::scalePictures()
{
    const int top = topPosition();
    reload();
    scrollToPosition(top);
}

int GuideBrowser::topPosition() const
{
    return cursorForPosition({0, 0}).position();
}

void GuideBrowser::scrollToPosition(int position)
{
    (void)document()->size(); // what lies below is laid out now, else the scroll bar would end too early
    QTextCursor cursor(document());
    cursor.setPosition(position);
    const int above = position == 0 ? static_cast<int>(kMargin) : 0;
    verticalScrollBar()->setValue(verticalScrollBar()->value() + cursorRect(cursor).top() - above);
}

} // namespace headscope
