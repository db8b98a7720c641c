#include "core/tokenize/familytokenizers.h"

#include "core/tokenize/endtokens.h"
#include "core/tokenize/llamapieces.h"
#include "core/tokenize/spmpipeline.h"
#include "core/tokenize/tokenizerjson.h"
#include "core/tokenize/tokenizersettings.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace headscope {
namespace {

constexpr const char *kFile = "tokenizer.model";
constexpr SpecialToken kSpecial[] = {{"bos_token", "<s>"}, {"eos_token", "</s>"}, {"unk_token", "<unk>"}};

nlohmann::json replaceBlanks(const char *from, const char *to)
{
    return {{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", to}};
}

/// How blanks are marked: of every stretch of text, or ("legacy": false) with one before the whole text only.
void addBlanks(nlohmann::json &json, const TokenizerFiles &files)
{
    const bool isPrefixed = setting(files, "add_prefix_space", true);
    if (setting(files, "legacy", true)) {
        nlohmann::json steps = nlohmann::json::array();
        if (isPrefixed)
            steps.push_back({{"type", "Prepend"}, {"prepend", "\u2581"}});
        steps.push_back(replaceBlanks(" ", "\u2581"));
        json["normalizer"] = {{"type", "Sequence"}, {"normalizers", std::move(steps)}};
    } else {
        json["pre_tokenizer"]
            = {{"type", "Metaspace"}, {"prepend_scheme", isPrefixed ? "first" : "never"}, {"split", false}};
    }
    nlohmann::json steps
        = nlohmann::json::array({replaceBlanks("\u2581", " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}});
    if (isPrefixed)
        steps.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1u}, {"stop", 0u}});
    json["decoder"] = {{"type", "Sequence"}, {"decoders", std::move(steps)}};
}

/// The class of transformers 5 marks blanks by its own arguments, whatever tokenizer.json says.
void addBlanksOfVersion5(nlohmann::json &json, const TokenizerFiles &files)
{
    const bool isPrefixed = setting(files, "add_prefix_space", true);
    const char *scheme = !isPrefixed ? "never" : setting(files, "legacy", false) ? "always" : "first";
    json["normalizer"] = nullptr;
    json["pre_tokenizer"]
        = {{"type", "Metaspace"}, {"replacement", "\u2581"}, {"prepend_scheme", scheme}, {"split", false}};
}

Result<nlohmann::json> readModel(const TokenizerFiles &files)
{
    const std::filesystem::path path = files.folder / kFile;
    if (!files.has(kFile))
        return badInput(fmt::format("{} has neither tokenizer.json nor {}", files.folder.string(), kFile));
    const auto file = readSpmFile(path);
    if (!file.isOk())
        return file.error();
    if (file.value().model != SpmFile::Bpe)
        return badInput(path.string() + " is no byte pair encoding; give a tokenizer.json");
    return llamaJson(files, file.value(), path.string());
}

} // namespace

Result<nlohmann::json> llamaJson(const TokenizerFiles &files, const SpmFile &file, const std::string &name)
{
    nlohmann::json pieces = nlohmann::json::array();
    nlohmann::json ids = nlohmann::json::object();
    for (const SpmFile::Piece &piece : file.pieces) {
        ids[piece.text] = pieces.size();
        pieces.push_back({piece.text, static_cast<double>(piece.score)});
    }
    auto model = bpeModel(pieces, ids, file);
    if (!model.isOk())
        return badInput(name + ": " + model.error().message);
    nlohmann::json json;
    addBlanks(json, files);
    const auto added = addSpecialTokens(json, files, kSpecial, ids);
    if (!added.isOk())
        return added.error();
    addMarkedPieces(json, file, ids);
    addNamedTokens(json, files, ids);
    json["model"] = std::move(model).value();
    json["model"]["byte_fallback"] = true;
    return json;
}

Result<std::unique_ptr<Tokenizer>> openLlamaTokenizer(const TokenizerFiles &files)
{
    const bool hasJson = files.has("tokenizer.json");
    auto json = hasJson ? readTokenizerJson(files) : readModel(files);
    if (!json.isOk())
        return json.error();
    if (hasJson && files.isOfVersion5() && !files.isGeneric && json.value().is_object())
        addBlanksOfVersion5(json.value(), files);
    return fromParts(files, json.value(), kFile, [&](pipeline::Components &parts) {
        if (!hasJson || !(files.isGeneric || files.isOfVersion5()))
            setEndTokens(parts, files, {});
    });
}

} // namespace headscope
