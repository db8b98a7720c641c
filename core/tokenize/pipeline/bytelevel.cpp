#include "core/tokenize/pipeline/bytechars.h"
#include "core/tokenize/pipeline/normalizer.h"
#include "core/tokenize/pipeline/pattern.h"
#include "core/tokenize/pipeline/pretokenizer.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope::pipeline {
namespace {

/// Words with the blank before them, every byte as one printable character.
class ByteLevel final : public PreTokenizer
{
public:
    explicit ByteLevel(const Part &part) : m_addPrefixSpace(part.flag("add_prefix_space", true))
    {
        if (part.flag("use_regex", true))
            m_words = Pattern::ofRegex(kGpt2Words).valueOrThrow();
    }

    std::vector<AlignedText> split(std::vector<AlignedText> texts) const override
    {
        std::vector<AlignedText> words;
        for (AlignedText &text : texts) {
            if (m_addPrefixSpace && !text.text().starts_with(' '))
                text.prepend(" ");
            if (text.text().empty())
                continue;
            std::vector<AlignedText> parts;
            if (m_words)
                parts = pipeline::split(text, *m_words, Delimiter::Isolated);
            else
                parts.push_back(std::move(text));
            for (AlignedText &word : parts) {
                spellBytes(word);
                words.push_back(std::move(word));
            }
        }
        return words;
    }

private:
    bool m_addPrefixSpace;
    std::optional<Pattern> m_words; ///< nullopt: the text stays whole
};

/// The same of a whole text.
class ByteLevelNormalizer final : public Normalizer
{
public:
    void apply(AlignedText &text) const override { spellBytes(text); }
};

} // namespace

void spellBytes(AlignedText &text)
{
    const std::string bytes = text.text();
    Rewriter rewriter(text);
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t end = at + charAt(bytes, at).size;
        rewriter.replace(charOfByte(static_cast<unsigned char>(bytes[at])));
        for (++at; at < end; ++at)
            rewriter.insert(charOfByte(static_cast<unsigned char>(bytes[at])));
    }
    rewriter.finish();
}

NormalizerPtr makeByteLevelNormalizer(const Part &)
{
    return std::make_unique<ByteLevelNormalizer>();
}

PreTokenizerPtr makeByteLevel(const Part &part)
{
    return std::make_unique<ByteLevel>(part);
}

} // namespace headscope::pipeline
