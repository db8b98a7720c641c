#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

/// Byte pair encoding of words by merges of characters (Sennrich et al. 2016), as subword-nmt (versions 0.1 and 0.2 of
/// its files) and fastBPE apply it.
class SubwordCodes
{
public:
    /// Lines "a b", the most frequent pair first, after "#version: 0.2" where it says so; fastBPE's have a number
    /// behind. Errors: other lines, no UTF-8.
    static Result<SubwordCodes> open(const std::filesystem::path &file);

    /// The pieces of a word, without marks of continuation: together they are the word. Precondition: UTF-8.
    std::vector<std::string> pieces(std::string_view word) const;

    std::size_t size() const { return m_ranks.size(); }

private:
    std::map<std::pair<std::string, std::string>, std::size_t> m_ranks;
    bool m_endApart = false; ///< version 0.1: the end of a word is a symbol of its own at first
};

} // namespace headscope
