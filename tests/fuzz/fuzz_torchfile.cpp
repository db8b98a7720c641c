#include "core/formats/bytereader.h"
#include "core/formats/picklemachine.h"
#include "core/formats/torchfile.h"
#include "tests/core/formats/zipwriter.h"
#include "tests/fuzz/fuzzing.h"

using namespace headscope;

namespace {

void readFile(std::span<const std::byte> file)
{
    const auto result = parseTorchFile(file, "input");
    if (result.isOk())
        for (const TensorEntry &tensor : result.value().tensors)
            fuzzing::requireInside(tensor, file.size());
}

/// All pickles that follow one another, by one machine.
void readPickles(std::span<const std::byte> bytes)
{
    PickleMachine machine("input");
    ByteReader reader(bytes);
    while (reader.position() < bytes.size() && machine.run(reader).isOk()) { }
    (void)machine.storages();
}

/// As the pickle of a sound archive: mutations seldom leave sizes and places of a zip file as they must be.
void readInArchive(std::string_view pickle)
{
    std::vector<testing::ZipMember> members(2);
    members[0].name = "archive/data.pkl";
    members[0].data = pickle;
    members[1].name = "archive/data/0";
    members[1].data = std::string(64, '\1');
    const std::string file = testing::zipBytes(members);
    readFile(std::as_bytes(std::span(file)));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto bytes = fuzzing::bytesOf(data, size);
    readFile(bytes);
    if (!fuzzing::textOf(data, size).starts_with("PK")) {
        readPickles(bytes);
        readInArchive(fuzzing::textOf(data, size));
    }
    return 0;
}
