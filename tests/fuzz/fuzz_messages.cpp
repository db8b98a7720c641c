#include "core/base/result.h"
#include "core/formats/jsonfile.h"
#include "core/remote/frames.h"
#include "tests/fuzz/fuzzing.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

using namespace headscope;

/// Bytes as they come to `headscope-cli serve`, in pieces of the size that the first byte says.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    constexpr std::size_t kLongest = 1 << 12;
    if (size == 0)
        return 0;
    const std::size_t step = 1 + data[0];
    std::size_t at = 1;
    FrameReader reader(
        [&](std::span<char> into) {
            const std::size_t count = std::min({into.size(), size - at, step});
            std::memcpy(into.data(), data + at, count);
            at += count;
            return count;
        },
        kLongest);
    try {
        while (const auto frame = reader.next()) {
            fuzzing::require(frame->bytes.size() <= kLongest, "no frame is too long");
            const auto message = parseJson(frame->bytes, "the message");
            if (!message.isOk())
                continue;
            // What was understood can be sent, and is then the same.
            const std::string sent = framed(message.value());
            std::size_t sentAt = 0;
            FrameReader again(
                [&](std::span<char> into) {
                    const std::size_t count = std::min(into.size(), sent.size() - sentAt);
                    std::memcpy(into.data(), sent.data() + sentAt, count);
                    sentAt += count;
                    return count;
                },
                sent.size());
            const auto come = again.next();
            fuzzing::require(come && parseJson(come->bytes, "the message").isOk(), "a message can be sent");
        }
    } catch (const Failure &failure) {
        fuzzing::require(!failure.error().message.empty(), "a refusal says why");
    }
    return 0;
}
