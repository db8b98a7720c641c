#pragma once

#include "core/model/loadmodel.h"
#include "core/model/prunedcard.h"
#include "core/model/removeheads.h"

#include <filesystem>
#include <string>

namespace headscope {

/// A description of the model without the heads of `mask`, and who could open it. Throws Failure (usage) for a head
/// that is not there.
PrunedCard prunedCard(const LoadedModel &model, const HeadMask &mask);

struct PrunedExport
{
    HeadMask mask;
    ExportForm form = ExportForm::Full;
    MeanContexts means{};    ///< bias compensation (removeHeads); empty: none
    std::string reference{}; ///< the data set that the means were taken over, for heads.json
};

/// Writes the model folder once more without the heads of `mask` (the guide's numbers.md, Removed heads).
/// Small: without their rows and columns; config.json names them ("pruned_heads", prunedheads.h). Of families that
/// transformers can prune, a layer that has lost all heads keeps one, of zeros, which adds nothing beside the bias:
/// transformers cannot run a layer without heads (4.57: "cannot reshape tensor of 0 elements"). heads.json names it.
/// Full: in the shape of the unpruned model, heads that were removed before included, so that every library loads it;
/// silenced heads have zeros in their columns of the output projection.
/// Tensors keep their dtype; all other files are copied; `heads.json` lists the heads that are gone and says who can
/// open the folder. It appears whole or not at all. Errors: a target that is not empty, a head that is not there, an
/// unwritable folder.
Result<PrunedCard> exportPruned(const LoadedModel &model, const std::filesystem::path &source, const PrunedExport &what,
                                const std::filesystem::path &target, const JobControl &control);

} // namespace headscope
