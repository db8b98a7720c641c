#pragma once

#include "core/model/loadmodel.h"
#include "core/model/transformer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// What goldens of Hugging Face's have in common: folders with a golden.json, rows of ids, numbers to compare.
namespace headscope::testing {

/// Folders of tests/goldens/<collection> in the order of their names.
std::vector<std::filesystem::path> goldenFolders(const std::string &collection);
/// A copy of the folder `name` among `folders`, at `target`: it may be spoilt.
std::filesystem::path copyOf(const std::string &name, const std::vector<std::filesystem::path> &folders,
                             const std::filesystem::path &target);

/// What is in a folder, into another that may be there.
void copyInto(const std::filesystem::path &from, const std::filesystem::path &to);

/// In float32. Throws Failure.
LoadedModel loadGolden(const std::filesystem::path &folder);
/// Why a folder is not opened.
std::string refusal(const std::filesystem::path &folder);

/// Numbers of a list, in double.
torch::Tensor numbers(const nlohmann::json &values);

/// Of a language model, for the text of a golden with one ("ids"): [T, V], double.
torch::Tensor logitsOfText(const LoadedModel &loaded, const nlohmann::json &golden);
/// "logits" of such a golden.
torch::Tensor logitsIn(const nlohmann::json &golden);
/// The largest difference, in proportion to the largest number of `b`, at least 1.
double relativeDistance(const torch::Tensor &a, const torch::Tensor &b);

/// Rows with `ids` and `types` as one padded batch. Rows without types get zeros when others have some.
template<typename Row>
TokenBatch batchOf(const std::vector<Row> &rows, std::int64_t padId)
{
    std::vector<std::vector<std::int64_t>> ids, types;
    for (const Row &row : rows) {
        ids.push_back(row.ids);
        types.push_back(row.types.empty() ? std::vector<std::int64_t>(row.ids.size(), 0) : row.types);
    }
    TokenBatch batch = TokenBatch::pad(ids, padId, torch::kCPU);
    if (std::ranges::any_of(rows, [](const Row &row) { return !row.types.empty(); }))
        batch.typeIds = TokenBatch::pad(types, 0, torch::kCPU).ids;
    return batch;
}

/// Remembers the largest difference of every kind, for the report at the end of a test.
class LargestDifferences
{
public:
    /// True if all of `ours` are within `tolerance` of `theirs`, which have the same number of values.
    bool within(double tolerance, const std::string &what, const std::string &where, const torch::Tensor &ours,
                const torch::Tensor &theirs);
    /// One line for each kind, with the place of the largest difference.
    std::string report() const;
    /// What the last failed comparison found.
    const std::string &failure() const { return m_failure; }

private:
    std::map<std::string, std::pair<double, std::string>> m_largest;
    std::string m_failure;
};

} // namespace headscope::testing
