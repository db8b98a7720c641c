#pragma once

#include "ui/delegates/headgridpainter.h"
#include "ui/exporting/exporter.h"
#include "ui/models/headgridmodel.h"
#include "ui/state/studystate.h"

#include <string>

namespace headscope {

/// The numbers of a grid, as the command that measures them writes them, of a difference as `compare` does. Of other
/// cells: one line per head, or per key group with its other heads under `together`.
std::string gridCsv(const GridContent &content, const HeadMask &mask);
/// What its file is called after: "Ablation Δ BLEU, in-domain"; a difference's measure says that it is one.
QString gridFile(const GridContent &content, DomainView view);
/// Picture and numbers of a grid as it is seen, without the manifest of what is seen.
ExportItem gridItem(const QString &name, const QString &caption, const GridPicture &picture);
/// Picture and numbers of a grid, for the exporter.
ExportItem gridExportItem(const StudyState &state, const HeadGridModel &model, const ColorScale &scale,
                          const GridOrder &order = {});

} // namespace headscope
