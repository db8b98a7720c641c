#pragma once

#include "core/base/jobcontrol.h"
#include "core/tokenize/tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace headscope {

/// A word of the source and one of the target that translate each other; words are separated by blanks, from 0.
struct AlignedWords
{
    int source = 0;
    int target = 0;
    bool sure = true; ///< else possible: annotators did not agree
};
using WordAlignment = std::vector<AlignedWords>;

/// One sentence pair a line, "0-0 1-2 3?3": source-target, ? (or p between the numbers) where the link is only
/// possible. Errors name the line.
Result<std::vector<WordAlignment>> readAlignments(const std::filesystem::path &file, const JobControl &control);

/// Counts for the alignment error rate 1 − (|A∩S| + |A∩P|) / (|A| + |S|), S ⊆ P (Och and Ney 2003).
struct AlignmentCounts
{
    std::int64_t links = 0;      ///< |A|
    std::int64_t sure = 0;       ///< |S|
    std::int64_t inSure = 0;     ///< |A∩S|
    std::int64_t inPossible = 0; ///< |A∩P|

    void add(const AlignmentCounts &other);
    double errorRate() const; ///< 0 … 1; 1 where there is nothing
};

/// Links every target word to the source word of the largest weight: the mean over the word's rows of the sum over
/// the source word's pieces. `weights` [T, S] of one head; `rowsOfWord`: rows of the map that stand for each target
/// word; `piecesOfWord`: columns of each source word. Target words without a row get no link.
AlignmentCounts alignmentCounts(const float *weights, std::int64_t keys,
                                const std::vector<std::vector<int>> &rowsOfWord,
                                const std::vector<std::vector<int>> &piecesOfWord, const WordAlignment &gold);

} // namespace headscope
