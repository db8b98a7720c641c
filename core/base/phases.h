#pragma once

#include "core/base/phase.h"

#include <array>

/// The phases that are no analysis's own. All phases together: allPhases() (analysis/allphases.h).
namespace headscope {

inline constexpr Phase kPhaseOther{"%1"}; ///< of another version, which has phases that are not known here

// models and data
inline constexpr Phase kPhaseReadingMuch{"reading weights: %1 of memory"};
inline constexpr Phase kPhaseReading{"reading weights"};
inline constexpr Phase kPhaseChecking{"checking weights"};
inline constexpr Phase kPhaseTexts{"loading texts"};
inline constexpr Phase kPhaseTokens{"counting tokens"};
inline constexpr Phase kPhaseResults{"reading results"};
inline constexpr Phase kPhaseMaps{"attention maps"};
// training
inline constexpr Phase kPhaseTrainingData{"reading training data"};
inline constexpr Phase kPhaseVocabulary{"learning the vocabulary"};
inline constexpr Phase kPhaseEpochLoss{"training, epoch %1 of %2, loss %3, %4 tokens/s"}; ///< before the next: longer
inline constexpr Phase kPhaseEpoch{"training, epoch %1 of %2"};
inline constexpr Phase kPhaseValidating{"validating"};
// files
inline constexpr Phase kPhasePacking{"packing"};
inline constexpr Phase kPhaseUnpacking{"unpacking"};
inline constexpr Phase kPhaseWriting{"writing"};
inline constexpr Phase kPhaseFigures{"painting figures"};
inline constexpr Phase kPhaseReport{"report, %1, %2"}; ///< part and data set
// other machines
inline constexpr Phase kPhaseConnecting{"connecting to %1"};
inline constexpr Phase kPhaseWaiting{"waiting for %1, which cannot be reached"};
inline constexpr Phase kPhaseShards{"%1 shards on the cluster"};
inline constexpr Phase kPhaseCollecting{"result on the cluster"};
// shared by analyses
inline constexpr Phase kPhaseScore{"evaluating", MaskCost::Whole};
inline constexpr Phase kPhaseGradients{"gradients"};
inline constexpr Phase kPhaseSharing{"sharing projections: width %1"};
/// A note: the blocks of a sweep can no longer be kept.
inline constexpr Phase kPhaseNotKept{"cannot be kept: no room on the disk"};

/// All but kPhaseOther. Longer patterns stand before those that they begin with.
inline constexpr std::array kCommonPhases{
    kPhaseReadingMuch, kPhaseReading,    kPhaseChecking,     kPhaseTexts,      kPhaseTokens,
    kPhaseResults,     kPhaseMaps,       kPhaseTrainingData, kPhaseVocabulary, kPhaseEpochLoss,
    kPhaseEpoch,       kPhaseValidating, kPhasePacking,      kPhaseUnpacking,  kPhaseWriting,
    kPhaseFigures,     kPhaseReport,     kPhaseConnecting,   kPhaseWaiting,    kPhaseShards,
    kPhaseCollecting,  kPhaseScore,      kPhaseGradients,    kPhaseSharing,    kPhaseNotKept};

} // namespace headscope
