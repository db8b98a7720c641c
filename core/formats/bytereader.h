#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace headscope {

/// Reads bytes whose stated lengths may be false: every read is checked against the remaining bytes.
class ByteReader
{
public:
    explicit ByteReader(std::span<const std::byte> bytes, std::uint64_t at = 0)
        : m_bytes(bytes), m_at(at < bytes.size() ? static_cast<std::size_t>(at) : bytes.size())
    {
    }

    std::size_t position() const { return m_at; }
    std::size_t left() const { return m_bytes.size() - m_at; }

    /// A little-endian number of `size` bytes, at most eight.
    std::optional<std::uint64_t> number(std::size_t size)
    {
        if (left() < size)
            return std::nullopt;
        std::uint64_t value = 0;
        for (std::size_t i = size; i-- > 0;)
            value = value << 8 | std::to_integer<std::uint64_t>(m_bytes[m_at + i]);
        m_at += size;
        return value;
    }

    std::optional<std::string_view> text(std::uint64_t size)
    {
        if (left() < size)
            return std::nullopt;
        const std::string_view result(reinterpret_cast<const char *>(m_bytes.data()) + m_at,
                                      static_cast<std::size_t>(size));
        m_at += result.size();
        return result;
    }

    /// Up to the next \n, which is skipped; at most `longest` bytes.
    std::optional<std::string_view> line(std::size_t longest)
    {
        const std::string_view rest(reinterpret_cast<const char *>(m_bytes.data()) + m_at, left());
        const std::size_t end = rest.substr(0, longest + 1).find('\n');
        if (end == std::string_view::npos)
            return std::nullopt;
        m_at += end + 1;
        return rest.substr(0, end);
    }

    bool skip(std::uint64_t size)
    {
        if (left() < size)
            return false;
        m_at += static_cast<std::size_t>(size);
        return true;
    }

private:
    std::span<const std::byte> m_bytes;
    std::size_t m_at = 0;
};

} // namespace headscope
