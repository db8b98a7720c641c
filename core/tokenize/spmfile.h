#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

/// The parts of a SentencePiece model, for tokenizers that do without the library.
struct SpmFile
{
    enum Type { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };
    struct Piece
    {
        std::string text;
        float score = 0;
        std::uint64_t type = Normal;
    };

    enum Model { Unigram = 1, Bpe = 2 }; ///< others are not used by any family

    std::vector<Piece> pieces;
    std::uint64_t model = Unigram;
    std::string charsMap; ///< empty: the text stays as it is
};

/// Errors: missing or damaged files (as checkSentencePieceModel finds them).
Result<SpmFile> readSpmFile(const std::filesystem::path &path);

} // namespace headscope
