#pragma once

#include "core/results/pathsresult.h"
#include "ui/charts/matrixpainter.h"
#include "ui/models/gridcontent.h"

#include <QString>

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace headscope {

/// "query", "key", …
QString pathInputName(PathInput input);
/// "Q", "K", "V"; null for what is none of them
QChar pathInputLetter(PathInput input);
/// "decoder.1.3", "decoder.1.2–3" of heads that share a key or value, "output"
QString receiverName(const PathEffect &path);

/// Sender and receivers.
std::set<HeadRef> headsOf(const PathEffect &path);
/// Whether it is told apart from none. What gradients estimate never is: a screen, which can be wrong.
bool isSignificant(const PathEffect &path, const Significance &by);

/// Which paths are shown.
struct PathsShown
{
    std::optional<PathInput> input{};      ///< of the receiver; nothing: all
    std::optional<std::set<HeadRef>> of{}; ///< only paths that begin or end at one of them; nothing: all
    bool onlySignificant = true;           ///< by the significance that is given along
    std::size_t most = 60;                 ///< arrows: the strongest

    bool includes(const PathEffect &path, const Significance &by) const;
};

/// The effect of the direct path from every head to the output, and arrows of the strongest paths between heads.
GridContent pathsContent(const HeadLayout &layout, const PathsResult &result, const PathsShown &shown,
                         const Significance &by);
/// Effects of the paths to one input of all pairs, in the order of the heads. Empty: there are none.
MatrixSeries makeMatrixSeries(const PathsResult &result, const HeadLayout &layout, PathInput input);

} // namespace headscope
