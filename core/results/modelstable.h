#pragma once

#include "core/results/anyresult.h"
#include "core/results/json.h"
#include "core/results/pruningresult.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

/// The candidates that are left when as many heads are gone as can go for less than `margin` of the full
/// model's score (removableHeads()). None: it cannot be told.
std::optional<std::int64_t> headsNeeded(const PruningResult &result, const PruningCurve &curve, double margin);

/// A line of the table: what the results of a model on a data set come to.
struct ModelsRow
{
    std::string model;
    std::string data;
    std::string metric{};
    std::optional<double> score{};        ///< of the full model
    std::optional<std::int64_t> heads{};  ///< that could be removed
    std::optional<std::int64_t> needed{}; ///< for 99 % of the score (headsNeeded()), by the order that needs fewest
    std::string order{};                  ///< that one
    std::optional<double> r{}; ///< of deltas without single heads (else importance) with those on its first data set
    std::string rWith{};       ///< that one
    std::optional<double> rAllButOne{};          ///< the same of the sweep that keeps single heads
    std::map<std::string, std::int64_t> roles{}; ///< heads by their first supported role
    std::int64_t done = 0;                       ///< analyses
    std::int64_t planned = 0;
};

/// Gathers the rows, a result at a time, in the order in which they come.
class ModelsTable
{
public:
    /// The analysis of this number is planned for them, or was made; `result`: what it came to, if it is done and of a
    /// kind that can be read. Results of the same number can be compared.
    void add(const std::string &model, const std::string &data, std::size_t analysis, bool isDone,
             const AnyResult *result);
    const std::vector<ModelsRow> &rows() const { return m_rows; }
    std::string tsv() const;
    Json json() const;

private:
    ModelsRow &rowOf(const std::string &model, const std::string &data);

    std::vector<ModelsRow> m_rows;
    /// The first result of a model and an analysis, which later data sets are compared with.
    std::map<std::pair<std::string, std::size_t>, std::pair<std::string, AnyResult>> m_first;
};

/// "positional 2, rare 1"
std::string rolesText(const std::map<std::string, std::int64_t> &roles);

} // namespace headscope
