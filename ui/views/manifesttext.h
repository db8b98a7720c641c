#pragma once

#include "core/results/manifest.h"
#include "ui/state/studystate.h"

#include <QString>

#include <string>
#include <vector>

namespace headscope {

/// Manifests as the JSON text that lies beside an export: one object, or a list of several. Null ones are left out;
/// empty text when nothing remains.
/// A result that `state` shows and that is outdated has a list "stale": what has changed since. Where one depends on a
/// second data set that is no longer the one in the other slot, "note" says so: it is not wrong for that.
/// "command" is commandText() of such a result.
std::string manifestsText(const StudyState &state, const std::vector<const Manifest *> &manifests);

/// The command line that computes a result of `domain` again, wherever it is run: absolute paths of the model and data
/// that are open.
QString commandText(const StudyState &state, Domain domain, const Manifest &manifest);

} // namespace headscope
