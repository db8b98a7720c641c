#include "core/formats/marianfolder.h"

#include "core/base/replaceall.h"
#include "core/formats/folderfiles.h"
#include "core/formats/jsonfile.h"
#include "core/formats/textlines.h"
#include "core/formats/yaml.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <utility>

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// The character of private use that stands for a control character of a vocabulary while its YAML is read.
constexpr char32_t kStandIns = 0xF0000;

bool isControl(char32_t code)
{
    return (code < 0x20 && code != U'\t' && code != U'\n' && code != U'\r') || (code >= 0x7F && code < 0xA0)
        || code == 0x2028 || code == 0x2029;
}

std::string utf8Of(char32_t code)
{
    if (code < 0x80)
        return {static_cast<char>(code)};
    const auto byte = [code](int shift, unsigned mark) { return static_cast<char>(mark | ((code >> shift) & 0x3FU)); };
    if (code < 0x800)
        return {byte(6, 0xC0), byte(0, 0x80)};
    if (code < 0x10000)
        return {byte(12, 0xE0), byte(6, 0x80), byte(0, 0x80)};
    return {byte(18, 0xF0), byte(12, 0x80), byte(6, 0x80), byte(0, 0x80)};
}

/// Pairs of a character as it is and as it is read: what YAML forbids, or takes for the end of a line, and Marian's own
/// reader takes as it is (OPUS-MT's vocabularies have pieces with U+0085 and U+0092).
std::vector<std::pair<std::string, std::string>> standIns()
{
    std::vector<std::pair<std::string, std::string>> pairs;
    for (char32_t code = 1; code <= 0x2029; ++code) {
        if (isControl(code))
            pairs.emplace_back(utf8Of(code), utf8Of(kStandIns + code));
    }
    return pairs;
}

/// A map from pieces to ids, with control characters in pieces.
Result<nlohmann::json> readPiecesYaml(const fs::path &file)
{
    constexpr std::int64_t kLargest = std::int64_t{1} << 28;
    auto bytes = readBytes(file, {}, kLargest);
    if (!bytes.isOk())
        return bytes.error();
    std::string &text = bytes.value();
    std::vector<std::pair<std::string, std::string>> used;
    for (auto &pair : standIns()) {
        if (text.find(pair.first) == std::string::npos)
            continue;
        replaceAll(text, pair.first, pair.second);
        used.push_back(std::move(pair));
    }
    auto read = parseYaml(text, file.string());
    if (!read.isOk() || !read.value().is_object() || used.empty())
        return read;
    auto pieces = nlohmann::json::object();
    for (const auto &[piece, id] : read.value().items()) {
        std::string name = piece;
        for (const auto &[control, standIn] : used)
            replaceAll(name, standIn, control);
        if (!pieces.emplace(name, id).second)
            return badInput(fmt::format("{}: the key \"{}\" is there twice", file.string(), piece.substr(0, 100)));
    }
    return pieces;
}

std::vector<std::string> archivesIn(const fs::path &folder)
{
    return filesThat(folder, [](std::string_view name) {
        return name.ends_with(".npz") && !name.ends_with(".optimizer.npz"); // what training goes on from
    });
}

bool isYamlName(std::string_view name)
{
    return name.ends_with(".yml") || name.ends_with(".yaml") || name.ends_with(".json");
}

bool isVocabularyName(std::string_view name)
{
    return name.find("vocab") != std::string_view::npos && (isYamlName(name) || name.ends_with(".spm"));
}

/// The last parts of the paths that a list in a configuration names.
std::vector<std::string> namesIn(const nlohmann::json &config, const char *key)
{
    std::vector<std::string> names;
    const auto found = config.is_object() ? config.find(key) : config.end();
    if (!config.is_object() || found == config.end())
        return names;
    for (const nlohmann::json &path : found->is_array() ? *found : nlohmann::json::array({*found})) {
        if (path.is_string())
            names.push_back(fs::path(path.get<std::string>()).filename().string());
    }
    return names;
}

bool isThere(const fs::path &folder, const std::string &name)
{
    std::error_code ignored;
    return !name.empty() && fs::is_regular_file(folder / name, ignored);
}

Result<std::vector<std::string>> usualVocabularies(const fs::path &folder)
{
    std::vector<std::string> found = filesThat(folder, isVocabularyName);
    for (const auto &ends : {std::pair("src.vocab.yml", "trg.vocab.yml"), std::pair("vocab.src.yml", "vocab.trg.yml"),
                             std::pair("vocab.src.spm", "vocab.trg.spm")}) {
        const auto with = [&](const char *end) {
            return std::ranges::find_if(found, [end](const std::string &name) { return name.ends_with(end); });
        };
        if (with(ends.first) != found.end() && with(ends.second) != found.end())
            return std::vector<std::string>{*with(ends.first), *with(ends.second)};
    }
    if (found.size() == 1)
        found.push_back(found.front());
    if (found.empty() || (found.size() == 2 && found[0] == found[1]))
        return found;
    return badInput(
        fmt::format("{} has several vocabularies ({}), and neither decoder.yml nor the checkpoint says which "
                    "is the source's and which the target's. Name them in decoder.yml, in this order, under "
                    "\"vocabs\".",
                    folder.string(), fmt::join(found, ", ")));
}

} // namespace

