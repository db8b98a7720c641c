#include "core/analysis/exampleencoding.h"

#include <cstddef>

namespace headscope {

Encoding encodingOf(const Example &example, const std::vector<std::int64_t> &ids, const std::vector<std::uint8_t> &real,
                    const Tokenizer *tokenizer, const TransformerSpec &spec)
{
    Encoding encoding;
    if (tokenizer && example.inputIds.empty()) {
        const auto longest = static_cast<std::size_t>(spec.maxPositions);
        encoding = (spec.saysTokens() ? tokenizer->encodeSource(example.source)
                                      : tokenizer->encodePair(example.source, example.secondText(), longest))
                       .valueOrThrow();
        if (encoding.ids.size() > ids.size()) {
            encoding.pieces.resize(ids.size());
            encoding.words.resize(ids.size());
            encoding.spans.resize(ids.size());
            if (encoding.ids[ids.size() - 1] != ids.back()) { // cut: the end token took the place of a piece
                encoding.words.back() = -1;
                encoding.spans.back() = {};
            }
        }
    } else {
        for (std::size_t token = 0; token < ids.size(); ++token)
            encoding.words.push_back(real[token] ? static_cast<int>(token) : -1);
    }
    encoding.ids = ids;
    return encoding;
}

} // namespace headscope
