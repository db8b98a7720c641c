#pragma once

#include "core/base/enumnames.h"
#include "core/base/result.h"

#include <array>
#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Which attention a head belongs to: encoder self-, decoder-to-encoder (cross), decoder self-attention.
enum class HeadKind : std::uint8_t { Encoder, Cross, Decoder };
template<>
struct EnumNames<HeadKind>
{
    static constexpr std::array<std::string_view, 3> values{"encoder", "cross", "decoder"};
    static constexpr const char *what = "attention kind";
};

inline constexpr HeadKind kAllHeadKinds[] = {HeadKind::Encoder, HeadKind::Cross, HeadKind::Decoder};

inline std::string_view headKindName(HeadKind kind)
{
    return toText(kind);
}
inline Result<HeadKind> parseHeadKind(std::string_view text)
{
    return parseName<HeadKind>(text);
}

/// The address of a head, zero-based, in the numbering of the model before any pruning.
/// Ordered by kind, layer, head: the order of every table and the tie rule of every ranking.
struct HeadRef
{
    HeadKind kind = HeadKind::Encoder;
    int layer = 0;
    int head = 0;
    auto operator<=>(const HeadRef &) const = default;
};

/// "encoder.2.6"
std::string toText(const HeadRef &head);
Result<HeadRef> parseHeadRef(std::string_view text);

/// Which heads a model has. Layers may have different numbers of heads, with gaps where some were pruned.
class HeadLayout
{
public:
    struct Block
    {
        HeadKind kind = HeadKind::Encoder;
        std::vector<std::vector<int>> layers; ///< per layer: the original numbers of its heads, ascending
        bool operator==(const Block &) const = default;
    };

    HeadLayout() = default;
    explicit HeadLayout(std::vector<Block> blocks);

    const std::vector<Block> &blocks() const { return m_blocks; }
    const Block *block(HeadKind kind) const; ///< nullptr when the model has no such attention
    /// All heads in ascending order of HeadRef.
    const std::vector<HeadRef> &heads() const { return m_heads; }
    std::int64_t size() const { return static_cast<std::int64_t>(m_heads.size()); }
    bool contains(const HeadRef &head) const { return indexOf(head) >= 0; }
    /// Position of `head` in heads(), or -1.
    std::int64_t indexOf(const HeadRef &head) const;
    bool operator==(const HeadLayout &other) const { return m_blocks == other.m_blocks; }

private:
    std::vector<Block> m_blocks;
    std::vector<HeadRef> m_heads;
};

/// The set of masked (switched-off) heads. Empty = the full model.
class HeadMask
{
public:
    HeadMask() = default;
    HeadMask(std::initializer_list<HeadRef> heads) : m_heads(heads) { }
    explicit HeadMask(const std::vector<HeadRef> &heads) : m_heads(heads.begin(), heads.end()) { }

    bool isMasked(const HeadRef &head) const { return m_heads.contains(head); }
    void set(const HeadRef &head, bool masked)
    {
        if (masked)
            m_heads.insert(head);
        else
            m_heads.erase(head);
    }
    void toggle(const HeadRef &head) { set(head, !isMasked(head)); }
    bool empty() const { return m_heads.empty(); }
    std::int64_t size() const { return static_cast<std::int64_t>(m_heads.size()); }
    const std::set<HeadRef> &heads() const { return m_heads; }
    auto begin() const { return m_heads.begin(); }
    auto end() const { return m_heads.end(); }
    bool operator==(const HeadMask &) const = default;

private:
    std::set<HeadRef> m_heads;
};

/// "encoder.0.3,cross.2.1"; empty text = empty mask.
std::string toText(const HeadMask &mask);
Result<HeadMask> parseHeadMask(std::string_view text);

/// One value per head of a layout (ragged), addressed by HeadRef.
template<typename T>
class HeadTable
{
public:
    HeadTable() = default;
    explicit HeadTable(HeadLayout layout, T initial = {})
        : m_layout(std::move(layout)), m_values(static_cast<std::size_t>(m_layout.size()), initial)
    {
    }

    const HeadLayout &layout() const { return m_layout; }
    std::int64_t size() const { return m_layout.size(); }
    bool contains(const HeadRef &head) const { return m_layout.contains(head); }
    /// Precondition: contains(head).
    T &at(const HeadRef &head) { return m_values.at(static_cast<std::size_t>(m_layout.indexOf(head))); }
    const T &at(const HeadRef &head) const { return m_values.at(static_cast<std::size_t>(m_layout.indexOf(head))); }
    /// In the order of layout().heads().
    std::vector<T> &values() { return m_values; }
    const std::vector<T> &values() const { return m_values; }

private:
    HeadLayout m_layout;
    std::vector<T> m_values;
};

} // namespace headscope
