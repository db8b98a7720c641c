#pragma once

#include "core/base/headref.h"
#include "core/base/result.h"
#include "core/train/trainingconfig.h"

#include <QString>

#include <optional>
#include <vector>

/// Experiments: several runs that differ in one thing, in folders of the form's output folder that are named as
/// `headscope-cli train` and `l0` name them, so that either goes on with what the other began.
namespace headscope {

/// What the runs of an experiment differ in.
enum class Varied {
    Heads,       ///< numbers of heads, at equal width (Vaswani et al. 2017, Table 3 A)
    Beginning,   ///< heads of a layer begin differently or identically
    SharedWidth, ///< columns of query and key projections, which heads share or divide among them (Cordonnier et al.
                 ///< 2020): of new models, or of the starting model before and after it is trained further
    Scratch, ///< the starting model without the masked heads, fine-tuned and from scratch (Voita et al. 2019, Table 2)
    Lambda,  ///< the weight of the penalty of L0 gates (Voita et al. 2019, Figure 7)
};

/// One of its runs.
struct ExperimentRun
{
    QString name;                ///< of its folder in the output folder
    TrainingConfig config;       ///< `output` is that folder
    std::optional<double> value; ///< the number that is varied; none: it is no number
    QString line;                ///< runs that belong together: "collaborative"
};

/// Whether the runs are told apart by numbers that are typed.
bool hasValues(Varied varied);
/// Usual ones for the form's model: "1,2,4,8".
QString usualValues(Varied varied, const TrainingConfig &base);
/// The runs of `base` with these values ("1,4,8"; of beginnings and from scratch there are none). `mask`: heads that
/// are removed from the starting model. Errors say which value does not fit, and what the form must say.
Result<std::vector<ExperimentRun>> experimentRuns(Varied varied, const TrainingConfig &base, const QString &values,
                                                  const HeadMask &mask);

} // namespace headscope
