#include "core/tokenize/pipeline/pretokenizer.h"

namespace headscope::pipeline {
namespace {

class PreTokenizerSequence final : public PreTokenizer
{
public:
    explicit PreTokenizerSequence(const Part &part)
    {
        for (const Part &member : part.list("pretokenizers"))
            m_members.push_back(makePreTokenizer(member));
    }
    std::vector<AlignedText> split(std::vector<AlignedText> texts) const override
    {
        for (const PreTokenizerPtr &member : m_members)
            texts = member->split(std::move(texts));
        return texts;
    }

private:
    std::vector<PreTokenizerPtr> m_members;
};

PreTokenizerPtr makeSequence(const Part &part)
{
    return std::make_unique<PreTokenizerSequence>(part);
}

constexpr std::pair<const char *, PreTokenizerPtr (*)(const Part &)> kPreTokenizers[] = {
    {"Sequence", makeSequence},
    {"BertPreTokenizer", makeBertPreTokenizer},
    {"ByteLevel", makeByteLevel},
    {"Metaspace", makeMetaspace},
    {"Whitespace", makeWhitespace},
    {"WhitespaceSplit", makeWhitespaceSplit},
    {"Punctuation", makePunctuation},
    {"Digits", makeDigits},
    {"Split", makeSplit},
    {"CharDelimiterSplit", makeCharDelimiterSplit},
};

} // namespace

PreTokenizerPtr makePreTokenizer(const Part &part)
{
    return factoryOf(part, kPreTokenizers)(part);
}

} // namespace headscope::pipeline
