#include "core/analysis/sentenceinput.h"

#include "core/task/examples.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace headscope {

namespace {

/// To `most` tokens, of which the last `kept` are the last of all.
void cutTo(std::size_t most, std::ptrdiff_t kept, Encoding &encoding)
{
    const auto cut = [&](auto &values) {
        if (values.size() > most)
            values.erase(values.begin() + static_cast<std::ptrdiff_t>(most) - kept, values.end() - kept);
    };
    cut(encoding.ids);
    cut(encoding.pieces);
    cut(encoding.words);
    cut(encoding.typeIds);
    cut(encoding.segments);
    cut(encoding.spans);
}

} // namespace

bool cutToPositions(Encoding &encoding, const Transformer &model)
{
    const auto most = static_cast<std::size_t>(model.spec().maxPositions);
    if (encoding.ids.size() <= most)
        return false;
    cutTo(most, model.spec().isEncoderDecoder() ? 1 : 0, encoding);
    return true;
}

TokenBatch SentenceInput::batch(const Transformer &model) const
{
    const TransformerSpec &spec = model.spec();
    TokenBatch batch = TokenBatch::pad({encoding.ids}, spec.generation.padId, model.device());
    if (spec.tokenTypes > 0)
        batch.typeIds = TokenBatch::pad({encoding.typeIds}, 0, model.device()).ids;
    return batch;
}

TokenBatch SentenceInput::prefix(const Transformer &model) const
{
    const TransformerSpec &spec = model.spec();
    return TokenBatch::pad({classifierInput(encoding.ids, spec).valueOrThrow()}, spec.generation.padId, model.device());
}

SentenceInput sentenceInput(const Transformer &model, const Tokenizer &tokenizer, const std::string &text,
                            std::optional<std::string_view> pair)
{
    const TransformerSpec &spec = model.spec();
    SentenceInput input;
    input.encoding = (spec.saysTokens() ? tokenizer.encodeSource(text)
                                        : tokenizer.encodePair(text, pair, static_cast<std::size_t>(spec.maxPositions)))
                         .valueOrThrow();
    input.cut = cutToPositions(input.encoding, model) || (!spec.saysTokens() && input.encoding.cut);
    if (spec.classifier && !spec.encoder)
        cutTo(classifierInput(input.encoding.ids, spec).valueOrThrow().size(), 0, input.encoding);
    return input;
}

} // namespace headscope
