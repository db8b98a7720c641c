#include "core/tokenize/pipeline/bytechars.h"
#include "core/tokenize/pipeline/pattern.h"
#include "core/tokenize/pipeline/pretokenizer.h"
#include "core/tokenize/pipeline/wordscanner.h"

namespace headscope::pipeline {
namespace {

/// Words with the blank before them, every byte as one printable character.
class ByteLevel final : public PreTokenizer
{
public:
    explicit ByteLevel(const Part &part)
        : m_addPrefixSpace(part.flag("add_prefix_space", true)), m_splitWords(part.flag("use_regex", true))
    {
    }

    std::vector<AlignedText> split(std::vector<AlignedText> texts) const override
    {
        std::vector<AlignedText> words;
        for (AlignedText &text : texts) {
            if (m_addPrefixSpace && !text.text().starts_with(' '))
                text.prepend(" ");
            std::size_t at = 0;
            while (at < text.text().size()) {
                const std::size_t size = m_splitWords ? scanWord(text.text(), at) : text.text().size();
                words.push_back(text.slice(at, at + size));
                at += size;
                showBytes(words.back());
            }
        }
        return words;
    }

private:
    static void showBytes(AlignedText &word)
    {
        const std::string bytes = word.text();
        Rewriter rewriter(word);
        for (std::size_t at = 0; at < bytes.size();) {
            const std::size_t end = at + charAt(bytes, at).size;
            rewriter.replace(charOfByte(static_cast<unsigned char>(bytes[at])));
            for (++at; at < end; ++at)
                rewriter.insert(charOfByte(static_cast<unsigned char>(bytes[at])));
        }
        rewriter.finish();
    }

    bool m_addPrefixSpace;
    bool m_splitWords;
};

} // namespace

PreTokenizerPtr makeByteLevel(const Part &part)
{
    return std::make_unique<ByteLevel>(part);
}

} // namespace headscope::pipeline
