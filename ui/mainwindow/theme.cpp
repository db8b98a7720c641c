#include "ui/mainwindow/theme.h"

#include "ui/heatmap/viewpalette.h"

#include <QApplication>
#include <QPalette>
#include <QSettings>
#include <QStyle>
#include <QStyleFactory>

namespace headscope {

namespace {
QPalette lightPalette()
{
    const ViewPalette &view = ViewPalette::light();
    QPalette palette(QColor(0xf2, 0xf3, 0xf5), QColor(0xf2, 0xf3, 0xf5));
    palette.setColor(QPalette::Base, view.paper);
    palette.setColor(QPalette::AlternateBase, QColor(0xf4, 0xf6, 0xf9));
    palette.setColor(QPalette::WindowText, view.ink);
    palette.setColor(QPalette::Text, view.ink);
    palette.setColor(QPalette::ButtonText, view.ink);
    palette.setColor(QPalette::PlaceholderText, view.muted);
    palette.setColor(QPalette::ToolTipBase, view.paper);
    palette.setColor(QPalette::ToolTipText, view.ink);
    palette.setColor(QPalette::Highlight, view.accent);
    palette.setColor(QPalette::HighlightedText, readableOn(view.accent));
    palette.setColor(QPalette::Link, view.accent);
    palette.setColor(QPalette::LinkVisited, view.accent);
    return palette;
}

QPalette darkPalette()
{
    const ViewPalette &view = ViewPalette::dark();
    QPalette palette(QColor(0x34, 0x38, 0x40), QColor(0x2a, 0x2d, 0x33));
    palette.setColor(QPalette::Base, view.paper);
    palette.setColor(QPalette::AlternateBase, view.paper.lighter(112));
    palette.setColor(QPalette::WindowText, view.ink);
    palette.setColor(QPalette::Text, view.ink);
    palette.setColor(QPalette::ButtonText, view.ink);
    palette.setColor(QPalette::BrightText, Qt::white);
    palette.setColor(QPalette::PlaceholderText, view.muted);
    palette.setColor(QPalette::ToolTipBase, QColor(0x3a, 0x3f, 0x47));
    palette.setColor(QPalette::ToolTipText, view.ink);
    palette.setColor(QPalette::Highlight, view.accent);
    palette.setColor(QPalette::HighlightedText, readableOn(view.accent));
    palette.setColor(QPalette::Link, view.accent);
    palette.setColor(QPalette::LinkVisited, view.accent);
    return palette;
}

void disableColours(QPalette &palette)
{
    const QColor faded = palette.color(QPalette::PlaceholderText);
    for (const auto role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, faded);
}
} // namespace

void applyTheme(Theme theme)
{
    static const QString desktopStyle = QApplication::style()->objectName();
    if (theme == Theme::System) {
        if (QApplication::style()->objectName() != desktopStyle)
            QApplication::setStyle(QStyleFactory::create(desktopStyle));
        QApplication::setPalette(QPalette());
        return;
    }
    // Desktop styles may paint with their own colours; Fusion takes all of them from the palette.
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QPalette palette = theme == Theme::Light ? lightPalette() : darkPalette();
    disableColours(palette);
    QApplication::setPalette(palette);
}

Theme savedTheme()
{
    const QString name = QSettings().value(QStringLiteral("theme")).toString();
    return name == QLatin1String("light") ? Theme::Light : name == QLatin1String("dark") ? Theme::Dark : Theme::System;
}

void saveTheme(Theme theme)
{
    QSettings().setValue(QStringLiteral("theme"), theme == Theme::Light ? QStringLiteral("light")
                             : theme == Theme::Dark                     ? QStringLiteral("dark")
                                                                        : QStringLiteral("system"));
}

} // namespace headscope
