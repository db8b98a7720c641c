#include "core/roles/treewords.h"

#include <algorithm>

namespace headscope {

std::vector<int> tokensInTree(const Encoding &encoding, const SentenceTree &tree, int segment)
{
    std::vector<int> wordOfToken(encoding.ids.size(), -1);
    if (encoding.spans.size() != encoding.ids.size())
        return wordOfToken;
    for (std::size_t token = 0; token < encoding.spans.size(); ++token) {
        const TextSpan &span = encoding.spans[token];
        const int where = token < encoding.segments.size() ? encoding.segments[token]
                        : encoding.words[token] >= 0       ? 0
                                                           : -1;
        if (where != segment || span.begin >= span.end)
            continue;
        std::size_t most = 0;
        for (std::size_t word = 0; word < tree.size(); ++word) {
            const std::size_t begin = std::max(span.begin, tree[word].begin);
            const std::size_t end = std::min(span.end, tree[word].end);
            if (end > begin && end - begin > most) {
                most = end - begin;
                wordOfToken[token] = static_cast<int>(word);
            }
        }
    }
    return wordOfToken;
}

std::vector<std::vector<int>> piecesOfWords(const std::vector<int> &wordOfToken, std::size_t words)
{
    std::vector<std::vector<int>> pieces(words);
    for (std::size_t token = 0; token < wordOfToken.size(); ++token) {
        if (wordOfToken[token] >= 0)
            pieces[static_cast<std::size_t>(wordOfToken[token])].push_back(static_cast<int>(token));
    }
    return pieces;
}

} // namespace headscope
