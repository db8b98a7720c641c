#include "core/formats/jsonfile.h"
#include "core/remote/frames.h"
#include "core/remote/wire.h"
#include "tests/fuzz/fuzzing.h"

#include <algorithm>
#include <cstring>

using namespace headscope;

namespace {

constexpr std::size_t kLongest = 1 << 16;

/// Reads `object` as everything that a client or a core may send. Refusals are Failure or nlohmann's.
template<typename Read>
void tryAs(const nlohmann::json &object, Read read)
{
    try {
        read(object);
    } catch (const Failure &failure) {
        fuzzing::require(!failure.error().message.empty(), "a refusal says why");
    } catch (const nlohmann::json::exception &) {
    }
}

void readAsAll(const nlohmann::json &object, const std::string &floats)
{
    tryAs(object, [](const auto &json) { (void)wire::modelOptions(json); });
    tryAs(object, [](const auto &json) { (void)wire::modelCard(json); });
    tryAs(object, [](const auto &json) { (void)wire::dataSource(json); });
    tryAs(object, [](const auto &json) { (void)wire::dataCard(json); });
    tryAs(object, [](const auto &json) { (void)wire::dataPreview(json); });
    tryAs(object, [](const auto &json) { (void)wire::dataRow(json); });
    tryAs(object, [](const auto &json) { (void)wire::sentenceTree(json); });
    tryAs(object, [](const auto &json) { (void)wire::domain(json); });
    tryAs(object, [](const auto &json) { (void)wire::runOptions(json); });
    tryAs(object, [](const auto &json) { (void)wire::folderListing(json); });
    tryAs(object, [](const auto &json) { (void)wire::prunedCard(json); });
    tryAs(object, [](const auto &json) { (void)wire::exportSpec(json); });
    tryAs(object, [](const auto &json) { (void)wire::error(json); });
    tryAs(object, [](const auto &json) {
        const AnySpec spec = wire::anySpec(json);
        fuzzing::require(wire::toWire(wire::anySpec(wire::toWire(spec))) == wire::toWire(spec), "a request stays what it is");
    });
    tryAs(object, [&](const auto &json) {
        for (const AttentionMap &map : wire::attentionResult({json, floats}).maps)
            fuzzing::require(std::ssize(map.weights) == map.queries * map.keys, "a map has its weights");
    });
    tryAs(object, [&](const auto &json) {
        const NeuronResult result = wire::neuronResult({json, floats});
        fuzzing::require(result.weights.size() == result.queries.size() * result.keys.size(), "a head has its weights");
    });
}

} // namespace

/// Bytes as they come to `headscope-cli serve`, or from it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    std::size_t at = 0;
    FrameReader reader(
        [&](std::span<char> into) {
            const std::size_t count = std::min(into.size(), size - at);
            std::memcpy(into.data(), data + at, count);
            at += count;
            return count;
        },
        kLongest);
    try {
        nlohmann::json last;
        while (const auto frame = reader.next()) {
            fuzzing::require(frame->bytes.size() <= kLongest, "no frame is too long");
            if (frame->binary) {
                readAsAll(last, frame->bytes);
                continue;
            }
            const auto message = parseJson(frame->bytes, "the message");
            if (!message.isOk() || !message.value().is_object())
                continue;
            last = message.value().value("params", message.value().value("result", nlohmann::json()));
            readAsAll(last, {});
        }
    } catch (const Failure &failure) {
        fuzzing::require(!failure.error().message.empty(), "a refusal says why");
    }
    return 0;
}
