#include "core/formats/safetensors.h"
#include "tests/fuzz/fuzzing.h"

#include <algorithm>

using namespace headscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto header = parseSafetensors(fuzzing::bytesOf(data, size), "input");
    if (!header.isOk())
        return 0;
    for (const TensorEntry &tensor : header.value().tensors)
        fuzzing::requireInside(tensor, size);
    // What is written again must be read as the same; whole bytes only, as our writer has them.
    const auto &tensors = header.value().tensors;
    const auto isPacked = [](const TensorEntry &tensor) { return bitsPerElement(tensor.dtype) < 8; };
    if (std::any_of(tensors.begin(), tensors.end(), isPacked))
        return 0;
    const SafetensorsLayout layout = layoutSafetensors(tensors, header.value().metadata);
    std::string file = layout.header;
    for (const TensorEntry &tensor : tensors)
        file.append(tensor.bytes, '\0');
    const auto again = parseSafetensors(std::as_bytes(std::span(file)), "copy");
    fuzzing::require(again.isOk() && again.value().tensors.size() == tensors.size()
                         && again.value().metadata == header.value().metadata,
                     "a header that was written can be read");
    return 0;
}
