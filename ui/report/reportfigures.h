#pragma once

#include "core/exporting/reportfolder.h"
#include "ui/exporting/exporter.h"

#include <vector>

namespace headscope {

/// A picture of a report: what the page says of it, and how it is painted (as in the window, on white).
struct ReportFigure
{
    ReportFigureCard card;
    ExportItem item;
};

/// All figures that the contents have numbers for: ablation grids, histograms (Figure 1), scatter (2), pruning curves
/// (3), curves kind by kind (4), over training (5), speed; what heads attend to, where partners lie, what source and
/// prefix contribute, the energy of projections.
std::vector<ReportFigure> reportFigures(const ReportContents &contents);

/// The figure as .svg, .pdf and, at 200 dpi, as .png. On the GUI thread only: charts are laid out by graphics scenes.
Result<std::vector<ReportFile>> paintFigure(const ReportFigure &figure);

} // namespace headscope
