#pragma once

#include "core/demo/token.h"

#include <string_view>
#include <vector>

namespace headscope::demo {

/// Neighbouring words with one head: built from left to right out of smaller fragments. A tree built this way
/// is always complete and never has crossing arcs.
class Fragment
{
public:
    Fragment() = default;
    Fragment(std::string_view form, std::string_view lemma, std::string_view upos, std::string_view features = {});

    /// A part whose own head depends on this fragment's head.
    void add(const Fragment &part, std::string_view relation);
    /// The part that holds the head. Precondition: there is none yet.
    void addHead(const Fragment &part);

    bool isEmpty() const { return m_tokens.empty(); }
    const DemoToken &head() const { return m_tokens.at(static_cast<std::size_t>(m_head - 1)); }
    std::vector<DemoToken> &tokens() { return m_tokens; }
    const std::vector<DemoToken> &tokens() const { return m_tokens; }

private:
    int append(const Fragment &part);

    std::vector<DemoToken> m_tokens;
    int m_head = 0; ///< 1-based
};

/// Several words of which the first is the head: "in front of", "à côté de".
Fragment fixedExpression(std::string_view words, std::string_view upos);

/// Parses the notation of TimePhrase.
Fragment parsePhrase(std::string_view notation);

/// The words of a text, separated by blanks.
std::vector<std::string_view> wordsOf(std::string_view text);

} // namespace headscope::demo
