#pragma once

#include <string>
#include <string_view>

namespace headscope::pipeline {

/// The printable character that represents a byte in the vocabularies of byte-level models: itself where it is one,
/// otherwise U+0100 and on (Ġ for a blank, Ċ for a line feed).
char32_t charOfByte(unsigned char byte);
/// The bytes of a piece; a piece with any other character stays as it is.
std::string bytesOfPiece(std::string_view piece);
/// Bytes as UTF-8; what is none becomes U+FFFD, one for every longest beginning of a character.
std::string repairedUtf8(std::string_view bytes);

} // namespace headscope::pipeline
