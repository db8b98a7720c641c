#pragma once

#include <QDir>
#include <QPixmap>
#include <QWidget>

namespace headscope {

/// Keeps what a widget looks like as NAME.png in the folder $HEADSCOPE_PICTURES, for people to look at.
/// Does nothing when the variable is not set.
inline void keepPicture(QWidget &widget, const QString &name)
{
    const QString folder = qEnvironmentVariable("HEADSCOPE_PICTURES");
    if (!folder.isEmpty())
        widget.grab().save(QDir(folder).filePath(name + QStringLiteral(".png")));
}

/// A palette as dark desktops have it.
inline QPalette darkPalette()
{
    QPalette palette(QColor(0x2b, 0x2f, 0x36), QColor(0x24, 0x28, 0x2e));
    palette.setColor(QPalette::Base, QColor(0x1c, 0x1f, 0x24));
    palette.setColor(QPalette::Text, QColor(0xe8, 0xea, 0xed));
    palette.setColor(QPalette::WindowText, QColor(0xe8, 0xea, 0xed));
    palette.setColor(QPalette::ButtonText, QColor(0xe8, 0xea, 0xed));
    palette.setColor(QPalette::PlaceholderText, QColor(0x9a, 0xa3, 0xad));
    palette.setColor(QPalette::Highlight, QColor(0x3a, 0x6f, 0xc4));
    palette.setColor(QPalette::HighlightedText, Qt::white);
    for (QPalette::ColorRole role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, QColor(0x75, 0x7d, 0x87));
    return palette;
}

} // namespace headscope
