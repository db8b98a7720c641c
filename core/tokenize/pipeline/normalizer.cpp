#include "core/tokenize/pipeline/normalizer.h"

namespace headscope::pipeline {
namespace {

class NormalizerSequence final : public Normalizer
{
public:
    explicit NormalizerSequence(const Part &part)
    {
        for (const Part &member : part.list("normalizers"))
            m_members.push_back(makeNormalizer(member));
    }
    void apply(AlignedText &text) const override
    {
        for (const NormalizerPtr &member : m_members)
            member->apply(text);
    }

private:
    std::vector<NormalizerPtr> m_members;
};

NormalizerPtr makeSequence(const Part &part)
{
    return std::make_unique<NormalizerSequence>(part);
}

constexpr std::pair<const char *, NormalizerPtr (*)(const Part &)> kNormalizers[] = {
    {"Sequence", makeSequence},
    {"BertNormalizer", makeBertNormalizer},
    {"ByteLevel", makeByteLevelNormalizer},
    {"NFC", makeNfc},
    {"NFD", makeNfd},
    {"NFKC", makeNfkc},
    {"NFKD", makeNfkd},
    {"Lowercase", makeLowercase},
    {"StripAccents", makeStripAccents},
    {"Nmt", makeNmt},
    {"Replace", makeReplace},
    {"Strip", makeStrip},
    {"Prepend", makePrepend},
    {"Precompiled", makePrecompiled},
};

} // namespace

NormalizerPtr makeNormalizer(const Part &part)
{
    return factoryOf(part, kNormalizers)(part);
}

} // namespace headscope::pipeline
