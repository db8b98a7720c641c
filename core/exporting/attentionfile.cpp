#include "core/exporting/attentionfile.h"

#include "core/formats/atomicfile.h"
#include "core/formats/safetensors.h"
#include "core/results/json.h"

#include <bit>

namespace headscope {

namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

std::string piecesText(const std::vector<TokenLabel> &tokens)
{
    Json pieces = Json::array();
    for (const TokenLabel &token : tokens)
        pieces.push_back(token.text);
    return jsonText(pieces, -1);
}

std::string segmentsText(const std::vector<TokenLabel> &tokens)
{
    Json segments = Json::array();
    for (const TokenLabel &token : tokens)
        segments.push_back(token.segment);
    return jsonText(segments, -1);
}

} // namespace

Result<Done> writeAttentionFile(const std::filesystem::path &path, std::span<const AttentionResult> sentences,
                                std::span<const std::int64_t> numbers, const std::map<std::string, std::string> &common)
{
    std::vector<TensorEntry> entries;
    std::vector<const AttentionMap *> maps;
    std::map<std::string, std::string> metadata = common;
    metadata["format"] = "pt";
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        const std::string prefix = (numbers.empty() ? std::to_string(i) : std::to_string(numbers[i])) + '.';
        for (const AttentionMap &map : sentences[i].maps) {
            TensorEntry entry;
            entry.name = prefix + toText(map.head);
            entry.shape = {map.queries, map.keys};
            entry.strides = rowMajorStrides(entry.shape);
            entry.bytes = map.weights.size() * sizeof(float);
            entries.push_back(std::move(entry));
            maps.push_back(&map);
        }
        metadata[prefix + "source"] = sentences[i].source;
        metadata[prefix + "target"] = sentences[i].target;
        if (!sentences[i].predicted.empty())
            metadata[prefix + "predicted"] = sentences[i].predicted;
        metadata[prefix + "source_segments"] = segmentsText(sentences[i].sourceTokens);
        metadata[prefix + "source_tokens"] = piecesText(sentences[i].sourceTokens);
        metadata[prefix + "target_tokens"] = piecesText(sentences[i].targetTokens);
    }
    const SafetensorsLayout layout = layoutSafetensors(entries, metadata);
    return writeFileAtomically(path, [&](const ByteSink &sink) -> Result<Done> {
        auto written = sink(layout.header);
        for (std::size_t i = 0; i < layout.order.size() && written.isOk(); ++i) {
            const auto &weights = maps[layout.order[i]]->weights;
            written = sink({reinterpret_cast<const char *>(weights.data()), weights.size() * sizeof(float)});
        }
        return written;
    });
}

} // namespace headscope
