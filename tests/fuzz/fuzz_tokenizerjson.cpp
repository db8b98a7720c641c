#include "core/formats/jsonfile.h"
#include "core/tokenize/tokenizerjson.h"
#include "tests/fuzz/fuzzing.h"

using namespace headscope;

namespace {

constexpr const char *kTexts[] = {
    "",
    " ",
    "The  cat's 12 [MASK] <mask> café, it don't!",
    "I\u0307\u0130\u00a0e\u0301\u0323 \u4e2d\u56fd \U0001F600\u200d\u2028x",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
};

void checkEncoding(const Encoding &encoding, std::string_view text, std::string_view pair, const Tokenizer &tokenizer)
{
    const std::size_t size = encoding.ids.size();
    fuzzing::require(encoding.pieces.size() == size && encoding.words.size() == size && encoding.typeIds.size() == size
                         && encoding.segments.size() == size && encoding.spans.size() == size,
                     "all lists have the same length");
    TextSpan last[2];
    for (std::size_t i = 0; i < size; ++i) {
        fuzzing::require(encoding.ids[i] >= 0 && encoding.ids[i] < tokenizer.vocabularySize(),
                         "ids are of the vocabulary");
        const int segment = encoding.segments[i];
        if (segment < 0)
            continue;
        const TextSpan span = encoding.spans[i];
        const std::size_t length = (segment == 0 ? text : pair).size();
        fuzzing::require(span.begin <= span.end && span.end <= length, "spans are in the text");
        fuzzing::require(span.end >= last[segment].begin, "spans are in order");
        last[segment] = span;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto json = parseJson({reinterpret_cast<const char *>(data), size}, "input");
    if (!json.isOk())
        return 0;
    const auto opened = tokenizerFromJson(json.value(), "input");
    if (!opened.isOk())
        return 0;
    const Tokenizer &tokenizer = *opened.value();
    for (const std::string_view text : kTexts) {
        const std::string_view pair = kTexts[2];
        const auto single = tokenizer.encodeSource(text);
        if (single.isOk())
            checkEncoding(single.value(), text, {}, tokenizer);
        const auto cut = tokenizer.encodePair(text, pair, 12);
        if (!cut.isOk())
            continue;
        fuzzing::require(cut.value().ids.size() <= 12, "a cut encoding fits");
        checkEncoding(cut.value(), text, pair, tokenizer);
        (void)tokenizer.decode(cut.value().ids);
    }
    return 0;
}
