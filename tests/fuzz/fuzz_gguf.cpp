#include "core/formats/gguf.h"
#include "tests/fuzz/fuzzing.h"

using namespace headscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto file = fuzzing::bytesOf(data, size);
    const auto result = parseGguf(file, "input");
    if (!result.isOk())
        return 0;
    for (const GgufTensor &tensor : result.value().tensors) {
        fuzzing::require(tensor.offset <= file.size() && tensor.bytes <= file.size() - tensor.offset,
                         "a tensor lies inside the file");
    }
    return 0;
}
