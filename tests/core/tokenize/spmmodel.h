#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::testing {

/// Writes SentencePiece models by hand: the few parts of a ModelProto that the tests need.
enum class PieceType { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };

struct SpmPiece
{
    std::string text;
    float score = 0;
    PieceType type = PieceType::Normal;
};

struct SpmModel
{
    std::vector<SpmPiece> pieces;
    int modelType = 1; ///< 1 unigram, 2 BPE
    bool byteFallback = false;
    bool dummyPrefix = true;
    std::string charsMap;
};

inline std::string varint(std::uint64_t value)
{
    std::string bytes;
    for (; value >= 0x80; value >>= 7)
        bytes += static_cast<char>(value | 0x80);
    return bytes += static_cast<char>(value);
}

inline std::string numberField(int field, std::uint64_t value)
{
    return varint(static_cast<std::uint64_t>(field) << 3) + varint(value);
}

inline std::string bytesField(int field, std::string_view bytes)
{
    return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}

inline std::string floatField(int field, float value)
{
    std::string bytes = varint(static_cast<std::uint64_t>(field) << 3 | 5);
    bytes.resize(bytes.size() + 4);
    std::memcpy(bytes.data() + bytes.size() - 4, &value, 4);
    return bytes;
}

inline std::string serialize(const SpmModel &model)
{
    std::string bytes;
    for (const SpmPiece &piece : model.pieces)
        bytes += bytesField(1, bytesField(1, piece.text) + floatField(2, piece.score)
                                   + numberField(3, static_cast<std::uint64_t>(piece.type)));
    bytes += bytesField(2, numberField(3, static_cast<std::uint64_t>(model.modelType))
                               + numberField(35, model.byteFallback));
    return bytes
        += bytesField(3, bytesField(1, "identity") + (model.charsMap.empty() ? "" : bytesField(2, model.charsMap))
                             + numberField(3, model.dummyPrefix));
}

/// <unk> <s> </s>, then these with falling scores.
inline SpmModel smallModel(const std::vector<std::string> &texts)
{
    SpmModel model;
    model.pieces = {{"<unk>", 0, PieceType::Unknown}, {"<s>", 0, PieceType::Control}, {"</s>", 0, PieceType::Control}};
    float score = -1;
    for (const std::string &text : texts)
        model.pieces.push_back({text, score -= 0.5f, PieceType::Normal});
    return model;
}

} // namespace headscope::testing
