#pragma once

#include "core/tokenize/pipeline/part.h"
#include "core/tokenize/vocabulary.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headscope::pipeline {

/// The form of a text, or a pair, for the model: special tokens and types around the texts' own pieces.
class PostProcessor
{
public:
    struct Item
    {
        enum class Kind { First, Second, Special };
        Kind kind = Kind::First;
        std::int64_t typeId = 0;
        std::int64_t id = 0;   ///< of a special token
        std::string content{}; ///< of a special token
    };
    using Template = std::vector<Item>;

    /// Without special tokens.
    PostProcessor();
    /// The "post_processor" of a tokenizer.json. Throws Failure.
    explicit PostProcessor(const Part &part);
    /// Preconditions: every text once.
    PostProcessor(Template single, Template pair);

    const Template &layout(bool isPair) const { return isPair ? m_pair : m_single; }
    std::size_t specialTokens(bool isPair) const;
    /// Blanks at the ends of pieces are not of their spans.
    bool trimsSpans() const { return m_trimsSpans; }
    /// The text got a blank in front that it does not have, which trimming must not count.
    bool hasPrefixSpace() const { return m_hasPrefixSpace; }

private:
    void read(const Part &part);
    void readTrimming(const Part &part);
    void readTemplate(const Part &part);
    void readCls(const Part &part, bool isRoberta);
    Template readLayout(const Part &part, const char *key, bool isPair) const;

    Template m_single;
    Template m_pair;
    bool m_hasTemplate = false;
    bool m_trimsSpans = false;
    bool m_hasPrefixSpace = false;
};

} // namespace headscope::pipeline