bool isMarianFolder(const fs::path &folder)
{
    std::error_code ignored;
    return !fs::exists(folder / "config.json", ignored) && !archivesIn(folder).empty();
}

Result<nlohmann::json> marianDecoder(const fs::path &folder)
{
    std::string name = "decoder.yml";
    if (!isThere(folder, name)) {
        const auto found = filesThat(folder, [](std::string_view file) { return file.ends_with(".decoder.yml"); });
        if (found.size() != 1)
            return nlohmann::json::object();
        name = found.front();
    }
    auto decoder = readYamlFile(folder / name);
    if (decoder.isOk() && decoder.value().is_null())
        return nlohmann::json::object();
    if (decoder.isOk() && !decoder.value().is_object())
        return badInput((folder / name).string() + " must hold a map of options and values");
    return decoder;
}

Result<fs::path> marianCheckpoint(const fs::path &folder)
{
    const auto decoder = marianDecoder(folder);
    if (!decoder.isOk())
        return decoder.error();
    std::vector<std::string> named = namesIn(decoder.value(), "models");
    std::erase_if(named, [&](const std::string &name) { return !name.ends_with(".npz") || !isThere(folder, name); });
    if (named.size() > 1)
        return badInput(
            fmt::format("{}: decoder.yml names {} models that translate together; Headscope opens one. Leave "
                        "one under \"models\".",
                        folder.string(), named.size()));
    if (named.size() == 1)
        return folder / named.front();
    return oneCheckpoint(folder, archivesIn(folder), {"model.npz"}, "Marian",
                         "call the one to open model.npz, or name it in decoder.yml under \"models\".");
}

Result<std::vector<std::string>> marianVocabularies(const fs::path &folder, const nlohmann::json &decoder,
                                                    const nlohmann::json &model)
{
    for (const nlohmann::json *config : {&decoder, &model}) {
        const std::vector<std::string> names = namesIn(*config, "vocabs");
        if (names.empty())
            continue;
        if (const auto factored
            = std::ranges::find_if(names, [](const std::string &name) { return name.ends_with(".fsv"); });
            factored != names.end())
            return badInput(fmt::format("{}: factored vocabularies ({}) are not read.", folder.string(), *factored));
        if (isThere(folder, names.front()) && isThere(folder, names.back()))
            return std::vector<std::string>{names.front(), names.back()};
    }
    return usualVocabularies(folder);
}

Result<std::map<std::string, std::int64_t>> readMarianVocabulary(const fs::path &file)
{
    constexpr std::int64_t kMostTokens = std::int64_t{1} << 24;
    std::map<std::string, std::int64_t> ids;
    if (!isYamlName(file.filename().string())) {
        auto lines = readLines(file);
        if (!lines.isOk())
            return lines.error();
        for (std::string &line : lines.value())
            ids.emplace(std::move(line), static_cast<std::int64_t>(ids.size()));
        return ids;
    }
    const auto read = file.extension() == ".json" ? readJsonFile(file) : readPiecesYaml(file);
    if (!read.isOk())
        return read.error();
    if (!read.value().is_object() || read.value().empty())
        return badInput(file.string() + " must hold a map from pieces to ids");
    for (const auto &[piece, id] : read.value().items()) {
        if (!id.is_number_integer() || id.get<std::int64_t>() < 0 || id.get<std::int64_t>() >= kMostTokens)
            return badInput(fmt::format("{}: the id of \"{}\" is not a whole number from 0 to {}", file.string(),
                                        piece.substr(0, 100), kMostTokens - 1));
        ids.emplace(piece, id.get<std::int64_t>());
    }
    return ids;
}

std::optional<std::int64_t> marianTokenId(const std::map<std::string, std::int64_t> &vocabulary, std::string_view token)
{
    if (const auto found = vocabulary.find(std::string(token)); found != vocabulary.end())
        return found->second;
    const bool isEnd = token == "</s>";
    if (const auto old = vocabulary.find(isEnd ? "eos" : "UNK"); old != vocabulary.end())
        return old->second;
    const std::int64_t usual = isEnd ? 0 : 1;
    const bool isFree = std::ranges::none_of(vocabulary, [usual](const auto &entry) { return entry.second == usual; });
    return isFree ? std::optional(usual) : std::nullopt;
}

std::vector<std::string> marianFiles(const fs::path &folder)
{
    return filesThat(folder, [](std::string_view name) {
        return isVocabularyName(name) || name.ends_with(".spm") || name.ends_with(".vocab");
    });
}

} // namespace headscope
