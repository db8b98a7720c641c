#include "core/tokenize/robertatokenizer.h"

#include "core/formats/jsonfile.h"
#include "core/formats/textlines.h"
#include "core/tokenize/tokenizerjson.h"
#include "core/tokenize/tokenizersettings.h"

#include <fmt/format.h>

namespace headscope {
namespace {

/// The first line tells the version.
Result<nlohmann::json> readMergeLines(const std::filesystem::path &path)
{
    const auto lines = readLines(path, {}, kLargestJson);
    if (!lines.isOk())
        return lines.error();
    nlohmann::json merges = nlohmann::json::array();
    for (const std::string &line : lines.value())
        if (!line.empty() && !(merges.empty() && line.starts_with("#version")))
            merges.push_back(line);
    return merges;
}

} // namespace

Result<std::unique_ptr<Tokenizer>> openRobertaTokenizer(const TokenizerFiles &files)
{
    if (files.has("tokenizer.json"))
        return openTokenizerJson(files);
    if (!files.has("vocab.json") || !files.has("merges.txt"))
        return badInput(
            fmt::format("{} has neither tokenizer.json nor vocab.json with merges.txt", files.folder.string()));
    auto vocabulary = readJsonFile(files.folder / "vocab.json");
    if (!vocabulary.isOk())
        return vocabulary.error();
    auto merges = readMergeLines(files.folder / "merges.txt");
    if (!merges.isOk())
        return merges.error();
    if (!vocabulary.value().is_object())
        return badInput((files.folder / "vocab.json").string() + " must hold a JSON object from pieces to ids");
    const auto cls = tokenWithId(files, kRobertaClassifier, vocabulary.value());
    const auto sep = tokenWithId(files, kRobertaSeparator, vocabulary.value());
    for (const auto *token : {&cls, &sep})
        if (!token->isOk())
            return token->error();
    const bool prefixed = setting(files, "add_prefix_space", false);
    nlohmann::json json{{"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", prefixed}}},
                        {"post_processor",
                         {{"type", "RobertaProcessing"},
                          {"cls", cls.value()},
                          {"sep", sep.value()},
                          {"trim_offsets", setting(files, "trim_offsets", true)},
                          {"add_prefix_space", prefixed}}},
                        {"decoder", {{"type", "ByteLevel"}}}};
    const auto added = addSpecialTokens(json, files, kRobertaSpecial, vocabulary.value());
    if (!added.isOk())
        return added.error();
    json["model"] = {{"type", "BPE"}};
    json["model"]["vocab"] = std::move(vocabulary).value();
    json["model"]["merges"] = std::move(merges).value();
    return tokenizerFromJson(json, (files.folder / "vocab.json").string(), cleansUp(files));
}

} // namespace headscope
