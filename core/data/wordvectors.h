#pragma once

#include "core/base/jobcontrol.h"
#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headscope {

/// Vectors of words, all of one width.
struct WordVectors
{
    std::int64_t width = 0;
    std::unordered_map<std::string, std::vector<float>> vectors;

    /// The vector of the word as it is written, else in small letters (A to Z); null: there is none.
    const std::vector<float> *find(std::string_view word) const;
};

/// Reads the vectors of `wanted` words, as they are written and in small letters, from GloVe's text format: a word and
/// its numbers in a line, separated by blanks; plain, .gz or .xz. The first of several lines of a word counts, and a
/// first line of two whole numbers (word2vec's: words and width) is passed over. A word may contain blanks (as in
/// glove.840B): the last numbers of a line are its vector. Errors name the line: another width than the first line's,
/// what is no finite number, invalid UTF-8; a file without vectors.
Result<WordVectors> readWordVectors(const std::filesystem::path &file, const std::set<std::string> &wanted,
                                    const JobControl &control = {});

} // namespace headscope
