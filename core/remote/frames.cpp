#include "core/remote/frames.h"

#include "core/base/parsednumber.h"
#include "core/base/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace headscope {

namespace {

constexpr std::size_t kLongestHeader = 1024;
constexpr std::string_view kBinary = "application/octet-stream";

std::string lower(std::string_view text)
{
    std::string lowered(text);
    std::ranges::transform(lowered, lowered.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lowered;
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

/// The text of a message for an error, without control characters.
std::string shown(std::string_view text)
{
    std::string printable(text.substr(0, 60));
    std::ranges::replace_if(
        printable, [](unsigned char c) { return c < 0x20 || c > 0x7e; }, '?');
    return printable;
}

} // namespace

bool FrameReader::fill()
{
    std::array<char, 65536> bytes{};
    const std::size_t got = m_source(bytes);
    m_bytes.append(bytes.data(), got);
    return got > 0;
}

std::optional<std::string> FrameReader::line()
{
    for (;;) {
        if (const auto end = m_bytes.find('\n'); end != std::string::npos && end <= kLongestHeader) {
            std::string line = m_bytes.substr(0, end);
            m_bytes.erase(0, end + 1);
            if (line.ends_with('\r'))
                line.pop_back();
            return line;
        }
        if (m_bytes.size() > kLongestHeader)
            throw Failure(
                badInput(fmt::format("not a message of Headscope's protocol: it begins with \"{}\"", shown(m_bytes))));
        if (!fill())
            return std::nullopt;
    }
}

std::optional<Frame> FrameReader::next()
{
    Frame frame;
    std::optional<std::size_t> length;
    for (;;) {
        const auto header = line();
        if (!header)
            return std::nullopt;
        if (header->empty())
            break;
        const auto colon = header->find(':');
        if (colon == std::string::npos)
            throw Failure(
                badInput(fmt::format("not a message of Headscope's protocol: \"{}\" is no header", shown(*header))));
        const std::string name = lower(std::string_view(*header).substr(0, colon));
        const std::string_view value = trimmed(std::string_view(*header).substr(colon + 1));
        if (name == "content-length") {
            length = parsedNumber<std::size_t>(value);
            if (!length)
                throw Failure(badInput(fmt::format("\"{}\" is no length of a message", shown(value))));
        } else if (name == "content-type") {
            frame.binary = lower(value) == kBinary;
        }
    }
    if (!length)
        throw Failure(badInput("a message without Content-Length"));
    if (*length > m_most)
        throw Failure(badInput(fmt::format("a message of {} bytes; at most {} are taken", *length, m_most)));
    while (m_bytes.size() < *length) {
        if (!fill())
            return std::nullopt;
    }
    frame.bytes = m_bytes.substr(0, *length);
    m_bytes.erase(0, *length);
    return frame;
}

std::string framed(const nlohmann::json &message)
{
    const std::string text = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return fmt::format("Content-Length: {}\r\n\r\n{}", text.size(), text);
}

std::string framedBinary(std::string_view bytes)
{
    return fmt::format("Content-Length: {}\r\nContent-Type: {}\r\n\r\n{}", bytes.size(), kBinary, bytes);
}

} // namespace headscope
