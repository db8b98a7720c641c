#include "core/formats/jsonfile.h"

#include "core/formats/strictjson.h"
#include "core/formats/textlines.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace headscope {
namespace {

/// Literals that Python's json module writes and JSON does not know.
constexpr std::pair<std::string_view, std::string_view> kPythonLiterals[]
    = {{"-Infinity", "-1.7976931348623157e308"}, {"Infinity", "1.7976931348623157e308"}, {"NaN", "null"}};

struct Prepared
{
    std::string text;
    bool tooDeep = false;
};

std::size_t endOfString(std::string_view text, std::size_t at)
{
    for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\')
            ++at;
    return std::min(at + 1, text.size());
}

/// Replaces Python's literals outside strings unless `isStrict`, and measures the depth, before the parser builds
/// anything.
Prepared prepare(std::string_view text, bool isStrict)
{
    Prepared result;
    int depth = 0;
    std::size_t copied = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '"') {
            at = endOfString(text, at);
            continue;
        }
        if ((c == '[' || c == '{') && ++depth > kDeepestJson) {
            result.tooDeep = true;
            return result;
        }
        if (c == ']' || c == '}')
            --depth;
        std::size_t skip = 1;
        if (!isStrict && (c == '-' || c == 'I' || c == 'N'))
            for (const auto &[literal, replacement] : kPythonLiterals)
                if (text.substr(at).starts_with(literal)) {
                    result.text.append(text.substr(copied, at - copied)).append(replacement);
                    skip = literal.size();
                    copied = at + skip;
                    break;
                }
        at += skip;
    }
    result.text.append(text.substr(copied));
    return result;
}

/// Without nlohmann's "[json.exception.parse_error.101] " in front.
std::string reason(const nlohmann::json::exception &error)
{
    const std::string text = error.what();
    const std::size_t end = text.find("] ");
    return text.starts_with('[') && end != std::string::npos ? text.substr(end + 2) : text;
}

Result<nlohmann::json> parsed(std::string_view text, const std::string &name, bool isStrict)
{
    const Prepared prepared = prepare(text, isStrict);
    if (prepared.tooDeep)
        return badInput(fmt::format("{}: JSON nested deeper than {} levels is refused", name, kDeepestJson));
    try {
        return nlohmann::json::parse(prepared.text);
    } catch (const nlohmann::json::exception &error) {
        return badInput(fmt::format("{} is not valid JSON: {}", name, reason(error)));
    }
}

} // namespace

Result<nlohmann::json> parseJson(std::string_view text, const std::string &name)
{
    return parsed(text, name, false);
}

Result<nlohmann::json> parseStrictJson(std::string_view text, const std::string &name)
{
    return parsed(text, name, true);
}

Result<nlohmann::json> readJsonFile(const std::filesystem::path &path, std::int64_t limit)
{
    if (const auto regular = requireRegularFile(path); !regular.isOk())
        return regular.error();
    const auto text = readText(path, {}, limit);
    if (!text.isOk())
        return text.error();
    return parseJson(text.value(), path.string());
}

} // namespace headscope
