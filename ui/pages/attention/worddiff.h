#pragma once

#include "ui/heatmap/viewpalette.h"

#include <QList>
#include <QString>

namespace headscope {

enum class DiffKind { Same, Removed, Added };

struct DiffWord
{
    QString text;
    DiffKind kind = DiffKind::Same;
    bool operator==(const DiffWord &) const = default;
};

/// Words (white-space separated) of `before` and `after` along a longest common subsequence; at a change the
/// removed words come first.
QList<DiffWord> wordDiff(const QString &before, const QString &after);

/// Removed words struck through, added ones underlined and bold: not by colour alone.
QString diffHtml(const QList<DiffWord> &words, const ViewPalette &palette);

} // namespace headscope
