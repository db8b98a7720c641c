#pragma once

#include "core/base/headref.h"
#include "ui/state/studystate.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace headscope {

/// Heads that a text names, and what else it says.
struct NamedHeads
{
    std::vector<HeadRef> heads; ///< of the model, in its order; empty: it names none
    QString rest;
};

/// "encoder.2.6" is one head, "2.6" or "L2H6" one of every kind of attention that has it. The first address counts.
NamedHeads namedHeads(const QString &text, const HeadLayout &layout);

/// All that is known of each of these heads on the data that are shown: "Ablation Δ BLEU −0.41 [−0.8, 0.0], Importance
/// 0.12, role positional"; that nothing is, where nothing is.
QStringList headAnswers(const StudyState &state, const std::vector<HeadRef> &heads);

} // namespace headscope
