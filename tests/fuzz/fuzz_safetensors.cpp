#include "core/formats/safetensors.h"
#include "tests/fuzz/fuzzing.h"

#include <algorithm>
#include <string>

using namespace headscope;

namespace {

void readFile(std::span<const std::byte> bytes)
{
    const auto header = parseSafetensors(bytes, "input");
    if (!header.isOk())
        return;
    for (const TensorEntry &tensor : header.value().tensors)
        fuzzing::requireInside(tensor, bytes.size());
    // What is written again must be read as the same; whole bytes only, as our writer has them.
    const auto &tensors = header.value().tensors;
    const auto isPacked = [](const TensorEntry &tensor) { return bitsPerElement(tensor.dtype) < 8; };
    if (std::any_of(tensors.begin(), tensors.end(), isPacked))
        return;
    const SafetensorsLayout layout = layoutSafetensors(tensors, header.value().metadata);
    std::string file = layout.header;
    for (const TensorEntry &tensor : tensors)
        file.append(tensor.bytes, '\0');
    const auto again = parseSafetensors(std::as_bytes(std::span(file)), "copy");
    fuzzing::require(again.isOk() && again.value().tensors.size() == tensors.size()
                         && again.value().metadata == header.value().metadata,
                     "a header that was written can be read");
}

/// As the header of a file whose sizes are right: mutations seldom leave them so. The largest number of a reasonable
/// size in the lists of a sound header is where its data end.
std::string withSizes(std::string_view header)
{
    constexpr std::uint64_t kLargest = 4096;
    std::uint64_t dataSize = 0;
    for (std::size_t at = header.find_first_of("[,"); at < header.size(); at = header.find_first_of("[,", at)) {
        std::uint64_t number = 0;
        for (++at; at < header.size() && (header[at] == ' ' || (header[at] >= '0' && header[at] <= '9')); ++at)
            if (header[at] != ' ')
                number = std::min(10 * number + static_cast<std::uint64_t>(header[at] - '0'), kLargest + 1);
        if (number <= kLargest)
            dataSize = std::max(dataSize, number);
    }
    std::string file;
    for (int i = 0; i < 8; ++i)
        file += static_cast<char>(static_cast<std::uint64_t>(header.size()) >> (8 * i));
    return file.append(header).append(dataSize, '\0');
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (const std::string_view text = fuzzing::textOf(data, size); text.starts_with('{')) {
        const std::string file = withSizes(text);
        readFile(std::as_bytes(std::span(file)));
    } else {
        readFile(fuzzing::bytesOf(data, size));
    }
    return 0;
}
