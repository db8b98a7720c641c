#include "core/formats/npzfile.h"
#include "core/formats/yaml.h"
#include "tests/core/formats/npzwriter.h"
#include "tests/fuzz/fuzzing.h"

#include <string>

using namespace headscope;

namespace {

void readArchive(std::span<const std::byte> file)
{
    const auto result = parseNpz(file, "input");
    if (!result.isOk())
        return;
    const NpzFile &archive = result.value();
    for (const TensorEntry &tensor : archive.tensors)
        fuzzing::requireInside(tensor, archive.unpacked ? archive.unpacked->size() : file.size());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text = fuzzing::textOf(data, size);
    if (text.starts_with("PK")) {
        readArchive(fuzzing::bytesOf(data, size));
    } else if (text.starts_with("\x93")) { // an array in a sound archive
        const std::string file = testing::zipBytes({testing::npyMember("a", std::string(text))});
        readArchive(std::as_bytes(std::span(file)));
    } else {
        (void)parseYaml(text, "input");
    }
    return 0;
}
