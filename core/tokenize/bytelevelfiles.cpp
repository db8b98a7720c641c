#include "core/tokenize/bytelevelfiles.h"

#include "core/formats/jsonfile.h"
#include "core/formats/textlines.h"

#include <fmt/format.h>

#include <utility>

namespace headscope {
namespace {

/// The first line tells the version.
Result<nlohmann::json> readMergeLines(const std::filesystem::path &path)
{
    if (const auto regular = requireRegularFile(path); !regular.isOk())
        return regular.error();
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

Result<nlohmann::json> readByteLevelFiles(const TokenizerFiles &files, std::span<const SpecialToken> special)
{
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
    nlohmann::json json{{"decoder", {{"type", "ByteLevel"}}}};
    const auto added = addSpecialTokens(json, files, special, vocabulary.value());
    if (!added.isOk())
        return added.error();
    addNamedTokens(json, files, vocabulary.value());
    json["model"] = {{"type", "BPE"}};
    json["model"]["vocab"] = std::move(vocabulary).value();
    json["model"]["merges"] = std::move(merges).value();
    return json;
}

} // namespace headscope
