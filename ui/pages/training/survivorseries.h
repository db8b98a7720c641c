#pragma once

#include "core/results/roles.h"
#include "core/session/training.h"
#include "ui/charts/lineseries.h"

#include <QString>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// What runs with gates leave open, made from their reports: numbers and texts only.
namespace headscope {

/// The mask that gates have decided on, and the score under it.
struct GateStage
{
    QString run;  ///< its folder's name
    QString name; ///< "epoch 3", or the run where it is its end
    HeadMask closed;
    std::optional<double> score;
    QString metric;
};

/// Of every epoch of a run that was measured with its gates.
std::vector<GateStage> stagesOf(const TrainingReport &report);
/// The last of each run: a sweep over weights of the penalty, or over numbers of heads.
std::vector<GateStage> endsOf(const std::vector<std::shared_ptr<const TrainingRun>> &runs);

/// Score over the heads that are left (Voita et al. 2019, Figure 7): the epochs of this run, and the ends of several.
LineSeries makeScoreByHeads(const HeadLayout &gated, const std::vector<GateStage> &epochs,
                            const std::vector<GateStage> &ends);
/// How many heads of each kind are open, over those that are left (Figure 9). Of ends where there are several runs,
/// else of epochs; as the next two.
LineSeries makeOpenKinds(const HeadLayout &gated, const std::vector<GateStage> &stages);
/// How many heads of each layer of a kind are open (Figure 10).
LineSeries makeOpenLayers(const HeadLayout &gated, const std::vector<GateStage> &stages, HeadKind kind);
/// How many heads of each role are open (Figure 8). `assigned`: of the model that gates were given to.
LineSeries makeOpenRoles(const HeadLayout &gated, const std::vector<GateStage> &stages,
                         const std::vector<HeadRoles> &assigned);
/// One line per stage and head. `assigned`: roles, may be empty.
std::string survivorsCsv(const HeadLayout &gated, const std::vector<GateStage> &stages,
                         const std::vector<HeadRoles> &assigned);

/// Densities of gates at one of a report's points (Figure 6): a thin line for each, and thicker ones for the gate that
/// is nearest to closed, to undecided and to open, with their probabilities of being 0 and 1. Of L0 gates.
LineSeries makeGateDensities(const TrainingReport &report, std::size_t point);
/// One line per gate and place.
std::string gateDensitiesCsv(const TrainingReport &report, std::size_t point);
/// How many heads are open when it is decided, φ ≥ 0, at one of a report's points. Of L0 gates.
std::size_t decidedOpen(const TrainingPoint &point);

} // namespace headscope
