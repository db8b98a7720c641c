#include "core/tokenize/xlmrobertatokenizer.h"

#include "core/tokenize/robertatokenizer.h"
#include "core/tokenize/spmfile.h"
#include "core/tokenize/tokenizerjson.h"
#include "core/tokenize/tokenizersettings.h"

#include <fmt/format.h>

namespace headscope {
namespace {

/// How a model puts fairseq's pieces before those of SentencePiece.
struct Alignment
{
    std::vector<std::pair<const char *, double>> front;
    std::size_t skipped; ///< of SentencePiece's own first pieces
};

const Alignment kXlmRoberta{{{"<s>", 0}, {"<pad>", 0}, {"</s>", 0}, {"<unk>", 0}}, 3};
const Alignment kCamembert{
    {{"<s>NOTUSED", 0}, {"<pad>", 0}, {"</s>NOTUSED", 0}, {"<unk>", 0}, {"<unk>NOTUSED", -100}}, 1};

/// Pieces with their scores, as a Unigram model has them.
nlohmann::json unigramPieces(const SpmFile &file, const Alignment &alignment)
{
    nlohmann::json pieces = nlohmann::json::array();
    for (const auto &[piece, score] : alignment.front)
        pieces.push_back({piece, score});
    for (std::size_t i = alignment.skipped; i < file.pieces.size(); ++i)
        pieces.push_back({file.pieces[i].text, static_cast<double>(file.pieces[i].score)});
    pieces.push_back({"<mask>", 0.0});
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

Result<std::unique_ptr<Tokenizer>> open(const TokenizerFiles &files, const Alignment &alignment)
{
    if (files.has("tokenizer.json"))
        return openTokenizerJson(files);
    const std::filesystem::path path = files.folder / "sentencepiece.bpe.model";
    if (!files.has("sentencepiece.bpe.model"))
        return badInput(
            fmt::format("{} has neither tokenizer.json nor sentencepiece.bpe.model", files.folder.string()));
    const auto file = readSpmFile(path);
    if (!file.isOk())
        return file.error();
    if (!file.value().isUnigram)
        return badInput(path.string() + " is no Unigram model; only with a tokenizer.json can others be used");
    nlohmann::json pieces = unigramPieces(file.value(), alignment);
    const nlohmann::json ids = idsByPiece(pieces);
    const auto cls = tokenWithId(files, kRobertaClassifier, ids);
    const auto sep = tokenWithId(files, kRobertaSeparator, ids);
    for (const auto *token : {&cls, &sep})
        if (!token->isOk())
            return token->error();
    nlohmann::json json{{"normalizer", normalizer(file.value())},
                        {"pre_tokenizer", {{"type", "Metaspace"}}},
                        {"post_processor",
                         {{"type", "RobertaProcessing"},
                          {"cls", cls.value()},
                          {"sep", sep.value()},
                          {"trim_offsets", false}}},
                        {"decoder", {{"type", "Metaspace"}}}};
    const auto added = addSpecialTokens(json, files, kRobertaSpecial, ids);
    if (!added.isOk())
        return added.error();
    for (const SpmFile::Piece &piece : file.value().pieces)
        if ((piece.type == SpmFile::Control || piece.type == SpmFile::UserDefined) && ids.contains(piece.text))
            json["added_tokens"].push_back(
                {{"content", piece.text}, {"normalized", false}, {"special", piece.type == SpmFile::Control}});
    json["model"] = {{"type", "Unigram"}, {"unk_id", 3u}};
    json["model"]["vocab"] = std::move(pieces);
    return tokenizerFromJson(json, path.string(), cleansUp(files));
}

} // namespace

Result<std::unique_ptr<Tokenizer>> openXlmRobertaTokenizer(const TokenizerFiles &files)
{
    return open(files, kXlmRoberta);
}

Result<std::unique_ptr<Tokenizer>> openCamembertTokenizer(const TokenizerFiles &files)
{
    return open(files, kCamembert);
}

} // namespace headscope
