#include "core/tokenize/pipeline/cachedmodel.h"

#include <functional>
#include <mutex>
#include <shared_mutex>

namespace headscope::pipeline {
namespace {

constexpr std::size_t kMostWords = 10'000;
constexpr std::size_t kLongestWord = 64; // bytes

class CachedModel final : public PieceModel
{
public:
    explicit CachedModel(std::unique_ptr<PieceModel> model) : m_model(std::move(model)) { }

    void tokenize(std::string_view word, std::vector<Token> &tokens) const override
    {
        if (word.size() > kLongestWord)
            return m_model->tokenize(word, tokens);
        bool isFull = false;
        {
            const std::shared_lock lock(m_mutex);
            if (const auto known = m_words.find(word); known != m_words.end()) {
                tokens.insert(tokens.end(), known->second.begin(), known->second.end());
                return;
            }
            isFull = m_words.size() >= kMostWords;
        }
        const auto before = static_cast<std::ptrdiff_t>(tokens.size());
        m_model->tokenize(word, tokens);
        if (isFull)
            return;
        const std::unique_lock lock(m_mutex);
        if (m_words.size() < kMostWords)
            m_words.try_emplace(std::string(word), tokens.begin() + before, tokens.end());
    }

    const Vocabulary &vocabulary() const override { return m_model->vocabulary(); }
    std::string name() const override { return m_model->name(); }
    bool isBpe() const override { return m_model->isBpe(); }

private:
    struct Hash
    {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };

    std::unique_ptr<PieceModel> m_model;
    mutable std::shared_mutex m_mutex;
    mutable std::unordered_map<std::string, std::vector<Token>, Hash, std::equal_to<>> m_words;
};

} // namespace

std::unique_ptr<PieceModel> makeCachedModel(std::unique_ptr<PieceModel> model)
{
    return std::make_unique<CachedModel>(std::move(model));
}

} // namespace headscope::pipeline
