#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// Messages as the Language Server Protocol frames them: "Content-Length: N", an empty line, N bytes, which are JSON in
/// UTF-8, or, with "Content-Type: application/octet-stream", whatever the message before them says.
namespace headscope {

struct Frame
{
    bool binary = false;
    std::string bytes;
};

/// Reads frames from an untrusted stream of bytes.
class FrameReader
{
public:
    /// Gives at least one byte, or 0 at the end.
    using Source = std::function<std::size_t(std::span<char>)>;

    /// `most`: bytes that a frame may have.
    FrameReader(Source source, std::size_t most) : m_source(std::move(source)), m_most(most) { }

    /// None at the end, even in the middle of a frame. Throws Failure for an invalid header or a frame that is too
    /// long: then nothing more can be read. Memory grows with the bytes received, not with the length that a header
    /// states.
    std::optional<Frame> next();

private:
    bool fill();
    std::optional<std::string> line();

    Source m_source;
    std::size_t m_most;
    std::string m_bytes; ///< come, but not used yet
};

/// A message as it is sent, bytes that are not UTF-8 as U+FFFD.
std::string framed(const nlohmann::json &message);
std::string framedBinary(std::string_view bytes);

} // namespace headscope
