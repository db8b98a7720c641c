#pragma once

#include "core/base/problemtype.h"
#include "core/data/dataset.h"

#include <string>
#include <vector>

namespace headscope {

/// How the labels of a data set are read as classes of a model.
struct LabelReading
{
    /// The classes that are told apart: the model's labels, or the data's where several model labels count as one.
    std::vector<std::string> classes;
    /// Per class the model labels that mean it, at least one; no model label belongs to two classes.
    std::vector<std::vector<int>> modelLabels;
    /// Per example the right classes, ascending: one; any number when multi-label; none when it has no label.
    std::vector<std::vector<int>> exampleClasses;
    std::vector<double> exampleValues; ///< regression, where known
    std::vector<std::string> warnings;
    bool known = false; ///< the data have labels at all

    bool operator==(const LabelReading &) const = default;
};

/// Reads labels by origin.labelMap, by the model's names (in any case of letters), as LABEL_k and as numbers from 0 on;
/// -1 is no label. Several labels: separated by , ; or |, a JSON list, or as many zeros and ones as the model has
/// labels. Entailment against all else, as HANS and RTE have it, is understood by a model of three labels (McCoy et
/// al. 2019). `modelLabels`: id2label in order. Errors name the first label that cannot be read, and its row.
Result<LabelReading> readLabels(const Dataset &dataset, ProblemType problem,
                                const std::vector<std::string> &modelLabels);

} // namespace headscope
