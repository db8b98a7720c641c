#pragma once

#include "core/formats/jsonfile.h"
#include "core/tokenize/tokenizer.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope::testing {

/// tests/core/tokenize/goldens, which make_tokenizer_goldens.py writes.
inline std::filesystem::path goldenFolder()
{
    const char *source = std::getenv("HEADSCOPE_SOURCE_DIR");
    return std::filesystem::path(source ? source : ".") / "tests" / "core" / "tokenize" / "goldens";
}

/// What make_family_goldens.py writes.
inline std::filesystem::path familyFolder()
{
    return goldenFolder().parent_path() / "familygoldens";
}

inline nlohmann::json goldenJson(const std::string &file)
{
    return readJsonFile(goldenFolder() / file).valueOrThrow();
}

inline std::string shown(const std::vector<std::int64_t> &numbers)
{
    return fmt::format("[{}]", fmt::join(numbers, " "));
}

/// Begin and end of every span, one after the other, as the goldens have them.
inline std::vector<std::int64_t> flat(const std::vector<TextSpan> &spans)
{
    std::vector<std::int64_t> numbers;
    for (const TextSpan &span : spans) {
        numbers.push_back(static_cast<std::int64_t>(span.begin));
        numbers.push_back(static_cast<std::int64_t>(span.end));
    }
    return numbers;
}

/// Empty when an encoding is what the golden case says, otherwise what differs.
inline std::string difference(const Tokenizer &tokenizer, const nlohmann::json &golden)
{
    const std::string text = golden["text"];
    std::optional<std::string> pair;
    if (golden.contains("pair"))
        pair = golden["pair"].get<std::string>();
    const std::size_t longest = golden.value("longest", std::size_t{1} << 30);
    const auto encoded = tokenizer.encodePair(text, pair, longest);
    const std::string about
        = fmt::format("text {} pair {} longest {}: ", golden["text"].dump(), pair.value_or("-"), longest);
    if (!encoded.isOk())
        return about + encoded.error().message;
    const Encoding &encoding = encoded.value();
    using Numbers = std::vector<std::int64_t>;
    const std::pair<const char *, Numbers> fields[]
        = {{"ids", encoding.ids},
           {"words", Numbers(encoding.words.begin(), encoding.words.end())},
           {"spans", flat(encoding.spans)},
           {"types", encoding.typeIds},
           {"segments", Numbers(encoding.segments.begin(), encoding.segments.end())}};
    for (const auto &[name, found] : fields)
        if (golden.contains(name) && golden[name].get<Numbers>() != found)
            return about + fmt::format("{} are {} instead of {}", name, shown(found), golden[name].dump());
    if (golden.contains("decoded") && tokenizer.decode(encoding.ids) != golden["decoded"].get<std::string>())
        return about
             + fmt::format("decoded \"{}\" instead of {}", tokenizer.decode(encoding.ids), golden["decoded"].dump());
    return {};
}

} // namespace headscope::testing
