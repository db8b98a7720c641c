#pragma once

#include "core/results/weightsresult.h"
#include "ui/charts/lineseries.h"
#include "ui/charts/matrixpainter.h"
#include "ui/models/gridcontent.h"

#include <QString>

#include <optional>
#include <vector>

namespace headscope {

enum class HeadCircuit { Ov, Qk };

/// What is said of pairs of heads by their weights: composition by an input of the later head, or the projection kernel
/// of what the earlier one writes and that input reads.
struct PairMeasure
{
    CompositionInput input = CompositionInput::Query;
    bool isKernel = false;

    bool operator==(const PairMeasure &) const = default;
};

/// "Q-composition", "Projection kernel of O and Q"
QString pairMeasureName(const PairMeasure &measure);
std::optional<double> pairValue(const WeightsResult &result, const HeadRef &receiver, const HeadRef &sender,
                                const PairMeasure &measure);
/// The upper end of what 95 % of random matrices have; nothing: no composition was computed.
std::optional<double> randomPairValue(const WeightsResult &result, const PairMeasure &measure);

/// Eigenvalues in the complex plane, a point each. `ofVocabulary`: of the map from tokens to tokens. Empty: there are
/// none.
LineSeries makeEigenvalueSeries(const CircuitNumbers &circuit, bool ofVocabulary);
/// Singular values in descending order, as shares of the largest: of OV and of QK.
LineSeries makeSingularValueSeries(const HeadWeightNumbers &head);
/// All pairs in the order of the heads; those of which neither reads the other have no value.
MatrixSeries makeMatrixSeries(const WeightsResult &result, const PairMeasure &measure);
/// The largest values above random matrices', the largest first. `of`: only pairs with this head.
std::vector<HeadLink> makeLinks(const WeightsResult &result, const PairMeasure &measure,
                                const std::optional<HeadRef> &of);

} // namespace headscope
