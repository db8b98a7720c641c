#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct HeadscopeSpmModel;

namespace headscope {

/// How a new SentencePiece model is learnt.
struct SentencePieceTraining
{
    std::int64_t size = 8000;     ///< pieces, fewer where the text has no more
    std::string type = "unigram"; ///< unigram, bpe
    std::string normalization = "nmt_nfkc";
    double coverage = 1.0; ///< share of the characters that get a piece
};

/// A SentencePiece model. The library behind it is loaded on first use from the module headscope_spm.so, which is
/// looked for beside the program, in ../lib/headscope and in the folder that HEADSCOPE_MODULES names. All const
/// functions may be called from several threads at once.
class SentencePiece
{
public:
    struct Piece
    {
        std::string text;
        int id = 0;
        std::size_t begin = 0; ///< bytes begin … end − 1 of the text, with the blank that a ▁ stands for
        std::size_t end = 0;
    };

    static Result<SentencePiece> load(const std::filesystem::path &file);
    /// Errors call it `name`.
    static Result<SentencePiece> fromBytes(std::string_view bytes, const std::string &name);

    /// Learns a model from sentences and returns its bytes. Equal sentences and settings give equal bytes. It cannot
    /// be interrupted. Errors: too little text, more characters than pieces.
    static Result<std::string> train(std::span<const std::string> sentences, const SentencePieceTraining &settings);

    std::int64_t pieceCount() const;
    /// Precondition: 0 ≤ id < pieceCount().
    std::string piece(int id) const;
    /// The unknown piece's id when there is no such piece.
    int idOf(std::string_view piece) const;
    std::vector<Piece> encode(std::string_view text) const;
    /// Pieces that are unknown to the model are kept as they are, with their ▁.
    std::string decode(std::span<const std::string> pieces) const;

private:
    explicit SentencePiece(std::shared_ptr<HeadscopeSpmModel> model) : m_model(std::move(model)) { }

    std::shared_ptr<HeadscopeSpmModel> m_model;
};

} // namespace headscope
