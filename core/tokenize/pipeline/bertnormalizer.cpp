#include "core/tokenize/pipeline/normalizer.h"
#include "core/tokenize/pipeline/unicodenormalizers.h"

namespace headscope::pipeline {
namespace {

/// Removes what cannot be seen and makes all white space blanks.
void clean(AlignedText &text)
{
    Rewriter rewriter(text);
    while (!rewriter.atEnd()) {
        const char32_t code = rewriter.peek().code;
        if (code == U'\t' || code == U'\n' || code == U'\r' || (code >= 0x80 && !isControl(code) && isWhiteSpace(code)))
            rewriter.replace(U' ');
        else if (code < 0x80 ? code < 0x20 || code == 0x7F : code == 0xFFFD || isControl(code))
            rewriter.skip();
        else
            rewriter.keep();
    }
    rewriter.finish();
}

void spaceIdeographs(AlignedText &text)
{
    Rewriter rewriter(text);
    while (!rewriter.atEnd()) {
        const char32_t code = rewriter.peek().code;
        if (!isIdeograph(code)) {
            rewriter.keep();
            continue;
        }
        rewriter.replace(U' ');
        rewriter.insert(code);
        rewriter.insert(U' ');
    }
    rewriter.finish();
}

class BertNormalizer final : public Normalizer
{
public:
    explicit BertNormalizer(const Part &part)
        : m_clean(part.flag("clean_text", true)), m_spaceIdeographs(part.flag("handle_chinese_chars", true)),
          m_lowerCase(part.flag("lowercase", true)), m_stripAccents(part.flag("strip_accents", m_lowerCase))
    {
    }

    void apply(AlignedText &text) const override
    {
        if (m_clean)
            clean(text);
        if (!isAscii(text.text())) {
            if (m_spaceIdeographs)
                spaceIdeographs(text);
            if (m_stripAccents) {
                decompose(text, false);
                filter(text, [](char32_t code) { return !isNonspacingMark(code); });
            }
        }
        if (m_lowerCase)
            lowerCase(text);
    }

private:
    bool m_clean;
    bool m_spaceIdeographs;
    bool m_lowerCase;
    bool m_stripAccents;
};

} // namespace

NormalizerPtr makeBertNormalizer(const Part &part)
{
    return std::make_unique<BertNormalizer>(part);
}

} // namespace headscope::pipeline
