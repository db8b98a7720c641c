#include "core/tokenize/spmpipeline.h"

#include "core/tokenize/spmfile.h"
#include "core/tokenize/spmmerges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

/// Pieces with their scores, as a Unigram model has them.
nlohmann::json scoredPieces(const SpmFile &file, const SpmLayout &layout)
{
    nlohmann::json pieces = nlohmann::json::array();
    for (const auto &[piece, score] : layout.front)
        pieces.push_back({piece, score});
    for (std::size_t i = layout.skipped; i < file.pieces.size(); ++i)
        pieces.push_back({file.pieces[i].text, static_cast<double>(file.pieces[i].score)});
    for (const std::string &piece : layout.back)
        pieces.push_back({piece, 0.0});
    return pieces;
}

nlohmann::json normalizer(const SpmFile &file)
{
    nlohmann::json steps = nlohmann::json::array();
    if (!file.charsMap.empty()) {
        const std::vector<std::uint8_t> bytes(file.charsMap.begin(), file.charsMap.end());
        steps.push_back({{"type", "Precompiled"}, {"precompiled_charsmap", nlohmann::json::binary(bytes)}});
    }
    steps.push_back({{"type", "Strip"}, {"strip_left", false}, {"strip_right", true}});
    steps.push_back({{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", "\u2581"}});
    return {{"type", "Sequence"}, {"normalizers", std::move(steps)}};
}

nlohmann::json idsByPiece(const nlohmann::json &pieces)
{
    nlohmann::json ids = nlohmann::json::object();
    for (std::size_t id = 0; id < pieces.size(); ++id)
        ids[pieces[id][0].get_ref<const std::string &>()] = id;
    return ids;
}

/// The family's own unknown piece, or else the model's.
std::uint64_t unknownId(const SpmFile &file, const SpmLayout &layout)
{
    const auto own = std::ranges::find(layout.front, "<unk>", &std::pair<std::string, double>::first);
    if (own != layout.front.end())
        return static_cast<std::uint64_t>(own - layout.front.begin());
    const auto unknown = std::ranges::find(file.pieces, std::uint64_t{SpmFile::Unknown}, &SpmFile::Piece::type);
    return static_cast<std::uint64_t>(unknown - file.pieces.begin()) + layout.front.size() - layout.skipped;
}

Result<nlohmann::json> makeModel(nlohmann::json pieces, const nlohmann::json &ids, const SpmFile &file,
                                 const SpmLayout &layout)
{
    if (file.model == SpmFile::Bpe)
        return bpeModel(pieces, ids, file);
    if (file.model != SpmFile::Unigram)
        return badInput(
            "it is neither a Unigram model nor byte pair encoding; only with a tokenizer.json can others be "
            "used");
    nlohmann::json model{{"type", "Unigram"}, {"unk_id", unknownId(file, layout)}};
    model["vocab"] = std::move(pieces);
    return model;
}

} // namespace

SpmLayout fairseqLayout(std::span<const SpecialToken> special, std::vector<std::string> back)
{
    return {
        "sentencepiece.bpe.model", {{"<s>", 0}, {"<pad>", 0}, {"</s>", 0}, {"<unk>", 0}}, 3, std::move(back), special};
}

Result<SpmPipeline> readSpmPipeline(const TokenizerFiles &files, const SpmLayout &layout)
{
    const std::filesystem::path path = files.folder / layout.file;
    if (!files.has(layout.file))
        return badInput(fmt::format("{} has neither tokenizer.json nor {}", files.folder.string(), layout.file));
    auto file = readSpmFile(path);
    if (!file.isOk())
        return file.error();
    if (layout.change)
        layout.change(file.value());
    nlohmann::json pieces = scoredPieces(file.value(), layout);
    SpmPipeline pipeline{{{"normalizer", normalizer(file.value())},
                          {"pre_tokenizer", {{"type", "Metaspace"}}},
                          {"decoder", {{"type", "Metaspace"}}}},
                         idsByPiece(pieces)};
    const auto added = addSpecialTokens(pipeline.json, files, layout.special, pipeline.ids);
    if (!added.isOk())
        return added.error();
    addMarkedPieces(pipeline.json, file.value(), pipeline.ids);
    if (!layout.isOpen)
        addNamedTokens(pipeline.json, files, pipeline.ids);
    auto model = makeModel(std::move(pieces), pipeline.ids, file.value(), layout);
    if (!model.isOk())
        return badInput(path.string() + ": " + model.error().message);
    pipeline.json["model"] = std::move(model).value();
    return pipeline;
}

Result<nlohmann::json> bpeModel(const nlohmann::json &pieces, const nlohmann::json &ids, const SpmFile &file)
{
    auto merges = mergesOf(pieces, file);
    if (!merges.isOk())
        return merges.error();
    // There is one (spmcheck.h).
    const auto unknown = std::ranges::find(file.pieces, std::uint64_t{SpmFile::Unknown}, &SpmFile::Piece::type);
    nlohmann::json model{{"type", "BPE"}, {"unk_token", unknown->text}, {"fuse_unk", true}};
    model["vocab"] = ids;
    model["merges"] = std::move(merges).value();
    return model;
}

void addMarkedPieces(nlohmann::json &tokenizer, const SpmFile &file, const nlohmann::json &ids)
{
    for (const SpmFile::Piece &piece : file.pieces)
        if ((piece.type == SpmFile::Control || piece.type == SpmFile::UserDefined) && ids.contains(piece.text))
            tokenizer["added_tokens"].push_back(
                {{"content", piece.text}, {"normalized", false}, {"special", piece.type == SpmFile::Control}});
}

void addMoreSpecial(nlohmann::json &tokenizer, std::span<const std::string> tokens)
{
    for (const std::string &token : tokens)
        tokenizer["added_tokens"].push_back({{"content", token}, {"normalized", false}, {"special", true}});
}

} // namespace headscope
