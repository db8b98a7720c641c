#pragma once

#include "core/results/attentionresult.h"

#include <QPoint>
#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// One token, or one word made of several, along a side of the heat map.
struct AxisLabel
{
    QString text;
    bool special = false;
    bool continues = false;          ///< a piece that continues the word before it
    QString tag = {};                ///< part of speech, where there is a tree: "NOUN"
    std::vector<int> treeWords = {}; ///< words of the tree that it is (a part of)
    std::vector<int> tokens = {};    ///< places of its tokens in the attention map
    /// Whether both read the same, wherever their tokens are.
    bool operator==(const AxisLabel &other) const
    {
        return text == other.text && special == other.special && continues == other.continues && tag == other.tag
            && treeWords == other.treeWords;
    }
};

struct AttentionTableOptions
{
    bool joinWords = false;               ///< pieces of a word: sum over keys, mean over queries
    bool hideSpecial = false;             ///< leaves start, end and padding out; their mass is kept in hiddenMass
    std::optional<int> querySegment = {}; ///< only queries of the first (0) or second (1) text of a pair
    std::optional<int> keySegment = {};   ///< only such keys; the mass of the others is kept in hiddenMass
    /// Weights times the norms of their value vectors, divided by their sum (AttentionMap::valueNorms).
    bool normWeighted = false;
    bool withTree = false; ///< labels of source tokens include their part of speech
    bool operator==(const AttentionTableOptions &) const = default;
};

/// What a heat map shows: rows are queries, columns keys.
struct AttentionTable
{
    std::vector<AxisLabel> rows;
    std::vector<AxisLabel> columns;
    std::vector<double> weights;    ///< [rows, columns]; a row and its hiddenMass sum to 1
    std::vector<double> hiddenMass; ///< [rows]: attention to keys that are not shown

    double weight(std::size_t row, std::size_t column) const { return weights[row * columns.size() + column]; }
    bool empty() const { return rows.empty() || columns.empty(); }
    bool hidesKeys = false; ///< some key is left out: hiddenMass belongs in the picture
    bool operator==(const AttentionTable &) const = default;
};

/// A word-initial "▁" or "Ġ" is dropped, a lone "▁" becomes "␣", BERT's "##" becomes a continuation.
AxisLabel axisLabel(const TokenLabel &token);

/// Whether the map can be shown by norms.
bool hasValueNorms(const AttentionMap &map);
/// Labels that do not fit the map give an empty table; without norms weights are shown.
AttentionTable makeAttentionTable(const AttentionMap &map, const std::vector<TokenLabel> &queries,
                                  const std::vector<TokenLabel> &keys, const AttentionTableOptions &options);
/// The table of one head of a result; empty when it has no such map. `rollout` [queries, keys] stands in the place of
/// the head's weights (see attentionRollout()).
AttentionTable attentionTableOf(const AttentionResult &result, const HeadRef &head,
                                const AttentionTableOptions &options, const std::vector<float> *rollout = nullptr);
const AttentionMap *attentionMapOf(const AttentionResult &result, const HeadRef &head);

/// (column, row) of the cell that the weight from one token of the map to another is in; nothing where it is hidden.
std::optional<QPoint> cellOfTokens(const AttentionTable &table, int query, int key);

/// Queries down, keys across, C locale; a last column holds the hidden mass where there is any.
/// A line for every query and key, with the columns of the command `attention`: what is shown of the head, whose words
/// may be joined and whose special tokens may be hidden; the sum over hidden tokens is a key of its own, numbered −1.
/// `measure`: what weights are ("weights", "norm-shares", "rollout").
std::string attentionCsv(const AttentionTable &table, const HeadRef &head, const std::string &measure);

} // namespace headscope
