#include "core/tokenize/pipeline/metaspace.h"

#include "core/tokenize/pipeline/pattern.h"
#include "core/tokenize/pipeline/pretokenizer.h"

namespace headscope::pipeline {
namespace {

using Prepend = MetaspaceSettings::Prepend;

class Metaspace final : public PreTokenizer
{
public:
    explicit Metaspace(const Part &part) : m_settings(readMetaspace(part)) { }

    std::vector<AlignedText> split(std::vector<AlignedText> texts) const override
    {
        const Pattern mark([this](std::string_view text, std::size_t at) {
            return text.substr(at).starts_with(m_settings.mark) ? m_settings.mark.size() : 0;
        });
        std::vector<AlignedText> words;
        for (AlignedText &text : texts) {
            const std::size_t origin = text.origin();
            markBlanks(text);
            if (isPrefixed(origin) && !text.text().starts_with(m_settings.mark))
                text.prepend(m_settings.mark);
            if (!m_settings.split) {
                words.push_back(std::move(text));
                continue;
            }
            for (AlignedText &word : pipeline::split(text, mark, Delimiter::MergedWithNext))
                words.push_back(std::move(word));
        }
        return words;
    }

private:
    bool isPrefixed(std::size_t origin) const
    {
        return m_settings.prepend == Prepend::Always || (m_settings.prepend == Prepend::First && origin == 0);
    }

    void markBlanks(AlignedText &text) const
    {
        const char32_t mark = charAt(m_settings.mark, 0).code;
        Rewriter rewriter(text);
        while (!rewriter.atEnd())
            rewriter.peek().code == U' ' ? rewriter.replace(mark) : rewriter.keep();
        rewriter.finish();
    }

    MetaspaceSettings m_settings;
};

} // namespace

MetaspaceSettings readMetaspace(const Part &part)
{
    MetaspaceSettings settings;
    settings.mark = part.text("replacement", settings.mark);
    if (charCount(settings.mark) != 1)
        part.fail("\"replacement\" must be one character");
    const std::string scheme = part.text("prepend_scheme", part.flag("add_prefix_space", true) ? "always" : "never");
    if (scheme != "always" && scheme != "first" && scheme != "never")
        part.fail("the prepend_scheme \"" + scheme + "\" is not supported");
    settings.prepend = scheme == "always" ? Prepend::Always : scheme == "first" ? Prepend::First : Prepend::Never;
    settings.split = part.flag("split", true);
    return settings;
}

PreTokenizerPtr makeMetaspace(const Part &part)
{
    return std::make_unique<Metaspace>(part);
}

} // namespace headscope::pipeline
