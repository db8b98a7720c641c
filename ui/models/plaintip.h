#pragma once

#include <QString>
#include <QTextDocument>

namespace headscope {

/// A tool tip that shows `text` as it is. Qt takes what looks like HTML for HTML, and would load the images that it
/// names.
inline QString plainTip(const QString &text)
{
    return Qt::mightBeRichText(text) ? QStringLiteral("<qt>%1</qt>").arg(Qt::convertFromPlainText(text)) : text;
}

} // namespace headscope
